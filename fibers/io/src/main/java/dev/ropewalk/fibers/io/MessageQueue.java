package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.io.internal.Input;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.channel.Channel;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.function.Function;

/**
 * The messages that a codec has made, or the datagrams that have come, and that have not been
 * received (rule I2).
 *
 * <p>A message belongs to exactly one: to the codec until it comes here, to the queue, and to the
 * receiver that took it. The rest is released when this side closes, and so are later messages. A
 * message that was given to a fiber that was abandoned before it ran stands first again.
 *
 * <p>Netty reads by itself until {@link #bound} messages are here, and goes on when half of them
 * are taken: the messages of one receive from the kernel may come on top (rule I3).
 *
 * <p>Confined to the cord, which is its guard.
 */
final class MessageQueue<M> implements Input, Handoff {
    /** Mark: nothing comes any more. */
    private static final Object END =
            new Object() {
                @Override
                public String toString() {
                    return "END";
                }
            };

    /**
     * The owner of the messages, and its errors; its {@code toString} is shown in errors and dumps.
     */
    interface Source {
        /** Fresh for each receiver. */
        ConnectionException broken(String what, IOException why);

        /** No message came within the limit of the options. */
        ConnectionTimeoutException silent(long limitNs);

        /** The input is no message of the type that was asked for. */
        void undecodable(Throwable cause);
    }

    /** Takes what no receiver waits for. */
    interface Taker {
        /** There is something to take: a message, an error or the end. It may be told twice. */
        void ready();
    }

    private final Source source;
    private final Channel channel;
    private final Class<M> type;
    private final int bound;
    private final long limitNs;
    private final Exclusion guard =
            Exclusion.byCord("receive on its own cord, and pass the messages on through a channel");

    /** Small at first: idle connections are many. */
    private final ArrayDeque<M> messages = new ArrayDeque<>(1);

    private final WaitQueue<M> receivers = new WaitQueue<>();

    /** Told of what comes while no receiver waits; or null. */
    private @Nullable Taker taker;

    private boolean isPaused;

    /** By this side: nothing is kept any more. */
    private boolean isClosed;

    /** Nothing comes any more. */
    private boolean isEnded;

    /** Why nothing comes any more, if that is not in order. */
    private @Nullable IOException failure;

    /** The error that one receiver is to be told, behind the messages that are here; or null. */
    private @Nullable Notice notice;

    /** An error after which messages may come nevertheless. */
    private record Notice(IOException why) {}

    /**
     * An empty one, to which Netty's side gives messages.
     *
     * @param bound so many fill it
     * @param limit how long a receive without a limit of its own waits
     */
    MessageQueue(Source source, Channel channel, Class<M> type, int bound, Duration limit) {
        this.source = source;
        this.channel = channel;
        this.type = type;
        this.bound = bound;
        this.limitNs = Waits.nanos(limit);
    }

    // ---------------------------------------------------------------- the fiber's side

    M receive() {
        Object taken = receiveWithin(limitNs);
        if (taken == Waits.TIMED_OUT) {
            throw silent();
        }
        return message(taken);
    }

    @Nullable M receive(Duration limit) {
        Object taken = receiveWithin(Waits.nanos(limit));
        return taken == Waits.TIMED_OUT ? null : message(taken);
    }

    private Object receiveWithin(long limitNanos) {
        guard.enterAtSwitchpoint(this);
        Object taken = take();
        if (taken != null) {
            return taken;
        }
        WaitNode<M> me = guard.node(null);
        receivers.add(me);
        return Objects.requireNonNull(guard.await(me, this, limitNanos));
    }

    @Nullable M tryReceive() {
        guard.enter(this);
        Object taken = take();
        return taken == null ? null : message(taken);
    }

    /** From now on; what is here was not told. */
    void taker(Taker next) {
        taker = next;
    }

    /** A message, a {@link Notice}, or {@link #END}; null if nothing is there now. */
    @Nullable Object take() {
        M first = messages.pollFirst();
        if (first == null) {
            Object told = notice;
            notice = null;
            return told == null && (isClosed || isEnded) ? END : told;
        }
        if (isPaused && messages.size() <= bound / 2) {
            isPaused = false;
            channel.config().setAutoRead(true);
        }
        return first;
    }

    /** Whether there is something to take. */
    boolean isReady() {
        return !messages.isEmpty() || notice != null || isClosed || isEnded;
    }

    /** Whether that was taken behind the last message, and nothing went wrong. */
    boolean isEndInOrder(Object taken) {
        return taken == END && (isClosed || failure == null);
    }

