package dev.ropewalk.channels.internal;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ChannelSnapshot;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.ShortWay;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The calls of all channels. Each enters the guard, lets {@link ChannelCore} do one step, leaves
 * the guard, and then wakes, waits, or hands over; so no lock is held while another cord is woken,
 * nor while the undelivered hook runs. An {@link Exclusion} says what the guard and a wait are.
 */
public final class QueueChannel<E> extends ReceiveSide<E> implements Channel<E>, Handoff {
    private static final Log LOG = Logs.logger(Channel.class);
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final Exclusion guard;
    private final ChannelCore<E> core;
    private final @Nullable Consumer<? super E> undelivered;
    private final ChannelOptions<?> options;

    /** Of one with a buffer, where a call may find room, or an element, and nothing else to do. */
    private final @Nullable ShortWay shortWay;

    /** Are told of the end; guarded. */
    private List<Runnable> watchers = List.of();

    /** The node of a finished wait, for the next one; only if the channel is local. */
    private @Nullable WaitNode<E> used;

    public QueueChannel(ChannelOptions<? super E> options) {
        this.guard =
                options.isLocal()
                        ? Exclusion.byCord(
                                "make it with Channel.buffered(n), Channel.rendezvous() or options"
                                        + " without onThisCord()")
                        : Exclusion.byLock();
        this.core = new ChannelCore<>(options);
        this.undelivered = options.undelivered().orElse(null);
        this.options = options;
        this.shortWay = options.capacity() > 0 ? guard.shortWay() : null;
    }

    // ---------------------------------------------------------------- sending

    @Override
    public void send(E element) {
        Elements.check(element);
        if (shortWay != null && shortWay.isOpen() && core.putFree(element)) {
            return;
        }
        SendResult result = sendWithin(element, NO_LIMIT);
        if (result != SendResult.SENT) {
            refused(result, element);
        }
    }

    @Override
    public boolean send(E element, Duration limit) {
        SendResult result = sendWithin(element, Waits.nanos(limit));
        if (result == SendResult.TIMED_OUT) {
            return false;
        }
        if (result != SendResult.SENT) {
            refused(result, element);
        }
        return true;
    }

    /** For a caller that is not told otherwise. */
    private void refused(SendResult result, E element) {
        if (result == SendResult.CLOSED) {
            throw closed(element);
        }
        handOver(element); // dropped
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
        Object put;
        E displaced = null;
        WaitNode<E> me = null;
        guard.enterAtSwitchpoint(this);
        try {
            put = core.put(element);
            if (put == Put.FULL) {
                me = newWait(element);
                core.standAsSender(me);
            } else if (put == Put.DISPLACES) {
                displaced = core.displace(element);
            }
        } finally {
            guard.exit();
        }
        return me == null ? settle(put, displaced) : awaitSent(me, limitNanos);
    }

    private SendResult awaitSent(WaitNode<E> me, long limitNanos) {
        Object result = await(me, limitNanos);
        if (result == ChannelCore.SENT) {
            return SendResult.SENT;
        }
        return result == ChannelCore.CLOSED ? SendResult.CLOSED : SendResult.TIMED_OUT;
    }

    @Override
    public SendResult trySend(E element) {
        Elements.check(element);
        Object put;
        E displaced = null;
        guard.enter(this);
        try {
            put = core.put(element);
            if (put == Put.DISPLACES) {
                displaced = core.displace(element);
            }
        } finally {
            guard.exit();
        }
        return settle(put, displaced);
    }

    /** The work left to do outside the guard. */
    private SendResult settle(Object put, @Nullable E displaced) {
        if (put == Put.BUFFERED) {
            return SendResult.SENT;
        }
        if (put instanceof WaitNode<?> receiver) {
            receiver.wake();
            return SendResult.SENT;
        }
        return switch ((Put) put) {
            case CLOSED -> SendResult.CLOSED;
            case FULL -> SendResult.FULL;
            case DROPPED -> SendResult.DROPPED;
            case BUFFERED -> SendResult.SENT;
            case GREW -> {
                LOG.warn("{} holds {} elements and grows", this, snapshot().elements());
                yield SendResult.SENT;
            }
            case DISPLACES -> {
                handOver(Objects.requireNonNull(displaced));
                yield SendResult.SENT;
            }
        };
    }

    /** Inside the guard. */
    private WaitNode<E> newWait(@Nullable E brought) {
        WaitNode<E> before = used;
        used = null;
        return guard.nodeAgain(before, brought);
    }

