package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.concurrent.atomic.AtomicInteger;

/** Rule A5: a supervisor is not left behind by those who make work for it. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SupervisorBacklogTest {
    private static final int MANY = 1_000;

    @Test
    void A5_whatWasSpunInOneTurnIsStartedInOne() {
        AtomicInteger started = new AtomicInteger();
        AtomicInteger handled = new AtomicInteger();
        Actor<String> counted =
                Actor.handler(
                        _ -> {
                            started.incrementAndGet();
                            return _ -> {
                                handled.incrementAndGet();
                                return Behavior.stopped();
                            };
                        });
        Cord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("system")) {
                        Fiber.snooze(); // it waits for its first message now
                        for (int burst = 1; burst <= 3; burst++) {
                            for (int i = 0; i < MANY; i++) {
                                system.spin(counted).tell("hello");
                            }
                            Fiber.snooze(); // the supervisor's turn
                            Fiber.snooze(); // theirs
                            assertEquals(burst * MANY, started.get());
                            Fiber.snooze(); // and for the message that waited in the mailbox
                            assertEquals(burst * MANY, handled.get());
                        }
                    }
                });
    }

    /** They end in between, for the supervisor starts them one by one there. */
    @Test
    void A5_whereFibersAreLimitedManyThatEndSoonCanBeSpunInOneTurn() {
        AtomicInteger handled = new AtomicInteger();
        Actor<String> brief =
                Actor.handler(
                        _ ->
                                _ -> {
                                    handled.incrementAndGet();
                                    return Behavior.stopped();
                                });
        Cord.run(
                CordOptions.named("limited").withMaxFibers(20),
                () -> {
                    try (ActorSystem system = ActorSystem.start("system")) {
                        for (int i = 0; i < MANY; i++) {
                            system.spin(brief).tell("hello");
                        }
                        while (handled.get() < MANY) {
                            Fiber.snooze();
                        }
                    }
                    return null;
                });
        assertEquals(MANY, handled.get());
    }
}
