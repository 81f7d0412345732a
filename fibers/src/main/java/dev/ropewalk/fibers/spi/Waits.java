package dev.ropewalk.fibers.spi;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.SwitchHook;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.Inbox;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.internal.fiber.WaitKind;
import dev.ropewalk.fibers.internal.platform.Checks;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.platform.Unchecked;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Numbered waits of the current cord's fibers, for builders of channels, mailboxes and locks that
 * are confined to one cord (rule F4). {@link WaitCell} is the form that crosses cords.
 *
 * <p>To wait: begin with {@link #switchpoint}, take {@link #nextNumber}, put (fiber, number) where
 * a giver finds it, and {@link #park}. To give: {@link #resume} with that number. A resume with an
 * old number is refused, so a late giver never ends the wrong wait; it then takes its next waiter.
 * A waiting operation that leaves by an exception must take its entry out again (rule F5).
 */
public final class Waits {
    /** The result of {@link #park(Object, long)} when the time limit passed. */
    public static final Object TIMED_OUT =
            new Object() {
                @Override
                public String toString() {
                    return "TIMED_OUT";
                }
            };

    /** A time limit that never passes. */
    public static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private Waits() {}

    /**
     * {@return the number of the wait that the current fiber opens with its next {@code park}}
     *
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static long nextNumber() {
        return FiberImpl.current().nextWaitNumber();
    }

    /**
     * Waits until {@link #resume}, for ever if need be. A switchpoint.
     *
     * @param reason what is waited for; its {@code toString} is shown in reports
     * @return the value given to {@code resume}
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static @Nullable Object park(Object reason) {
        return FiberImpl.current().park(WaitKind.LIBRARY, reason);
    }

    /**
     * Waits until {@link #resume} or until the limit passes. A switchpoint.
     *
     * @param reason what is waited for; its {@code toString} is shown in reports
     * @param timeoutNanos the limit in nanoseconds; 0 or less times out after one turn of the cord
     * @return the value given to {@code resume}, or {@link #TIMED_OUT}
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static @Nullable Object park(Object reason, long timeoutNanos) {
        return FiberImpl.current().parkFor(WaitKind.LIBRARY, reason, timeoutNanos);
    }

    /**
     * Begins a call that may wait, also one that need not: raises what is due in the current fiber,
     * yields if the fiber has had its turn (the cord was marked by the ticker, within a
     * millisecond; on a virtual clock after some number of calls), and raises what came meanwhile.
     * Called before anything is taken or given, so an exception means that nothing was. A call that
     * gives back what the caller holds does without it. No effect where no fiber runs.
     */
    public static void switchpoint() {
        FiberImpl<?> running = FiberImpl.currentOrNull();
        if (running != null) {
            running.switchpoint();
        }
    }

    /**
     * Raises what is due in the current fiber, and never yields: behind a wait that has ended, and
     * before what it waited for is taken, because something may have come between the two.
     *
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void raiseIfDue() {
        FiberImpl.current().raiseIfDue();
    }

    /**
     * Yields to the fibers that are runnable now, like {@link Fiber#snooze}, but not to tasks of a
     * scheduler: for code that yields on behalf of others, for example after each message. A
     * switchpoint.
     *
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void yieldTurn() {
        FiberImpl<?> running = FiberImpl.current();
        running.yieldHere();
        running.raiseIfDue(); // a raise that came in that turn: the caller is about to take
    }

    /**
     * {@return whether a long turn ends here: the current fiber has had its turn, or something is
     * due to be raised in it} For a {@link Handler} that does several things in one turn: it
     * returns the value of its next one then. Never switches, and raises nothing. False where no
     * fiber runs.
     */
    public static boolean isTurnOver() {
        FiberImpl<?> running = FiberImpl.currentOrNull();
        return running != null && running.isTurnOver();
    }

    /**
     * {@return the fiber that runs on the current cord; null if none does} The shortest way to it.
     *
     * @param cord the current cord
     */
    public static @Nullable Fiber<?> running(Cord cord) {
        return CordImpl.of(cord).loop.running();
    }

    /**
     * {@return whether fibers below it have not ended}
     *
     * @param fiber a fiber of the current cord
     * @throws WrongThreadException if the fiber belongs to another cord
     */
    public static boolean hasChildren(Fiber<?> fiber) {
        FiberImpl<?> asked = FiberImpl.of(fiber);
        asked.checkCord("hasChildren");
        return asked.firstChild() != null;
    }

    /**
     * Ends wait {@code number} of the fiber with the value: the fiber goes to the tail of the run
     * queue. Never switches.
     *
     * @param fiber the waiting fiber, of the current cord
     * @param number the wait's number
     * @param value what {@code park} returns there
     * @return false if that wait is already over; nothing happened then
     * @throws WrongThreadException if the fiber belongs to another cord
     */
    public static boolean resume(Fiber<?> fiber, long number, @Nullable Object value) {
        FiberImpl<?> waiting = FiberImpl.of(fiber);
        waiting.checkCord("resume");
        return waiting.resume(number, value);
    }

    /**
     * Gives a {@link Handler} fiber that waits between its turns the value of its next turn. Never
     * switches.
     *
     * @param fiber the fiber of the handler, of the current cord
     * @param value the value of the turn
     * @return false if the fiber is not between two turns; nothing happened then
     * @throws WrongThreadException if the fiber belongs to another cord
     */
    public static boolean resumeHandler(Fiber<?> fiber, @Nullable Object value) {
        FiberImpl<?> waiting = FiberImpl.of(fiber);
        waiting.checkCord("resumeHandler");
        return waiting.resumeHandler(value);
    }

    /**
     * Does what {@link #resumeHandler} does, and does not look at the thread: the caller knows that
     * it runs on the fiber's cord. The shortest way to a handler. From elsewhere it breaks that
     * cord.
     *
     * @param cord the current cord, which is the fiber's
     * @param fiber the fiber of the handler
     * @param value the value of the turn
     * @return false if the fiber is not between two turns; nothing happened then
     */
    public static boolean resumeHandlerHere(Cord cord, Fiber<?> fiber, @Nullable Object value) {
        FiberImpl<?> waiting = FiberImpl.of(fiber);
        if (Checks.ON) {
            waiting.checkCord("resumeHandlerHere");
        }
        return waiting.resumeHandler(CordImpl.of(cord).loop, value);
    }

    /**
     * {@return the handler of a fiber that was spun with one and is not over, otherwise null}
     *
     * @param fiber a fiber of the current cord
     * @throws WrongThreadException if the fiber belongs to another cord
     */
    public static @Nullable Handler handler(Fiber<?> fiber) {
        FiberImpl<?> asked = FiberImpl.of(fiber);
        asked.checkCord("handler");
        return asked.handler();
    }

    /**
     * Gives up a fiber that did not end in its time, and those below it, as the end of a stop limit
     * does (rule F7): it never runs again, its awaiters get a {@link FiberAbandonedException}, and
     * it is reported. A fiber that runs now goes at its next switchpoint. No effect if the fiber is
     * over.
     *
     * @param fiber a fiber of the current cord
     * @param why the reason, which the report says behind "because"
     * @throws WrongThreadException if the fiber belongs to another cord
     */
    public static void abandon(Fiber<?> fiber, String why) {
        FiberImpl<?> late = FiberImpl.of(fiber);
        late.checkCord("abandon");
        Abandonment.abandonBelow(late, why);
    }

    /**
     * {@return whether a fiber was told to end and has had no turn since then, so that its next one
     * raises that: it is late by the work of its cord, and is not to be given up for it}
     *
     * @param fiber a fiber of the current cord
     * @throws WrongThreadException if the fiber belongs to another cord
     */
    public static boolean isNextTurnItsEnd(Fiber<?> fiber) {
        FiberImpl<?> late = FiberImpl.of(fiber);
        late.checkCord("isNextTurnItsEnd");
        return Cancellation.isNextTurnItsEnd(late);
    }

    /**
     * Comes before a call throws once more what is to end the current fiber, other than the signals
     * of fibers, which do so by themselves (rule F6): gives way, so that a loop that swallows it
     * slows only itself; and when it was swallowed 1,000 times, does not return: the fiber is
     * abandoned and reported. A switchpoint.
     *
     * @param raises how often it was thrown before
     * @param what the thing that is thrown, which the report says behind "it swallowed"
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void giveWayBeforeRaise(int raises, String what) {
        Abandonment.giveWayBeforeRaise(FiberImpl.current(), raises, what);
    }

    /**
     * Waits as part of clean-up: nothing from outside ends the wait early. A fiber is shielded. A
     * plain thread that is interrupted begins the wait again, and is interrupted again when that is
     * over.
     *
     * @param wait waits, within a limit of its own; it may be called several times
     * @return what the wait returns
     */
    public static boolean cleanUp(BooleanSupplier wait) {
        FiberImpl<?> running = FiberImpl.currentOrNull();
        return running == null ? throughInterrupts(wait) : Cancellation.shielded(running, wait);
    }

    private static boolean throughInterrupts(BooleanSupplier wait) {
        boolean isInterrupted = Thread.interrupted();
        try {
            for (; ; ) {
                try {
                    return wait.getAsBoolean();
                } catch (WaitInterruptedException again) {
                    isInterrupted = true;
                    Thread.interrupted();
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Runs the action as no fiber, whatever fiber this happens to be called in: the action cannot
     * wait, and is not ended with that fiber. A plain thread just runs it.
     *
     * @param action what to run
     */
    public static void asNoFiber(Runnable action) {
        CordImpl cord = CordImpl.currentOrNull();
        if (cord == null) {
            action.run();
        } else {
            cord.loop.asNoFiber(action);
        }
    }

    /**
     * Runs the action, which takes a lock and sends to other cords under it. Where such a cord has
     * ended, its messages run {@link dev.ropewalk.fibers.CordMessage#onClosed}, which may be code
     * of any program. That code, also of messages that came before, runs when the action is over.
     *
     * @param <T> the type of the result
     * @param action must not wait
     * @return its result
     */
    public static <T> T refusingLater(Supplier<T> action) {
        return Inbox.refusingLater(action);
    }

    /**
     * Tells the uncaught handler of the fiber's cord. For failures that no caller could be thrown:
     * after the result is made, or in the clean-up of a wait that was left. Works from any thread.
     *
     * @param fiber the fiber in whose name it failed; it may be dead
     * @param failure the failure without a taker
     */
    public static void report(Fiber<?> fiber, Throwable failure) {
        FiberImpl<?> failed = FiberImpl.of(fiber);
        failed.home().reportUncaught(failed, failure);
    }

    /**
     * {@return whether this is the library's internal signal, which switchpoints throw to end a
     * fiber or the block of a scope} Code that catches every Throwable, to clean up or to report,
     * passes it on. So does a loop that tries again after every exception, because reflection,
     * proxies and futures wrap a signal in an exception: this looks at the chain of causes too if
     * the exception was thrown in the running fiber.
     *
     * @param thrown what was thrown
     */
    public static boolean isSignal(Throwable thrown) {
        return signalIn(thrown) != null;
    }

    /**
     * {@return the signal that the thrown is, or that it wraps; or null} See {@link #isSignal}.
     *
     * @param thrown what was thrown
     */
    public static @Nullable Error signalIn(Throwable thrown) {
        return thrown instanceof Unwind signal
                ? signal
                : Unwind.signalIn(thrown, FiberImpl.currentOrNull());
    }

    /**
     * Throws it again, as it is, if it is a signal; see {@link #isSignal}.
     *
     * @param thrown what was thrown
     */
    public static void throwIfSignal(Throwable thrown) {
        if (isSignal(thrown)) {
            throw Unchecked.<RuntimeException>sneaky(thrown);
        }
    }

    /**
     * {@return what the fiber waits for, as dumps tell it; null if it does not wait}
     *
     * @param fiber a fiber of the current cord
     * @throws WrongThreadException if the fiber belongs to another cord
     */
    public static @Nullable String reason(Fiber<?> fiber) {
        FiberImpl<?> asked = FiberImpl.of(fiber);
        asked.checkCord("reason");
        return asked.rawState() == FiberImpl.WAITING ? SafeText.of(asked.waitShown()) : null;
    }

    /**
     * {@return a number that grows each millisecond in which the cord is busy, and with each sleep
     * of it; on a virtual clock with each poll} To read it costs next to nothing, so it tells
     * whether a clock is worth a look: of two moments with one number the later came a few
     * milliseconds behind the other at most, unless a fiber keeps the cord.
     *
     * @param cord the current cord
     */
    public static long ticks(Cord cord) {
        return CordImpl.of(cord).loop.ticks();
    }

    /**
     * {@return the time in nanoseconds at which the last of {@link #ticks} was counted} A reading
     * of {@link #nanoTime} that costs next to nothing, and is too early by a few milliseconds at
     * most, unless a fiber keeps the cord.
     *
     * @param cord the current cord
     */
    public static long tickTime(Cord cord) {
        return CordImpl.of(cord).loop.tickNs();
    }

    /**
     * {@return whether a cord was started with the hook, see {@link CordOptions#withSwitchHooks}}
     *
     * @param cord any, also of another thread
     * @param hook the same object
     */
    public static boolean hasSwitchHook(Cord cord, SwitchHook<?> hook) {
        return CordImpl.of(cord).options.switchHooks().contains(hook);
    }

    /**
     * {@return a fresh reading of the monotonic clock in nanoseconds: of the current cord, or of
     * the system if the thread is no cord; only differences mean anything}
     */
    public static long nanoTime() {
        CordImpl cord = CordImpl.currentOrNull();
        return cord == null ? RealPlatform.now() : cord.nanoTime();
    }

    /**
     * {@return the time in nanoseconds}
     *
     * @param time a time, or a time limit
     * @throws IllegalArgumentException if it is negative, or longer than the 292 years that fit
     */
    public static long nanos(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException(
                    "time=" + time + " is negative; a time that is over is Duration.ZERO");
        }
        try {
            return time.toNanos();
        } catch (ArithmeticException tooLong) {
            throw new IllegalArgumentException(
                    "time="
                            + time
                            + " is longer than 292 years; use the form without a limit, or"
                            + " Waits.FOREVER",
                    tooLong);
        }
    }
}
