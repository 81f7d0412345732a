package dev.ropewalk.channels.pipeline;

import dev.ropewalk.channels.SendPort;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.Spinner;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * A pipeline with its last stage, to be run once.
 *
 * <pre>
 *   READY   -> RUNNING    run
 *   RUNNING -> DRAINED    the elements have ended, and every segment after them
 *   RUNNING -> FAILED     a stage failed; the run throws its failure
 *   RUNNING -> CANCELLED  cancel, or the end of the caller, came first
 * </pre>
 *
 * @param <R> the type of what the last stage makes
 */
public final class PipelineRun<R extends @Nullable Object> {
    private enum State {
        READY,
        RUNNING,
        DRAINED,
        FAILED,
        CANCELLED
    }

    private final List<Part> parts;

    /** What the last stage has made. */
    private final Supplier<R> result;

    /** Is closed at the end; null if there is none. */
    private final @Nullable SendPort<?> port;

    private final AtomicReference<State> state = new AtomicReference<>(State.READY);
    private final AtomicReference<@Nullable PipelineFailedException> failure =
            new AtomicReference<>();
    private final AtomicReference<@Nullable CancelScope> scope = new AtomicReference<>();

    /** Of each stage, one for each of its fibers. */
    private final List<List<StageCounter>> counters = new CopyOnWriteArrayList<>();

    private volatile boolean isCancelled;

    PipelineRun(List<Part> parts, Supplier<R> result) {
        this(parts, result, null);
    }

    PipelineRun(List<Part> parts, Supplier<R> result, @Nullable SendPort<?> port) {
        this.parts = parts;
        this.result = result;
        this.port = port;
    }

    // ---------------------------------------------------------------- calls

    /**
     * Runs the pipeline in the calling fiber, and returns when the elements have ended. The last
     * segment runs in this fiber, the others in children of it. A switchpoint.
     *
     * @return what the last stage made, and what each stage did
     * @throws PipelineFailedException if a stage failed; its cause is that stage's own failure. All
     *     other fibers of the run have ended then
     * @throws CancelledException if it was cancelled by {@link #cancel}
     * @throws IllegalStateException if it was run before, or no fiber runs on this thread
     */
    public PipelineResult<R> run() {
        Fiber.current();
        state(State.READY, State.RUNNING);
        State end = State.CANCELLED;
        try {
            CancelScope own = CancelScope.withoutLimit();
            scope.set(own);
            if (isCancelled) {
                own.cancel();
            }
            own.run(this::runSegments);
            throwFailure();
            PipelineResult<R> made = result();
            end = State.DRAINED;
            return made;
        } catch (PipelineFailedException failed) {
            end = State.FAILED;
            throw failed;
        } catch (FiberFailedException failed) {
            end = State.FAILED;
            throwFailure();
            throw failed;
        } finally {
            state(State.RUNNING, end);
            closePort(end);
        }
    }

    private PipelineResult<R> result() {
        PipelineStats stats = stats();
        StageStats last = stats.stages().getLast();
        try {
            return new PipelineResult<>(result.get(), last.elements(), stats);
        } catch (RuntimeException e) {
            throw fail(last.name(), e);
        }
    }

    /**
     * Cancels the run: its stages are left at their next switchpoint, and {@link #run} throws
     * {@link CancelledException}. Works from any thread and does not wait; before the run it keeps
     * that from beginning, after it it has no effect.
     */
    public void cancel() {
        isCancelled = true;
        CancelScope running = scope.get();
        if (running != null) {
            running.cancel();
        }
    }

    /** {@return what the stages have done so far} Works from any thread. */
    public PipelineStats stats() {
        return new PipelineStats(counters.stream().map(StageCounter::sum).toList());
    }

    private void state(State from, State to) {
        if (!state.compareAndSet(from, to)) {
            throw new IllegalStateException(
                    "the pipeline is "
                            + state
                            + ": it can be run once; make another from its description");
        }
    }

    // ---------------------------------------------------------------- running

    private void runSegments() {
        List<Segment> segments = new PipelinePlan(this, parts).segments();
        Segment last = segments.getLast();
        if (segments.size() == 1 && last.where() == null) {
            last.run();
            return;
        }
        try {
            runInScope(segments, last);
        } finally {
            PipelineFailedException first = failure.get();
            Throwable why = first == null ? new CancellationException("the run was ended") : first;
            segments.forEach(each -> each.endIfNotBegun(why));
        }
    }

    private static void runInScope(List<Segment> segments, Segment last) {
        Scope.run(
                all -> {
                    for (Segment each : segments) {
                        Spinner where = each.where();
                        if (where != null) {
                            all.spinOn(where, each.name(), each::run);
                        } else if (each != last) {
                            all.spin(each.name(), each::run);
                        }
                    }
                    if (last.where() == null) {
                        last.run();
                    }
                });
    }

    private void closePort(State end) {
        if (port == null) {
            return;
        }
        if (end == State.DRAINED) {
            port.close();
        } else {
            PipelineFailedException first = failure.get();
            port.close(first == null ? new CancellationException("the run was ended") : first);
        }
    }

    // ---------------------------------------------------------------- from segments

    /** The first failure counts; those that follow from it, or come beside it, are added to it. */
    PipelineFailedException fail(String stage, Throwable cause) {
        PipelineFailedException own = new PipelineFailedException(stage, cause);
        if (failure.compareAndSet(null, own)) {
            return own;
        }
        PipelineFailedException first = failure.get();
        if (first == null) {
            return own;
        }
        first.addSuppressed(own);
        return first;
    }

    /** It counts only if nothing else ends the run. */
    void endedBySignal(String stage) {
        failure.compareAndSet(
                null,
                new PipelineFailedException(
                        stage, new CancellationException("the fiber of the stage was terminated")));
    }

    @Nullable PipelineFailedException failure() {
        return failure.get();
    }

    private void throwFailure() {
        PipelineFailedException first = failure.get();
        if (first != null) {
            throw first;
        }
    }

    // ---------------------------------------------------------------- from the plan

    StageCounter counter(String stage) {
        return counters(stage, 1).getFirst();
    }

    List<StageCounter> counters(String stage, int fibers) {
        List<StageCounter> all = new ArrayList<>();
        for (int i = 0; i < fibers; i++) {
            all.add(new StageCounter(stage, true));
        }
        counters.add(List.copyOf(all));
        return all;
    }
}
