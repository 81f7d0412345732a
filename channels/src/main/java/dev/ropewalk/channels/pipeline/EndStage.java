package dev.ropewalk.channels.pipeline;

import org.jspecify.annotations.Nullable;

/**
 * The end of a segment: a link to the next one, or nothing if the last step keeps what it makes.
 */
final class EndStage extends Stage {
    private final Segment segment;
    private final @Nullable Link out;

    /** Of the step that waits for room. */
    private final StageCounter counter;

    EndStage(Segment segment, @Nullable Link out, StageCounter counter) {
        this.segment = segment;
        this.out = out;
        this.counter = counter;
    }

    @Override
    boolean accept(Object element) {
        if (out == null) {
            return true;
        }
        try {
            return out.put(element, counter);
        } catch (Throwable thrown) {
            segment.failedAtEnd();
            throw thrown;
        }
    }

    @Override
    boolean sample(Object element) {
        return accept(element);
    }

    @Override
    boolean pass(Object element) {
        return accept(element);
    }
}
