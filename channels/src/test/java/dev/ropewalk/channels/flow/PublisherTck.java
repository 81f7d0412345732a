package dev.ropewalk.channels.flow;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

import java.util.Objects;
import java.util.concurrent.Flow;

/** A publisher that makes a port for each subscriber, on light stacks. */
@Test // by TestNG
public class PublisherTck extends FlowPublisherVerification<Integer> {
    private @Nullable Cord cord;

    /** For TestNG. */
    public PublisherTck() {
        super(TckSupport.environment(), TckSupport.GC_MS);
    }

    CordOptions options() {
        return CordOptions.named("tck");
    }

    final Cord cord() {
        return Objects.requireNonNull(cord);
    }

    @BeforeClass
    final void start() {
        cord = Cord.start(options());
    }

    @AfterClass
    final void close() {
        cord().close();
    }

    @Override
    public Flow.Publisher<Integer> createFlowPublisher(long elements) {
        return Flows.publisher(cord(), () -> TckSupport.numbers(elements));
    }

    @Override
    public Flow.Publisher<Integer> createFailedFlowPublisher() {
        return TckSupport.failed(cord());
    }
}
