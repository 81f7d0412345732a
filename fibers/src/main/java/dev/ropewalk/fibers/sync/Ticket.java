package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Hold;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A place in a {@link TicketQueue}. It is called when all earlier tickets are done, and calls the
 * next when it is {@link #done} itself.
 *
 * <p>The fiber that took it answers for it: if that fiber ends before the ticket is done, this is
 * reported, and the next is called. A ticket may be handed to another fiber; from its {@link
 * #await} on, the awaiting fiber answers for it. No fiber answers for a ticket that a plain thread
 * took or awaits.
 */
public final class Ticket {
    /*
     *   WAITING -> CALLED    all earlier tickets are done
     *   CALLED  -> DONE      done, or its holder ended
     *   WAITING -> DONE      the same before it was called: it gives up its place
     */
    private enum State {
        WAITING,
        CALLED,
        DONE
    }

    private static final Object CALLED = new Object();
    private static final Object GIVEN_UP = new Object();
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final TicketQueue queue;
    private final Exclusion guard;
    private final long number;

    /** The waiters for its call, mostly one; guarded, as all below. */
    private final WaitQueue<Object> waiters = new WaitQueue<>();

    private State state = State.WAITING;
    private List<Callback> callbacks = List.of();
    private @Nullable TicketHold hold;
    @Nullable Ticket previous;
    @Nullable Ticket next;

    /** A task that waits for the call, as a message to the cord that asked for it. */
    private static final class Callback extends CordMessage {
        private final Cord cord;
        private final @Nullable Fiber<?> asker;
        private final Runnable task;

        Callback(Runnable task) {
            this.cord = Cord.current();
            this.asker = Fiber.currentOrNull();
            this.task = Objects.requireNonNull(task, "task");
        }

        @Override
        public void onCord() {
            try {
                task.run();
            } catch (Throwable failure) {
                if (asker == null) {
                    throw failure;
                }
                TicketHold.tell(asker, failure);
            }
        }

        @Override
        public void onClosed() {
            // The fiber that asked for it has ended with its cord.
        }
    }

    /** The hold by which a fiber answers for the ticket, until it is done or another fiber does. */
    private final class TicketHold extends Hold {
        private final Fiber<?> holder;

        TicketHold(Fiber<?> holder) {
            this.holder = holder;
            hold(holder);
        }

        /** From any thread, when it does not count any more. */
        void end() {
            letGoFromAnywhere(holder);
        }

        static void tell(Fiber<?> fiber, Throwable failure) {
            report(fiber, failure);
        }

        @Override
        protected boolean isHeld() {
            guard.enter(queue);
            try {
                return state != State.DONE && hold == this;
            } finally {
                guard.exit();
            }
        }

        @Override
        protected void onHolderDead(Fiber<?> dead) {
            finish(this);
        }

        @Override
        public String toString() {
            return Ticket.this.toString();
        }
    }

    Ticket(TicketQueue queue, Exclusion guard, long number) {
        this.queue = queue;
        this.guard = guard;
        this.number = number;
        this.hold = holdOfCaller();
    }

    /** Null for a plain thread, because the end of a thread is not seen. */
    private @Nullable TicketHold holdOfCaller() {
        Fiber<?> fiber = Fiber.currentOrNull();
        return fiber == null ? null : new TicketHold(fiber);
    }

    /**
     * Waits until the ticket is called. A switchpoint, also if it is called. The caller answers for
     * the ticket from then on, also if it leaves without having been called; a fiber that is
     * terminated or cancelled before it begins to wait does not.
     *
     * @throws IllegalStateException if the ticket is done, or another caller calls done meanwhile
     * @throws WrongThreadException if the queue is local and another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public void await() {
        awaitWithin(NO_LIMIT);
    }

    /**
     * Waits until the ticket is called, no longer than the limit. A switchpoint, also if it is
     * called. When the limit passed the ticket keeps its place.
     *
     * @param limit how long to wait; may be zero
     * @return false if the limit passed
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if the ticket is done, or another caller calls done meanwhile
     * @throws WrongThreadException if the queue is local and another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public boolean await(Duration limit) {
        return awaitWithin(Waits.nanos(limit));
    }

    private boolean awaitWithin(long limitNs) {
        WaitNode<Object> node = null;
        TicketHold before = null;
        guard.enterAtSwitchpoint(queue);
        try {
            checkNotDone("await");
            if (state == State.WAITING) {
                node = guard.node(null);
                waiters.add(node);
            }
            TicketHold old = hold;
            if (old == null || old.holder != Fiber.currentOrNull()) {
                before = old;
                hold = holdOfCaller();
            }
        } finally {
            guard.exit();
        }
        if (before != null) {
            before.end();
        }
        if (node == null) {
            return true;
        }
        Object result = guard.await(node, this, limitNs);
        if (result == GIVEN_UP) {
            throw new IllegalStateException(
                    this + " was done by another while " + node.who() + " awaited it");
        }
        return result == CALLED;
    }

    /**
     * Says that the work for which the ticket was taken is over, and calls the next. A ticket that
     * was not called yet gives up its place. Any fiber or thread may do it, once. Never switches.
     *
     * @throws IllegalStateException if the ticket is done already
     * @throws WrongThreadException if the queue is local and another cord's
     */
    public void done() {
        finish(null);
    }

    /** With the hold of a dead fiber: only if that is still the one that counts. */
    private void finish(@Nullable TicketHold ofDead) {
        TicketHold before;
        List<WaitNode<Object>> toWake;
        List<Callback> toPost = List.of();
        guard.enter(queue);
        try {
            if (ofDead != null && (state == State.DONE || hold != ofDead)) {
                return;
            }
            checkNotDone("done");
            state = State.DONE;
            before = hold;
            hold = null;
            callbacks = List.of();
            toWake = waiters.claimAll(GIVEN_UP);
            Ticket called = queue.remove(this);
            if (called != null) {
                toPost = called.callbacks;
                toWake = called.call(toWake);
            }
        } finally {
            guard.exit();
        }
        if (before != null) {
            before.end();
        }
        WaitQueue.wakeAll(toWake);
        toPost.forEach(each -> each.cord.post(each));
    }

    /** Guarded; returns the given nodes to wake, and its own. */
    private List<WaitNode<Object>> call(List<WaitNode<Object>> others) {
        state = State.CALLED;
        callbacks = List.of();
        List<WaitNode<Object>> toWake = new ArrayList<>(others);
        toWake.addAll(waiters.claimAll(CALLED));
        return toWake;
    }

    /** Guarded: a new ticket without one before it. */
    void callFirst() {
        state = State.CALLED;
    }

    /**
     * Has the task run once when the ticket is called; soon if it is called already. It runs as a
     * message on the current cord, as no fiber, so it must not wait; its exception goes to the
     * uncaught handler. It does not run if the ticket is done without having been called, or the
     * cord has ended. Never switches.
     *
     * @param task the task
     * @throws IllegalStateException if the ticket is done, or this thread is no cord
     * @throws WrongThreadException if the queue is local and another cord's
     */
    public void onCall(Runnable task) {
        Callback callback = new Callback(task);
        guard.enter(queue);
        try {
            checkNotDone("onCall");
            if (state == State.WAITING) {
                callbacks = new ArrayList<>(callbacks);
                callbacks.add(callback);
                return;
            }
        } finally {
            guard.exit();
        }
        callback.cord.post(callback);
    }

    /**
     * {@return whether the ticket is called and not done yet}
     *
     * @throws WrongThreadException if the queue is local and another cord's
     */
    public boolean isCalled() {
        guard.enter(queue);
        try {
            return state == State.CALLED;
        } finally {
            guard.exit();
        }
    }

    /** {@return its number in the queue, from 1} */
    public long number() {
        return number;
    }

    private void checkNotDone(String operation) {
        if (state == State.DONE) {
            throw new IllegalStateException(
                    operation + " on " + this + ", which is done already; take another one");
        }
    }

    /** Guarded. */
    void checkInvariants(boolean isFirst) {
        waiters.checkInvariants();
        boolean isRight = isFirst ? state == State.CALLED : state == State.WAITING;
        if (!isRight || (isFirst && !(waiters.isEmpty() && callbacks.isEmpty()))) {
            throw new IllegalStateException("state=" + state + " of " + this);
        }
    }

    @Override
    public String toString() {
        return "ticket " + number + " of " + queue + ", where " + queue.describeFirst();
    }
}
