package dev.ropewalk.fibers.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Rule C3: one short lock per operation. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BriefLockTest {
    private static final int THREADS = 4;
    private static final int SECTIONS = 100_000;

    private final BriefLock lock = new BriefLock();

    /** Guarded. */
    private int count;

    private void section() {
        lock.enter();
        try {
            count++;
        } finally {
            lock.exit();
        }
    }

    private static <T> FutureTask<T> started(FutureTask<T> task) {
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    @Test
    void C3_sectionsExcludeEachOther() throws ExecutionException, InterruptedException {
        List<FutureTask<Void>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            all.add(started(new FutureTask<>(this::sections, null)));
        }
        for (FutureTask<Void> each : all) {
            each.get();
        }
        assertEquals(THREADS * SECTIONS, count);
    }

    private void sections() {
        for (int i = 0; i < SECTIONS; i++) {
            section();
        }
    }

    @Test
    void C3_holderMayEnterAgainAndHoldsItUntilTheLastExit()
            throws ExecutionException, InterruptedException {
        lock.enter();
        lock.enter();
        lock.exit();
        FutureTask<Void> other = started(new FutureTask<>(this::section, null));
        for (int i = 0; i < SECTIONS; i++) {
            count++; // would be lost if the other thread were inside
            Thread.onSpinWait();
        }
        assertEquals(SECTIONS, count);
        lock.exit();
        other.get();
        assertEquals(SECTIONS + 1, count);
    }

    /** Far longer than the waiting threads spin. */
    @Test
    void C3_threadsThatWaitForLongComeIn() throws ExecutionException, InterruptedException {
        List<FutureTask<Void>> all = new ArrayList<>();
        lock.enter();
        try {
            List<Thread> waiting = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                FutureTask<Void> task = new FutureTask<>(this::section, null);
                all.add(task);
                waiting.add(Thread.ofPlatform().daemon().start(task));
            }
            for (Thread each : waiting) {
                Runs.until(() -> each.getState() == Thread.State.TIMED_WAITING);
            }
            assertEquals(0, count);
        } finally {
            lock.exit();
        }
        for (FutureTask<Void> each : all) {
            each.get();
        }
        assertEquals(THREADS, count);
    }

    @Test
    void C3_interruptedThreadComesInAndStaysInterrupted()
            throws ExecutionException, InterruptedException {
        CountDownLatch interrupted = new CountDownLatch(1);
        lock.enter();
        FutureTask<Boolean> other =
                started(
                        new FutureTask<>(
                                () -> {
                                    Thread.currentThread().interrupt();
                                    interrupted.countDown();
                                    section();
                                    return Thread.currentThread().isInterrupted();
                                }));
        Runs.await(interrupted);
        lock.exit();
        assertTrue(other.get());
        assertEquals(1, count);
    }

    /** Its sleep ends early, and it neither comes in nor loses the interrupt. */
    @Test
    void C3_threadThatIsInterruptedInItsSleepWaitsOnAndStaysInterrupted()
            throws ExecutionException, InterruptedException {
        lock.enter();
        FutureTask<Boolean> task =
                new FutureTask<>(
                        () -> {
                            section();
                            return Thread.currentThread().isInterrupted();
                        });
        Thread sleeper = Thread.ofPlatform().daemon().start(task);
        Runs.until(() -> sleeper.getState() == Thread.State.TIMED_WAITING);
        sleeper.interrupt();
        for (int i = 0; i < SECTIONS; i++) {
            count++; // would be lost if the other thread were inside
            Thread.onSpinWait();
        }
        assertEquals(SECTIONS, count);
        lock.exit();
        assertTrue(task.get());
        assertEquals(SECTIONS + 1, count);
    }

    @Test
    void C3_exitOfAThreadThatHasNotEnteredIsAnError()
            throws ExecutionException, InterruptedException {
        assertThrows(IllegalMonitorStateException.class, lock::exit);
        lock.enter();
        FutureTask<Throwable> other = started(new FutureTask<>(() -> Runs.failureOf(lock::exit)));
        assertEquals(IllegalMonitorStateException.class, other.get().getClass());
        section(); // it is held still, by this thread
        lock.exit();
        section();
        assertEquals(2, count);
    }
}
