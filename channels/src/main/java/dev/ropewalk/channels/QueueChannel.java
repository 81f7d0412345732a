package dev.ropewalk.channels;

import dev.ropewalk.fibers.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The one algorithm of all channels; subclasses say how a call is guarded and what a wait is.
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
 * <p>A party that gave up may still stand in its line for a moment; who meets it there finds its
 * wait over and takes the next. A claim decides inside the guard, the wake-up comes after it, so no
 * lock is held while another cord is woken. The undelivered hook runs outside the guard too.
 */
abstract sealed class QueueChannel<E> implements Channel<E> permits LocalChannel, SharedChannel {
    private enum State {
        OPEN,
        CLOSED,
        CANCELLED
    }

    /** Result for a sender whose element was taken. */
    private static final Object SENT = new Object();

    /** Result for a party whose channel was closed. */
    private static final Object CLOSED = new Object();

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final ElementRing<E> buffer;
    private final WaitingLine<E> senders = new WaitingLine<>();
    private final WaitingLine<E> receivers = new WaitingLine<>();
    private final @Nullable Consumer<? super E> undelivered;
    private final int capacity;
    private State state = State.OPEN;
    private @Nullable Throwable closeCause;

    QueueChannel(int capacity, @Nullable Consumer<? super E> undelivered) {
        this.capacity = capacity;
        this.buffer = new ElementRing<>(capacity);
        this.undelivered = undelivered;
    }

    static int checkCapacity(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException(
                    "capacity=" + capacity + " < 1; use a rendezvous channel for no buffer");
        }
        return capacity;
    }

    /** Begins a guarded section. */
    abstract void enter();

    /** Ends a guarded section. */
    abstract void exit();

    /** A wait of the caller. */
    abstract Party<E> party(@Nullable E element);

    @Override
    public final void send(E element) {
        sendWithin(element, NO_LIMIT);
    }

    @Override
    public final boolean send(E element, Duration limit) {
        return sendWithin(element, Waits.nanos(limit));
    }

    private boolean sendWithin(E element, long limitNanos) {
        checkElement(element);
        Party<E> receiver;
        Party<E> me = null;
        enter();
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
                me = party(element);
                senders.add(me);
            }
        } finally {
            exit();
        }
        if (me == null) {
            Objects.requireNonNull(receiver).wake();
            return true;
        }
        Object result = await(me, senders, limitNanos);
        if (result == CLOSED) {
            throw closed(element);
        }
        return result == SENT;
    }

    @Override
    public final SendResult trySend(E element) {
        checkElement(element);
        Party<E> receiver;
        enter();
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
            exit();
        }
        receiver.wake();
        return SendResult.SENT;
    }

    @Override
    public final E receive() {
        return Objects.requireNonNull(receiveWithin(NO_LIMIT));
    }

    @Override
    public final @Nullable E receive(Duration limit) {
        return receiveWithin(Waits.nanos(limit));
    }

    @SuppressWarnings("unchecked") // senders give receivers nothing but E and CLOSED
    private @Nullable E receiveWithin(long limitNanos) {
        Party<E> sender = null;
        E taken;
        Party<E> me = null;
        enter();
        try {
            taken = buffer.poll();
            sender = senders.claimFirst(SENT);
            if (sender != null) {
                taken = refill(taken, sender);
            } else if (taken == null) {
                if (state != State.OPEN) {
                    throw closed(null);
                }
                me = party(null);
                receivers.add(me);
            }
        } finally {
            exit();
        }
        if (sender != null) {
            sender.wake();
        }
        if (me == null) {
            return taken;
        }
        Object result = await(me, receivers, limitNanos);
        if (result == CLOSED) {
            throw closed(null);
        }
        return result == Waits.TIMED_OUT ? null : (E) result;
    }

    @Override
    public final @Nullable E tryReceive() {
        Party<E> sender;
        E taken;
        enter();
        try {
            taken = buffer.poll();
            sender = senders.claimFirst(SENT);
            if (sender != null) {
                taken = refill(taken, sender);
            } else if (taken == null && state != State.OPEN) {
                throw closed(null);
            }
        } finally {
            exit();
        }
        if (sender != null) {
            sender.wake();
        }
        return taken;
    }

    /** The claimed sender's element follows what was taken from the buffer, or is what is taken. */
    private E refill(@Nullable E taken, Party<E> sender) {
        E brought = Objects.requireNonNull(sender.element);
        if (taken == null) {
            return brought;
        }
        buffer.add(brought);
        return taken;
    }

    private @Nullable Object await(Party<E> me, WaitingLine<E> line, long limitNanos) {
        Object result = Waits.TIMED_OUT;
        try {
            result = me.await(this, limitNanos);
        } finally {
            if (result == Waits.TIMED_OUT) {
                enter();
                try {
                    line.remove(me);
                } finally {
                    exit();
                }
            }
        }
        return result;
    }

    @Override
    public final void close() {
        end(State.CLOSED, null);
    }

    @Override
    public final void close(Throwable cause) {
        end(State.CLOSED, Objects.requireNonNull(cause, "cause"));
    }

    @Override
    public final void cancel() {
        end(State.CANCELLED, null);
    }

    private void end(State to, @Nullable Throwable cause) {
        List<Party<E>> toWake = new ArrayList<>();
        List<E> left = new ArrayList<>();
        enter();
        try {
            if (state == to || state == State.CANCELLED) {
                return;
            }
            if (state == State.OPEN) {
                closeCause = cause;
            }
            state = to;
            claimAll(senders, toWake);
            claimAll(receivers, toWake);
            if (to == State.CANCELLED) {
                for (E element = buffer.poll(); element != null; element = buffer.poll()) {
                    left.add(element);
                }
            }
        } finally {
            exit();
        }
        toWake.forEach(Party::wake);
        if (undelivered != null) {
            handOver(left, undelivered);
        }
    }

    /** All of them, whatever the hook throws in between, a termination included. */
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

    private static void checkElement(Object element) {
        Objects.requireNonNull(element, "element");
        if (element == Waits.TIMED_OUT) {
            throw new IllegalArgumentException(
                    "element=TIMED_OUT is the mark of a time limit; send something else");
        }
    }

    private static <E> void claimAll(WaitingLine<E> line, List<Party<E>> claimed) {
        for (Party<E> party = line.claimFirst(CLOSED);
                party != null;
                party = line.claimFirst(CLOSED)) {
            claimed.add(party);
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
    public final boolean isClosed() {
        enter();
        try {
            return state != State.OPEN;
        } finally {
            exit();
        }
    }

    @Override
    public final Iterator<E> iterator() {
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

    /** Checks what stands at the top of this class. */
    final void checkInvariants() {
        enter();
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
            exit();
        }
    }

    private void check(boolean holds, String broken) {
        if (!holds) {
            throw new IllegalStateException(
                    broken + ": " + this + " state=" + state + " buffer=" + buffer);
        }
    }

    /** Racy, for people. */
    final String describe(String kind) {
        return kind
                + (capacity == 0 ? " rendezvous channel" : " channel buffered(" + capacity + ")")
                + " @"
                + Integer.toHexString(System.identityHashCode(this));
    }
}
