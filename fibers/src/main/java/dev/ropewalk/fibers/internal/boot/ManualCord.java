package dev.ropewalk.fibers.internal.boot;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.internal.cord.CurrentCord;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.internal.platform.VirtualPlatform;
import dev.ropewalk.fibers.internal.platform.VirtualTime;
import dev.ropewalk.fibers.internal.timer.Timer;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A virtual cord that goes on when its owner says so, and as far: for runs step by step (rule F14).
 *
 * <p>It has no thread. {@link #drive} lends it one of a pool while the caller waits, so the caller
 * may be any thread, also one that is a cord, holds monitors, or is virtual. Its time stands still
 * but for {@link #moveTo} and {@link #moveToNextTimer}. A cord that nobody holds any more is
 * garbage, and its fibers with it.
 *
 * <p>Rejected: the caller's own thread. A stack that leaves it would carry off monitors that the
 * caller holds, and a caller that is a cord would be two at a time.
 */
public final class ManualCord {
    /** They end by themselves when nothing is driven. */
    private static final ExecutorService THREADS =
            new ThreadPoolExecutor(
                    0,
                    Integer.MAX_VALUE,
                    1,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    Thread.ofPlatform().daemon().name("manual-cord-", 0).factory());

    private final VirtualTime time;
    private final TurnDriver turns;

    /** Held by the caller of {@link #drive}. */
    private final ReentrantLock driving = new ReentrantLock();

    /**
     * A cord at rest.
     *
     * @param name of the cord
     * @param seed of its clock and its random numbers
     */
    public ManualCord(String name, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        time = new VirtualTime(random.nextLong());
        VirtualPlatform platform = new VirtualPlatform(random, false, time);
        turns = CordStarter.inTurns(CordOptions.named(name), platform, null);
    }

    /** {@return the cord} */
    public Cord cord() {
        return turns.cord;
    }

    /**
     * Runs the code on a thread that may call the methods below. Waits for it.
     *
     * @throws IllegalStateException if the cord is being driven, or the caller was interrupted
     */
    public <T extends @Nullable Object> T drive(Callable<T> code) {
        if (!driving.tryLock()) {
            throw new IllegalStateException(
                    cord() + " is being driven by another call; it is for one thread at a time");
        }
        try {
            Future<T> done = THREADS.submit(() -> driven(code));
            try {
                return done.get();
            } catch (InterruptedException interrupted) {
                done.cancel(true);
                Thread.currentThread().interrupt();
                throw new IllegalStateException(
                        Thread.currentThread() + " was interrupted while " + cord() + " ran");
            } catch (ExecutionException failed) {
                throw Unchecked.<RuntimeException>sneaky(
                        Objects.requireNonNull(failed.getCause(), "cause"));
            }
        } finally {
            driving.unlock();
        }
    }

    /** Like {@link #drive}, but false at once if the cord is being driven. */
    public boolean tryDrive(Runnable code) {
        if (!driving.tryLock()) {
            return false;
        }
        try {
            drive(
                    () -> {
                        code.run();
                        return null;
                    });
            return true;
        } finally {
            driving.unlock();
        }
    }

    private <T extends @Nullable Object> T driven(Callable<T> code) throws Exception {
        CurrentCord.driver(this);
        try {
            return code.call();
        } finally {
            CurrentCord.driver(null);
        }
    }

    // ---------------------------------------------------------------- inside drive

    /** The thread is the cord meanwhile, and no fiber runs. */
    public void asCord(Runnable code) {
        turns.asCurrent(code);
    }

    /** The same, with a result. */
    public <T extends @Nullable Object> T getAsCord(Supplier<T> code) {
        AtomicReference<T> result = new AtomicReference<>();
        turns.asCurrent(() -> result.set(code.get()));
        return result.get();
    }

    /** Runs what is runnable, or has come, or is due, until nothing is. */
    public void runReady() {
        while (turns.hasTurn()) {
            turns.takeTurn();
        }
    }

    /** {@return what the clock says} */
    public long nanoTime() {
        return turns.cord.nanoTime();
    }

    /** {@return when the next timer is due; null if there is none} */
    public @Nullable Long nextTimerNs() {
        Timer next = turns.cord.timers.earliest();
        return next == null ? null : (Long) next.deadlineNs;
    }

    /** Time goes on; no effect if it is that late already. */
    public void moveTo(long instantNs) {
        time.moveOnTo(instantNs);
    }

    /** Time goes on to the next timer; false if there is none. */
    public boolean moveToNextTimer() {
        Long next = nextTimerNs();
        if (next == null) {
            return false;
        }
        time.moveOnTo(next);
        return true;
    }
}
