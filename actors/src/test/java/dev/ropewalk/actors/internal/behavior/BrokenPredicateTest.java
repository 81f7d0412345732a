package dev.ropewalk.actors.internal.behavior;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.World;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule A1: the message on which a predicate throws is the one on which the actor fails. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BrokenPredicateTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Takes numbers above zero, and fails on what is none. */
    private static Actor<Object> picky(List<Object> log) {
        return Actor.loop(
                self -> {
                    for (; ; ) {
                        log.add(self.receive(BrokenPredicateTest::isPositive));
                    }
                });
    }

    private static boolean isPositive(Object message) {
        return message instanceof Integer number ? number > 0 : isPositive(parsed(message));
    }

    private static Object parsed(Object message) {
        if (message instanceof String text) {
            return Integer.valueOf(text);
        }
        throw new Crash("no number: " + message);
    }

    private static ActorRef<Object> told(World world, Actor<Object> actor, Object... messages) {
        ActorRef<Object> ref = world.spin("picky", actor);
        for (Object each : messages) {
            ref.tell(each);
        }
        world.until(
                () ->
                        world.letters.size() == 1
                                && ref.mailbox().queued() == 0); // none of them is passed over
        return ref;
    }

    @Test
    void A1_itIsDropped() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    told(world, picky(log).onFailure(FailedMessage.drop()), 1, "x", 2);
                    assertEquals(List.of(1, 2), log);
                    assertEquals(List.of("picky FAILED x"), world.deadLetters());
                    assertEquals(1, world.failures.size());
                    assertInstanceOf(NumberFormatException.class, world.letters.getFirst().cause());
                });
    }

    @Test
    void A1_itIsParkedOrTriedAgain() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    told(world, picky(log).onFailure(FailedMessage.retry(3)), 1, "x", 2);
                    assertEquals(List.of(1, 2), log);
                    assertEquals(List.of("picky PARKED x"), world.deadLetters());
                    assertEquals(3, world.failures.size());
                });
    }

    /** One that was passed over before, by a type and by another predicate. */
    @Test
    void A1_itWasPassedOverBefore() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    Actor<Object> actor =
                            Actor.loop(
                                    self -> {
                                        if (log.isEmpty()) {
                                            log.add(self.receive(Integer.class));
                                            log.add(self.receive(m -> m.equals(2)));
                                        }
                                        for (; ; ) {
                                            log.add(self.receive(BrokenPredicateTest::isPositive));
                                        }
                                    });
                    told(world, actor, "x", 1, 2, 3);
                    assertEquals(List.of(1, 2, 3), log);
                    assertEquals(List.of("picky FAILED x"), world.deadLetters());
                    assertEquals(1, world.failures.size());
                });
    }

    /** A message by priority, and one with a key. */
    @Test
    void A1_inOtherMailboxes() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    told(world, picky(log).byPriority(m -> m.equals("x") ? 1 : 0), 1, "x", 2);
                    assertEquals(List.of("picky FAILED x"), world.deadLetters());
                    assertEquals(1, world.failures.size());
                });
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    told(world, picky(log).conflate(m -> m), 1, "x", 2);
                    assertEquals(List.of(1, 2), log);
                    assertEquals(List.of("picky FAILED x"), world.deadLetters());
                    assertEquals(1, world.failures.size());
                });
    }

    /** The body goes on, and the message is not lost without a word. */
    @Test
    void A1_aBodyThatCatchesItGoesOn() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    Actor<Object> actor =
                            Actor.loop(
                                    self -> {
                                        while (log.size() < 3) {
                                            try {
                                                log.add(
                                                        self.receive(
                                                                BrokenPredicateTest::isPositive));
                                            } catch (NumberFormatException broken) {
                                                log.add("caught");
                                            }
                                        }
                                    });
                    ActorRef<Object> ref = world.spin("picky", actor);
                    for (Object each : List.of(1, "x", 2)) {
                        ref.tell(each);
                    }
                    ref.awaitEnd(SECOND);
                    assertEquals(List.of(1, "caught", 2), log);
                    assertEquals(List.of("picky FAILED x"), world.deadLetters());
                    assertEquals(List.of(), world.failures);
                });
    }

    /** The same where it is the last thing that the body does. */
    @Test
    void A1_aBodyThatCatchesItAndReturns() {
        World.anywhere(
                world -> {
                    Actor<Object> actor =
                            Actor.loop(
                                    self ->
                                            assertThrows(
                                                    NumberFormatException.class,
                                                    () ->
                                                            self.receive(
                                                                    BrokenPredicateTest
                                                                            ::isPositive)));
                    ActorRef<Object> ref = world.spin("picky", actor);
                    ref.tell("x");
                    ref.awaitEnd(SECOND);
                    world.until(() -> !world.letters.isEmpty());
                    assertEquals(List.of("picky FAILED x"), world.deadLetters());
                    assertEquals(List.of(), world.failures);
                });
    }

    private record Ask(Recipient<String> replyTo) {}

    @Test
    void A2_itsAskerHearsOfIt() {
        World.anywhere(
                world -> {
                    ActorRef<Object> ref = world.spin("picky", picky(World.log()));
                    AskFailedException failed =
                            assertThrows(AskFailedException.class, () -> ref.<String>ask(Ask::new));
                    assertInstanceOf(Crash.class, failed.getCause());
                });
    }

    /** A stop is not tested, and a failure before it is not taken for its own. */
    @Test
    void A1_aStopBehindIt() {
        World.anywhere(
                world -> {
                    ActorRef<Object> ref = world.spin("picky", picky(World.log()));
                    ref.tell("x");
                    ref.stop();
                    ref.awaitEnd(SECOND);
                    world.until(() -> !world.letters.isEmpty());
                    assertEquals(List.of("picky FAILED x"), world.deadLetters());
                    assertEquals(1, world.failures.size());
                });
    }
}
