package dev.ropewalk.actors;

import static dev.ropewalk.actors.supervision.Tree.child;
import static dev.ropewalk.actors.supervision.Tree.oneForOne;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.supervision.ActorSpec;
import dev.ropewalk.actors.supervision.AutoShutdown;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rule A6: how a system is started, and what it tells. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SystemTest {
    private static final Duration LONG = Duration.ofHours(1);

    private record WhichCord(Recipient<Cord> to) {}

    private static Actor<WhichCord> tellingItsCord() {
        return Actor.handler(
                () ->
                        question -> {
                            question.to().tell(Cord.current());
                            return Behavior.same();
                        });
    }

    @Test
    void A6_fromAPlainThreadItHasCordsOfItsOwn() {
        List<Cord> cords;
        ActorSpec<WhichCord> actor = child("actor", tellingItsCord());
        try (ActorSystem system =
                ActorSystem.start(
                        oneForOne("main", actor), ActorSystemOptions.defaults().withCords(2))) {
            cords = system.cords();
            assertEquals(2, cords.size());
            Cord where = system.root().actor(actor).ask(WhichCord::new);
            assertSame(cords.getFirst(), where);
            assertEquals("main-0", where.name());
            assertFalse(system.awaitEnd(Duration.ZERO));
        }
        cords.forEach(cord -> assertFalse(cord.isAlive(), cord::toString));
    }

    @Test
    void A6_inAFiberItIsOnItsCord() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("here")) {
                        assertEquals(List.of(Cord.current()), system.cords());
                    }
                });
    }

    /** Its cords would not be started, and nobody would be told. */
    @Test
    void A6_inAFiberANumberOfCordsIsRefused() {
        World.local(
                world -> {
                    ActorSystemOptions two = ActorSystemOptions.defaults().withCords(2);
                    IllegalArgumentException refused =
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> ActorSystem.start(Tree.oneForOne("wide"), two));
                    String text = String.valueOf(refused.getMessage());
                    assertTrue(text.startsWith("cords=2 for the system wide, which a fiber"), text);
                    assertTrue(text.endsWith("ActorSystemOptions.over(cords)"), text);
                    ActorSystemOptions one = ActorSystemOptions.defaults().withCords(1);
                    ActorSystem.start(Tree.oneForOne("narrow"), one).close();
                    List<Cord> here = List.of(Cord.current());
                    ActorSystem.start(Tree.oneForOne("there"), two.over(here)).close();
                });
    }

    @Test
    void A6_aFailedStartLeavesNoCordBehind() {
        Tree broken =
                oneForOne(
                        "main",
                        child(
                                "broken",
                                Step.actor(
                                        _ -> {
                                            throw new Crash("no");
                                        })));
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        Errors.assertMentions(
                assertThrows(StartFailedException.class, () -> ActorSystem.start(broken)),
                "main",
                "broken");
        await().until(
                        () -> {
                            Set<Thread> left = new HashSet<>(Thread.getAllStackTraces().keySet());
                            left.removeAll(before);
                            return left.stream().noneMatch(t -> t.getName().startsWith("main-"));
                        });
    }

    @Test
    void A6_actorsAreSpreadOverItsCords() {
        try (ActorSystem system =
                ActorSystem.start(
                        Tree.of("main", Supervision.oneForOne().spread()),
                        ActorSystemOptions.defaults().withCords(2))) {
            Cord one = system.spin(tellingItsCord()).ask(WhichCord::new);
            Cord two = system.spin("named", tellingItsCord()).ask(WhichCord::new);
            Cord three = system.start("started", tellingItsCord()).ask(WhichCord::new);
            assertNotSame(one, two);
            assertSame(one, three);
        }
    }

    /** The root ends with its significant child, and main goes on. */
    @Test
    void A6_awaitEnd() {
        ActorSpec<Step> work = child("work", Step.actor()).significant();
        try (ActorSystem system =
                ActorSystem.start(oneForOne("main", work).autoShutdown(AutoShutdown.ANY))) {
            system.root().actor(work).tell(Step.stop());
            assertTrue(system.awaitEnd(LONG));
        }
    }

    @Test
    void A6_stopOnTermIsAskedForOnce() {
        try (ActorSystem system = ActorSystem.start("main").stopOnTerm(LONG)) {
            assertThrows(IllegalStateException.class, () -> system.stopOnTerm(LONG));
        }
    }

    /** A system from main goes on after its root gave up, and says what it cannot do any more. */
    @Test
    void A6_nothingIsStartedAfterTheRootHasEnded() {
        ActorSpec<Step> work = child("work", Step.actor()).significant();
        try (ActorSystem system =
                ActorSystem.start(oneForOne("main", work).autoShutdown(AutoShutdown.ANY))) {
            system.root().actor(work).tell(Step.stop());
            assertTrue(system.awaitEnd(LONG));
            Errors.assertMentions(
                    assertThrows(
                            IllegalStateException.class, () -> system.spin("late", Step.actor())),
                    "actor late",
                    "the root supervisor has ended",
                    "start a new system");
            assertThrows(IllegalStateException.class, () -> system.spin(Step.actor()));
            assertThrows(
                    IllegalStateException.class,
                    () -> system.supervise("late", Supervision.oneForOne()));
        }
    }

    @Test
    void A6_nothingIsStartedInAClosedSystem() {
        TestCord.run(
                () -> {
                    ActorSystem system = ActorSystem.start("top");
                    system.close();
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalStateException.class,
                                    () -> system.spin("late", Step.actor())),
                            "actor late",
                            "its system has been closed");
                    assertThrows(IllegalStateException.class, () -> system.spin(Step.actor()));
                    assertThrows(
                            IllegalStateException.class, () -> system.start("late", Step.actor()));
                    assertThrows(
                            IllegalStateException.class,
                            () -> system.supervise("late", Supervision.oneForOne()));
                    assertThrows(
                            IllegalStateException.class,
                            () -> system.root().add(child("late", Step.actor())));
                });
    }

    // ---------------------------------------------------------------- dead letters

    @Test
    void A6_deadLettersAreToldToThoseThatTakeThem() {
        TestCord.run(
                () -> {
                    List<String> one = new ArrayList<>();
                    List<String> two = new ArrayList<>();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "top", Supervision.oneForOne(), l -> one.add(l.recipient()))) {
                        ActorRef<Step> ref = system.spin("ended", Step.actor());
                        ref.stop();
                        ref.awaitEnd(LONG);
                        DeadLetterSubscription subscription =
                                system.onDeadLetter(l -> two.add(l.recipient()));
                        ref.tell(Step.stop());
                        subscription.close();
                        subscription.close();
                        ref.tell(Step.stop());
                        assertEquals(List.of("top/ended#1", "top/ended#1"), one);
                        assertEquals(List.of("top/ended#1"), two);
                        assertEquals(2, system.deadLetterCount());
                    }
                });
    }

    /** Ten lines in ten seconds, and then how many more there were. */
    @Test
    void A6_deadLettersAreLoggedAtALimitedRate() {
        TestCord.run(
                () -> {
                    for (int line = 0; line < 21; line++) {
                        TestCord.expectLog("dead letter");
                    }
                    TestCord.expectLog("15 more dead letters");
                    TestCord.expectLog("4 more dead letters");
                    try (ActorSystem system = ActorSystem.start("top")) {
                        ActorRef<Step> ref = system.spin("ended", Step.actor());
                        ref.stop();
                        ref.awaitEnd(LONG);
                        for (int i = 0; i < 25; i++) {
                            ref.tell(Step.stop());
                        }
                        Fiber.sleep(Duration.ofSeconds(11));
                        for (int i = 0; i < 14; i++) {
                            ref.tell(Step.stop());
                        }
                        assertEquals(39, system.deadLetterCount());
                    }
                });
    }

    /** By a stop and by a close, in their order, each once, and whatever one of them throws. */
    @Test
    void A6_tasksBeforeTheStopRunWhileTheActorsAreUp() {
        TestCord.run(
                () -> {
                    for (boolean isStop : new boolean[] {true, false}) {
                        TestCord.expectLog("a task before the stop");
                        List<String> log = new ArrayList<>();
                        ActorSystem system = ActorSystem.start("top");
                        ActorRef<Step> ref = system.spin("actor", Step.actor());
                        Fiber.snooze();
                        system.beforeStop(
                                limit -> log.add("first " + ref.tryTell(Step.of(_ -> {}))));
                        system.beforeStop(
                                _ -> {
                                    throw new IllegalStateException("broken");
                                });
                        system.beforeStop(limit -> log.add("last " + limit));
                        if (isStop) {
                            system.stop(Duration.ofSeconds(3));
                        }
                        system.close();
                        system.close();
                        String limit = isStop ? "PT3S" : "PT5S";
                        assertEquals(List.of("first ACCEPTED", "last " + limit), log);
                        assertTrue(ref.awaitEnd(Duration.ZERO));
                    }
                });
    }

    /** A target of another library has no system of its own. */
    @Test
    void A6_letterOfATargetIsCountedAndTold() {
        TestCord.run(
                () -> {
                    List<DeadLetter> letters = new ArrayList<>();
                    DeadLetter letter =
                            new DeadLetter("x", "far", DeadLetter.Reason.UNREACHABLE, null);
                    try (ActorSystem system =
                            ActorSystem.start("top", Supervision.oneForOne(), letters::add)) {
                        system.report(letter);
                        assertEquals(1, system.deadLetterCount());
                    }
                    assertEquals(List.of(letter), letters);
                });
    }
}
