package dev.ropewalk.channels.pipeline;

import dev.ropewalk.channels.internal.Elsewhere;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Spinner;
import dev.ropewalk.fibers.spi.SpunFibers;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A run of stages that one fiber carries out, from a feed to a link, or to nothing if the last
 * stage keeps what it makes. Between its stages there is no channel: each calls the next.
 */
final class Segment {
    private final PipelineRun<?> run;
    private final Feed feed;
    private final StageCounter source;

    /** Of the stage that waits for the feed. */
    private final StageCounter waiting;

    private final List<Step> steps;
    private final List<StageCounter> counters;
    private final EndStage end;

    /** All that it writes to, and has to end. */
    private final List<Link> outs;

    /** Where it runs; null for the cord of the caller. */
    private final @Nullable Spinner where;

    /** Null before it runs. */
    private volatile @Nullable CancelScope scope;

    private volatile boolean isUnwanted;

    /** It has left its source before that was at its end: no further elements are wanted. */
    private boolean hasEnough;

    /** A fiber that a stage has spun failed; on the cord, as all that is not volatile. */
    private @Nullable FiberFailedException spunFailure;

    /** Its feed and all that it writes to were ended, or are about to be. */
    private volatile boolean hasEnded;

    /**
     * The last stage that wants nothing more; -1 if all do. The stages behind it go on with the
     * elements that came.
     */
    private int finished = -1;

    /** The step that failed; -1 is the source. */
    private int failedAt = -1;

    Segment(
            PipelineRun<?> run,
            Feed feed,
            StageCounter source,
            List<Step> steps,
            List<StageCounter> counters,
            @Nullable Link out,
            List<Link> outs,
            @Nullable Spinner where) {
        this.run = run;
        this.feed = feed;
        this.source = source;
        this.steps = List.copyOf(steps);
        this.counters = List.copyOf(counters);
        boolean isFromLink = !(counters.isEmpty() || source.isListed);
        this.waiting = isFromLink ? counters.getFirst() : source;
        this.end = new EndStage(this, out, StageCounter.lastListed(source, counters));
        this.outs = outs;
        this.where = where;
    }

    @Nullable Spinner where() {
        return where;
    }

    boolean isUnwanted() {
        return isUnwanted;
    }

    String name() {
        return counters.isEmpty() ? source.name : counters.getFirst().name;
    }

    boolean hasEnded() {
        return hasEnded;
    }

    // ---------------------------------------------------------------- from stages

    /** The step wants nothing more; elements that it has passed on go on. */
    void finish(int index) {
        finished = Math.max(finished, index);
    }

    boolean isFinishedBehind(int index) {
        return finished > index;
    }

    void failedAt(int index) {
        failedAt = index;
    }

    void failedAtEnd() {
        failedAt = steps.size() - 1;
    }

    // ---------------------------------------------------------------- running

    /**
     * Its elements are not read any more, or the run has failed: it is left where it waits. Works
     * from any thread, before it runs too.
     */
    void stop() {
        isUnwanted = true;
        CancelScope running = scope;
        if (running != null) {
            running.cancel();
        }
    }

    /**
     * The run is over, and its fibers have ended; one may have been ended before it began, or was
     * abandoned. Then its source and its links are to be ended all the same.
     */
    void endIfNotEnded() {
        if (!hasEnded) {
            end(run.whyEnded()); // a failure is the run's; a signal is raised again
        }
    }

    /**
     * Until the elements have ended, or nothing more is wanted. Fibers that a stage has spun end
     * with it, whether this is the caller's fiber or its own.
     */
    void run() {
        if (!hasEnded) { // otherwise a stage has restarted its fiber, and that has failed the run
            SpunFibers.run(this::spunFailed, this::runToEnd);
        }
    }

    /** At times as no fiber. The stages are left where they are, as by a failure of their own. */
    private void spunFailed(FiberFailedException failed) {
        if (hasEnded) {
            run.report(new PipelineFailedException(name(), failed)); // too late for the run
            return;
        }
        if (spunFailure != null) {
            spunFailure.addSuppressed(failed);
            return;
        }
        spunFailure = failed;
        CancelScope running = scope;
        if (running != null) {
            running.cancel();
        }
    }

    private void runToEnd() {
        Throwable why = null;
        Throwable thrown = null;
        try {
            CancelScope own = CancelScope.withoutLimit();
            scope = own;
            if (!isUnwanted) {
                own.<Exception>runOrLeave(this::pump);
            }
            if (spunFailure != null) {
                throw spunFailure;
            }
            why = run.failure(); // another's, which may be why it was left
        } catch (EndedElsewhere elsewhere) {
            why = run.whyEnded();
            if (spunFailure != null) {
                why = failed(nameAt(), spunFailure, isUnwanted);
            }
        } catch (Throwable t) {
            Throwable first = withSpunFailure(t);
            why = failed(nameAt(), first, isUnwanted);
            thrown = toThrow(first, why);
        }
        Throwable broken = end(why);
        if (thrown == null) {
            thrown = broken;
        } else if (broken != null && Waits.isSignal(thrown)) {
            thrown.addSuppressed(broken);
        }
        if (thrown != null) {
            Waits.throwIfSignal(thrown);
        }
        if (thrown instanceof Error failure) {
            throw failure;
        }
        if (thrown instanceof RuntimeException failure) {
            throw failure;
        }
    }

