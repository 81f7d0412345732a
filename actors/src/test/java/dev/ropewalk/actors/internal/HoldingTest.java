package dev.ropewalk.actors.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.behavior.Committing;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.observe.ActorInspector;
import dev.ropewalk.actors.observe.ActorTrace;
import dev.ropewalk.actors.observe.TraceEvent;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Rule A1: an actor may hold what it tells until the message in hand has completed. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class HoldingTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofHours(1);

    /** A message that says itself what the behavior does. */
    @FunctionalInterface
    private interface Do {
        Behavior<Do> run(ActorContext<Do> self) throws Exception;
    }

    @FunctionalInterface
    private interface Code {
        void run(ActorContext<Do> self) throws Exception;
    }

    private static Do same(Code code) {
        return self -> {
            code.run(self);
            return Behavior.same();
        };
    }

    private record Question(Recipient<String> to) {}

    /** Otherwise each message of the process goes on to look for such an actor. */
    @AfterEach
    void nobodyHoldsAnything() {
        assertFalse(Taps.areAny());
    }

    /** Holds what its messages tell; then it writes, which takes a while. */
    private static ActorRef<Do> entity(World world, List<Object> log) {
        return world.spin("entity", Actor.handler(self -> what -> handled(self, what, log)));
    }

    private static Behavior<Do> handled(ActorContext<Do> self, Do what, List<Object> log)
            throws Exception {
        Behavior<Do> next = Committing.of(self).holding(() -> what.run(self));
        Fiber.sleep(MOMENT);
        log.add("written");
        return next;
    }

    private static ActorRef<Object> noting(World world, List<Object> log) {
        return world.spin("noting", noting(log));
    }

    private static Actor<Object> noting(List<Object> log) {
        return Actor.handler(() -> noted(log));
    }

    private static Behavior<Object> noted(List<Object> log) {
        return message -> {
            log.add(message);
            return Behavior.same();
        };
    }

    private static ActorRef<Object> ended(World world) {
        ActorRef<Object> ended = world.spin("ended", noting(World.log()));
        ended.stop();
        assertTrue(ended.awaitEnd(SECOND));
        return ended;
    }

    private static ActorRef<Question> answering(World world, ActorRef<Object> noting) {
        return world.spin(
                "answering",
                Actor.handler(
                        () ->
                                question -> {
                                    noting.tell("asked");
                                    question.to().tell("answer");
                                    return Behavior.same();
                                }));
    }

    private static void settle(World world) {
        Fiber.sleep(Duration.ofMillis(5));
        world.settle();
    }

    // ---------------------------------------------------------------- when they leave

    @Test
    void A1_allLeavesInItsOrderWhenTheMessageHasCompleted() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    List<Recipient<String>> adapters = World.log();
                    ActorRef<Object> noting =
                            world.spin(
                                    "noting",
                                    Actor.handler(
                                            self -> {
                                                adapters.add(self.adapt(text -> text));
                                                return noted(log);
                                            }));
                    ActorRef<Object> router =
                            Routing.<Object>roundRobin().over(List.of(noting, noting));
                    ActorRef<Object> all = Routing.<Object>broadcast().over(List.of(noting));
                    world.until(() -> !adapters.isEmpty());
                    ActorRef<Do> entity = entity(world, log);
                    entity.tell(
                            same(
                                    self -> {
                                        noting.tell(1);
                                        assertEquals(TellResult.ACCEPTED, noting.tryTell(2));
                                        router.tell(3);
                                        assertEquals(TellResult.ACCEPTED, router.tryTell(4));
                                        adapters.getFirst().tell("5");
                                        assertEquals(
                                                TellResult.ACCEPTED,
                                                adapters.getFirst().tryTell("6"));
                                        Committing.of(self).whenCommitted(() -> noting.tell(7));
                                        all.tell(8);
                                        Fiber.sleep(MOMENT);
                                        noting.tell(9);
                                    }));
                    world.until(() -> log.size() == 10);
                    assertEquals(List.of("written", 1, 2, 3, 4, "5", "6", 7, 8, 9), log);
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    @Test
    void A1_nothingLeavesOfAMessageThatFails() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<Object> ended = ended(world);
                    Group<Object> nobody = world.system.group("nobody", Object.class);
                    ActorRef<Object> router = Routing.roundRobin().over(nobody);
                    ActorRef<Do> entity = entity(world, log);
                    Do crash =
                            same(
                                    self -> {
                                        noting.tell(1);
                                        ended.tell(2);
                                        assertEquals(TellResult.ACCEPTED, ended.tryTell(3));
                                        router.tell(4);
                                        noting.fail(new Crash("5"));
                                        self.adapt(_ -> same(_ -> log.add(6))).tell("6");
                                        throw new Crash("crash");
                                    });
                    entity.tell(crash);
                    entity.tell(same(_ -> noting.tell("next")));
                    world.until(() -> log.size() == 2);
                    assertEquals(List.of("written", "next"), log);
                    assertEquals(List.of("entity FAILED " + crash), world.deadLetters());
                    assertEquals(List.of("entity: crash"), world.failures);
                });
    }

    @Test
    void A1_aReplyIsHeldAndTheAskOfAFailedMessageFails() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Do> entity = entity(world, log);
                    String reply =
                            entity.ask(
                                    to ->
                                            same(
                                                    _ -> {
                                                        to.tell("reply");
                                                        Fiber.sleep(MOMENT);
                                                        assertEquals(
                                                                TellResult.ACCEPTED,
                                                                to.tryTell("second"));
                                                    }),
                                    SECOND);
                    assertEquals("reply", reply);
                    assertEquals(List.of("written"), log);
                    settle(world);
                    assertEquals(1, world.letters.size(), () -> "" + world.deadLetters());
                    assertTrue(world.deadLetters().getFirst().endsWith("LATE_REPLY second"));
                    AskFailedException failed =
                            assertThrows(
                                    AskFailedException.class,
                                    () -> entity.<String>ask(HoldingTest::crashing, SECOND));
                    assertEquals("crash", cause(failed));
                    AskFailedException refused =
                            assertThrows(
                                    AskFailedException.class,
                                    () ->
                                            entity.<String>ask(
                                                    to -> same(_ -> to.fail(new Crash("no"))),
                                                    SECOND));
                    assertEquals("no", cause(refused));
                    assertEquals(List.of("written", "written"), log);
                });
    }

    private static @Nullable String cause(AskFailedException failed) {
        return Objects.requireNonNull(failed.getCause()).getMessage();
    }

    private static Do crashing(Recipient<String> to) {
        return same(
                _ -> {
                    to.tell("never");
                    to.fail(new IllegalStateException("never"));
                    throw new Crash("crash");
                });
    }

    @Test
    void A1_allHasLeftBeforeAnEndIsTold() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Do> entity = entity(world, log);
                    ActorRef<Object> noting =
                            world.spin(
                                    "noting",
                                    Actor.handler(
                                            self -> {
                                                self.monitor(entity, _ -> "down");
                                                return noted(log);
                                            }));
                    world.settle();
                    entity.tell(
                            _ -> {
                                noting.tell("told");
                                return Behavior.stopped();
                            });
                    settle(world);
                    assertEquals(List.of("written", "told", "down"), log);
                });
    }

    private record Get(Recipient<String> replyTo) implements Request<String> {}

    /** Of a server the reply comes behind what its function has told. */
    @Test
    void A2_aReplyOfAServerKeepsItsPlace() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    Recipient<String> replies = replies(noting);
                    Server<Get, Integer> server =
                            Server.<Get, Integer>of(0)
                                    .call(
                                            Get.class,
                                            (n, _) -> {
                                                noting.tell("told " + n);
                                                return Reply.of("reply " + n, n + 1);
                                            });
                    ActorRef<Get> ref =
                            world.spin(
                                    "server",
                                    Actor.handler(
                                            (ActorContext<Get> self) -> {
                                                Behavior<Get> serving = server.behavior(self);
                                                return get ->
                                                        Committing.of(self)
                                                                .holding(
                                                                        () ->
                                                                                serving.onMessage(
                                                                                        get));
                                            }));
                    ref.tell(new Get(replies));
                    world.until(() -> log.size() == 2);
                    assertEquals(List.of("told 0", "reply 0"), log);
                });
    }

    private static Recipient<String> replies(ActorRef<Object> to) {
        return new Recipient<>() {
            @Override
            public void tell(String message) {
                to.tell(message);
            }

            @Override
            public void fail(Throwable failure) {
                to.fail(failure);
            }
        };
    }

    @Test
    void A1_aTellToItselfComesBehindWhatCameMeanwhile() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Do> entity = entity(world, log);
                    entity.tell(
                            same(
                                    self -> {
                                        self.self().tell(same(_ -> log.add("own")));
                                        self.insert(same(_ -> log.add("inserted")));
                                        Fiber.sleep(MOMENT);
                                        log.add("first");
                                    }));
                    entity.tell(same(_ -> log.add("second")));
                    settle(world);
                    assertEquals(
                            List.of(
                                    "first",
                                    "written",
                                    "inserted",
                                    "written",
                                    "second",
                                    "written",
                                    "own",
                                    "written"),
                            log);
                });
    }

    /** It has completed for that, as often as it was handled. */
    @Test
    void A1_aPostponedMessageTellsEachTime() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<String> entity =
                            world.spin(
                                    "entity",
                                    Actor.handler(
                                            (ActorContext<String> self) -> closed(self, noting)));
                    entity.tell("a");
                    world.settle();
                    assertEquals(List.of("postponed a"), log);
                    entity.tell("open");
                    world.settle();
                    assertEquals(List.of("postponed a", "opened", "taken a"), log);
                });
    }

    private static Behavior<String> closed(ActorContext<String> self, ActorRef<Object> noting) {
        return Behavior.state(
                "closed",
                message ->
                        Committing.of(self)
                                .holding(
                                        () -> {
                                            if (message.equals("open")) {
                                                noting.tell("opened");
                                                return open(self, noting);
                                            }
                                            noting.tell("postponed " + message);
                                            self.postpone();
                                            return Behavior.same();
                                        }));
    }

    private static Behavior<String> open(ActorContext<String> self, ActorRef<Object> noting) {
        return Behavior.state(
                "open",
                message ->
                        Committing.of(self)
                                .holding(
                                        () -> {
                                            noting.tell("taken " + message);
                                            return Behavior.same();
                                        }));
    }

    @Test
    void A1_nestedCodeHoldsUntilTheLastIsOver() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<Do> entity = entity(world, log);
                    entity.tell(
                            same(
                                    self -> {
                                        noting.tell(1);
                                        assertThrows(
                                                Crash.class,
                                                () ->
                                                        Committing.of(self)
                                                                .holding(
                                                                        () -> {
                                                                            noting.tell(2);
                                                                            throw new Crash("");
                                                                        }));
                                        noting.tell(3);
                                        Fiber.sleep(MOMENT);
                                    }));
                    settle(world);
                    assertEquals(List.of("written", 1, 2, 3), log);
                });
    }

    // ---------------------------------------------------------------- others meanwhile

    @Test
    void A2_anAskLeavesAtOnceAndTheAskedOneTellsAtOnce() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<Question> answering = answering(world, noting);
                    ActorRef<Do> entity = entity(world, log);
                    entity.tell(
                            same(
                                    _ -> {
                                        noting.tell("told");
                                        log.add(answering.ask(Question::new, SECOND));
                                        assertTrue(Taps.areAny());
                                        log.add(
                                                answering
                                                        .askLater(Question::new, SECOND)
                                                        .toCompletableFuture()
                                                        .isDone());
                                        Fiber.sleep(MOMENT);
                                    }));
                    world.until(() -> log.size() == 6);
                    assertEquals(2, log.stream().filter("asked"::equals).count());
                    assertTrue(log.lastIndexOf("asked") < log.indexOf("written"), log::toString);
                    assertEquals(List.of("written", "told"), log.subList(4, 6));
                });
    }

    @Test
    void A1_aFiberBelowAndAnotherActorTellAtOnce() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<Do> other =
                            world.spin("other", Actor.handler(self -> what -> what.run(self)));
                    ActorRef<Question> silent =
                            world.spin("silent", Actor.handler(() -> _ -> Behavior.same()));
                    ActorRef<Do> entity = entity(world, log);
                    entity.tell(
                            same(
                                    _ -> {
                                        noting.tell("told");
                                        Fiber.spin("below", () -> noting.tell("below")).await();
                                        assertThrows(
                                                AskTimeoutException.class,
                                                () -> silent.ask(Question::new, MOMENT));
                                        log.add("asked in vain");
                                    }));
                    world.settle();
                    other.tell(same(_ -> noting.tell("other")));
                    noting.tell("test");
                    world.settle();
                    assertTrue(Taps.areAny());
                    assertEquals(3, log.size(), log::toString);
                    settle(world);
                    assertEquals(
                            List.of("below", "test", "other", "asked in vain", "written", "told"),
                            log);
                });
    }

    @Test
    void A3_aTakerOfDeadLettersTellsAtOnce() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<Object> ended = ended(world);
                    ActorRef<Do> entity = entity(world, log);
                    try (var _ = world.system.onDeadLetter(_ -> noting.tell("letter"))) {
                        entity.tell(
                                same(
                                        _ -> {
                                            noting.tell("told");
                                            assertThrows(
                                                    AskFailedException.class,
                                                    () -> ended.ask(Question::new, SECOND));
                                            Fiber.sleep(MOMENT);
                                        }));
                        settle(world);
                    }
                    assertEquals(List.of("letter", "written", "told"), log);
                });
    }

    @Test
    void A6_aTapHearsOfEachWhenItLeaves() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<Do> entity = entity(world, log);
                    world.settle();
                    try (ActorTrace trace = ActorInspector.of(entity).trace(10)) {
                        String reply =
                                entity.ask(
                                        to ->
                                                same(
                                                        _ -> {
                                                            noting.tell("a");
                                                            noting.tryTell("b");
                                                            to.tell("reply");
                                                            log.addAll(sent(trace));
                                                        }),
                                        SECOND);
                        assertEquals("reply", reply);
                        settle(world);
                        assertEquals(List.of("a", "b", "reply"), sent(trace));
                        assertEquals(List.of("written", "a", "b"), log);
                        entity.tell(
                                same(
                                        _ -> {
                                            noting.tell("never");
                                            throw new Crash("crash");
                                        }));
                        settle(world);
                        assertEquals(List.of("a", "b", "reply"), sent(trace));
                    }
                });
    }

    private static List<Object> sent(ActorTrace trace) {
        return trace.events().stream()
                .filter(each -> each.kind() == TraceEvent.Kind.OUT)
                .map(TraceEvent::message)
                .toList();
    }

    // ---------------------------------------------------------------- rooms

    private static ActorRef<Object> bounded(
            World world, String name, Overflow overflow, List<Object> log) {
        ActorRef<Object> full =
                world.spin(
                        name,
                        noting(log).mailbox(MailboxOptions.bounded(1).withOverflow(overflow)));
        world.settle();
        ActorInspector.of(full).suspend();
        return full;
    }

    @Test
    void A8_withoutRoomItIsADeadLetterAndTheOthersLeave() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<Object> full = bounded(world, "full", Overflow.FAIL, log);
                    ActorRef<Do> entity = entity(world, log);
                    entity.tell(
                            same(
                                    _ -> {
                                        full.tell(1);
                                        full.tell(2);
                                        assertEquals(TellResult.ACCEPTED, full.tryTell(3));
                                        noting.tell(4);
                                    }));
                    settle(world);
                    assertEquals(List.of("written", 4), log);
                    assertEquals(List.of("full REFUSED 2", "full REFUSED 3"), world.deadLetters());
                    ActorInspector.of(full).resume();
                    settle(world);
                    assertEquals(List.of("written", 4, 1), log);
                    assertEquals(List.of(), world.failures);
                });
    }

    @Test
    void A8_itWaitsForRoomWhereTheMailboxSaysSo() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<Object> full = bounded(world, "full", Overflow.SUSPEND, log);
                    ActorRef<Do> entity = entity(world, log);
                    entity.tell(
                            same(
                                    _ -> {
                                        full.tell(1);
                                        full.tell(2);
                                        noting.tell(3);
                                    }));
                    settle(world);
                    assertEquals(List.of("written"), log);
                    assertFalse(Taps.areAny());
                    ActorInspector.of(full).resume();
                    settle(world);
                    assertEquals(4, log.size(), log::toString);
                    assertTrue(log.indexOf(1) < log.indexOf(2) && log.contains(3));
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    /** It would wait for itself: the message has completed, so it does not fail for that. */
    @Test
    void A8_withoutRoomInItsOwnMailboxItIsADeadLetter() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<Do> entity =
                            world.spin(
                                    "entity",
                                    Actor.<Do>handler(self -> what -> handled(self, what, log))
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(Overflow.SUSPEND)));
                    Do own = same(_ -> log.add("own"));
                    Do lost = same(_ -> log.add("lost"));
                    entity.tell(
                            same(
                                    self -> {
                                        self.self().tell(own);
                                        self.self().tell(lost);
                                        noting.tell(1);
                                    }));
                    settle(world);
                    assertEquals(4, log.size(), log::toString);
                    assertTrue(log.containsAll(List.of("own", 1)), log::toString);
                    assertEquals(List.of("entity FAILED " + lost), world.deadLetters());
                    assertEquals(List.of(), world.failures);
                });
    }

    // ---------------------------------------------------------------- ends

    /** The message has completed, so what it told leaves, but waits for nothing. */
    @Test
    void A5_whatAnEndedActorHasToldLeavesWithoutWaiting() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<Object> full = bounded(world, "full", Overflow.SUSPEND, log);
                    ActorRef<Do> entity =
                            world.spin(
                                    "entity",
                                    Actor.handler(
                                            (ActorContext<Do> self) ->
                                                    what ->
                                                            Committing.of(self)
                                                                    .holding(
                                                                            () -> what.run(self))));
                    entity.tell(
                            same(
                                    self -> {
                                        full.tell(1);
                                        full.tell(2);
                                        noting.tell(3);
                                        Committing.of(self).whenCommitted(() -> noting.tell(4));
                                        self.self().terminate();
                                    }));
                    assertTrue(entity.awaitEnd(SECOND));
                    ActorInspector.of(full).resume();
                    world.settle();
                    assertEquals(List.of("full REFUSED 2"), world.deadLetters());
                    assertEquals(3, log.size(), log::toString);
                    assertTrue(log.containsAll(List.of(1, 3, 4)), log::toString);
                });
    }

    @Test
    void A5_nothingLeavesAndNothingIsLeftOfOneThatIsEndedWhileItWaits() {
        for (boolean isKilled : new boolean[] {false, true}) {
            World.anywhere(
                    world -> {
                        List<Object> log = World.log();
                        ActorRef<Object> noting = noting(world, log);
                        ActorRef<Question> silent =
                                world.spin("silent", Actor.handler(() -> _ -> Behavior.same()));
                        ActorRef<Do> entity = entity(world, log);
                        entity.tell(
                                same(
                                        _ -> {
                                            noting.tell("never");
                                            log.add("asks");
                                            silent.ask(Question::new, LONG);
                                        }));
                        world.until(() -> !log.isEmpty());
                        world.settle();
                        if (isKilled) {
                            entity.kill();
                            entity.tell(same(_ -> noting.tell("next")));
                            world.until(() -> log.size() == 3);
                            assertEquals(List.of("asks", "written", "next"), log);
                        } else {
                            entity.terminate();
                            assertTrue(entity.awaitEnd(SECOND));
                            world.settle();
                            assertEquals(List.of("asks"), log);
                        }
                        assertEquals(1, world.letters.size(), () -> "" + world.deadLetters());
                        assertFalse(Taps.areAny());
                    });
        }
    }

    /** Its fiber never leaves the code. */
    @Test
    void A5_nothingIsLeftOfOneThatIsAbandoned() {
        World.local(
                Supervision.oneForOne().stopLimit(Duration.ofSeconds(2)),
                world -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    List<Object> log = World.log();
                    ActorRef<Object> noting = noting(world, log);
                    ActorRef<Do> entity = entity(world, log);
                    entity.tell(
                            same(
                                    _ -> {
                                        noting.tell("never");
                                        CancelScope.shielded(LONG, () -> Fiber.sleep(LONG));
                                    }));
                    world.settle();
                    entity.kill();
                    Fiber.sleep(SECOND);
                    assertTrue(Taps.areAny());
                    Fiber.sleep(Duration.ofSeconds(2));
                    assertFalse(Taps.areAny());
                    entity.tell(same(_ -> noting.tell("next")));
                    settle(world);
                    assertEquals(List.of("written", "next"), log);
                });
    }

    // ---------------------------------------------------------------- misuse

    @Test
    void misuse_onlyTheFiberOfAnActorInItsMessage() {
        World.local(
                world -> {
                    List<Object> log = World.log();
                    List<ActorContext<Do>> contexts = World.log();
                    ActorRef<Do> entity =
                            world.spin(
                                    "entity",
                                    Actor.handler(
                                            (ActorContext<Do> self) -> {
                                                contexts.add(self);
                                                return what -> handled(self, what, log);
                                            }));
                    world.settle();
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalStateException.class,
                                    () -> Committing.of(contexts.getFirst()).holding(() -> 1)),
                            "holding of system/entity");
                    ActorRef<Object> loop =
                            world.spin(
                                    "loop",
                                    Actor.loop(
                                            self ->
                                                    assertThrows(
                                                            IllegalStateException.class,
                                                            () ->
                                                                    Committing.of(self)
                                                                            .holding(() -> 1))));
                    assertTrue(loop.awaitEnd(SECOND));
                    assertEquals(List.of(), world.failures);
                    entity.stop();
                });
    }
}
