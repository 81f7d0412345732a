package dev.ropewalk.channels.broadcast;

import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.SendPort;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.channels.internal.Buffer;
import dev.ropewalk.channels.internal.Elements;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Gives each element to all of its subscribers.
 *
 * {@snippet :
 * Broadcast<Price> prices = Broadcast.make(BroadcastOptions.create().withReplay(1));
 * ReceivePort<Price> all = prices.subscribe(ChannelOptions.buffered(64));
 * ReceivePort<Price> newest = prices.subscribe(ChannelOptions.conflated());
 * prices.send(price);
 * }
 *
 * <p>Each subscriber has a buffer of its own and says what happens when it is full: a {@code
 * buffered} one holds the senders up until it has room, the others lose their oldest or newest
 * elements to their undelivered hook. A send takes effect for all subscribers in one step, or not
 * at all: a send that is ended while it waits has reached no subscriber, and all subscribers see
 * the same order, on whatever cords the senders are. Without subscribers an element is lost, except
 * for the replay.
 *
 * <p>A subscriber leaves by {@link ReceivePort#cancel}; to {@link #close} the broadcast closes the
 * ports of all, which can still receive what is in their buffers.
 *
 * @param <E> the type of the elements
 */
public final class Broadcast<E> implements SendPort<E>, Handoff {
    /*
     * One guard for the broadcast and its subscribers. Invariant, between two guarded sections:
     * senders wait only if a subscriber has no room. Each step that makes room, a receive or a
     * subscriber that leaves, serves them in their order.
     *
     * Rejected: a channel for each subscriber, sent to one after the other. A sender that is ended
     * in between would have reached some of them, and two senders could reach two subscribers in
     * different orders.
     */

    private static final Object SENT =
            new Object() {
                @Override
                public String toString() {
                    return "SENT";
                }
            };

    private static final Object CLOSED =
            new Object() {
                @Override
                public String toString() {
                    return "CLOSED";
                }
            };

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final Exclusion guard;
    private final BroadcastOptions options;
    private final List<Subscription<E>> subscribers = new ArrayList<>();
    private final WaitQueue<E> senders = new WaitQueue<>();

    /** The newest elements, for new subscribers. */
    private final Buffer<E> replay;

    private boolean isClosed;
    private @Nullable Throwable cause;

    private Broadcast(BroadcastOptions options) {
        this.guard =
                options.isLocal()
                        ? Exclusion.byCord("make it without onThisCord()")
                        : Exclusion.byLock();
        this.options = options;
        this.replay = new Buffer<>(options.replay());
    }

    /**
     * {@return a broadcast for any cord and thread that replays nothing}
     *
     * @param <E> the type of the elements
     */
    public static <E> Broadcast<E> make() {
        return make(BroadcastOptions.create());
    }

    /**
     * {@return a broadcast}
     *
     * @param <E> the type of the elements
     * @param options how it is made
     * @throws IllegalStateException if it is to be confined, and the thread is no cord
     */
    public static <E> Broadcast<E> make(BroadcastOptions options) {
        return new Broadcast<>(options);
    }

    // ---------------------------------------------------------------- subscribing

    /**
     * {@return a port that receives each element from now on, and before them those that are
     * replayed} No element is missed between the replay and the first new one. A {@code buffered}
     * port with less room than the replay gets the newest that fit. If the broadcast is closed, the
     * port gets the replay and is closed. Never switches.
     *
     * @param port how the port's buffer is made; whether it is confined says the broadcast
     * @throws IllegalArgumentException if the options are those of a rendezvous, which has no
     *     buffer, or are confined to this cord and the broadcast is not
     */
    public ReceivePort<E> subscribe(ChannelOptions<? super E> port) {
        Subscription<E> subscription = new Subscription<>(this, guard, port);
        Deliveries after = new Deliveries();
        guard.enter(this);
        try {
            for (int i = replay.size(); i > 0; i--) {
                E element = Objects.requireNonNull(replay.poll());
                replay.add(element);
                if (subscription.holds(i)) {
                    subscription.deliver(element, after);
                }
            }
            if (isClosed) {
                subscription.end(cause, after);
            } else {
                subscribers.add(subscription);
            }
        } finally {
            guard.exit();
        }
        try {
            after.carryOut();
        } catch (RuntimeException | Error hook) {
            subscription.cancel(); // the caller does not get the port, so no other code can
            throw hook;
        }
        return subscription;
    }

    /**
     * {@return how many subscribers there are at this moment} For people, as it can change at once.
     */
    public int subscribers() {
        guard.enter(this);
        try {
            return subscribers.size();
        } finally {
            guard.exit();
        }
    }

    // ---------------------------------------------------------------- guarded

    private boolean hasRoom() {
        for (int i = 0; i < subscribers.size(); i++) {
            if (!subscribers.get(i).hasRoom()) {
                return false;
            }
        }
        return true;
    }

    private boolean isReady() {
        return isClosed || (senders.isEmpty() && hasRoom());
    }

    private void deliver(E element, Deliveries after) {
        if (!replay.add(element) && options.replay() > 0) {
            replay.displaceBy(element);
        }
        for (int i = 0; i < subscribers.size(); i++) {
            subscribers.get(i).deliver(element, after);
        }
    }

    /** The waiters that can go on now. */
    void serveSenders(Deliveries after) {
        while (!senders.isEmpty() && hasRoom()) {
            WaitNode<E> sender = senders.claimFirst(SENT);
            if (sender != null) {
                deliver(Objects.requireNonNull(sender.element()), after);
                after.wake(sender);
            }
        }
    }

    void remove(Subscription<E> subscription, Deliveries after) {
        if (subscribers.remove(subscription)) {
            serveSenders(after);
        }
    }

    // ---------------------------------------------------------------- sending

    @Override
    public void send(E element) {
        sent(sendWithin(element, NO_LIMIT), element);
    }

    @Override
    public boolean send(E element, Duration limit) {
        return sent(sendWithin(element, Waits.nanos(limit)), element);
    }

    private boolean sent(SendResult result, E element) {
        if (result == SendResult.CLOSED) {
            throw new ChannelClosedException(
                    this + " is closed: the element was not sent and is in this exception",
                    element,
                    cause);
        }
        return result == SendResult.SENT;
    }

    @Override
    public SendResult sendResult(E element) {
        return sendWithin(element, NO_LIMIT);
    }

    @Override
    public SendResult sendResult(E element, Duration limit) {
        return sendWithin(element, Waits.nanos(limit));
    }

    private SendResult sendWithin(E element, long limitNanos) {
        Elements.check(element);
        Deliveries after = new Deliveries();
        WaitNode<E> me = null;
        guard.enterAtSwitchpoint(this);
        try {
            if (isClosed) {
                return SendResult.CLOSED;
            }
            if (isReady()) {
                deliver(element, after);
            } else {
                me = guard.node(element);
                senders.add(me);
            }
        } finally {
            guard.exit();
        }
        after.carryOut();
        return me == null ? SendResult.SENT : resultOf(guard.await(me, this, limitNanos));
    }

    private static SendResult resultOf(@Nullable Object given) {
        if (given == SENT) {
            return SendResult.SENT;
        }
        return given == CLOSED ? SendResult.CLOSED : SendResult.TIMED_OUT;
    }

    @Override
    public SendResult trySend(E element) {
        Elements.check(element);
        Deliveries after = new Deliveries();
        guard.enter(this);
        try {
            if (isClosed) {
                return SendResult.CLOSED;
            }
            if (!isReady()) {
                return SendResult.FULL;
            }
            deliver(element, after);
        } finally {
            guard.exit();
        }
        after.carryOut();
        return SendResult.SENT;
    }

    // ---------------------------------------------------------------- the end

    @Override
    public void close() {
        end(null);
    }

    @Override
    public void close(Throwable why) {
        end(Objects.requireNonNull(why, "cause"));
    }

    private void end(@Nullable Throwable why) {
        Deliveries after = new Deliveries();
        guard.enter(this);
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            cause = why;
            senders.claimAll(CLOSED).forEach(after::wake);
            subscribers.forEach(each -> each.end(why, after));
            subscribers.clear();
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

    /** A sender that is gone was sent for all the same: nothing is to be taken back. */
    @Override
    public void reclaim(WaitNode<?> node, Object given) {
        // The element has reached its subscribers.
    }

    // ---------------------------------------------------------------- in a select

    @Override
    public <R extends @Nullable Object> Clause<R> onSend(E element, Supplier<? extends R> sent) {
        Objects.requireNonNull(sent, "sent");
        return onSendResult(
                element,
                result -> {
                    sent(result, element);
                    return sent.get();
                });
    }

    @Override
    public <R extends @Nullable Object> Clause<R> onSendResult(
            E element, Function<? super SendResult, ? extends R> result) {
        Elements.check(element);
        return new SendClause<>(element, Objects.requireNonNull(result, "result"));
    }

    private final class SendClause<R extends @Nullable Object> implements Clause<R> {
        private final E element;
        private final Function<? super SendResult, ? extends R> made;

        SendClause(E element, Function<? super SendResult, ? extends R> made) {
            this.element = element;
            this.made = made;
        }

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
            return Broadcast.this.isReady();
        }

        @Override
        public Object take(Selection<?> by) {
            if (isClosed) {
                return CLOSED;
            }
            if (!Broadcast.this.isReady()) {
                return NOT_READY;
            }
            Deliveries after = new Deliveries();
            deliver(element, after);
            return after;
        }

        @Override
        public WaitNode.Place<?> stand(WaitNode<?> wait) {
            WaitNode.Place<E> place = wait.place(element);
            senders.add(place);
            return place;
        }

        @Override
        public R result(@Nullable Object given) {
            if (given instanceof Deliveries after) {
                after.carryOut();
                return made.apply(SendResult.SENT);
            }
            return made.apply(resultOf(given));
        }

        @Override
        public String toString() {
            return "a send to " + Broadcast.this;
        }
    }

    @Override
    public String toString() {
        return options + " @" + Integer.toHexString(System.identityHashCode(this));
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        guard.enter(this);
        try {
            senders.checkInvariants();
            subscribers.forEach(Subscription::checkInvariants);
            WaitNode<E> sender = senders.first();
            if (sender != null && sender.isWaiting() && (isClosed || hasRoom())) {
                throw new IllegalStateException(sender + " waits at " + this + ", which has room");
            }
        } finally {
            guard.exit();
        }
    }
}
