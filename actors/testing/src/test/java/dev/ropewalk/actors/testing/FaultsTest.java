package dev.ropewalk.actors.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Faults that a test puts around an actor, the same ones in each run (rule F14). */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class FaultsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final Supervision MANY_RESTARTS =
            Supervision.oneForOne().intensity(10_000, SECOND).onFailure(_ -> {});

    /** Tells what it handles, and when it starts. */
    private static Actor<Object> echo(boolean isLoop, Recipient<Object> out) {
        if (isLoop) {
            return Actor.loop(
                    self -> {
                        out.tell("start");
                        while (true) {
                            out.tell(self.receive());
                        }
                    });
        }
        return Actor.handler(
                () -> {
                    out.tell("start");
                    return message -> {
                        out.tell(message);
                        return Behavior.same();
                    };
                });
    }

    private interface Body {
        void run(ActorSystem system, Probe<Object> out, List<DeadLetter> letters) throws Exception;
    }

    private static void world(Body body) {
        TestCord.run(
                () -> {
                    List<DeadLetter> letters = new ArrayList<>();
                    try (ActorSystem system =
                            ActorSystem.start("system", MANY_RESTARTS, letters::add)) {
                        body.run(system, Probe.named("out"), letters);
                    }
                });
    }

    private static void expect(Probe<Object> out, Object... messages) {
        for (Object each : messages) {
            out.expect(each);
        }
        out.expectNone(SECOND);
    }

    // ---------------------------------------------------------------- what they do

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void A5_aCrashOnTheNthMessageCountsAcrossRestarts(boolean isLoop) {
        world(
                (system, out, letters) -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "actor", Faults.none().crashOn(3, 5).around(echo(isLoop, out)));
                    for (int i = 1; i <= 6; i++) {
                        actor.tell(i);
                    }
                    expect(out, "start", 1, 2, "start", 4, "start", 6);
                    assertEquals(List.of(3, 5), letters.stream().map(DeadLetter::message).toList());
                    InjectedCrashException cause =
                            assertInstanceOf(
                                    InjectedCrashException.class, letters.getFirst().cause());
                    Errors.assertMentions(cause, "system/actor", "message 3, 3", "seed=0");
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void A5_aMessageThatIsTriedAgainCountsAgain(boolean isLoop) {
        world(
                (system, out, letters) -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "actor",
                                    Faults.none()
                                            .crashOn(2)
                                            .around(
                                                    echo(isLoop, out)
                                                            .onFailure(FailedMessage.retry())));
                    actor.tell("a");
                    actor.tell("b");
                    expect(out, "start", "a", "start", "b");
                    assertEquals(List.of(), letters);
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void A3_aDroppedMessageIsNoDeadLetter(boolean isLoop) {
        world(
                (system, out, letters) -> {
                    List<Fault> faults = new ArrayList<>();
                    ActorRef<Object> actor =
                            system.spin(
                                    "actor",
                                    Faults.none()
                                            .drop(message -> message.equals(2))
                                            .onFault(faults::add)
                                            .around(echo(isLoop, out)));
                    List.of(1, 2, 3).forEach(actor::tell);
                    expect(out, "start", 1, 3);
                    assertEquals(List.of(), letters);
                    assertEquals(List.of(new Fault(Fault.Kind.DROP, actor, 2, 2)), faults);
                });
    }

    /** As a message that is lost between two machines. */
    @Test
    void A2_theAskerOfADroppedQuestionWaitsForItsLimit() {
        world(
                (system, out, _) -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "actor",
                                    Faults.none().drop(_ -> true).around(echo(false, out)));
                    long beganNs = Cord.current().nanoTime();
                    assertThrows(
                            AskTimeoutException.class,
                            () -> actor.<String>ask(replyTo -> replyTo, SECOND));
                    assertEquals(SECOND, Duration.ofNanos(Cord.current().nanoTime() - beganNs));
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void F14_aDelayIsOfVirtualTime(boolean isLoop) {
        world(
                (system, out, _) -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "actor", Faults.none().delay(SECOND).around(echo(isLoop, out)));
                    actor.tell(1);
                    actor.tell(2);
                    out.expect("start");
                    out.expectNone(Duration.ofMillis(999));
                    out.within(Duration.ofMillis(2), () -> out.expect(1));
                    out.expectNone(Duration.ofMillis(990));
                    out.within(Duration.ofMillis(11), () -> out.expect(2));
                });
    }

    @Test
    void A5_aCrashAtTheNthStart() {
        world(
                (system, out, _) -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "actor",
                                    Faults.none()
                                            .crashAtStart(2)
                                            .crashOn(1)
                                            .around(echo(false, out)));
                    actor.tell(1);
                    actor.tell(2);
                    expect(out, "start", "start", 2); // the second start came to nothing
                });
    }

    @Test
    void theRulesActInTheOrderInWhichTheyWereGiven() {
        world(
                (system, out, letters) -> {
                    Actor<Object> echo = echo(false, out);
                    ActorRef<Object> dropped =
                            system.spin("a", Faults.none().drop(_ -> true).crashOn(1).around(echo));
                    ActorRef<Object> crashed =
                            system.spin("b", Faults.none().crashOn(1).drop(_ -> true).around(echo));
                    dropped.tell(1);
                    crashed.tell(2);
                    expect(out, "start", "start", "start");
                    assertEquals(List.of(2), letters.stream().map(DeadLetter::message).toList());
                });
    }

    @Test
    void A5_keptStateGoesOnBehindTheFaults() {
        world(
                (system, out, _) -> {
                    Actor<Object> sum = Actor.<Object>handler(() -> sum(0, out)).keepState();
                    ActorRef<Object> actor =
                            system.spin("actor", Faults.none().crashOn(2).around(sum));
                    List.of(1, 10, 100).forEach(actor::tell);
                    expect(out, 1, 101);
                });
    }

    private static Behavior<Object> sum(int before, Recipient<Object> out) {
        return number -> {
            int after = before + (Integer) number;
            out.tell(after);
            return sum(after, out);
        };
    }

    // ---------------------------------------------------------------- what they keep

    @Test
    void theDefinitionKeepsItsStyleAndItsOptions() {
        Actor<Object> actor =
                Actor.<Object>handler(() -> _ -> Behavior.same())
                        .restart(RestartRule.PERMANENT)
                        .onFailure(FailedMessage.park())
                        .mailbox(MailboxOptions.bounded(7).withOverflow(Overflow.DROP_NEW))
                        .keepState();
        assertEquals(actor.toString(), Faults.none().delay(SECOND).around(actor).toString());
        Actor<Object> loop = Actor.loop(_ -> {});
        assertEquals(loop.toString(), Faults.none().around(loop).toString());
    }

    @Test
    void signsAndStopsPassThrough() {
        world(
                (system, out, letters) -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "actor",
                                    Faults.none()
                                            .around(
                                                    Actor.handler(
                                                            () ->
                                                                    text ->
                                                                            text.equals("end")
                                                                                    ? Behavior
                                                                                            .stopped()
                                                                                    : Behavior
                                                                                            .unhandled())));
                    actor.tell("x");
                    actor.tell("end");
                    out.expectDown(actor);
                    assertEquals(DeadLetter.Reason.UNHANDLED, letters.getFirst().reason());
                });
    }

    /** One instance for two incarnations keeps what the first one left, faults or not. */
    @Test
    void A5_aFactoryThatReturnsTheSameInstanceIsStillFound() {
        class Counter implements Behavior<Object> {
            private int count;

            @Override
            public Behavior<Object> onMessage(Object message) {
                count++;
                return count < 0 ? Behavior.stopped() : Behavior.same();
            }
        }
        List<String> failures = new ArrayList<>();
        AssertionError gaveUp =
                assertThrows(
                        AssertionError.class,
                        () -> TestCord.run(() -> crashOne(new Counter(), failures)));
        Errors.assertMentions(gaveUp, "gives up on actor");
        assertTrue(
                failures.get(1).contains("instance of the incarnation before"), failures::toString);
    }

    private static void crashOne(Behavior<Object> only, List<String> failures) {
        Supervision rules =
                Supervision.oneForOne().onFailure(report -> failures.add("" + report.failure()));
        try (ActorSystem system = ActorSystem.start("system", rules, _ -> {})) {
            Actor<Object> actor = Faults.none().crashOn(1).around(Actor.handler(() -> only));
            ActorRef<Object> ref = system.spin("actor", actor);
            ref.tell(1);
            ref.tell(2);
            Probe.<Object>named("probe").expectNone(SECOND);
        }
    }

    /** A selective loop receives past its faults as it would without them. */
    @Test
    void A1_everyReceiveOfALoopGoesPastTheFaults() {
        world(
                (system, out, _) -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "actor",
                                    Faults.none()
                                            .drop(message -> message.equals("lost"))
                                            .around(
                                                    Actor.loop(
                                                            (ActorContext<Object> self) -> {
                                                                out.tell(
                                                                        self.receive(
                                                                                Integer.class));
                                                                out.tell(
                                                                        self.receive(
                                                                                (Object m) ->
                                                                                        m.toString()
                                                                                                        .length()
                                                                                                > 1));
                                                                Object none = self.receive(SECOND);
                                                                out.tell("none: " + none);
                                                            })));
                    actor.tell("lost");
                    actor.tell("ab");
                    actor.tell(1);
                    actor.tell("lost");
                    out.expect(1);
                    out.expect("ab");
                    long beganNs = Cord.current().nanoTime();
                    out.expect("none: null");
                    assertEquals(SECOND, Duration.ofNanos(Cord.current().nanoTime() - beganNs));
                });
    }

    // ---------------------------------------------------------------- what is drawn

    private static List<String> drawn(long seed, String... names) {
        List<String> faults = new ArrayList<>();
        TestCord.run(
                1,
                false,
                () -> {
                    try (ActorSystem system = ActorSystem.start("system", MANY_RESTARTS, _ -> {})) {
                        Actor<Integer> actor =
                                Faults.seeded(seed)
                                        .crashShare(0.2)
                                        .dropShare(0.2)
                                        .delayUpTo(SECOND)
                                        .onFault(
                                                fault ->
                                                        faults.add(
                                                                fault.actor().name()
                                                                        + " "
                                                                        + fault.kind()
                                                                        + " "
                                                                        + fault.number()))
                                        .around(Actor.handler(() -> _ -> Behavior.same()));
                        Probe<Object> probe = Probe.named("probe");
                        for (String name : names) {
                            ActorRef<Integer> ref = system.spin(name, actor);
                            for (int i = 0; i < 200; i++) {
                                ref.tell(i);
                            }
                            ref.stop();
                            probe.withLimit(Duration.ofDays(1)).expectDown(ref);
                        }
                    }
                });
        return faults;
    }

    private static List<String> of(String name, List<String> faults) {
        return faults.stream().filter(each -> each.startsWith(name + " ")).toList();
    }

    @Test
    void F14_theSeedAndThePathDecideNothingElse() {
        List<String> alone = drawn(7, "a");
        List<String> both = drawn(7, "b", "a");
        assertEquals(alone, of("a", both));
        assertNotEquals(alone, of("b", both).stream().map(each -> each.replace('b', 'a')).toList());
        assertNotEquals(alone, drawn(8, "a"));
        long crashes = alone.stream().filter(each -> each.contains("CRASH")).count();
        assertTrue(crashes > 15 && crashes < 80, () -> crashes + " crashes of 200 at 0.2");
    }

    @Test
    void wrongValuesAreRefused() {
        Faults none = Faults.none();
        IllegalArgumentException error =
                assertThrows(IllegalArgumentException.class, () -> none.crashOn(2, 0));
        Errors.assertMentions(error, "numbers=[2, 0]", "from 1");
        assertThrows(IllegalArgumentException.class, () -> none.crashOn());
        assertThrows(IllegalArgumentException.class, () -> none.crashShare(1.1));
        assertThrows(IllegalArgumentException.class, () -> none.dropShare(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> none.delay(Duration.ofNanos(-1)));
    }
}
