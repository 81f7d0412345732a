package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule A5: a supervisor that is busy with some of its children has time for the others. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class GroupRestartTest {
    private static final Duration TENTH = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofHours(1);

    private final List<String> log = new ArrayList<>();

    /** Children that do not come up. */
    private final List<String> broken = new ArrayList<>();

    /** What a test does with a system. */
    @FunctionalInterface
    private interface Body {
        void run(Supervisor root, ActorSystem system) throws Exception;
    }

    private ActorSpec<Step> child(String id) {
        return child(id, Duration.ZERO, Duration.ZERO);
    }

    private ActorSpec<Step> child(String id, Duration start, Duration end) {
        return Tree.child(
                id,
                Step.actor(
                        self -> {
                            if (!start.isZero() && log.contains("slow starts")) {
                                Fiber.sleep(start);
                            }
                            if (broken.contains(id)) {
                                throw new Crash(id + " does not come up");
                            }
                            log.add("+" + id);
                            self.atEnd(
                                    _ -> {
                                        if (!end.isZero()) {
                                            Fiber.sleep(end);
                                        }
                                        log.add("-" + id);
                                    });
                        }));
    }

    private static Supervision rules(Strategy strategy, Duration backOff) {
        return Supervision.oneForOne()
                .strategy(strategy)
                .intensity(1_000, Duration.ofMinutes(1))
                .backOff(BackOff.doubling(backOff, LONG))
                .onFailure(_ -> {});
    }

    private void run(Tree tree, Body body) {
        TestCord.run(
                () -> {
                    log.clear();
                    broken.clear();
                    try (ActorSystem system = ActorSystem.start(tree, _ -> {})) {
                        body.run(system.root(), system);
                    }
                });
    }

    private static void crash(Supervisor root, ActorSpec<Step> child) {
        root.actor(child).tell(Step.crash("game"));
    }

    private static List<String> states(Supervisor root) {
        return root.children().stream().map(child -> child.id() + " " + child.state()).toList();
    }

    private static Duration since(long beganNs) {
        return Duration.ofNanos(Cord.current().nanoTime() - beganNs);
    }

    // ---------------------------------------------------------------- who comes up again

    @ParameterizedTest
    @EnumSource(names = {"ONE_FOR_ALL", "REST_FOR_ONE"})
    void A5_whatFailsWhileItsGroupStopsComesUpWithIt(Strategy strategy) {
        ActorSpec<Step> a = child("a");
        ActorSpec<Step> b = child("b");
        ActorSpec<Step> c = child("c", Duration.ZERO, TENTH);
        run(
                Tree.of("top", rules(strategy, TENTH), a, b, c),
                (root, system) -> {
                    broken.add("a");
                    crash(root, a);
                    Fiber.sleep(Duration.ofMillis(40)); // the hook of c runs
                    crash(root, b);
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(
                            List.of("a RESTARTING", "b RESTARTING", "c RESTARTING"), states(root));
                    root.stop("a");
                    Fiber.sleep(TENTH);
                    assertEquals(List.of("a STOPPED", "b UP", "c UP"), states(root));
                    assertTrue(system.stop(Duration.ofSeconds(1)).isComplete());
                });
    }

    /** One that does not come up, and has no message to come to the end of. */
    @ParameterizedTest
    @EnumSource(names = {"ONE_FOR_ALL", "REST_FOR_ONE"})
    void A5_aStopWithGraceDoesNotWaitForWhatDoesNotComeUp(Strategy strategy) {
        ActorSpec<Step> a = child("a");
        ActorSpec<Step> b = child("b");
        ActorSpec<Step> c = child("c", Duration.ZERO, TENTH);
        run(
                Tree.of("top", rules(strategy, TENTH), a, b, c),
                (root, system) -> {
                    broken.add("a");
                    crash(root, a);
                    Fiber.sleep(Duration.ofMillis(40));
                    crash(root, b);
                    Fiber.sleep(TENTH);
                    long beganNs = Cord.current().nanoTime();
                    StopReport report = system.stop(Duration.ofMinutes(1));
                    assertTrue(report.isComplete(), report::toString);
                    assertTrue(since(beganNs).toSeconds() < 2, () -> since(beganNs).toString());
                });
    }

    // ---------------------------------------------------------------- back-offs

    @Test
    void A5_anOlderSiblingComesBackInItsOwnTime() {
        ActorSpec<Step> a = child("a");
        ActorSpec<Step> b = child("b");
        run(
                Tree.of("top", rules(Strategy.REST_FOR_ONE, TENTH), a, b),
                (root, _) -> {
                    broken.add("b");
                    crash(root, b);
                    Fiber.sleep(Duration.ofSeconds(10)); // its delay is 6.4 s now
                    broken.clear();
                    log.clear();
                    crash(root, a);
                    Fiber.sleep(Duration.ofMillis(101));
                    assertEquals(List.of("-a", "+a"), log);
                    assertEquals(List.of("a UP", "b RESTARTING"), states(root));
                    Fiber.sleep(Duration.ofSeconds(7));
                    assertEquals(List.of("a UP", "b UP"), states(root));
                });
    }

    /** All wait for the longest. */
    @Test
    void A5_oneForAllComesUpTogether() {
        ActorSpec<Step> a = child("a");
        ActorSpec<Step> b = child("b");
        run(
                Tree.of("top", rules(Strategy.ONE_FOR_ALL, TENTH), a, b),
                (root, _) -> {
                    broken.add("b");
                    crash(root, b);
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(List.of("a RESTARTING", "b RESTARTING"), states(root));
                    broken.clear();
                    log.clear();
                    Fiber.sleep(Duration.ofSeconds(7));
                    assertEquals(List.of("+a", "+b"), log);
                });
    }

    @ParameterizedTest
    @EnumSource(names = {"ONE_FOR_ALL", "REST_FOR_ONE"})
    void A5_nobodyWaitsForTheBackOffOfAGroup(Strategy strategy) {
        ActorSpec<Step> a = child("a");
        ActorSpec<Step> b = child("b");
        ActorSpec<Step> c = child("c");
        run(
                Tree.of("top", rules(strategy, LONG), a, b, c),
                (root, system) -> {
                    crash(root, b);
                    Fiber.sleep(TENTH);
                    long beganNs = Cord.current().nanoTime();
                    root.start("started", Step.actor());
                    root.add(child("added"));
                    system.spin("spun", Step.actor(_ -> log.add("+spun")));
                    assertThrows(IllegalStateException.class, () -> root.restart("b"));
                    assertThrows(IllegalStateException.class, () -> root.remove("b"));
                    root.stop("a");
                    root.stop("b"); // it waits, and c with it
                    Fiber.sleep(Duration.ofNanos(1));
                    assertTrue(log.contains("+spun"), log::toString);
                    assertEquals("b STOPPED", states(root).get(1));
                    assertEquals("c UP", states(root).get(2));
                    assertEquals(0, since(beganNs).toMillis());
                    root.stop("added");
                    root.remove("added");
                    root.stop("started");
                    system.stop(LONG);
                    assertEquals(0, since(beganNs).toMillis());
                });
    }

    /** A supervisor in a back-off of its own: a start that fails says what it waited for. */
    @Test
    void A5_aStartBelowABackOffDoesNotBlameItsFactory() {
        ActorSpec<Step> a = child("a");
        Tree below = Tree.of("below", rules(Strategy.ONE_FOR_ONE, TENTH).intensity(0, LONG), a);
        run(
                Tree.of("top", rules(Strategy.ONE_FOR_ONE, LONG), below),
                (root, _) -> {
                    Supervisor of = root.supervisor("below");
                    crash(of, a);
                    Fiber.sleep(TENTH);
                    for (int i = 0; i < 2; i++) { // its name is free again
                        StartFailedException failed =
                                assertThrows(
                                        StartFailedException.class,
                                        () -> of.start("late", Step.actor()));
                        Errors.assertMentions(
                                failed, "below/late", "start limit", "its own back-off");
                    }
                });
    }

    /** The back-off of its group ends while its supervisor fails. */
    @Test
    void A5_aBackOffIsNotEndedByOneOfTheIncarnationBefore() {
        ActorSpec<Step> a = child("a");
        ActorSpec<Step> b = child("b");
        Supervision busy =
                rules(Strategy.REST_FOR_ONE, TENTH)
                        .intensity(1, LONG)
                        .onFailure(_ -> Fiber.sleep(TENTH));
        run(
                Tree.of("top", rules(Strategy.ONE_FOR_ONE, LONG), Tree.of("below", busy, a, b)),
                (_, system) -> {
                    Supervisor below = system.supervisor("below");
                    crash(below, b); // at 0.1 s its back-off begins
                    Fiber.sleep(Duration.ofMillis(150));
                    crash(below, a); // at 0.2 s the back-off ends, and at 0.25 s its supervisor
                    Fiber.sleep(Duration.ofMinutes(59));
                    assertEquals(List.of("+a", "+b", "-b", "-a"), log);
                    Fiber.sleep(Duration.ofMinutes(2));
                    assertEquals(List.of("+a", "+b"), log.subList(4, log.size()));
                });
    }

    // ---------------------------------------------------------------- limits

    @Test
    void A5_nobodyWaitsForAChildThatIsBeingStopped() {
        ActorSpec<Step> a = child("a");
        ActorSpec<Step> slow = child("slow", Duration.ZERO, Duration.ofSeconds(3));
        run(
                Tree.of("top", rules(Strategy.ONE_FOR_ONE, Duration.ZERO), a, slow),
                (root, _) -> {
                    long beganNs = Cord.current().nanoTime();
                    Fiber<?> stopping = Fiber.spin("stopping", () -> root.stop("slow"));
                    Fiber.sleep(TENTH);
                    crash(root, a);
                    root.start("started", Step.actor());
                    Fiber.sleep(Duration.ofNanos(1));
                    assertEquals(List.of("a UP", "slow STOPPING", "started UP"), states(root));
                    assertEquals(List.of("+a", "+slow", "-a", "+a"), log);
                    root.stop("started");
                    assertEquals(100, since(beganNs).toMillis());
                    stopping.await();
                    assertEquals(3_000, since(beganNs).toMillis());
                    assertEquals("slow STOPPED", states(root).get(1));
                });
    }

    /** The same of a group that comes up one after the other. */
    @Test
    void A5_nobodyWaitsForAStartInAGroup() {
        ActorSpec<Step> a = child("a");
        ActorSpec<Step> b = child("b");
        ActorSpec<Step> slow = child("slow", Duration.ofSeconds(3), Duration.ZERO);
        run(
                Tree.of("top", rules(Strategy.REST_FOR_ONE, Duration.ZERO), a, b, slow),
                (root, _) -> {
                    log.add("slow starts");
                    crash(root, b);
                    Fiber.sleep(TENTH);
                    long beganNs = Cord.current().nanoTime();
                    assertEquals(List.of("a UP", "b UP", "slow RESTARTING"), states(root));
                    root.start("started", Step.actor());
                    crash(root, a);
                    Fiber.sleep(Duration.ofNanos(1));
                    assertEquals("a UP", states(root).getFirst());
                    assertEquals(0, since(beganNs).toMillis());
                    Fiber.sleep(Duration.ofSeconds(4));
                    assertEquals("slow UP", states(root).get(2));
                });
    }

    /** What a kept state has left to do runs beside the supervisor. */
    @Test
    void A5_nobodyWaitsForTheHooksOfAKeptState() {
        ActorSpec<Step> a = child("a");
        ActorSpec<Step> keeping =
                Tree.child(
                        "keeping",
                        Step.actor(self -> self.atEnd(_ -> Fiber.sleep(Duration.ofSeconds(3))))
                                .keepState());
        run(
                Tree.of("top", rules(Strategy.REST_FOR_ONE, LONG), a, keeping),
                (root, _) -> {
                    crash(root, a); // keeping is down with it, and has its state
                    Fiber.sleep(Duration.ofSeconds(1));
                    long beganNs = Cord.current().nanoTime();
                    Fiber<?> stopping = Fiber.spin("stopping", () -> root.stop("keeping"));
                    Fiber.sleep(Duration.ofMillis(1));
                    root.start("started", Step.actor());
                    assertEquals(1, since(beganNs).toMillis());
                    assertEquals("keeping STOPPING", states(root).get(1));
                    stopping.await();
                    assertEquals(3_000, since(beganNs).toMillis());
                    assertEquals("keeping STOPPED", states(root).get(1));
                });
    }

    // ---------------------------------------------------------------- told when it holds

    @Test
    void A5_theNameOfWhatDidNotStartIsFreeWhenItIsTold() {
        ActorSpec<Step> bad = child("bad");
        run(
                Tree.of("top", rules(Strategy.ONE_FOR_ONE, TENTH)),
                (root, system) -> {
                    for (int i = 0; i < 2; i++) {
                        broken.add("bad");
                        assertThrows(StartFailedException.class, () -> root.add(bad));
                        assertEquals(List.of(), states(root));
                        assertThrows(
                                StartFailedException.class, () -> root.start("bad", bad.actor()));
                        assertThrows(
                                StartFailedException.class,
                                () -> system.pool("bad", 2, bad.actor(), Routing.roundRobin()));
                        assertThrows(
                                StartFailedException.class,
                                () ->
                                        root.add(
                                                Tree.of(
                                                        "bad",
                                                        rules(Strategy.ONE_FOR_ONE, TENTH),
                                                        child("fine"),
                                                        bad)));
                        broken.clear();
                        root.add(bad);
                        root.stop("bad");
                        root.remove("bad");
                    }
                });
    }

    /** It has ended, and takes a while for that. */
    @Test
    void A5_theNameOfWhatStartedTooLateIsFreeWhenItIsTold() {
        boolean[] isLate = new boolean[1];
        ActorSpec<Step> late =
                Tree.child(
                        "late",
                        Step.actor(
                                _ -> {
                                    if (isLate[0]) {
                                        try {
                                            Fiber.sleep(LONG);
                                        } finally {
                                            log.add("ended");
                                        }
                                    }
                                }));
        run(
                Tree.of("top", rules(Strategy.ONE_FOR_ONE, TENTH)),
                (root, _) -> {
                    isLate[0] = true;
                    StartFailedException failed =
                            assertThrows(StartFailedException.class, () -> root.add(late));
                    Errors.assertMentions(failed, "top/late", "start limit", "its factory");
                    assertEquals(List.of("ended"), log);
                    assertEquals(List.of(), states(root));
                    isLate[0] = false;
                    root.add(late);
                    root.stop("late");
                    isLate[0] = true;
                    assertThrows(StartFailedException.class, () -> root.restart("late"));
                    assertEquals(List.of("late STOPPED"), states(root));
                    isLate[0] = false;
                    root.restart("late");
                    assertEquals(List.of("late UP"), states(root));
                });
    }
}
