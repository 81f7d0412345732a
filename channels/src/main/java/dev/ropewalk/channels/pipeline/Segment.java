package dev.ropewalk.channels.pipeline;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Spinner;
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

    /** Written by its fiber, read when that has ended. */
    private boolean hasBegun;

    private int untilSample;

    /**
     * The last stage that wants nothing more; -1 if all do. Those behind it go on with what came.
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
        this.end = new EndStage(this, out, counters.isEmpty() ? source : counters.getLast());
        this.outs = outs;
        this.where = where;
    }

    @Nullable Spinner where() {
        return where;
    }

    String name() {
        return counters.isEmpty() ? source.name : counters.getFirst().name;
    }

    // ---------------------------------------------------------------- from stages

    /** The step wants nothing more; what it has passed on goes on. */
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
     * Nobody reads what it makes: it is left where it waits. Works from any thread, before it runs
     * too.
     */
    void stop() {
        isUnwanted = true;
        CancelScope running = scope;
        if (running != null) {
            running.cancel();
        }
    }

    /**
     * The run is over, and its fibers have ended; one may have been ended before it began, or its
     * cord was closed. Then its source and its links are to be ended all the same.
     */
    void endIfNotBegun(Throwable why) {
        if (!hasBegun) {
            end(why);
        }
    }

    /** Until the elements have ended, or nothing more is wanted. */
    void run() {
        hasBegun = true;
        Throwable why = null;
        try {
            CancelScope own = CancelScope.withoutLimit();
            scope = own;
            if (!isUnwanted) {
                own.<Exception>runOrLeave(this::pump);
            }
        } catch (EndedElsewhere elsewhere) {
            why = run.failure();
        } catch (Throwable thrown) {
            if (thrown instanceof Error signal && Waits.isSignal(thrown)) {
                run.endedBySignal(nameAt());
                why = run.failure();
                throw signal;
            }
            PipelineFailedException failure = run.fail(nameAt(), thrown);
            why = failure;
            throw failure;
        } finally {
            end(why);
        }
    }

    private void end(@Nullable Throwable ended) {
        Throwable why = ended;
        try {
            feed.end(why);
        } catch (RuntimeException e) {
            PipelineFailedException failure = run.fail(source.name, e);
            why = failure;
            throw failure;
        } finally {
            for (Link each : outs) {
                each.endWriting(why);
            }
        }
    }

    private String nameAt() {
        if (failedAt >= 0) {
            return counters.get(failedAt).name;
        }
        return source.isListed ? source.name : name();
    }

    private void pump() throws Exception {
        Stage first = plainStages();
        boolean isWanted = true;
        while (isWanted && finished < 0) {
            boolean isSampled = isSampled();
            Object element = isSampled ? sampledNext() : feed.next(waiting);
            if (element == null) {
                break;
            }
            source.elements++;
            isWanted = isSampled ? first.sample(element) : first.accept(element);
            if (source.elements == StageCopies.WORTH_IT_AFTER) {
                first = copiedStages();
            }
        }
        if (isWanted) {
            passOnRests();
        }
    }

    /** What stateful steps still have. Steps that something behind them has finished keep it. */
    private void passOnRests() throws Exception {
        boolean isWanted = true;
        for (int i = finished + 1; isWanted && i < steps.size(); i++) {
            Object rest =
                    steps.get(i).function() instanceof Step.Stateful stateful
                            ? stateful.rest()
                            : null;
            if (rest != null) {
                isWanted = stagesFrom(i + 1, false).accept(rest);
            }
        }
    }

    private Stage plainStages() {
        return stagesFrom(0, false);
    }

    private Stage copiedStages() {
        return stagesFrom(0, true);
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

    private boolean isSampled() {
        if (source.elements < StageCounter.ALL_SAMPLED) {
            return true;
        }
        if (--untilSample > 0) {
            return false;
        }
        untilSample = StageCounter.SAMPLE_EVERY;
        return true;
    }

    /** What a source does to get an element is its work; what a link waits is counted there. */
    private @Nullable Object sampledNext() throws Exception {
        if (!source.isListed) {
            return feed.next(waiting);
        }
        long waitedNs = source.inputWaitNs();
        long sinceNs = Waits.nanoTime();
        Object element = feed.next(waiting);
        source.sample(Waits.nanoTime() - sinceNs - (source.inputWaitNs() - waitedNs));
        return element;
    }
}
