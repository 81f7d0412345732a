package dev.ropewalk.actors.supervision;

import static dev.ropewalk.actors.supervision.OtpRun.HOUR;
import static dev.ropewalk.actors.supervision.OtpRun.SECOND;
import static dev.ropewalk.actors.supervision.OtpRun.ref;
import static dev.ropewalk.actors.supervision.OtpRun.settle;
import static dev.ropewalk.actors.supervision.OtpRun.states;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule A5, after OTP's tests of its supervisor: restarts. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class OtpRestartTest {
    /** Which of an actor's starts fail. */
    private static final class Starts {
        final int from;
        final int to;
        int count;

        /** From the second one on, for ever. */
        Starts() {
            this(2, Integer.MAX_VALUE);
        }

        Starts(int from, int to) {
            this.from = from;
            this.to = to;
        }

        void begin(ActorContext<Step> self) {
            count++;
            if (count >= from && count <= to) {
                throw new Crash("start " + count + " of " + self.self().name());
            }
        }
    }

    private static void crash(Supervisor sup, String id) {
        ref(sup, id).tell(Step.crash("died"));
        settle();
    }

    // ---------------------------------------------------------------- rules and reasons

    /** One child that ends in a way; what it does then, and what is known of it. */
    private static void ends(
            RestartRule rule, Step end, List<String> log, List<String> states, int restarts) {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne()));
                    sup.add(otp.worker("a").restart(rule));
                    ref(sup, "a").tell(end);
                    settle();
                    assertEquals(log, otp.log);
                    assertEquals(states, states(sup));
                    assertEquals(restarts, sup.restarts());
                    assertFalse(otp.isOver());
                });
    }

    private static final Step TERMINATE = Step.of(self -> self.self().terminate());

    /** permanent_normal. */
    @Test
    void A5_otp_permanentNormal() {
        ends(
                RestartRule.PERMANENT,
                Step.stop(),
                List.of("+a", "-a Normal", "+a"),
                List.of("a UP"),
                1);
    }

    /** transient_normal. */
    @Test
    void A5_otp_transientNormal() {
        ends(
                RestartRule.TRANSIENT,
                Step.stop(),
                List.of("+a", "-a Normal"),
                List.of("a STOPPED"),
                0);
    }

    /** temporary_normal. */
    @Test
    void A5_otp_temporaryNormal() {
        ends(RestartRule.TEMPORARY, Step.stop(), List.of("+a", "-a Normal"), List.of(), 0);
    }

    /** permanent_shutdown. */
    @Test
    void A5_otp_permanentShutdown() {
        ends(
                RestartRule.PERMANENT,
                TERMINATE,
                List.of("+a", "-a Shutdown", "+a"),
                List.of("a UP"),
                1);
    }

    /** transient_shutdown. */
    @Test
    void A5_otp_transientShutdown() {
        ends(
                RestartRule.TRANSIENT,
                TERMINATE,
                List.of("+a", "-a Shutdown"),
                List.of("a STOPPED"),
                0);
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne(), otp.worker("a")));
                    ref(sup, "a").terminate();
                    settle();
                    sup.restart("a");
                    assertEquals(List.of("a UP"), states(sup));
                    ref(sup, "a").terminate();
                    settle();
                    assertEquals(List.of("a STOPPED"), states(sup));
                });
    }

    /** temporary_shutdown. */
    @Test
    void A5_otp_temporaryShutdown() {
        ends(RestartRule.TEMPORARY, TERMINATE, List.of("+a", "-a Shutdown"), List.of(), 0);
        OtpRun.run(
                otp -> {
                    ActorSpec<Step> a = otp.worker("a").temporary();
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne()));
                    for (int i = 0; i < 3; i++) {
                        sup.add(a);
                        assertEquals(List.of("a UP"), states(sup));
                        ref(sup, "a").terminate();
                        settle();
                        assertEquals(List.of(), states(sup));
                    }
                });
    }

    /** permanent_abnormal. */
    @Test
    void A5_otp_permanentAbnormal() {
        ends(
                RestartRule.PERMANENT,
                Step.crash("died"),
                List.of("+a", "-a Failed", "+a"),
                List.of("a UP"),
                1);
    }

    /** transient_abnormal. */
    @Test
    void A5_otp_transientAbnormal() {
        ends(
                RestartRule.TRANSIENT,
                Step.crash("died"),
                List.of("+a", "-a Failed", "+a"),
                List.of("a UP"),
                1);
    }

    /** temporary_abnormal. */
    @Test
    void A5_otp_temporaryAbnormal() {
        ends(RestartRule.TEMPORARY, Step.crash("died"), List.of("+a", "-a Failed"), List.of(), 0);
    }

    /** temporary_bystander. */
    @Test
    void A5_otp_temporaryBystander() {
        OtpRun.run(
                otp -> {
                    for (Supervision rules :
                            List.of(Supervision.oneForAll(), Supervision.restForOne())) {
                        otp.log.clear();
                        Supervisor sup = otp.start(otp.sup(rules));
                        sup.add(otp.worker("a").permanent());
                        sup.add(otp.worker("b").temporary());
                        ref(sup, "a").tell(Step.stop());
                        settle();
                        assertEquals(
                                List.of("+a", "+b", "-a Normal", "-b Shutdown", "+a"), otp.log);
                        assertEquals(List.of("a UP"), states(sup));
                        assertEquals(1, sup.restarts());
                        assertFalse(otp.isOver());
                    }
                });
    }

    // ---------------------------------------------------------------- intensity

    /** multiple_restarts. */
    @Test
    void A5_otp_multipleRestarts() {
        OtpRun.run(
                otp -> {
                    Supervisor sup =
                            otp.start(
                                    otp.sup(Supervision.oneForOne(), otp.worker("a").permanent())
                                            .intensity(1, SECOND));
                    for (int i = 1; i <= 4; i++) {
                        crash(sup, "a");
                        assertEquals(i, sup.restarts());
                        Fiber.sleep(Duration.ofMillis(2_100));
                    }
                    sup.stop("a");
                    sup.remove("a");
                    assertFalse(otp.isOver());
                    sup.add(otp.worker("a").permanent());
                    crash(sup, "a");
                    crash(sup, "a");
                    assertTrue(otp.isOver());
                });
    }

    private static void assertGaveUp(OtpRun otp, String child) {
        assertTrue(otp.isOver());
        String last = otp.failures.getLast();
        assertTrue(last.startsWith("sup: ") && last.contains("gives up on " + child), last);
    }

    /** one_for_one. */
    @Test
    void A5_otp_oneForOne() {
        OtpRun.run(
                otp -> {
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                            Supervision.oneForOne(),
                                            otp.worker("a").permanent(),
                                            otp.worker("b").permanent()));
                    otp.takeLog();
                    crash(sup, "a");
                    assertEquals(List.of("-a Failed", "+a"), otp.takeLog());
                    assertEquals(List.of("a UP", "b UP"), states(sup));
                    crash(sup, "b");
                    assertEquals(List.of("-b Failed", "+b"), otp.takeLog());
                    crash(sup, "a");
                    assertEquals(List.of("-a Failed", "-b Shutdown"), otp.log);
                    assertGaveUp(otp, "a");
                });
    }

    /** one_for_one_escalation. */
    @Test
    void A5_otp_oneForOneEscalation() {
        OtpRun.run(
                otp -> {
                    Starts starts = new Starts();
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                                    Supervision.oneForOne(),
                                                    otp.worker("a", starts::begin).permanent(),
                                                    otp.worker("b").permanent())
                                            .intensity(4, HOUR));
                    crash(sup, "a");
                    assertEquals(5, starts.count);
                    assertEquals("-b Shutdown", otp.log.getLast());
                    assertGaveUp(otp, "a");
                });
    }

    /** one_for_all. */
    @Test
    void A5_otp_oneForAll() {
        OtpRun.run(
                otp -> {
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                            Supervision.oneForAll(),
                                            otp.worker("a").permanent(),
                                            otp.worker("b").permanent()));
                    otp.takeLog();
                    crash(sup, "a");
                    assertEquals(List.of("-a Failed", "-b Shutdown", "+a", "+b"), otp.takeLog());
                    assertEquals(List.of("a UP", "b UP"), states(sup));
                    crash(sup, "b");
                    assertEquals(List.of("-b Failed", "-a Shutdown", "+a", "+b"), otp.takeLog());
                    crash(sup, "b");
                    assertEquals(List.of("-b Failed", "-a Shutdown"), otp.log);
                    assertGaveUp(otp, "b");
                });
    }

    /** one_for_all_escalation. */
    @Test
    void A5_otp_oneForAllEscalation() {
        OtpRun.run(
                otp -> {
                    Starts starts = new Starts();
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                                    Supervision.oneForAll(),
                                                    otp.worker("a").permanent(),
                                                    otp.worker("b", starts::begin).permanent())
                                            .intensity(4, HOUR));
                    otp.takeLog();
                    crash(sup, "a");
                    assertEquals(5, starts.count);
                    assertEquals(
                            List.of("-a Failed", "-b Shutdown", "+a", "+b", "-b Failed"),
                            otp.log.subList(0, 5));
                    assertEquals("-a Shutdown", otp.log.getLast());
                    assertGaveUp(otp, "b");
                });
    }

    /** one_for_all_other_child_fails_restart. */
    @Test
    void A5_otp_oneForAllOtherChildFailsRestart() {
        OtpRun.run(
                otp -> {
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                            Supervision.oneForAll(),
                                            otp.worker("a").permanent(),
                                            otp.worker("b", new Starts(2, 2)::begin).permanent()));
                    otp.takeLog();
                    crash(sup, "a");
                    assertEquals(
                            List.of(
                                    "-a Failed",
                                    "-b Shutdown",
                                    "+a",
                                    "+b",
                                    "-b Failed",
                                    "-a Shutdown",
                                    "+a",
                                    "+b"),
                            otp.log);
                    assertEquals(List.of("a UP", "b UP"), states(sup));
                    assertEquals(2, sup.restarts());
                });
    }

    /** rest_for_one. */
    @Test
    void A5_otp_restForOne() {
        OtpRun.run(
                otp -> {
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                            Supervision.restForOne(),
                                            otp.worker("a").permanent(),
                                            otp.worker("b").permanent(),
                                            otp.worker("c").permanent()));
                    otp.takeLog();
                    crash(sup, "b");
                    assertEquals(List.of("-b Failed", "-c Shutdown", "+b", "+c"), otp.takeLog());
                    assertEquals(List.of("a UP", "b UP", "c UP"), states(sup));
                    crash(sup, "c");
                    assertEquals(List.of("-c Failed", "+c"), otp.takeLog());
                    crash(sup, "b");
                    assertEquals(List.of("-b Failed", "-c Shutdown", "-a Shutdown"), otp.log);
                    assertGaveUp(otp, "b");
                });
    }

    /** rest_for_one_escalation. */
    @Test
    void A5_otp_restForOneEscalation() {
        OtpRun.run(
                otp -> {
                    Starts starts = new Starts();
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                                    Supervision.restForOne(),
                                                    otp.worker("a").permanent(),
                                                    otp.worker("b", starts::begin).permanent())
                                            .intensity(4, HOUR));
                    otp.takeLog();
                    crash(sup, "a");
                    assertEquals(5, starts.count);
                    assertEquals(
                            List.of("-a Failed", "-b Shutdown", "+a", "+b", "-b Failed"),
                            otp.log.subList(0, 5));
                    assertEquals("-a Shutdown", otp.log.getLast());
                    assertGaveUp(otp, "b");
                });
    }

    /** rest_for_one_other_child_fails_restart: the one that came up stays up. */
    @Test
    void A5_otp_restForOneOtherChildFailsRestart() {
        OtpRun.run(
                otp -> {
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                            Supervision.restForOne(),
                                            otp.worker("a").permanent(),
                                            otp.worker("b", new Starts(2, 2)::begin).permanent()));
                    otp.takeLog();
                    crash(sup, "a");
                    assertEquals(
                            List.of("-a Failed", "-b Shutdown", "+a", "+b", "-b Failed", "+b"),
                            otp.log);
                    assertEquals(List.of("a UP", "b UP"), states(sup));
                    assertEquals(2, sup.restarts());
                });
    }

    // ---------------------------------------------------------------- dynamic

    /** simple_one_for_one. */
    @Test
    void A5_otp_simpleOneForOne() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()));
                    sup.start("a", otp.actor("a").restart(RestartRule.PERMANENT));
                    sup.start("b", otp.actor("b").restart(RestartRule.PERMANENT));
                    otp.takeLog();
                    crash(sup, "a");
                    assertEquals(List.of("-a Failed", "+a"), otp.takeLog());
                    assertEquals(List.of("a UP", "b UP"), states(sup));
                    crash(sup, "b");
                    crash(sup, "a");
                    assertEquals("-b Shutdown", otp.log.getLast());
                    assertGaveUp(otp, "a");
                });
    }

    /** simple_one_for_one_escalation. */
    @Test
    void A5_otp_simpleOneForOneEscalation() {
        OtpRun.run(
                otp -> {
                    Starts starts = new Starts();
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()).intensity(4, HOUR));
                    sup.start("a", otp.actor("a", starts::begin).restart(RestartRule.PERMANENT));
                    sup.start("b", otp.actor("b").restart(RestartRule.PERMANENT));
                    crash(sup, "a");
                    assertEquals(5, starts.count);
                    assertEquals("-b Shutdown", otp.log.getLast());
                    assertGaveUp(otp, "a");
                });
    }

    /**
     * simple_one_for_one_restart_ignore. For the transient rule; a permanent child that stops
     * itself is started again.
     */
    @Test
    void A5_otp_simpleOneForOneRestartIgnore() {
        OtpRun.run(
                otp -> {
                    int[] starts = new int[1];
                    Actor<Step> actor =
                            Actor.handler(
                                    (ActorContext<Step> self) ->
                                            ++starts[0] < 3
                                                    ? (Step step) -> step.run(self)
                                                    : Behavior.stopped());
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()).intensity(10, HOUR));
                    ActorRef<Step> a = sup.start("a", actor);
                    a.kill();
                    settle();
                    assertEquals(List.of("a UP"), states(sup));
                    a.kill();
                    settle();
                    assertEquals(3, starts[0]);
                    assertEquals(List.of(), states(sup));
                    assertTrue(a.awaitEnd(Duration.ZERO));
                    otp.stop(sup);
                    assertTrue(otp.isOver());

                    starts[0] = 0;
                    Supervisor other = otp.start(otp.sup(Supervision.dynamic()));
                    other.start("b", actor.restart(RestartRule.PERMANENT)).kill();
                    settle();
                    assertEquals(List.of("b UP"), states(other));
                    ref(other, "b").kill(); // the second restart stops itself, and one is too many
                    settle();
                    assertEquals(3, starts[0]);
                    assertGaveUp(otp, "b");
                });
    }

    // ---------------------------------------------------------------- restarts without an end

    /** An actor whose starts take two seconds and fail, while that is asked for. */
    private static ActorSpec<Step> hanging(OtpRun otp, String id, boolean[] fails) {
        return otp.worker(
                        id,
                        _ -> {
                            if (fails[0]) {
                                Fiber.sleep(Duration.ofSeconds(2));
                                throw new Crash("not yet");
                            }
                        })
                .permanent()
                .killedAtStop();
    }

    /** hanging_restart_loop. */
    @Test
    void A5_otp_hangingRestartLoop() {
        OtpRun.run(
                otp -> {
                    boolean[] fails = new boolean[1];
                    ActorSpec<Step> a = hanging(otp, "a", fails);
                    Supervisor sup =
                            otp.start(
                                    otp.sup(Supervision.oneForOne(), a)
                                            .intensity(8, Duration.ofSeconds(10)));
                    fails[0] = true;
                    crash(sup, "a");
                    Fiber.sleep(Duration.ofSeconds(3));
                    assertEquals(List.of("a RESTARTING"), states(sup));
                    assertThrows(IllegalArgumentException.class, () -> sup.add(a));
                    assertThrows(IllegalStateException.class, () -> sup.restart("a"));
                    assertThrows(IllegalStateException.class, () -> sup.remove("a"));
                    assertEquals(List.of("a RESTARTING"), states(sup));
                    sup.stop("a");
                    assertEquals(List.of("a STOPPED"), states(sup));
                    fails[0] = false;
                    sup.restart("a");
                    assertEquals(List.of("a UP"), states(sup));
                    fails[0] = true;
                    crash(sup, "a");
                    Fiber.sleep(Duration.ofSeconds(3));
                    long beganNs = OtpRun.now();
                    otp.stop(sup);
                    assertEquals(Duration.ZERO, OtpRun.since(beganNs));
                    assertTrue(otp.isOver());
                });
    }

    /**
     * hanging_restart_loop_rest_for_one. The younger child comes up when the one that it waits for
     * is stopped; in OTP it has to be restarted by name.
     */
    @Test
    void A5_otp_hangingRestartLoopRestForOne() {
        OtpRun.run(
                otp -> {
                    boolean[] fails = new boolean[1];
                    ActorSpec<Step> b = hanging(otp, "b", fails);
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                                    Supervision.restForOne(),
                                                    otp.worker("a").permanent().killedAtStop(),
                                                    b,
                                                    otp.worker("c").permanent().killedAtStop())
                                            .intensity(8, Duration.ofSeconds(10)));
                    ActorRef<Step> a = ref(sup, "a");
                    fails[0] = true;
                    crash(sup, "b");
                    Fiber.sleep(Duration.ofSeconds(3));
                    assertEquals(List.of("a UP", "b RESTARTING", "c RESTARTING"), states(sup));
                    assertThrows(IllegalArgumentException.class, () -> sup.add(b));
                    assertThrows(IllegalStateException.class, () -> sup.restart("b"));
                    assertThrows(IllegalStateException.class, () -> sup.remove("b"));
                    sup.stop("b");
                    settle();
                    assertEquals(List.of("a UP", "b STOPPED", "c UP"), states(sup));
                    assertEquals(a, ref(sup, "a"));
                    fails[0] = false;
                    sup.restart("b");
                    assertEquals(List.of("a UP", "b UP", "c UP"), states(sup));
                    fails[0] = true;
                    crash(sup, "b");
                    Fiber.sleep(Duration.ofSeconds(3));
                    long beganNs = OtpRun.now();
                    otp.stop(sup);
                    assertEquals(Duration.ZERO, OtpRun.since(beganNs));
                    assertTrue(otp.isOver());
                });
    }

    /** The group comes to the end of its mailboxes; one that fails to start has none to come to. */
    @Test
    void A5_aStopWithGraceWaitsForAGroupThatFailsToStart() {
        OtpRun.run(
                otp -> {
                    boolean[] fails = new boolean[1];
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                                    Supervision.oneForAll(),
                                                    otp.worker("a"),
                                                    hanging(otp, "b", fails),
                                                    otp.worker("c"))
                                            .intensity(8, HOUR));
                    fails[0] = true;
                    crash(sup, "a");
                    fails[0] = false;
                    ref(sup, "c").tell(Step.of(_ -> otp.log.add("told")));
                    otp.takeLog();
                    StopReport report = otp.stopWithGrace(HOUR);
                    assertEquals(List.of(), report.left());
                    assertEquals(
                            List.of("told", "-c Normal", "-a Normal"),
                            otp.log.stream()
                                    .filter(line -> line.equals("told") || line.endsWith("Normal"))
                                    .toList());
                });
    }

    /** hanging_restart_loop_simple. */
    @Test
    void A5_otp_hangingRestartLoopSimple() {
        OtpRun.run(
                otp -> {
                    boolean[] fails = new boolean[1];
                    Actor<Step> actor =
                            hanging(otp, "a", fails).actor().restart(RestartRule.PERMANENT);
                    Supervisor sup =
                            otp.start(
                                    otp.sup(Supervision.dynamic())
                                            .intensity(8, Duration.ofSeconds(10)));
                    sup.start("a", actor);
                    fails[0] = true;
                    crash(sup, "a");
                    Fiber.sleep(Duration.ofSeconds(3));
                    assertEquals(List.of("a RESTARTING"), states(sup));
                    assertThrows(IllegalStateException.class, () -> sup.restart("a"));
                    assertThrows(IllegalStateException.class, () -> sup.remove("a"));
                    sup.stop("a");
                    assertEquals(List.of(), states(sup));
                    fails[0] = false;
                    sup.start("a", actor);
                    fails[0] = true;
                    crash(sup, "a");
                    Fiber.sleep(Duration.ofSeconds(3));
                    long beganNs = OtpRun.now();
                    otp.stop(sup);
                    assertEquals(Duration.ZERO, OtpRun.since(beganNs));
                    assertTrue(otp.isOver());
                });
    }

    /** A supervisor that its group stops while it starts is not stopped again by that later. */
    @Test
    void A5_aStopWhileASupervisorStartsIsNotKeptForItsNextStart() {
        OtpRun.run(
                otp -> {
                    int[] starts = new int[1];
                    ActorSpec<Step> slow =
                            otp.worker(
                                    "slow",
                                    _ -> {
                                        if (starts[0]++ == 1) {
                                            Fiber.sleep(HOUR);
                                        }
                                    });
                    Tree below =
                            otp.sup(
                                    "below",
                                    Supervision.oneForOne().startLimit(HOUR.multipliedBy(2)),
                                    slow);
                    Supervisor sup =
                            otp.start(otp.sup(Supervision.oneForAll(), otp.worker("a"), below));
                    crash(sup, "a"); // below takes longer than the start limit of 10 s
                    Fiber.sleep(Duration.ofMinutes(1));
                    assertEquals(List.of("a UP", "below UP"), states(sup));
                    assertEquals(3, starts[0]);
                    assertEquals(List.of("slow UP"), states(sup.supervisor("below")));
                });
    }

    // ---------------------------------------------------------------- trees

    /**
     * tree. A supervisor that is started again starts the children that were added to it too,
     * because their addresses stay; and a child that was stopped by name stays stopped.
     */
    @Test
    void A5_otp_tree() {
        OtpRun.run(
                otp -> {
                    Tree first =
                            otp.sup(
                                            "first",
                                            Supervision.oneForOne(),
                                            otp.worker("a").permanent(),
                                            otp.worker("b").permanent())
                                    .intensity(4, HOUR);
                    Tree second = otp.sup("second", Supervision.oneForOne()).intensity(4, HOUR);
                    Tree third = otp.sup("third", Supervision.oneForOne()).intensity(4, HOUR);
                    Supervisor top = otp.start(otp.sup(Supervision.oneForAll()).intensity(4, HOUR));
                    top.add(first.permanent());
                    top.add(second.permanent());
                    top.add(third);
                    top.stop("third");
                    assertEquals(List.of("first UP", "second UP", "third STOPPED"), states(top));
                    assertEquals(List.of("a UP", "b UP"), states(top.supervisor("first")));
                    Supervisor sup = top.supervisor("second");
                    assertEquals(List.of(), states(sup));
                    sup.add(otp.worker("c", new Starts(2, 4)::begin).permanent());
                    sup.add(otp.worker("d").permanent());
                    ActorRef<Step> c = ref(sup, "c");
                    otp.takeLog();

                    crash(sup, "d");
                    assertEquals(List.of("-d Failed", "+d"), otp.takeLog());

                    crash(sup, "c"); // 3 starts in vain, and one of d before
                    assertEquals(1, top.restarts());
                    List<String> log = otp.takeLog();
                    assertEquals(
                            List.of("-d Shutdown", "-b Shutdown", "-a Shutdown", "+a", "+b"),
                            log.stream()
                                    .filter(line -> !line.contains("c"))
                                    .toList()
                                    .subList(0, 5));
                    assertEquals(List.of("first UP", "second UP", "third STOPPED"), states(top));
                    assertEquals(List.of("a UP", "b UP"), states(top.supervisor("first")));
                    assertEquals(List.of("c UP", "d UP"), states(top.supervisor("second")));
                    assertEquals(c, ref(top.supervisor("second"), "c"));
                });
    }

    /**
     * simple_global_supervisor: two supervisors and a worker, found by their paths. Nobody can kill
     * a supervisor, so the middle one gives up instead.
     */
    @Test
    void A5_otp_simpleGlobalSupervisor() {
        OtpRun.run(
                otp -> {
                    Tree middle =
                            otp.sup("middle", Supervision.oneForAll(), otp.worker("a").permanent())
                                    .intensity(3, Duration.ofMinutes(1))
                                    .permanent();
                    Supervisor top =
                            otp.start(
                                    otp.sup(Supervision.oneForAll(), middle)
                                            .intensity(3, Duration.ofMinutes(1)));
                    Supervisor sup = top.supervisor("middle");
                    ref(sup, "a").kill();
                    settle();
                    ref(sup, "a").tell(Step.stop());
                    settle();
                    assertEquals(
                            List.of("+a", "-a Killed", "+a", "-a Normal", "+a"), otp.takeLog());
                    ActorRef<Step> before = ref(sup, "a");
                    sup.stop("a");
                    sup.restart("a");
                    assertNotEquals(before, ref(sup, "a"));
                    assertEquals(List.of("-a Shutdown", "+a"), otp.takeLog());
                    crash(sup, "a");
                    assertEquals(0, top.restarts());
                    crash(sup, "a"); // the middle gives up, and is started again
                    assertEquals(1, top.restarts());
                    assertEquals(List.of("middle UP"), states(top));
                    assertEquals(List.of("a UP"), states(top.supervisor("middle")));
                    assertEquals("+a", otp.log.getLast());
                    ActorRef<Step> last = ref(top.supervisor("middle"), "a");
                    assertEquals(last, otp.find("sup/middle/a"));
                    otp.stop(top);
                    assertEquals("-a Shutdown", otp.log.getLast());
                    assertNull(otp.find("sup/middle/a"));
                });
    }
}