    /** How long a receive without a limit of its own waits, in nanoseconds. */
    long limitNs() {
        return limitNs;
    }

    /** The exception of a wait that was too long. */
    ConnectionTimeoutException silent() {
        return source.silent(limitNs);
    }

    M message(Object taken) {
        if (taken == END) {
            throw new ClosedException(
                    this + (isClosed ? " was closed here" : " has ended") + ": no message comes",
                    failure == null || isClosed ? null : source.broken("receive", failure));
        }
        if (taken instanceof Notice told) {
            throw source.broken("receive", told.why());
        }
        return type.cast(taken);
    }

    <R extends @Nullable Object> Clause<R> onReceive(Function<? super M, ? extends R> taken) {
        return new ReceiveClause<>(Objects.requireNonNull(taken, "taken"));
    }

    private final class ReceiveClause<R extends @Nullable Object> implements Clause<R> {
        private final Function<? super M, ? extends R> made;

        ReceiveClause(Function<? super M, ? extends R> made) {
            this.made = made;
        }

        @Override
        public Exclusion guard() {
            return guard;
        }

        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public boolean isReady() {
            return MessageQueue.this.isReady();
        }

        @Override
        public Object take(Selection<?> by) {
            Object taken = MessageQueue.this.take();
            return taken == null ? NOT_READY : taken;
        }

        @Override
        public WaitNode.Place<?> stand(WaitNode<?> wait) {
            WaitNode.Place<M> place = wait.place(null);
            receivers.add(place);
            return place;
        }

        @Override
        public R result(@Nullable Object given) {
            return made.apply(message(Objects.requireNonNull(given)));
        }

        @Override
        public void reclaim(WaitNode.Place<?> place) {
            MessageQueue.this.reclaim(place, Objects.requireNonNull(place.given()));
        }

        @Override
        public String toString() {
            return "a receive from " + MessageQueue.this;
        }
    }

    @Override
    public void reclaim(WaitNode<?> node, Object given) {
        if (given == END) {
            return;
        }
        if (isClosed) {
            ReferenceCountUtil.release(given);
            return;
        }
        if (given instanceof Notice untold) {
            notice = untold;
        } else {
            messages.addFirst(type.cast(given));
        }
        tellTaker();
    }

    // ---------------------------------------------------------------- Netty's side

    /** Bytes may have been held up before there were messages. */
    void begin() {
        if (!isPaused) {
            channel.config().setAutoRead(true);
        }
    }

    @Override
    public void received(Object message) {
        if (isClosed || isEnded) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (!type.isInstance(message)) {
            ReferenceCountUtil.release(message);
            source.undecodable(
                    new ClassCastException(
                            "the codec made a "
                                    + message.getClass().getName()
                                    + ", and messages="
                                    + type.getName()));
            return;
        }
        WaitNode<M> receiver = receivers.claimFirst(message);
        if (receiver != null) {
            receiver.wake();
            return;
        }
        messages.addLast(type.cast(message));
        if (!isPaused && messages.size() >= bound) {
            isPaused = true;
            channel.config().setAutoRead(false);
        }
        tellTaker();
    }

    private void tellTaker() {
        Taker told = taker;
        if (told != null) {
            told.ready();
        }
    }

    /** Tells one receiver, the next, unless one is to be told already; messages come on. */
    void tell(IOException why) {
        if (isClosed || isEnded) {
            return;
        }
        Notice told = new Notice(why);
        WaitNode<M> receiver = receivers.claimFirst(told);
        if (receiver != null) {
            receiver.wake();
        } else {
            notice = told;
            tellTaker();
        }
    }

    @Override
    public void ended(@Nullable IOException why) {
        if (!isEnded) {
            isEnded = true;
            failure = why;
            WaitQueue.wakeAll(receivers.claimAll(END));
            tellTaker();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        notice = null;
        for (M each = messages.pollFirst(); each != null; each = messages.pollFirst()) {
            ReferenceCountUtil.release(each);
        }
        WaitQueue.wakeAll(receivers.claimAll(END));
        if (isPaused) {
            isPaused = false;
            channel.config().setAutoRead(true); // messages are dropped, and the end is seen
        }
        tellTaker();
    }

    /** Messages belong to the codec's user, and may be anything. */
    @Override
    public void channelClosed() {}

    @Override
    public boolean isEnded() {
        return isEnded;
    }

    @Override
    public boolean isClosed() {
        return isClosed;
    }

    @Override
    public int unread() {
        return messages.size();
    }

    @Override
    public String toString() {
        return "messages of " + source;
    }
}
