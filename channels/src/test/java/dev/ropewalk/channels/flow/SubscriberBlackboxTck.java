package dev.ropewalk.channels.flow;

import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

import java.util.Objects;
import java.util.concurrent.Flow;

/** A subscriber that sends to a channel, seen from its subscription. */
@Test // by TestNG
public final class SubscriberBlackboxTck extends FlowSubscriberBlackboxVerification<Integer> {
    private @Nullable Cord cord;

    /** For TestNG. */
    public SubscriberBlackboxTck() {
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
    public Flow.Subscriber<Integer> createFlowSubscriber() {
        PortSubscriber<Integer> subscriber = Flows.subscriber(cord(), TckCord.drained(cord()), 2);
        return subscriber;
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }
}
