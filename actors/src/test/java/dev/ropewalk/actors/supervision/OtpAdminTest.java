package dev.ropewalk.actors.supervision;

import static dev.ropewalk.actors.supervision.OtpRun.count;
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
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Rule A5, after OTP's tests of its supervisor: children by name, counts, and what is kept. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class OtpAdminTest {
    private static final ChildInfo.State UP = ChildInfo.State.UP;

    private static void assertUnknown(Supervisor sup, String id) {
        assertThrows(IllegalArgumentException.class, () -> sup.stop(id));
        assertThrows(IllegalArgumentException.class, () -> sup.restart(id));
        assertThrows(IllegalArgumentException.class, () -> sup.remove(id));
    }

    /** child_adm. */
    @Test
    void A5_otp_childAdm() {
        OtpRun.run(
                otp -> {
                    ActorSpec<Step> a = otp.worker("a").permanent();
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne(), a));
                    ActorRef<Step> first = sup.actor(a);
                    assertEquals(List.of("a UP"), states(sup));
                    Errors.assertMentions(
                            assertThrows(IllegalArgumentException.class, () -> sup.add(a)),
                            "top/sup/a",
                            "is taken by actor top/sup/a#1");
                    assertEquals(first, sup.actor(a));
                    assertUnknown(sup, "x");

                    sup.stop("a");
                    assertEquals(List.of("+a", "-a Shutdown"), otp.takeLog());
                    assertEquals(List.of("a STOPPED"), states(sup));
                    sup.stop("a");
                    Errors.assertMentions(
                            assertThrows(IllegalArgumentException.class, () -> sup.add(a)),
                            "top/sup/a",
                            "is taken");
                    assertEquals(List.of("a STOPPED"), states(sup));

                    sup.restart("a");
                    assertEquals(List.of("a UP"), states(sup));
                    assertNotEquals(first, sup.actor(a));
                    assertThrows(IllegalStateException.class, () -> sup.restart("a"));
                    assertThrows(IllegalStateException.class, () -> sup.remove("a"));

                    sup.stop("a");
                    sup.remove("a");
                    assertUnknown(sup, "a");
                    assertEquals(List.of(), states(sup));

                    sup.add(a);
                    assertEquals(List.of("a UP"), states(sup));
                    assertEquals(0, sup.restarts());

                    otp.stop(sup);
                    assertThrows(IllegalArgumentException.class, () -> sup.stop("a"));
                    assertThrows(IllegalArgumentException.class, () -> sup.remove("a"));
                    assertThrows(StartFailedException.class, () -> sup.restart("a"));
                    assertThrows(StartFailedException.class, () -> sup.add(a));
                    assertEquals(List.of(), sup.children());
                });
    }

    /** child_adm_simple. */
    @Test
    void A5_otp_childAdmSimple() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()));
                    assertEquals(List.of(), states(sup));
                    ActorRef<Step> a = sup.start("a", otp.actor("a"));
                    assertEquals(List.of("a UP"), states(sup));
                    ActorRef<Step> b = sup.start("b", otp.actor("b"));
                    assertEquals(List.of("a UP", "b UP"), states(sup));

                    assertThrows(IllegalArgumentException.class, () -> sup.stop("x"));
                    assertEquals(2, count(sup, UP));
                    sup.stop("a");
                    assertTrue(a.awaitEnd(Duration.ZERO));
                    assertEquals(List.of("b UP"), states(sup));
                    a.terminate(); // harmless
                    settle();
                    assertEquals(List.of("b UP"), states(sup));
                    assertFalse(b.awaitEnd(Duration.ZERO));
                    // It is forgotten: it can neither be restarted nor removed.
                    assertUnknown(sup, "a");

                    ActorRef<Step> other =
                            otp.start(otp.sup(Supervision.dynamic()))
                                    .start("other", otp.actor("other"));
                    assertThrows(IllegalArgumentException.class, () -> sup.stop(other.name()));
                    assertFalse(other.awaitEnd(Duration.ZERO));
                });
    }

    /** which_children. */
    @Test
    void A5_otp_whichChildren() {
        OtpRun.run(
                otp -> {
                    ActorSpec<Step> a = otp.worker("a");
                    ActorSpec<Step> b = otp.worker("b");
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne()));
                    assertEquals(List.of(), sup.children());
                    assertThrows(IllegalArgumentException.class, () -> sup.actor(a));
                    sup.add(a);
                    ActorRef<Step> refA = sup.actor(a);
                    assertEquals(List.of(info(refA, UP)), sup.children());
                    sup.add(b);
                    ActorRef<Step> refB = sup.actor(b);
                    assertEquals(List.of(info(refA, UP), info(refB, UP)), sup.children());
                    sup.stop("a");
                    assertEquals(
                            List.of(info(refA, ChildInfo.State.STOPPED), info(refB, UP)),
                            sup.children());
                    sup.remove("a");
                    assertEquals(List.of(info(refB, UP)), sup.children());
                    Errors.assertMentions(
                            assertThrows(IllegalArgumentException.class, () -> sup.actor(a)),
                            "sup",
                            "no child a",
                            "[b]");
                    assertThrows(IllegalArgumentException.class, () -> sup.supervisor("b"));
                });
    }

    private static ChildInfo info(ActorRef<Step> ref, ChildInfo.State state) {
        return new ChildInfo(ref.name(), ref, null, state, RestartRule.TRANSIENT, false);
    }

    /** which_children_simple_one_for_one. */
    @Test
    void A5_otp_whichChildrenSimpleOneForOne() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()));
                    assertEquals(List.of(), sup.children());
                    // Children without a name of their own are told apart by their addresses.
                    ActorRef<Step> first = sup.spin(otp.actor("a"));
                    assertEquals(List.of(info(first, UP)), sup.children());
                    ActorRef<Step> second = sup.spin(otp.actor("a"));
                    assertEquals(List.of(info(first, UP), info(second, UP)), sup.children());
                    assertNotEquals(first, second);
                    first.terminate();
                    settle();
                    assertEquals(List.of(info(second, UP)), sup.children());
                });
    }

    /**
     * already_started_outside_supervisor. From outside nobody can take a name below a supervisor,
     * so it is taken by an actor that no spec knows.
     */
    @Test
    void A5_otp_alreadyStartedOutsideSupervisor() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.oneForOne()));
                    ActorRef<Step> first = sup.spin("a", otp.actor("a"));
                    settle();
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class, () -> sup.add(otp.worker("a"))),
                            "the name top/sup/a is taken by actor top/sup/a#1");
                    settle();
                    assertEquals(List.of("+a"), otp.takeLog());
                    assertEquals(List.of(info(first, UP)), sup.children());
                    otp.stop(sup);
                    assertEquals(List.of("-a Shutdown"), otp.log);
                });
    }

    // ---------------------------------------------------------------- counts

    /** count_children. */
    @Test
    void A5_otp_countChildren() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()));
                    Actor<Step> actor = Step.actor().restart(RestartRule.TEMPORARY);
                    List<ActorRef<Step>> refs = new ArrayList<>();
                    for (int total : List.of(1_000, 2_000)) {
                        while (refs.size() < total) {
                            refs.add(sup.start("a" + refs.size(), actor));
                        }
                        assertEquals(total, count(sup, UP));
                        assertEquals(refs, sup.children().stream().map(ChildInfo::actor).toList());
                    }
                    refs.forEach(ActorRef::kill);
                    settle();
                    assertEquals(List.of(), sup.children());
                });
    }

    /** count_children_supervisor. */
    @Test
    void A5_otp_countChildrenSupervisor() {
        OtpRun.run(
                otp -> {
                    Supervisor sup = otp.start(otp.sup(Supervision.dynamic()));
                    List<Supervisor> below = new ArrayList<>();
                    for (int total : List.of(1_000, 2_000)) {
                        while (below.size() < total) {
                            below.add(sup.supervise("s" + below.size(), Supervision.oneForOne()));
                        }
                        assertEquals(total, count(sup, UP));
                        assertEquals(
                                below, sup.children().stream().map(ChildInfo::supervisor).toList());
                    }
                    below.reversed().forEach(each -> sup.stop(each.name()));
                    assertEquals(List.of(), sup.children());
                });
    }

    /** count_restarting_children. */
    @Test
    void A5_otp_countRestartingChildren() {
        OtpRun.run(
                otp -> {
                    boolean[] fails = new boolean[1];
                    Actor<Step> actor =
                            otp.actor(
                                            "x",
                                            _ -> {
                                                if (fails[0]) {
                                                    Fiber.sleep(Duration.ofSeconds(2));
                                                    throw new Crash("not yet");
                                                }
                                            })
                                    .restart(RestartRule.PERMANENT);
                    Supervisor sup =
                            otp.start(
                                    otp.sup(Supervision.dynamic())
                                            .intensity(20, Duration.ofSeconds(10)));
                    List<String> ids = List.of("a", "b", "c");
                    ids.forEach(id -> sup.start(id, actor));
                    ids.forEach(id -> ref(sup, id).tell(Step.crash("died")));
                    settle();
                    assertEquals(3, count(sup, UP));
                    fails[0] = true;
                    ref(sup, "a").tell(Step.crash("died"));
                    ref(sup, "b").tell(Step.crash("died"));
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(List.of("a RESTARTING", "b RESTARTING", "c UP"), states(sup));
                    fails[0] = false;
                    Fiber.sleep(Duration.ofSeconds(4));
                    assertEquals(3, count(sup, UP));
                    for (int left = 2; left >= 0; left--) {
                        sup.stop(ids.get(left));
                        assertEquals(left, count(sup, UP));
                        assertEquals(left, sup.children().size());
                    }
                });
    }

    // ---------------------------------------------------------------- what is kept

    /** Starts an actor that holds the data and is not held by the test. */
    private static WeakReference<byte[]> startWithData(Supervisor sup, RestartRule rule) {
        byte[] data = new byte[100_000];
        Actor<Step> actor = Step.actor(_ -> Objects.checkIndex(0, data.length)).restart(rule);
        if (rule == RestartRule.TEMPORARY && sup.children().size() % 2 == 0) {
            sup.start("a", actor);
        } else {
            sup.add(Tree.child("a", actor));
        }
        return new WeakReference<>(data);
    }

    private static void assertCollected(WeakReference<byte[]> data, String text) {
        for (int i = 0; data.get() != null && i < 50; i++) {
            System.gc();
            Fiber.sleep(Duration.ofMillis(1));
        }
        assertNull(data.get(), text);
    }

    /**
     * do_not_save_start_parameters_for_temporary_children: when one is over, nothing of it is held.
     * Before, its definition is.
     */
    @Test
    void A5_otp_doNotSaveStartParametersForTemporaryChildren() throws Exception {
        for (Supervision rules :
                List.of(
                        Supervision.oneForOne(),
                        Supervision.oneForAll(),
                        Supervision.restForOne(),
                        Supervision.dynamic())) {
            inRealTime(
                    rules,
                    sup -> {
                        WeakReference<byte[]> data = startWithData(sup, RestartRule.TEMPORARY);
                        System.gc();
                        assertEquals(100_000, Objects.requireNonNull(data.get()).length);
                        crash(sup);
                        assertCollected(data, rules.toString());
                        assertEquals(List.of(), sup.children());
                        // Those of others are, for their restart.
                        WeakReference<byte[]> kept = startWithData(sup, RestartRule.PERMANENT);
                        sup.stop("a");
                        System.gc();
                        assertEquals(List.of("a STOPPED"), states(sup));
                        assertEquals(100_000, Objects.requireNonNull(kept.get()).length);
                    });
        }
    }

    /** simple_one_for_one_corruption: nor after another one has died. */
    @Test
    void A5_otp_simpleOneForOneCorruption() throws Exception {
        inRealTime(
                Supervision.dynamic(),
                sup -> {
                    sup.start("first", Step.actor().restart(RestartRule.TEMPORARY));
                    ref(sup, "first").tell(Step.crash("died"));
                    WeakReference<byte[]> data = startWithData(sup, RestartRule.TEMPORARY);
                    crash(sup);
                    assertCollected(data, "after the first");
                    assertEquals(List.of(), sup.children());
                });
    }

    private static void crash(Supervisor sup) {
        ref(sup, "a").tell(Step.crash("died"));
        while (count(sup, UP) > 0) {
            Fiber.sleep(Duration.ofMillis(1));
        }
    }

    /** What a test does with a supervisor. */
    @FunctionalInterface
    private interface Body {
        void run(Supervisor sup) throws Exception;
    }

    /** Once: garbage and scaling need no seeds. */
    private static void inRealTime(Supervision rules, Body body) throws Exception {
        Cord.run(
                CordOptions.named("otp"),
                () -> {
                    try (ActorSystem system =
                            ActorSystem.start("system", rules.onFailure(_ -> {}), _ -> {})) {
                        body.run(system.root());
                    }
                    return true;
                });
    }

    /** do_not_save_child_specs_for_temporary_children. */
    @Test
    void A5_otp_doNotSaveChildSpecsForTemporaryChildren() {
        Map<String, Step> ends =
                Map.of(
                        "kill",
                        Step.of(self -> self.self().kill()),
                        "normal",
                        Step.stop(),
                        "abnormal",
                        Step.crash("died"));
        OtpRun.run(
                otp -> {
                    for (Supervision rules :
                            List.of(
                                    Supervision.oneForOne(),
                                    Supervision.oneForAll(),
                                    Supervision.restForOne())) {
                        for (String how : List.of("kill", "normal", "abnormal", "supervisor")) {
                            Supervisor sup = otp.start(otp.sup(rules).intensity(100, OtpRun.HOUR));
                            for (RestartRule rule : RestartRule.values()) {
                                String id = rule.toString();
                                ActorSpec<Step> spec = otp.worker(id).restart(rule);
                                sup.add(spec);
                                if (how.equals("supervisor")) {
                                    sup.stop(id);
                                } else {
                                    ref(sup, id).tell(Objects.requireNonNull(ends.get(how)));
                                    settle();
                                }
                                assertKept(sup, spec, rule, how);
                            }
                        }
                    }
                });
    }

    private static void assertKept(
            Supervisor sup, ActorSpec<Step> spec, RestartRule rule, String how) {
        if (rule == RestartRule.TEMPORARY) {
            sup.add(spec);
            return;
        }
        boolean isOver =
                how.equals("supervisor") || (how.equals("normal") && rule == RestartRule.TRANSIENT);
        assertEquals(
                isOver ? ChildInfo.State.STOPPED : UP, OtpRun.info(sup, spec.id()).state(), how);
        assertThrows(IllegalArgumentException.class, () -> sup.add(spec));
        if (isOver) {
            sup.restart(spec.id());
        }
    }

    // ---------------------------------------------------------------- many

    /** With a step for each child at each call, this alone would take longer than the test may. */
    private static final int MANY = 100_000;

    /** simple_one_for_one_scale_many_temporary_children. */
    @Test
    void A5_otp_simpleOneForOneScaleManyTemporaryChildren() throws Exception {
        Actor<Step> actor = Step.actor().restart(RestartRule.TEMPORARY);
        inRealTime(
                Supervision.dynamic(),
                sup -> {
                    List<ActorRef<Step>> refs = new ArrayList<>();
                    for (int i = 0; i < MANY; i++) {
                        refs.add(sup.start("a" + i, actor));
                    }
                    for (ActorRef<Step> ref : refs) {
                        ref.terminate();
                        assertTrue(ref.awaitEnd(OtpRun.HOUR));
                    }
                    assertEquals(List.of(), sup.children());
                });
    }

    /** scale_start_stop_many_children. */
    @Test
    void A5_otp_scaleStartStopManyChildren() throws Exception {
        inRealTime(
                Supervision.oneForOne(),
                sup -> {
                    for (int i = 0; i < MANY; i++) {
                        sup.add(Tree.child("a" + i, Step.actor()).permanent());
                    }
                    for (int i = MANY - 1; i >= 0; i--) {
                        sup.stop("a" + i);
                    }
                    for (int i = 0; i < MANY; i++) {
                        sup.remove("a" + i);
                    }
                    assertEquals(List.of(), sup.children());
                });
    }
}
