package dev.ropewalk.channels.flow;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.SendPort;
import dev.ropewalk.channels.internal.Elsewhere;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.ClosedException;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A subscriber that sends what it is given to a channel: made by {@link Flows#subscriber}. For one
 * subscription; a second one is cancelled.
 *
 * <p>Its methods work from any thread and never wait. A fiber of its cord does the sending.
 *
 * @param <E> the type of the elements
 */
public final class PortSubscriber<E> implements Flow.Subscriber<E> {
    private static final Log LOG = Logs.logger(Flows.class);

    private final Cord cord;
    private final SendPort<? super E> to;
    private final Intake<E> intake;
    private final IntakePort<E> from;
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final CompletableFuture<Long> completion = new CompletableFuture<>();

    /** Set by a cancel: a publisher that has completed leaves the port no cause to tell it by. */
    private volatile @Nullable CancellationException cancelled;

    PortSubscriber(Cord cord, SendPort<? super E> to, int capacity) {
        this.cord = Objects.requireNonNull(cord, "cord");
        this.to = Objects.requireNonNull(to, "to");
        this.intake = new Intake<>(ChannelOptions.<E>buffered(capacity).withName("flow"));
        this.from = new IntakePort<>(intake);
    }

    // ---------------------------------------------------------------- from the publisher

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        if (intake.subscribe(subscription)) {
            start();
        }
    }

    @Override
    public void onNext(E element) {
        intake.onNext(element);
    }

    @Override
    public void onError(Throwable cause) {
        intake.onError(cause);
        start(); // it may come without a subscription
    }

    @Override
    public void onComplete() {
        intake.onComplete();
        start();
    }

    // ---------------------------------------------------------------- from its owner

    /**
     * {@return what became of it: how many elements were sent, once all were and the publisher has
     * completed} It fails with the publisher's failure; with the exception of the channel, such as
     * a {@link dev.ropewalk.channels.ChannelClosedException} that carries the element, if that
     * takes no more; with a {@link CancellationException} after {@link #cancel}; with the fiber's
     * or the cord's end, if that comes first. Functions attached to it run on the cord, as no
     * fiber, so they must not wait; a fiber waits for it by {@link Futures#await}.
     */
    public CompletionStage<Long> completion() {
        return completion.minimalCompletionStage();
    }

    /**
     * Ends it: the subscription is cancelled, the channel is closed with a {@link
     * CancellationException} as the cause, and elements that were not sent are dropped. Never
     * waits; no effect once it is over.
     */
    public void cancel() {
        CancellationException cause = new CancellationException(this + " was cancelled");
        cancelled = cause;
        intake.cancel(cause);
        start();
    }

    // ---------------------------------------------------------------- its fiber

    private void start() {
        if (isStarted.compareAndSet(false, true)) {
            cord.post(new Start());
        }
    }

    /** A message, so that the fiber is the cord's and not the caller's. */
    private final class Start extends CordMessage {
        @Override
        public void onCord() {
            try {
                cord.spinHandler("subscriber", new Sender());
            } catch (RuntimeException full) {
                finish(0, full);
            }
        }

        @Override
        public void onClosed() {
            finish(0, new CordClosedException(cord + " has ended, and cannot send to " + to));
        }
    }

    private final class Sender implements Handler {
        private long sent;

        @Override
        public Object handle(@Nullable Object start) {
            Throwable failure = sendAll();
            finish(sent, failure);
            return END;
        }

        private @Nullable Throwable sendAll() {
            for (; ; ) {
                E element;
                try {
                    element = from.receive();
                } catch (ClosedException end) {
                    return end.getCause() == null ? cancelled : end.getCause();
                }
                try {
                    to.send(element);
                } catch (RuntimeException refused) {
                    return refused;
                }
                sent++;
            }
        }

        /** The end of the fiber before it was done; otherwise there is nothing left to do. */
        @Override
        public boolean onEnd(Fiber<?> fiber, @Nullable Throwable failure) {
            if (failure != null) {
                finish(sent, failure);
            }
            return true;
        }
    }

    private void finish(long sent, @Nullable Throwable failure) {
        if (failure == null) {
            tryTo(() -> Elsewhere.close(to, null));
            completion.complete(sent);
        } else {
            tryTo(() -> from.cancel(failure));
            tryTo(() -> Elsewhere.close(to, failure));
            completion.completeExceptionally(failure);
        }
    }

    /** The completion is told after any failure. */
    private void tryTo(Runnable step) {
        try {
            step.run();
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "{} could not be ended", this);
        }
    }

    @Override
    public String toString() {
        return "subscriber that sends to " + to;
    }
}
