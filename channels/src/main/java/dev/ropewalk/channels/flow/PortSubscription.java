package dev.ropewalk.channels.flow;

import dev.ropewalk.channels.internal.ReceiveSide;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Receivable;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One subscription to a {@link PortPublisher}: a fiber that receives from the port, and calls the
 * subscriber, only while there is demand. All calls of the subscriber come from that fiber, so they
 * come one after the other, and a request inside one of them only adds to the demand.
 *
 * <pre>
 *   ACTIVE  -> ENDED       the port is at its end or failed: onComplete, onError
 *                          the fiber was ended: onError; the subscriber threw: nothing more
 *   ACTIVE  -> REFUSED     request(n) with n <= 0: the fiber is to call onError
 *   REFUSED -> ENDED       it does
 *   ACTIVE, REFUSED -> CANCELLED   cancel: nothing more, but for an element that was received
 * </pre>
 *
 * <p>The fiber is a {@link Handler} of one turn, because its {@code onEnd} is called however it
 * ends, also if it never ran. Requests of other threads to the port are carried out on the cord, so
 * the port may be confined to it.
 */
final class PortSubscription<T, R> implements Flow.Subscription, Handler {
    private static final Log LOG = Logs.logger(Flows.class);

    private enum State {
        ACTIVE,
        REFUSED,
        CANCELLED,
        ENDED
    }

    private final PortPublisher<T, R> publisher;
    private final Cord cord;
    private final Demand demand = new Demand();
    private final AtomicReference<State> state = new AtomicReference<>(State.ACTIVE);

    /** The number that was requested; meaningful in REFUSED. */
    private volatile long refused;

    /**
     * On the cord only, as all that follows. Null at the end: the subscriber holds this, and other
     * holders of this must not keep the subscriber alive (rule 3.13).
     */
    private Flow.@Nullable Subscriber<? super R> subscriber;

    private @Nullable Receivable<? extends T> port;

    /** Why the port gives nothing more; null if that is no failure. */
    private @Nullable Throwable failure;

    /** The subscriber has its subscription. */
    private boolean hasBegun;

    /** An exception now is the subscriber's. */
    private boolean isInSubscriber;

    PortSubscription(
            PortPublisher<T, R> publisher, Cord cord, Flow.Subscriber<? super R> subscriber) {
        this.publisher = publisher;
        this.cord = cord;
        this.subscriber = subscriber;
    }

    // ---------------------------------------------------------------- its fiber

    /** From any thread. By a message, so that the fiber is the cord's and not the caller's. */
    void start() {
        cord.post(
                new CordMessage() {
                    @Override
                    public void onCord() {
                        try {
                            cord.spinHandler("subscription", PortSubscription.this);
                        } catch (RuntimeException full) {
                            refuse(full);
                        }
                    }

                    @Override
                    public void onClosed() {
                        refuse(
                                new CordClosedException(
                                        cord + " has ended, and " + publisher + " with it"));
                    }
                });
    }

    /** No fiber serves it. */
    private void refuse(RuntimeException why) {
        release();
        tellError(why);
        subscriber = null;
    }

    @Override
    public Object handle(@Nullable Object start) {
        isInSubscriber = true;
        hasBegun = true;
        subscriber().onSubscribe(this);
        isInSubscriber = false;
        if (open()) {
            serve();
        }
        isInSubscriber = true;
        tellEnd();
        return END;
    }

    private boolean open() {
        if (!isActive()) {
            return false;
        }
        try {
            port = publisher.open();
        } catch (RuntimeException failed) {
            failure = failed;
            return false;
        }
        if (port instanceof ReceiveSide<?> side) {
            side.onEnd(demand::wake);
        }
        return true;
    }

