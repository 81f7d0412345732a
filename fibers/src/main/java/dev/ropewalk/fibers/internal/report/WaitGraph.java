package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.GuardedWait;
import dev.ropewalk.fibers.internal.fiber.Held;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The waits of a cord's fibers for each other, as far as they are known (rule F9): for an awaited
 * fiber, for the holder of a lock, and, if a fiber is ending, for its children. Of a bare suspend,
 * a channel or another cord's fibers nothing is known.
 *
 * <p>A snapshot, made and read on the cord, with nothing in between.
 */
final class WaitGraph {
    private static final int MAX_CYCLES = 5;
    private static final int MAX_NAMES = 12;

    /** A single cord, or several that share a thread. */
    private final Set<CordImpl> cords;

    private final List<FiberImpl<?>> fibers;

    /** By what others wait for; by identity, because equals may be the user's. */
    private final IdentityHashMap<Object, List<FiberImpl<?>>> holders = new IdentityHashMap<>();

    private final Set<FiberImpl<?>> done = new HashSet<>();
    private final List<List<FiberImpl<?>>> cycles = new ArrayList<>();

    WaitGraph(List<CordImpl> cords) {
        this(
                cords,
                cords.stream()
                        .<FiberImpl<?>>flatMap(each -> each.roster.fibers().stream())
                        .toList());
    }

    /** Of those that hold something, or may wait for fibers, all are among the given ones. */
    WaitGraph(List<CordImpl> cords, List<FiberImpl<?>> fibers) {
        this.cords = Set.copyOf(cords);
        this.fibers = List.copyOf(fibers);
        for (FiberImpl<?> each : fibers) {
            for (Held held = each.held; held != null; held = held.next()) {
                enter(held, each);
            }
        }
    }

    private void enter(Held held, FiberImpl<?> holder) {
        try {
            if (held.isHeld()) {
                for (Object awaited : held.awaitedAs()) {
                    holders.computeIfAbsent(awaited, _ -> new ArrayList<>(1)).add(holder);
                }
            }
        } catch (Throwable _) {
            // It is the user's code; its holder is not known then.
        }
    }

    /** Whether it waits for other fibers, and not for a thing that one of them may hold. */
    static boolean mayWaitForFibers(FiberImpl<?> fiber) {
        return fiber.rawState() == FiberImpl.WAITING
                && (fiber.awaited() != null
                        || fiber.isEnding()
                        || fiber.waitReason() instanceof WaitCycle.Several);
    }

    /** The fibers that it waits for; empty if it does not wait, or they are not known. */
    List<FiberImpl<?>> blockersOf(FiberImpl<?> fiber) {
        CordImpl home = fiber.cordOrNull();
        if (home == null || !cords.contains(home) || fiber.rawState() != FiberImpl.WAITING) {
            return List.of();
        }
        FiberImpl<?> awaited = fiber.awaited();
        if (awaited != null) {
            return List.of(awaited);
        }
        Object reason = fiber.waitReason();
        if (reason instanceof WaitCycle.Several several && several.needsAll()) {
            return FiberImpl.allOf(several.fibers());
        }
        Object awaitedThing = reason instanceof GuardedWait node ? node.guarded() : reason;
        List<FiberImpl<?>> holding = awaitedThing == null ? null : holders.get(awaitedThing);
        if (holding != null) {
            return holding;
        }
        return fiber.isEnding() ? childrenOf(fiber) : List.of();
    }

    private List<FiberImpl<?>> childrenOf(FiberImpl<?> ending) {
        List<FiberImpl<?>> all = new ArrayList<>();
        for (@Nullable FiberImpl<?> child = ending.firstChild();
                child != null;
                child = child.nextSibling) {
            all.add(child);
        }
        return all;
    }

    // ---------------------------------------------------------------- cycles

    /**
     * A line for each circle of fibers of which each waits for the next; a few at most.
     *
     * @param words tells the reason of a wait, in a line
     */
    List<String> cycles(Function<Object, String> words) {
        for (FiberImpl<?> each : fibers) {
            boolean mayBeIn = !blockersOf(each).isEmpty(); // most wait for no fiber
            if (mayBeIn && cycles.size() < MAX_CYCLES && !done.contains(each)) {
                search(each);
            }
        }
        return cycles.stream().limit(MAX_CYCLES).map(each -> describe(each, words)).toList();
    }

    private record Step(FiberImpl<?> fiber, Iterator<FiberImpl<?>> next) {}

    /** Depth first, with a path of its own, because a chain may be longer than a stack is deep. */
    private void search(FiberImpl<?> start) {
        List<Step> path = new ArrayList<>();
        Map<FiberImpl<?>, Integer> places = new HashMap<>();
        go(start, path, places);
        while (!path.isEmpty()) {
            Step last = path.getLast();
            if (!last.next.hasNext()) {
                path.removeLast();
                places.remove(last.fiber);
                done.add(last.fiber);
                continue;
            }
            FiberImpl<?> next = last.next.next();
            Integer place = places.get(next);
            if (place != null) {
                cycles.add(
                        path.subList(place, path.size()).stream()
                                .<FiberImpl<?>>map(Step::fiber)
                                .toList());
            } else if (!done.contains(next)) {
                go(next, path, places);
            }
        }
    }

    private void go(FiberImpl<?> to, List<Step> path, Map<FiberImpl<?>, Integer> places) {
        places.put(to, path.size());
        path.add(new Step(to, blockersOf(to).iterator()));
    }

    private static String describe(List<FiberImpl<?>> cycle, Function<Object, String> words) {
        StringBuilder text = new StringBuilder("a cycle: ");
        int shown = Math.min(cycle.size(), MAX_NAMES);
        for (int i = 0; i < shown; i++) {
            FiberImpl<?> fiber = cycle.get(i);
            text.append(Lines.line(fiber.name()))
                    .append(" waits for ")
                    .append(Lines.line(cycle.get((i + 1) % cycle.size()).name()))
                    .append(" (")
                    .append(words.apply(fiber.waitReason()))
                    .append(i + 1 < shown ? "), " : ")");
        }
        if (shown < cycle.size()) {
            text.append(", and so on over ").append(cycle.size()).append(" fibers");
        }
        return text.toString();
    }
}
