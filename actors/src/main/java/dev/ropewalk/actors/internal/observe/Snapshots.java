package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.observe.ActorGlance;
import dev.ropewalk.actors.observe.SystemSnapshot;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.dump.CordQuery;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * The light snapshots of a system: each visits those actors only that have changed since the last
 * one. Until the first one nothing is kept and nobody is watched.
 *
 * <p>An actor that was looked at and has nothing queued is marked as watched; what changes it then,
 * a queued message for one, takes the mark away and enters it in its cord's set of changed ones.
 * One with queued messages stays in the set, because nothing marks a message that is taken.
 */
public final class Snapshots {
    /** The changed actors of one cord: used by that cord, and by any thread when it has ended. */
    private static final class Part {
        private Set<ObservedActor> changed = new LinkedHashSet<>();

        synchronized void add(ObservedActor actor) {
            changed.add(actor);
        }

        synchronized void remove(ObservedActor actor) {
            changed.remove(actor);
        }

        synchronized int size() {
            return changed.size();
        }

        synchronized Set<ObservedActor> takeAll() {
            Set<ObservedActor> all = changed;
            changed = new LinkedHashSet<>();
            return all;
        }
    }

    /** All that was known after so many changes. */
    private record Sorted(long asOf, List<ActorGlance> glances) {}

    /** As it was seen last. */
    private record Known(ActorGlance glance, ActorRef<?> ref) {}

    private final Map<Cord, Part> parts = new ConcurrentHashMap<>();
    private final Map<Long, Known> known = new ConcurrentHashMap<>();

    /** Whether somebody has asked: what begins from now on says so itself. */
    private volatile boolean isOn;

    /** The same of any system: all that an actor reads. */
    @SuppressWarnings("NonFinalStaticField") // of the whole process, and never reset
    private static volatile boolean areAnyOn;

    /**
     * All actors that were there before have been looked at, or say themselves when they change.
     */
    private volatile boolean isComplete;

    /** How often a visit has changed what is known. */
    private final AtomicLong changes = new AtomicLong();

    private volatile Sorted sorted = new Sorted(0, List.of());

    public static boolean areAnyOn() {
        return areAnyOn;
    }

    private static void areOn() {
        areAnyOn = true;
    }

    public boolean isOn() {
        return isOn;
    }

    /**
     * On the actor's cord. One that is over is forgotten at once, because perhaps nobody looks any
     * more.
     */
    public void changed(ObservedActor actor) {
        if (actor.isOver()) {
            part(actor.cord()).remove(actor);
            if (known.remove(actor.ref().number()) != null) {
                changes.incrementAndGet();
            }
        } else {
            part(actor.cord()).add(actor);
        }
    }

    private Part part(Cord cord) {
        return parts.computeIfAbsent(cord, _ -> new Part());
    }

    /** A switchpoint, unless all actors are on this cord. */
    public SystemSnapshot take(Observed root, long limitNs) {
        long deadlineNs = Waits.nanoTime() + Math.min(limitNs, Long.MAX_VALUE / 2);
        isOn = true;
        areOn();
        boolean isToWalk = !isComplete;
        Set<Cord> silent = new LinkedHashSet<>();
        Map<Cord, List<ObservedActor>> first =
                isToWalk ? TreeWalk.actors(root, limitNs, silent) : Map.of();
        Set<Cord> cords = new LinkedHashSet<>(parts.keySet());
        cords.addAll(first.keySet());
        Map<Cord, CordQuery<Integer>> queries = new LinkedHashMap<>();
        for (Cord cord : cords) {
            List<ObservedActor> those = first.getOrDefault(cord, List.of());
            queries.put(cord, CordQuery.ask(cord, () -> visit(cord, those)));
        }
        int visited = 0;
        for (Map.Entry<Cord, CordQuery<Integer>> each : queries.entrySet()) {
            Integer told =
                    each.getValue().awaitOrAnswer(Math.max(0, deadlineNs - Waits.nanoTime()));
            if (told == null) {
                silent.add(each.getKey());
            } else {
                visited += told;
            }
            if (each.getValue().hasCordEnded()) {
                parts.remove(each.getKey());
            }
        }
        if (isToWalk) {
            isComplete = silent.isEmpty();
        }
        return new SystemSnapshot(sorted(), visited, silent.stream().map(Cord::name).toList());
    }

    /** Actors that others visit meanwhile may be in it, and the next call sorts them again. */
    private List<ActorGlance> sorted() {
        long asOf = changes.get();
        Sorted last = sorted;
        if (last.asOf < asOf) {
            List<ActorGlance> glances =
                    known.values().stream()
                            .map(Known::glance)
                            .sorted(byPath())
                            .collect(Collectors.toUnmodifiableList()); // kept without a copy
            last = new Sorted(asOf, glances);
            sorted = last;
        }
        return last.glances;
    }

    /** Made here, because most systems are never asked. */
    private static Comparator<ActorGlance> byPath() {
        return Comparator.comparing(ActorGlance::path).thenComparingLong(ActorGlance::number);
    }

    /** The actor of that number, which also one without a name has; null if none was seen. */
    public @Nullable ActorRef<?> find(long number) {
        Known found = known.get(number);
        return found == null ? null : found.ref();
    }

    /** Of how many something is kept. */
    public int cords() {
        return parts.size();
    }

    /** How many actors the next one is to visit. */
    public int changed() {
        return parts.values().stream().mapToInt(Part::size).sum();
    }

    private int visit(Cord cord, List<ObservedActor> first) {
        Part part = part(cord);
        Set<ObservedActor> now = part.takeAll();
        now.addAll(first);
        for (ObservedActor actor : now) {
            ActorGlance glance = actor.glance();
            if (actor.isOver()) {
                known.remove(glance.number());
            } else {
                known.put(glance.number(), new Known(glance, actor.ref()));
                if (glance.queued() > 0) {
                    part.add(actor);
                } else {
                    actor.watch();
                }
            }
        }
        if (!now.isEmpty()) {
            changes.incrementAndGet();
        }
        return now.size();
    }
}
