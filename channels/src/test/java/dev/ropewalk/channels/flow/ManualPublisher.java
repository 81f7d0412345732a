package dev.ropewalk.channels.flow;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;

/** A publisher that a test plays, rules broken or not; it remembers what it was asked. */
final class ManualPublisher<E> implements Flow.Publisher<E>, Flow.Subscription {
    private final List<Long> requests = new CopyOnWriteArrayList<>();
    private volatile Flow.@Nullable Subscriber<? super E> subscriber;
    private volatile int cancels;

    Flow.Subscriber<? super E> subscriber() {
        return Objects.requireNonNull(subscriber);
    }

    List<Long> requests() {
        return requests;
    }

    int cancels() {
        return cancels;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super E> given) {
        subscriber = given;
        given.onSubscribe(this);
    }

    @Override
    public void request(long n) {
        requests.add(n);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // calls come one after the other
    public void cancel() {
        cancels++;
    }
}
