package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.internal.platform.MemoryReserve;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.List;

/**
 * Gives up fibers that did not end (rule F7): they never run again, the things that they hold go to
 * others, and their awaiters are told.
 *
 * <p>Methods without a note are confined to the fiber's cord.
 */
public final class Abandonment {
    /** How often a fiber is tried to be abandoned while there is no memory. */
    public static final int MAX_TRIES = 16;

    /** The fate of a fiber that was given up. */
    enum Given {
        /** Nothing: it is dead, or runs and goes at its next switchpoint. */
        NOTHING,
        /** It was abandoned, and its outcome has no taker. */
        UNTAKEN,
        /** It was abandoned, and its handler or a listener has taken care of that. */
        TAKEN
    }

    private Abandonment() {}

    /** Loads this class while there is memory: a cord that breaks for want of it needs it then. */
    public static void load() {
        Ending.load();
    }

    /**
     * Of all below it on this cord, which never run again: it gives back what they hold there, and
     * needs no memory itself: no text either, because a literal is made when it is first met.
     */
    public static void dropStacksBelow(FiberImpl<?> fiber) {
        FiberImpl<?> each = fiber.firstChild();
        while (each != null) {
            boolean isOurs = each.cord == fiber.cord;
            if (isOurs) {
                each.dropStack();
            }
            FiberImpl<?> next = isOurs ? each.firstChild() : null;
            FiberImpl<?> up = each;
            while (next == null && up != fiber) {
                Children in = up.isIn;
                if (in == null) {
                    return; // it is in that list, so this cannot be
                }
                next = up.nextSibling;
                up = in.parent;
            }
            each = next;
        }
    }

    /** With a list of its own, because a tree may be deeper than a stack. */
    static void abandonAll(Children first, String why) {
        ArrayDeque<Children> toDo = new ArrayDeque<>();
        toDo.add(first);
        for (Children next = toDo.poll(); next != null; next = toDo.poll()) {
            for (FiberImpl<?> child = next.first(); child != null; child = next.first()) {
                abandonIn(toDo, child, why);
                if (next.first() == child) {
                    next.poll(); // only now: without memory it is tried again
                }
            }
        }
    }

    /** Each that is abandoned gives back what its stack held, so a later try has some memory. */
    private static void abandonIn(ArrayDeque<Children> toDo, FiberImpl<?> child, String why) {
        for (int i = 1; ; i++) {
            try {
                if (!child.isEnteredHere()) {
                    child.sendNow(FiberMessages.abandon(child, why));
                } else {
                    abandonAlone(child, why);
                    if (child.outcome() != null && child.firstChild() != null) {
                        toDo.add(Family.childList(child));
                    }
                }
                return;
            } catch (OutOfMemoryError full) {
                MemoryReserve.release();
                if (i == MAX_TRIES) {
                    throw full;
                }
            }
        }
    }

    /** These children of this fiber, which did not end in time. */
    public static void abandonChildren(
            FiberImpl<?> fiber, List<? extends Fiber<?>> those, String why) {
        Children toAbandon = new Children(fiber);
        for (Fiber<?> each : those) {
            FiberImpl<?> child = FiberImpl.of(each);
            if (Family.childList(fiber).remove(child)) {
                toAbandon.add(child);
            } else if (child.isEnteredHere()) {
                abandon(child, why); // on its way here
            } else {
                child.sendNow(FiberMessages.abandon(child, why));
            }
        }
        abandonAll(toAbandon, why);
    }

    /** The fiber and all below it never run again; their awaiters are told. On its cord. */
    static void abandon(FiberImpl<?> fiber, String why) {
        if (abandonAlone(fiber, why) != Given.NOTHING) {
            abandonAll(Family.childList(fiber), "its parent was abandoned");
        }
    }

    /** By its own cord, which ends; its parent on another cord has not been told. */
    public static void abandonForeignChild(FiberImpl<?> fiber, String why) {
        Given given = abandonAlone(fiber, why);
        if (given != Given.NOTHING) {
            abandonAll(Family.childList(fiber), "its parent was abandoned");
            tellParentElsewhere(fiber, given);
        }
    }

    /** There is no memory to end it as usual: its parent does not wait for it all the same. */
    public static void endWithoutMemory(FiberImpl<?> fiber, OutOfMemoryError full) {
        dropStacksBelow(fiber);
        MemoryReserve.release();
        lose(fiber, "there was no memory left to end it: " + full);
        FiberImpl<?> toTell = fiber.parentOrNull();
        if (toTell != null && toTell.cord == fiber.cord && fiber.isIn != null) {
            Family.childEnded(toTell, fiber, null); // that it was lost is reported already
        }
        MemoryReserve.refill();
    }

    private static void tellParentElsewhere(FiberImpl<?> fiber, Given given) {
        FiberImpl<?> toTell = fiber.parentOrNull();
        if (toTell != null && toTell.cord != fiber.cord) {
            toTell.send(FiberMessages.childEnded(toTell, fiber, untaken(fiber, given)));
        }
    }

    private static @Nullable FiberFailedException untaken(FiberImpl<?> fiber, Given given) {
        Outcome<?> end = fiber.outcome;
        return end == null || given == Given.TAKEN ? null : end.untaken(fiber);
    }

    /** Like {@link #abandon}, while its parent goes on. */
    public static void abandonBelow(FiberImpl<?> fiber, String why) {
        Given given = abandonAlone(fiber, why);
        if (given != Given.NOTHING) {
            abandonAll(Family.childList(fiber), "its parent was abandoned");
            FiberImpl<?> toTell = fiber.parentOrNull();
            if (toTell != null) {
                Ending.tellParent(fiber, toTell, untaken(fiber, given));
            }
        }
    }

