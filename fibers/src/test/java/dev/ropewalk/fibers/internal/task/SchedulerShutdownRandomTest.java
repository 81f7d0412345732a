package dev.ropewalk.fibers.internal.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.scheduler.ShutdownReport;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A scheduler is shut down at any moment, while threads and tasks spin, steal and terminate: every
 * task ran, or was refused to its spinner, or is told (rule F15).
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SchedulerShutdownRandomTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration STOP_LIMIT = Duration.ofMillis(3);
    private static final int THREADS = 3;
    private static final int MAX_TASKS = 60;

    /** One life of one scheduler. */
    private static final class Life {
        final SplittableRandom random;
        final Reports reports = new Reports();
        final Scheduler scheduler;
        final Queue<Spun> spun = new ConcurrentLinkedQueue<>();
        final AtomicInteger refused = new AtomicInteger();
        final AtomicLong executed = new AtomicLong();
        final AtomicLong executedBegun = new AtomicLong();
        final CountDownLatch gate = new CountDownLatch(1);
        final String text;

        Life(long seed) {
            random = new SplittableRandom(seed);
            int cords = random.nextInt(4);
            StackKind stacks = random.nextBoolean() ? StackKind.LIGHT : StackKind.VIRTUAL_THREAD;
            int maxPending = random.nextInt(3) == 0 ? 1 + random.nextInt(20) : Integer.MAX_VALUE;
            text = "seed=" + seed + " cords=" + cords + " " + stacks + " most=" + maxPending;
            scheduler =
                    Scheduler.start(
                            SchedulerOptions.named("workers")
                                    .withCords(cords)
                                    .withMaxPending(maxPending)
                                    .withCord(
                                            CordOptions.named("c")
                                                    .withStopLimit(STOP_LIMIT)
                                                    .withStacks(stacks)
                                                    .withUncaught(reports)));
        }
    }

    /** What the test knows of a task that was taken. */
    private static final class Spun implements Action {
        final Life life;
        final String name;
        final int kind;
        final boolean isNobodys;
        final AtomicInteger begun = new AtomicInteger();
        volatile boolean isTerminated;
        volatile @Nullable Fiber<?> fiber;

        Spun(Life life, String name, int kind, boolean isNobodys) {
            this.life = life;
            this.name = name;
            this.kind = kind;
            this.isNobodys = isNobodys;
        }

        @Override
        public void run() {
            begun.incrementAndGet();
            switch (kind) {
                case 0 -> Fiber.suspend();
                case 1 -> Fiber.sleep(Duration.ofNanos(200_000));
                case 2 -> Runs.snooze(5);
                case 3 -> {
                    Duration longer = STOP_LIMIT.multipliedBy(4);
                    CancelScope.shielded(longer, () -> Fiber.sleep(longer));
                }
                case 4 -> {
                    for (int i = 0; i < 3; i++) {
                        spin(life, name + "-" + i, 1 + i, false);
                    }
                    Fiber.snooze();
                }
                case 5 -> execute(life);
                default -> {}
            }
        }
    }

    private static void spin(Life life, String name, int kind, boolean isNobodys) {
        Spun task = new Spun(life, name, kind, isNobodys);
        try {
            task.fiber = life.scheduler.spin(name, task);
            life.spun.add(task);
        } catch (CordClosedException | RejectedExecutionException refused) {
            life.refused.incrementAndGet();
        }
    }

    private static void execute(Life life) {
        try {
            life.scheduler.execute(
                    () -> {
                        life.executedBegun.incrementAndGet();
                        Fiber.snooze();
                    });
            life.executed.incrementAndGet();
        } catch (RejectedExecutionException refused) {
            life.refused.incrementAndGet();
        }
    }

    private static void place(Life life, SplittableRandom random, int thread) {
        int tasks = random.nextInt(MAX_TASKS);
        List<Spun> mine = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            if (random.nextInt(5) == 0) {
                execute(life);
            } else {
                Spun task = new Spun(life, "t" + thread + "." + i, random.nextInt(12), true);
                try {
                    task.fiber = life.scheduler.spin(task.name, task);
                    mine.add(task);
                    life.spun.add(task);
                } catch (CordClosedException | RejectedExecutionException refused) {
                    life.refused.incrementAndGet();
                }
            }
            if (!mine.isEmpty() && random.nextInt(4) == 0) {
                Spun victim = mine.get(random.nextInt(mine.size()));
                Fiber<?> fiber = victim.fiber;
                if (fiber != null) {
                    victim.isTerminated = true;
                    fiber.terminate();
                }
            }
        }
    }

    private static void play(long seed) throws InterruptedException {
        Life life = new Life(seed);
        SplittableRandom random = life.random;
        List<Thread> bound = bind(life, life.scheduler.cords().isEmpty() ? 1 : random.nextInt(3));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            SplittableRandom own = random.split();
            threads.add(Thread.ofPlatform().start(() -> place(life, own, number)));
        }
        boolean unbindsBefore = random.nextInt(3) > 0 && !life.scheduler.cords().isEmpty();
        for (int i = random.nextInt(40_000); i > 0; i--) {
            Thread.onSpinWait();
        }
        if (unbindsBefore) {
            life.gate.countDown(); // they unbind while it ends
        }
        ShutdownReport report =
                life.scheduler.shutdown(Duration.ofNanos(random.nextInt(2_000_000)));
        for (Thread thread : threads) {
            assertTrue(thread.join(LIMIT), life.text);
        }
        life.gate.countDown();
        for (Thread thread : bound) {
            assertTrue(thread.join(LIMIT), life.text);
        }
        check(life, report);
    }

    private static List<Thread> bind(Life life, int number) {
        CountDownLatch all = new CountDownLatch(number);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () ->
                                            life.scheduler.bind(
                                                    () -> {
                                                        all.countDown();
                                                        Blocking.run(() -> Runs.await(life.gate));
                                                    })));
        }
        Runs.await(all);
        return threads;
    }

    /** The report came before the end of a cord, but the end comes. */
    private static void checkLate(Life life, String text) {
        for (Cord each : life.scheduler.cords()) {
            assertTrue(each.awaitEnd(LIMIT), text);
        }
        for (Spun task : life.spun) {
            Fiber<?> fiber = task.fiber;
            assertTrue(fiber != null && fiber.awaitEnd(LIMIT), () -> task.name + ": " + text);
        }
        assertTrue(SchedulerImpl.of(life.scheduler).hasNoTasks(), text);
    }

    private static void check(Life life, ShutdownReport report) {
        String text = life.text + " " + report + " refused=" + life.refused;
        assertEquals(List.of(), report.failed(), text);
        if (!report.stuck().isEmpty() || report.left() > 0) {
            checkLate(life, text); // a machine with much else to do
            return;
        }
        assertTrue(SchedulerImpl.of(life.scheduler).hasNoTasks(), text);
        Set<String> told = ConcurrentHashMap.newKeySet();
        told.addAll(report.notStarted());
        told.addAll(report.terminated());
        told.addAll(report.abandoned());
        Set<Fiber<?>> reported = ConcurrentHashMap.newKeySet();
        life.reports.all().forEach(each -> reported.add(each.fiber()));
        Set<String> names = ConcurrentHashMap.newKeySet();
        for (Spun task : life.spun) {
            names.add(task.name);
            Fiber<?> fiber = task.fiber;
            assertTrue(fiber != null && fiber.awaitEnd(LIMIT), () -> task.name + ": " + text);
            assertTrue(task.begun.get() <= 1, () -> task.name + ": " + text);
            Throwable failure = fiber == null ? null : fiber.failure();
            if (failure == null) {
                assertEquals(1, task.begun.get(), () -> task.name + ": " + text);
            } else if (task.isNobodys && !task.isTerminated) {
                assertTrue(
                        told.contains(task.name) || reported.contains(fiber),
                        () -> task.name + " ended by " + failure + ": " + text);
            }
        }
        long unnamed = report.notStarted().stream().filter(each -> !names.contains(each)).count();
        long refusedLater =
                life.reports.all().stream()
                        .filter(each -> !names.contains(each.fiber().name()))
                        .filter(each -> !report.notStarted().contains(each.fiber().name()))
                        .filter(each -> each.failure().getCause() instanceof CordClosedException)
                        .count();
        assertEquals(
                life.executed.get(),
                life.executedBegun.get() + unnamed + refusedLater,
                () -> text + " begun=" + life.executedBegun + " reports=" + life.reports.all());
    }

    @Test
    void F15_everyTaskRanOrWasRefusedOrIsTold() throws InterruptedException {
        for (long seed = 0; seed < 60; seed++) {
            play(seed);
        }
    }

    @Test
    @Tag("stress")
    @Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
    void F15_everyTaskRanOrWasRefusedOrIsToldWithManySeeds() throws InterruptedException {
        for (long seed = 1_000; seed < 4_000; seed++) {
            play(seed);
        }
    }
}
