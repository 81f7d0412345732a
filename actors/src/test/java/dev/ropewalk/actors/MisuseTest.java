package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.function.Executable;

import java.time.Duration;
import java.util.List;

/** A user's mistake gets an error that names the object, the values and the remedy. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class MisuseTest {
    private static String illegalState(Executable call) {
        return Errors.inShort(
                String.valueOf(assertThrows(IllegalStateException.class, call).getMessage()));
    }

    @Test
    void A1_receiveInHandlerStyle() {
        World.anywhere(
                world -> {
                    ActorRef<String> ref =
                            world.spin(
                                    "handler",
                                    Actor.handler(
                                            self ->
                                                    _ -> {
                                                        self.receive();
                                                        return Behavior.same();
                                                    }));
                    ref.tell("a");
                    world.settle();
                    assertEquals(
                            List.of(
                                    "handler: handler is handler style: its messages come to its"
                                            + " behavior. Use Actor.loop to receive"),
                            world.failures);
                });
    }

    @Test
    void A1_receiveFromAnotherFiber() {
        World.anywhere(
                world -> {
                    List<String> errors = World.log();
                    List<ActorContext<String>> leaked = World.log();
                    world.spin(
                            "owner",
                            Actor.<String>loop(
                                    self -> {
                                        leaked.add(self);
                                        Fiber<?> other =
                                                Fiber.spin(
                                                        "thief",
                                                        () -> {
                                                            errors.add(illegalState(self::receive));
                                                        });
                                        other.await();
                                        self.receive();
                                    }));
                    world.settle();
                    assertEquals(1, errors.size());
                    assertEquals(
                            "receive of owner was called by fiber thief on "
                                    + world.home
                                    + "; only the actor's own fiber may receive",
                            errors.getFirst());
                    assertTrue(
                            illegalState(() -> leaked.getFirst().receive(String.class))
                                    .contains("only the actor's own fiber may receive"));
                });
    }

    /** The messages of an actor that has ended, or is between two incarnations, are nobody's. */
    @Test
    void A1_receiveFromAPlainThreadWhileTheActorIsDown() {
        World.remote(
                world -> {
                    List<String> errors = World.log();
                    List<ActorContext<String>> leaked = World.log();
                    world.spin(
                            "ended",
                            Actor.<String>loop(
                                    context -> {
                                        leaked.add(context);
                                        context.receive();
                                    }));
                    world.settle();
                    ActorContext<String> self = leaked.getFirst();
                    self.self().stop();
                    world.settle();
                    Thread plain =
                            Thread.ofPlatform()
                                    .name("plain")
                                    .start(() -> errors.add(illegalState(self::receive)));
                    world.until(() -> !plain.isAlive());
                    assertEquals(1, errors.size());
                    assertTrue(
                            errors.getFirst().contains("only the actor's own fiber may receive"),
                            errors.toString());
                });
    }

    @Test
    void A5_keepStateOfALoop() {
        assertEquals(
                "keepState needs a handler-style actor; a loop restarts from its body",
                illegalState(() -> Actor.loop(_ -> {}).keepState()));
    }

    @Test
    void A5_lessThanOneAttempt() {
        assertEquals(
                "attempts=0 < 1; use drop() to try a message only once",
                assertThrows(IllegalArgumentException.class, () -> FailedMessage.retry(0))
                        .getMessage());
    }

    @Test
    void A5_rulesThatMakeNoSense() {
        Supervision rules = Supervision.oneForOne();
        assertThrows(
                IllegalArgumentException.class, () -> rules.intensity(-1, Duration.ofSeconds(1)));
        assertThrows(IllegalArgumentException.class, () -> rules.intensity(1, Duration.ZERO));
        assertEquals(
                "stopLimit=PT-1S is negative",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> rules.stopLimit(Duration.ofSeconds(-1)))
                        .getMessage());
    }

    /** A taker or listener that fails harms nobody but its own log. */
    @Test
    void A5_brokenListenersDoNoHarm() {
        World.local(
                world -> {
                    Supervision broken =
                            World.MANY_RESTARTS.onFailure(
                                    _ -> {
                                        throw new IllegalStateException("broken listener");
                                    });
                    List<String> log = World.log();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "broken",
                                    broken,
                                    _ -> {
                                        throw new IllegalStateException("broken taker");
                                    })) {
                        ActorRef<String> ref =
                                system.spin(
                                        "actor",
                                        Actor.handler(
                                                _ ->
                                                        message -> {
                                                            if (message.equals("crash")) {
                                                                throw new IllegalStateException(
                                                                        "x");
                                                            }
                                                            log.add(message);
                                                            return Behavior.same();
                                                        }));
                        ref.tell("crash");
                        ref.tell("go on");
                        world.settle();
                        assertEquals(List.of("go on"), log);
                        assertEquals(1, system.deadLetterCount());
                        assertEquals(1, system.root().restarts());
                    }
                });
    }
}
