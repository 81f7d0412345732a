package dev.ropewalk.channels.flow;

import dev.ropewalk.channels.internal.Elsewhere;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Receivable;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Gives each of its subscribers what a port of its own receives, put through a function. With one
 * port, which cannot be shared, it has one subscriber.
 */
final class PortPublisher<T, R> implements Flow.Publisher<R> {
    private static final Log LOG = Logs.logger(Flows.class);

    private final Cord cord;
    private final Supplier<? extends Receivable<? extends T>> ports;
    private final Function<? super T, ? extends R> function;
    private final boolean isSingleUse;

    /** Of one port: ends it, with all that belongs to it; perhaps more than once. */
    private final Runnable atEnd;

    private final AtomicBoolean hasSubscriber = new AtomicBoolean();

    private PortPublisher(
            Cord cord,
            Supplier<? extends Receivable<? extends T>> ports,
            Function<? super T, ? extends R> function,
            boolean isSingleUse,
            Runnable atEnd) {
        this.cord = Objects.requireNonNull(cord, "cord");
        this.ports = ports;
        this.function = function;
        this.isSingleUse = isSingleUse;
        this.atEnd = atEnd;
    }

    static <T, R> PortPublisher<T, R> once(
            Cord cord,
            Receivable<? extends T> port,
            Function<? super T, ? extends R> function,
            Runnable atEnd) {
        return new PortPublisher<>(cord, () -> port, function, true, atEnd);
    }

    static <E> PortPublisher<E, E> forEach(
            Cord cord, Supplier<? extends Receivable<? extends E>> ports) {
        return new PortPublisher<>(cord, ports, element -> element, false, () -> {});
    }

    @Override
    public void subscribe(Flow.Subscriber<? super R> subscriber) {
        Objects.requireNonNull(subscriber, "subscriber");
        if (isSingleUse && !hasSubscriber.compareAndSet(false, true)) {
            refuse(subscriber);
        } else {
            new PortSubscription<>(this, cord, subscriber).start();
        }
    }

    /** In the fiber of a subscription. */
    Receivable<? extends T> open() {
        return Objects.requireNonNull(
                ports.get(), "the supplier of ports returned null; return a port to receive from");
    }

    R apply(T element) {
        R made = function.apply(element);
        if (made == null) {
            throw new NullPointerException(
                    "the function of "
                            + this
                            + " returned null for "
                            + element
                            + "; a stream has no null in it");
        }
        return made;
    }

    /**
     * A subscription is over: nothing more is received. Harmless if the port is at its end.
     *
     * @param opened null if it did not come to that
     */
    void release(@Nullable Receivable<? extends T> opened) {
        if (isSingleUse) {
            atEnd.run();
        } else if (opened != null) {
            Elsewhere.cancel(opened);
        }
    }

    private void refuse(Flow.Subscriber<? super R> subscriber) {
        try {
            subscriber.onSubscribe(new None());
            subscriber.onError(
                    new IllegalStateException(
                            this
                                    + " has one port and therefore one subscriber, and had it"
                                    + " already; make it with a supplier of ports, one for each"
                                    + " subscriber"));
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "subscriber {} failed as it was refused", subscriber);
        }
    }

    /** Of a subscriber that is refused (rule 1.9). */
    private static final class None implements Flow.Subscription {
        @Override
        public void request(long n) {
            // It gets an error.
        }

        @Override
        public void cancel() {
            // There is nothing to cancel.
        }
    }

    @Override
    public String toString() {
        return "publisher @" + Integer.toHexString(System.identityHashCode(this)) + " on " + cord;
    }
}
