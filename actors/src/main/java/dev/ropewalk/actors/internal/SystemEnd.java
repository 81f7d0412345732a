package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.dump.CordQuery;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * The end of a system, from the stop of its root to the end of its cords. It waits as clean-up does
 * ({@link Waits#cleanUp}), and for nothing without a bound: what answers ends within its stop
 * limits, and on a cord that does not answer a fiber keeps the thread, so nothing there can end
 * before that gives way. Such a cord is left: it was told, and ends as soon as it can.
 *
 * <p>A system ends when the heap is full, too. So its actors are told to stop before anything else,
 * and what waits for them are classes and not lambdas, whose code would have to be made then.
 */
public final class SystemEnd {
    /** How often it is asked whether the cords that are waited for still answer. */
    private static final long LOOK_NS = Duration.ofMillis(200).toNanos();

    /** For what abandoned fibers have left. */
    private static final long GRACE_NS = Duration.ofSeconds(1).toNanos();

    private final long silentNs;
    private final List<Cord> left = new ArrayList<>();
    private final List<CordDump> stuck = new ArrayList<>();

    /**
     * An end that gives up cords which do not answer.
     *
     * @param silentNs how long one may not; {@code Long.MAX_VALUE} for ever
     */
    public SystemEnd(long silentNs) {
        this.silentNs = silentNs;
    }

    /**
     * Waits for the end of all actors, which were told to stop, each within its stop limit; what is
     * left when the limit for all together has passed is abandoned.
     *
     * @param limitNs {@code Long.MAX_VALUE} for none
     */
    public void endActors(SupervisorCell root, Fiber<?> rootFiber, long limitNs) {
        boolean isOver = await(root.cord(), new RootEnd(rootFiber), limitNs);
        if (!isOver && !left.contains(root.cord())) {
            CordQuery.ask(
                    root.cord(),
                    () -> {
                        root.giveUp();
                        return root;
                    });
            await(root.cord(), new RootEnd(rootFiber), GRACE_NS);
        }
    }

    /** Waits until what the actors on these cords had queued has become dead letters. */
    public static void awaitLetters(List<Cord> cords, long limitNs) {
        long beganNs = Waits.nanoTime();
        for (Cord each : cords) {
            CordQuery.ask(each, () -> true).await(leftNs(limitNs, beganNs));
        }
    }

    /** The same, as a part of the end. */
    public void settle(List<Cord> cords) {
        for (Cord each : cords) {
            if (!left.contains(each) && !Waits.cleanUp(new Answer(this, each))) {
                leave(each);
            }
        }
    }

    /** Ends the cords, and waits for it. */
    public void endCords(List<Cord> cords) {
        cords.forEach(each -> each.closeWithin(Duration.ZERO));
        for (Cord each : cords) {
            if (!left.contains(each)) {
                await(each, each::closeWithin, Long.MAX_VALUE);
            }
        }
    }

    /** The cords that did not answer and were left, with what keeps them. */
    public List<CordDump> stuck() {
        return List.copyOf(stuck);
    }

    /** False if the limit passed, or the cord was left. */
    private boolean await(Cord cord, Predicate<Duration> end, long limitNs) {
        long beganNs = Waits.nanoTime();
        for (; ; ) {
            long leftNs = leftNs(limitNs, beganNs);
            long lookNs = CordQuery.mayBeSilent(cord) ? Math.min(LOOK_NS, leftNs) : leftNs;
            if (Waits.cleanUp(new Wait(end, lookNs))) {
                return true;
            }
            if (leftNs(limitNs, beganNs) == 0) {
                return false;
            }
            if (!Waits.cleanUp(new Answer(this, cord))) {
                leave(cord);
                return false;
            }
        }
    }

    private static long leftNs(long limitNs, long beganNs) {
        return limitNs == Long.MAX_VALUE
                ? limitNs
                : Math.max(0, limitNs - (Waits.nanoTime() - beganNs));
    }

    private boolean answers(Cord cord) {
        CordQuery<Boolean> query = CordQuery.ask(cord, () -> true);
        return query.await(silentNs) != null || query.hasCordEnded();
    }

    private void leave(Cord cord) {
        left.add(cord);
        stuck.add(cord.dump(Duration.ZERO));
    }

    private record RootEnd(Fiber<?> root) implements Predicate<Duration> {
        @Override
        public boolean test(Duration limit) {
            return root.awaitEnd(limit);
        }
    }

    private record Wait(Predicate<Duration> end, long limitNs) implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return end.test(Duration.ofNanos(limitNs));
        }
    }

    private record Answer(SystemEnd system, Cord cord) implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return system.answers(cord);
        }
    }
}
