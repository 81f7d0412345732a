package dev.ropewalk.channels.flow;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.channels.internal.QueueChannel;
import dev.ropewalk.fibers.EndHook;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The subscriber behind a receive port: elements go into a channel, without waiting, on the
 * publisher's thread.
 *
 * <pre>
 *   OPEN -> ENDED             onComplete, onError: the channel is closed, and drains
 *   OPEN -> BROKEN            the publisher broke a rule: closed with that, subscription cancelled
 *   OPEN -> CANCELLED         the port was cancelled, and the subscription with it
 *   ENDED, BROKEN -> CANCELLED
 * </pre>
 *
 * <p>Invariant: elements requested and not received, and elements in the channel, are no more than
 * the capacity together. At first as many as that are requested; half of it whenever so many were
 * taken out. An unrequested element is refused (rule 1.1), so no publisher makes the channel grow,
 * nor its own thread wait.
 */
final class Intake<E> implements Flow.Subscriber<E> {
    private static final Log LOG = Logs.logger(Flows.class);

    private enum State {
        OPEN,
        ENDED,
        BROKEN,
        CANCELLED
    }

    private final QueueChannel<E> channel;
    private final @Nullable Consumer<? super E> undelivered;
    private final int capacity;

    /** So many are requested at a time, after the first. */
    private final int batch;

    /** Elements that were requested and have not come. */
    private final AtomicLong credit = new AtomicLong();

    private final AtomicLong taken = new AtomicLong();
    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
    private final AtomicReference<@Nullable Upstream> upstream = new AtomicReference<>();

    /** Of the fiber that the port ends with; set before the subscription. */
    private @Nullable EndHook owner;

    /** The factory checks its arguments, so that its caller is told. */
    Intake(ChannelOptions<? super E> options) {
        this.capacity = options.capacity();
        this.batch = capacity - capacity / 2;
        this.undelivered = options.undelivered().orElse(null);
        this.channel = new QueueChannel<>(options.<E>withUndelivered(this::lost));
    }

    QueueChannel<E> queue() {
        return channel;
    }

    /** The port is cancelled when the fiber ends. */
    void endWith(Fiber<?> fiber) {
        owner = fiber.onEnd(ended -> cancel(null));
    }

    // ---------------------------------------------------------------- from the publisher

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        subscribe(subscription);
    }

    /** False if it was refused: it is a second one (rule 2.5). */
    boolean subscribe(Flow.Subscription subscription) {
        Objects.requireNonNull(subscription, "subscription");
        Upstream mine = new Upstream(subscription, this::broken);
        if (!upstream.compareAndSet(null, mine)) {
            mine.cancel();
            return false;
        }
        if (state.get() == State.OPEN) {
            request(mine, capacity);
        } else {
            mine.cancel();
        }
        return true;
    }

    @Override
    public void onNext(E element) {
        Objects.requireNonNull(element, "element");
        if (credit.decrementAndGet() < 0) {
            broken(
                    new IllegalStateException(
                            "the publisher of "
                                    + channel
                                    + " called onNext more often than was requested (rule 1.1 of"
                                    + " Reactive Streams), with "
                                    + element
                                    + "; the subscription is cancelled"));
            handOver(element);
        } else if (channel.trySend(element) != SendResult.SENT) {
            handOver(element); // it was cancelled, or is over
        }
    }

    @Override
    public void onError(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        if (state(State.OPEN, State.ENDED)) {
            channel.close(cause);
            over();
        }
    }

    @Override
    public void onComplete() {
        if (state(State.OPEN, State.ENDED)) {
            channel.close();
            over();
        }
    }

    private void broken(Throwable how) {
        if (state(State.OPEN, State.BROKEN)) {
            channel.close(how);
            over();
            cancelUpstream();
        }
    }

    /** Nothing more comes. */
    private void over() {
        EndHook monitor = owner;
        if (monitor != null) {
            monitor.cancel();
        }
    }

    // ---------------------------------------------------------------- from the port

    /** So many elements were taken out. Throws nothing, as the caller has them in hand. */
    void taken(int count) {
        long before = taken.getAndAdd(count);
        long batches = (before + count) / batch - before / batch;
        Upstream from = upstream.get();
        if (batches > 0 && from != null && state.get() == State.OPEN) {
            request(from, batches * batch);
        }
    }

    private void request(Upstream from, long n) {
        credit.addAndGet(n); // first, because the publisher may call onNext at once
        from.request(n);
    }

    void cancel(@Nullable Throwable cause) {
        boolean wasOpen = state(State.OPEN, State.CANCELLED);
        if (!wasOpen && !state(State.ENDED, State.CANCELLED)) {
            state(State.BROKEN, State.CANCELLED);
        }
        try {
            if (cause == null) {
                channel.cancel();
            } else {
                channel.cancel(cause);
            }
        } finally {
            if (wasOpen) {
                over();
                cancelUpstream();
            }
        }
    }

    private void cancelUpstream() {
        Upstream from = upstream.get();
        if (from != null) {
            from.cancel();
        }
    }

    // ---------------------------------------------------------------- undelivered elements

    /** The channel's own hook: left over by a cancel, or given to a fiber that was abandoned. */
    private void lost(E element) {
        try {
            if (undelivered != null) {
                undelivered.accept(element);
            }
        } finally {
            if (state.get() != State.CANCELLED) {
                cancel(
                        new IllegalStateException(
                                "an element of "
                                        + channel
                                        + " was given to a fiber that was abandoned, so the"
                                        + " subscription is cancelled: "
                                        + element));
            }
        }
    }

    /**
     * An element that came too late; on the publisher's thread, which gets no exception (rule
     * 2.13).
     */
    private void handOver(E element) {
        if (undelivered == null) {
            return;
        }
        try {
            undelivered.accept(element);
        } catch (Throwable broken) {
            Logs.tellBroken(
                    LOG, broken, "the undelivered hook of {} failed for {}", channel, element);
        }
    }

    private boolean state(State from, State to) {
        return state.compareAndSet(from, to);
    }

    @Override
    public String toString() {
        return "the subscriber of " + channel;
    }
}
