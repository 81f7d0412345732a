package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.internal.observe.CordAnswer;
import dev.ropewalk.actors.observe.ActorGlance;
import dev.ropewalk.actors.observe.SystemSnapshot;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.spi.Waits;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The light snapshots of a system: each visits those actors only that have changed since the last
 * one. Until the first one nothing is kept and nobody is watched.
 *
 * <p>An actor that was looked at and has nothing queued is marked as watched; what changes it then,
 * a queued message for one, takes the mark away and enters it in its cord's set of changed ones.
 * One with queued messages stays in the set, because nothing marks a message that is taken.
 */
public final class Snapshots {
    /** What one cord knows; confined to that cord. */
    private static final class Part {
        Set<ActorCell<?>> changed = new LinkedHashSet<>();
    }

    private static final Comparator<ActorGlance> BY_PATH =
            Comparator.comparing(ActorGlance::path).thenComparingLong(ActorGlance::number);

    private final Map<Cord, Part> parts = new ConcurrentHashMap<>();
    private final Map<Long, ActorGlance> known = new ConcurrentHashMap<>();

    /** Whether there was a first one. */
    private volatile boolean isOn;

    /** Of {@link #known}, until that changes. */
    private volatile List<ActorGlance> sorted = List.of();

    boolean isOn() {
        return isOn;
    }

    /** On the actor's cord. */
    void changed(ActorCell<?> actor) {
        parts.computeIfAbsent(actor.cord(), _ -> new Part()).changed.add(actor);
    }

    /** A switchpoint, unless all actors are on this cord. */
    public SystemSnapshot take(SupervisorCell root, long limitNs) {
        long deadlineNs = Waits.nanoTime() + Math.min(limitNs, Long.MAX_VALUE / 2);
        Map<Cord, List<ActorCell<?>>> all = new HashMap<>();
        if (!isOn) {
            isOn = true; // first: what begins from now on says so itself
            all.putAll(TreeWalk.actors(root, limitNs));
        }
        Set<Cord> cords = new LinkedHashSet<>(parts.keySet());
        cords.addAll(all.keySet());
        Map<Cord, CordAnswer<Integer>> answers = new LinkedHashMap<>();
        for (Cord cord : cords) {
            List<ActorCell<?>> first = all.getOrDefault(cord, List.of());
            answers.put(
                    cord, CordAnswer.of(cord, "a snapshot by " + cord, () -> visit(cord, first)));
        }
        int visited = 0;
        List<String> silent = new ArrayList<>();
        for (Map.Entry<Cord, CordAnswer<Integer>> each : answers.entrySet()) {
            Integer told = each.getValue().await(Math.max(0, deadlineNs - Waits.nanoTime()));
            if (told == null) {
                silent.add(each.getKey().name());
            } else {
                visited += told;
            }
        }
        if (visited > 0) {
            sorted = known.values().stream().sorted(BY_PATH).toList();
        }
        return new SystemSnapshot(sorted, visited, silent);
    }

    private int visit(Cord cord, List<ActorCell<?>> first) {
        Part part = parts.computeIfAbsent(cord, _ -> new Part());
        Set<ActorCell<?>> now = part.changed;
        part.changed = new LinkedHashSet<>();
        now.addAll(first);
        for (ActorCell<?> actor : now) {
            ActorGlance glance = actor.glance();
            if (actor.isOver()) {
                known.remove(glance.number());
            } else {
                known.put(glance.number(), glance);
                if (glance.queued() > 0) {
                    part.changed.add(actor);
                } else {
                    actor.watch();
                }
            }
        }
        return now.size();
    }
}
