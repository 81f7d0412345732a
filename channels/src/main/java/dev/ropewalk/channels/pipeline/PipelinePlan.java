package dev.ropewalk.channels.pipeline;

import dev.ropewalk.fibers.Spinner;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a description into segments, for one run. A segment ends where the description says so,
 * where the place changes, and where a stage needs other fibers or a clock: several fibers for one
 * stage, batches by time, a second source.
 */
final class PipelinePlan {
    /** Of a link where the description does not say. */
    static final int DEFAULT_CAPACITY = 64;

    private final PipelineRun<?> run;

    /** All segments are on the cord of the caller, so links take no atomic instruction. */
    private final boolean isLocal;

    private final List<Segment> segments = new ArrayList<>();

    /** Of all sources; they are to be ended. */
    private final List<Feed> sources = new ArrayList<>();

    private PipelinePlan(PipelineRun<?> run, List<Part> parts) {
        this.run = run;
        this.isLocal = isLocal(parts);
    }

    /**
     * In the order in which they stand; the last one has the last stage. If that fails, the sources
     * that were made are ended.
     */
    static List<Segment> segments(PipelineRun<?> run, List<Part> parts) {
        PipelinePlan plan = new PipelinePlan(run, parts);
        try {
            plan.draft(parts).end(null);
        } catch (Throwable broken) {
            plan.endSources(broken);
            throw broken;
        }
        return plan.segments;
    }

    private void endSources(Throwable why) {
        for (Feed each : sources) {
            try {
                each.end(why);
            } catch (Throwable broken) {
                why.addSuppressed(broken);
            }
        }
    }

    private static boolean isLocal(List<Part> parts) {
        for (Part each : parts) {
            boolean isElsewhere =
                    switch (each) {
                        case Part.On on -> true;
                        case Part.Merge merge ->
                                !merge.others().stream().allMatch(PipelinePlan::isLocal);
                        case Part.Zip zip -> !isLocal(zip.other());
                        default -> false;
                    };
            if (isElsewhere) {
                return false;
            }
        }
        return true;
    }

    /** A segment that is not ended yet. */
    private final class Draft {
        private final Feed feed;
        private final StageCounter source;
        private final List<Step> steps = new ArrayList<>();
        private final List<StageCounter> counters = new ArrayList<>();
        private final List<Link> outs = new ArrayList<>();
        private final @Nullable Spinner where;

        Draft(Feed feed, StageCounter source, @Nullable Spinner where) {
            this.feed = feed;
            this.source = source;
            this.where = where;
        }

        void add(Step step, StageCounter counter) {
            steps.add(step);
            counters.add(counter);
        }

        /** Of the stage that waits if the next one has no room. */
        StageCounter last() {
            return StageCounter.lastListed(source, counters);
        }

        Segment end(@Nullable Link out) {
            if (out != null) {
                outs.add(out);
            }
            Segment segment = new Segment(run, feed, source, steps, counters, out, outs, where);
            outs.forEach(each -> each.addUpstream(segment));
            segments.add(segment);
            return segment;
        }
    }

    private Draft draft(List<Part> parts) {
        Part.Open open = (Part.Open) parts.getFirst();
        StageCounter source = run.counter(open.name());
        Feed feed = open.feed().get();
        sources.add(feed);
        Draft draft = new Draft(feed, source, null);
        for (Part each : parts.subList(1, parts.size())) {
            switch (each) {
                case Part.Open again -> throw new IllegalStateException("a second source");
                case Part.Do one -> {
                    Step step = one.step().get();
                    draft.add(step, run.counter(step.name()));
                }
                case Part.Buffer buffer ->
                        draft = behind(draft, link(buffer.capacity(), 1), draft.where);
                case Part.On on -> draft = behind(draft, link(on.capacity(), 1), on.where());
                case Part.Parallel parallel -> draft = parallel(draft, parallel);
                case Part.Batch batch -> draft = batch(draft, batch);
                case Part.Merge merge -> draft = merge(draft, merge);
                case Part.Zip zip -> draft = zip(draft, zip);
            }
        }
        return draft;
    }

