package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.FiberAwait;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.GuardedWait;
import dev.ropewalk.fibers.spi.HasHolder;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds out whether a wait that begins would close a circle in which no fiber can ever go on (rule
 * F9): the fiber would wait for another that waits for it, perhaps through others.
 *
 * <p>The search goes from the fiber that is to be awaited to the fiber that it awaits in turn, and
 * so on:
 *
 * <ul>
 *   <li>an awaiter of a fiber waits for it;
 *   <li>an awaiter of all of several, or the fibers of a scope, waits for each of them;
 *   <li>an awaiter of any of several is stuck only if all of them lead back;
 *   <li>a waiter for a lock waits for its one holder;
 *   <li>a fiber whose wait has a limit, its own or that of a {@link CancelScope}, does not wait for
 *       ever: trying with a limit and letting go is a way out of a circle, so it is no error. Nor
 *       does a fiber whose wait was answered and which is about to be told.
 * </ul>
 *
 * <p>Only fibers of the calling cord are followed: they stand still meanwhile, while those of other
 * cords would race. Of a fiber that does not wait, a bare suspend or a channel nothing is known,
 * and nothing follows. A chain is walked without a trace; only where it branches is a search made.
 * It gives up after {@link #MAX_STEPS}, because it would stop the cord; the circle then stands in
 * the dump.
 *
 * <p>Rejected: a graph of all fibers for each wait, as {@link WaitGraph} makes it for reports.
 */
public final class WaitCycle {
    /** Fibers followed in a search. */
    public static final int MAX_STEPS = 1_000;

    /** Fibers of a chain, each of which costs a few reads. */
    private static final int LONGEST_CHAIN = 10_000;

    private static final int MAX_NAMES = 12;

    private final FiberImpl<?> me;

    /** The reason of the wait that is about to begin. */
    private final Object wanted;

    private int steps;
    private final Set<FiberImpl<?>> seen = new HashSet<>();

    /** The fibers among them that are known to wait for me. */
    private final Set<FiberImpl<?>> leading = new HashSet<>();

    /** From the first that is waited for to the one that waits for me, while that is searched. */
    private final List<FiberImpl<?>> path = new ArrayList<>();

    private WaitCycle(FiberImpl<?> me, Object wanted) {
        this.me = me;
        this.wanted = wanted;
    }

    // ---------------------------------------------------------------- before a wait

    /** Before the fiber awaits the end of another. */
    public static void check(FiberImpl<?> me, FiberImpl<?> target) {
        check(me, target, Long.MAX_VALUE);
    }

    /** The same with a limit, with which it is only an error to await oneself. */
    public static void check(FiberImpl<?> me, FiberImpl<?> target, long limitNanos) {
        if (target == me) {
            throw new DeadlockException(awaitsItself(me));
        }
        if (limitNanos == Long.MAX_VALUE) {
            checkChain(me, target, "its end");
        }
    }

    /** Before the fiber awaits the ends of all of them, or of the first. */
    public static void check(FiberImpl<?> me, Several wanted) {
        List<? extends Fiber<?>> targets = wanted.fibers();
        boolean needsAll = wanted.needsAll();
        if (targets.contains(me)) {
            throw new DeadlockException(awaitsItself(me));
        }
        for (Fiber<?> each : targets) {
            if (isStuckHere(me, FiberImpl.of(each))) {
                new WaitCycle(me, needsAll ? "the ends of several" : "the first end of several")
                        .refuseIf(targets, needsAll);
                return;
            }
        }
    }

    /** Before the running fiber waits, without a limit, for a thing that has a holder. */
    public static void check(HasHolder wanted) {
        FiberImpl<?> me = FiberImpl.currentOrNull();
        FiberImpl<?> holder = me == null ? null : holderOf(wanted);
        if (me != null && holder != null && holder != me) { // if it is, the lock itself says so
            checkChain(me, holder, wanted);
        }
    }

    private static void checkChain(FiberImpl<?> me, FiberImpl<?> target, Object wanted) {
        FiberImpl<?> next = target;
        for (int i = 0; next != null && i < LONGEST_CHAIN; i++) {
            boolean branches = next.waitReason() instanceof Several;
            if (next == me || (branches && isStuckHere(me, next))) {
                new WaitCycle(me, wanted).refuseIf(List.of(target), true);
                return;
            }
            next = isStuckHere(me, next) ? waitedForBy(next) : null;
        }
    }

    private void refuseIf(List<? extends Fiber<?>> targets, boolean needsAll) {
        boolean mayLeave = Cancellation.isAlerted(me) || Cancellation.isLimitedByScope(me);
        if (!mayLeave && leads(targets, needsAll)) {
            throw new DeadlockException(describe());
        }
    }

    // ---------------------------------------------------------------- one fiber

    /** Whether it waits on my cord, and only the end of that wait lets it go on. */
    private static boolean isStuckHere(FiberImpl<?> me, FiberImpl<?> next) {
        return next.cord == me.cord
                && next.rawState() == FiberImpl.WAITING
                && !hasLimit(next)
                && (next.openWaiter == null || next.openWaiter.isWaiting());
    }

    private static boolean hasLimit(FiberImpl<?> waiting) {
        Object reason = waiting.waitReason();
        boolean ofItsOwn =
                reason instanceof GuardedWait node
                        ? node.isLimited()
                        : reason instanceof FiberAwait.EndOf end && end.isLimited();
        return ofItsOwn || Cancellation.isLimitedByScope(waiting);
    }

    private static @Nullable FiberImpl<?> waitedForBy(FiberImpl<?> waiting) {
        FiberImpl<?> awaited = waiting.awaited();
        if (awaited != null) {
            return awaited;
        }
        return waiting.waitReason() instanceof GuardedWait node ? holderOf(node.guarded()) : null;
    }

    private static @Nullable FiberImpl<?> holderOf(@Nullable Object wanted) {
        return wanted instanceof HasHolder held && held.holder() instanceof FiberImpl<?> holder
                ? holder
                : null;
    }

    /** One that a fiber waits for: the reason of its wait. */
    public interface One {
        Fiber<?> awaited();
    }

    /** Several whose ends a fiber waits for: the reason of its wait. */
    public interface Several {
        List<? extends Fiber<?>> fibers();

        boolean needsAll();
    }

    // ---------------------------------------------------------------- the search

    private boolean leads(List<? extends Fiber<?>> targets, boolean needsAll) {
        int length = path.size();
        int first = length;
        for (Fiber<?> each : targets) {
            boolean leads = leadsToMe(FiberImpl.of(each));
            if (leads && needsAll) {
                return true;
            }
            if (!leads && !needsAll) {
                cutTo(length);
                return false;
            }
            if (leads) { // one way is enough to be told
                leading.addAll(path.subList(length, path.size()));
                first = first == length ? path.size() : first;
                cutTo(first);
            }
        }
        return !needsAll && !targets.isEmpty();
    }

    /** True leaves the path there, and false as it was. */
    private boolean leadsToMe(FiberImpl<?> from) {
        int length = path.size();
        FiberImpl<?> next = from;
        while (next != null && next != me && !leading.contains(next)) {
            if (++steps > LONGEST_CHAIN || !isStuckHere(me, next) || !seen.add(next)) {
                next = null;
                break;
            }
            path.add(next);
            if (!(next.waitReason() instanceof Several several)) {
                next = waitedForBy(next);
            } else {
                steps += LONGEST_CHAIN / MAX_STEPS; // to branch costs more than to go on
                next = leads(several.fibers(), several.needsAll()) ? me : null;
            }
        }
        if (next == null) {
            cutTo(length);
        }
        return next != null;
    }

    private void cutTo(int length) {
        path.subList(length, path.size()).clear();
    }

    // ---------------------------------------------------------------- the text

    private String describe() {
        if (path.isEmpty()) {
            return awaitsItself(me);
        }
        StringBuilder text = new StringBuilder("a cycle of waits would close on ");
        text.append(me.cord()).append(": ").append(me.name());
        text.append(" would wait for ").append(path.getFirst().name()).append(" (");
        text.append(Lines.of(wanted)).append(')');
        for (int i = 0; i < Math.min(path.size(), MAX_NAMES); i++) {
            FiberImpl<?> next = i + 1 < path.size() ? path.get(i + 1) : me;
            text.append(", ").append(path.get(i).name()).append(" waits for ").append(next.name());
            text.append(" (").append(Lines.of(path.get(i).waitReason())).append(')');
        }
        if (path.size() > MAX_NAMES) {
            text.append(", and so on over ").append(path.size() + 1).append(" fibers");
        }
        return text.append("; take locks in one order, or wait with a limit").toString();
    }

    private static String awaitsItself(FiberImpl<?> me) {
        return me + " awaits itself; its end cannot come while it waits for it";
    }
}
