package dev.ropewalk.actors.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import jdk.jfr.Recording;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Rule A5: whatever a listener does, its supervisor goes on, and ends when it is to. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BrokenListenerTest {
    private static final Duration HOUR = Duration.ofHours(1);

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
                        TestCord.expectLog(
                                "the failure listener of broken failed for broken/actor#1");
                        TestCord.expectLog("the taker of dead letters failed for");
                        List<String> log = World.log();
                        try (ActorSystem system =
                                ActorSystem.start(
                                        "broken",
                                        World.MANY_RESTARTS.onFailure(
                                                _ -> {
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
    private static final class Rude extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("it has no message");
        }
    }

    /** What it throws when it is shown is no failure of whatever shows it. */
    @Test
    void A5_aFailureThatCannotBeShownIsAFailureLikeOthers() throws Exception {
        try (Recording recording = new Recording()) {
            recording.enable("dev.ropewalk.ActorFailure");
            recording.start();
            World.local(
                    world -> {
                        List<String> log = World.log();
                        AtomicInteger failures = new AtomicInteger();
                        try (ActorSystem system =
                                ActorSystem.start(
                                        "rude",
                                        World.MANY_RESTARTS.onFailure(
                                                _ -> failures.incrementAndGet()),
                                        _ -> {})) {
                            ActorRef<String> ref =
                                    system.spin(
                                            "actor",
                                            Actor.handler(
                                                    self -> {
                                                        self.timers().once("t", HOUR, "late");
                                                        return message -> {
                                                            if (message.equals("crash")) {
                                                                throw new Rude();
                                                            }
                                                            log.add(message);
                                                            return Behavior.same();
                                                        };
                                                    }));
                            ref.tell("crash");
                            ref.tell("go on");
                            ref.stop();
                            assertTrue(ref.awaitEnd(HOUR));
                        }
                        assertEquals(List.of("go on"), log);
                        assertEquals(1, failures.get());
                    });
        }
    }

    /** The actor is over by then, and the next incarnation has not begun. */
    @Test
    void A5_aTakerTellsTheActorThatHasJustFailed() {
        for (boolean isReport : new boolean[] {false, true}) {
            List<ActorRef<String>> refs = new ArrayList<>();
            List<String> log = World.log();
            TestCord.run(
                    () -> {
                        refs.clear();
                        log.clear();
                        ActorSystemOptions options =
                                ActorSystemOptions.defaults()
                                        .withDeadLetters(_ -> again(refs, !isReport));
                        Supervision rules =
                                World.MANY_RESTARTS.onFailure(_ -> again(refs, isReport));
                        try (ActorSystem system =
                                ActorSystem.start(Tree.of("app", rules), options)) {
                            refs.add(system.start("actor", crashing(log)));
                            refs.getFirst().tell("crash");
                            Fiber.sleep(Duration.ofNanos(1));
                        }
                        assertEquals(List.of("again"), log, "report=" + isReport);
                    });
        }
    }

    private static void again(List<ActorRef<String>> refs, boolean isWanted) {
        if (isWanted) {
            refs.getFirst().tell("again");
        }
    }

    @Test
    void A5_listenerThatWaitsHoldsUpNoTermination() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Supervision waiting =
                            World.MANY_RESTARTS.onFailure(_ -> Fiber.sleep(Duration.ofDays(1)));
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
