package dev.ropewalk.fibers.coroutine;

import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.Outcome;

/**
 * Refuses calls that a strand's state does not allow; the table stands in {@link CoroutineNode}.
 */
final class ControlChecks {
    private ControlChecks() {}

    static IllegalStateException error(ControlNode strand, String what) {
        return new IllegalStateException(strand.label() + " " + what);
    }

    static void resumable(CoroutineNode strand, ControlNode caller) {
        strand.noticeOver();
        String why = null;
        ControlNode resumer = strand.resumer();
        if (strand.state() == ControlNode.State.DEAD) {
            why = dead(strand);
        } else if (strand == caller) {
            why = "runs now and cannot resume itself; return, or yield";
        } else if (resumer != null) {
            why =
                    "was resumed by "
                            + resumer.label()
                            + " and has not yielded since; only one at a time may resume it";
        } else if (strand.isLeft() || strand.hasAnswer()) {
            why = owed(strand);
        } else if (strand.state() == ControlNode.State.RESUMING) {
            why = resumingAnother(strand);
        } else if (strand.state() == ControlNode.State.TRANSFERRING) {
            why = "has transferred to another coroutine; go back to it by transfer";
        } else if (strand.state() == ControlNode.State.RUNNING) {
            why = runsAlready(strand);
        }
        if (why != null) {
            throw error(strand, "cannot be resumed: it " + why);
        }
    }

    static void raisable(CoroutineNode strand, ControlNode caller) {
        if (strand.state() == ControlNode.State.NEW) {
            throw error(
                    strand,
                    "has not begun, so nothing can be raised into it; resume it first, or close"
                            + " it");
        }
        resumable(strand, caller);
    }

    static void transferable(CoroutineNode strand, ControlNode caller) {
        strand.noticeOver();
        String why =
                switch (strand.state()) {
                    case DEAD -> dead(strand);
                    case RESUMING -> resumingAnother(strand);
                    case YIELDING -> "has yielded; resume it";
                    case RUNNING -> runsAlready(strand);
                    case NEW, TRANSFERRING -> null;
                };
        ControlNode top = strand.first();
        if (why == null && top.isPlain() && top != caller.origin()) {
            why =
                    "acts for "
                            + top.label()
                            + ", which waits for it; only a coroutine that acts for the same fiber"
                            + " may transfer to it";
        }
        if (why != null) {
            throw error(strand, "cannot be transferred to: it " + why);
        }
    }

    static void yieldedBy(CoroutineNode strand, ControlNode caller) {
        if (strand != caller) {
            throw error(
                    strand,
                    "cannot yield for "
                            + caller.label()
                            + ": only its own body yields; other fibers pass values by a channel");
        }
    }

    static void yieldable(CoroutineNode strand) {
        strand.noticeOver();
        boolean wasLeft = strand.isResumed() && strand.isLeft() && strand.origin() == null;
        if (strand.resumer() == null && !wasLeft) {
            throw error(
                    strand,
                    strand.hasLeftYield()
                            ? "cannot yield: nobody has resumed it since its last yield was left,"
                                    + " by a time limit or scope around that yield, or because"
                                    + " something was raised into it; return, and set limits around"
                                    + " what the body itself waits for only: those around a yield"
                                    + " count the time of its resumer"
                            : "cannot yield: nobody has resumed it, it was transferred to or raised"
                                    + " into; transfer on, or return");
        }
    }

    static void owing(CoroutineNode strand) {
        if (!strand.owes()) {
            throw error(
                    strand,
                    "owes nothing to await: "
                            + (strand.state() == ControlNode.State.DEAD
                                    ? "it " + dead(strand)
                                    : "no resume of it was left before its answer; resume it"));
        }
    }

    static void awaitable(CoroutineNode strand, ControlNode last, ControlNode caller) {
        if (last == caller) {
            throw new DeadlockException(
                    strand.label() + " waits for " + caller.label() + ", which cannot await it");
        }
        ControlNode other = last.origin();
        if (other != null) {
            throw error(
                    strand,
                    "cannot be awaited: "
                            + last.label()
                            + " runs for "
                            + other.label()
                            + ", and its end goes there");
        }
        if (last.state() != ControlNode.State.RUNNING) {
            throw error(
                    strand,
                    "cannot be awaited: "
                            + last.label()
                            + " has transferred to another coroutine; go back to it by transfer");
        }
    }

    static void beginnable(CoroutineNode strand, FiberImpl<?> parent) {
        if (parent.isEnding() || parent.outcome() != null) {
            throw error(
                    strand,
                    "cannot begin: "
                            + parent
                            + ", which made it and would be its parent, has ended; make it in the"
                            + " fiber that lives as long");
        }
    }

    static void closable(CoroutineNode strand, FiberImpl<?> closer) {
        for (FiberImpl<?> each = closer; each != null; each = each.parentOrNull()) {
            if (each == strand.fiber) {
                throw new DeadlockException(
                        closer
                                + " cannot close "
                                + strand.label()
                                + " and wait for its end: it is that coroutine's fiber or one below"
                                + " it; return from the body");
            }
        }
    }

    private static String dead(CoroutineNode strand) {
        String how =
                switch (strand.end()) {
                    case null -> "it was closed before it began";
                    case Outcome.Success<?> _, Outcome.Stopped<?> _ -> "its body returned";
                    case Outcome.Failure<?>(Throwable cause) ->
                            "its body failed: " + FiberImpl.textOf(cause);
                    case Outcome.Terminated<?> _ -> "it was closed or terminated";
                    case Outcome.Abandoned<?> _ -> "it was abandoned";
                };
        return "is dead, because "
                + how
                + (strand.isLeft() ? "; await takes what it owes" : "; make a new one");
    }

    private static String owed(ControlNode strand) {
        ControlNode answered = strand.answered();
        return answered == null
                ? "owes the value of a resume that was left; take it by await"
                : "has just answered "
                        + answered.label()
                        + ", which has yet to run; only one at a time may resume it";
    }

    private static String resumingAnother(ControlNode strand) {
        ControlNode resuming = strand.resuming();
        return resuming == null
                ? "is leaving a resume"
                : "has resumed " + resuming.label() + " and waits for it";
    }

    private static String runsAlready(ControlNode strand) {
        if (strand.hasLeftYield()) {
            return "has left its last yield, by a time limit or scope around it or because"
                    + " something was raised into it, and runs on for nobody; its end is for the"
                    + " next call after it, or close it";
        }
        ControlNode origin = strand.origin();
        return "runs already" + (origin == null ? "" : ", for " + origin.label());
    }
}
