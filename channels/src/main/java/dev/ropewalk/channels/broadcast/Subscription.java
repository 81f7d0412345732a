package dev.ropewalk.channels.broadcast;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.internal.Buffer;
import dev.ropewalk.channels.internal.Put;
import dev.ropewalk.channels.internal.ReceiveSide;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One subscriber of a {@link Broadcast}: a buffer, its rule for when it is full, and the fibers
 * that wait to receive. Guarded by the broadcast's guard.
 */
final class Subscription<E> extends ReceiveSide<E> implements Handoff {
    private final Broadcast<E> broadcast;
    private final Exclusion guard;
    private final ChannelOptions<? super E> options;
    private final Buffer<E> buffer;
    private final Put ifFull;
    private final @Nullable Consumer<? super E> undelivered;
    private final WaitQueue<E> receivers = new WaitQueue<>();

    /** Guarded, as all that follows: nothing more comes in. */
    private boolean isClosed;

    private @Nullable Throwable cause;

    /** Are told of the end. */
    private List<Runnable> watchers = List.of();

    Subscription(Broadcast<E> broadcast, Exclusion guard, ChannelOptions<? super E> options) {
        if (options.capacity() == 0) {
            throw new IllegalArgumentException(
                    options
                            + " has no buffer, so a subscriber that does not wait would hold up all"
                            + " others for ever; give it room for 1 element or more");
        }
        if (options.isLocal() && !guard.isLocal()) {
            throw new IllegalArgumentException(
                    options
                            + " is confined to this cord, but "
                            + broadcast
                            + " is not, and all its subscribers have one guard; leave onThisCord()"
                            + " out here, or make the broadcast with it");
        }
        this.broadcast = broadcast;
        this.guard = guard;
        this.options = options;
        this.buffer = new Buffer<>(options.capacity());
        this.ifFull = Put.ifFull(options.kind());
        this.undelivered = options.undelivered().orElse(null);
    }

    // ---------------------------------------------------------------- guarded

    /** No sender has to wait for it. */
    boolean hasRoom() {
        return ifFull != Put.FULL || !buffer.isFull();
    }

    /** While it is empty: it takes as many without a sender that waits. */
    boolean holds(int elements) {
        return ifFull != Put.FULL || elements <= options.capacity();
    }

    void deliver(E element, Deliveries after) {
        WaitNode<E> receiver = receivers.claimFirst(element);
        if (receiver != null) {
            after.wake(receiver);
        } else if (!buffer.add(element)) {
            lost(ifFull == Put.DISPLACES ? buffer.displaceBy(element) : element, after);
        }
    }

    private void lost(E element, Deliveries after) {
        if (undelivered != null) {
            after.lost(element, undelivered);
        }
    }

    /** Elements in the buffer stay receivable. */
    void end(@Nullable Throwable why, Deliveries after) {
        if (isClosed) {
            return;
        }
        isClosed = true;
        cause = why;
        receivers.claimAll(CLOSED).forEach(after::wake);
        watchers.forEach(after::tell);
        watchers = List.of();
    }

    private void loseRest(Deliveries after) {
        for (E element = buffer.poll(); element != null; element = buffer.poll()) {
            lost(element, after);
        }
    }

    private Object take(Deliveries after) {
        E taken = buffer.poll();
        if (taken == null) {
            return isClosed ? CLOSED : NOTHING;
        }
        broadcast.serveSenders(after);
        return taken;
    }

    // ---------------------------------------------------------------- calls

    @Override
    public Object receiveWithin(long limitNanos) {
        Deliveries after = new Deliveries();
        WaitNode<E> me = null;
        Object taken;
        guard.enterAtSwitchpoint(this);
        try {
            taken = take(after);
            if (taken == NOTHING) {
                me = guard.node(null);
                receivers.add(me);
            }
        } finally {
            guard.exit();
        }
        after.carryOutBeside(taken);
        return me == null ? taken : Objects.requireNonNull(guard.await(me, this, limitNanos));
    }

    @Override
    public Object takeNow() {
        Deliveries after = new Deliveries();
        Object taken;
        guard.enter(this);
        try {
            taken = take(after);
        } finally {
            guard.exit();
        }
        after.carryOutBeside(taken);
        return taken;
    }

