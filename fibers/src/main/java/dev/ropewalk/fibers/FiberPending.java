package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * The part of a fiber that knows what its switchpoints raise (rules F4 and F6).
 *
 * <p>Two sources: {@code pending}, raised into the fiber as a whole, and the cancel scopes that it
 * is in. What is pending is at most one exception; a signal of the library stays there until the
 * fiber has ended, anything else is thrown once. A scope that was cancelled raises its signal at
 * every switchpoint until it is left. Of several that are due, what is pending comes first, and
 * then the outermost scope: it unwinds the ones inside it. A shield holds off whatever comes from
 * outside it.
 *
 * <pre>
 *   due() =  pending                 unless a shield stands between it and here
 *         or outermost cancelled scope inside the innermost shield
 *         or null
 * </pre>
 *
 * Invariant: {@code alerted} is set if something is pending or a scope around is cancelled, whether
 * a shield holds it off or not. It is all that the fast path reads. Rejected: one field that holds
 * what is due, for a shield or scope that is left would have to find out what it hid.
 *
 * <p>Everything is confined to the cord's thread.
 */
abstract sealed class FiberPending permits FiberCore {
    /** Raised into the fiber as a whole. */
    private @Nullable Throwable pending;

    /** The innermost scope that the fiber is in. */
    private @Nullable CancelScope scope;

    private boolean alerted;

    /** Holds off everything: clean-up of the library itself, each with a limit. */
    private boolean shielded;

    /** Set when the running fiber is to be abandoned at its next switchpoint; no shield helps. */
    @Nullable String abandonedFor;

    /** All that the fast path of a call that need not wait reads here. */
    final boolean hasAlert() {
        return alerted;
    }

    /** Whether a switchpoint has to look at {@link #due}. */
    final boolean isAlerted() {
        return alerted && (!shielded || abandonedFor != null);
    }

    /** What a switchpoint raises here; null if nothing is due, or it is held off. */
    final @Nullable Throwable due() {
        if (!isAlerted()) {
            return null;
        }
        Unwind due = null;
        for (CancelScope each = scope; each != null; each = each.outer()) {
            Unwind signal = each.signal();
            due = signal == null ? due : signal;
            if (each.holdsOff() && abandonedFor == null) {
                return due;
            }
        }
        return pending == null ? due : pending;
    }

    /** Throws what is due: a fresh raise of a signal, which stays due; anything else once. */
    final RuntimeException throwDue() {
        Throwable due = Objects.requireNonNull(due(), "nothing is due");
        if (due instanceof Unwind signal) {
            throw signal.raise();
        }
        if (due == pending) {
            pending = null;
            refreshAlert();
            forgetInterruptFor(due);
        }
        throw FiberAwait.<RuntimeException>sneaky(due);
    }

    /** It is due no more; if a call of the JDK was interrupted for it, that is over too. */
    abstract void forgetInterruptFor(Throwable over);

    // ---------------------------------------------------------------- what is pending

    final @Nullable Throwable pending() {
        return pending;
    }

    final void addPending(Throwable raised) {
        pending = PendingRules.stronger(pending, Unwind.originOf(raised));
        alerted = true;
    }

    final @Nullable Throwable takePending() {
        Throwable taken = pending;
        pending = null;
        refreshAlert();
        return taken;
    }

    /** A wait that was given in the last moment puts back what came too late. */
    final void keepForNextSwitchpoint(Throwable raised) {
        Throwable origin = Unwind.originOf(raised);
        if (pending != origin && !(origin instanceof Unwind.Cancel)) {
            pending = pending == null ? origin : PendingRules.stronger(origin, pending);
            alerted = true;
        } // otherwise it stands in the fiber or in its scope as before
    }

    // ---------------------------------------------------------------- scopes and shields

    final @Nullable CancelScope scope() {
        return scope;
    }

    final void enterScope(CancelScope entered) {
        scope = entered;
        alerted |= entered.signal() != null;
    }

    final void leaveScope(CancelScope left) {
        scope = left.outer();
        refreshAlert();
    }

    final void alert() {
        alerted = true;
    }

    private void refreshAlert() {
        if (!alerted) {
            return;
        }
        boolean cancelled = false;
        for (CancelScope each = scope; each != null && !cancelled; each = each.outer()) {
            cancelled = each.signal() != null;
        }
        alerted = pending != null || cancelled;
    }

    /** Whether a limit of a scope that it is in may end its wait. */
    final boolean isLimitedByScope() {
        for (CancelScope each = scope; each != null; each = each.outer()) {
            if (each.isLimited()) {
                return true;
            }
        }
        return false;
    }

    final boolean isShielded() {
        return shielded;
    }

    final void setShielded(boolean on) {
        shielded = on;
    }

    /** Runs clean-up whose waits nothing ends early; each of them has a limit. */
    final boolean shielded(BooleanSupplier cleanUp) {
        boolean before = shielded;
        shielded = true;
        try {
            return cleanUp.getAsBoolean();
        } finally {
            shielded = before;
        }
    }

    final void checkPending() {
        boolean cancelled = false;
        for (CancelScope each = scope; each != null; each = each.outer()) {
            cancelled |= each.signal() != null;
        }
        if ((pending != null || cancelled) && !alerted) {
            throw new IllegalStateException(
                    "alerted=false pending=" + pending + " cancelled=" + cancelled);
        }
    }
}
