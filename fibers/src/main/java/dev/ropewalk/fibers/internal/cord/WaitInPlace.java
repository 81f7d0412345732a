package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.fiber.WaitSlot;
import dev.ropewalk.fibers.internal.platform.IdleSpin;

import org.jspecify.annotations.Nullable;

/**
 * Says whether a fiber that has to wait may stay on its own stack a moment, and look there whether
 * the wait is over, before it leaves that stack (decision 56). Two cords that answer each other
 * within a microsecond so spare the switch to the root frame, its poll, the message and the way
 * back.
 *
 * <p>Only where the cord would spin at once, in {@link IdleWait}: nothing is runnable, no other
 * message and no task waits, nothing is due to be raised in the fiber, and it is not time for a
 * poll. A cord with a reactor has to poll that. On a virtual clock something may be due at any
 * switchpoint, so none begins there.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>It takes at most {@link #LOOKS} looks, some 1 to 3 µs, and ends with the next message and
 *       with the ticker's mark. So a termination, which comes as a message, is as late as that.
 *   <li>A wait that ended in place counts as a switch, and none begins when the next poll is due.
 *       So fibers that never leave their stacks are polled beside like fibers that wake each other:
 *       timers are late by one poll at most (rule F2), and the watchdog sees the cord move.
 *   <li>No fiber is overtaken: none is runnable on the cord then.
 * </ul>
 *
 * <p>After {@link #MAX_MISSES} waits in vain, one in {@link #SELDOM} tries it, until one succeeds.
 *
 * <p>Confined to the cord's thread.
 */
public final class WaitInPlace {
    /** An answer of a cord that spins too comes within some 20; more gain nothing. */
    static final int LOOKS = 64;

    static final int MAX_MISSES = 4;

    static final int SELDOM = 16;

    private final CordImpl cord;
    private final boolean isPossible;

    /** Tests make a wait long. */
    int looks = LOOKS;

    /** In a row. */
    private int misses;

    /** Waits since the first of those that only seldom try it. */
    private int skipped;

    private long messages;

    WaitInPlace(CordImpl cord) {
        this.cord = cord;
        this.isPossible = IdleSpin.CAN_SPIN && cord.stacks == StackKind.LIGHT;
    }

    /** Waits until the wait is given its value; false if the fiber has to leave its stack. */
    public boolean isGiven(WaitSlot wait) {
        if (cord.mail.inbox.peek() != null || !mayBegin()) {
            return false;
        }
        for (int left = looks; left > 0; left--) {
            if (!wait.isWaiting()) {
                misses = 0;
                cord.loop.untilPoll--;
                return true;
            }
            if (cord.loop.marked || cord.mail.inbox.peek() != null) {
                break;
            }
            Thread.onSpinWait();
        }
        misses++;
        return false;
    }

    /** Waits for the next message, which stays in the inbox; null if none has come. */
    public @Nullable CordMessage awaitMessage() {
        if (!mayBegin()) {
            return null;
        }
        for (int left = looks; left > 0 && !cord.loop.marked; left--) {
            CordMessage next = cord.mail.inbox.peek();
            if (next != null) {
                misses = 0;
                return next;
            }
            Thread.onSpinWait();
        }
        misses++;
        return null;
    }

    /** Takes the message that {@link #awaitMessage} has returned; the caller does its work. */
    public void takeMessage() {
        cord.mail.inbox.drop();
        messages++;
    }

    /** Taken here; from other threads a hint. */
    long messages() {
        return messages;
    }

    private boolean mayBegin() {
        FiberLoop loop = cord.loop;
        return isPossible
                && !loop.mayBeDue
                && !loop.marked
                && loop.untilPoll > 1
                && !loop.hasRunnable()
                && cord.platform.reactor() == null
                && (cord.tasks == null || !cord.tasks.hasWork())
                && (misses < MAX_MISSES || ++skipped % SELDOM == 0);
    }
}
