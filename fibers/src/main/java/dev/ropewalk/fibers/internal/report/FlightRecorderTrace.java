package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.observe.FiberTrace;

import jdk.jfr.Category;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Records the lives of fibers as events of the JDK's flight recorder. */
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class FlightRecorderTrace implements FiberTrace {
    /** The fiber that runs on each cord; its event began where it was switched in. */
    private final Map<CordImpl, FiberRun> running = new ConcurrentHashMap<>();

    /** The fields of all events. */
    @Category("Ropewalk")
    private abstract static class OfFiber extends Event {
        @Label("Fiber")
        String fiber = "";

        @Label("Fiber Number")
        long number;

        @Label("Cord")
        @Nullable String cord;

        void of(Fiber<?> told) {
            CordImpl home = FiberImpl.of(told).cordOrNull();
            fiber = told.name();
            number = told.id();
            cord = home == null ? null : home.name();
        }
    }

    @Name("dev.ropewalk.FiberSpin")
    @Label("Fiber Spin")
    private static final class FiberSpin extends OfFiber {
        @Label("Parent Number")
        long parent;
    }

    @Name("dev.ropewalk.FiberEnd")
    @Label("Fiber End")
    @StackTrace(false)
    private static final class FiberEnd extends OfFiber {
        @Label("Failure")
        @Nullable String failure;
    }

    @Name("dev.ropewalk.FiberRun")
    @Label("Fiber Run")
    @StackTrace(false)
    @Enabled(false)
    @Threshold("10 ms")
    private static final class FiberRun extends OfFiber {}

    @Override
    public void spun(Fiber<?> fiber) {
        FiberSpin event = new FiberSpin();
        if (event.shouldCommit()) {
            Fiber<?> parent = FiberImpl.of(fiber).parentOrNull();
            event.of(fiber);
            event.parent = parent == null ? 0 : parent.id();
            event.commit();
        }
    }

    @Override
    public void ended(Fiber<?> fiber) {
        FiberEnd event = new FiberEnd();
        if (event.shouldCommit()) {
            Throwable failure = fiber.failure();
            event.of(fiber);
            event.failure = failure == null ? null : Lines.of(failure);
            event.commit();
        }
    }

    @Override
    public void switchedIn(Fiber<?> fiber) {
        FiberRun event = new FiberRun();
        if (event.isEnabled()) {
            event.begin();
            running.put(FiberImpl.of(fiber).home(), event);
        }
    }

    @Override
    public void switchedOut(Fiber<?> fiber) {
        FiberRun event = running.remove(FiberImpl.of(fiber).home());
        if (event != null) {
            event.end();
            if (event.shouldCommit()) {
                event.of(fiber);
                event.commit();
            }
        }
    }

    @Override
    public String toString() {
        return "trace to the flight recorder";
    }
}
