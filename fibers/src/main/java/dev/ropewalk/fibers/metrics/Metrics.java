package dev.ropewalk.fibers.metrics;

import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Mutex;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The numbers of some sources, read when a monitoring system asks. Nothing is done in between.
 *
 * {@snippet file="dev/ropewalk/fibers/metrics/MetricsSnippetsTest.java" region="read"}
 *
 * <p>From any thread. A reading serves all that ask within 500 ms, because adapters ask for each
 * number alone.
 */
public final class Metrics {
    /** How many sets of tags a metric may have; the others are told as one, {@value #OTHER}. */
    public static final int MAX_TAG_SETS = 200;

    /** The value of the tags of all sets beyond {@link #MAX_TAG_SETS}. */
    public static final String OTHER = "other";

    private static final long FRESH_NS = Duration.ofMillis(500).toNanos();

    /** So long a reader waits for another one. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final Log LOG = Logs.logger(Metrics.class);

    private static final Metric FAILURES =
            Metric.counter(
                    "ropewalk.metrics.failures", "Sources of metrics that failed at a reading.");

    private final List<MetricSource> sources;
    private final Mutex reading = Mutex.shared();

    // guarded by the mutex

    private final Counters counters = new Counters();
    private final Set<MetricSource> failed = Collections.newSetFromMap(new IdentityHashMap<>());
    private long failures;

    /** Which is asked now, or was last; for those that wait for the mutex. */
    private volatile @Nullable MetricSource asked;

    private final AtomicBoolean isStuckTold = new AtomicBoolean();

    /** Replaced as a whole, for those that find it fresh. */
    private volatile @Nullable Read last;

    /** The values of a moment. */
    private record Read(long atNs, List<MetricValue> values) {
        Read {
            values = List.copyOf(values);
        }
    }

    private Metrics(List<MetricSource> sources) {
        this.sources = List.copyOf(sources);
        counters.isNameOf(FAILURES); // no source takes it
    }

    /**
     * {@return the numbers of the sources}
     *
     * @param sources in the order in which they are asked
     */
    public static Metrics of(MetricSource... sources) {
        return new Metrics(List.of(sources));
    }

    /**
     * {@return the numbers of the sources}
     *
     * @param sources in the order in which they are asked
     */
    public static Metrics of(List<? extends MetricSource> sources) {
        return new Metrics(List.copyOf(sources));
    }

    /**
     * Asks all sources, unless they were asked just before. A source that throws is left out, and a
     * warning tells the first failure. While another reader is in a source that does not come back,
     * the numbers of the last reading are told: after 5 s and a warning, and from then on at once.
     * A switchpoint on a fiber.
     *
     * @return a value for each metric and set of tags, those of a metric side by side; also of
     *     parts that have ended, as they were read last
     * @throws WaitInterruptedException if a plain thread was interrupted
     */
    public List<MetricValue> read() {
        Read known = last;
        if (known != null && !isOld(known)) {
            return known.values;
        }
        if (!reading.lock(isStuckTold.get() ? Duration.ZERO : LIMIT)) {
            return asRead();
        }
        try {
            return readAgain().values;
        } finally {
            isStuckTold.set(false); // it has come back, also by a signal
            reading.unlock();
        }
    }

    /** Another reader is in a source that does not come back. */
    private List<MetricValue> asRead() {
        MetricSource stuck = asked;
        if (stuck != null && isStuckTold.compareAndSet(false, true)) {
            LOG.warn(
                    "a source of metrics, a {}, has not come back within {}, and all numbers stay"
                            + " as they were; a source must not wait",
                    stuck.getClass().getName(),
                    LIMIT);
        }
        Read known = last;
        return known == null ? List.of() : known.values;
    }

    private static boolean isOld(Read read) {
        return Waits.nanoTime() - read.atNs >= FRESH_NS;
    }

    private Read readAgain() {
        Read known = last;
        if (known != null && !isOld(known)) {
            return known; // another one has read meanwhile
        }
        Reading now = new Reading(counters);
        for (int i = 0; i < sources.size(); i++) {
            now.next(i);
            collect(sources.get(i), now);
        }
        now.next(sources.size());
        now.count(FAILURES, this, (double) failures);
        Read read = new Read(Waits.nanoTime(), now.end());
        last = read;
        return read;
    }

    private void collect(MetricSource source, Reading into) {
        asked = source;
        try {
            source.collect(into);
        } catch (WaitInterruptedException ofTheReader) {
            throw ofTheReader;
        } catch (Throwable broken) {
            Waits.throwIfSignal(broken);
            into.fails();
            failures++;
            if (failed.add(source)) {
                LOG.warn(
                        "a source of metrics, a {}, failed and is left out; it is asked again at"
                                + " each reading, and ropewalk.metrics.failures counts",
                        source.getClass().getName(),
                        broken);
            }
        }
    }

    /** The sources. */
    @Override
    public String toString() {
        return "metrics of " + sources;
    }
}
