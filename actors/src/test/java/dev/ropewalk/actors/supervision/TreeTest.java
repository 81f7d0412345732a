package dev.ropewalk.actors.supervision;

import static dev.ropewalk.actors.supervision.Tree.child;
import static dev.ropewalk.actors.supervision.Tree.dynamic;
import static dev.ropewalk.actors.supervision.Tree.oneForAll;
import static dev.ropewalk.actors.supervision.Tree.oneForOne;
import static dev.ropewalk.actors.supervision.Tree.restForOne;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule A5: trees of supervisors. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TreeTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<String> log = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /** What a test does with a system. */
    @FunctionalInterface
    private interface Body {
        void run(ActorSystem system) throws Exception;
    }

    private Supervision told(Supervision rules) {
        return rules.onFailure(
                report -> failures.add(Errors.inShort(report.actor() + ": " + report.failure())));
    }

    private Tree told(Tree tree) {
        return tree.rules(told(tree.rules()).intensity(100, Duration.ofSeconds(1)));
    }

    /** A child that notes its start and its end. */
    private ActorSpec<Step> noted(String id) {
        return child(
                id,
                Step.actor(
                        self -> {
                            log.add("+" + id);
                            self.atEnd(_ -> log.add("-" + id));
                        }));
    }

    private void run(Tree tree, Body body) {
        TestCord.run(
                () -> {
                    log.clear();
                    failures.clear();
                    try (ActorSystem system = ActorSystem.start(tree, _ -> {})) {
                        body.run(system);
                    }
                });
    }

    private static void settle() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    private static ActorRef<Step> actor(Supervisor supervisor, ActorSpec<Step> spec) {
        return supervisor.actor(spec);
    }

    // ---------------------------------------------------------------- starting and stopping

    @Test
    void A5_childrenStartInOrderAndStopInReverse() {
        ActorSpec<Step> slow =
                child(
                        "slow",
                        Step.actor(
                                self -> {
                                    self.atEnd(_ -> log.add("-slow"));
                                    Fiber.sleep(Duration.ofSeconds(1));
                                    log.add("+slow");
                                }));
        run(
                oneForOne("top", slow, oneForAll("below", noted("a"), noted("b")), noted("c")),
                _ -> assertEquals(List.of("+slow", "+a", "+b", "+c"), log));
        assertEquals(
                List.of("+slow", "+a", "+b", "+c", "-c", "-b", "-a", "-slow"), List.copyOf(log));
    }

    @Test
    void A5_aFailedStartRollsBackInReverse() {
        ActorSpec<Step> broken =
                child(
                        "broken",
                        Step.actor(
                                _ -> {
                                    throw new Crash("no");
                                }));
        TestCord.run(
                () -> {
                    log.clear();
                    StartFailedException failure =
                            assertThrows(
                                    StartFailedException.class,
                                    () ->
                                            ActorSystem.start(
                                                    oneForOne(
                                                            "top",
                                                            noted("a"),
                                                            told(
                                                                    restForOne(
                                                                            "below",
                                                                            noted("b"),
                                                                            broken,
                                                                            noted("c"))),
                                                            noted("d"))));
                    assertEquals(List.of("+a", "+b", "-b", "-a"), log);
                    Errors.assertMentions(failure, "top", "below", "broken", "no");
                });
    }

    @Test
    void A5_aStartThatTakesTooLongFails() {
        ActorSpec<Step> hangs = child("hangs", Step.actor(_ -> Fiber.sleep(LONG)));
        TestCord.run(
                () -> {
                    log.clear();
                    long beganNs = Cord.current().nanoTime();
                    StartFailedException failure =
                            assertThrows(
                                    StartFailedException.class,
                                    () ->
                                            ActorSystem.start(
                                                    told(oneForOne("top", noted("a"), hangs))));
                    assertEquals(
                            Duration.ofSeconds(10).toNanos(), Cord.current().nanoTime() - beganNs);
                    assertEquals(List.of("+a", "-a"), log);
                    Errors.assertMentions(failure, "hangs");
                });
    }

    /** The stop does not wait for the start limit. */
    @Test
    void A5_aStopGetsInWhileAChildStarts() {
        run(
                told(oneForOne("top", noted("a"))),
                system -> {
                    Tree slow =
                            told(
                                    oneForOne(
                                            "slow",
                                            noted("b"),
                                            child("hangs", Step.actor(_ -> Fiber.sleep(LONG)))));
                    Fiber<?> adder =
                            Fiber.spin(
                                    "adder",
                                    () ->
                                            assertThrows(
                                                    StartFailedException.class,
                                                    () -> system.root().add(slow)));
                    Fiber.sleep(Duration.ofSeconds(1));
                    long beganNs = Cord.current().nanoTime();
                    system.close();
                    assertTrue(
                            Cord.current().nanoTime() - beganNs < Duration.ofSeconds(1).toNanos());
                    adder.await();
                    assertEquals(List.of("+a", "+b", "-b", "-a"), log);
                });
    }

    // ---------------------------------------------------------------- strategies

    @Test
    void A5_oneForAll() {
        ActorSpec<Step> b = noted("b");
        run(
                told(oneForAll("top", noted("a"), b, noted("c"))),
                system -> {
                    ActorRef<Step> ref = actor(system.root(), b);
                    log.clear();
                    ref.tell(Step.crash("no"));
                    ref.tell(Step.of(_ -> log.add("kept")));
                    settle();
                    assertTrue(log.remove("kept"));
                    assertEquals(List.of("-b", "-c", "-a", "+a", "+b", "+c"), log);
                    assertEquals(1, system.root().restarts());
                    assertEquals(ref, actor(system.root(), b));
                });
    }

    @Test
    void A5_restForOne() {
        ActorSpec<Step> b = noted("b");
        ActorSpec<Step> d = noted("d");
        run(
                told(restForOne("top", noted("a"), b, noted("c"), d)),
                system -> {
                    log.clear();
                    actor(system.root(), b).tell(Step.crash("no"));
                    settle();
                    assertEquals(List.of("-b", "-d", "-c", "+b", "+c", "+d"), List.copyOf(log));
                    log.clear();
                    actor(system.root(), d).tell(Step.crash("no"));
                    settle();
                    assertEquals(List.of("-d", "+d"), log);
                });
    }

    /** Temporary ones are not started again with their group, and are forgotten. */
    @Test
    void A5_aTemporaryChildOfTheGroupIsGone() {
        ActorSpec<Step> a = noted("a");
        run(
                told(oneForAll("top", a, noted("b").temporary(), noted("c"))),
                system -> {
                    log.clear();
                    actor(system.root(), a).tell(Step.crash("no"));
                    settle();
                    assertEquals(List.of("-a", "-c", "-b", "+a", "+c"), log);
                    assertEquals(List.of("a", "c"), ids(system.root()));
                });
    }

    private static List<String> ids(Supervisor supervisor) {
        return supervisor.children().stream().map(ChildInfo::id).toList();
    }

    /** A group that fails to start is tried again, and each try counts. */
    @Test
    void A5_aFailedRestartOfAGroupIsTriedAgain() {
        int[] starts = new int[1];
        ActorSpec<Step> a = noted("a");
        ActorSpec<Step> shaky =
                child(
                        "shaky",
                        Step.actor(
                                _ -> {
                                    starts[0]++;
                                    log.add("shaky " + starts[0]);
                                    if (starts[0] > 1 && starts[0] < 4) {
                                        throw new Crash("not yet");
                                    }
                                }));
        run(
                told(oneForAll("top", a, shaky, noted("c"))),
                system -> {
                    starts[0] = 1;
                    log.clear();
                    actor(system.root(), a).tell(Step.crash("no"));
                    settle();
                    assertEquals(
                            List.of(
                                    "-a", "-c", "+a", "shaky 2", "-a", "+a", "shaky 3", "-a", "+a",
                                    "shaky 4", "+c"),
                            List.copyOf(log));
                    assertEquals(3, system.root().restarts());
                    assertEquals(3, failures.size());
                });
    }

    @Test
    void A5_endlessFailuresOfAGroupEndTheSupervisor() {
        int[] starts = new int[1];
        ActorSpec<Step> a = noted("a");
        ActorSpec<Step> breaks =
                child(
                        "breaks",
                        Step.actor(
                                _ -> {
                                    if (starts[0]++ > 0) {
                                        throw new Crash("never");
                                    }
                                }));
        TestCord.run(
                () -> {
                    log.clear();
                    starts[0] = 0;
                    ActorSystem top = ActorSystem.start(told(oneForOne("up")), _ -> {});
                    try (top) {
                        top.root()
                                .add(
                                        told(restForOne("top", a, breaks))
                                                .temporary()
                                                .intensity(3, LONG));
                        actor(top.supervisor("top"), a).tell(Step.crash("no"));
                        settle();
                        assertEquals(4, starts[0]); // the first, one restart, two more tries
                        assertEquals(List.of(), ids(top.root()));
                        assertTrue(failures.getLast().contains("gives up on breaks"));
                    }
                });
    }

    /** The group waits for its back-off together. */
    @Test
    void A5_backOffOfAGroup() {
        ActorSpec<Step> b = noted("b");
        run(
                told(oneForAll("top", noted("a"), b))
                        .backOff(BackOff.doubling(Duration.ofSeconds(1), LONG).withJitter(0)),
                system -> {
                    log.clear();
                    actor(system.root(), b).tell(Step.crash("no"));
                    Fiber.sleep(Duration.ofMillis(900));
                    assertEquals(List.of("-b", "-a"), log);
                    Fiber.sleep(Duration.ofMillis(200));
                    assertEquals(List.of("-b", "-a", "+a", "+b"), log);
                });
    }

    /** An older neighbour that fails while the group is down comes first, after its own delay. */
    @Test
    void A5_whatFailsMeanwhileIsStartedAgainToo() {
        ActorSpec<Step> a = noted("a");
        ActorSpec<Step> b = noted("b");
        run(
                told(restForOne("top", a, b))
                        .backOff(BackOff.doubling(Duration.ofSeconds(1), LONG).withJitter(0)),
                system -> {
                    ActorRef<Step> first = actor(system.root(), a);
                    log.clear();
                    actor(system.root(), b).tell(Step.crash("no"));
                    Fiber.sleep(Duration.ofMillis(500));
                    first.tell(Step.crash("too"));
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(List.of("-b", "-a", "+a", "+b"), List.copyOf(log));
                });
    }

    // ---------------------------------------------------------------- dynamic

    @Test
    void A5_dynamicChildrenStopSideBySide() {
        run(
                told(oneForOne("top", told(dynamic("pool")))),
                system -> {
                    Supervisor pool = system.supervisor("pool");
                    for (int i = 0; i < 100; i++) {
                        pool.spin(
                                "actor-" + i,
                                Step.actor(
                                        self ->
                                                self.atEnd(
                                                        _ -> Fiber.sleep(Duration.ofSeconds(1)))));
                    }
                    settle();
                    long beganNs = Cord.current().nanoTime();
                    system.close();
                    assertEquals(
                            Duration.ofSeconds(1).toNanos(), Cord.current().nanoTime() - beganNs);
                });
    }

    // ---------------------------------------------------------------- significant children

    @Test
    void A5_anySignificantChildEndsTheSupervisor() {
        ActorSpec<Step> b = noted("b").significant();
        run(
                told(
                        oneForOne(
                                "top",
                                oneForOne("below", noted("a"), b, noted("c"))
                                        .autoShutdown(AutoShutdown.ANY))),
                system -> {
                    Supervisor below = system.supervisor("below");
                    log.clear();
                    actor(below, b).tell(Step.stop());
                    settle();
                    assertEquals(List.of("-b", "-c", "-a"), log);
                    assertEquals(
                            ChildInfo.State.STOPPED, system.root().children().getFirst().state());
                    assertEquals(0, system.root().restarts());
                });
    }

    @Test
    void A5_allSignificantChildrenEndTheSupervisor() {
        ActorSpec<Step> a = noted("a").significant();
        ActorSpec<Step> b = noted("b").temporary().significant();
        run(
                told(
                        oneForOne(
                                "top",
                                told(oneForOne("below", a, b, noted("c")))
                                        .autoShutdown(AutoShutdown.ALL))),
                system -> {
                    Supervisor below = system.supervisor("below");
                    ActorRef<Step> first = actor(below, a);
                    log.clear();
                    actor(below, b).tell(Step.crash("no"));
                    settle();
                    first.tell(Step.crash("restarted"));
                    settle();
                    assertEquals(List.of("-b", "-a", "+a"), log);
                    first.stop();
                    settle();
                    assertEquals(List.of("-b", "-a", "+a", "-a", "-c"), log);
                });
    }

    /** A stop by the supervisor is no end by itself. */
    @Test
    void A5_aSignificantChildThatIsStoppedByNameEndsNobody() {
        ActorSpec<Step> a = noted("a").significant();
        run(
                told(oneForOne("top", a, noted("b"))).autoShutdown(AutoShutdown.ANY),
                system -> {
                    system.root().stop("a");
                    settle();
                    assertEquals(List.of("+a", "+b", "-a"), log);
                });
    }

    /** The children are started again with it, and no new ones of the same names. */
    @Test
    void A5_aPermanentTreeThatEndsByItselfIsStartedAgainWhole() {
        ActorSpec<Step> a = noted("a");
        ActorSpec<Step> b = noted("b").significant();
        run(
                told(
                        oneForOne(
                                "top",
                                told(oneForOne("below", a, b))
                                        .autoShutdown(AutoShutdown.ANY)
                                        .permanent())),
                system -> {
                    Supervisor below = system.supervisor("below");
                    ActorRef<Step> ref = actor(below, a);
                    log.clear();
                    actor(below, b).tell(Step.stop());
                    settle();
                    assertEquals(List.of("-b", "-a", "+a", "+b"), log);
                    assertEquals(List.of(), failures);
                    assertEquals(1, system.root().restarts());
                    assertEquals(ref, actor(below, a));
                    below.stop("a");
                    assertEquals("-a", log.getLast());
                });
    }

    /** Its end for good was begun before the failure. */
    @ParameterizedTest
    @EnumSource(names = {"ONE_FOR_ALL", "REST_FOR_ONE"})
    void A5_aTreeThatEndsByItselfIsNotStartedWithItsGroup(Strategy strategy) {
        ActorSpec<Step> a = noted("a");
        ActorSpec<Step> slow =
                child("slow", Step.actor(self -> self.atEnd(_ -> Fiber.sleep(SECOND))));
        ActorSpec<Step> c = noted("c").significant();
        Tree ofGroup =
                Tree.of(
                        "top",
                        Supervision.oneForOne().strategy(strategy),
                        a,
                        told(oneForOne("below", noted("b"), slow, c))
                                .autoShutdown(AutoShutdown.ANY));
        run(
                told(ofGroup),
                system -> {
                    Supervisor root = system.root();
                    log.clear();
                    actor(system.supervisor("below"), c).tell(Step.stop());
                    settle();
                    actor(root, a).tell(Step.crash("no"));
                    Fiber.sleep(SECOND.multipliedBy(2));
                    assertEquals(List.of("-c", "-a", "-b", "+a"), log);
                    assertEquals(1, failures.size(), failures::toString);
                    assertEquals(ChildInfo.State.STOPPED, root.children().getLast().state());
                    root.restart("below");
                    assertEquals(List.of("+b", "+c"), log.subList(4, log.size()));
                });
    }

    // ---------------------------------------------------------------- stop limits

    @Test
    void A5_aLimitOfTheChildsOwn() {
        ActorSpec<Step> slow =
                child(
                                "slow",
                                Step.actor(
                                        self ->
                                                self.atEnd(
                                                        _ -> {
                                                            Fiber.sleep(Duration.ofSeconds(30));
                                                            log.add("-slow");
                                                        })))
                        .noStopLimit();
        run(
                told(oneForOne("top", slow)),
                system -> {
                    long beganNs = Cord.current().nanoTime();
                    system.close();
                    assertEquals(
                            Duration.ofSeconds(30).toNanos(), Cord.current().nanoTime() - beganNs);
                });
        assertEquals(List.of("-slow"), log);
    }

    @Test
    void A5_killedAtStop() {
        List<ExitReason> reasons = new ArrayList<>();
        ActorSpec<Step> killed =
                child("killed", Step.actor(self -> self.atEnd(reasons::add))).killedAtStop();
        run(told(oneForOne("top", killed)), _ -> reasons.clear());
        assertEquals(List.of(new ExitReason.Killed()), reasons);
        assertEquals(List.of(), failures);
    }

    // ---------------------------------------------------------------- by name

    @Test
    void A5_stopRestartRemove() {
        ActorSpec<Step> a = noted("a");
        run(
                told(oneForOne("top", a, noted("b"))),
                system -> {
                    Supervisor top = system.root();
                    ActorRef<Step> before = actor(top, a);
                    Errors.assertMentions(
                            assertThrows(IllegalStateException.class, () -> top.restart("a")),
                            "a",
                            "stop it first");
                    assertThrows(IllegalStateException.class, () -> top.remove("a"));
                    assertThrows(IllegalArgumentException.class, () -> top.stop("c"));
                    assertThrows(IllegalArgumentException.class, () -> top.restart("c"));
                    assertThrows(IllegalArgumentException.class, () -> top.remove("c"));
                    top.stop("a");
                    top.stop("a");
                    assertTrue(before.awaitEnd(LONG));
                    assertEquals(ChildInfo.State.STOPPED, top.children().getFirst().state());
                    top.restart("a");
                    ActorRef<Step> after = actor(top, a);
                    assertNotEquals(before, after);
                    assertFalse(after.awaitEnd(Duration.ZERO));
                    top.stop("a");
                    top.remove("a");
                    assertEquals(List.of("b"), ids(top));
                    assertEquals(List.of("+a", "+b", "-a", "+a", "-a"), log);
                });
    }

    @Test
    void A5_aRestartByNameThatTakesTooLongStaysStopped() {
        int[] starts = new int[1];
        ActorSpec<Step> a =
                child(
                        "a",
                        Step.actor(
                                _ -> {
                                    if (starts[0]++ > 0) {
                                        Fiber.sleep(LONG);
                                    }
                                }));
        run(
                told(oneForOne("top", a)),
                system -> {
                    starts[0] = 1;
                    system.root().stop("a");
                    assertThrows(StartFailedException.class, () -> system.root().restart("a"));
                    settle();
                    assertEquals(
                            ChildInfo.State.STOPPED, system.root().children().getFirst().state());
                    starts[0] = 0; // for the next run
                });
    }

    /** It stays where it was, so a group starts in the same order. */
    @Test
    void A5_aRestartedChildKeepsItsPlace() {
        ActorSpec<Step> c = noted("c");
        run(
                told(oneForAll("top", noted("a"), noted("b"), c)),
                system -> {
                    system.root().stop("b");
                    system.root().restart("b");
                    log.clear();
                    actor(system.root(), c).tell(Step.crash("no"));
                    settle();
                    assertEquals(List.of("-c", "-b", "-a", "+a", "+b", "+c"), log);
                });
    }

    @Test
    void A5_aStoppedChildIsNotStartedWithItsGroup() {
        ActorSpec<Step> a = noted("a");
        run(
                told(oneForAll("top", a, noted("b"))),
                system -> {
                    system.root().stop("b");
                    log.clear();
                    actor(system.root(), a).tell(Step.crash("no"));
                    settle();
                    assertEquals(List.of("-a", "+a"), log);
                });
    }

    @Test
    void A5_addWhatIsThere() {
        run(
                told(oneForOne("top", noted("a"))),
                system -> {
                    system.root().add(noted("b"));
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> system.root().add(noted("b"))),
                            "the name top/b is taken");
                    assertThrows(
                            IllegalArgumentException.class, () -> system.spin("a", Step.actor()));
                    system.root().add(oneForOne("c", noted("d")));
                    assertEquals(List.of("a", "b", "c"), ids(system.root()));
                    assertEquals(List.of("d"), ids(system.supervisor("c")));
                    assertThrows(IllegalArgumentException.class, () -> system.supervisor("c/d"));
                    assertThrows(IllegalArgumentException.class, () -> system.supervisor("x"));
                });
    }

    // ---------------------------------------------------------------- the supervisor's own restart

    @Test
    void A5_aTreeThatGivesUpIsStartedAgainWhole() {
        ActorSpec<Step> a = noted("a");
        run(
                told(
                        oneForOne(
                                "top",
                                told(oneForOne("below", a, noted("b")))
                                        .intensity(0, Duration.ofSeconds(1)))),
                system -> {
                    ActorRef<Step> ref = actor(system.supervisor("below"), a);
                    log.clear();
                    ref.tell(Step.crash("no"));
                    ref.tell(Step.of(_ -> log.add("kept")));
                    settle();
                    assertEquals(List.of("-a", "-b", "+a", "kept", "+b"), log);
                });
    }

    // ---------------------------------------------------------------- what it looks like

    @Test
    void A5_aTreePrintsItself() {
        Tree tree =
                restForOne(
                                "bank",
                                noted("journal").permanent().stopLimit(Duration.ofSeconds(10)),
                                dynamic("accounts").intensity(1_000, Duration.ofSeconds(1)),
                                oneForAll("audit", noted("reader"), noted("writer").significant())
                                        .autoShutdown(AutoShutdown.ANY))
                        .intensity(5, Duration.ofMinutes(1));
        assertEquals(
                """
                bank (rest for one, 5 in PT1M)
                |- journal, PERMANENT, stop limit PT10S
                |- accounts (dynamic, 1000 in PT1S)
                `- audit (one for all, 1 in PT5S, auto-shutdown ANY)
                   |- reader
                   `- writer, significant
                """,
                tree.toString());
        run(tree, system -> assertEquals(3, system.root().children().size()));
    }

    // ---------------------------------------------------------------- mistakes

    @Test
    void A5_faultySpecs() {
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> oneForOne("top", noted("a"), noted("a"))),
                "two children of top have the id a");
        assertThrows(IllegalArgumentException.class, () -> noted(""));
        assertThrows(IllegalArgumentException.class, () -> noted("a/b"));
        assertThrows(
                IllegalArgumentException.class, () -> noted("a").stopLimit(Duration.ofSeconds(-1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> Tree.of("top", Supervision.dynamic(), noted("a")));
        run(
                told(oneForOne("top")),
                system -> {
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> system.root().add(noted("a").significant())),
                            "a is significant",
                            "autoShutdown");
                    Tree permanent =
                            oneForOne("below", noted("a").permanent().significant())
                                    .autoShutdown(AutoShutdown.ANY);
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> system.root().add(permanent)),
                            "significant and permanent");
                    assertEquals(List.of(), ids(system.root()));
                });
    }

    @Test
    void A5_aSupervisorCannotWaitForItself() {
        List<String> refused = new ArrayList<>();
        ActorSystem[] made = new ActorSystem[1];
        Supervision rules =
                Supervision.oneForOne()
                        .onFailure(
                                _ -> {
                                    try {
                                        made[0].root().children();
                                    } catch (IllegalStateException expected) {
                                        refused.add(String.valueOf(expected.getMessage()));
                                    }
                                });
        ActorSpec<Step> a = noted("a").restart(RestartRule.TEMPORARY);
        run(
                Tree.of("top", rules, a),
                system -> {
                    made[0] = system;
                    refused.clear();
                    actor(system.root(), a).tell(Step.crash("no"));
                    settle();
                    assertEquals(1, refused.size());
                });
    }
}