    private Object await(WaitNode<E> me, long limitNanos) {
        Object result = Objects.requireNonNull(guard.await(me, this, limitNanos));
        if (result != Waits.TIMED_OUT && guard.isLocal()) {
            used = guard.used(me); // of several, the last one is kept
        }
        return result;
    }

    // ---------------------------------------------------------------- receiving

    @Override
    public E receive() {
        E taken = shortWay != null && shortWay.isOpen() ? core.takeFree() : null;
        return taken == null ? super.receive() : taken;
    }

    @Override
    public Object receiveWithin(long limitNanos) {
        WaitNode<E> sender;
        Object taken;
        WaitNode<E> me = null;
        guard.enterAtSwitchpoint(this);
        try {
            sender = core.claimSender();
            taken = core.take(sender);
            if (taken == ChannelCore.NOTHING) {
                me = newWait(null);
                core.standAsReceiver(me);
            }
        } finally {
            guard.exit();
        }
        if (sender != null) {
            sender.wake();
        }
        return me == null ? taken : await(me, limitNanos);
    }

    @Override
    public Object takeNow() {
        WaitNode<E> sender;
        Object taken;
        guard.enter(this);
        try {
            sender = core.claimSender();
            taken = core.take(sender);
        } finally {
            guard.exit();
        }
        if (sender != null) {
            sender.wake();
        }
        return taken;
    }

