package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** Rule A5: whatever a listener does, its supervisor goes on, and ends when it is to. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BrokenListenerTest {
    private static final List<Supplier<Error>> ERRORS =
            List.of(
                    () -> new AssertionError("planted"),
                    () -> new NoClassDefFoundError("planted"),
                    () -> new OutOfMemoryError("planted"),
                    () -> overflow(Long.MAX_VALUE));

    /** A recursion that ends far beyond any stack. */
    private static Error overflow(long depth) {
        Error deeper = depth == 0 ? new AssertionError("deep enough") : overflow(depth - 1);
        return Objects.requireNonNull(deeper);
    }

    private static Actor<String> crashing(List<String> log) {
        return Actor.handler(
                _ ->
                        message -> {
                            if (message.equals("crash")) {
                                throw new IllegalStateException("x");
                            }
                            log.add(message);
                            return Behavior.same();
                        });
    }

    /** Neither the supervisor, nor the sender, nor what the supervisor is told of its child. */
    @Test
    void A5_listenerAndTakerThatThrowErrorsEndNobody() {
        for (Supplier<Error> errors : ERRORS) {
            World.local(
                    world -> {
                        TestCord.expectLog("the failure listener of broken failed for actor");
                        TestCord.expectLog("the taker of dead letters failed for");
                        List<String> log = World.log();
                        try (ActorSystem system =
                                ActorSystem.start(
                                        "broken",
                                        World.MANY_RESTARTS.onFailure(
                                                (_, _) -> {
                                                    throw errors.get();
                                                }),
                                        _ -> {
                                            throw errors.get();
                                        })) {
                            ActorRef<String> ref = system.spin("actor", crashing(log));
                            ref.tell("crash");
                            ref.tell("go on");
                            world.settle();
                            ref.stop();
                            world.settle();
                            ref.tell("too late");
                            assertEquals(List.of("go on"), log);
                            assertEquals(2, system.deadLetterCount());
                            assertEquals(1, system.root().restarts());
                            ActorRef<String> next = system.spin("next", crashing(log));
                            next.tell("next");
                            world.settle();
                            assertEquals(List.of("go on", "next"), log);
                        }
                    });
        }
    }

    /** It must not wait; if it does, the termination that ends its wait is not lost. */
    @Test
    void A5_listenerThatWaitsHoldsUpNoTermination() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Supervision waiting =
                            World.MANY_RESTARTS.onFailure(
                                    (_, _) -> Fiber.sleep(Duration.ofDays(1)));
                    Fiber<?> owner =
                            Fiber.spin(
                                    "owner",
                                    () -> {
                                        ActorSystem system =
                                                ActorSystem.start("waiting", waiting, _ -> {});
                                        ActorRef<String> ref = system.spin("actor", crashing(log));
                                        ref.tell("crash");
                                        ref.tell("not handled");
                                        Fiber.suspend();
                                    });
                    world.settle();
                    long before = Cord.current().nanoTime();
                    owner.terminate();
                    assertTrue(owner.awaitEnd(Duration.ofDays(2)));
                    assertEquals(before, Cord.current().nanoTime());
                    assertEquals(List.of(), log);
                });
    }
}
