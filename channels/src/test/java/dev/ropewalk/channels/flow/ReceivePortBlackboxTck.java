package dev.ropewalk.channels.flow;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

import java.util.Objects;
import java.util.concurrent.Flow;

/** The subscriber behind a receive port, seen from its subscription. */
@Test // by TestNG
public final class ReceivePortBlackboxTck extends FlowSubscriberBlackboxVerification<Integer> {
    private @Nullable Cord cord;

    /** For TestNG. */
    public ReceivePortBlackboxTck() {
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
        Intake<Integer> intake = new Intake<>(ChannelOptions.buffered(2));
        IntakePort<Integer> port = new IntakePort<>(intake);
        TckCord.drain(cord(), port);
        return intake;
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }
}
