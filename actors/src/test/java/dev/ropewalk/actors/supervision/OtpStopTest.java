package dev.ropewalk.actors.supervision;

import static dev.ropewalk.actors.supervision.OtpRun.HOUR;
import static dev.ropewalk.actors.supervision.OtpRun.SECOND;
import static dev.ropewalk.actors.supervision.OtpRun.now;
import static dev.ropewalk.actors.supervision.OtpRun.ref;
import static dev.ropewalk.actors.supervision.OtpRun.settle;
import static dev.ropewalk.actors.supervision.OtpRun.since;
import static dev.ropewalk.actors.supervision.OtpRun.states;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Rule A5, after OTP's tests of its supervisor: stops. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class OtpStopTest {
    /** A worker that takes its time to end. */
    private static ActorSpec<Step> slow(OtpRun otp, String id, Duration end) {
        return otp.worker(id, self -> self.atEnd(_ -> Fiber.sleep(end)));
    }

    /** Does not look up from its work, whatever it is told. */
    private static Step busy(Duration work) {
        return Step.of(_ -> CancelScope.shielded(HOUR, () -> Fiber.sleep(work)));
    }

    // ---------------------------------------------------------------- limits

    /** sup_stop_infinity: of a supervisor and of an actor. */
    @Test
    void A5_otp_supStopInfinity() {
        OtpRun.run(
                otp -> {
                    Duration longEnd = Duration.ofMinutes(30);
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                            Supervision.oneForOne().stopLimit(SECOND),
                                            Tree.oneForOne(
                                                    "below", slow(otp, "a", longEnd).noStopLimit()),
                                            slow(otp, "b", longEnd).noStopLimit()));
                    otp.takeLog();
                    long beganNs = now();
                    otp.stop(sup);
                    assertEquals(longEnd.multipliedBy(2), since(beganNs));
                    assertEquals(List.of("-b Shutdown", "-a Shutdown"), otp.log);
                });
    }

    /** What those that watch a child hear at its end. */
    private static List<String> watch(ActorRef<Step> ref, List<String> downs) {
        ref.target().watch(down -> downs.add("-" + ref.name() + " " + reason(down)), false);
        return downs;
    }

    /** sup_stop_timeout. The child that is given up has ended as it was told to. */
    @Test
    void A5_otp_supStopTimeout() {
        OtpRun.run(
                otp -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                            Supervision.oneForOne(),
                                            otp.worker("a").permanent().stopLimit(SECOND),
                                            otp.worker("b").permanent().stopLimit(SECOND)));
                    ref(sup, "b").tell(busy(Duration.ofSeconds(200)));
                    List<String> downs =
                            watch(ref(sup, "a"), watch(ref(sup, "b"), new ArrayList<>()));
                    settle();
                    otp.takeLog();
                    long beganNs = now();
                    otp.stop(sup);
                    assertEquals(SECOND, since(beganNs));
                    assertEquals(List.of("-b Shutdown", "-a Shutdown"), otp.log);
                    settle();
                    assertEquals(
                            List.of("-a Shutdown", "-b Shutdown"),
                            downs.stream().sorted().toList());
                    assertTrue(otp.isOver());
                    assertEquals(0, sup.restarts());
                });
    }

    /** sup_stop_timeout_dynamic. The same. */
    @Test
    void A5_otp_supStopTimeoutDynamic() {
        OtpRun.run(
                otp -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic().stopLimit(SECOND)));
                    sup.start("a", otp.actor("a").restart(RestartRule.TEMPORARY));
                    ActorRef<Step> b =
                            sup.start("b", otp.actor("b").restart(RestartRule.TEMPORARY));
                    b.tell(busy(Duration.ofSeconds(200)));
                    List<String> downs = watch(b, new ArrayList<>());
                    settle();
                    otp.takeLog();
                    long beganNs = now();
                    otp.stop(sup);
                    assertEquals(SECOND, since(beganNs));
                    assertEquals(List.of("-a Shutdown", "-b Shutdown"), otp.log);
                    settle();
                    assertEquals(List.of("-b Shutdown"), downs);
                    assertTrue(otp.isOver());
                });
    }

    /** sup_stop_brutal_kill. */
    @Test
    void A5_otp_supStopBrutalKill() {
        OtpRun.run(
                otp -> {
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                            Supervision.oneForOne(),
                                            otp.worker("a").permanent().stopLimit(SECOND),
                                            otp.worker("b").permanent().killedAtStop()));
                    List<String> downs = watch(ref(sup, "b"), new ArrayList<>());
                    settle();
                    otp.takeLog();
                    otp.stop(sup);
                    assertEquals(List.of("-b Killed", "-a Shutdown"), otp.log);
                    settle();
                    assertEquals(List.of("-b Killed"), downs);
                    assertEquals(List.of(), otp.failures);
                });
    }

    /** sup_stop_brutal_kill_dynamic. */
    @Test
    void A5_otp_supStopBrutalKillDynamic() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()));
                    List<String> expected = new ArrayList<>();
                    for (int i = 0; i < 10; i++) {
                        sup.add(otp.worker("a" + i).temporary().killedAtStop());
                        expected.add("-a" + i + " Killed");
                    }
                    otp.takeLog();
                    otp.stop(sup);
                    assertEquals(expected, otp.log.stream().sorted().toList());
                    assertTrue(otp.isOver());
                    assertEquals(List.of(), otp.failures);
                });
    }

    // ---------------------------------------------------------------- ends of children meanwhile

    /** How a child may end. */
    private static final Map<String, Step> ENDS =
            new TreeMap<>(
                    Map.of(
                            "Normal",
                            Step.stop(),
                            "Shutdown",
                            Step.of(self -> self.self().terminate()),
                            "Failed",
                            Step.crash("by itself"),
                            "Killed",
                            Step.of(self -> self.self().kill())));

    /** sup_stop_race: children end by themselves while the supervisor stops another one. */
    @Test
    void A5_otp_supStopRace() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne()));
                    Map<String, String> downs = new TreeMap<>();
                    Map<String, String> expected = new TreeMap<>();
                    sup.add(otp.worker("first").temporary());
                    for (RestartRule rule : RestartRule.values()) {
                        for (String end : ENDS.keySet()) {
                            String id = rule + "-" + end;
                            sup.add(otp.worker(id).restart(rule));
                            expected.put(id, end);
                        }
                    }
                    sup.add(slow(otp, "last", SECOND).temporary().stopLimit(Duration.ofSeconds(2)));
                    List<ActorRef<Step>> refs =
                            expected.keySet().stream().map(id -> ref(sup, id)).toList();
                    for (ActorRef<Step> ref : refs) {
                        ref.target().watch(down -> downs.put(ref.name(), reason(down)), false);
                    }
                    Fiber.spin(
                            "ender",
                            () -> {
                                Fiber.sleep(Duration.ofMillis(200));
                                for (ActorRef<Step> ref : refs) {
                                    ref.tell(
                                            ENDS.getOrDefault(
                                                    expected.get(ref.name()), Step.stop()));
                                }
                            });
                    otp.takeLog();
                    long beganNs = now();
                    otp.stop(sup);
                    assertEquals(SECOND, since(beganNs));
                    assertTrue(otp.isOver());
                    List<String> ends = new ArrayList<>(List.of("-last Shutdown"));
                    expected.forEach((id, end) -> ends.add("-" + id + " " + end));
                    ends.add("-first Shutdown");
                    assertEquals(
                            ends.stream().sorted().toList(), otp.log.stream().sorted().toList());
                    assertEquals("-first Shutdown", otp.log.getLast());
                    settle();
                    assertEquals(expected, downs);
                    assertEquals(6, otp.failures.size(), otp.failures.toString());
                    assertEquals(0, sup.restarts());
                });
    }

    private static String reason(Down down) {
        return down.reason().getClass().getSimpleName();
    }

    /** sup_stop_non_shutdown_exit_dynamic: children end for other reasons when they are stopped. */
    @Test
    void A5_otp_supStopNonShutdownExitDynamic() {
        OtpRun.run(
                otp -> {
                    for (RestartRule rule : RestartRule.values()) {
                        Supervisor sup = otp.start(otp.sup(Supervision.dynamic()));
                        List<String> downs = new ArrayList<>();
                        for (String id : List.of("fails", "ends")) {
                            Step.Code atStop =
                                    id.equals("ends")
                                            ? _ -> {}
                                            : _ -> {
                                                throw new Crash("instead");
                                            };
                            Actor<Step> actor =
                                    Actor.loop(
                                                    (ActorContext<Step> self) -> {
                                                        try {
                                                            self.receive();
                                                        } finally {
                                                            atStop.run(self);
                                                        }
                                                    })
                                            .restart(rule);
                            sup.start(id, actor)
                                    .target()
                                    .watch(
                                            down ->
                                                    downs.add(
                                                            down.actor().name()
                                                                    + " "
                                                                    + reason(down)),
                                            false);
                        }
                        settle();
                        otp.failures.clear();
                        otp.stop(sup);
                        settle();
                        assertTrue(otp.isOver());
                        assertEquals(
                                List.of("ends Shutdown", "fails Failed"),
                                downs.stream().sorted().toList());
                        assertEquals(1, otp.failures.size(), otp.failures.toString());
                        assertEquals(0, sup.restarts());
                    }
                });
    }

    /** child_unlink: a child that does not let itself be ended does not hang its supervisor. */
    @Test
    void A5_otp_childUnlink() {
        OtpRun.run(
                otp -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne()));
                    sup.add(otp.worker("naughty").permanent().stopLimit(SECOND));
                    ref(sup, "naughty")
                            .tell(
                                    Step.of(
                                            _ -> {
                                                for (; ; ) {
                                                    try {
                                                        CancelScope.shielded(
                                                                HOUR, () -> Fiber.sleep(HOUR));
                                                    } catch (FiberAbandonedException end) {
                                                        throw end;
                                                    } catch (Throwable swallowed) {
                                                        otp.log.add("swallowed");
                                                    }
                                                }
                                            }));
                    settle();
                    long beganNs = now();
                    Fiber<?> stopper = Fiber.spin("stopper", () -> sup.stop("naughty"));
                    settle();
                    assertEquals(List.of("naughty STOPPING"), states(sup));
                    assertEquals(Duration.ofNanos(1), since(beganNs));
                    stopper.await();
                    assertEquals(SECOND, since(beganNs));
                    assertEquals(List.of("naughty STOPPED"), states(sup));
                });
    }

    /** simple_one_for_one_shutdown: side by side, each within the limit. */
    @Test
    void A5_otp_simpleOneForOneShutdown() {
        OtpRun.run(
                otp -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Duration limit = Duration.ofSeconds(2);
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic().stopLimit(limit)));
                    List<String> ended = new ArrayList<>();
                    for (int seconds : List.of(1, 1, 5)) {
                        Actor<Step> actor =
                                Step.actor(
                                        self ->
                                                self.atEnd(
                                                        _ -> {
                                                            Fiber.sleep(
                                                                    Duration.ofSeconds(seconds));
                                                            ended.add(seconds + " s");
                                                        }));
                        sup.spin(actor);
                    }
                    settle();
                    long beganNs = now();
                    otp.stop(sup);
                    assertEquals(limit, since(beganNs));
                    assertEquals(List.of("1 s", "1 s"), ended);
                    assertTrue(otp.isOver());
                });
    }

    /** order_of_children. */
    @Test
    void A5_otp_orderOfChildren() {
        OtpRun.run(
                otp -> {
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                            Supervision.restForOne(),
                                            otp.worker("a7"),
                                            otp.worker("a3"),
                                            otp.worker("a10"),
                                            otp.worker("a2"),
                                            otp.worker("a5")));
                    assertEquals(List.of("+a7", "+a3", "+a10", "+a2", "+a5"), otp.takeLog());
                    ref(sup, "a10").tell(Step.crash("died"));
                    settle();
                    assertEquals(
                            List.of(
                                    "-a10 Failed",
                                    "-a5 Shutdown",
                                    "-a2 Shutdown",
                                    "+a10",
                                    "+a2",
                                    "+a5"),
                            otp.takeLog());
                    assertEquals(
                            List.of("a7 UP", "a3 UP", "a10 UP", "a2 UP", "a5 UP"), states(sup));
                    otp.stop(sup);
                    assertEquals(
                            List.of(
                                    "-a5 Shutdown",
                                    "-a2 Shutdown",
                                    "-a10 Shutdown",
                                    "-a3 Shutdown",
                                    "-a7 Shutdown"),
                            otp.log);
                });
    }
}
