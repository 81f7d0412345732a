package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Where fibers were spun, when that is switched on by {@code -Dropewalk.spinTraces=true}: the
 * failure of a fiber then shows where it and its ancestors were spun. A constant, so that it costs
 * nothing when it is off; when it is on, each spin takes a stack trace.
 */
public final class SpinTraces {
    public static final boolean ON = Boolean.getBoolean("ropewalk.spinTraces");

    /** Beside the fibers and not in them, because a field would cost every fiber. */
    private static final Map<FiberImpl<?>, SpunHere> TRACES =
            Collections.synchronizedMap(new WeakHashMap<>());

    private SpinTraces() {}

    /** By the constructor of the fiber. */
    public static void note(FiberImpl<?> fiber) {
        TRACES.put(fiber, new SpunHere(fiber.name() + " was spun here"));
    }

    /** The fiber first, then those above it. */
    public static void addTo(Throwable failure, FiberImpl<?> failed) {
        for (FiberImpl<?> each = failed; each != null; each = each.parentOrNull()) {
            @Nullable SpunHere spun = TRACES.get(each);
            if (spun != null) {
                failure.addSuppressed(spun);
            }
        }
    }

    /** No failure; a place in the code. */
    private static final class SpunHere extends Throwable {
        private static final long serialVersionUID = 1L;

        SpunHere(String message) {
            super(message, null, false, true);
        }
    }
}
