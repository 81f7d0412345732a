package dev.ropewalk.channels.flow;

import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.tck.flow.FlowSubscriberWhiteboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

import java.util.Objects;
import java.util.concurrent.Flow;

/** A subscriber that sends to a channel, seen from inside. */
@Test // by TestNG
public final class SubscriberWhiteboxTck extends FlowSubscriberWhiteboxVerification<Integer> {
    private @Nullable Cord cord;

    /** For TestNG. */
    public SubscriberWhiteboxTck() {
        super(TckSupport.environment());
    }

    private Cord cord() {
        return Objects.requireNonNull(cord);
    }

    @BeforeClass
    void start() {
        cord = Cord.start("tck");
    }

    @AfterClass
    void close() {
        cord().close();
    }

    @Override
    protected Flow.Subscriber<Integer> createFlowSubscriber(
            WhiteboxSubscriberProbe<Integer> probe) {
        PortSubscriber<Integer> subscriber = Flows.subscriber(cord(), TckCord.drained(cord()), 2);
        return TckProbes.probed(subscriber, subscriber::cancel, probe);
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }
}
