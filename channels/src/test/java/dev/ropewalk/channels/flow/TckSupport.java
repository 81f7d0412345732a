package dev.ropewalk.channels.flow;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Ports;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.fibers.Cord;

import org.reactivestreams.tck.TestEnvironment;

import java.util.concurrent.Flow;

/** What the classes of the TCK share. */
final class TckSupport {
    /** For a signal that is to come: more than the default, because the machine may be busy. */
    private static final long SIGNAL_MS = 2_000;

    /** How long nothing is to come. */
    private static final long NO_SIGNAL_MS = 100;

    static final long GC_MS = 1_000;

    private TckSupport() {}

    static TestEnvironment environment() {
        return new TestEnvironment(SIGNAL_MS, NO_SIGNAL_MS, NO_SIGNAL_MS);
    }

    /** In a fiber. */
    static ReceivePort<Integer> numbers(long count) {
        return Ports.produce(
                "numbers",
                ChannelOptions.buffered(16),
                to -> {
                    for (long i = 0; i < count; i++) {
                        to.send((int) i);
                    }
                });
    }

    static Flow.Publisher<Integer> failed(Cord cord) {
        return Flows.publisher(
                cord,
                () -> {
                    throw new IllegalStateException("this publisher always fails");
                });
    }
}
