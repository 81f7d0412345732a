package dev.ropewalk.channels.flow;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.tck.flow.FlowSubscriberWhiteboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

import java.util.Objects;
import java.util.concurrent.Flow;

/** The subscriber behind a receive port, seen from inside. */
@Test // by TestNG
public final class ReceivePortWhiteboxTck extends FlowSubscriberWhiteboxVerification<Integer> {
    private @Nullable Cord cord;

    /** For TestNG. */
    public ReceivePortWhiteboxTck() {
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
        Intake<Integer> intake = new Intake<>(ChannelOptions.buffered(2));
        IntakePort<Integer> port = new IntakePort<>(intake);
        TckCord.drain(cord(), port);
        return TckProbes.probed(intake, port::cancel, probe);
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }
}
