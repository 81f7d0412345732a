package dev.ropewalk.actors.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.observe.ActorInspector;
import dev.ropewalk.actors.observe.ActorTrace;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a probe expects, on virtual time (rule F14). */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ProbeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Duration since(long beganNs) {
        return Duration.ofNanos(Cord.current().nanoTime() - beganNs);
    }

    private static void later(Duration delay, Action code) {
        Fiber.spin(
                "later",
                () -> {
                    Fiber.sleep(delay);
                    code.run();
                });
    }

    private record Get(Recipient<String> replyTo) {}

    // ---------------------------------------------------------------- messages

    @Test
    void F14_expectWaitsForWhatComesWithinTheLimit() {
        TestCord.run(
                () -> {
                    Probe<String> probe = Probe.named("probe");
                    long beganNs = Cord.current().nanoTime();
                    later(Duration.ofMillis(2_999), () -> probe.ref().tell("late"));
                    assertEquals("late", probe.expect("late"));
                    assertEquals(Duration.ofMillis(2_999), since(beganNs));
                });
    }

    @Test
    void F14_expectGivesUpAtTheLimit() {
        TestCord.run(
                () -> {
                    Probe<String> probe = Probe.<String>named("probe").withLimit(SECOND);
                    long beganNs = Cord.current().nanoTime();
                    AssertionError error =
                            assertThrows(AssertionError.class, () -> probe.expect("never"));
                    Errors.assertMentions(error, "probe probe", "expected never", "no message");
                    assertEquals(SECOND, since(beganNs));
                });
    }

    @Test
    void F14_anErrorNamesWhatWasExpectedWhatCameAndWhatIsQueued() {
        TestCord.run(
                () -> {
                    Probe<String> probe = Probe.named("replies");
                    List.of("a", "b", "c").forEach(probe::tell);
                    AssertionError error =
                            assertThrows(AssertionError.class, () -> probe.expect("x"));
                    Errors.assertMentions(
                            error, "probe replies", "expected x", "came a", "queued: [b, c]");
                    error = assertThrows(AssertionError.class, () -> probe.expectNone(SECOND));
                    Errors.assertMentions(error, "no message for PT1S", "came b", "queued: [c]");
                    assertEquals(List.of("c"), probe.queued());
                });
    }

    @Test
    void F14_expectByTypeAndByTest() {
        TestCord.run(
                () -> {
                    Probe<Object> probe = Probe.named("probe");
                    probe.tell("text");
                    probe.tell(7);
                    probe.tell(8);
                    probe.tell(9);
                    assertEquals("text", probe.expect(String.class));
                    assertEquals(7, probe.expect("an odd number", n -> (Integer) n % 2 == 1));
                    AssertionError error =
                            assertThrows(AssertionError.class, () -> probe.expect(String.class));
                    Errors.assertMentions(error, "a message of java.lang.String", "came 8");
                    error =
                            assertThrows(
                                    AssertionError.class,
                                    () -> probe.expect((Object n) -> n.equals(8)));
                    Errors.assertMentions(error, "passes the test", "came 9", "nothing is queued");
                });
    }

    @Test
    void F14_expectNoneWaitsTheWholeTimeAndFailsWhenSomethingComes() {
        TestCord.run(
                () -> {
                    Probe<String> probe = Probe.named("probe");
                    long beganNs = Cord.current().nanoTime();
                    probe.expectNone(Duration.ofDays(1));
                    assertEquals(Duration.ofDays(1), since(beganNs));
                    later(Duration.ofMillis(500), () -> probe.tell("a"));
                    assertThrows(AssertionError.class, () -> probe.expectNone(SECOND));
                    assertEquals(Duration.ofDays(1).plusMillis(500), since(beganNs));
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> probe.expectNone(Duration.ofNanos(-1)));
                });
    }

    @Test
    void F14_fishLeavesOthersOutWithinOneLimit() {
        TestCord.run(
                () -> {
                    Probe<Object> probe = Probe.named("probe");
                    for (int i = 1; i <= 4; i++) {
                        Object message = i == 3 ? "fish" : i;
                        later(SECOND.multipliedBy(i), () -> probe.tell(message));
                    }
                    assertEquals("fish", probe.fish(Duration.ofSeconds(5), String.class));
                    long beganNs = Cord.current().nanoTime();
                    AssertionError error =
                            assertThrows(
                                    AssertionError.class,
                                    () -> probe.fish(Duration.ofSeconds(5), "fish"::equals));
                    Errors.assertMentions(error, "no message came in time", "left out: [4]");
                    assertEquals(Duration.ofSeconds(5), since(beganNs));
                });
    }

    @Test
    void F14_withinIsOneLimitForAllOfTheBody() {
        TestCord.run(
                () -> {
                    Probe<Integer> probe = Probe.named("probe");
                    later(SECOND, () -> probe.tell(1));
                    later(Duration.ofSeconds(4), () -> probe.tell(2));
                    long beganNs = Cord.current().nanoTime();
                    probe.within(
                            Duration.ofSeconds(3),
                            () -> {
                                probe.expect(1);
                                assertThrows(AssertionError.class, () -> probe.expect(2));
                                assertEquals(Duration.ofSeconds(3), since(beganNs));
                            });
                    probe.expect(2); // the limit of its own again
                });
    }

    @Test
    void F14_anInnerWithinIsNoLongerThanTheOuterOne() {
        TestCord.run(
                () -> {
                    Probe<Integer> probe = Probe.named("probe");
                    long beganNs = Cord.current().nanoTime();
                    probe.within(
                            SECOND,
                            () ->
                                    probe.within(
                                            Duration.ofDays(1),
                                            () ->
                                                    assertThrows(
                                                            AssertionError.class,
                                                            () -> probe.next())));
                    assertEquals(SECOND, since(beganNs));
                });
    }

    @Test
    void F14_withinFailsWhenTheBodyTakesLonger() {
        TestCord.run(
                () -> {
                    Probe<Integer> probe = Probe.named("probe");
                    AssertionError error =
                            assertThrows(
                                    AssertionError.class,
                                    () ->
                                            probe.within(
                                                    SECOND,
                                                    () -> Fiber.sleep(SECOND.plusNanos(1))));
                    Errors.assertMentions(error, "probe probe", "PT1.000000001S", "within PT1S");
                });
    }

    @Test
    void F14_aFailureIsExpectedAsOne() {
        TestCord.run(
                () -> {
                    Probe<String> probe = Probe.named("probe");
                    IllegalStateException told = new IllegalStateException("no stock");
                    probe.fail(told);
                    assertSame(told, probe.expectFailure(RuntimeException.class));
                    probe.fail(told);
                    AssertionError error =
                            assertThrows(AssertionError.class, () -> probe.expect("x"));
                    Errors.assertMentions(
                            error, "failure java.lang.IllegalStateException: no stock");
                    assertSame(told, error.getCause());
                    probe.tell("y");
                    error =
                            assertThrows(
                                    AssertionError.class,
                                    () -> probe.expectFailure(RuntimeException.class));
                    Errors.assertMentions(error, "failure of java.lang.RuntimeException", "came y");
                });
    }

    // ---------------------------------------------------------------- with actors

    @Test
    void A2_aProbeIsWhereRepliesGoAndWhomActorsAsk() {
        TestCord.run(
                () -> {
                    Probe<Get> store = Probe.named("store");
                    Probe<String> replies = Probe.named("replies");
                    try (ActorSystem system = ActorSystem.start("system")) {
                        ActorRef<Get> relay =
                                system.spin(
                                        "relay",
                                        Actor.handler(
                                                () ->
                                                        get -> {
                                                            String got =
                                                                    store.ref()
                                                                            .<String>ask(Get::new);
                                                            get.replyTo().tell("got " + got);
                                                            return Behavior.same();
                                                        }));
                        relay.tell(new Get(replies));
                        store.expect(Get.class).replyTo().tell("it");
                        replies.expect("got it");
                        store.answer(get -> get.replyTo().fail(new IllegalStateException("empty")));
                        AskFailedException failed =
                                assertThrows(
                                        AskFailedException.class, () -> store.ref().ask(Get::new));
                        Errors.assertMentions(failed, "store", "empty");
                        store.answer(_ -> {});
                        AskTimeoutException late =
                                assertThrows(
                                        AskTimeoutException.class,
                                        () -> store.ref().ask(Get::new, SECOND));
                        Errors.assertMentions(late, "store", "PT1S", "Probe.answer");
                    }
                });
    }

    @Test
    void A4_expectDownGetsTheReason() {
        TestCord.run(
                () -> {
                    Probe<String> probe = Probe.named("probe");
                    try (ActorSystem system = ActorSystem.start("system")) {
                        ActorRef<String> actor =
                                system.spin("actor", Actor.handler(() -> _ -> Behavior.stopped()));
                        AssertionError error =
                                assertThrows(AssertionError.class, () -> probe.expectDown(actor));
                        Errors.assertMentions(error, "expected the end of system/actor");
                        probe.tell("before");
                        later(SECOND, () -> actor.tell("stop"));
                        assertEquals(
                                new Down(actor, new ExitReason.Normal()), probe.expectDown(actor));
                        assertInstanceOf(
                                ExitReason.NoActor.class, probe.expectDown(actor).reason());
                        probe.expect("before");
                    }
                });
    }

    @Test
    void A4_aWatchFromBeforeKeepsTheReason() {
        TestCord.run(
                () -> {
                    Probe<String> probe = Probe.named("probe");
                    try (ActorSystem system = ActorSystem.start("system")) {
                        ActorRef<String> actor =
                                system.spin("actor", Actor.handler(() -> _ -> Behavior.same()));
                        probe.watch(actor);
                        actor.terminate();
                        Fiber.sleep(SECOND);
                        assertInstanceOf(
                                ExitReason.Shutdown.class, probe.expectDown(actor).reason());
                    }
                });
    }

    @Test
    void A4_aProbeCanBeMonitoredAndEnded() {
        TestCord.run(
                () -> {
                    Probe<String> service = Probe.named("service");
                    Probe<Object> reports = Probe.named("reports");
                    try (ActorSystem system = ActorSystem.start("system")) {
                        system.start(
                                "client",
                                Actor.<Down>handler(
                                        self -> {
                                            self.monitor(service.ref(), down -> down);
                                            return down -> {
                                                reports.tell(down.reason());
                                                return Behavior.stopped();
                                            };
                                        }));
                        assertNull(service.endReason());
                        service.ref().kill();
                        reports.expect(new ExitReason.Killed());
                        assertEquals(new ExitReason.Killed(), service.endReason());
                        assertEquals(TellResult.ENDED, service.ref().tryTell("late"));
                        assertTrue(service.ref().awaitEnd(Duration.ZERO));
                        service.expectNone(Duration.ZERO);
                        assertThrows(
                                AskFailedException.class,
                                () -> service.ref().ask(_ -> "into the void", SECOND));
                    }
                });
    }

    /** What crosses cords does so in virtual time too. */
    @Test
    void F14_expectationsWaitForOtherCords() {
        TestCords.run(
                3,
                cords -> {
                    Probe<String> probe = Probe.named("probe");
                    try (ActorSystem system = ActorSystem.start("system")) {
                        List<ActorRef<String>> all = new ArrayList<>();
                        for (Cord cord : cords) {
                            all.add(
                                    system.root()
                                            .start(
                                                    cord,
                                                    cord.name(),
                                                    Actor.handler(
                                                            () ->
                                                                    text -> {
                                                                        Fiber.sleep(SECOND);
                                                                        probe.tell(text);
                                                                        return Behavior.stopped();
                                                                    })));
                        }
                        for (ActorRef<String> each : all) {
                            probe.watch(each);
                            each.tell(each.name());
                        }
                        probe.expectNone(Duration.ofMillis(999));
                        List<String> came = new ArrayList<>();
                        probe.within(
                                Duration.ofMillis(2),
                                () -> {
                                    for (int i = 0; i < all.size(); i++) {
                                        came.add(probe.next());
                                    }
                                });
                        came.sort(null);
                        assertEquals(cords.stream().map(Cord::name).toList(), came);
                        for (ActorRef<String> each : all) {
                            assertEquals(new ExitReason.Normal(), probe.expectDown(each).reason());
                        }
                    }
                });
    }

    /** Where no fiber runs, what is there is taken, and what is not is waited for. */
    @Test
    void aPlainThreadExpectsToo() throws InterruptedException {
        Probe<String> probe = Probe.named("probe");
        probe.tell("there");
        probe.expect("there");
        probe.expectNone(Duration.ZERO);
        Thread teller = Thread.ofPlatform().start(() -> probe.ref().tell("from a thread"));
        probe.expect("from a thread");
        teller.join();
    }

    @Test
    void twoProbesOfOneNameAreTwo() {
        TestCord.run(
                () -> {
                    Probe<String> one = Probe.named("probe");
                    Probe<String> other = Probe.named("probe");
                    assertEquals(one.ref(), one.ref());
                    assertTrue(!one.ref().equals(other.ref()));
                    one.tell("x");
                    assertEquals(1, one.ref().mailbox().queued());
                    assertEquals(List.of("x"), one.ref().mailbox().oldest());
                    assertEquals(0, other.ref().mailbox().queued());
                });
    }

    // ---------------------------------------------------------------- as one of a system

    @Test
    void A6_aTraceTellsOfWhatIsToldToAProbe() {
        TestCord.run(
                () -> {
                    Probe<String> probe = Probe.named("probe");
                    try (ActorSystem system = ActorSystem.start("system")) {
                        ActorRef<String> ref =
                                system.spin(
                                        "teller",
                                        Actor.handler(
                                                () ->
                                                        message -> {
                                                            probe.ref().tell(message);
                                                            return Behavior.same();
                                                        }));
                        try (ActorTrace trace = ActorInspector.of(ref).trace(10)) {
                            ref.tell("a");
                            probe.expect("a");
                            assertEquals(2, trace.events().size(), trace.events()::toString);
                            assertEquals("probes@test/probe#1", trace.events().get(1).to());
                        }
                    }
                });
    }

    @Test
    void misuse_aProbeIsNoMemberOfAGroup() {
        TestCord.run(
                () -> {
                    Probe<String> probe = Probe.named("probe");
                    try (ActorSystem system = ActorSystem.start("system")) {
                        Errors.assertMentions(
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () ->
                                                system.group("group", String.class)
                                                        .join(probe.ref())),
                                "cannot be in group group");
                    }
                });
    }
}
