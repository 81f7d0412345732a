package dev.ropewalk.channels.flow;

import java.util.concurrent.Flow;

/** A subscriber and a publisher that make one processor. */
record PortProcessor<T, R>(Flow.Subscriber<T> in, Flow.Publisher<R> out)
        implements Flow.Processor<T, R> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        in.onSubscribe(subscription);
    }

    @Override
    public void onNext(T element) {
        in.onNext(element);
    }

    @Override
    public void onError(Throwable cause) {
        in.onError(cause);
    }

    @Override
    public void onComplete() {
        in.onComplete();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super R> subscriber) {
        out.subscribe(subscriber);
    }
}