    private void serve() {
        Flow.Subscriber<? super R> served = subscriber();
        while (isActive()) {
            if (!demand.isOpen() && !isDrained()) {
                demand.await(this, () -> !isActive() || isDrained());
                continue;
            }
            R element = next();
            if (element == null) {
                return;
            }
            demand.takeOne();
            isInSubscriber = true;
            served.onNext(element); // also if it was cancelled meanwhile: no other gets it
            isInSubscriber = false;
        }
    }

    /** Null if there is no more. */
    private @Nullable R next() {
        T received;
        try {
            received = Objects.requireNonNull(port).receive();
        } catch (ClosedException end) {
            failure = end.getCause();
            return null;
        } catch (RuntimeException failed) {
            failure = failed;
            return null;
        }
        try {
            return publisher.apply(received);
        } catch (RuntimeException failed) {
            failure = failed;
            return null;
        }
    }

    private void tellEnd() {
        if (state(State.REFUSED, State.ENDED)) {
            subscriber()
                    .onError(
                            new IllegalArgumentException(
                                    "request("
                                            + refused
                                            + "): a subscriber requests at least 1 (rule 3.9 of"
                                            + " Reactive Streams)"));
        } else if (state(State.ACTIVE, State.ENDED)) {
            if (failure == null) {
                subscriber().onComplete();
            } else {
                subscriber().onError(failure);
            }
        }
    }

    /** The end needs no demand (rule 2.9), where it can be seen without taking an element. */
    private boolean isDrained() {
        return port instanceof ReceiveSide<?> side && side.isDrained();
    }

    @Override
    public boolean onEnd(Fiber<?> fiber, @Nullable Throwable thrown) {
        release();
        if (thrown != null) {
            endedBy(thrown);
        }
        subscriber = null;
        return true;
    }

    private void endedBy(Throwable thrown) {
        boolean isOfFiber =
                thrown instanceof FiberTerminatedException
                        || thrown instanceof FiberAbandonedException;
        if (isInSubscriber && !isOfFiber) {
            state(State.ACTIVE, State.ENDED);
            tellBroken(thrown);
        } else {
            tellError(thrown);
        }
    }

    /** Perhaps before the fiber had a turn, so before the subscriber was told anything. */
    private void tellError(Throwable cause) {
        try {
            if (!hasBegun) {
                subscriber().onSubscribe(this);
            }
            if (state(State.ACTIVE, State.ENDED)) {
                subscriber().onError(cause);
            }
        } catch (Throwable broken) {
            tellBroken(broken);
        }
    }

    private void tellBroken(Throwable broken) {
        Logs.tellBroken(
                LOG,
                broken,
                "subscriber {} threw, so its subscription to {} is over (rule 2.13)",
                subscriber(),
                publisher);
    }

    /** Harmless if the port is at its end. */
    private void release() {
        try {
            publisher.release(port);
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "the port of {} could not be cancelled", publisher);
        }
    }

    // ---------------------------------------------------------------- from the subscriber

    @Override
    public void request(long n) {
        if (n > 0) {
            demand.add(n);
            return;
        }
        refused = n;
        if (state(State.ACTIVE, State.REFUSED)) {
            interrupt();
        }
    }

    @Override
    public void cancel() {
        if (state(State.ACTIVE, State.CANCELLED) || state(State.REFUSED, State.CANCELLED)) {
            interrupt();
        }
    }

    /** Ends the fiber's wait for demand, or for an element; not what the subscriber is doing. */
    private void interrupt() {
        demand.wake();
        cord.post(
                new CordMessage() {
                    @Override
                    public void onCord() {
                        release();
                    }

                    @Override
                    public void onClosed() {
                        // The fiber ended before, and cancelled the port.
                    }
                });
    }

    private Flow.Subscriber<? super R> subscriber() {
        return Objects.requireNonNull(subscriber);
    }

    private boolean isActive() {
        return state.get() == State.ACTIVE;
    }

    private boolean state(State from, State to) {
        return state.compareAndSet(from, to);
    }

    @Override
    public String toString() {
        return "a subscription to " + publisher;
    }
}
