package dev.ropewalk.fibers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A light thread of control, pinned to one cord for life.
 *
 * <p>A fiber runs until it reaches a switchpoint ({@link #suspend}, {@link #snooze}, {@link
 * #sleep}, {@link #await} and every waiting call built on them) and then gives way to the other
 * fibers of its cord. It has a parent, the fiber that spun it: when a fiber ends, however it ends,
 * its children are terminated and awaited first; when a child fails and nobody awaits it, its
 * parent's body is cancelled where it waits and the parent fails with the child's failure.
 *
 * <p>{@link #schedule}, {@link #raise}, {@link #terminate} and {@link #await} work from any thread.
 * What another thread does before such a call happens before the fiber sees its effect.
 *
 * @param <T> the type of the result
 */
public final class Fiber<T extends @Nullable Object> {
    /*
     * States, their one writer is state(from, to).
     *
     *   UNSTARTED -> RUNNING    the cord took its entry off the run queue; it has no stack yet
     *   UNSTARTED -> DEAD       terminated, raised into, or refused before it ran
     *   RUNNING   -> WAITING    park: it leaves its stack, or a handler's turn is over
     *   RUNNING   -> RUNNABLE   snooze: it queues itself
     *   WAITING   -> RUNNABLE   schedule, resume, raise: entered into the run queue with a value
     *   RUNNABLE  -> RUNNING    the cord took its entry off the run queue
     *   RUNNING   -> DEAD       the body is over and so are the children
     *   any       -> DEAD       abandoned
     *
     * A fiber is in the run queue once if it is UNSTARTED or RUNNABLE, else not at all.
     *
     * The number of a wait (rule F4) is the value of waitNumber while it is open. Whatever ends a
     * wait counts it up, also when it ends before the fiber parked; so (fiber, number) names one
     * wait for ever, and a late giver is refused.
     *
     * All fields without a note are confined to the cord's thread.
     */
    static final int UNSTARTED = 0;
    static final int RUNNABLE = 1;
    static final int RUNNING = 2;
    static final int WAITING = 3;
    static final int DEAD = 4;

    /** How often a terminated fiber may swallow its termination before it is abandoned. */
    static final int MOST_RAISES = 1_000;

    /** Resume value that says: throw what is pending. Never leaves this class. */
    private static final Object RAISED = new Object();

    /** No instant resume is pending. */
    private static final Object NONE = new Object();

    private final Cord cord;
    private final long id;
    private final @Nullable String name;
    private final @Nullable Fiber<?> parent;
    private @Nullable Callable<? extends T> body;
    private @Nullable Handler handler;

    private int state;
    private @Nullable Stack stack;
    private long waitNumber;
    private WaitKind waitKind = WaitKind.SUSPEND;
    private Object waitReason = "";
    private @Nullable Object instantValue = NONE;

    private @Nullable Throwable pending;
    private int raises;

    /** From the end of the body on, the fiber waits for its children, shielded. */
    private boolean ending;

    /** What is pending does not end waits: short clean-up of the library itself. */
    private boolean shielded;

    /** Children that fail are reported, and do not cancel this fiber. */
    private boolean isolatesChildren;

    private final Children children = new Children();

    /** Links of the parent's list; confined to the parent's cord. */
    @Nullable Fiber<?> previousSibling;

    @Nullable Fiber<?> nextSibling;

    private @Nullable List<Waiter> awaiters;

    /** Whom this fiber awaits, for finding cycles among the fibers of a cord. */
    private @Nullable Fiber<?> awaited;

    /** Written once on the cord; read by any thread. */
    private volatile @Nullable Outcome<T> outcome;

    Fiber(
            Cord cord,
            @Nullable Fiber<?> parent,
            @Nullable String name,
            @Nullable Callable<? extends T> body,
            @Nullable Handler handler) {
        this.cord = cord;
        this.id = Ids.next();
        this.parent = parent;
        this.name = name;
        this.body = body;
        this.handler = handler;
    }

    // ---------------------------------------------------------------- spinning

    /**
     * Spins a child of the current fiber on the current cord. It goes to the tail of the run queue;
     * the caller goes on.
     *
     * @param <T> the type of the result
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object> Fiber<T> spin(Callable<? extends T> body) {
        return spinOn(current(), null, body);
    }

    /**
     * Spins a named child of the current fiber on the current cord.
     *
     * @param <T> the type of the result
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object> Fiber<T> spin(
            String name, Callable<? extends T> body) {
        return spinOn(current(), Objects.requireNonNull(name, "name"), body);
    }

    /**
     * Spins a child without a result.
     *
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static Fiber<@Nullable Void> spin(Action body) {
        return spinOn(current(), null, callable(body));
    }

    /**
     * Spins a named child without a result.
     *
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static Fiber<@Nullable Void> spin(String name, Action body) {
        return spinOn(current(), Objects.requireNonNull(name, "name"), callable(body));
    }

    private static <T extends @Nullable Object> Fiber<T> spinOn(
            Fiber<?> parent, @Nullable String name, Callable<? extends T> body) {
        Objects.requireNonNull(body, "body");
        return parent.adopt(new Fiber<T>(parent.cord, parent, name, body, null));
    }

    static Callable<@Nullable Void> callable(Action body) {
        Objects.requireNonNull(body, "body");
        return () -> {
            body.run();
            return null;
        };
    }

    /** Enters a new child of the same cord and queues it. */
    <C extends @Nullable Object> Fiber<C> adopt(Fiber<C> child) {
        children.add(child);
        cord.enqueue(child, Handler.START);
        return child;
    }

    // ---------------------------------------------------------------- switchpoints

    /**
     * Waits until somebody calls {@link #schedule} on this fiber. If that happened since its last
     * suspend, returns at once.
     *
     * @return the value given to schedule
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static @Nullable Object suspend() {
        Fiber<?> me = current();
        if (me.instantValue != NONE) {
            return me.takeInstantValue();
        }
        return me.park(WaitKind.SUSPEND, "suspend");
    }

    /**
     * Gives way to the fibers that are runnable now and goes on after them.
     *
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void snooze() {
        Fiber<?> me = current();
        me.raiseIfPending();
        if (me.cord.hasRunnable()) {
            me.giveTurn();
        } else {
            me.cord.countSwitch();
        }
    }

    /**
     * Waits for the given time; never less, and more by at most one look of the cord.
     *
     * @param time how long; 0 or negative is a {@link #snooze}
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void sleep(Duration time) {
        long nanos = Waits.nanos(time);
        if (nanos <= 0) {
            snooze();
        } else {
            current().parkFor(WaitKind.LIBRARY, "sleep", nanos);
        }
    }

    /**
     * Waits until the fiber has ended and takes its result. Works from any thread, after the
     * fiber's death, and as often as wanted. Terminating the awaiting fiber ends the wait and
     * leaves the awaited one as it is.
     *
     * @return what the body returned
     * @throws FiberFailedException if the body threw; fresh for each caller, with the cause
     * @throws FiberTerminatedException if the fiber was terminated before its body returned
     * @throws DeadlockException if the fiber awaits itself, or a cycle of awaits would close
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public T await() {
        Outcome<T> ended = outcome;
        return (ended != null ? ended : FiberAwait.end(this)).take(this);
    }

    /**
     * Waits until the fiber has ended, however it ended, or the limit passes. Takes no outcome and
     * throws none. Works from any thread.
     *
     * @param limit how long to wait
     * @return false if the limit passed
     * @throws DeadlockException if the fiber awaits itself, or a cycle of awaits would close
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public boolean awaitEnd(Duration limit) {
        return outcome != null || FiberAwait.end(this, Waits.nanos(limit));
    }

    // ---------------------------------------------------------------- from outside

    /**
     * Ends the fiber's {@link #suspend} with the value: the fiber goes to the tail of its run
     * queue. Never switches. Called by the running fiber on itself, it makes its next suspend return
     * at once.
     *
     * @param value what suspend returns there; a Throwable is a value like any other
     * @return false if the fiber is not in suspend, or has been scheduled already: the first value
     *     stands. From another cord or thread nothing can be told yet: always true
     */
    public boolean schedule(@Nullable Object value) {
        if (Cord.currentOrNull() == cord) {
            return scheduleHere(value);
        }
        cord.send(FiberMessages.schedule(this, value));
        return true;
    }

    /**
     * Throws the given exception in the fiber: at once where it waits, else at its next
     * switchpoint. A value that the fiber was already given is not overwritten. Of several pending
     * exceptions a termination beats a failure; else the first stands and the others become its
     * suppressed. A fiber that has not started never runs its body. No effect on a dead fiber.
     *
     * @param failure what is thrown
     */
    public void raise(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        if (Cord.currentOrNull() == cord) {
            raiseHere(failure);
        } else {
            cord.send(FiberMessages.raise(this, failure));
        }
    }

    /**
     * Ends the fiber: every switchpoint raises from now on, until the fiber has ended. Its {@code
     * finally} blocks run; {@code catch (Exception e)} does not see it. A fiber that has not started
     * never runs its body. Does not wait; no effect on a dead fiber.
     */
    public void terminate() {
        raise(new Signal.Terminate("terminate was called on " + this));
    }

    // ---------------------------------------------------------------- what it is

    /**
     * {@return the fiber that runs on this thread}
     *
     * @throws IllegalStateException if there is none
     */
    public static Fiber<?> current() {
        Fiber<?> fiber = currentOrNull();
        if (fiber == null) {
            throw new IllegalStateException(
                    "no fiber runs on "
                            + Thread.currentThread()
                            + ": call this inside Cord.run(...), or in a fiber spun on a cord");
        }
        return fiber;
    }

    /** {@return the fiber that runs on this thread, null if there is none} */
    public static @Nullable Fiber<?> currentOrNull() {
        Cord here = Cord.currentOrNull();
        return here == null ? null : here.running();
    }

    /** {@return the cord that the fiber is pinned to} */
    public Cord cord() {
        return cord;
    }

    /** {@return the fiber's number, unique in this process} */
    public long id() {
        return id;
    }

    /** {@return the fiber's name; {@code fiber-<id>} if it was given none} */
    public String name() {
        return name == null ? "fiber-" + id : name;
    }

    /** {@return the fiber that ends this one when it ends itself; null for a cord's root fiber} */
    public @Nullable Fiber<?> parent() {
        return parent;
    }

    /** {@return where the fiber is in its life; from another cord only a hint} */
    public FiberState state() {
        return switch (state) {
            case UNSTARTED, RUNNABLE -> FiberState.RUNNABLE;
            case RUNNING -> FiberState.RUNNING;
            case WAITING -> FiberState.WAITING;
            default -> FiberState.DEAD;
        };
    }

    @Override
    public String toString() {
        return "fiber " + name() + " on " + cord;
    }

    /** What the fiber waits for, for reports. */
    String describeWait() {
        return this + (state == WAITING ? " waits: " + waitReason : " is " + state());
    }

    // ---------------------------------------------------------------- waiting

    long nextWaitNumber() {
        return waitNumber;
    }

    /** Closes a wait that was opened and never parked. */
    void closeWait() {
        waitNumber++;
    }

    /** Leaves the stack until the wait is ended. The short path of every switchpoint. */
    @Nullable Object park(WaitKind kind, Object reason) {
        raiseIfPending();
        state(RUNNING, WAITING);
        waitKind = kind;
        waitReason = reason;
        leaveStack();
        Object value = cord.takeValue();
        if (value == RAISED) {
            throw takePending();
        }
        return value;
    }

    /** Like {@link #park}, and ends with {@link Waits#TIMED_OUT} after the limit. */
    @Nullable Object parkFor(WaitKind kind, Object reason, long timeoutNanos) {
        if (timeoutNanos == Long.MAX_VALUE) {
            return park(kind, reason);
        }
        Timer timer = cord.armTimer(this, waitNumber, timeoutNanos);
        try {
            return park(kind, reason);
        } finally {
            cord.cancelTimer(timer);
        }
    }

    private void giveTurn() {
        state(RUNNING, RUNNABLE);
        cord.enqueue(this, null);
        leaveStack();
        cord.takeValue();
    }

    private void leaveStack() {
        Stack own = stack;
        if (own == null) {
            own = cord.mountedStack();
            stack = own;
        }
        try {
            own.leave();
        } catch (StackPinnedException e) {
            cord.dequeue(this);
            closeWait();
            state(state, RUNNING);
            throw e;
        }
    }

    private @Nullable Object takeInstantValue() {
        raiseIfPending();
        Object value = instantValue;
        instantValue = NONE;
        cord.countSwitch();
        return value;
    }

    /** Every switchpoint begins here. */
    private void raiseIfPending() {
        if (pending != null && !shielded) {
            closeWait();
            if (pending instanceof Signal.Terminate) {
                if (++raises > MOST_RAISES) {
                    abandonRunning();
                }
                giveTurn();
            }
            throw takePending();
        }
    }

    /** A termination stays pending until the fiber has ended (rule F6, level-triggered). */
    private RuntimeException takePending() {
        Throwable raised = Objects.requireNonNull(pending, "pending");
        if (!(raised instanceof Signal.Terminate)) {
            pending = null;
        }
        throw FiberAwait.<RuntimeException>sneaky(raised);
    }

    /** Runs clean-up whose waits nothing ends early; each of them has a limit. */
    boolean shielded(BooleanSupplier cleanUp) {
        boolean before = shielded;
        shielded = true;
        try {
            return cleanUp.getAsBoolean();
        } finally {
            shielded = before;
        }
    }

    /** A wait that was given in the last moment puts back what came too late. */
    void keepForNextSwitchpoint(Throwable raised) {
        if (pending != raised) {
            pending = Ranks.stronger(raised, pending);
        }
    }

    // ---------------------------------------------------------------- ending a wait

    boolean resume(long number, @Nullable Object value) {
        if (state != WAITING || waitNumber != number) {
            return false;
        }
        makeRunnable(value);
        return true;
    }

    boolean resumeHandler(@Nullable Object value) {
        if (state != WAITING || waitKind != WaitKind.HANDLER) {
            return false;
        }
        makeRunnable(value);
        return true;
    }

    boolean scheduleHere(@Nullable Object value) {
        if (state == WAITING && waitKind == WaitKind.SUSPEND) {
            makeRunnable(value);
            return true;
        }
        if (state == RUNNING && instantValue == NONE) {
            instantValue = value;
            return true;
        }
        return false;
    }

    void raiseHere(Throwable failure) {
        if (state == DEAD) {
            return;
        }
        pending = Ranks.stronger(pending, failure);
        if (state == WAITING && !shielded) {
            makeRunnable(RAISED);
        }
    }

    private void makeRunnable(@Nullable Object value) {
        waitNumber++;
        state(WAITING, RUNNABLE);
        cord.enqueue(this, value);
    }

    // ---------------------------------------------------------------- running

    /** Called by the cord on a stack: the first turn of a body, or one turn of a handler. */
    void turn() {
        if (state == DEAD) {
            return;
        }
        state(state, RUNNING);
        Object value = cord.takeValue();
        if (pending != null) {
            end(new Outcome.Failure<>(pending));
        } else if (handler != null) {
            handlerTurn(handler, value);
        } else {
            bodyTurn();
        }
        stack = null;
    }

    /** Called by the cord before it enters the fiber's own stack; false if nothing is to be run. */
    boolean beforeEnter() {
        if (state == DEAD) {
            return false;
        }
        state(RUNNABLE, RUNNING);
        return true;
    }

    @Nullable Stack stack() {
        return stack;
    }

    private void bodyTurn() {
        Callable<? extends T> toRun = Objects.requireNonNull(body, "body");
        Outcome<T> raw;
        try {
            raw = new Outcome.Success<>(toRun.call());
        } catch (Throwable t) {
            raw = new Outcome.Failure<>(t);
        }
        end(raw);
    }

    @SuppressWarnings("NullAway") // a handler's result type is always Void
    private void handlerTurn(Handler toRun, @Nullable Object value) {
        try {
            Object next = toRun.handle(value);
            if (next == Handler.END) {
                end(new Outcome.Success<>(null));
            } else if (next != Handler.WAIT) {
                state(RUNNING, RUNNABLE);
                cord.enqueue(this, next);
            } else if (pending != null) {
                end(new Outcome.Failure<>(pending));
            } else {
                state(RUNNING, WAITING);
                waitKind = WaitKind.HANDLER;
                waitReason = "its next message";
            }
        } catch (Throwable t) {
            end(new Outcome.Failure<>(t));
        }
    }

    // ---------------------------------------------------------------- ending

    private void end(Outcome<T> raw) {
        ending = true;
        shielded = true;
        Outcome<T> end = Ranks.withPending(raw, pending);
        pending = null;
        if (!children.isEmpty()) {
            end = endChildren(end);
        }
        finish(RUNNING, end);
    }

    /** Terminates the children, awaits them within the limit, and abandons the rest. */
    private Outcome<T> endChildren(Outcome<T> raw) {
        for (Fiber<?> child = children.first(); child != null; child = child.nextSibling) {
            child.terminate();
        }
        long limitNs = cord.stopLimitNs();
        long startNs = cord.nanoTime();
        while (!children.isEmpty()) {
            long leftNs = limitNs - (cord.nanoTime() - startNs);
            if (leftNs <= 0) {
                abandonChildren("its parent's limit of " + limitNs / 1_000_000 + " ms ran out");
                break;
            }
            parkFor(WaitKind.LIBRARY, "the end of its children", leftNs);
        }
        Throwable failure = pending;
        pending = null;
        return failure == null ? raw : Ranks.withCleanUpFailure(raw, failure);
    }

    private void finish(int from, Outcome<T> end) {
        boolean taken = awaiters != null;
        taken |= publish(from, end);
        FiberFailedException untaken = null;
        if (!taken && end instanceof Outcome.Failure<T> failed) {
            untaken = Outcome.failure(this, failed.cause());
        }
        if (parent == null) {
            return;
        }
        if (parent.cord == cord) {
            parent.childEnded(this, untaken);
        } else {
            parent.cord.send(FiberMessages.childEnded(parent, this, untaken));
        }
    }

    /** Makes the outcome known; true if the handler has taken care of it. */
    private boolean publish(int from, Outcome<T> end) {
        state(from, DEAD);
        Handler ended = handler;
        body = null;
        handler = null;
        stack = null;
        outcome = end;
        if (awaiters != null) {
            for (Waiter waiter : awaiters) {
                waiter.give(this);
            }
            awaiters = null;
        }
        return ended != null && tellHandler(ended, end);
    }

    private boolean tellHandler(Handler ended, Outcome<T> end) {
        try {
            return ended.onEnd(this, end.failure(this));
        } catch (RuntimeException | Error broken) {
            cord.reportUncaught(this, broken);
            return false;
        }
    }

    /** On the parent's cord. */
    void childEnded(Fiber<?> child, @Nullable FiberFailedException untaken) {
        children.remove(child);
        if (untaken != null) {
            if (state == DEAD || (isolatesChildren && !ending)) {
                cord.reportUncaught(child, untaken);
            } else {
                raiseHere(new Signal.ChildFailed(untaken));
            }
        }
        if (ending && state == WAITING && children.isEmpty()) {
            makeRunnable(null);
        }
    }

    /** The cord ended before it could start the fiber; on whatever thread finds out. */
    void refuseStart(String why) {
        publish(UNSTARTED, new Outcome.Failure<>(new CordClosedException(why)));
        if (parent != null && parent.cord != cord) {
            parent.cord.send(FiberMessages.childEnded(parent, this, null));
        }
    }

    private void abandonChildren(String why) {
        for (Fiber<?> child = children.first(); child != null; child = children.first()) {
            children.remove(child);
            if (child.cord == cord) {
                child.abandon(why);
            } else {
                child.cord.send(FiberMessages.abandon(child, why));
            }
        }
    }

    /** The fiber never runs again; its awaiters are told. Not by the fiber itself. */
    void abandon(String why) {
        if (state == DEAD) {
            return;
        }
        cord.dequeue(this);
        FiberAbandonedException leaked =
                new FiberAbandonedException(
                        this + " was abandoned, for " + why + ". It did not end: " + describeWait());
        cord.reportUncaught(this, leaked);
        publish(state, new Outcome.Failure<>(leaked));
        abandonChildren("its parent was abandoned");
    }

    /** The running fiber swallowed its termination too often: report it with its stack, and stop. */
    private void abandonRunning() {
        FiberAbandonedException leaked =
                new FiberAbandonedException(
                        this + " was abandoned: it swallowed its termination " + MOST_RAISES
                                + " times. Let the Error that a switchpoint throws pass.");
        cord.reportUncaught(this, leaked);
        abandonChildren("its parent was abandoned");
        finish(RUNNING, new Outcome.Failure<>(leaked));
        for (; ; ) {
            cord.mountedStack().leave();
        }
    }

    void isolateChildren() {
        isolatesChildren = true;
    }

    @Nullable Handler handler() {
        return handler;
    }

    boolean isEnding() {
        return ending;
    }

    // ---------------------------------------------------------------- awaiters

    @Nullable Outcome<T> outcome() {
        return outcome;
    }

    /** On the cord, while the fiber is alive. */
    void addAwaiter(Waiter waiter) {
        if (awaiters == null) {
            awaiters = new ArrayList<>(2);
        }
        awaiters.add(waiter);
    }

    void removeAwaiter(Waiter waiter) {
        if (awaiters != null) {
            awaiters.remove(waiter);
            if (awaiters.isEmpty()) {
                awaiters = null;
            }
        }
    }

    @Nullable Fiber<?> awaited() {
        return awaited;
    }

    void setAwaited(@Nullable Fiber<?> other) {
        awaited = other;
    }

    // ---------------------------------------------------------------- state

    private void state(int from, int to) {
        if (Checks.ON && state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = to;
    }

    void checkCord(String operation) {
        if (Cord.currentOrNull() != cord) {
            throw new WrongThreadException(
                    operation + " on " + this + " from " + Thread.currentThread()
                            + ", but it belongs to " + cord
                            + "; post a message to that cord instead");
        }
    }

    void checkInvariants() {
        children.checkInvariants();
        if (state == DEAD && (outcome == null || awaiters != null)) {
            throw new IllegalStateException("dead without outcome or with awaiters: " + this);
        }
    }

    Children children() {
        return children;
    }
}