    /** The failure of a fiber that a stage has spun comes first: the stage was left for it. */
    private Throwable withSpunFailure(Throwable thrown) {
        FiberFailedException spun = spunFailure;
        if (spun == null || spun == thrown) {
            return thrown;
        }
        if (Waits.isSignal(thrown)) {
            thrown.addSuppressed(spun); // another scope's or the fiber's, which ends more than this
            // run
            return thrown;
        }
        spun.addSuppressed(thrown);
        return spun;
    }

    /**
     * The failure that the segments behind it are told; null if it is no failure of the run,
     * because the run has all that it wants from here.
     */
    private @Nullable Throwable failed(String stage, Throwable thrown, boolean isTooLate) {
        Error signal = Waits.signalIn(thrown);
        if (signal != null) {
            return run.endedBySignal(this, stage, signal);
        }
        return isTooLate && run.reportUnwanted(stage, thrown) ? null : run.fail(stage, thrown);
    }

    /**
     * The first failure of the run ends its scope; a second one would have no taker. A run that is
     * left tells all of them itself.
     */
    private @Nullable Throwable toThrow(Throwable thrown, @Nullable Throwable why) {
        if (Waits.isSignal(thrown)) {
            return thrown;
        }
        boolean isFirst = why != null && why.getCause() == thrown;
        return isFirst && !run.isLeft() ? why : null;
    }

    /**
     * Ends all that it reads from and writes to, even if one of them fails by that, which fails the
     * run.
     *
     * @return the exception to throw for that, if any
     */
    private @Nullable Throwable end(@Nullable Throwable ended) {
        hasEnded = true;
        Throwable why = ended;
        Throwable broken = null;
        try {
            feed.end(why);
        } catch (Throwable t) {
            why = failed(sourceName(), t, isUnwanted || hasEnough);
            broken = toThrow(t, why);
        }
        for (int i = 0; i < steps.size(); i++) {
            try {
                if (steps.get(i).function() instanceof Step.Stateful stateful) {
                    endAtItsPlace(stateful, counters.get(i).name, why);
                }
            } catch (Throwable t) {
                why = failed(counters.get(i).name, t, isUnwanted || hasEnough);
                Throwable own = toThrow(t, why);
                broken = broken == null ? own : broken;
            }
        }
        for (Link each : outs) {
            each.endWriting(why);
        }
        return broken;
    }

    /** A segment that never began is ended by the caller, and its port may be of its own cord. */
    private void endAtItsPlace(Step.Stateful step, String stage, @Nullable Throwable why) {
        Elsewhere.run(
                where instanceof Cord place && !step.endsAnywhere() ? place : null,
                () -> step.end(why),
                true,
                broken -> run.report(new PipelineFailedException(stage, broken)));
    }

    private String nameAt() {
        for (int i = failedAt; i >= 0; i--) {
            if (counters.get(i).isListed) {
                return counters.get(i).name;
            }
        }
        return sourceName();
    }

    private String sourceName() {
        return source.isListed ? source.name : name();
    }

    private void pump() throws Exception {
        begin();
        Stage first = stagesFrom(0, false);
        boolean isWanted = true;
        while (isWanted && finished < 0) {
            boolean isDue = source.isDue(source.elements + 1);
            Object element = isDue ? measuredNext() : feed.next(waiting);
            if (element == null) {
                break;
            }
            source.elements++;
            isWanted = isDue ? first.sample(element) : first.accept(element);
            if (source.elements == StageCopies.WORTH_IT_AFTER) {
                first = stagesFrom(0, true);
            }
        }
        hasEnough = !isWanted || finished >= 0;
        if (isWanted) {
            passOnRests();
        }
    }

    private void begin() {
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).function() instanceof Step.Stateful stateful) {
                failedAt = i;
                stateful.begin(this, i);
            }
        }
        failedAt = -1;
    }

    /**
     * Passes on the elements that stateful steps still have. Steps that a later step has finished
     * keep them.
     */
    private void passOnRests() throws Exception {
        boolean isWanted = true;
        for (int i = finished + 1; isWanted && i < steps.size(); i++) {
            Object rest =
                    steps.get(i).function() instanceof Step.Stateful stateful
                            ? stateful.rest()
                            : null;
            if (rest != null) {
                isWanted = stagesFrom(i + 1, false).pass(rest);
            }
        }
    }

    /** Made from the last to the first, because each has the next. */
    private Stage stagesFrom(int begin, boolean isCopied) {
        Stage next = end;
        for (int i = steps.size() - 1; i >= begin; i--) {
            Step step = steps.get(i);
            StageCounter counter = counters.get(i);
            next =
                    isCopied
                            ? StageCopies.stage(this, i, step, counter, next)
                            : new StepStage(this, i, step, counter, next);
        }
        return next;
    }

    /**
     * The time that a source takes for an element is its work; the waits of a link are counted
     * there. The read that finds the end does not count as an element.
     */
    private @Nullable Object measuredNext() throws Exception {
        long waitedNs = source.inputWaitNs();
        long sinceNs = Waits.nanoTime();
        Object element = feed.next(waiting);
        if (element != null) {
            long waitNs = source.inputWaitNs() - waitedNs;
            source.sample(source.elements + 1, Waits.nanoTime() - sinceNs - waitNs);
        }
        return element;
    }
}
