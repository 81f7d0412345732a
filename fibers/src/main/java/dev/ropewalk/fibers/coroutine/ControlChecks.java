package dev.ropewalk.fibers.coroutine;

import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.Outcome;
import dev.ropewalk.fibers.internal.platform.SafeText;

/**
 * Refuses calls that the state of a coroutine does not allow; the table stands in {@link
 * CoroutineNode}.
 */
final class ControlChecks {
    private ControlChecks() {}

    static IllegalStateException error(ControlNode node, String what) {
        return new IllegalStateException(node.label() + " " + what);
    }

    static void resumable(CoroutineNode coroutine, ControlNode caller) {
        coroutine.noticeOver();
        String why = null;
        ControlNode resumer = coroutine.resumer();
        if (coroutine.state() == ControlNode.State.DEAD) {
            why = dead(coroutine);
        } else if (coroutine == caller) {
            why = "runs now and cannot resume itself; return, or yield";
        } else if (resumer != null) {
            why =
                    "was resumed by "
                            + resumer.label()
                            + " and has not yielded since; only one at a time may resume it";
        } else if (coroutine.isLeft() || coroutine.hasAnswer()) {
            why = owed(coroutine);
        } else if (coroutine.state() == ControlNode.State.RESUMING) {
            why = resumingAnother(coroutine);
        } else if (coroutine.state() == ControlNode.State.TRANSFERRING) {
            why = "has transferred to another coroutine; go back to it by transfer";
        } else if (coroutine.state() == ControlNode.State.RUNNING) {
            why = runsAlready(coroutine);
        }
        if (why != null) {
            throw error(coroutine, "cannot be resumed: it " + why);
        }
    }

    static void raisable(CoroutineNode coroutine, ControlNode caller) {
        if (coroutine.state() == ControlNode.State.NEW) {
            throw error(
                    coroutine,
                    "has not begun, so nothing can be raised into it; resume it first, or close"
                            + " it");
        }
        resumable(coroutine, caller);
    }

    static void transferable(CoroutineNode coroutine, ControlNode caller) {
        coroutine.noticeOver();
        String why =
                switch (coroutine.state()) {
                    case DEAD -> dead(coroutine);
                    case RESUMING -> resumingAnother(coroutine);
                    case YIELDING -> "has yielded; resume it";
                    case RUNNING -> runsAlready(coroutine);
                    case NEW, TRANSFERRING -> null;
                };
        ControlNode top = coroutine.first();
        if (why == null && top.isPlain() && top != caller.origin()) {
            why =
                    "acts for "
                            + top.label()
                            + ", which waits for it; only a coroutine that acts for the same fiber"
                            + " may transfer to it";
        }
        if (why != null) {
            throw error(coroutine, "cannot be transferred to: it " + why);
        }
    }

    static void yieldedBy(CoroutineNode coroutine, ControlNode caller) {
        if (coroutine != caller) {
            throw error(
                    coroutine,
                    "cannot yield for "
                            + caller.label()
                            + ": only its own body yields; other fibers pass values by a channel");
        }
    }

    static void yieldable(CoroutineNode coroutine) {
        coroutine.noticeOver();
        boolean wasLeft = coroutine.isResumed() && coroutine.isLeft() && coroutine.origin() == null;
        if (coroutine.resumer() == null && !wasLeft) {
            throw error(
                    coroutine,
                    coroutine.hasLeftYield()
                            ? "cannot yield: nobody has resumed it since its last yield was left,"
                                    + " by a time limit or scope around that yield, or because"
                                    + " something was raised into it; return, and set limits around"
                                    + " what the body itself waits for only: those around a yield"
                                    + " count the time of its resumer"
                            : "cannot yield: nobody has resumed it, it was transferred to or raised"
                                    + " into; transfer on, or return");
        }
    }

    static void owing(CoroutineNode coroutine) {
        if (!coroutine.owes()) {
            throw error(
                    coroutine,
                    "owes nothing to await: "
                            + (coroutine.state() == ControlNode.State.DEAD
                                    ? "it " + dead(coroutine)
                                    : "no resume of it was left before its answer; resume it"));
        }
    }

    static void awaitable(CoroutineNode coroutine, ControlNode last, ControlNode caller) {
        if (last == caller) {
            throw new DeadlockException(
                    coroutine.label() + " waits for " + caller.label() + ", which cannot await it");
        }
        ControlNode other = last.origin();
        if (other != null) {
            throw error(
                    coroutine,
                    "cannot be awaited: "
                            + last.label()
                            + " runs for "
                            + other.label()
                            + ", and its end goes there");
        }
        if (last.state() != ControlNode.State.RUNNING) {
            throw error(
                    coroutine,
                    "cannot be awaited: "
                            + last.label()
                            + " has transferred to another coroutine; go back to it by transfer");
        }
    }

    static void beginnable(CoroutineNode coroutine, FiberImpl<?> parent) {
        if (parent.isEnding() || parent.outcome() != null) {
            throw error(
                    coroutine,
                    "cannot begin: "
                            + parent
                            + ", which made it and would be its parent, has ended; make it in the"
                            + " fiber that lives as long");
        }
    }

    static void closable(CoroutineNode coroutine, FiberImpl<?> closer) {
        for (FiberImpl<?> each = closer; each != null; each = each.parentOrNull()) {
            if (each == coroutine.fiber) {
                throw new DeadlockException(
                        closer
                                + " cannot close "
                                + coroutine.label()
                                + " and wait for its end: it is that coroutine's fiber or one below"
                                + " it; return from the body");
            }
        }
    }

    private static String dead(CoroutineNode coroutine) {
        String how =
                switch (coroutine.end()) {
                    case null -> "it was closed before it began";
                    case Outcome.Success<?> _, Outcome.Stopped<?> _ -> "its body returned";
                    case Outcome.Failure<?>(Throwable cause) ->
                            "its body failed: " + SafeText.of(cause);
                    case Outcome.Terminated<?> _ -> "it was closed or terminated";
                    case Outcome.Abandoned<?> _ -> "it was abandoned";
                };
        return "is dead, because "
                + how
                + (coroutine.isLeft() ? "; await takes what it owes" : "; make a new one");
    }

    private static String owed(ControlNode node) {
        ControlNode answered = node.answered();
        return answered == null
                ? "owes the value of a resume that was left; take it by await"
                : "has just answered "
                        + answered.label()
                        + ", which has yet to run; only one at a time may resume it";
    }

    private static String resumingAnother(ControlNode node) {
        ControlNode resuming = node.resuming();
        return resuming == null
                ? "is leaving a resume"
                : "has resumed " + resuming.label() + " and waits for it";
    }

    private static String runsAlready(ControlNode node) {
        if (node.hasLeftYield()) {
            return "has left its last yield, by a time limit or scope around it or because"
                    + " something was raised into it, and runs on for nobody; its end is for the"
                    + " next call after it, or close it";
        }
        ControlNode origin = node.origin();
        return "runs already" + (origin == null ? "" : ", for " + origin.label());
    }
}
