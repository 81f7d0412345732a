package dev.ropewalk.fibers.internal.platform;

import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.internal.reactor.Reactor;
import dev.ropewalk.fibers.internal.reactor.ReactorLibrary;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Real time, real randomness, and two places to park: the thread itself and, once I/O was asked
 * for, the reactor.
 *
 * <p>No wake-up is lost in either. A sender offers, then reads {@link #asleep}; the cord sets that,
 * then polls for work once more, and then parks: one of the two sees the other. A thread that is
 * about to park keeps its permit; the reactor polls by itself, after it has made itself wakeable.
 */
public final class RealPlatform implements Platform {
    private final Thread thread;

    /** Null before I/O was asked for; written by the cord, while it is awake. */
    private volatile @Nullable Reactor reactor;

    private volatile boolean asleep;

    /** Null before the reactor is asked for. */
    private final AtomicReference<@Nullable CompletableFuture<Reactor>> asked =
            new AtomicReference<>();

    public RealPlatform(Thread thread) {
        this.thread = thread;
    }

    /** For people: nothing that a program does depends on it. */
    public static Instant timeOfDay() {
        return Instant.now();
    }

    /** A fresh reading for plain threads, which have no cord and so no platform of their own. */
    public static long now() {
        return System.nanoTime();
    }

    /** A number from 0 to {@code bound - 1} for plain threads. */
    public static int draw(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }

    @Override
    public long nanoTime() {
        return now();
    }

    @Override
    public int nextInt(int bound) {
        return draw(bound);
    }

    @Override
    public boolean isOrderSeeded() {
        return false;
    }

    @Override
    public boolean isVirtual() {
        return false;
    }

    // ---------------------------------------------------------------- sleep

    /**
     * Waits until the deadline, an I/O event or a wake-up. An interrupt is kept, and ends a wait at
     * most once; so does an unpark by others.
     */
    @Override
    public void park(boolean timed, long deadlineNs, BooleanSupplier hasWork) {
        boolean wasInterrupted = putInterruptAside();
        asleep = true;
        try {
            Reactor loop = reactor;
            if (loop != null) {
                parkInReactor(loop, timed, deadlineNs, hasWork);
            } else if (!hasWork.getAsBoolean()) {
                parkThread(timed, deadlineNs);
            }
        } finally {
            asleep = false;
            if (wasInterrupted) {
                thread.interrupt();
            }
        }
    }

    /** An interrupted thread cannot park, nor wait in NIO. */
    private static boolean putInterruptAside() {
        boolean wasInterrupted = Thread.interrupted();
        if (wasInterrupted) {
            // The interrupt has left a permit too. The cord does not count as asleep yet, so no
            // message gave that permit. Long ago is a deadline: it takes the permit and never
            // waits.
            LockSupport.parkUntil(1);
        }
        return wasInterrupted;
    }

    private void parkThread(boolean timed, long deadlineNs) {
        if (timed) {
            LockSupport.parkNanos(this, deadlineNs - nanoTime());
        } else {
            LockSupport.park(this);
        }
    }

    private void parkInReactor(
            Reactor loop, boolean timed, long deadlineNs, BooleanSupplier hasWork) {
        if (timed) {
            loop.park(deadlineNs - nanoTime(), hasWork);
        } else {
            loop.park(hasWork);
        }
    }

    /**
     * A cord that installs its reactor between the two readings has taken every message that was
     * offered before, so it does not matter which place is woken.
     */
    @Override
    public void wakeUp() {
        if (asleep) {
            Reactor loop = reactor;
            if (loop == null) {
                LockSupport.unpark(thread);
            } else {
                loop.wakeUp();
            }
        }
    }

    // ---------------------------------------------------------------- the reactor

    @Override
    public @Nullable Reactor reactor() {
        return reactor;
    }

    /**
     * Asks for the cord's reactor, from any thread. Its library is loaded beside the cord, which
     * takes some 0.3 s the first time; then the cord makes the reactor, and parks there from now
     * on.
     *
     * @param cord the cord of this platform
     * @return the reactor, the same each time; fails with a {@link CordClosedException} if the cord
     *     ends before, and with the cause if the reactor cannot be made, which the next caller
     *     tries again
     */
    public CompletableFuture<Reactor> reactor(Poster cord) {
        CompletableFuture<Reactor> mine = new CompletableFuture<>();
        CompletableFuture<Reactor> first = asked.compareAndExchange(null, mine);
        if (first != null) {
            return first;
        }
        CompletionStage<?> _ =
                ReactorLibrary.LOADED.whenComplete(
                        (loaded, failure) -> {
                            if (failure == null) {
                                cord.post(
                                        () -> install(mine, cord), () -> refuse(mine, ended(cord)));
                            } else {
                                refuse(mine, failure);
                            }
                        });
        return mine;
    }

    private static CordClosedException ended(Poster cord) {
        return new CordClosedException(cord + " has ended and cannot have a reactor");
    }

    private void refuse(CompletableFuture<Reactor> waiting, Throwable failure) {
        asked.set(null);
        waiting.completeExceptionally(failure);
    }

    private void install(CompletableFuture<Reactor> waiting, Poster cord) {
        Reactor made;
        try {
            made = new Reactor(thread, cord::wakesForIo);
        } catch (Throwable failed) { // no file descriptor is left, say
            refuse(waiting, failed);
            return;
        }
        reactor = made;
        waiting.complete(made);
    }

    @Override
    public void close() {
        Reactor loop = reactor;
        if (loop != null) {
            loop.close();
        }
    }
}
