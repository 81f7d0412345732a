package dev.ropewalk.actors.internal.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Rule A1: how many messages an actor may postpone, and what becomes of those beyond it. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PostponedTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofHours(1);

    /** What the door is told; it postpones all but "open" while it is shut. */
    private record Knock(String who, Recipient<String> replyTo) {}

    private static final Knock OPEN = new Knock("open", nobody());

    private static Recipient<String> nobody() {
        return new Recipient<>() {
            @Override
            public void tell(String message) {}

            @Override
            public void fail(Throwable failure) {}
        };
    }

    private static Behavior<Knock> shut(ActorContext<Knock> self, List<Object> log) {
        return Behavior.state(
                "shut",
                knock -> {
                    if (knock == OPEN) {
                        log.add(self.postponed());
                        return open(log);
                    }
                    self.postpone();
                    return Behavior.same();
                });
    }

    private static Behavior<Knock> open(List<Object> log) {
        return Behavior.state(
                "open",
                knock -> {
                    log.add(knock.who());
                    knock.replyTo().tell("welcome " + knock.who());
                    return Behavior.same();
                });
    }

    private static Actor<Knock> door(List<Object> log) {
        return Actor.handler((ActorContext<Knock> self) -> shut(self, log));
    }

    private static MailboxOptions most(int postponed, Overflow rule) {
        return MailboxOptions.unbounded().withPostponed(postponed, rule);
    }

    private static CompletableFuture<String> knock(ActorRef<Knock> door, String who) {
        return door.<String>askLater(to -> new Knock(who, to), LONG).toCompletableFuture();
    }

    private static List<String> letters(World world) {
        return world.letters.stream()
                .map(each -> each.reason() + " " + ((Knock) each.message()).who())
                .toList();
    }

    /** Without an option: the actor lives on, and nothing of what it has postponed is lost. */
    @Test
    void A1_oneTooManyIsADeadLetterAndItsAskerHearsOfIt() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Knock> door = world.spin("door", door(log));
                    List<CompletableFuture<String>> asks = new ArrayList<>();
                    for (int i = 0; i < MailboxOptions.POSTPONED + 2; i++) {
                        asks.add(knock(door, "" + i));
                    }
                    world.settle();
                    assertEquals(List.of(), world.failures);
                    assertEquals(List.of("REFUSED 1000", "REFUSED 1001"), letters(world));
                    AskFailedException refused = (AskFailedException) asks.getLast().exceptionNow();
                    Errors.assertMentions(refused, "door", "postpones as many", "1000");
                    door.tell(OPEN);
                    world.settle();
                    assertEquals(1_000, log.getFirst());
                    assertEquals(1_001, log.size());
                    for (int i = 0; i < MailboxOptions.POSTPONED; i++) {
                        assertEquals("welcome " + i, asks.get(i).resultNow());
                    }
                });
    }

    @Test
    void A1_dropOldKeepsTheNewest() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Knock> door =
                            world.spin("door", door(log).mailbox(most(2, Overflow.DROP_OLD)));
                    CompletableFuture<String> a = knock(door, "a");
                    for (String each : List.of("b", "c", "d")) {
                        door.tell(new Knock(each, nobody()));
                    }
                    door.tell(OPEN);
                    world.until(() -> log.size() == 3);
                    assertEquals(List.of(2, "c", "d"), log);
                    assertEquals(List.of("DISPLACED a", "DISPLACED b"), letters(world));
                    Errors.assertMentions(a.exceptionNow(), "postpones as many");
                });
    }

    /** The failure takes what was postponed with it: the restart does not lead there again. */
    @Test
    void A1_aFailureGivesUpWhatWasPostponed() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Knock> door =
                            world.spin("door", door(log).mailbox(most(2, Overflow.FAIL)));
                    for (String each : List.of("a", "b", "c", "d")) {
                        door.tell(new Knock(each, nobody()));
                    }
                    door.tell(OPEN);
                    world.until(() -> log.size() == 2);
                    assertEquals(List.of(1, "d"), log);
                    assertEquals(1, world.failures.size());
                    assertTrue(
                            world.failures
                                    .getFirst()
                                    .contains("has postponed 2 messages in state shut"),
                            world.failures::toString);
                    assertEquals(List.of("FAILED a", "FAILED b", "FAILED c"), letters(world));
                });
    }

    /** It comes again at once, so that it needs no room. */
    @Test
    void A1_aMessageThatChangesTheStateNeedsNoRoom() {
        World.anywhere(
                world -> {
                    for (Overflow rule : List.of(Overflow.DROP_NEW, Overflow.FAIL)) {
                        List<Object> log = World.log();
                        Actor<Knock> actor =
                                Actor.handler(
                                        (ActorContext<Knock> self) ->
                                                Behavior.state(
                                                        "shut",
                                                        _ -> {
                                                            self.postpone();
                                                            return open(log);
                                                        }));
                        ActorRef<Knock> door = world.spin("door", actor.mailbox(most(0, rule)));
                        door.tell(new Knock("a", nobody()));
                        world.until(() -> log.size() == 1);
                        assertEquals(List.of(), world.failures);
                        assertEquals(List.of(), world.letters);
                    }
                });
    }

    /** A tick is no policy's to drop. */
    @Test
    void A3_whatNobodyToldIsPostponedAllTheSame() {
        World.local(
                world -> {
                    for (Overflow rule : List.of(Overflow.DROP_NEW, Overflow.DROP_OLD)) {
                        List<Object> log = World.log();
                        Actor<Knock> actor =
                                Actor.handler(
                                        (ActorContext<Knock> self) -> {
                                            self.timers().once(SECOND, new Knock("tick", nobody()));
                                            return shut(self, log);
                                        });
                        ActorRef<Knock> door = world.spin("door", actor.mailbox(most(1, rule)));
                        Fiber.sleep(SECOND.multipliedBy(2));
                        door.tell(new Knock("a", nobody()));
                        door.tell(OPEN);
                        world.settle();
                        assertEquals(List.of(1, "tick"), log);
                        assertEquals(List.of("REFUSED a"), letters(world));
                        world.letters.clear();
                    }
                });
    }

    @Test
    void A1_theCountIsOfNow() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "ref",
                                    Actor.handler(
                                            (ActorContext<Step> self) ->
                                                    Behavior.state("only", m -> m.run(self))));
                    Step counts =
                            Step.of(
                                    self -> {
                                        log.add(self.postponed());
                                        self.postpone();
                                        log.add(self.postponed());
                                    });
                    ref.tell(counts);
                    ref.tell(counts);
                    world.settle();
                    assertEquals(List.of(0, 0, 1, 1), log);
                });
    }

    @Test
    void misuse_options() {
        MailboxOptions options = MailboxOptions.bounded(3);
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> options.withPostponed(-1, Overflow.FAIL)),
                "most=-1 < 0");
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> options.withPostponed(1, Overflow.SUSPEND)),
                "DROP_NEW, DROP_OLD or FAIL");
        assertEquals("bounded(3, SUSPEND)", options.toString());
        assertEquals(
                "bounded(3, FAIL) postponed(1, DROP_OLD)",
                options.withPostponed(1, Overflow.DROP_OLD).withOverflow(Overflow.FAIL).toString());
    }

    /** The failed message was not there, as far as a kept state is concerned. */
    @Test
    void A5_anIdleTimeoutOutlivesAFailedMessage() {
        for (boolean isKept : List.of(true, false)) {
            for (FailedMessage rule : List.of(FailedMessage.drop(), FailedMessage.retry(2))) {
                World.local(
                        world -> {
                            List<String> log = World.log();
                            Actor<String> session =
                                    Actor.<String>handler(
                                                    (ActorContext<String> self) ->
                                                            message -> {
                                                                log.add(message);
                                                                if (message.equals("bad")) {
                                                                    throw new Crash("bad");
                                                                }
                                                                if (message.equals("idle")) {
                                                                    return Behavior.stopped();
                                                                }
                                                                self.idleTimeout(SECOND, "idle");
                                                                return Behavior.same();
                                                            })
                                            .onFailure(rule);
                            ActorRef<String> ref =
                                    world.spin("session", isKept ? session.keepState() : session);
                            ref.tell("good");
                            Fiber.sleep(SECOND.dividedBy(2));
                            ref.tell("bad");
                            Fiber.sleep(SECOND.dividedBy(2));
                            assertTrue(!log.contains("idle"), log::toString);
                            assertEquals(isKept, ref.awaitEnd(SECOND));
                        });
            }
        }
    }

    /** One that a message has put an end to stays ended, whatever fails later. */
    @Test
    void A5_aCompletedMessageEndsTheIdleTimeout() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "session",
                                    Actor.<String>handler(
                                                    (ActorContext<String> self) ->
                                                            message -> {
                                                                log.add(message);
                                                                if (message.equals("set")) {
                                                                    self.idleTimeout(
                                                                            SECOND, "idle");
                                                                }
                                                                return Behavior.same();
                                                            })
                                            .keepState());
                    ref.tell("set");
                    ref.tell("ends it");
                    world.settle();
                    ref.kill();
                    Fiber.sleep(SECOND.multipliedBy(3));
                    assertEquals(List.of("set", "ends it"), log);
                });
    }
}
