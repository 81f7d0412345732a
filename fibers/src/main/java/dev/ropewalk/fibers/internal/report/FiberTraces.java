package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.stack.Stacks;
import dev.ropewalk.fibers.observe.FiberTrace;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/**
 * The installed {@link FiberTrace}s, and the places that tell them. A constant decides whether
 * there can be any, so that it costs nothing when it is off.
 *
 * <p>They are called in the middle of a switch, so they run as no fiber and pinned: neither a
 * switchpoint nor, on virtual threads, a call that blocks in the JDK can leave the stack there.
 */
public final class FiberTraces {
    public static final boolean ON = Boolean.getBoolean("ropewalk.fiberTraces");

    private static final Log LOG = Logs.logger(FiberTraces.class);
    private static final List<FiberTrace> ALL = new CopyOnWriteArrayList<>();

    /** Set while this thread tells, so that the actions of a trace are told to no trace. */
    private static final ThreadLocal<@Nullable Boolean> TELLING = new ThreadLocal<>();

    private FiberTraces() {}

    public static void install(FiberTrace trace) {
        if (!ON) {
            throw new IllegalStateException(
                    "nothing is traced, so "
                            + SafeText.of(trace)
                            + " would be told nothing: start the JVM with"
                            + " -Dropewalk.fiberTraces=true");
        }
        ALL.add(trace);
    }

    public static void remove(FiberTrace trace) {
        ALL.remove(trace);
    }

    public static void spun(FiberImpl<?> fiber) {
        tell(FiberTrace::spun, fiber);
    }

    public static void scheduled(FiberImpl<?> fiber) {
        tell(FiberTrace::scheduled, fiber);
    }

    public static void switchedIn(FiberImpl<?> fiber) {
        tell(FiberTrace::switchedIn, fiber);
    }

    public static void switchedOut(FiberImpl<?> fiber) {
        tell(FiberTrace::switchedOut, fiber);
    }

    public static void ended(FiberImpl<?> fiber) {
        tell(FiberTrace::ended, fiber);
    }

    private static void tell(BiConsumer<FiberTrace, FiberImpl<?>> event, FiberImpl<?> fiber) {
        if (ALL.isEmpty() || TELLING.get() != null) {
            return;
        }
        CordImpl here = CordImpl.currentOrNull();
        TELLING.set(true);
        try {
            Stacks.runPinned(
                    () -> {
                        if (here == null) {
                            tellAll(event, fiber);
                        } else {
                            here.loop.asNoFiber(() -> tellAll(event, fiber));
                        }
                    });
        } finally {
            TELLING.remove();
        }
    }

    private static boolean tellAll(BiConsumer<FiberTrace, FiberImpl<?>> event, FiberImpl<?> fiber) {
        for (FiberTrace each : ALL) {
            try {
                event.accept(each, fiber);
            } catch (Throwable broken) {
                remove(each); // the loop goes over a copy
                String text = "{} failed for {} and is told no more";
                Logs.tellBroken(LOG, broken, text, Lines.of(each), fiber);
            }
        }
        return true;
    }
}
