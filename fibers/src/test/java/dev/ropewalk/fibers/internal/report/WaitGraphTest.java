package dev.ropewalk.fibers.internal.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.spi.Hold;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Loan;
import dev.ropewalk.fibers.sync.Once;
import dev.ropewalk.fibers.sync.ResourcePool;
import dev.ropewalk.fibers.testkit.PlainLock;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;

/** Rule F9: who waits for whom, in the report of a deadlock and in dumps. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WaitGraphTest {
    /** What the root is told when nothing can ever run again. */
    private static String reportOf(Action body) {
        FiberFailedException failure =
                assertThrows(
                        FiberFailedException.class,
                        () ->
                                Runs.virtual(
                                        new Reports(),
                                        () -> {
                                            body.run();
                                            return Fiber.suspend();
                                        }));
        Throwable cause = Runs.cause(failure);
        assertTrue(cause instanceof DeadlockException, cause::toString);
        return String.valueOf(cause.getMessage());
    }

    private static List<String> cyclesIn(String report) {
        return report.lines().filter(line -> line.startsWith("a cycle: ")).toList();
    }

    /** Spins a fiber that holds the first while it waits for the second. */
    private static void spinLocking(String name, PlainLock first, PlainLock second) {
        Fiber.spin(
                name,
                () ->
                        first.run(
                                () -> {
                                    Fiber.snooze();
                                    second.run(() -> {});
                                }));
    }

    @Test
    void F9_twoLocksTakenInTheOppositeOrderAreNamedAsACycle() {
        String report =
                reportOf(
                        () -> {
                            PlainLock one = new PlainLock();
                            PlainLock two = new PlainLock();
                            spinLocking("a", one, two);
                            spinLocking("b", two, one);
                        });
        List<String> cycles = cyclesIn(report);
        assertEquals(1, cycles.size(), report);
        String cycle = cycles.getFirst();
        assertTrue(cycle.contains("a waits for b (plain lock"), report);
        assertTrue(cycle.contains("b waits for a (plain lock"), report);
        assertTrue(report.contains(", held by b"), report);
        assertTrue(report.contains(", held by a"), report);
    }

    @Test
    void F9_awaitAndLockInACircle() {
        String report =
                reportOf(
                        () -> {
                            PlainLock mutex = new PlainLock();
                            Fiber<?>[] needs = new FiberImpl<?>[1];
                            Fiber.spin("holder", () -> mutex.run(() -> needs[0].await()));
                            needs[0] =
                                    Fiber.spin(
                                            "needs",
                                            () -> {
                                                Fiber.snooze();
                                                mutex.run(() -> {});
                                            });
                        });
        assertEquals(1, cyclesIn(report).size(), report);
        assertTrue(cyclesIn(report).getFirst().contains("holder waits for needs ("), report);
        assertTrue(cyclesIn(report).getFirst().contains("needs waits for holder ("), report);
    }

    @Test
    void F9_borrowersAndTheOneThatRunsAOnceAreHolders() {
        String report =
                reportOf(
                        () -> {
                            ResourcePool<String> pool =
                                    ResourcePool.localBounded(7, () -> "resource");
                            Once<String> once = Once.local(() -> never());
                            for (int i = 0; i < 7; i++) {
                                Fiber.spin("borrower-" + i, () -> borrow(pool));
                            }
                            Fiber.spin("last", () -> borrow(pool));
                            Fiber.spin("first", () -> once.get());
                            Fiber.spin("second", () -> once.get());
                        });
        assertTrue(report.contains("held by borrower-0, borrower-1"), report);
        assertTrue(report.contains("and others"), report);
        assertTrue(report.contains("held by first"), report);
        assertEquals(List.of(), cyclesIn(report), report);
    }

    private static void borrow(ResourcePool<String> pool) {
        try (Loan<String> loan = pool.borrow()) {
            loan.get();
            never();
        }
    }

    private static String never() {
        return String.valueOf(Fiber.suspend());
    }

    @Test
    void F9_parentThatEndsAndItsChildThatAwaitsItsLock() {
        Reports reports = new Reports();
        Runs.<@Nullable Object>virtual(
                reports,
                () -> {
                    PlainLock mutex = new PlainLock();
                    Fiber<?> parent =
                            Fiber.spin(
                                    "parent",
                                    () -> {
                                        mutex.lock();
                                        Fiber.spin("child", () -> shieldedLock(mutex));
                                        Runs.snooze(2);
                                    });
                    Runs.settle();
                    assertEquals(
                            List.of(
                                    "a cycle: parent waits for child (the end of its children), "
                                            + "child waits for parent ("
                                            + mutex
                                            + ")"),
                            Cord.current().dump().cycles());
                    return parent.awaitEnd(Waits.FOREVER); // within the stop limit
                });
        assertEquals(2, reports.all().size(), () -> "reports: " + reports.all());
    }

    private static void shieldedLock(PlainLock mutex) {
        CancelScope.shielded(Waits.FOREVER, () -> mutex.lock());
    }

    @Test
    void F9_manyCyclesStayReadable() {
        String report =
                reportOf(
                        () -> {
                            for (int i = 0; i < 500; i++) {
                                PlainLock one = new PlainLock();
                                PlainLock two = new PlainLock();
                                spinLocking("a" + i, one, two);
                                spinLocking("b" + i, two, one);
                            }
                        });
        assertEquals(5, cyclesIn(report).size());
        assertTrue(report.lines().count() < 100, report);
    }

    @Test
    void F9_longCycleIsFoundAndCut() {
        int fibers = 3_000;
        String report =
                reportOf(
                        () -> {
                            List<PlainLock> all = new ArrayList<>();
                            for (int i = 0; i < fibers; i++) {
                                all.add(new PlainLock());
                            }
                            for (int i = 0; i < fibers; i++) {
                                spinLocking("f" + i, all.get(i), all.get((i + 1) % fibers));
                            }
                        });
        assertEquals(1, cyclesIn(report).size());
        assertTrue(cyclesIn(report).getFirst().endsWith("over 3000 fibers"), report);
    }

    @Test
    void F9_dumpOfALivingCordNamesItsCycles() {
        Runs.inAnyOrder(
                () -> {
                    PlainLock one = new PlainLock();
                    PlainLock two = new PlainLock();
                    Fiber<?> a = Fiber.spin("a", () -> bothOf(one, two));
                    Fiber<?> b = Fiber.spin("b", () -> bothOf(two, one));
                    Runs.settle();
                    CordDump dump = Cord.current().dump();
                    boolean isCycle = one.isLocked() && two.isLocked();
                    assertEquals(isCycle ? 1 : 0, dump.cycles().size(), dump::toString);
                    a.terminate();
                    b.terminate();
                });
    }

    private static void bothOf(PlainLock first, PlainLock second) throws Exception {
        first.run(
                () -> {
                    Runs.snooze(2);
                    second.run(() -> {});
                });
    }

    /** What users build on Holding may fail; the report is made all the same. */
    private static final class Broken extends Hold {
        void take() {
            hold(Fiber.current());
        }

        @Override
        protected void onHolderDead(Fiber<?> holder) {
            // Nobody waits for it.
        }

        @Override
        protected List<?> awaitedAs() {
            throw new IllegalStateException("bad");
        }
    }

    @Test
    void F9_brokenHoldingDoesNotBreakTheReport() {
        String report =
                reportOf(
                        () ->
                                Fiber.spin(
                                        "holder",
                                        () -> {
                                            new Broken().take();
                                            return Fiber.suspend();
                                        }));
        assertTrue(report.contains("holder"), report);
        assertFalse(report.contains("held by"), report);
    }
}
