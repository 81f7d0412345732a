package dev.ropewalk.channels.flow;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.function.BiConsumer;

/** A subscriber that remembers what it was told; a test requests and cancels for it. */
final class Probe<E> implements Flow.Subscriber<E> {
    private final List<E> elements = new CopyOnWriteArrayList<>();
    private final List<String> signals = new CopyOnWriteArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final long first;
    private final BiConsumer<? super Probe<E>, ? super E> onNext;
    private volatile Flow.@Nullable Subscription subscription;
    private volatile @Nullable Throwable error;

    /** Requests nothing by itself. */
    Probe() {
        this(0, (me, element) -> {});
    }

    /**
     * @param first requested at once, unless it is 0
     * @param onNext runs for each element
     */
    Probe(long first, BiConsumer<? super Probe<E>, ? super E> onNext) {
        this.first = first;
        this.onNext = onNext;
    }

    static <E> Probe<E> ofAll() {
        return new Probe<>(Long.MAX_VALUE, (me, element) -> {});
    }

    void request(long n) {
        Objects.requireNonNull(subscription).request(n);
    }

    void cancel() {
        Objects.requireNonNull(subscription).cancel();
    }

    List<E> elements() {
        return elements;
    }

    /** {@return the names of what was called, in order; elements count as one call each} */
    List<String> signals() {
        return signals;
    }

    @Nullable Throwable error() {
        return error;
    }

    void awaitEnd() {
        Latches.await(ended);
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        signals.add("onSubscribe");
        subscription = given;
        if (first != 0) {
            given.request(first);
        }
    }

    @Override
    public void onNext(E element) {
        signals.add("onNext");
        elements.add(element);
        onNext.accept(this, element);
    }

    @Override
    public void onError(Throwable cause) {
        signals.add("onError");
        error = cause;
        ended.countDown();
    }

    @Override
    public void onComplete() {
        signals.add("onComplete");
        ended.countDown();
    }
}
