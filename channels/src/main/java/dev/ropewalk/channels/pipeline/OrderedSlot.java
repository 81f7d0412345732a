package dev.ropewalk.channels.pipeline;

import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Event;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * An element that one of several fibers works on, in the queue that keeps the order. The worker
 * fills it; the segment behind takes it when it is first.
 */
final class OrderedSlot {
    private final Object element;
    private final Event filled = Event.sharedManual();

    /** Written before the signal, read after it; null if the worker has failed, or was ended. */
    private @Nullable Object made;

    OrderedSlot(Object element) {
        this.element = element;
    }

    Object element() {
        return element;
    }

    void fill(@Nullable Object result) {
        made = result;
        filled.signal();
    }

    Object await(StageCounter counter) throws EndedElsewhere {
        if (!filled.isSignalled()) {
            long sinceNs = Waits.nanoTime();
            filled.await();
            counter.waitedForInput(sinceNs);
        }
        if (made == null) {
            throw new EndedElsewhere();
        }
        return Objects.requireNonNull(made);
    }
}
