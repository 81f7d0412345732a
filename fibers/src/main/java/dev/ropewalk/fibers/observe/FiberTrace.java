package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.report.FiberTraces;
import dev.ropewalk.fibers.internal.report.FlightRecorderTrace;

/**
 * Is told of each event in the lives of fibers: for tools that record or measure. Installed with
 * {@link #install}, in a JVM that was started with {@code -Dropewalk.fiberTraces=true}; without
 * that flag there is nothing to pay, and nothing to install.
 *
 * <p>The methods are called on the fiber's cord, except {@link #spun}, in the middle of the event,
 * as no fiber. They must be short: everything on the cord stands meanwhile. They cannot wait: a
 * switchpoint in them is an error, and a call that blocks in the JDK blocks the cord. Their own
 * actions on fibers, for example a schedule, are told to no trace. A trace that throws is logged
 * and taken out. Each method does nothing by default.
 */
public interface FiberTrace {
    /**
     * A fiber or task was made.
     *
     * @param fiber is not runnable yet; its cord may still be unknown
     */
    default void spun(Fiber<?> fiber) {}

    /**
     * The fiber was put at the end of the run queue.
     *
     * @param fiber is runnable
     */
    default void scheduled(Fiber<?> fiber) {}

    /**
     * The fiber was given the cord. A fiber that goes on at once, because its value was there or no
     * other is runnable, is not told.
     *
     * @param fiber is about to run
     */
    default void switchedIn(Fiber<?> fiber) {}

    /**
     * The fiber has yielded, or its turn or its life is over; not told of one that was abandoned
     * while it ran.
     *
     * @param fiber waits, is runnable again, or is dead
     */
    default void switchedOut(Fiber<?> fiber) {}

    /**
     * The fiber has ended. If it ended while it ran, its switching out is told after that.
     *
     * @param fiber is dead; {@link Fiber#failure} tells how it ended
     */
    default void ended(Fiber<?> fiber) {}

    /**
     * Has this told of all fibers of the process from now on. Works from any thread.
     *
     * @throws IllegalStateException if the JVM was started without {@code
     *     -Dropewalk.fiberTraces=true}
     */
    default void install() {
        FiberTraces.install(this);
    }

    /** Takes this trace out; a call that runs now goes on. No effect if it is not installed. */
    default void remove() {
        FiberTraces.remove(this);
    }

    /**
     * {@return a trace that makes events of the JDK's flight recorder}
     *
     * <p>The events are {@code dev.ropewalk.FiberSpin}, {@code dev.ropewalk.FiberEnd} and {@code
     * dev.ropewalk.FiberRun}, from switch to switch. They are made only if it is installed and a
     * recording asks for them; {@code FiberRun} is disabled by default, and has a threshold.
     */
    static FiberTrace toFlightRecorder() {
        return new FlightRecorderTrace();
    }
}
