package dev.ropewalk.channels.flow;

import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.tck.flow.IdentityFlowProcessorVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;

/** A processor of a function. */
@Test // by TestNG
public final class ProcessorTck extends IdentityFlowProcessorVerification<Integer> {
    private @Nullable Cord cord;
    private @Nullable ExecutorService publisherThreads;

    /** For TestNG. */
    public ProcessorTck() {
        super(TckSupport.environment(), TckSupport.GC_MS);
    }

    private Cord cord() {
        return Objects.requireNonNull(cord);
    }

    @BeforeClass
    void start() {
        cord = Cord.start("tck");
        publisherThreads = Executors.newCachedThreadPool();
    }

    @AfterClass
    void close() {
        cord().close();
        Objects.requireNonNull(publisherThreads).shutdownNow();
    }

    @Override
    protected Flow.Processor<Integer, Integer> createIdentityFlowProcessor(int bufferSize) {
        return Flows.processor(cord(), bufferSize, element -> element);
    }

    @Override
    protected Flow.Publisher<Integer> createFailedFlowPublisher() {
        return TckSupport.failed(cord());
    }

    @Override
    public ExecutorService publisherExecutorService() {
        return Objects.requireNonNull(publisherThreads);
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }

    /** Each element goes to one subscriber. */
    @Override
    public long maxSupportedSubscribers() {
        return 1;
    }
}
