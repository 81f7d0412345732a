package dev.ropewalk.actors.supervision;

import static dev.ropewalk.actors.supervision.OtpRun.SECOND;
import static dev.ropewalk.actors.supervision.OtpRun.ignoring;
import static dev.ropewalk.actors.supervision.OtpRun.info;
import static dev.ropewalk.actors.supervision.OtpRun.settle;
import static dev.ropewalk.actors.supervision.OtpRun.states;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule A5, after OTP's tests of its supervisor: starts, specs and rules. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class OtpStartTest {
    private static Actor<Step> failing(RuntimeException failure) {
        return Step.actor(
                _ -> {
                    throw failure;
                });
    }

    // ---------------------------------------------------------------- starts

    /** sup_start_normal. */
    @Test
    void A5_otp_supStartNormal() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne()));
                    assertEquals(List.of(), sup.children());
                    assertFalse(otp.isOver());
                    otp.stop(sup);
                    assertTrue(otp.isOver());
                    assertEquals(List.of(), otp.failures);
                });
    }

    /**
     * sup_start_ignore_child. For the transient rule; a permanent child that stops itself is
     * started again.
     */
    @Test
    void A5_otp_supStartIgnoreChild() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne()));
                    sup.add(Tree.child("a", ignoring()));
                    sup.add(otp.worker("b"));
                    assertEquals(List.of("a STOPPED", "b UP"), states(sup));
                    assertEquals(0, sup.restarts());

                    sup.add(Tree.child("c", ignoring()).permanent());
                    settle();
                    assertGaveUpOn(otp, "c");
                });
    }

    /** A permanent child that stops itself is started again, and again; that is no failure. */
    private static void assertGaveUpOn(OtpRun otp, String child) {
        assertTrue(otp.isOver());
        assertEquals(1, otp.failures.size(), otp.failures.toString());
        Errors.assertMentions(
                new AssertionError(otp.failures.getFirst()),
                "sup gives up on " + child,
                "3 restarts");
    }

    /** sup_start_ignore_temporary_child. */
    @Test
    void A5_otp_supStartIgnoreTemporaryChild() {
        OtpRun.run(
                otp -> {
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                            Supervision.oneForOne(),
                                            Tree.child("a", ignoring()).temporary(),
                                            otp.worker("b").temporary()));
                    assertEquals(List.of("b UP"), states(sup));
                });
    }

    /** sup_start_ignore_temporary_child_start_child. */
    @Test
    void A5_otp_supStartIgnoreTemporaryChildStartChild() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne()));
                    sup.add(Tree.child("a", ignoring()).temporary());
                    sup.add(otp.worker("b").temporary());
                    assertEquals(List.of("b UP"), states(sup));
                });
    }

    /** sup_start_ignore_temporary_child_start_child_simple. */
    @Test
    void A5_otp_supStartIgnoreTemporaryChildStartChildSimple() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()));
                    sup.start("a", ignoring().restart(RestartRule.TEMPORARY));
                    sup.start("b", otp.actor("b").restart(RestartRule.TEMPORARY));
                    assertEquals(List.of("b UP"), states(sup));
                });
    }

    /**
     * sup_start_ignore_permanent_child_start_child_simple. For the transient rule; a permanent
     * child that stops itself is started again.
     */
    @Test
    void A5_otp_supStartIgnorePermanentChildStartChildSimple() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()));
                    sup.start("a", ignoring());
                    sup.start("b", otp.actor("b"));
                    assertEquals(List.of("b UP"), states(sup));
                    otp.stop(sup);
                    assertTrue(otp.isOver());
                    assertEquals(List.of("+b", "-b Shutdown"), otp.log);
                    assertEquals(List.of(), otp.failures);

                    Supervisor other = otp.start(otp.sup(Supervision.dynamic()));
                    other.spin("c", ignoring().restart(RestartRule.PERMANENT));
                    settle();
                    assertGaveUpOn(otp, "c");
                });
    }

    /** sup_start_error_return: of the factory, because a tree's own rules are checked by types. */
    @Test
    void A5_otp_supStartErrorReturn() {
        OtpRun.run(
                otp -> {
                    Actor<Step> bad = Actor.handler((ActorContext<Step> _) -> Behavior.same());
                    Tree sup =
                            otp.sup(
                                    Supervision.oneForOne(),
                                    otp.worker("a"),
                                    Tree.child("bad", bad));
                    Errors.assertMentions(
                            assertThrows(StartFailedException.class, () -> otp.start(sup)),
                            "sup",
                            "bad",
                            "there is no behavior yet");
                    settle();
                    assertEquals(List.of("+a", "-a Shutdown"), otp.log);
                });
    }

    /** sup_start_fail: who starts the supervisor is told, and nobody else is harmed. */
    @Test
    void A5_otp_supStartFail() {
        OtpRun.run(
                otp -> {
                    Supervisor top =
                            otp.start(otp.sup(Supervision.oneForOne(), otp.worker("other")));
                    otp.takeLog();
                    Crash crash = new Crash("fail");
                    StartFailedException failure =
                            assertThrows(
                                    StartFailedException.class,
                                    () ->
                                            top.add(
                                                    otp.sup(
                                                            "below",
                                                            Supervision.oneForOne(),
                                                            Tree.child("a", failing(crash)))));
                    Errors.assertMentions(failure, "below", "a", "fail");
                    settle();
                    assertEquals(List.of("other UP"), states(top));
                    assertEquals(List.of(), otp.log);
                    assertEquals(0, top.restarts());
                    assertFalse(otp.isOver());
                });
    }

    /** sup_start_child_returns_error. */
    @Test
    void A5_otp_supStartChildReturnsError() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne()));
                    Crash crash = new Crash("reason");
                    StartFailedException failure =
                            assertThrows(
                                    StartFailedException.class,
                                    () -> sup.add(Tree.child("a", failing(crash)).permanent()));
                    Errors.assertMentions(failure, "a did not start", "reason");
                    assertSame(crash, failure.getCause());
                    assertEquals(List.of(), states(sup));
                    assertEquals(0, sup.restarts());
                    sup.add(otp.worker("a"));
                    assertEquals(List.of("a UP"), states(sup));
                });
    }

    /** The same where the start never comes to an end. */
    @Test
    void A5_aChildThatTakesTooLongIsNotAdded() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne()));
                    ActorSpec<Step> hangs = otp.worker("a", _ -> Fiber.sleep(OtpRun.HOUR));
                    assertThrows(StartFailedException.class, () -> sup.add(hangs));
                    settle();
                    assertEquals(List.of(), states(sup));
                    sup.add(otp.worker("a"));
                });
    }

    /** sup_start_restart_child_returns_error. */
    @Test
    void A5_otp_supStartRestartChildReturnsError() {
        OtpRun.run(
                otp -> {
                    int[] starts = new int[1];
                    ActorSpec<Step> a =
                            otp.worker(
                                    "a",
                                    _ -> {
                                        if (starts[0]++ > 0) {
                                            throw new Crash("no more");
                                        }
                                    });
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne(), a.permanent()));
                    sup.stop("a");
                    Errors.assertMentions(
                            assertThrows(StartFailedException.class, () -> sup.restart("a")),
                            "a",
                            "no more");
                    assertEquals(List.of("a STOPPED"), states(sup));
                    assertEquals(0, sup.restarts());
                    assertThrows(StartFailedException.class, () -> sup.restart("a"));
                });
    }

    /** The same where the start never comes to an end. */
    @Test
    void A5_aRestartThatTakesTooLongLeavesTheChildStopped() {
        OtpRun.run(
                otp -> {
                    int[] starts = new int[1];
                    ActorSpec<Step> a =
                            otp.worker(
                                    "a",
                                    _ -> {
                                        if (starts[0]++ == 1) {
                                            Fiber.sleep(OtpRun.HOUR);
                                        }
                                    });
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne(), a));
                    sup.stop("a");
                    assertThrows(StartFailedException.class, () -> sup.restart("a"));
                    settle();
                    assertEquals(List.of("a STOPPED"), states(sup));
                    sup.restart("a");
                    assertEquals(List.of("a UP"), states(sup));
                });
    }

    /** sup_start_child_returns_error_simple. */
    @Test
    void A5_otp_supStartChildReturnsErrorSimple() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()));
                    Crash crash = new Crash("reason");
                    Actor<Step> permanent = failing(crash).restart(RestartRule.PERMANENT);
                    StartFailedException failure =
                            assertThrows(
                                    StartFailedException.class, () -> sup.start("a", permanent));
                    assertSame(crash, failure.getCause());
                    assertEquals(List.of(), states(sup));
                    assertEquals(0, sup.restarts());
                });
    }

    /** faulty_application_shutdown: the first failure comes up through all that did not start. */
    @Test
    void A5_otp_faultyApplicationShutdown() {
        OtpRun.run(
                otp -> {
                    Crash crash = new Crash("an undefined function");
                    Tree inner =
                            otp.sup(
                                    "inner",
                                    Supervision.oneForOne(),
                                    otp.worker("a"),
                                    Tree.child("faulty", failing(crash)));
                    StartFailedException failure =
                            assertThrows(
                                    StartFailedException.class,
                                    () -> otp.start(otp.sup(Supervision.oneForOne(), inner)));
                    Errors.assertMentions(failure, "sup", "inner", "faulty", "undefined");
                    Throwable root = failure;
                    List<Throwable> chain = new ArrayList<>();
                    while (root != null && chain.add(root)) {
                        root = root.getCause();
                    }
                    assertSame(crash, chain.getLast());
                    settle();
                    assertEquals(List.of("+a", "-a Shutdown"), otp.log);
                });
    }

    // ---------------------------------------------------------------- specs

    /** sup_start_map: what holds where a spec says nothing, and that specs can be read. */
    @Test
    void A5_otp_supStartMap() {
        OtpRun.run(
                otp -> {
                    ActorSpec<Step> a = otp.worker("a");
                    ActorSpec<Step> b = otp.worker("b").killedAtStop();
                    Tree c = Tree.oneForOne("c");
                    Tree tree = Tree.oneForOne("sup", a, b, c);
                    Supervision rules = tree.rules();
                    assertEquals(Strategy.ONE_FOR_ONE, rules.strategy());
                    assertEquals(1, rules.intensity());
                    assertEquals(Duration.ofSeconds(5), rules.period());
                    assertEquals(AutoShutdown.NEVER, rules.autoShutdown());
                    assertEquals(Duration.ofSeconds(5), rules.stopLimit());
                    assertEquals(List.of(a, b, c), tree.children());
                    assertNull(a.restartRule());
                    assertNull(a.stopLimit());
                    assertFalse(a.isKilled());
                    assertTrue(b.isKilled());
                    Supervisor sup = otp.start(tree);
                    for (ChildInfo child : sup.children()) {
                        assertEquals(RestartRule.TRANSIENT, child.restart());
                        assertFalse(child.isSignificant());
                        assertEquals(ChildInfo.State.UP, child.state());
                    }
                    assertNotNull(info(sup, "b").actor());
                    assertNotNull(info(sup, "c").supervisor());
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> sup.actor(otp.worker("d"))),
                            "sup",
                            "no child d");
                });
    }

    /** sup_start_map_simple. */
    @Test
    void A5_otp_supStartMapSimple() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()));
                    Actor<Step> actor = otp.actor("x").restart(RestartRule.TEMPORARY);
                    for (String id : List.of("a", "b", "c")) {
                        ActorRef<Step> ref = sup.start(id, actor);
                        assertEquals(
                                new ChildInfo(
                                        id,
                                        ref,
                                        null,
                                        ChildInfo.State.UP,
                                        RestartRule.TEMPORARY,
                                        false),
                                info(sup, id));
                    }
                });
    }

    /** sup_start_map_faulty_specs. */
    @Test
    void A5_otp_supStartMapFaultySpecs() {
        OtpRun.run(
                otp -> {
                    Errors.assertMentions(
                            assertThrows(IllegalArgumentException.class, () -> otp.worker("")),
                            "name=\"\" of a child is blank");
                    Errors.assertMentions(
                            assertThrows(IllegalArgumentException.class, () -> otp.worker("a/b")),
                            "name=\"a/b\" of a child has a /");
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> otp.sup("", Supervision.oneForOne()));
                });
    }

    /** child_specs. */
    @Test
    void A5_otp_childSpecs() {
        OtpRun.run(
                otp -> {
                    ActorSpec<Step> a = otp.worker("a");
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> a.stopLimit(Duration.ofMillis(-10))),
                            "-0.01");
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> otp.sup(Supervision.oneForOne(), a, Tree.oneForOne("a"))),
                            "two children of sup have the id a");
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> otp.sup(Supervision.dynamic(), a)),
                            "dynamic",
                            "[a]");
                    for (RestartRule rule : RestartRule.values()) {
                        Supervisor sup =
                                otp.start(
                                        otp.sup(
                                                Supervision.oneForOne(),
                                                otp.worker("b").restart(rule),
                                                otp.worker("c")
                                                        .restart(rule)
                                                        .stopLimit(Duration.ZERO),
                                                otp.worker("d").restart(rule).stopLimit(SECOND),
                                                otp.worker("e").restart(rule).noStopLimit(),
                                                otp.worker("f").restart(rule).killedAtStop(),
                                                Tree.oneForOne("g").restart(rule)));
                        assertEquals(6, OtpRun.count(sup, ChildInfo.State.UP));
                    }
                });
    }

    /** child_specs_map: which children may be significant, below which supervisors. */
    @Test
    void A5_otp_childSpecsMap() {
        OtpRun.run(
                otp -> {
                    for (AutoShutdown when : AutoShutdown.values()) {
                        Supervision rules = Supervision.oneForOne().autoShutdown(when);
                        for (RestartRule rule : RestartRule.values()) {
                            for (boolean isSignificant : List.of(true, false)) {
                                // By the spec, and by the actor itself.
                                ActorSpec<Step> bySpec = otp.worker("a").restart(rule);
                                ActorSpec<Step> byActor =
                                        Tree.child("a", otp.actor("a").restart(rule));
                                boolean isRefused =
                                        isSignificant
                                                && (when == AutoShutdown.NEVER
                                                        || rule == RestartRule.PERMANENT);
                                for (ActorSpec<Step> each : List.of(bySpec, byActor)) {
                                    ActorSpec<Step> spec =
                                            isSignificant ? each.significant() : each;
                                    String text = when + " " + rule + " " + isSignificant;
                                    if (isRefused) {
                                        assertRefused(otp, rules, spec, text);
                                    } else {
                                        otp.start(otp.sup(rules, spec));
                                    }
                                }
                            }
                        }
                    }
                });
    }

    /** At the start of a tree, and when it is added. */
    private static void assertRefused(
            OtpRun otp, Supervision rules, ActorSpec<Step> spec, String text) {
        assertThrows(IllegalArgumentException.class, () -> otp.start(otp.sup(rules, spec)), text);
        Supervisor sup = otp.start(otp.sup(rules));
        assertThrows(IllegalArgumentException.class, () -> sup.add(spec), text);
        assertEquals(List.of(), states(sup), text);
    }

    /** sup_flags. */
    @Test
    void A5_otp_supFlags() {
        Supervision rules = Supervision.oneForOne();
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> rules.intensity(-1, SECOND)),
                "intensity=-1");
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class, () -> rules.intensity(2, Duration.ZERO)),
                "period=PT0S");
        assertThrows(
                IllegalArgumentException.class, () -> rules.intensity(2, Duration.ofSeconds(-1)));
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> rules.stopLimit(Duration.ofSeconds(-1))),
                "stopLimit=PT-1S");
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> rules.startLimit(Duration.ZERO)),
                "startLimit=PT0S");
        assertEquals(0, rules.intensity(0, SECOND).intensity());
    }
}
