package dev.ropewalk.fibers.internal.boot;

import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.internal.cord.CordGroup;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.StackChoice;
import dev.ropewalk.fibers.internal.platform.Platform;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.internal.platform.VirtualPlatform;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.Callable;

/** Makes cords: checks that thread and options suit each other before anything is started. */
public final class CordStarter {
    private CordStarter() {}

    /** The calling thread is one of the scheduler's cords until the body has ended. */
    @SuppressWarnings("unchecked") // the root fiber runs the body
    public static <T extends @Nullable Object> T run(
            CordOptions options, Callable<? extends T> body, @Nullable CordGroup group) {
        Objects.requireNonNull(body, "body");
        if (group == null && options.thread().factory() != null) { // its own cords need it
            throw new IllegalArgumentException(
                    "cord "
                            + options.name()
                            + " has a thread factory, but Cord.run makes no thread: the calling one"
                            + " becomes the cord; use Cord.start, or leave the factory out");
        }
        StackChoice.of(options); // first, because it may be one that cannot be had
        CallerCheck.check();
        Platform platform = platformOf(options.clock(), Thread.currentThread());
        CordImpl cord = new CordImpl(options, platform, body, group);
        CordThread.onCallersCpus(options, new ThreadDriver(cord));
        return (T) cord.root().await();
    }

    /** On a thread of its own; without a body it serves until it is closed. */
    public static CordImpl start(
            CordOptions options, @Nullable Callable<?> body, @Nullable CordGroup group) {
        if (options.clock() instanceof CordOptions.VirtualClock) {
            throw new IllegalArgumentException(
                    "cord "
                            + options.name()
                            + ": clock="
                            + options.clock()
                            + " needs Cord.run; a cord with a thread of its own keeps real time");
        }
        StackChoice.of(options); // before a factory is asked for its thread
        CordThread thread = new CordThread(options);
        Platform platform = platformOf(options.clock(), thread.thread());
        CordImpl cord = new CordImpl(options, platform, body, group);
        cord.ownThread = thread.thread();
        if (group == null) {
            thread.start(new ThreadDriver(cord));
        } else {
            startFor(group, cord, thread);
        }
        return cord;
    }

    private static void startFor(CordGroup group, CordImpl cord, CordThread thread) {
        group.enter(cord);
        boolean isStarted = false;
        try {
            thread.start(new ThreadDriver(cord));
            isStarted = true;
        } finally {
            if (!isStarted) {
                group.forget(cord);
            }
        }
    }

    /**
     * A cord that shares the calling thread with others. With a body it ends with it; without one
     * it is like a started cord, which serves until it is closed.
     */
    public static TurnDriver inTurns(
            CordOptions options, Platform platform, @Nullable Callable<?> body) {
        CordImpl cord = new CordImpl(options, platform, body, null);
        if (body == null) {
            cord.ownThread = Thread.currentThread();
        }
        cord.loop.enqueue(cord.root(), Handler.START);
        return new TurnDriver(cord);
    }

    /** The platform of a cord that has a thread for itself. */
    private static Platform platformOf(CordOptions.Clock clock, Thread thread) {
        return clock instanceof CordOptions.VirtualClock(long seed, boolean seededOrder)
                ? new VirtualPlatform(seed, seededOrder)
                : new RealPlatform(thread);
    }
}
