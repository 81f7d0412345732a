package dev.ropewalk.channels;

import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The one algorithm of all channels; an {@link Exclusion} says how a call is guarded and what a
 * wait is.
 *
 * <pre>
 *   OPEN -> CLOSED      close: nothing more goes in, the buffer drains
 *   OPEN -> CANCELLED   cancel: the buffer was handed to the undelivered hook
 *   CLOSED -> CANCELLED
 * </pre>
 *
 * Invariants, between two guarded sections (as Go's channels keep them):
 *
 * <ul>
 *   <li>senders and receivers never wait at the same time;
 *   <li>receivers wait only if the buffer is empty; senders only if it is full;
 *   <li>nobody waits unless the state is OPEN.
 * </ul>
 *
 * <p>A node that gave up may still stand in its queue for a moment; a claim that meets it there
 * finds its wait over and takes the next. A claim decides inside the guard, the wake-up comes after
 * it, so no lock is held while another cord is woken. The undelivered hook runs outside the guard
 * too.
 */
final class QueueChannel<E> implements Channel<E>, Handoff {
    private enum State {
        OPEN,
        CLOSED,
        CANCELLED
    }

    /** Result for a sender whose element was taken. */
    private static final Object SENT = new Object();

    /** Result for a node whose channel was closed. */
    private static final Object CLOSED = new Object();

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final Exclusion guard;
    private final ElementRing<E> buffer;
    private final WaitQueue<E> senders = new WaitQueue<>();
    private final WaitQueue<E> receivers = new WaitQueue<>();
    private final @Nullable Consumer<? super E> undelivered;
    private final int capacity;
    private State state = State.OPEN;
    private @Nullable Throwable closeCause;

    QueueChannel(int capacity, Exclusion guard, @Nullable Consumer<? super E> undelivered) {
        this.guard = guard;
        this.capacity = capacity;
        this.buffer = new ElementRing<>(capacity);
        this.undelivered = undelivered;
    }

    static Exclusion local() {
        return Exclusion.byCord("make it with Channel.rendezvous() or Channel.buffered(n)");
    }

    static int checkCapacity(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException(
                    "capacity=" + capacity + " < 1; use a rendezvous channel for no buffer");
        }
        return capacity;
    }

    @Override
    public void send(E element) {
        sendWithin(element, NO_LIMIT);
    }

    @Override
    public boolean send(E element, Duration limit) {
        return sendWithin(element, Waits.nanos(limit));
    }

    private boolean sendWithin(E element, long limitNanos) {
        checkElement(element);
        WaitNode<E> receiver;
        WaitNode<E> me = null;
        guard.enterAtSwitchpoint(this);
        try {
            if (state != State.OPEN) {
                throw closed(element);
            }
            receiver = receivers.claimFirst(element);
            if (receiver == null) {
                if (!buffer.isFull()) {
                    buffer.add(element);
                    return true;
                }
                me = stand(senders, element);
            }
        } finally {
            guard.exit();
        }
        if (me == null) {
            Objects.requireNonNull(receiver).wake();
            return true;
        }
        return awaitSent(me, element, limitNanos);
    }

    private boolean awaitSent(WaitNode<E> me, E element, long limitNanos) {
        Object result = guard.await(me, this, limitNanos);
        if (result == CLOSED) {
            throw closed(element);
        }
        return result == SENT;
    }

    /** Guarded. Waiting has methods of its own, so that a call that need not wait stays small. */
    private WaitNode<E> stand(WaitQueue<E> queue, @Nullable E element) {
        WaitNode<E> me = guard.node(element);
        queue.add(me);
        return me;
    }

    @Override
    public SendResult trySend(E element) {
        checkElement(element);
        WaitNode<E> receiver;
        guard.enter(this);
        try {
            if (state != State.OPEN) {
                return SendResult.CLOSED;
            }
            receiver = receivers.claimFirst(element);
            if (receiver == null) {
                if (buffer.isFull()) {
                    return SendResult.FULL;
                }
                buffer.add(element);
                return SendResult.SENT;
            }
        } finally {
            guard.exit();
        }
        receiver.wake();
        return SendResult.SENT;
    }

    @Override
    public E receive() {
        return Objects.requireNonNull(receiveWithin(NO_LIMIT));
    }

    @Override
    public @Nullable E receive(Duration limit) {
        return receiveWithin(Waits.nanos(limit));
    }

    private @Nullable E receiveWithin(long limitNanos) {
        WaitNode<E> sender = null;
        E taken;
        WaitNode<E> me = null;
        guard.enterAtSwitchpoint(this);
        try {
            taken = buffer.poll();
            sender = senders.claimFirst(SENT);
            if (sender != null) {
                taken = refill(taken, sender);
            } else if (taken == null) {
                if (state != State.OPEN) {
                    throw closed(null);
                }
                me = stand(receivers, null);
            }
        } finally {
            guard.exit();
        }
        if (sender != null) {
            sender.wake();
        }
        return me == null ? taken : awaitReceived(me, limitNanos);
    }

    @SuppressWarnings("unchecked") // senders give receivers nothing but E and CLOSED
    private @Nullable E awaitReceived(WaitNode<E> me, long limitNanos) {
        Object result = guard.await(me, this, limitNanos);
        if (result == CLOSED) {
            throw closed(null);
        }
        return result == Waits.TIMED_OUT ? null : (E) result;
    }

    @Override
    public @Nullable E tryReceive() {
        WaitNode<E> sender;
        E taken;
        guard.enter(this);
        try {
            taken = buffer.poll();
            sender = senders.claimFirst(SENT);
            if (sender != null) {
                taken = refill(taken, sender);
            } else if (taken == null && state != State.OPEN) {
                throw closed(null);
            }
        } finally {
            guard.exit();
        }
        if (sender != null) {
            sender.wake();
        }
        return taken;
    }

    /** The claimed sender's element follows those of the buffer, or is itself the one taken. */
    private E refill(@Nullable E taken, WaitNode<E> sender) {
        E brought = Objects.requireNonNull(sender.element());
        if (taken == null) {
            return brought;
        }
        buffer.add(brought);
        return taken;
    }

    @Override
    public void close() {
        end(State.CLOSED, null);
    }

    @Override
    public void close(Throwable cause) {
        end(State.CLOSED, Objects.requireNonNull(cause, "cause"));
    }

    @Override
    public void cancel() {
        end(State.CANCELLED, null);
    }

    private void end(State to, @Nullable Throwable cause) {
        List<WaitNode<E>> toWake = new ArrayList<>();
        List<E> left = new ArrayList<>();
        guard.enter(this);
        try {
            if (state == to || state == State.CANCELLED) {
                return;
            }
            if (state == State.OPEN) {
                closeCause = cause;
            }
            state = to;
            toWake.addAll(senders.claimAll(CLOSED));
            toWake.addAll(receivers.claimAll(CLOSED));
            if (to == State.CANCELLED) {
                for (E element = buffer.poll(); element != null; element = buffer.poll()) {
                    left.add(element);
                }
            }
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
        if (undelivered != null) {
            handOver(left, undelivered);
        }
    }

    /** All of them, even if the hook throws in between, a termination included. */
    private static <E> void handOver(List<E> left, Consumer<? super E> hook) {
        Throwable first = null;
        for (E element : left) {
            try {
                hook.accept(element);
            } catch (RuntimeException | Error e) {
                if (first == null) {
                    first = e;
                } else if (first != e) {
                    first.addSuppressed(e);
                }
            }
        }
        if (first instanceof RuntimeException e) {
            throw e;
        }
        if (first instanceof Error e) {
            throw e;
        }
    }

    /** A receiver was abandoned with the element that it was sent. */
    @Override
    @SuppressWarnings("unchecked") // senders give receivers nothing but E and CLOSED
    public void reclaim(WaitNode<?> node, Object given) {
        if (given == SENT || given == CLOSED) {
            return;
        }
        if (undelivered == null) {
            throw new IllegalStateException(
                    "an element was lost with " + node.who() + ", which was abandoned: " + given);
        }
        undelivered.accept((E) given);
    }

    private static void checkElement(Object element) {
        Objects.requireNonNull(element, "element");
        if (element == Waits.TIMED_OUT) {
            throw new IllegalArgumentException(
                    "element=TIMED_OUT is the mark of a time limit; send something else");
        }
    }

    private ChannelClosedException closed(@Nullable E element) {
        String message =
                element == null
                        ? this + " is closed and holds nothing more to receive"
                        : this + " is closed: the element was not sent and is in this exception";
        return new ChannelClosedException(message, element, closeCause);
    }

    @Override
    public boolean isClosed() {
        guard.enter(this);
        try {
            return state != State.OPEN;
        } finally {
            guard.exit();
        }
    }

    @Override
    public Iterator<E> iterator() {
        return new Iterator<>() {
            private @Nullable E fetched;
            private boolean ended;

            @Override
            public boolean hasNext() {
                if (fetched == null && !ended) {
                    try {
                        fetched = receive();
                    } catch (ChannelClosedException end) {
                        if (end.getCause() != null) {
                            throw end;
                        }
                        ended = true;
                    }
                }
                return fetched != null;
            }

            @Override
            public E next() {
                if (!hasNext()) {
                    throw new NoSuchElementException(QueueChannel.this + " is closed and drained");
                }
                E element = Objects.requireNonNull(fetched);
                fetched = null;
                return element;
            }
        };
    }

    /** How many stand in the two queues. */
    int waiting() {
        guard.enter(this);
        try {
            return senders.size() + receivers.size();
        } finally {
            guard.exit();
        }
    }

    /** Checks the invariants at the top of this class. */
    void checkInvariants() {
        guard.enter(this);
        try {
            buffer.checkInvariants();
            senders.checkInvariants();
            receivers.checkInvariants();
            check(senders.isEmpty() || receivers.isEmpty(), "senders and receivers wait");
            check(receivers.isEmpty() || buffer.isEmpty(), "receivers wait beside elements");
            check(senders.isEmpty() || buffer.isFull(), "senders wait beside room");
            check(
                    state == State.OPEN || (senders.isEmpty() && receivers.isEmpty()),
                    "somebody waits at a closed channel");
        } finally {
            guard.exit();
        }
    }

    private void check(boolean holds, String broken) {
        if (!holds) {
            throw new IllegalStateException(
                    broken + ": " + this + " state=" + state + " buffer=" + buffer);
        }
    }

    @Override
    public String toString() {
        return (guard.isLocal() ? "local" : "shared")
                + (capacity == 0 ? " rendezvous channel" : " channel buffered(" + capacity + ")")
                + " @"
                + Integer.toHexString(System.identityHashCode(this));
    }
}
