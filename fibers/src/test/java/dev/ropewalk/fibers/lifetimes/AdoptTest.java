package dev.ropewalk.fibers.lifetimes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.FiberSupervision;
import dev.ropewalk.fibers.supervision.FiberSupervisor;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.VirtualCords;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** Adopted fibers of other cords, and tasks, that end at the moment at which they are adopted. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class AdoptTest {
    private static final int SEEDS = 200;
    private static final Duration FAR = Duration.ofDays(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Told on several cords' threads. */
    private final List<String> log = new CopyOnWriteArrayList<>();

    private FiberSupervision rules() {
        return FiberSupervision.restarting(RestartRule.TRANSIENT)
                .withIntensity(3, SECOND)
                .withOnFailure((fiber, failure) -> log.add("failed"))
                .withOnResult((fiber, result) -> log.add("result"));
    }

    /** Fails in its first life after some turns, and returns in its second. */
    private static final class Worker {
        private int lives;

        String run() {
            int life = ++lives;
            Runs.snooze(Cord.current().nextInt(8));
            if (life == 1) {
                throw new IllegalStateException("bad");
            }
            return "done";
        }
    }

    /** The failure may come before the adoption is there: then the old parent is told as well. */
    @Test
    void F7_adoptedFiberOfAnotherParentIsStartedAgain() {
        Set<String> ways = new HashSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            log.clear();
            Reports reports = new Reports();
            Worker worker = new Worker();
            boolean wasDead =
                    VirtualCords.run(
                            CordOptions.named("virtual")
                                    .withClock(new CordOptions.VirtualClock(seed, seed % 2 == 0))
                                    .withUncaught(reports),
                            3,
                            cords -> adoptFromHost(cords, worker));
            int told = reports.all().size();
            assertEquals(List.of("failed", "result"), log, "seed=" + seed);
            assertEquals(2, worker.lives, "seed=" + seed);
            assertTrue(told == 1 || (told == 0 && !wasDead), "seed=" + seed + " told=" + told);
            ways.add(wasDead + " " + told);
        }
        assertEquals(Set.of("true 1", "false 0", "false 1"), ways);
    }

    /** Whether the worker was dead by then. */
    private boolean adoptFromHost(List<Cord> cords, Worker worker) {
        List<Fiber<?>> made = new ArrayList<>();
        Fiber<?> host =
                cords.get(1)
                        .spin(
                                "host",
                                () -> {
                                    FiberImpl.current().isolateChildren();
                                    made.add(cords.get(2).spin("worker", worker::run));
                                    Fiber.suspend();
                                });
        while (made.isEmpty()) {
            Fiber.snooze();
        }
        Runs.snooze(cords.getFirst().nextInt(8));
        boolean wasDead = made.getFirst().state() == FiberState.DEAD;
        FiberSupervisor.run(rules(), s -> s.adopt(made.getFirst()));
        host.terminate();
        assertTrue(host.awaitEnd(FAR));
        return wasDead;
    }

    /** From the adoption on a failure is no longer one of the owner's own child. */
    @Test
    void F7_ownersChildOnAnotherCordIsAdopted() {
        List<String> ways = new ArrayList<>();
        Runs.together(
                2,
                cords -> {
                    log.clear();
                    Worker worker = new Worker();
                    boolean[] wasAlive = new boolean[1];
                    Fiber<?> owner =
                            Fiber.spin("owner", () -> adoptChild(cords.get(1), worker, wasAlive));
                    Throwable failure = failureOf(owner);
                    if (wasAlive[0]) {
                        assertNull(failure);
                        assertEquals(List.of("failed", "result"), log);
                    }
                    ways.add(wasAlive[0] ? "alive" : "dead");
                });
        assertTrue(ways.contains("alive") && ways.contains("dead"), ways::toString);
    }

    private void adoptChild(Cord cord, Worker worker, boolean[] wasAlive) {
        FiberSupervisor.run(
                rules(),
                s -> {
                    Fiber<?> child = cord.spin("worker", worker::run);
                    Runs.snooze(Cord.current().nextInt(8));
                    wasAlive[0] = child.state() != FiberState.DEAD;
                    s.adopt(child);
                });
    }

    private static void hang() {
        Fiber.suspend();
    }

    private static @Nullable Throwable failureOf(Fiber<?> fiber) {
        try {
            fiber.await();
            return null;
        } catch (FiberFailedException failed) {
            return failed;
        }
    }

    /** Those that follow run on the cord that started it. */
    @Test
    void F15_adoptedTaskIsStartedAgain() {
        for (int i = 0; i < 20; i++) {
            adoptTask();
        }
    }

    private void adoptTask() {
        log.clear();
        Reports reports = new Reports();
        Scheduler scheduler =
                Scheduler.start(
                        SchedulerOptions.named("workers")
                                .withCords(2)
                                .withCord(CordOptions.named("c").withUncaught(reports)));
        Worker worker = new Worker();
        Cord owner = Runs.started("owner", reports);
        owner.spin(
                        "owner",
                        () ->
                                FiberSupervisor.run(
                                        rules(), s -> s.adopt(scheduler.spin("t", worker::run))))
                .await();
        assertEquals(List.of("failed", "result"), log);
        assertEquals(2, worker.lives);
        assertTrue(scheduler.shutdown(Waits.FOREVER).isClean());
        owner.close();
        reports.assertNone();
    }

    @Test
    void F7_adoptedFiberThatIsStillOnItsWayIsAbandonedInTime() {
        Runs.together(
                3,
                cords -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Action stubborn = () -> CancelScope.shielded(FAR, () -> hang());
                    List<Fiber<?>> made = new ArrayList<>();
                    Fiber<?> host =
                            cords.get(1)
                                    .spin(
                                            "host",
                                            () -> {
                                                made.add(cords.get(2).spin("s", stubborn));
                                                Fiber.suspend();
                                            });
                    Runs.settle();
                    Runs.failureOf(
                            () ->
                                    FiberSupervisor.run(
                                            rules().withStopLimit(Duration.ZERO),
                                            s -> {
                                                s.adopt(made.getFirst());
                                                throw new IllegalStateException("at once");
                                            }));
                    assertTrue(made.getFirst().awaitEnd(SECOND));
                    assertSame(FiberState.DEAD, made.getFirst().state());
                    host.terminate();
                    assertTrue(host.awaitEnd(SECOND));
                });
    }
}
