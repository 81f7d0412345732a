package dev.ropewalk.fibers.internal.reactor;

import io.netty.channel.DefaultChannelId;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.Future;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Netty's event loop, of a {@link ReactorKind} (rule I1). The cord's own thread drives it: it polls
 * the loop between two fibers, and parks here from the moment at which I/O was asked for (rule F2).
 *
 * <p>The output of all fibers is flushed once in a turn of the loop, however many of them write: a
 * connection that has written says so ({@link #flushLater}), and the next poll flushes it (rule
 * I3). A cord polls before it sleeps.
 *
 * <p>Confined to its thread, but for {@link #wakeUp} and {@link #eventLoop}, whose {@code execute}
 * any thread may call.
 */
public final class Reactor {
    /** How {@link ManualIoEventLoop#run(long)} spells a wait without a limit. */
    private static final long WITHOUT_LIMIT = 0;

    private final Loop loop;

    /** Have written since the last turn, in order. */
    private List<Unflushed> unflushed = new ArrayList<>();

    /** The empty one of the two lists. */
    private List<Unflushed> spare = new ArrayList<>();

    private long polls;

    /** The channels that are registered and not closed. */
    private int sockets;

    /** A connection with written bytes that the kernel does not know of. */
    @FunctionalInterface
    public interface Unflushed {
        /** On the reactor's thread, and no fiber's turn; throws nothing. */
        void flush();
    }

    /**
     * Of this thread.
     *
     * @param wakes run when a {@linkplain #park wait} is over, before anything is handled
     */
    public Reactor(Thread thread, Runnable wakes) {
        Waking waking = new Waking(wakes);
        loop =
                new Loop(
                        thread,
                        WakingHandler.newFactory(ReactorKind.CHOSEN.newFactory(), waking),
                        waking);
    }

    /** Loads what a reactor needs, to the last class, on a thread that can wait for it. */
    static void loadLibrary() {
        Reactor first = new Reactor(Thread.currentThread(), () -> {});
        try {
            first.eventLoop().execute(first::wakeUp);
            first.park(1, () -> false);
            DefaultChannelId.newInstance(); // each socket has one, and the first takes long
        } finally {
            first.close();
        }
    }

    /**
     * Flushes what fibers have written, handles what has come, runs Netty's tasks, and flushes what
     * these have written. How many there were, of all.
     */
    public int poll() {
        polls++;
        return flush() + loop.runNow() + flush();
    }

    /** How often it was polled or parked in; to be read by any thread, a hint. */
    public long polls() {
        return polls;
    }

    /** A socket was registered. */
    public void opened() {
        sockets++;
    }

    /** A socket that was registered is closed. */
    public void closed() {
        sockets--;
    }

    /** How many are open; to be read by any thread, a hint. */
    public int sockets() {
        return sockets;
    }

    /** How many have written what is not flushed; to be read by any thread, a hint. */
    public int unsent() {
        return unflushed.size();
    }

    /** By a fiber of the cord or a handler; once for each turn in which it writes. */
    public void flushLater(Unflushed written) {
        unflushed.add(written);
    }

    private int flush() {
        if (unflushed.isEmpty()) {
            return 0;
        }
        loop.runNonBlockingTasks(0); // the writes themselves, of fibers on virtual threads
        List<Unflushed> written = unflushed;
        unflushed = spare;
        spare = written;
        for (Unflushed each : written) {
            each.flush();
        }
        int flushed = written.size();
        written.clear();
        return flushed;
    }

    /**
     * Waits for a wake-up or I/O.
     *
     * @param hasWork read again after it has made itself wakeable
     */
    public void park(BooleanSupplier hasWork) {
        parkFor(WITHOUT_LIMIT, hasWork);
    }

    /**
     * Like {@link #park(BooleanSupplier)}, for so many nanoseconds at most; 0 or less means no
     * wait.
     */
    public void park(long waitNs, BooleanSupplier hasWork) {
        if (waitNs > 0) {
            parkFor(waitNs, hasWork);
        }
    }

    private void parkFor(long waitNs, BooleanSupplier hasWork) {
        polls++;
        loop.hasWork = hasWork;
        loop.waking.isParked = true;
        try {
            loop.run(waitNs);
        } finally {
            loop.waking.isParked = false;
        }
    }

    /** From any thread. */
    public void wakeUp() {
        loop.wakeup();
    }

    /** {@return which sockets fit it} */
    public ReactorKind kind() {
        return ReactorKind.CHOSEN;
    }

    /** Where channels are registered; runs tasks as Netty runs its handlers. */
    public EventLoop eventLoop() {
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
    private final class Loop extends ManualIoEventLoop {
        private final Waking waking;
        private BooleanSupplier hasWork = () -> false;

        Loop(Thread thread, IoHandlerFactory factory, Waking waking) {
            super(thread, factory);
            this.waking = waking;
        }

        @Override
        protected boolean canBlock() {
            return unflushed.isEmpty() && !hasWork.getAsBoolean();
        }
    }

    /** Only a wait has to be ended; the caller of a poll looks anyway. */
    private static final class Waking implements Runnable {
        private final Runnable wakes;

        /** In a wait that has not ended. */
        private boolean isParked;

        Waking(Runnable wakes) {
            this.wakes = wakes;
        }

        @Override
        public void run() {
            if (isParked) {
                isParked = false;
                wakes.run();
            }
        }
    }
}