    static Given abandonAlone(FiberImpl<?> fiber, String why) {
        int from = fiber.rawState();
        if (from == FiberImpl.DEAD) {
            return Given.NOTHING;
        }
        if ((from == FiberImpl.RUNNING || from == FiberImpl.SWITCH_FAILED)
                && !fiber.cord.roster.isBroken()) {
            fiber.abandonedFor = why;
            Cancellation.addPending(fiber, new Unwind.Terminate(fiber + " is to be abandoned"));
            return Given.NOTHING;
        }
        Object queued = null;
        if (fiber.isQueued()) {
            queued = fiber.cord.loop.runQueue.valueOf(fiber);
            fiber.cord.loop.runQueue.remove(fiber);
        }
        return publishAbandoned(fiber, from, why, queued);
    }

    /** Reports last: the report may block on a virtual thread, and nothing is half done then. */
    private static Given publishAbandoned(
            FiberImpl<?> fiber, int from, String why, @Nullable Object queued) {
        FiberAbandonedException leaked = abandonment(fiber, why);
        if (fiber.openWaiter != null) {
            fiber.openWaiter.leave(); // first: things that its end sets free must not be given to
            // itself
        }
        boolean isTaken = Ending.publish(fiber, from, new Outcome.Abandoned<>(leaked));
        giveBack(fiber, queued);
        fiber.cord.reportUncaught(fiber, leaked);
        return isTaken ? Given.TAKEN : Given.UNTAKEN;
    }

    /**
     * Its cord broke while this fiber ran. First those below it, as at any end: an awaiter that is
     * told may check at once whether the cord is over.
     */
    public static void lose(FiberImpl<?> fiber, String why) {
        if (fiber.firstChild() != null) {
            abandonAll(Family.childList(fiber), "its parent was lost");
        }
        if (fiber.rawState() != FiberImpl.DEAD) {
            tellParentElsewhere(fiber, publishAbandoned(fiber, fiber.rawState(), why, null));
        }
    }

    /**
     * Before a fiber of a killed cord is lost: no hook and no handler of it is told. Its children
     * on other cords end as after a parent's end.
     */
    public static void silence(FiberImpl<?> fiber) {
        fiber.handler = null;
        if (fiber.listener instanceof EndListeners several) {
            several.removeHooks();
        } else if (fiber.listener instanceof FiberEndHook) {
            fiber.listener = null;
        }
        FiberImpl<?> next = null;
        for (FiberImpl<?> child = fiber.firstChild(); child != null; child = next) {
            next = child.nextSibling;
            if (child.cord != fiber.cord) {
                Family.childList(fiber).remove(child);
                child.terminate();
            }
        }
    }

    /**
     * Before a part that stands on fibers throws once more what is to end the running fiber: it
     * gives way, and is abandoned if it has swallowed that as often as a signal may be (rule F6).
     */
    public static void giveWayBeforeRaise(FiberImpl<?> fiber, int raises, String what) {
        try {
            fiber.yieldHere();
        } catch (StackPinnedException pinned) {
            // The exception thrown below says more.
        }
        fiber.raiseIfDue();
        if (raises >= Unwind.MAX_RAISES) {
            abandonRunning(fiber, swallowed(what, "let the Error that it throws pass"));
        }
    }

    static String swallowed(String what, String remedy) {
        return "it swallowed " + what + " " + Unwind.MAX_RAISES + " times; " + remedy;
    }

    static <T extends @Nullable Object> void abandonRunning(FiberImpl<T> fiber, String why) {
        FiberAbandonedException leaked = abandonment(fiber, why);
        giveBack(fiber, null);
        fiber.abandonedFor = null;
        fiber.setEnding(true);
        Cancellation.shield(fiber);
        Outcome<T> end = new Outcome.Abandoned<>(leaked);
        Ending.finish(
                fiber,
                FiberImpl.RUNNING,
                Family.hasNobodyBelow(fiber) ? end : Ending.endChildren(fiber, end));
        fiber.cord.reportUncaught(fiber, leaked);
        fiber.cord.mount.leaveForEver();
    }

    /**
     * So that nothing is given to a fiber that will never take it, and a value given in the last
     * moment is not lost.
     */
    private static void giveBack(FiberImpl<?> fiber, @Nullable Object queued) {
        WaitSlot open = fiber.openWaiter;
        Object value = open == null || open.leave() ? queued : open.given();
        Object given = value == FiberImpl.RAISED || value == Waits.TIMED_OUT ? null : value;
        try {
            if (fiber.waitReason() instanceof GuardedWait node) {
                node.abandoned(fiber, given);
            } else if (given != null && (open != null || given == endAwaited(fiber))) {
                throw new FiberAbandonedException(
                        fiber, "a value was lost that had been given to " + fiber);
            }
        } catch (Throwable lost) {
            fiber.cord.reportUncaught(fiber, lost);
        }
    }

    /** Whose end it waited for last, on its own cord or elsewhere. */
    private static @Nullable FiberImpl<?> endAwaited(FiberImpl<?> fiber) {
        return fiber.waitReason() instanceof FiberAwait.EndOf end ? end.awaited() : null;
    }

    /**
     * A wait was not left for want of stack: it is left now, or the value that it was given goes
     * back.
     */
    static void settle(FiberImpl<?> fiber) {
        giveBack(fiber, null);
        fiber.openWaiter = null;
    }

    private static FiberAbandonedException abandonment(FiberImpl<?> fiber, String why) {
        return new FiberAbandonedException(
                fiber,
                fiber
                        + " was abandoned because "
                        + why
                        + ". It did not end: "
                        + fiber.describeWait());
    }
}
