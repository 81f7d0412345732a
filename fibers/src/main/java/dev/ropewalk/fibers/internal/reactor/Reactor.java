package dev.ropewalk.fibers.internal.reactor;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Netty's event loop (epoll on Linux, NIO elsewhere), driven by the cord's own thread, which parks
 * here from the moment at which I/O was asked for.
 *
 * <p>The one class that names Netty. Confined to its thread, but for {@link #wakeUp} and {@link
 * #handlers}.
 */
public final class Reactor {
    /** How {@link ManualIoEventLoop#run(long)} spells a wait without a limit. */
    private static final long WITHOUT_LIMIT = 0;

    private final Loop loop;

    public Reactor(Thread thread) {
        loop = new Loop(thread, ioHandler());
    }

    private static IoHandlerFactory ioHandler() {
        return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    /** Loads what a reactor needs, to the last class, on a thread that can wait for it. */
    static void loadLibrary() {
        Reactor first = new Reactor(Thread.currentThread());
        try {
            first.handlers().execute(first::wakeUp);
            first.park(1, () -> false);
        } finally {
            first.close();
        }
    }

    /**
     * Waits for a wake-up or I/O.
     *
     * @param hasWork read again after it has made itself wakeable
     */
    public void park(BooleanSupplier hasWork) {
        loop.hasWork = hasWork;
        loop.run(WITHOUT_LIMIT);
    }

    /** Like {@link #park(BooleanSupplier)}, for so many nanoseconds at most; 0 or less is none. */
    public void park(long waitNs, BooleanSupplier hasWork) {
        if (waitNs > 0) {
            loop.hasWork = hasWork;
            loop.run(waitNs);
        }
    }

    /** From any thread. */
    public void wakeUp() {
        loop.wakeup();
    }

    /** Runs tasks as Netty runs its handlers. */
    public Executor handlers() {
        return loop;
    }

    public void close() {
        Future<?> terminated = loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
        while (!terminated.isDone()) {
            loop.runNow();
        }
    }

    /**
     * It asks whether it may block after it has made itself wakeable. To ask before that loses a
     * wake-up: one that comes in between finds a reactor that counts as awake.
     */
    private static final class Loop extends ManualIoEventLoop {
        private BooleanSupplier hasWork = () -> false;

        Loop(Thread thread, IoHandlerFactory factory) {
            super(thread, factory);
        }

        @Override
        protected boolean canBlock() {
            return !hasWork.getAsBoolean();
        }
    }
}
