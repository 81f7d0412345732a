package dev.ropewalk.channels.flow;

import org.reactivestreams.tck.SubscriberWhiteboxVerification.SubscriberPuppet;
import org.reactivestreams.tck.SubscriberWhiteboxVerification.WhiteboxSubscriberProbe;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/** Shows the TCK what a subscriber of ours is given. */
final class TckProbes {
    private TckProbes() {}

    /**
     * {@return a subscriber that passes everything on, and shows it}
     *
     * @param cancel what the subscriber's owner does to cancel
     */
    static Flow.Subscriber<Integer> probed(
            Flow.Subscriber<Integer> subscriber,
            Runnable cancel,
            WhiteboxSubscriberProbe<Integer> probe) {
        return new Flow.Subscriber<>() {
            private final AtomicBoolean isRegistered = new AtomicBoolean();

            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscriber.onSubscribe(subscription);
                if (isRegistered.compareAndSet(false, true)) {
                    probe.registerOnSubscribe(new Puppet(cancel));
                }
            }

            @Override
            public void onNext(Integer element) {
                subscriber.onNext(element);
                probe.registerOnNext(element);
            }

            @Override
            public void onError(Throwable cause) {
                subscriber.onError(cause);
                probe.registerOnError(cause);
            }

            @Override
            public void onComplete() {
                subscriber.onComplete();
                probe.registerOnComplete();
            }
        };
    }

    private record Puppet(Runnable cancel) implements SubscriberPuppet {
        @Override
        public void triggerRequest(long elements) {
            // It requests by itself what there is room for.
        }

        @Override
        public void signalCancel() {
            cancel.run();
        }
    }
}
