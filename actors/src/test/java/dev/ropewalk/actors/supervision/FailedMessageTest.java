package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.List;

/** Rule A5: the message that an actor failed on is dropped, retried or parked. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class FailedMessageTest {
    /** Fails on what begins with "crash" until the attempt that the message ends with. */
    private static List<Actor<String>> both(List<String> log) {
        return List.of(
                Actor.handler(
                        self ->
                                message -> {
                                    handle(self, message, log);
                                    return Behavior.same();
                                }),
                Actor.loop(
                        self -> {
                            for (; ; ) {
                                handle(self, self.receive(), log);
                            }
                        }));
    }

    private static void handle(ActorContext<String> self, String message, List<String> log) {
        log.add(message + " " + self.attempt());
        if (message.startsWith("suspend")) {
            Fiber.suspend();
        }
        if (message.startsWith("late")) {
            Fiber.snooze();
        }
        if (message.contains("crash")) {
            int until = message.charAt(message.length() - 1) - '0';
            if (self.attempt() < until) {
                throw new Crash(message);
            }
        }
    }

    private void check(
            FailedMessage rule, List<String> told, List<String> expected, List<String> dead) {
        World.anywhere(
                world -> {
                    for (int style = 0; style < 2; style++) {
                        List<String> log = World.log();
                        world.letters.clear();
                        Actor<String> actor = both(log).get(style).onFailure(rule);
                        ActorRef<String> ref = world.spin("actor", actor);
                        told.forEach(ref::tell);
                        world.settle();
                        ref.tell("last");
                        world.settle();
                        assertEquals(expected, log);
                        assertEquals(dead, world.deadLetters());
                        for (DeadLetter letter : world.letters) {
                            assertInstanceOf(Crash.class, letter.cause());
                        }
                    }
                });
    }

    @Test
    void A5_dropped() {
        check(
                FailedMessage.drop(),
                List.of("crash9", "a", "late crash9"),
                List.of("crash9 1", "a 1", "late crash9 1", "last 1"),
                List.of("actor FAILED crash9", "actor FAILED late crash9"));
    }

    @Test
    void A5_parked() {
        check(
                FailedMessage.park(),
                List.of("crash9", "a", "late crash9"),
                List.of("crash9 1", "a 1", "late crash9 1", "last 1"),
                List.of("actor PARKED crash9", "actor PARKED late crash9"));
    }

    /** The next one is handed to the waiting actor, and was never tried. */
    @Test
    void A5_theMessageAfterARetryIsTriedForTheFirstTime() {
        check(
                FailedMessage.retry(),
                List.of("crash2"),
                List.of("crash2 1", "crash2 2", "last 1"),
                List.of());
    }

    @Test
    void A5_retriedThreeTimesUnlessToldOtherwise() {
        check(
                FailedMessage.retry(),
                List.of("crash9", "a"),
                List.of("crash9 1", "crash9 2", "crash9 3", "a 1", "last 1"),
                List.of("actor PARKED crash9"));
    }

    @Test
    void A5_retriedBeforeTheOthersUntilItSucceeds() {
        check(
                FailedMessage.retry(3),
                List.of("a", "late crash2", "crash3", "b", "crash4"),
                List.of(
                        "a 1",
                        "late crash2 1",
                        "late crash2 2",
                        "crash3 1",
                        "crash3 2",
                        "crash3 3",
                        "b 1",
                        "crash4 1",
                        "crash4 2",
                        "crash4 3",
                        "last 1"),
                List.of("actor PARKED crash4"));
    }

    @Test
    void A5_oneAttemptIsNone() {
        check(
                FailedMessage.retry(1),
                List.of("crash9", "crash1"),
                List.of("crash9 1", "crash1 1", "last 1"),
                List.of("actor PARKED crash9"));
    }

    @Test
    void A5_theSameObjectToldTwiceHasItsAttemptsTwice() {
        check(
                FailedMessage.retry(2),
                List.of("crash9", "crash9"),
                List.of("crash9 1", "crash9 2", "crash9 1", "crash9 2", "last 1"),
                List.of("actor PARKED crash9", "actor PARKED crash9"));
    }

    /** The restarted body may take other messages first; the count stays with the message. */
    @Test
    void A5_attemptsAreCountedWhateverIsReceivedInBetween() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "selecting",
                                    Actor.<Object>loop(
                                                    self -> {
                                                        log.add(
                                                                "first "
                                                                        + self.receive(
                                                                                String.class));
                                                        int number = self.receive(Integer.class);
                                                        log.add(number + " " + self.attempt());
                                                        throw new Crash(number);
                                                    })
                                            .onFailure(FailedMessage.retry(3)));
                    for (Object message : List.of("a", 1, "b", "c", "d", 2, "e", "f")) {
                        ref.tell(message);
                    }
                    world.settle();
                    assertEquals(
                            List.of(
                                    "first a", "1 1", "first b", "1 2", "first c", "1 3", "first d",
                                    "2 1", "first e", "2 2", "first f", "2 3"),
                            log);
                    assertEquals(
                            List.of("selecting PARKED 1", "selecting PARKED 2"),
                            world.deadLetters());
                });
    }

    /** Two messages may have failed before: each has its own count. */
    @Test
    void A5_attemptsOfSeveralMessagesAreCountedApart() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "alternating",
                                    Actor.<Object>loop(
                                                    self -> {
                                                        boolean even = log.size() % 2 == 0;
                                                        Object got =
                                                                even
                                                                        ? self.receive(
                                                                                Integer.class)
                                                                        : self.receive(
                                                                                String.class);
                                                        log.add(got + " " + self.attempt());
                                                        throw new Crash(got);
                                                    })
                                            .onFailure(FailedMessage.retry(2)));
                    ref.tell(1);
                    ref.tell("a");
                    world.settle();
                    assertEquals(List.of("1 1", "a 1", "1 2", "a 2"), log);
                    assertEquals(
                            List.of("alternating PARKED 1", "alternating PARKED a"),
                            world.deadLetters());
                });
    }

    @Test
    void A5_aTerminationInTheMiddleIsAFailedAttempt() {
        World.anywhere(
                world -> {
                    for (int style = 0; style < 2; style++) {
                        List<String> log = World.log();
                        world.letters.clear();
                        ActorRef<String> ref =
                                world.spin(
                                        "permanent",
                                        both(log)
                                                .get(style)
                                                .restart(RestartRule.PERMANENT)
                                                .onFailure(FailedMessage.retry(2)));
                        ref.tell("suspend");
                        ref.tell("a");
                        world.settle();
                        ref.terminate();
                        world.settle();
                        ref.terminate();
                        world.settle();
                        assertEquals(List.of("suspend 1", "suspend 2", "a 1"), log);
                        assertEquals(List.of("permanent PARKED suspend"), world.deadLetters());
                        assertInstanceOf(
                                FiberTerminatedException.class, world.letters.getFirst().cause());
                    }
                });
    }

    @Test
    void A5_aRetryThatNoLongerComesIsADeadLetter() {
        World.anywhere(
                world -> {
                    for (int style = 0; style < 2; style++) {
                        List<String> log = World.log();
                        world.letters.clear();
                        ActorRef<String> ref =
                                world.spin(
                                        "temporary",
                                        both(log)
                                                .get(style)
                                                .restart(RestartRule.TEMPORARY)
                                                .onFailure(FailedMessage.retry(2)));
                        ref.tell("crash9");
                        ref.tell("a");
                        world.settle();
                        assertEquals(List.of("crash9 1"), log);
                        assertEquals(
                                List.of("temporary ENDED crash9", "temporary ENDED a"),
                                world.deadLetters());
                        assertNull(world.letters.getLast().cause());
                    }
                });
    }

    @Test
    void A5_aMessageThatWasReceivedAndFollowedByAnotherDidNotFail() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "pair",
                                    Actor.loop(
                                            self -> {
                                                log.add(self.receive());
                                                self.receive();
                                                throw new Crash("on the second");
                                            }));
                    ref.tell("a");
                    ref.tell("b");
                    world.settle();
                    assertEquals(List.of("pair FAILED b"), world.deadLetters());
                });
    }
}
