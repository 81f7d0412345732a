package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds out whether a wait that begins would close a circle in which nobody can ever go on (rule
 * F9): the fiber would wait for one who waits for it, perhaps through others.
 *
 * <p>It goes from whom the fiber would wait for to whom that one waits for, and so on:
 *
 * <ul>
 *   <li>who awaits a fiber waits for it;
 *   <li>who awaits all of several, or the fibers of a scope, waits for each of them;
 *   <li>who awaits any of several is stuck only if all of them lead back;
 *   <li>who waits for a lock waits for its one holder, unless a limit ends that wait: trying with a
 *       limit and letting go is a way out of a circle, so it is no error.
 * </ul>
 *
 * <p>Only fibers of the calling cord are followed: they stand still meanwhile, while those of other
 * cords would race. Of a fiber that does not wait, a bare suspend or a channel nothing is known,
 * and nothing follows. Most waits end after one step. A search gives up after {@link #MOST_STEPS},
 * for it would stop the cord; the circle then stands in the dump.
 *
 * <p>Rejected: a graph of all fibers for each wait, as {@link WaitGraph} makes it for reports.
 */
final class WaitCycle {
    static final int MOST_STEPS = 10_000;

    private static final int MOST_NAMES = 12;

    private final Fiber<?> me;

    /** What it is about to wait for. */
    private final Object wanted;

    private final Set<Fiber<?>> seen = new HashSet<>();

    /** Of those, who is known to wait for me. */
    private final Set<Fiber<?>> leading = new HashSet<>();

    /** From the first that is waited for to the one that waits for me, while that is searched. */
    private final List<Fiber<?>> path = new ArrayList<>();

    private WaitCycle(Fiber<?> me, Object wanted) {
        this.me = me;
        this.wanted = wanted;
    }

    // ---------------------------------------------------------------- before a wait

    /** Before the fiber awaits the end of another. */
    static void check(Fiber<?> me, Fiber<?> target) {
        if (mayLeadTo(me, target)) {
            new WaitCycle(me, "its end").refuseIf(List.of(target), true);
        }
    }

    /** Before the fiber awaits the ends of all of them, or else of the first. */
    static void check(Fiber<?> me, List<? extends Fiber<?>> targets, boolean needsAll) {
        if (targets.contains(me)) {
            throw new DeadlockException(awaitsItself(me));
        }
        for (Fiber<?> each : targets) {
            if (mayLeadTo(me, each)) {
                new WaitCycle(me, needsAll ? "the ends of several" : "the first end of several")
                        .refuseIf(targets, needsAll);
                return;
            }
        }
    }

    /** Before the running fiber waits, without a limit, for what somebody holds. */
    static void check(Held wanted) {
        Fiber<?> me = Fiber.currentOrNull();
        Fiber<?> holder = me == null ? null : holderOf(wanted);
        if (me == null || holder == null || holder == me) {
            return; // that it locks it again is told by the lock itself
        }
        if (mayLeadTo(me, holder) && !me.isLimitedByScope()) {
            new WaitCycle(me, wanted).refuseIf(List.of(holder), true);
        }
    }

    private static boolean mayLeadTo(Fiber<?> me, Fiber<?> next) {
        return next == me || (next.cord == me.cord && next.rawState() == FiberCore.WAITING);
    }

    private void refuseIf(List<? extends Fiber<?>> targets, boolean needsAll) {
        if (leads(targets, needsAll)) {
            throw new DeadlockException(describe());
        }
    }

    // ---------------------------------------------------------------- the search

    private boolean leads(List<? extends Fiber<?>> targets, boolean needsAll) {
        int length = path.size();
        int first = length;
        for (Fiber<?> each : targets) {
            boolean leads = leadsToMe(each);
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
    private boolean leadsToMe(Fiber<?> from) {
        int length = path.size();
        Fiber<?> next = from;
        while (next != null && next != me && !leading.contains(next)) {
            if (seen.size() == MOST_STEPS || !mayLeadTo(me, next) || !seen.add(next)) {
                next = null;
                break;
            }
            path.add(next);
            if (next.awaited() == null && next.waitReason() instanceof Several several) {
                next = leads(several.fibers(), several.needsAll()) ? me : null;
            } else {
                next = waitedForBy(next);
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

    /** Several whose ends a fiber waits for: the reason of its wait. */
    interface Several {
        List<? extends Fiber<?>> fibers();

        boolean needsAll();
    }

    private static @Nullable Fiber<?> waitedForBy(Fiber<?> waiting) {
        Fiber<?> awaited = waiting.awaited();
        if (awaited != null) {
            return awaited;
        }
        boolean isForLock =
                waiting.waitReason() instanceof Party<?> party
                        && party.guarded instanceof Held
                        && !party.isLimited
                        && !waiting.isLimitedByScope();
        return isForLock ? holderOf(((Party<?>) waiting.waitReason()).guarded) : null;
    }

    private static @Nullable Fiber<?> holderOf(@Nullable Object wanted) {
        return wanted instanceof Held held && held.holder() instanceof Fiber<?> holder
                ? holder
                : null;
    }

    // ---------------------------------------------------------------- the text

    private String describe() {
        if (path.isEmpty()) {
            return awaitsItself(me);
        }
        StringBuilder text = new StringBuilder("a cycle of waits would close on ");
        text.append(me.cord()).append(": ").append(me.name());
        text.append(" would wait for ").append(path.getFirst().name()).append(" (");
        text.append(Texts.of(wanted)).append(')');
        for (int i = 0; i < Math.min(path.size(), MOST_NAMES); i++) {
            Fiber<?> next = i + 1 < path.size() ? path.get(i + 1) : me;
            text.append(", ").append(path.get(i).name()).append(" waits for ").append(next.name());
            text.append(" (").append(Texts.of(path.get(i).waitReason())).append(')');
        }
        if (path.size() > MOST_NAMES) {
            text.append(", and so on over ").append(path.size() + 1).append(" fibers");
        }
        return text.append("; take locks in one order, or wait with a limit").toString();
    }

    private static String awaitsItself(Fiber<?> me) {
        return me + " awaits itself; its end cannot come while it waits for it";
    }
}
