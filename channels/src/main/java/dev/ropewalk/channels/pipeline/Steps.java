package dev.ropewalk.channels.pipeline;

import dev.ropewalk.channels.SendPort;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.channels.internal.Elsewhere;
import dev.ropewalk.channels.internal.QueueChannel;
import dev.ropewalk.fibers.recurring.Throttle;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/** The stages that remember something from element to element. */
final class Steps {
    private Steps() {}

    static Step.Stateful take(long n) {
        return new Step.Stateful() {
            private long left = n;

            @Override
            public void begin(Segment segment, int index) {
                if (n == 0) {
                    segment.finish(index);
                }
            }

            @Override
            public Object apply(Object element, Segment segment, int index) {
                if (--left <= 0) {
                    segment.finish(index);
                }
                return left < 0 ? Step.NOTHING : element;
            }
        };
    }

    static Step.Stateful drop(long n) {
        return new Step.Stateful() {
            private long left = n;

            @Override
            public Object apply(Object element, Segment segment, int index) {
                return left-- > 0 ? Step.NOTHING : element;
            }
        };
    }

    static Step.Stateful takeWhile(StageTest<Object> test) {
        return (element, segment, index) -> {
            if (test.test(element)) {
                return element;
            }
            segment.finish(index);
            return Step.NOTHING;
        };
    }

    static Step.Stateful scan(Object first, BiFunction<Object, Object, Object> function) {
        return new Step.Stateful() {
            private Object state = first;

            @Override
            public Object apply(Object element, Segment segment, int index) {
                state = function.apply(state, element);
                return state;
            }
        };
    }

    static Step.Stateful batch(int size) {
        return new Step.Stateful() {
            private List<Object> batch = new ArrayList<>();

            @Override
            public Object apply(Object element, Segment segment, int index) {
                batch.add(element);
                return batch.size() < size ? Step.NOTHING : taken();
            }

            @Override
            public @Nullable Object rest() {
                return batch.isEmpty() ? null : taken();
            }

            private List<Object> taken() {
                List<Object> taken = batch;
                batch = new ArrayList<>();
                return taken;
            }
        };
    }

    static Step.Stateful window(int size, int every) {
        return new Step.Stateful() {
            private final ArrayDeque<Object> newest = new ArrayDeque<>();
            private long seen;

            @Override
            public Object apply(Object element, Segment segment, int index) {
                if (newest.size() == size) {
                    newest.removeFirst();
                }
                newest.add(element);
                seen++;
                boolean isDue = newest.size() == size && (seen - size) % every == 0;
                return isDue ? List.copyOf(newest) : Step.NOTHING;
            }
        };
    }

    static Step.Stateful throttle(int elements, Duration per, int burst) {
        return new Step.Stateful() {
            // Of the cord that the stage runs on; null before it runs.
            private @Nullable Throttle throttle;

            @Override
            public void begin(Segment segment, int index) {
                throttle = Throttle.rate(elements, per).withBurst(burst);
            }

            @Override
            public Object apply(Object element, Segment segment, int index) {
                Objects.requireNonNull(throttle).acquire();
                return element;
            }
        };
    }

    /** An element, and when it came to a stage. */
    record Arrived(Object element, long atNs) {}

    static Step.Stateful stamp() {
        return (element, segment, index) -> new Arrived(element, Waits.nanoTime());
    }

    static Step.Stateful alsoTo(SendPort<Object> port) {
        return (element, segment, index) -> {
            port.send(element);
            return element;
        };
    }

    /**
     * The last stage of one that sends what comes: stops when the port is closed, and closes it in
     * the end, where it may be local.
     */
    static Step.Stateful to(SendPort<Object> port) {
        return new Step.Stateful() {
            @Override
            public void begin(Segment segment, int index) {
                if (port instanceof QueueChannel<Object> channel) {
                    channel.onEnd(segment::stop); // no element may come to find it closed
                }
            }

            @Override
            public Object apply(Object element, Segment segment, int index) {
                if (port.sendResult(element) == SendResult.CLOSED) {
                    segment.finish(index);
                }
                return element;
            }

            @Override
            public void end(@Nullable Throwable why) {
                Elsewhere.close(port, why);
            }

            @Override
            public boolean endsAnywhere() {
                return port instanceof QueueChannel;
            }
        };
    }

    /** The last stage of a pipeline that collects; its elements stay in the container. */
    static Step.Stateful collect(Object container, BiConsumer<Object, Object> accumulator) {
        return (element, segment, index) -> {
            accumulator.accept(container, element);
            return element;
        };
    }
}
