package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.internal.platform.Unchecked;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * The exceptions that the switchpoints of a fiber raise (rules F4 and F6).
 *
 * <p>Two sources: {@code pending}, raised into the fiber as a whole, and the cancel scopes that it
 * is in. At most one exception is pending; a signal of the library stays there until the fiber has
 * ended, any other exception is thrown once. A scope that was cancelled raises its signal at every
 * switchpoint until it is left. Of several that are due, the pending exception comes first, and
 * then the signal of the outermost scope, which unwinds the scopes inside it. A shield holds off
 * whatever comes from outside it, and nothing that was entered inside it, also one of the library's
 * own clean-up, in which users' end hooks run.
 *
 * <pre>
 *   due() =  pending                 unless a shield stands between it and here
 *         or outermost cancelled scope inside the innermost shield
 *         or null
 * </pre>
 *
 * Invariant: {@code alerted} is set if something is pending or a scope around is cancelled, whether
 * a shield holds it off or not; and the loop's {@code mayBeDue} is set while such a fiber runs,
 * which is all that the fast path reads. Rejected: one field that holds what is due, because a
 * shield or scope that is left would have to find out what it hid.
 *
 * <p>Everything is confined to the fiber's cord.
 */
public final class Cancellation {
    private Cancellation() {}

    /** Whether a switchpoint has to check {@link #due}. */
    public static boolean isAlerted(FiberImpl<?> fiber) {
        return fiber.alerted
                && (fiber.shields == 0 || fiber.abandonedFor != null || isInsideShields(fiber));
    }

    private static boolean isInsideShields(FiberImpl<?> fiber) {
        return fiber.scope != null && fiber.scope.isInsideShields();
    }

    /** The exception that a switchpoint raises here; null if nothing is due, or it is held off. */
    public static final @Nullable Throwable due(FiberImpl<?> fiber) {
        if (!isAlerted(fiber)) {
            return null;
        }
        Unwind due = null;
        boolean isHeldOff = fiber.abandonedFor == null;
        for (ScopeNode each = fiber.scope; each != null; each = each.outer()) {
            if (isHeldOff && !each.isInsideShields()) {
                return due;
            }
            Unwind signal = each.signal();
            due = signal == null ? due : signal;
            if (isHeldOff && each.holdsOff()) {
                return due;
            }
        }
        return fiber.pending == null || (isHeldOff && fiber.shields > 0) ? due : fiber.pending;
    }

    /** Throws what is due: a fresh raise of a signal, which stays due; any other exception once. */
    static RuntimeException throwDue(FiberImpl<?> fiber) {
        Throwable due = Objects.requireNonNull(due(fiber), "nothing is due");
        if (due instanceof Unwind signal) {
            throw signal.raise(fiber);
        }
        if (due == fiber.pending) {
            fiber.pending = null;
            refreshAlert(fiber);
            fiber.forgetInterruptFor(due);
        }
        throw Unchecked.<RuntimeException>sneaky(due);
    }

    /** Whether it is to end, and has had no turn since then: its next one raises that. */
    public static boolean isNextTurnItsEnd(FiberImpl<?> fiber) {
        return fiber.isQueued()
                && fiber.pending instanceof Unwind signal
                && !signal.wasRaised()
                && due(fiber) == signal;
    }

    public static final @Nullable Throwable pending(FiberImpl<?> fiber) {
        return fiber.pending;
    }

    static void addPending(FiberImpl<?> fiber, Throwable raised) {
        fiber.pending = PendingRules.stronger(fiber.pending, Unwind.originOf(raised));
        fiber.alert();
    }

    static final @Nullable Throwable takePending(FiberImpl<?> fiber) {
        Throwable taken = fiber.pending;
        fiber.pending = null;
        refreshAlert(fiber);
        return taken;
    }

    /** A wait that was given in the last moment puts back what came too late. */
    static void keepForNextSwitchpoint(FiberImpl<?> fiber, Throwable raised) {
        Throwable origin = Unwind.originOf(raised);
        if (fiber.pending != origin && !(origin instanceof Unwind.Cancel)) {
            fiber.pending =
                    fiber.pending == null ? origin : PendingRules.stronger(origin, fiber.pending);
            fiber.alert();
        } // otherwise it stands in the fiber or in its scope as before
    }

    static final @Nullable ScopeNode scope(FiberImpl<?> fiber) {
        return fiber.scope;
    }

    static void enterScope(FiberImpl<?> fiber, ScopeNode entered) {
        fiber.scope = entered;
        if (entered.signal() != null) {
            fiber.alert();
        }
    }

    static void alert(FiberImpl<?> fiber) {
        fiber.alert();
    }

    static void refreshAlert(FiberImpl<?> fiber) {
        if (!fiber.alerted) {
            return;
        }
        boolean cancelled = false;
        for (ScopeNode each = fiber.scope; each != null && !cancelled; each = each.outer()) {
            cancelled = each.signal() != null;
        }
        fiber.alerted = fiber.pending != null || cancelled;
    }

    /** Whether a limit of a scope that it is in may end its wait. */
    public static boolean isLimitedByScope(FiberImpl<?> fiber) {
        for (ScopeNode each = fiber.scope; each != null; each = each.outer()) {
            if (each.isLimited()) {
                return true;
            }
        }
        return false;
    }

    /** From now on nothing from outside ends its waits early; each of them has a limit. */
    static void shield(FiberImpl<?> fiber) {
        fiber.shields++;
    }

    static void unshield(FiberImpl<?> fiber) {
        fiber.shields--;
    }

    /** Runs clean-up whose waits nothing from outside ends early; each of them has a limit. */
    public static boolean shielded(FiberImpl<?> fiber, BooleanSupplier cleanUp) {
        byte before = fiber.shields;
        fiber.shields++;
        try {
            return cleanUp.getAsBoolean();
        } finally {
            fiber.shields = before; // no call, because the stack may be full
        }
    }

    static void checkPending(FiberImpl<?> fiber) {
        boolean cancelled = false;
        for (ScopeNode each = fiber.scope; each != null; each = each.outer()) {
            cancelled |= each.signal() != null;
        }
        if ((fiber.pending != null || cancelled) && !fiber.alerted) {
            throw new IllegalStateException(
                    "alerted=false pending=" + fiber.pending + " cancelled=" + cancelled);
        }
    }
}
