package dev.ropewalk.channels.pipeline;

import dev.ropewalk.channels.SendPort;
import dev.ropewalk.channels.internal.Elsewhere;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.Spinner;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Event;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
 * @param <R> the type of the last stage's result
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

    /** The last stage's result. */
    private final Supplier<R> result;

    /** Its stage closes it at the end; may be null. */
    private final @Nullable SendPort<?> port;

    private final AtomicReference<State> state = new AtomicReference<>(State.READY);
    private final AtomicReference<@Nullable PipelineFailedException> failure =
            new AtomicReference<>();
    private final AtomicReference<@Nullable CancelScope> scope = new AtomicReference<>();

    /** Of each stage, one for each of its fibers. */
    private final List<List<StageCounter>> counters = new CopyOnWriteArrayList<>();

    private volatile boolean isCancelled;

    /** The segments of the run; empty before it. */
    private volatile List<Segment> segments = List.of();

    /** The caller was cancelled or ended, or has left: its fibers are ended for that reason. */
    private volatile boolean isLeft;

    /** The fiber that runs it; null before. */
    private volatile @Nullable Fiber<?> caller;

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
     * segment runs in this fiber, the others in children of it. Fibers that a stage spins end with
     * the run. A switchpoint: if the fiber is to end already, nothing begins.
     *
     * <p>If a stage fails when nothing more is wanted of it, because of {@code take}, {@code zip}
     * or a closed port, its failure goes to the cord's uncaught handler, and the result stands.
     * Failures of the clean-up of a run that is left are suppressed in the exception that leaves
     * it.
     *
     * @return the last stage's result, and the statistics of each stage
     * @throws PipelineFailedException if a stage failed; its cause is that stage's own failure, or
     *     a {@link CancellationException} if the fiber of the stage was terminated, as by the end
     *     of its cord. All other fibers of the run have ended then
     * @throws CancelledException if it was cancelled by {@link #cancel}
     * @throws IllegalStateException if it was run before, or no fiber runs on this thread
     */
    public PipelineResult<R> run() {
        caller = Fiber.current();
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
            PipelineFailedException first = failure.get();
            if (first == null) {
                throw failed;
            }
            if (!isCausedBy(failed, first)) {
                first.addSuppressed(failed);
            }
            throw first;
        } catch (RuntimeException | Error left) {
            PipelineFailedException hidden = failure.get();
            if (hidden != null) {
                left.addSuppressed(hidden); // of clean-up, as it was left
            }
            throw left;
        } finally {
            state(State.RUNNING, end);
        }
    }

    /** Directly, or through the cause of {@code first}. */
    private static boolean isCausedBy(Throwable failed, Throwable first) {
        Throwable each = failed;
        while (each != null && each != first && each != first.getCause()) {
            each = each.getCause();
        }
        return each != null;
    }

    private PipelineResult<R> result() {
        PipelineStats stats = stats();
        StageStats last = stats.stages().getLast();
        try {
            return new PipelineResult<>(result.get(), last.elements(), stats);
        } catch (Throwable broken) {
            Waits.throwIfSignal(broken);
            throw fail(last.name(), broken);
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
        segments = plan();
        try {
            beginUnlessLeft();
            Segment last = segments.getLast();
            if (segments.size() == 1 && isCallers(last)) {
                last.run();
            } else {
                runInScope(last);
            }
        } finally {
            segments.forEach(Segment::endIfNotEnded);
        }
    }

    /** A run that is to end already begins nothing elsewhere. */
    private void beginUnlessLeft() {
        try {
            Waits.switchpoint();
        } catch (Throwable left) {
            isLeft = true;
            throw left;
        }
    }

    private List<Segment> plan() {
        try {
            return List.copyOf(PipelinePlan.segments(this, parts));
        } catch (Throwable broken) {
            closePort(broken);
            throw broken;
        }
    }

    /** Otherwise its stage does. */
    private void closePort(Throwable why) {
        if (port != null) {
            try {
                Elsewhere.close(port, why);
            } catch (RuntimeException another) {
                why.addSuppressed(another);
            }
        }
    }

    private void runInScope(Segment last) {
        Event lastEnded = Event.sharedManual();
        Scope.run(
                all -> {
                    for (Segment each : segments) {
                        if (!isCallers(each)) {
                            Fiber<?> fiber = spin(all, each);
                            fiber.onEnd(dead -> ended(each));
                            if (each == last) {
                                fiber.onEnd(dead -> lastEnded.signal());
                            }
                        }
                    }
                    if (isCallers(last)) {
                        last.run();
                    } else {
                        awaitLast(lastEnded);
                    }
                });
    }

    /** Here rather than at the end of the scope, because that would end the others first. */
    private void awaitLast(Event lastEnded) {
        try {
            lastEnded.await();
        } catch (Throwable left) {
            isLeft = true;
            throw left;
        }
    }

    private static Fiber<?> spin(Scope<?> all, Segment segment) {
        Spinner where = segment.where();
        return where == null
                ? all.spin(segment.name(), segment::run)
                : all.spinOn(where, segment.name(), segment::run);
    }

    private boolean isCallers(Segment segment) {
        return segment == segments.getLast() && segment.where() == null;
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

    /**
     * The fiber of a segment is being ended. If that is not because the caller is, it fails the
     * run: a scope does not take it for a failure, and the others would wait for ever.
     *
     * @return what the neighbours are told
     */
    Throwable endedBySignal(Segment segment, String stage, Throwable signal) {
        if (isCallers(segment)) {
            isLeft = true;
        } else if (signal.getCause() != null) {
            fail(stage, signal.getCause()); // of a fiber that the stage has spun
        } else {
            terminated(segment, stage);
        }
        return whyEnded();
    }

    /** Its fiber is over, perhaps without having run to its end, or at all. */
    private void ended(Segment segment) {
        if (!segment.hasEnded()) {
            terminated(segment, segment.name());
        }
    }

    private void terminated(Segment segment, String stage) {
        if (isLeft || segment.isUnwanted()) {
            return;
        }
        failure.compareAndSet(
                null,
                new PipelineFailedException(
                        stage, new CancellationException("the fiber of the stage was terminated")));
        segments.forEach(Segment::stop);
    }

    boolean isLeft() {
        return isLeft;
    }

    /**
     * A segment of which nothing more is wanted has failed as it was stopped.
     *
     * @return false, and no effect, if the run has failed or is being left: that tells it then
     */
    boolean reportUnwanted(String stage, Throwable thrown) {
        if (isLeft || failure.get() != null) {
            return false;
        }
        report(PipelineFailedException.ofUnwanted(stage, thrown));
        return true;
    }

    /** Reports a failure that no caller is thrown. From any thread. */
    void report(PipelineFailedException failed) {
        Fiber<?> running = Fiber.currentOrNull();
        Waits.report(running == null ? Objects.requireNonNull(caller) : running, failed);
    }

    @Nullable PipelineFailedException failure() {
        return failure.get();
    }

    /** Why what was not at its end has ended. */
    Throwable whyEnded() {
        PipelineFailedException first = failure.get();
        return first == null ? new CancellationException("the run was ended") : first;
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
