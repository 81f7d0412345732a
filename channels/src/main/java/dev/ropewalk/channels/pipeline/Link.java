package dev.ropewalk.channels.pipeline;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ReceiveResult;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.channels.internal.QueueChannel;
import dev.ropewalk.channels.internal.ReceiveSide;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The channel between segments. The segments before it close it, the last of them if there are
 * several; only those after it cancel it. A link that ends abnormally ends with a cause, so that
 * the later segments do not take this for the end of the elements.
 */
final class Link implements Feed {
    /** The result of {@link #now} if there is no element now. */
    static final Object NOTHING = ReceiveSide.NOTHING;

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final QueueChannel<Object> channel;
    private final List<Segment> upstream = new ArrayList<>();
    private final AtomicInteger writers;
    private final AtomicInteger readers;

    /**
     * Made unused.
     *
     * @param isLocal both sides are on the current cord
     */
    Link(int capacity, boolean isLocal, int writers, int readers) {
        ChannelOptions<Object> options =
                capacity == 0 ? ChannelOptions.rendezvous() : ChannelOptions.buffered(capacity);
        this.channel = new QueueChannel<>(isLocal ? options.onThisCord() : options);
        this.writers = new AtomicInteger(writers);
        this.readers = new AtomicInteger(readers);
    }

    /** Is stopped when nothing more is wanted here; for the plan, before the run. */
    void addUpstream(Segment segment) {
        upstream.add(segment);
    }

    /** False if nothing more is wanted. */
    boolean put(Object element, StageCounter counter) {
        Waits.switchpoint();
        SendResult result = channel.trySend(element);
        if (result == SendResult.FULL) {
            long sinceNs = Waits.nanoTime();
            result = channel.sendResult(element);
            counter.waitedForRoom(sinceNs);
        }
        return result == SendResult.SENT;
    }

    /** A writer is over. */
    void endWriting(@Nullable Throwable why) {
        if (why != null) {
            channel.close(why);
        } else if (writers.decrementAndGet() == 0) {
            channel.close();
        }
    }

    @Override
    public @Nullable Object next(StageCounter counter) throws EndedElsewhere {
        Waits.switchpoint();
        Object taken = channel.takeNow();
        if (taken == ReceiveSide.NOTHING) {
            long sinceNs = Waits.nanoTime();
            taken = channel.receiveWithin(NO_LIMIT);
            counter.waitedForInput(sinceNs);
        }
        return elementOf(taken);
    }

    /** Like {@link #next}, or {@link Waits#TIMED_OUT}. */
    @Nullable Object nextWithin(long limitNanos, StageCounter counter) throws EndedElsewhere {
        long sinceNs = Waits.nanoTime();
        Object taken = channel.receiveWithin(limitNanos);
        counter.waitedForInput(sinceNs);
        return elementOf(taken);
    }

    /** Like {@link #next}, or {@link #NOTHING} if it would wait. */
    @Nullable Object now() throws EndedElsewhere {
        return elementOf(channel.takeNow());
    }

    /** The received element, and its link; a null element is the end of that link. */
    record Taken(Link from, @Nullable Object element) {}

    /** Waits for the first of two links: for its next element, or its end. */
    static Taken awaitEither(Link one, Link other, StageCounter counter) throws EndedElsewhere {
        Selection<Received> either =
                new Selection<>(List.of(one.onReceived(), other.onReceived()), false);
        long sinceNs = Waits.nanoTime();
        either.await(NO_LIMIT);
        counter.waitedForInput(sinceNs);
        Received received = either.result();
        return new Taken(received.from, received.from.elementOf(received.result));
    }

    private record Received(Link from, Object result) {}

    private Clause<Received> onReceived() {
        return channel.onReceiveResult(
                result ->
                        new Received(
                                this,
                                result instanceof ReceiveResult.Element<Object>(Object element)
                                        ? element
                                        : ReceiveSide.CLOSED));
    }

    private @Nullable Object elementOf(Object taken) throws EndedElsewhere {
        if (taken != ReceiveSide.CLOSED) {
            return taken;
        }
        if (channel.closeCause() != null) {
            throw new EndedElsewhere();
        }
        return null;
    }

    /** A reader is over: the last one, or one that failed, stops those before it. */
    @Override
    public void end(@Nullable Throwable why) {
        if (why != null) {
            channel.cancel(why);
        } else if (readers.decrementAndGet() == 0) {
            channel.cancel();
        } else {
            return;
        }
        upstream.forEach(Segment::stop);
    }
}