    @Override
    public List<E> drain() {
        List<E> drained = new ArrayList<>();
        List<WaitNode<E>> toWake = new ArrayList<>();
        guard.enter(this);
        try {
            for (; ; ) {
                WaitNode<E> sender = core.claimSender();
                Object taken = core.take(sender);
                if (taken == ChannelCore.NOTHING || taken == ChannelCore.CLOSED) {
                    break;
                }
                if (sender != null) {
                    toWake.add(sender);
                }
                @SuppressWarnings("unchecked") // it is no mark
                E element = (E) taken;
                drained.add(element);
            }
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
        return drained;
    }

    // ---------------------------------------------------------------- the end

    @Override
    public void close() {
        end(false, null);
    }

    @Override
    public void close(Throwable cause) {
        end(false, Objects.requireNonNull(cause, "cause"));
    }

    @Override
    public void cancel() {
        end(true, null);
    }

    @Override
    public void cancel(Throwable cause) {
        end(true, Objects.requireNonNull(cause, "cause"));
    }

    /** Like close, from any thread: see {@link Elsewhere}. */
    void closeThere(@Nullable Throwable cause) {
        Elsewhere.run(guard.cord(), () -> end(false, cause), false, this::tellBroken);
    }

    /** Like cancel, from any thread: see {@link Elsewhere}. */
    void cancelThere(@Nullable Throwable cause) {
        Elsewhere.run(guard.cord(), () -> end(true, cause), false, this::tellBroken);
    }

    private void tellBroken(Throwable broken) {
        Logs.tellBroken(LOG, broken, "{} was ended by another cord, and its hook failed", this);
    }

    private void end(boolean isCancel, @Nullable Throwable cause) {
        List<WaitNode<E>> toWake;
        List<Runnable> toTell;
        List<E> left = new ArrayList<>();
        guard.enter(this);
        try {
            toWake = isCancel ? core.cancel(cause, left) : core.close(cause);
            toTell = watchers;
            watchers = List.of();
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
        toTell.forEach(Runnable::run);
        handOverAll(left);
    }

    @Override
    public void onEnd(Runnable told) {
        boolean isOver;
        guard.enter(this);
        try {
            isOver = core.isClosed();
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
    public boolean isDrained() {
        guard.enter(this);
        try {
            return core.isClosed() && core.size() == 0;
        } finally {
            guard.exit();
        }
    }

    private ChannelClosedException closed(E element) {
        return new ChannelClosedException(
                this + " is closed: the element was not sent and is in this exception",
                element,
                core.cause());
    }

    @Override
    public @Nullable Throwable closeCause() {
        return core.cause();
    }

    @Override
    public boolean isClosed() {
        guard.enter(this);
        try {
            return core.isClosed();
        } finally {
            guard.exit();
        }
    }

    // ---------------------------------------------------------------- undelivered elements

    private void handOver(E element) {
        if (undelivered != null) {
            undelivered.accept(element);
        }
    }

    /** All of them, even if the hook throws in between, a termination included. */
    private void handOverAll(List<E> left) {
        Throwable first = null;
        for (E element : left) {
            try {
                handOver(element);
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
    @SuppressWarnings("unchecked") // an object that is no mark is an element
    public void reclaim(WaitNode<?> node, Object given) {
        if (given == ChannelCore.SENT || given == ChannelCore.CLOSED) {
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

    @Override
    public <R extends @Nullable Object> Clause<R> onSend(E element, Supplier<? extends R> sent) {
        Elements.check(element);
        Objects.requireNonNull(sent, "sent");
        return new SendClause<R>(
                element,
                result -> {
                    if (result != SendResult.SENT) {
                        refused(result, element);
                    }
                    return sent.get();
                });
    }

    @Override
    public <R extends @Nullable Object> Clause<R> onSendResult(
            E element, Function<? super SendResult, ? extends R> result) {
        Elements.check(element);
        return new SendClause<>(element, Objects.requireNonNull(result, "result"));
    }

    private abstract class ChannelClause<R extends @Nullable Object> implements Clause<R> {
        @Override
        public final Exclusion guard() {
            return guard;
        }

        @Override
        public final boolean isLocal() {
            return guard.isLocal();
        }
    }

    private final class ReceiveClause<R extends @Nullable Object> extends ChannelClause<R> {
        private final Function<Object, ? extends R> made;

        ReceiveClause(Function<Object, ? extends R> made) {
            this.made = made;
        }

        @Override
        public boolean isReady() {
            return core.isReadyToTake();
        }

        @Override
        public Object take(Selection<?> by) {
            WaitNode<E> sender = core.claimSender();
            Object taken = core.take(sender);
            if (sender != null) {
                by.wakeAfterwards(sender);
            }
            return taken == ChannelCore.NOTHING ? NOT_READY : taken;
        }

        @Override
        public WaitNode.Place<?> stand(WaitNode<?> wait) {
            WaitNode.Place<E> place = wait.place(null);
            core.standAsReceiver(place);
            return place;
        }

        @Override
        public R result(@Nullable Object given) {
            return made.apply(Objects.requireNonNull(given));
        }

        @Override
        public void reclaim(WaitNode.Place<?> place) {
            QueueChannel.this.reclaim(place, Objects.requireNonNull(place.given()));
        }

        @Override
        public String toString() {
            return "a receive from " + QueueChannel.this;
        }
    }

    private final class SendClause<R extends @Nullable Object> extends ChannelClause<R> {
        private final E element;
        private final Function<? super SendResult, ? extends R> made;

        SendClause(E element, Function<? super SendResult, ? extends R> made) {
            this.element = element;
            this.made = made;
        }

        /** The displaced element, for the hook, when the guards are left. */
        private record Displaced(Object element) {}

        @Override
        public boolean isReady() {
            return core.isReadyToPut();
        }

        @Override
        public Object take(Selection<?> by) {
            Object put = core.put(element);
            if (put instanceof WaitNode<?> receiver) {
                by.wakeAfterwards(receiver);
                return Put.BUFFERED;
            }
            if (put == Put.DISPLACES) {
                return new Displaced(core.displace(element));
            }
            return put == Put.FULL ? NOT_READY : put;
        }

        @Override
        public WaitNode.Place<?> stand(WaitNode<?> wait) {
            WaitNode.Place<E> place = wait.place(element);
            core.standAsSender(place);
            return place;
        }

        @Override
        @SuppressWarnings("unchecked") // the displaced object was an element
        public R result(@Nullable Object given) {
            if (given instanceof Displaced displaced) {
                return made.apply(settle(Put.DISPLACES, (E) displaced.element));
            }
            if (given instanceof Put put) {
                return made.apply(settle(put, null));
            }
            return made.apply(given == ChannelCore.SENT ? SendResult.SENT : SendResult.CLOSED);
        }

        @Override
        public String toString() {
            return "a send to " + QueueChannel.this;
        }
    }

    // ---------------------------------------------------------------- reading

    @Override
    public ChannelSnapshot snapshot() {
        guard.enter(this);
        try {
            return new ChannelSnapshot(
                    toString(),
                    core.size(),
                    core.waitingSenders(),
                    core.waitingReceivers(),
                    core.isClosed());
        } finally {
            guard.exit();
        }
    }

    /** For tests. */
    public void checkInvariants() {
        guard.enter(this);
        try {
            core.checkInvariants();
        } finally {
            guard.exit();
        }
    }

    @Override
    public String toString() {
        return options + " @" + Integer.toHexString(System.identityHashCode(this));
    }
}
