package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Looks for fibers of a cord that wait for each other, in portions, so that the cord usually stands
 * still for a fraction of a millisecond. To be asked on the cord, again and again until there is an
 * answer; between two questions its fibers run.
 *
 * <p>A busy cord has a turn for a portion each few milliseconds. So when the search has taken some
 * time it does the rest in one step.
 *
 * <p>Each circle has a fiber that waits for another fiber, or that holds something. The portions
 * walk the tree and keep those fibers, which are few; the last step makes the graph of their waits,
 * of one moment. A circle that was there when the search began is found: none of its fibers moves.
 *
 * <p>The walk goes on from a fiber that was alive at the end of the last portion. If that has
 * ended, or has another parent, it begins again, and after some times it does all in one step.
 */
final class CycleSearch {
    private static final int PORTION = 500;
    private static final int MAX_WALKS = 4;
    private static final long IN_PORTIONS_NS = 50_000_000;

    private final CordImpl cord;
    private final Function<Object, String> words;

    /** Those that are below no other fiber of the cord, of this walk. */
    private List<FiberImpl<?>> tops = List.of();

    private int top;

    /** To be looked at next; null behind the last one, and before the first. */
    private @Nullable FiberImpl<?> next;

    private @Nullable FiberImpl<?> parentOfNext;
    private long beganNs;

    private final List<FiberImpl<?>> kept = new ArrayList<>();
    private int walks;

    CycleSearch(CordImpl cord, Function<Object, String> words) {
        this.cord = cord;
        this.words = words;
    }

    /** Null unless it was the last portion. */
    @Nullable List<String> step() {
        if (walks == 0) {
            beganNs = cord.nanoTime();
        }
        if (next == null || next.outcome() != null || next.parentOrNull() != parentOfNext) {
            if (walks == MAX_WALKS) {
                return new WaitGraph(List.of(cord), cord.roster.fibers()).cycles(words);
            }
            begin();
        }
        boolean isSlow = cord.nanoTime() - beganNs > IN_PORTIONS_NS;
        for (int left = isSlow ? Integer.MAX_VALUE : PORTION; left > 0 && next != null; left--) {
            look(next);
            next = behind(next);
        }
        parentOfNext = next == null ? null : next.parentOrNull();
        return next == null ? new WaitGraph(List.of(cord), kept).cycles(words) : null;
    }

    private void begin() {
        walks++;
        kept.clear();
        tops = cord.roster.topFibers();
        top = 0;
        next = tops.getFirst();
    }

    private void look(FiberImpl<?> fiber) {
        if (fiber.held != null || WaitGraph.mayWaitForFibers(fiber)) {
            kept.add(fiber);
        }
    }

    /** Parents first; null behind the last one. */
    private @Nullable FiberImpl<?> behind(FiberImpl<?> fiber) {
        FiberImpl<?> below = here(fiber.firstChild());
        if (below != null) {
            return below;
        }
        FiberImpl<?> last = tops.get(top);
        for (@Nullable FiberImpl<?> each = fiber;
                each != null && each != last;
                each = each.parentOrNull()) {
            FiberImpl<?> sibling = here(each.nextSibling);
            if (sibling != null) {
                return sibling;
            }
        }
        top++;
        return top < tops.size() ? tops.get(top) : null;
    }

    /** It, or the first one behind it that is of this cord. */
    private @Nullable FiberImpl<?> here(@Nullable FiberImpl<?> child) {
        FiberImpl<?> each = child;
        while (each != null && each.cordOrNull() != cord) {
            each = each.nextSibling;
        }
        return each;
    }
}
