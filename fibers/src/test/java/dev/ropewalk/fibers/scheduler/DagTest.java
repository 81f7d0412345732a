package dev.ropewalk.fibers.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberLocal;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.recurring.Timed;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Rule F7 for graphs of tasks; the shapes are those of marl's tests. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class DagTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HALF_A_MILLI = Duration.ofNanos(500_000);
    private static final Duration FAR = Duration.ofDays(1);

    /** A node that logs its name. */
    private static Dag.Node log(
            Dag.Builder<List<String>> builder, String name, Dag.Node... dependencies) {
        return builder.node(name, log -> log.add(name), dependencies);
    }

    /** A node that takes a second and then logs its name. */
    private static Dag.Node slow(
            Dag.Builder<List<String>> builder, String name, Dag.Node... dependencies) {
        return builder.node(
                name,
                log -> {
                    Fiber.sleep(SECOND);
                    log.add(name);
                },
                dependencies);
    }

    private static Dag.Node failing(
            Dag.Builder<List<String>> builder, String name, Dag.Node... dependencies) {
        return builder.node(
                name,
                _ -> {
                    Fiber.sleep(SECOND);
                    throw new IOException("bad " + name);
                },
                dependencies);
    }

    private static List<String> run(Dag.Builder<List<String>> builder) {
        List<String> log = new ArrayList<>();
        builder.build().run(log);
        return log;
    }

    // ---------------------------------------------------------------- bad cases

    @Test
    void F7_failingNodeEndsTheRunAndIsNamed() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    List<String> log = new ArrayList<>();
                    builder.node(
                            "other",
                            _ -> {
                                try {
                                    Fiber.sleep(FAR);
                                } finally {
                                    log.add("other ended");
                                }
                            });
                    Dag.Node first = log(builder, "first");
                    log(builder, "after", failing(builder, "failing", first));
                    Throwable thrown = Runs.failureOf(() -> builder.build().run(log));
                    assertInstanceOf(FiberFailedException.class, thrown);
                    assertTrue(
                            thrown.toString().contains("node failing of dag of 4 nodes failed"),
                            thrown::toString);
                    assertEquals("bad failing", Runs.cause(thrown).getMessage());
                    assertEquals(List.of("first", "other ended"), log);
                    assertNull(FiberImpl.current().firstChild());
                });
    }

    @Test
    void F7_failuresOfOthersMeanwhileAreItsSuppressedAndNamed() {
        Runs.fifo(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    builder.node(
                            "second",
                            _ -> {
                                try {
                                    Fiber.sleep(FAR);
                                } finally {
                                    failInCleanUp();
                                }
                            });
                    failing(builder, "first", log(builder, "before"));
                    Throwable thrown = Runs.failureOf(() -> run(builder));
                    assertTrue(thrown.toString().contains("node first"), thrown::toString);
                    Throwable hidden = thrown.getSuppressed()[0];
                    assertTrue(hidden.toString().contains("node second"), hidden::toString);
                });
    }

    private static void failInCleanUp() {
        throw new IllegalStateException("clean-up");
    }

    /** One that is ready already, one that becomes ready later, and one that was not spun yet. */
    @Test
    void F10_aNodeSeesNoFiberLocalOfAnother() {
        FiberLocal<String> local = FiberLocal.of("nobody");
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    Dag.Node first = builder.node("first", _ -> local.set("first"));
                    builder.node("second", told -> told.add(local.get()), first);
                    List<String> told = new ArrayList<>();
                    builder.build().run(told);
                    assertEquals(List.of("nobody"), told);
                });
    }

    @Test
    void F7_nothingStartsAfterAFailure() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    List<String> log = new ArrayList<>();
                    boolean[] hasFailed = {false};
                    Dag.Node root = builder.node("root", _ -> {});
                    for (int i = 0; i < 20; i++) {
                        boolean fails = i == 7;
                        Dag.Node node =
                                builder.node(
                                        "node-" + i,
                                        _ -> {
                                            if (hasFailed[0]) {
                                                log.add("started");
                                            }
                                            if (fails) {
                                                hasFailed[0] = true;
                                                throw new IOException("bad");
                                            }
                                        },
                                        root);
                        builder.node("then-" + i, _ -> logIf(hasFailed[0], log), node);
                    }
                    Dag<List<String>> dag = builder.build();
                    assertThrows(FiberFailedException.class, () -> dag.run(log));
                    assertTrue(hasFailed[0]);
                    assertEquals(List.of(), log);
                });
    }

    /** The failing node has children, whose clean-up takes longer than another node. */
    @Test
    void F7_nothingStartsWhileTheNodeThatFailedStillEnds() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    List<String> log = new ArrayList<>();
                    builder.node(
                            "failing",
                            _ -> {
                                Fiber.spin(() -> sleepAndLog(log));
                                Runs.settle();
                                throw new IOException("bad");
                            });
                    Dag.Node other = builder.node("other", _ -> Fiber.sleep(HALF_A_MILLI));
                    log(builder, "never", other);
                    assertThrows(FiberFailedException.class, () -> builder.build().run(log));
                    assertEquals(List.of("child ended"), log);
                });
    }

    private static void logIf(boolean condition, List<String> log) {
        if (condition) {
            log.add("started");
        }
    }

    @Test
    void F6_terminatedRunnerEndsAllNodes() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    List<String> log = new ArrayList<>();
                    for (String name : List.of("a", "b")) {
                        Dag.Node node =
                                builder.node(
                                        name,
                                        _ -> {
                                            try {
                                                Fiber.sleep(FAR);
                                            } finally {
                                                log.add("left");
                                            }
                                        });
                        log(builder, "never", node);
                    }
                    Dag<List<String>> dag = builder.build();
                    Fiber<?> runner = Fiber.spin(() -> dag.run(log));
                    Fiber.sleep(SECOND);
                    runner.terminate();
                    assertTrue(runner.awaitEnd(SECOND));
                    assertInstanceOf(FiberTerminatedException.class, runner.failure());
                    assertEquals(List.of("left", "left"), log);
                });
    }

    @Test
    void F6_cancelledRunnerEndsAllNodes() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    List<String> log = new ArrayList<>();
                    slow(builder, "b", slow(builder, "a"));
                    Dag<List<String>> dag = builder.build();
                    boolean done =
                            CancelScope.moveOnAfter(Duration.ofMillis(1_500), () -> dag.run(log));
                    assertEquals(List.of("a"), log);
                    assertFalse(done);
                    Fiber.sleep(FAR);
                    assertEquals(List.of("a"), log);
                });
    }

    /** What depends on it could never run: the run must not seem to be done, or hang. */
    @Test
    void misuse_nodeThatIsEndedFromOutsideEndsTheRun() {
        for (boolean byStop : new boolean[] {false, true}) {
            Runs.inAnyOrder(
                    () -> {
                        Dag.Builder<List<String>> builder = Dag.builder();
                        List<Fiber<?>> fibers = new ArrayList<>();
                        List<String> log = new ArrayList<>();
                        Dag.Node ended =
                                builder.node(
                                        "ended",
                                        _ -> {
                                            fibers.add(Fiber.current());
                                            Fiber.sleep(FAR);
                                        });
                        log(builder, "after", ended);
                        builder.node("other", _ -> Fiber.sleep(FAR));
                        Timed.after(SECOND, () -> end(fibers.getFirst(), byStop));
                        Dag<List<String>> dag = builder.build();
                        long startNs = Cord.current().nanoTime();
                        Throwable thrown = Runs.failureOf(() -> dag.run(log));
                        assertInstanceOf(FiberFailedException.class, thrown);
                        assertTrue(thrown.toString().contains("node ended"), thrown::toString);
                        assertEquals(SECOND.toNanos(), Cord.current().nanoTime() - startNs);
                        assertEquals(List.of(), log);
                    });
        }
    }

    private static void end(Fiber<?> fiber, boolean byStop) {
        if (byStop) {
            fiber.raise(new Unwind.Stop("stop", null));
        } else {
            fiber.terminate();
        }
    }

    @Test
    void misuse_nodeThatIsEndedBeforeItBeganEndsTheRun() {
        Runs.fifo(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    List<String> log = new ArrayList<>();
                    builder.node("killer", _ -> endSibling("victim"));
                    log(builder, "after", log(builder, "victim"));
                    Throwable thrown = Runs.failureOf(() -> builder.build().run(log));
                    assertTrue(thrown.toString().contains("2 nodes of dag of 3 nodes did not run"));
                    assertEquals(List.of(), log);
                });
    }

    private static void endSibling(String name) {
        Fiber<?> runner = Fiber.current().parent();
        Fiber<?> each = runner == null ? null : FiberImpl.of(runner).firstChild();
        for (; each != null; each = FiberImpl.of(each).nextSibling) {
            if (each.name().equals(name)) {
                each.terminate();
            }
        }
    }

    @Test
    void misuse_nodesFiberThatIsRestartedEndsTheRun() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    List<Fiber<?>> fibers = new ArrayList<>();
                    builder.node(
                            "node",
                            _ -> {
                                fibers.add(Fiber.current());
                                Fiber.sleep(FAR);
                            });
                    Timed.after(SECOND, () -> fibers.getFirst().restart());
                    Throwable thrown = Runs.failureOf(() -> run(builder));
                    assertTrue(thrown.toString().contains("cannot be restarted"), thrown::toString);
                    assertEquals(1, fibers.size());
                });
    }

    @Test
    void misuse_nodesOfAnotherBuilderAndDoubleDependencies() {
        Dag.Builder<List<String>> builder = Dag.builder();
        Dag.Builder<List<String>> other = Dag.builder();
        Dag.Node foreign = log(other, "foreign");
        Throwable thrown = Runs.failureOf(() -> log(builder, "mine", foreign));
        assertInstanceOf(IllegalArgumentException.class, thrown);
        assertTrue(
                thrown.toString().contains("node foreign belongs to another builder"),
                thrown::toString);
        Dag.Node own = log(builder, "own");
        Throwable twice = Runs.failureOf(() -> log(builder, "mine", own, own));
        assertInstanceOf(IllegalArgumentException.class, twice);
        assertTrue(twice.toString().contains("node own stands twice"), twice::toString);
        Throwable noFiber = Runs.failureOf(() -> run(builder));
        assertTrue(noFiber.toString().contains("no fiber runs"), noFiber::toString);
    }

    // ---------------------------------------------------------------- the shapes of marl's tests

    @Test
    void dag_emptyGraphRunsAtOnce() {
        Runs.inAnyOrder(() -> assertEquals(List.of(), run(Dag.builder())));
    }

    @Test
    void dag_chainRunsInOrderInOneFiber() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<Fiber<?>>> builder = Dag.builder();
                    Dag.Node last = builder.node("first", log -> log.add(Fiber.current()));
                    for (int i = 0; i < 100; i++) {
                        last = builder.node("next", log -> log.add(Fiber.current()), last);
                    }
                    List<Fiber<?>> log = new ArrayList<>();
                    builder.build().run(log);
                    assertEquals(101, log.size());
                    assertEquals(1, Set.copyOf(log).size());
                });
    }

    @Test
    void dag_runRepeatsAlsoAtTheSameTimeEachWithItsOwnData() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    slow(builder, "c", slow(builder, "b", slow(builder, "a")));
                    Dag<List<String>> dag = builder.build();
                    List<List<String>> logs = new ArrayList<>();
                    long startNs = Cord.current().nanoTime();
                    Scope.run(
                            scope -> {
                                for (int i = 0; i < 10; i++) {
                                    List<String> log = new ArrayList<>();
                                    logs.add(log);
                                    scope.spin("run-" + i, () -> dag.run(log));
                                }
                            });
                    assertEquals(
                            SECOND.multipliedBy(3).toNanos(), Cord.current().nanoTime() - startNs);
                    for (List<String> log : logs) {
                        assertEquals(List.of("a", "b", "c"), log);
                        dag.run(log);
                        assertEquals(6, log.size());
                    }
                });
    }

    @Test
    void dag_fanOutRunsAtTheSameTimeAndFanInWaitsForAll() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    Dag.Node root = slow(builder, "root");
                    Dag.Node[] middle = new Dag.Node[10];
                    for (int i = 0; i < middle.length; i++) {
                        middle[i] = slow(builder, "middle", root);
                    }
                    slow(builder, "end", middle);
                    long startNs = Cord.current().nanoTime();
                    List<String> log = run(builder);
                    assertEquals(
                            SECOND.multipliedBy(3).toNanos(), Cord.current().nanoTime() - startNs);
                    assertEquals(12, log.size());
                    assertEquals("root", log.getFirst());
                    assertEquals("end", log.getLast());
                });
    }

    /** A diamond, and a way around it: the end has three dependencies of different depths. */
    @Test
    void dag_unevenPathsMeetOnce() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    Dag.Node a = slow(builder, "a");
                    Dag.Node b = slow(builder, "b", a);
                    Dag.Node c = slow(builder, "c", b);
                    Dag.Node alone = slow(builder, "alone");
                    slow(builder, "end", a, c, alone);
                    List<String> log = run(builder);
                    assertEquals(Set.of("a", "alone"), Set.copyOf(log.subList(0, 2)));
                    assertEquals(List.of("b", "c", "end"), log.subList(2, 5));
                });
    }

    @Test
    void dag_nodesAddedAfterBuildAreNotInIt() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    Dag.Node a = log(builder, "a");
                    Dag<List<String>> dag = builder.build();
                    log(builder, "b", a);
                    List<String> log = new ArrayList<>();
                    dag.run(log);
                    assertEquals(List.of("a"), log);
                    assertEquals(List.of("a", "b"), run(builder));
                });
    }

    // ---------------------------------------------------------------- one fiber, several nodes

    @Test
    void F7_childrenOfANodeEndBeforeWhatDependsOnItBegins() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    List<Fiber<?>> fibers = new ArrayList<>();
                    Dag.Node parent =
                            builder.node(
                                    "parent",
                                    log -> {
                                        fibers.add(Fiber.current());
                                        Fiber.spin(() -> sleepAndLog(log));
                                        Fiber.snooze();
                                        Fiber.snooze();
                                        Runs.settle();
                                    });
                    builder.node(
                            "next",
                            log -> {
                                fibers.add(Fiber.current());
                                log.add("next");
                            },
                            parent);
                    assertEquals(List.of("child ended", "next"), run(builder));
                    assertNotSame(fibers.get(0), fibers.get(1));
                });
    }

    private static void sleepAndLog(List<String> log) {
        try {
            Fiber.sleep(FAR);
        } finally {
            CancelScope.shielded(SECOND, () -> Fiber.sleep(Duration.ofMillis(1)));
            log.add("child ended");
        }
    }

    /** What was left in the fiber by one node is that node's, and not the next one's. */
    @Test
    void F7_whatIsPendingAtTheEndOfANodeIsItsFailure() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    IOException late = new IOException("late");
                    Dag.Node node = builder.node("raised", _ -> Fiber.current().raise(late));
                    log(builder, "next", node);
                    Throwable thrown = Runs.failureOf(() -> run(builder));
                    assertTrue(thrown.toString().contains("node raised"), thrown::toString);
                    assertSame(late, thrown.getCause());
                });
    }

    @Test
    void F4_whatWasScheduledInOneNodeIsNotSeenByTheNext() {
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    Dag.Node node = builder.node("a", _ -> Fiber.current().schedule("for a"));
                    builder.node(
                            "b",
                            log -> {
                                Fiber<?> self = Fiber.current();
                                Timed.after(SECOND, () -> self.schedule("for b"));
                                log.add("" + Fiber.suspend());
                            },
                            node);
                    assertEquals(List.of("for b"), run(builder));
                });
    }

    @Test
    void F7_lockThatANodeForgotIsReportedBeforeTheNextBegins() {
        Reports reports = new Reports();
        Runs.virtual(
                reports,
                () -> {
                    Mutex mutex = Mutex.local();
                    Dag.Builder<List<String>> builder = Dag.builder();
                    Dag.Node forgets = builder.node("forgets", _ -> mutex.lock());
                    builder.node("next", log -> mutex.run(() -> log.add("next")), forgets);
                    assertEquals(List.of("next"), run(builder));
                    return 0;
                });
        assertTrue(reports.only().failure().toString().contains("while it held"));
    }

    @Test
    void dag_chainThatNeverWaitsStarvesNobody() {
        Runs.fifo(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    Dag.Node a = log(builder, "a");
                    Dag.Node b = log(builder, "b", a);
                    log(builder, "c", b);
                    Dag.Builder<List<String>> other = Dag.builder();
                    Dag.Node x = log(other, "x");
                    Dag.Node y = log(other, "y", x);
                    log(other, "z", y);
                    List<String> log = new ArrayList<>();
                    Scope.run(
                            scope -> {
                                scope.spin("first", () -> builder.build().run(log));
                                scope.spin("second", () -> other.build().run(log));
                            });
                    assertEquals(List.of("a", "x", "b", "y", "c", "z"), log);
                });
    }

    // ---------------------------------------------------------------- the example

    @Test
    void example() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    // @start region="dag"
                    Dag.Builder<List<String>> builder = Dag.builder();
                    Dag.Node load = builder.node("load", done -> done.add("load"));
                    Dag.Node sort = builder.node("sort", done -> done.add("sort"), load);
                    Dag.Node count = builder.node("count", done -> done.add("count"), load);
                    builder.node("print", done -> done.add("print"), sort, count);
                    Dag<List<String>> report = builder.build();

                    report.run(log); // load, then sort and count in any order, then print
                    // @end
                    assertEquals(4, log.size());
                    assertEquals("load", log.getFirst());
                    assertEquals("print", log.getLast());
                });
    }

    /** As a cord that has ended would refuse what is spun there. */
    @Test
    void F6_runOfACallerThatIsToEndBeginsNowhere() {
        Scheduler closed = Scheduler.start(SchedulerOptions.named("closed").withCords(1));
        closed.close();
        Runs.inAnyOrder(
                () -> {
                    Dag.Builder<List<String>> builder = Dag.builder();
                    builder.node("node", log -> log.add("ran"));
                    List<String> log = new ArrayList<>();
                    assertFalse(
                            CancelScope.moveOnAfter(
                                    Duration.ZERO, () -> builder.build().run(log, closed)));
                    assertEquals(List.of(), log);
                });
    }
}
