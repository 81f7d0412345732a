package dev.ropewalk.fibers;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Real time, real randomness, and the reactor as the place to park.
 *
 * <p>The reactor (epoll on Linux, NIO elsewhere) is made when the cord sleeps for the first time: a
 * cord that never runs dry needs no file descriptors.
 */
final class RealSeam implements Seam {
    /** How {@link ManualIoEventLoop#run(long)} spells a wait without a limit. */
    private static final long WITHOUT_LIMIT = 0;

    private final Thread thread;
    private volatile @Nullable Reactor reactor;
    private volatile boolean asleep;

    RealSeam(Thread thread) {
        this.thread = thread;
    }

    /** A fresh reading for plain threads, which have no cord and so no seam of their own. */
    static long now() {
        return System.nanoTime();
    }

    @Override
    public long nanoTime() {
        return now();
    }

    @Override
    public int nextInt(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }

    @Override
    public boolean isOrderSeeded() {
        return false;
    }

    @Override
    public boolean isVirtual() {
        return false;
    }

    @Override
    public void park(boolean timed, long deadlineNs, BooleanSupplier hasWork) {
        Reactor loop = reactor(hasWork);
        // A sender offers, then reads asleep; we set asleep, and the reactor looks for work once
        // more after it is ready to be woken: one of us sees the other.
        asleep = true;
        try {
            long waitNs = timed ? deadlineNs - nanoTime() : WITHOUT_LIMIT;
            if (waitNs > 0 || !timed) {
                loop.run(waitNs);
            }
        } finally {
            asleep = false;
        }
    }

    @Override
    public void wakeUp() {
        if (asleep) {
            Reactor loop = reactor;
            if (loop != null) {
                loop.wakeup();
            }
        }
    }

    /** Runs tasks as Netty runs its handlers; null before the cord has slept. For tests. */
    @Nullable Executor handlers() {
        return reactor;
    }

    private Reactor reactor(BooleanSupplier hasWork) {
        Reactor loop = reactor;
        if (loop == null) {
            loop = new Reactor(thread, ioHandler(), hasWork);
            reactor = loop;
        }
        return loop;
    }

    /**
     * The reactor asks whether it may block after it has made itself wakeable. Looking before that
     * loses a wake-up: one that comes in between finds a reactor that counts as awake.
     */
    private static final class Reactor extends ManualIoEventLoop {
        private final BooleanSupplier hasWork;

        Reactor(Thread thread, IoHandlerFactory factory, BooleanSupplier hasWork) {
            super(thread, factory);
            this.hasWork = hasWork;
        }

        @Override
        protected boolean canBlock() {
            return !hasWork.getAsBoolean();
        }
    }

    private static IoHandlerFactory ioHandler() {
        return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    @Override
    public void close() {
        Reactor loop = reactor;
        if (loop != null) {
            Future<?> terminated = loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
            while (!terminated.isDone()) {
                loop.runNow();
            }
        }
    }
}
