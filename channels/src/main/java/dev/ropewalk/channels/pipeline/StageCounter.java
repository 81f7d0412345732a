package dev.ropewalk.channels.pipeline;

import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.List;

/**
 * The numbers of a stage in one fiber. Written there, plainly, because it is the fast path; read
 * from anywhere, as a hint.
 */
final class StageCounter {
    /** Of the first elements the time is measured for each. */
    static final int ALL_SAMPLED = 64;

    /** Of those that follow, for one in so many. */
    static final int SAMPLE_EVERY = 256;

    final String name;

    /** A stage of the description, not what the plan put in between. */
    final boolean isListed;

    long elements;

    /** The number of the element that is measured next, from 1 on. */
    private long nextSample = 1;

    /** Of the first elements, which are slow while the JVM is cold: they stand for themselves. */
    private long firsts;

    private long firstsNs;

    /** Of the later ones, which stand for those between them. */
    private long samples;

    private long sampledNs;
    private long inputWaits;
    private long inputWaitNs;
    private long roomWaits;
    private long roomWaitNs;

    StageCounter(String name, boolean isListed) {
        this.name = name;
        this.isListed = isListed;
    }

    /** The counter of the last listed stage of a segment with that source. */
    static StageCounter lastListed(StageCounter source, List<StageCounter> counters) {
        for (StageCounter each : counters.reversed()) {
            if (each.isListed) {
                return each;
            }
        }
        return source;
    }

    long inputWaitNs() {
        return inputWaitNs;
    }

    /**
     * Whether the element is to be measured. Asked of a source, and of each stage behind one that
     * keeps elements back or makes more; the others are in step with these.
     */
    boolean isDue(long number) {
        return number >= nextSample;
    }

    void sample(long number, long ns) {
        if (number <= ALL_SAMPLED) {
            firsts++;
            firstsNs += ns;
        } else {
            samples++;
            sampledNs += ns;
        }
        nextSample = number + (number < ALL_SAMPLED ? 1 : SAMPLE_EVERY);
    }

    void waitedForInput(long sinceNs) {
        inputWaits++;
        inputWaitNs += Waits.nanoTime() - sinceNs;
    }

    void waitedForRoom(long sinceNs) {
        roomWaits++;
        roomWaitNs += Waits.nanoTime() - sinceNs;
    }

    private double busyNs() {
        long n = samples == 0 ? firsts : samples;
        long ns = samples == 0 ? firstsNs : sampledNs;
        return n == 0 ? 0 : firstsNs + (double) ns / n * (elements - firsts);
    }

    /** Of all fibers of one stage. */
    static StageStats sum(List<StageCounter> ofOneStage) {
        StageCounter sum = new StageCounter(ofOneStage.getFirst().name, true);
        double busyNs = 0;
        for (StageCounter each : ofOneStage) {
            sum.elements += each.elements;
            sum.inputWaits += each.inputWaits;
            sum.inputWaitNs += each.inputWaitNs;
            sum.roomWaits += each.roomWaits;
            sum.roomWaitNs += each.roomWaitNs;
            busyNs += each.busyNs();
        }
        return new StageStats(
                sum.name,
                ofOneStage.size(),
                sum.elements,
                Duration.ofNanos((long) busyNs),
                sum.inputWaits,
                Duration.ofNanos(sum.inputWaitNs),
                sum.roomWaits,
                Duration.ofNanos(sum.roomWaitNs));
    }
}