    @Override
    public List<E> drain() {
        Deliveries after = new Deliveries();
        List<E> drained = new ArrayList<>();
        guard.enter(this);
        try {
            for (E element = buffer.poll(); element != null; element = buffer.poll()) {
                drained.add(element);
                broadcast.serveSenders(after);
            }
        } finally {
            guard.exit();
        }
        after.carryOutBeside(drained);
        return drained;
    }

    @Override
    public void cancel() {
        leave(null);
    }

    @Override
    public void cancel(Throwable why) {
        leave(Objects.requireNonNull(why, "cause"));
    }

    private void leave(@Nullable Throwable why) {
        Deliveries after = new Deliveries();
        guard.enter(this);
        try {
            end(why, after);
            loseRest(after);
            broadcast.remove(this, after);
        } finally {
            guard.exit();
        }
        after.carryOut();
    }

    @Override
    public boolean isClosed() {
        guard.enter(this);
        try {
            return isClosed;
        } finally {
            guard.exit();
        }
    }

    @Override
    public boolean isDrained() {
        guard.enter(this);
        try {
            return isClosed && buffer.isEmpty();
        } finally {
            guard.exit();
        }
    }

    @Override
    public void onEnd(Runnable told) {
        boolean isOver;
        guard.enter(this);
        try {
            isOver = isClosed;
            if (!isOver) {
                List<Runnable> more = new ArrayList<>(watchers);
                more.add(told);
                watchers = more;
            }
        } finally {
            guard.exit();
        }
        if (isOver) {
            told.run();
        }
    }

    @Override
    public @Nullable Throwable closeCause() {
        return cause;
    }

    /** A receiver was abandoned with the element that it was given. */
    @Override
    @SuppressWarnings("unchecked") // an object that is no mark is an element
    public void reclaim(WaitNode<?> node, Object given) {
        if (given == CLOSED) {
            return;
        }
        if (undelivered == null) {
            throw new IllegalStateException(
                    "an element was lost with " + node.who() + ", which was abandoned: " + given);
        }
        undelivered.accept((E) given);
    }

    // ---------------------------------------------------------------- in a select

    @Override
    protected <R extends @Nullable Object> Clause<R> receiveClause(
            Function<Object, ? extends R> made) {
        return new ReceiveClause<>(made);
    }

    private final class ReceiveClause<R extends @Nullable Object> implements Clause<R> {
        private final Function<Object, ? extends R> made;

        ReceiveClause(Function<Object, ? extends R> made) {
            this.made = made;
        }

        /** The element that was taken, and the work left to do outside the guards. */
        private record Taken(Object element, Deliveries after) {}

        @Override
        public Exclusion guard() {
            return guard;
        }

        @Override
        public boolean isLocal() {
            return guard.isLocal();
        }

        @Override
        public boolean isReady() {
            return isClosed || !buffer.isEmpty();
        }

        @Override
        public Object take(Selection<?> by) {
            Deliveries after = new Deliveries();
            Object taken = Subscription.this.take(after);
            return taken == NOTHING ? NOT_READY : new Taken(taken, after);
        }

        @Override
        public WaitNode.Place<?> stand(WaitNode<?> wait) {
            WaitNode.Place<E> place = wait.place(null);
            receivers.add(place);
            return place;
        }

        @Override
        public R result(@Nullable Object given) {
            if (given instanceof Taken taken) {
                taken.after.carryOutBeside(taken.element);
                return made.apply(taken.element);
            }
            return made.apply(Objects.requireNonNull(given));
        }

        @Override
        public void reclaim(WaitNode.Place<?> place) {
            Subscription.this.reclaim(place, Objects.requireNonNull(place.given()));
        }

        @Override
        public String toString() {
            return "a receive from " + Subscription.this;
        }
    }

    @Override
    public String toString() {
        return "subscriber of "
                + broadcast
                + " ("
                + (guard.isLocal() ? options.onThisCord() : options)
                + ")";
    }

    /** Fails if its structures are broken; guarded. */
    void checkInvariants() {
        buffer.checkInvariants();
        receivers.checkInvariants();
        WaitNode<E> first = receivers.first();
        if (first != null && first.isWaiting() && (!buffer.isEmpty() || isClosed)) {
            throw new IllegalStateException(first + " waits beside " + buffer + " of " + this);
        }
    }
}
