package dev.ropewalk.channels.pipeline;

import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Iterator;

/**
 * A step at work. It calls the next stage itself, so that the compiler of the JVM can make one
 * piece of code of a whole segment: see {@link StageCopies}, which defines copies of this class.
 * For that its fields are what it was made with; its mutable state is in the counter, the segment
 * and the step.
 */
final class StepStage extends Stage {
    private final Segment segment;
    private final int index;
    private final Step.Kind kind;

    /**
     * It passes on each element that it gets: the next stage has got as many, and need not look
     * whether it is to measure this one.
     */
    private final boolean isInStep;

    private final Object function;
    private final StageCounter counter;
    private final Stage next;

    StepStage(Segment segment, int index, Step step, StageCounter counter, Stage next) {
        this.segment = segment;
        this.index = index;
        this.kind = step.kind();
        this.isInStep = kind == Step.Kind.MAP || kind == Step.Kind.EACH;
        this.function = step.function();
        this.counter = counter;
        this.next = next;
    }

    @Override
    boolean accept(Object element) throws Exception {
        counter.elements++;
        Object made = work(element);
        return isInStep ? next.accept(made) : passOn(made);
    }

    @Override
    boolean sample(Object element) throws Exception {
        counter.elements++;
        long startNs = Waits.nanoTime();
        Object made = work(element);
        counter.sample(counter.elements, Waits.nanoTime() - startNs);
        return isInStep ? next.sample(made) : passOn(made);
    }

    @Override
    boolean pass(Object element) throws Exception {
        return counter.isDue(counter.elements + 1) ? sample(element) : accept(element);
    }

    private boolean passOn(Object made) throws Exception {
        if (made == Step.NOTHING) {
            return true;
        }
        return kind == Step.Kind.FLAT ? passOnAll((Iterable<?>) made) : next.pass(made);
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

    private boolean passOnAll(Iterable<?> many) throws Exception {
        Iterator<?> iterator = iteratorOf(many);
        for (Object each = nextOf(iterator); each != null; each = nextOf(iterator)) {
            if (!next.pass(each)) {
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