    private Link link(int capacity, int writers) {
        return new Link(capacity, isLocal, writers, 1);
    }

    private static StageCounter unlisted(String name) {
        return new StageCounter(name, false);
    }

    private Draft behind(Draft before, Link link, @Nullable Spinner where) {
        before.end(link);
        return new Draft(link, unlisted("input"), where);
    }

    // ---------------------------------------------------------------- stages with fibers of their
    // own

    private Draft parallel(Draft before, Part.Parallel part) {
        int fibers = part.fibers();
        List<StageCounter> counters = run.counters(part.name(), fibers);
        Link work = new Link(fibers, isLocal, 1, fibers);
        Link made;
        if (part.isOrdered()) {
            Link order = new Link(2 * fibers, isLocal, 1, 1);
            Step slots = new Step(Step.Kind.STATEFUL, part.name(), slots(order, before.last()));
            before.add(slots, unlisted(part.name()));
            before.outs.add(order);
            made = order;
        } else {
            made = new Link(DEFAULT_CAPACITY, isLocal, fibers, 1);
        }
        before.end(work);
        for (StageCounter each : counters) {
            Draft worker = new Draft(work, unlisted("input"), before.where);
            worker.add(workOf(part), each);
            if (part.isOrdered()) {
                made.addUpstream(worker.end(null));
            } else {
                worker.end(made);
            }
        }
        Feed feed = part.isOrdered() ? new Feeds.InOrder(made) : made;
        return new Draft(feed, unlisted("input"), before.where);
    }

    /**
     * Puts each element where it keeps its place too.
     *
     * @param counter of the stage that waits for room there
     */
    private static Step.Stateful slots(Link order, StageCounter counter) {
        return (element, segment, index) -> {
            OrderedSlot slot = new OrderedSlot(element);
            if (!order.put(slot, counter)) {
                segment.finish(index);
                return Step.NOTHING;
            }
            return slot;
        };
    }

    private static Step workOf(Part.Parallel part) {
        if (!part.isOrdered()) {
            return new Step(Step.Kind.MAP, part.name(), part.function());
        }
        Step.Stateful fill =
                (element, segment, index) -> {
                    OrderedSlot slot = (OrderedSlot) element;
                    Object made = null;
                    try {
                        made = Step.notNull(part.name(), part.function().apply(slot.element()));
                    } finally {
                        slot.fill(made);
                    }
                    return Step.NOTHING;
                };
        return new Step(Step.Kind.STATEFUL, part.name(), fill);
    }

    private Draft batch(Draft before, Part.Batch part) {
        Link link = link(DEFAULT_CAPACITY, 1);
        Step stamp = new Step(Step.Kind.STATEFUL, part.name(), Steps.stamp());
        before.add(stamp, unlisted(part.name()));
        before.end(link);
        StageCounter counter = run.counter(part.name());
        Feed batches = new Feeds.OfBatches(link, part.size(), part.limitNs(), counter);
        return new Draft(batches, unlisted("input"), before.where);
    }

    // ---------------------------------------------------------------- stages with a second source

    private Draft merge(Draft before, Part.Merge part) {
        Link link = link(DEFAULT_CAPACITY, 1 + part.others().size());
        before.end(link);
        for (List<Part> each : part.others()) {
            draft(each).end(link);
        }
        Draft behind = new Draft(link, unlisted("input"), before.where);
        behind.add(new Step(Step.Kind.EACH, part.name(), NO_ACTION), run.counter(part.name()));
        return behind;
    }

    private static final StageAction<Object> NO_ACTION = element -> {};

    private Draft zip(Draft before, Part.Zip part) {
        Link first = link(DEFAULT_CAPACITY, 1);
        before.end(first);
        Link second = link(DEFAULT_CAPACITY, 1);
        draft(part.other()).end(second);
        return new Draft(
                new Feeds.OfPairs(first, second, part.name(), part.function()),
                run.counter(part.name()),
                before.where);
    }
}
