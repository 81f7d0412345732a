package dev.ropewalk.channels.internal;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The state of a channel and its steps, each inside the channel's guard. No step waits, wakes
 * anybody, or calls code of the user: it answers what the caller has to do when it has left the
 * guard.
 *
 * <pre>
 *   OPEN   -> CLOSED      close: nothing more goes in, the buffer drains
 *   OPEN   -> CANCELLED   cancel: the buffer was handed to the undelivered hook
 *   CLOSED -> CANCELLED
 * </pre>
 *
 * Invariants, between two guarded sections (as Go's channels keep them):
 *
 * <ul>
 *   <li>senders and receivers never wait at the same time, unless one select stands as both;
 *   <li>receivers wait only if the buffer is empty; senders only if it is full;
 *   <li>no fiber waits unless the state is OPEN.
 * </ul>
 *
 * <p>A node that gave up may still stand in its queue for a moment; a claim that meets it there
 * finds its wait over and takes the next.
 *
 * <p>The kinds differ only in the answer of a full buffer. Rejected: a class of buffer for each
 * kind, because the call of the buffer is on the fast path, and it would have five targets. Not
 * known: how the shared form scales on more than a few CPUs.
 */
final class ChannelCore<E> {
    /** Result for a sender whose element was taken. */
    static final Object SENT = new Mark("SENT");

    /** Result for a node whose channel was closed, and for a receive from a drained one. */
    static final Object CLOSED = new Mark("CLOSED");

    /** The result of {@link #take} if there is no element. */
    static final Object NOTHING = new Mark("NOTHING");

    /** Of an unlimited buffer, as of an actor's mailbox. */
    private static final int FIRST_REPORT = 65_536;

    private enum State {
        OPEN,
        CLOSED,
        CANCELLED
    }

    private record Mark(String name) {
        @Override
        public String toString() {
            return name;
        }
    }

    private final WaitQueue<E> senders = new WaitQueue<>();
    private final WaitQueue<E> receivers = new WaitQueue<>();
    private final Buffer<E> buffer;
    private final Put ifFull;

    /** The size of the buffer that is reported next. */
    private int nextReport;

    private State state = State.OPEN;
    private @Nullable Throwable cause;

    ChannelCore(ChannelOptions<?> options) {
        this.buffer = new Buffer<>(options.capacity());
        this.ifFull = Put.ifFull(options.kind());
        boolean isUnlimited = options.kind() == ChannelOptions.Kind.UNLIMITED;
        this.nextReport = isUnlimited ? FIRST_REPORT : Integer.MAX_VALUE;
    }

    // ---------------------------------------------------------------- putting in

    /** A {@link WaitNode}: the receiver that got it, to be woken; otherwise a {@link Put}. */
    Object put(E element) {
        if (state != State.OPEN) {
            return Put.CLOSED;
        }
        WaitNode<E> receiver = receivers.claimFirst(element);
        if (receiver != null) {
            return receiver;
        }
        if (!buffer.add(element)) {
            return ifFull;
        }
        return buffer.size() < nextReport ? Put.BUFFERED : grew();
    }

    /**
     * Puts the element into a slot that is there, past all that is rare; false if it did not. It
     * leaves the last slot to {@link #put}, which sees then how large the buffer has grown.
     */
    boolean putFree(E element) {
        return state == State.OPEN && receivers.isEmpty() && buffer.addFree(element);
    }

    private Put grew() {
        nextReport = (int) Math.min(2L * nextReport, Integer.MAX_VALUE);
        return Put.GREW;
    }

    /** After {@link Put#DISPLACES}: the element goes in, the oldest comes out. */
    E displace(E element) {
        return buffer.displaceBy(element);
    }

    boolean isReadyToPut() {
        return ifFull != Put.FULL
                || state != State.OPEN
                || !buffer.isFull()
                || !receivers.isEmpty();
    }

    // ---------------------------------------------------------------- taking out

    /** The first sender that waits, whose element {@link #take} takes; to be woken. */
    @Nullable WaitNode<E> claimSender() {
        return senders.claimFirst(SENT);
    }

    /** An element, {@link #CLOSED} or {@link #NOTHING}. */
    Object take(@Nullable WaitNode<E> sender) {
        E first = buffer.poll();
        if (sender == null) {
            return first == null ? ifEmpty() : first;
        }
        E brought = Objects.requireNonNull(sender.element());
        if (first == null) {
            return brought; // a rendezvous
        }
        buffer.add(brought);
        return first;
    }

    /** An element of the buffer, if no sender waits to put another one in; otherwise null. */
    @Nullable E takeFree() {
        return senders.isEmpty() ? buffer.poll() : null;
    }

    private Object ifEmpty() {
        return state == State.OPEN ? NOTHING : CLOSED;
    }

    boolean isReadyToTake() {
        return !buffer.isEmpty() || state != State.OPEN || !senders.isEmpty();
    }

    // ---------------------------------------------------------------- waiting

    void standAsSender(WaitNode<E> node) {
        senders.add(node);
    }

    void standAsReceiver(WaitNode<E> node) {
        receivers.add(node);
    }

    // ---------------------------------------------------------------- the end

    /** The nodes that waited, to be woken. */
    List<WaitNode<E>> close(@Nullable Throwable why) {
        return end(State.CLOSED, why);
    }

    /**
     * The nodes that waited, to be woken; elements of the buffer go to {@code left}, for the hook.
     */
    List<WaitNode<E>> cancel(@Nullable Throwable why, List<? super E> left) {
        List<WaitNode<E>> toWake = end(State.CANCELLED, why);
        for (E element = buffer.poll(); element != null; element = buffer.poll()) {
            left.add(element);
        }
        return toWake;
    }

    private List<WaitNode<E>> end(State to, @Nullable Throwable why) {
        if (state == to || state == State.CANCELLED) {
            return List.of();
        }
        if (state == State.OPEN) {
            cause = why;
        }
        state(state, to);
        List<WaitNode<E>> toWake = new ArrayList<>(senders.claimAll(CLOSED));
        toWake.addAll(receivers.claimAll(CLOSED));
        return toWake;
    }

    private void state(State from, State to) {
        if (state != from || to.compareTo(from) <= 0) {
            throw new IllegalStateException(state + ": " + from + " -> " + to);
        }
        state = to;
    }

    // ---------------------------------------------------------------- reading

    boolean isClosed() {
        return state != State.OPEN;
    }

    @Nullable Throwable cause() {
        return cause;
    }

    int size() {
        return buffer.size();
    }

    int waitingSenders() {
        return senders.size();
    }

    int waitingReceivers() {
        return receivers.size();
    }

    /** Checks the invariants at the top of this class. */
    void checkInvariants() {
        buffer.checkInvariants();
        senders.checkInvariants();
        receivers.checkInvariants();
        WaitNode<E> sender = waiting(senders);
        WaitNode<E> receiver = waiting(receivers);
        check(
                sender == null || receiver == null || sender.who() == receiver.who(),
                "senders and receivers wait");
        check(receiver == null || buffer.isEmpty(), "receivers wait beside elements");
        check(sender == null || buffer.isFull(), "senders wait beside room");
        check(sender == null || ifFull == Put.FULL, "senders wait where none has to");
        check(
                state == State.OPEN || (sender == null && receiver == null),
                "somebody waits at a closed channel");
    }

    private static <E> @Nullable WaitNode<E> waiting(WaitQueue<E> queue) {
        WaitNode<E> first = queue.first();
        return first == null || !first.isWaiting() ? null : first;
    }

    private void check(boolean holds, String broken) {
        if (!holds) {
            throw new IllegalStateException(broken + ": state=" + state + " buffer=" + buffer);
        }
    }
}
