package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.observe.ActorGlance;
import dev.ropewalk.actors.observe.SystemSnapshot;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.dump.CordQuery;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
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
    /** Visited between two fibers of a cord: they hold it up for some hundred microseconds. */
    private static final int PORTION = 200;

    /** The changed actors of one cord: used by that cord, and by any thread when it has ended. */
    private static final class Part {
        private final Set<ObservedActor> changed = new LinkedHashSet<>();

        synchronized void add(ObservedActor actor) {
            changed.add(actor);
        }

        synchronized void remove(ObservedActor actor) {
            changed.remove(actor);
        }

        synchronized int size() {
            return changed.size();
        }

        /** Those that have waited longest. */
        synchronized List<ObservedActor> take(int max) {
            List<ObservedActor> taken = new ArrayList<>(max);
            Iterator<ObservedActor> all = changed.iterator();
            while (taken.size() < max && all.hasNext()) {
                taken.add(all.next());
                all.remove();
            }
            return taken;
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
        int visited = visit(cords, first, deadlineNs, silent);
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

    /** All cords side by side, each by portions. */
    private int visit(
            Set<Cord> cords,
            Map<Cord, List<ObservedActor>> first,
            long deadlineNs,
            Set<Cord> silent) {
        List<Visits> all = new ArrayList<>();
        cords.forEach(each -> all.add(new Visits(each, first.getOrDefault(each, List.of()))));
        Set<Cord> ended = new HashSet<>();
        Map<Visits, CordQuery<Visits>> queries = new LinkedHashMap<>();
        all.forEach(each -> queries.put(each, CordQuery.askInSteps(each.cord, each::step)));
        queries.forEach(
                (visits, query) -> {
                    long leftNs = Math.max(0, deadlineNs - Waits.nanoTime());
                    if (query.awaitOrAnswer(leftNs) == null) {
                        silent.add(visits.cord);
                    }
                    if (query.hasCordEnded()) {
                        ended.add(visits.cord);
                    }
                });
        parts.keySet().removeAll(ended);
        return all.stream()
                .filter(each -> !silent.contains(each.cord))
                .mapToInt(each -> each.visited)
                .sum();
    }

    /** The visits of one snapshot to the actors of a cord, of which each portion is made there. */
    private final class Visits {
        private final Cord cord;

        /** Those that were there before anybody looked. */
        private final List<ObservedActor> first;

        private int seenOfFirst;

        /** Changed ones; counted once, because those with queued messages are entered again. */
        private int left = -1;

        private int visited;

        /** Of those that a look before has seen, each says by itself when it changes. */
        Visits(Cord cord, List<ObservedActor> all) {
            this.cord = cord;
            this.first =
                    all.stream().filter(each -> !known.containsKey(each.ref().number())).toList();
        }

        /** Makes a portion of them; null unless that was the last one. */
        @Nullable Visits step() {
            Part part = part(cord);
            if (left < 0) {
                left = part.size();
            }
            Collection<ObservedActor> now;
            if (seenOfFirst < first.size()) {
                now = nextOfFirst(part);
            } else {
                left = Math.min(left, part.size()); // some of them were among the first ones
                now = part.take(Math.min(PORTION, left));
                left -= now.size();
            }
            visitAll(part, now);
            return seenOfFirst == first.size() && left == 0 ? this : null;
        }

        /** Those that could not be visited are entered again. */
        private void visitAll(Part part, Collection<ObservedActor> now) {
            int before = visited;
            try {
                for (ObservedActor each : now) {
                    visit(part, each);
                    visited++;
                }
            } finally {
                now.stream().skip(visited - before).forEach(part::add);
                if (!now.isEmpty()) {
                    changes.incrementAndGet();
                }
            }
        }

        private List<ObservedActor> nextOfFirst(Part part) {
            int end = Math.min(seenOfFirst + PORTION, first.size());
            List<ObservedActor> next = first.subList(seenOfFirst, end);
            next.forEach(part::remove);
            seenOfFirst = end;
            return next;
        }

        private void visit(Part part, ObservedActor actor) {
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
    }
}
