package dev.ropewalk.channels.pipeline;

import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Iterator;

/**
 * A step at work. It calls the next stage itself, so that the compiler of the JVM can make one
 * piece of code of a whole segment: see {@link StageCopy}, which defines copies of this class. For
 * that its fields are what it was made with; what changes is in the counter, the segment and the
 * step.
 */
final class StepStage extends Stage {
    private final Segment segment;
    private final int index;
    private final Step.Kind kind;
    private final Object function;
    private final StageCounter counter;
    private final Stage next;

    StepStage(Segment segment, int index, Step step, StageCounter counter, Stage next) {
        this.segment = segment;
        this.index = index;
        this.kind = step.kind();
        this.function = step.function();
        this.counter = counter;
        this.next = next;
    }

    @Override
    boolean accept(Object element) throws Exception {
        Object made = counter.isDue(++counter.elements) ? measuredWork(element) : work(element);
        if (made == Step.NOTHING) {
            return true;
        }
        if (kind == Step.Kind.FLAT) {
            return acceptAll((Iterable<?>) made);
        }
        return next.accept(made);
    }

    /** Apart, to keep what is done for each element small enough to be inlined. */
    private Object measuredWork(Object element) throws Exception {
        long startNs = Waits.nanoTime();
        Object made = work(element);
        counter.sample(counter.elements, Waits.nanoTime() - startNs);
        return made;
    }

    @SuppressWarnings("unchecked") // the kind says so
    private Object work(Object element) throws Exception {
        try {
            Object made =
                    switch (kind) {
                        case MAP, FLAT -> ((StageFunction<Object, Object>) function).apply(element);
                        case FILTER ->
                                ((StageTest<Object>) function).test(element)
                                        ? element
                                        : Step.NOTHING;
                        case EACH -> {
                            ((StageAction<Object>) function).accept(element);
                            yield element;
                        }
                        case STATEFUL -> ((Step.Stateful) function).apply(element, segment, index);
                    };
            return notNull(made);
        } catch (Throwable thrown) {
            segment.failedAt(index);
            throw thrown;
        }
    }

    private boolean acceptAll(Iterable<?> many) throws Exception {
        Iterator<?> iterator = iteratorOf(many);
        for (Object each = nextOf(iterator); each != null; each = nextOf(iterator)) {
            if (!next.accept(each)) {
                return false;
            }
            if (segment.isFinishedBehind(index)) {
                return true;
            }
            Waits.switchpoint(); // there may be no end to them
        }
        return true;
    }

    private Iterator<?> iteratorOf(Iterable<?> many) {
        try {
            return notNull(many.iterator());
        } catch (Throwable thrown) {
            segment.failedAt(index);
            throw thrown;
        }
    }

    private @Nullable Object nextOf(Iterator<?> iterator) {
        try {
            return iterator.hasNext() ? notNull(iterator.next()) : null;
        } catch (Throwable thrown) {
            segment.failedAt(index);
            throw thrown;
        }
    }

    private <T> T notNull(@Nullable T made) {
        return made == null ? Step.notNull(counter.name, null) : made;
    }
}
