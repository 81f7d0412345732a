package dev.ropewalk.channels.pipeline;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Spinner;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A run of stages that one fiber carries out, from a feed to a link, or to nothing if the last
 * stage keeps what it makes. Between its stages there is no channel: one loop passes each element
 * through all of them.
 */
final class Segment {
    private final PipelineRun<?> run;
    private final Feed feed;
    private final StageCounter source;

    /** Of the stage that waits for the feed. */
    private final StageCounter waiting;

    private final Step[] steps;
    private final StageCounter[] counters;

    /** Null if the last stage keeps what it makes. */
    private final @Nullable Link out;

    /** All that it writes to, and has to end. */
    private final List<Link> outs;

    /** Where it runs; null for the cord of the caller. */
    private final @Nullable Spinner where;

    /** Null before it runs. */
    private volatile @Nullable CancelScope scope;

    private volatile boolean isUnwanted;
    private int untilSample;
    private boolean isTimed;

    /**
     * The last stage that wants nothing more; -1 if all do. Those behind it go on with what came.
     */
    private int finished = -1;

    /** The stage that is at work, for the name of a failure; -1 is the source. */
    private int at = -1;

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
        this.steps = steps.toArray(Step[]::new);
        this.counters = counters.toArray(StageCounter[]::new);
        boolean isFromLink = !(counters.isEmpty() || source.isListed);
        this.waiting = isFromLink ? counters.getFirst() : source;
        this.out = out;
        this.outs = outs;
        this.where = where;
    }

    @Nullable Spinner where() {
        return where;
    }

    String name() {
        return counters.length == 0 ? source.name : counters[0].name;
    }

    /** Nothing more is wanted by the stage at work; what it has passed on goes on. */
    void finish() {
        finished = Math.max(finished, at);
    }

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

    /** Until the elements have ended, or nothing more is wanted. */
    void run() {
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
        return at < 0 ? source.name : counters[at].name;
    }

    private void pump() throws Exception {
        boolean isWanted = true;
        while (isWanted && finished < 0) {
            at = -1;
            isTimed = isSampled();
            Object element = isTimed ? timedNext() : feed.next(waiting);
            if (element == null) {
                break;
            }
            source.elements++;
            isWanted = push(element, 0);
        }
        for (int i = finished + 1; isWanted && i < steps.length; i++) {
            at = i;
            Object rest =
                    steps[i].function() instanceof Step.Stateful stateful ? stateful.rest() : null;
            if (rest != null) {
                isWanted = push(rest, i + 1);
            }
        }
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
    private @Nullable Object timedNext() throws Exception {
        if (!source.isListed) {
            return feed.next(waiting);
        }
        long waitedNs = source.inputWaitNs();
        long sinceNs = Waits.nanoTime();
        Object element = feed.next(waiting);
        source.sample(Waits.nanoTime() - sinceNs - (source.inputWaitNs() - waitedNs));
        return element;
    }

    /** False if nothing more is wanted behind the segment. */
    private boolean push(Object first, int from) throws Exception {
        Object element = first;
        for (int i = from; i < steps.length; i++) {
            at = i;
            Step step = steps[i];
            StageCounter counter = counters[i];
            counter.elements++;
            long sinceNs = isTimed ? Waits.nanoTime() : 0;
            switch (step.kind()) {
                case MAP -> element = made(Segment.<Object>function(step).apply(element));
                case FILTER -> {
                    if (!Segment.test(step).test(element)) {
                        element = Step.NOTHING;
                    }
                }
                case EACH -> Segment.action(step).accept(element);
                case STATEFUL ->
                        element = made(((Step.Stateful) step.function()).apply(element, this));
                case FLAT -> {
                    Iterable<?> many = made(Segment.<Iterable<?>>function(step).apply(element));
                    if (isTimed) {
                        counter.sample(Waits.nanoTime() - sinceNs);
                    }
                    return pushAll(many, i);
                }
            }
            if (isTimed) {
                counter.sample(Waits.nanoTime() - sinceNs);
            }
            if (element == Step.NOTHING) {
                return true;
            }
        }
        return out == null || out.put(element, counters.length == 0 ? source : last());
    }

    private StageCounter last() {
        return counters[counters.length - 1];
    }

    private boolean pushAll(Iterable<?> many, int maker) throws Exception {
        for (Object each : many) {
            if (!push(made(each), maker + 1)) {
                return false;
            }
            if (finished > maker) {
                return true;
            }
            at = maker;
        }
        return true;
    }

    private <T> T made(@Nullable T made) {
        if (made == null) {
            throw new NullPointerException(
                    "stage \""
                            + nameAt()
                            + "\" made null; leave elements out by filter or flatMap");
        }
        return made;
    }

    @SuppressWarnings("unchecked") // the kind says so
    private static <T> StageFunction<Object, T> function(Step step) {
        return (StageFunction<Object, T>) step.function();
    }

    @SuppressWarnings("unchecked") // the kind says so
    private static StageTest<Object> test(Step step) {
        return (StageTest<Object>) step.function();
    }

    @SuppressWarnings("unchecked") // the kind says so
    private static StageAction<Object> action(Step step) {
        return (StageAction<Object>) step.function();
    }
}
