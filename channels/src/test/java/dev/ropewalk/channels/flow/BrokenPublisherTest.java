package dev.ropewalk.channels.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.List;
import java.util.concurrent.Flow;
import java.util.function.BiConsumer;

/** Rule C5: the TCK is red for publishers that are broken on purpose, and for a run of nothing. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BrokenPublisherTest {
    private static final String DEMAND =
            "required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements";
    private static final String COMPLETE =
            "required_spec105_mustSignalOnCompleteWhenFiniteStreamTerminates";
    private static final String NULL = "required_spec109_subscribeThrowNPEOnNullSubscriber";
    private static final String ZERO =
            "required_spec309_requestZeroMustSignalIllegalArgumentException";

    /** A publisher of ours with a subscriber in between, which may break a rule. */
    abstract static class Between extends PublisherTck {
        @Override
        public Flow.Publisher<Integer> createFlowPublisher(long elements) {
            Flow.Publisher<Integer> sound = super.createFlowPublisher(elements);
            return subscriber -> subscribe(sound, subscriber);
        }

        void subscribe(Flow.Publisher<Integer> sound, Flow.Subscriber<? super Integer> subscriber) {
            sound.subscribe(new Passing(subscriber, this::request, completes()));
        }

        void request(Flow.Subscription subscription, long n) {
            subscription.request(n);
        }

        boolean completes() {
            return true;
        }
    }

    /** Breaks nothing. */
    public static final class SoundTck extends Between {
        @Override
        void subscribe(Flow.Publisher<Integer> sound, Flow.Subscriber<? super Integer> subscriber) {
            super.subscribe(sound, java.util.Objects.requireNonNull(subscriber));
        }
    }

    /** Publishes all there is with the first request. */
    public static final class IgnoresDemandTck extends Between {
        @Override
        void request(Flow.Subscription subscription, long n) {
            subscription.request(Long.MAX_VALUE);
        }
    }

    /** Takes a request of nothing for none. */
    public static final class TakesZeroTck extends Between {
        @Override
        void request(Flow.Subscription subscription, long n) {
            if (n > 0) {
                subscription.request(n);
            }
        }
    }

    /** Leaves its subscribers waiting for the end. */
    public static final class NeverCompletesTck extends Between {
        @Override
        boolean completes() {
            return false;
        }
    }

    /** Takes anything for a subscriber: throws nothing where there is none. */
    public static final class TakesNullTck extends Between {}

    private record Passing(
            Flow.Subscriber<? super Integer> to,
            BiConsumer<Flow.Subscription, Long> request,
            boolean completes)
            implements Flow.Subscriber<Integer> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            to.onSubscribe(
                    new Flow.Subscription() {
                        @Override
                        public void request(long n) {
                            request.accept(subscription, n);
                        }

                        @Override
                        public void cancel() {
                            subscription.cancel();
                        }
                    });
        }

        @Override
        public void onNext(Integer element) {
            to.onNext(element);
        }

        @Override
        public void onError(Throwable cause) {
            to.onError(cause);
        }

        @Override
        public void onComplete() {
            if (completes) {
                to.onComplete();
            }
        }
    }

    private static void assertRed(Class<?> broken, String test) {
        TckRun run = TckRun.of(broken, test);
        assertEquals(List.of(test), run.failed());
        assertThrows(AssertionError.class, () -> run.tests().getFirst().getExecutable().execute());
    }

    @Test
    void C5_soundPublisherIsGreen() throws Throwable {
        TckRun run = TckRun.of(SoundTck.class, DEMAND, COMPLETE, NULL, ZERO);
        assertEquals(List.of(), run.failed());
        assertEquals(4, run.count());
        assertEquals(0, run.skipped());
        run.tests().getFirst().getExecutable().execute();
    }

    @Test
    void C5_publisherThatIgnoresDemandIsRed() {
        assertRed(IgnoresDemandTck.class, DEMAND);
    }

    @Test
    void C5_publisherThatTakesARequestOfNothingIsRed() {
        assertRed(TakesZeroTck.class, ZERO);
    }

    @Test
    void C5_publisherThatNeverCompletesIsRed() {
        assertRed(NeverCompletesTck.class, COMPLETE);
    }

    @Test
    void C5_publisherThatTakesNullForASubscriberIsRed() {
        assertRed(TakesNullTck.class, NULL);
    }

    @Test
    void C5_runOfNoTestIsRed() {
        AssertionError none =
                assertThrows(AssertionError.class, () -> TckRun.of(SoundTck.class, "no such test"));
        assertTrue(none.toString().contains("ran no test"), none::toString);
    }
}
