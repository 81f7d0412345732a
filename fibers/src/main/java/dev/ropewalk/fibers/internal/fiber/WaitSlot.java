package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.CurrentCord;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.timer.Timer;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One wait of a fiber or a plain thread that may be ended from any thread (rule F8).
 *
 * <pre>
 *   WAITING -> GIVEN   give: the giver's compare-and-set put the value into the slot
 *   WAITING -> LEFT    time limit, termination, raise or interrupt came first
 * </pre>
 *
 * One compare-and-set on the slot decides. The slot holds the value itself, so that a thread that
 * sees GIVEN sees the value; the inbox of the waiter's cord only wakes, and only a fiber that has
 * parked: before that it looks at the slot itself. The loser acts accordingly: a giver that was too
 * late takes its next waiter; a waiter that was given a value in the last moment takes it, and the
 * exception that came too late stays pending for its next switchpoint.
 *
 * <p>Everything that the giver did before {@link #give} happens before {@link #await} returns.
 */
public class WaitSlot extends CordMessage {
    private static final Object LEFT = new Object();
    private static final Object GIVEN_NULL = new Object();
    private static final long NOT_OPEN = -1;

    /** The deadline is the limit from now on. */
    private static final long NO_DEADLINE = Long.MIN_VALUE;

    /** The wait in place comes before the deadline is set, and may not make a short limit long. */
    private static final long LEAST_LIMIT_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private static final VarHandle SLOT;

    static {
        try {
            SLOT = MethodHandles.lookup().findVarHandle(WaitSlot.class, "slot", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final @Nullable FiberImpl<?> fiber;
    private final Thread thread;

    /** Of the wait, once it is open; read and written on the waiting fiber's cord only. */
    private long number = NOT_OPEN;

    /** Null while WAITING, LEFT, or the value given. */
    private volatile @Nullable Object slot;

    /**
     * The fiber is parked, or about to be, so it needs a message. Written by its cord, once, before
     * the slot is read for the last time; a giver reads it after its compare-and-set. All of these
     * are volatile, so they have one order: if the giver reads false, the fiber sees the value.
     */
    private volatile boolean isParked;

    /** A wait for the current fiber, or of the current thread if it is no cord. */
    public WaitSlot() {
        this.fiber = FiberImpl.currentOrNull();
        this.thread = Thread.currentThread();
        if (fiber == null && CordImpl.currentOrNull() != null) {
            throw new IllegalStateException(
                    "cannot wait here: no fiber runs on " + CordImpl.current() + " at the moment");
        }
    }

    /** {@return the fiber that waits, null if it is a plain thread} */
    public final @Nullable Fiber<?> fiber() {
        return fiber;
    }

    /** Ends the wait with the value, from any thread. Never switches. */
    public final boolean give(@Nullable Object value) {
        if (!claim(value)) {
            return false;
        }
        wake();
        return true;
    }

    /**
     * The first half of {@link #give}: decides, and does not wake the waiter yet. For givers that
     * hold a lock; after true they must call {@link #wake} when they have let go of it.
     */
    public final boolean claim(@Nullable Object value) {
        return slot == null && SLOT.compareAndSet(this, null, value == null ? GIVEN_NULL : value);
    }

    /** The second half of {@link #give}: wakes the waiter that this thread has claimed. */
    public final void wake() {
        if (fiber == null) {
            LockSupport.unpark(thread);
        } else if (isParked) { // otherwise it reads the slot once more before it parks
            wakeParked(fiber);
        }
    }

    private void wakeParked(FiberImpl<?> fiber) {
        if (fiber.cord().isCurrent()) {
            fiber.resume(number, null);
        } else {
            fiber.cord().post(this);
        }
    }

    /** {@return whether a value may still be given; only a hint, because it can change at once} */
    public final boolean isWaiting() {
        return slot == null;
    }

    /** Waits until {@link #give}. A switchpoint. */
    final @Nullable Object await(Object reason) {
        return await(reason, Long.MAX_VALUE);
    }

    /**
     * Waits until {@link #give} or until the limit passes. A switchpoint. Terminating or raising
     * into the waiting fiber ends the wait with that exception, and nothing was taken.
     */
    public final @Nullable Object await(Object reason, long timeoutNanos) {
        return fiber == null
                ? awaitOnThread(reason, timeoutNanos)
                : await(fiber, reason, timeoutNanos, NO_DEADLINE);
    }

    /** The same, until a moment that is known; the limit is the one that led to it. */
    public final @Nullable Object awaitUntil(Object reason, long deadlineNs, long limitNs) {
        if (fiber != null) {
            return await(fiber, reason, limitNs, deadlineNs);
        }
        long leftNs = limitNs == Long.MAX_VALUE ? limitNs : deadlineNs - RealPlatform.now();
        return awaitOnThread(reason, leftNs);
    }

    private @Nullable Object await(
            FiberImpl<?> fiber, Object reason, long timeoutNanos, long deadlineNs) {
        checkFiber();
        if (fiber.openWaiter != null) {
            Abandonment.settle(fiber);
        }
        fiber.openWaiter = this;
        try {
            // Given before the last check: the wake-up finds no open wait. After it: this one.
            number = fiber.nextWaitNumber();
            if (slot != null || isGivenInPlace(fiber, timeoutNanos) || isGivenBeforeParking()) {
                number = NOT_OPEN;
            } else if (deadlineNs == NO_DEADLINE || timeoutNanos == Long.MAX_VALUE) {
                fiber.parkFor(WaitKind.LIBRARY, reason, timeoutNanos);
            } else {
                parkUntil(fiber, reason, deadlineNs, timeoutNanos);
            }
        } catch (Throwable raised) {
            if (leave()) {
                fiber.openWaiter = null;
                throw raised;
            }
            if (!(raised instanceof StackPinnedException)) {
                Cancellation.keepForNextSwitchpoint(fiber, raised);
            }
        }
        // Not in a finally block: a stack that is too full to leave the wait leaves it open.
        Object result = leave() ? Waits.TIMED_OUT : given();
        fiber.openWaiter = null;
        return result;
    }

    /** Not in a handler's turn, which is to be short. */
    private boolean isGivenInPlace(FiberImpl<?> fiber, long timeoutNanos) {
        return fiber.handler == null
                && timeoutNanos > LEAST_LIMIT_NS
                && fiber.cord.mount.inPlace.isGiven(this);
    }

    /** From now on a giver posts a message. */
    private boolean isGivenBeforeParking() {
        isParked = true;
        return slot != null;
    }

    private @Nullable Object parkUntil(
            FiberImpl<?> fiber, Object reason, long deadlineNs, long limitNs) {
        Timer timer = fiber.cord.armTimer(fiber, number, deadlineNs, limitNs);
        try {
            return fiber.park(WaitKind.LIBRARY, reason);
        } finally {
            fiber.cord.cancelTimer(timer);
        }
    }

    private void checkFiber() {
        if (FiberImpl.currentOrNull() != fiber || slot == LEFT) {
            throw new IllegalStateException(
                    "a waiter of "
                            + fiber
                            + " was awaited "
                            + (slot == LEFT ? "twice" : "by " + FiberImpl.currentOrNull())
                            + "; make a new one for each wait, on the fiber that waits");
        }
    }

    private @Nullable Object awaitOnThread(Object reason, long timeoutNanos) {
        if (slot == null && CurrentCord.driver() != null && leave()) {
            throw new IllegalStateException(
                    "cannot wait here for "
                            + SafeText.of(reason)
                            + ": no fiber runs on "
                            + Thread.currentThread()
                            + ", which drives virtual cords; spin a fiber and wait in it");
        }
        boolean timed = timeoutNanos != Long.MAX_VALUE;
        long startNs = RealPlatform.now();
        while (slot == null) {
            if (Thread.interrupted()) {
                if (leave()) {
                    Thread.currentThread().interrupt();
                    throw new WaitInterruptedException(
                            Thread.currentThread() + " was interrupted while it waited: " + reason);
                }
                Thread.currentThread().interrupt();
                break;
            }
            if (timed) {
                long leftNs = Math.max(timeoutNanos, 0) - (RealPlatform.now() - startNs);
                if (leftNs <= 0 && leave()) {
                    return Waits.TIMED_OUT;
                }
                LockSupport.parkNanos(reason, Math.max(leftNs, 1));
            } else {
                LockSupport.park(reason);
            }
        }
        return given();
    }

    /** Moves WAITING to LEFT; true if the wait is LEFT then, false if it was given. */
    final boolean leave() {
        return slot == LEFT || (slot == null && SLOT.compareAndSet(this, null, LEFT));
    }

    final @Nullable Object given() {
        Object value = slot;
        return value == GIVEN_NULL ? null : value;
    }

    @Override
    public final void onCord() {
        if (fiber != null) {
            fiber.resume(number, null);
        }
    }

    @Override
    public final void onClosed() {
        // A cord ends after its fibers, so the waiter was abandoned and will never run again.
    }
}
