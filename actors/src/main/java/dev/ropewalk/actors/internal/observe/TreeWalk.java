package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.observe.ActorDump;
import dev.ropewalk.actors.observe.SupervisorDump;
import dev.ropewalk.actors.observe.TreeDump;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.dump.CordQuery;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Walks a system's tree from anywhere, level by level: of each level each cord is asked once, for
 * all that it has there, and all cords are asked before the first answer is awaited. So a walk
 * takes as many messages to a cord as the tree is deep. A walk for the actors alone asks for
 * portions, because nobody needs all of one moment.
 *
 * <p>Each level may take half of the time that is left, and a cord that has told nothing is not
 * asked again. So a stuck cord costs half of the limit, once, and the others have time to answer.
 * Of a cord that was too slow, the finished portions count.
 */
public final class TreeWalk {
    /** One place of the tree, to be filled in. */
    private static final class Node {
        final Observed what;
        final List<Node> below = new ArrayList<>();

        /** Null if its cord is silent. */
        @Nullable TreeDump dump;

        Node(Observed what) {
            this.what = what;
        }

        TreeDump build() {
            List<TreeDump> children = below.stream().map(Node::build).toList();
            return switch (dump) {
                case null -> what.silent();
                case SupervisorDump supervisor ->
                        new SupervisorDump(
                                supervisor.path(),
                                supervisor.cord(),
                                supervisor.state(),
                                supervisor.restarts(),
                                children);
                case ActorDump actor -> withChildren(actor, children);
            };
        }

        private static ActorDump withChildren(ActorDump actor, List<TreeDump> children) {
            return new ActorDump(
                    actor.path(),
                    actor.number(),
                    actor.cord(),
                    actor.phase(),
                    actor.state(),
                    actor.restarts(),
                    actor.queued(),
                    actor.postponed(),
                    actor.oldest(),
                    actor.current(),
                    actor.waitsFor(),
                    children);
        }
    }

    /** Asked for their actors between two fibers of a cord, which costs less than a visit. */
    private static final int PORTION = 1_000;

    private final Node root;
    private final Function<Observed, Described> question;
    private final long deadlineNs;

    /** So many a cord is asked for at once. */
    private final int portion;

    /** Those that have not told all. */
    private final Set<Cord> silent = new LinkedHashSet<>();

    /** Those that have told nothing, which are not asked again. */
    private final Set<Cord> stuck = new HashSet<>();

    private TreeWalk(
            Observed root, Function<Observed, Described> question, int portion, long limitNs) {
        this.portion = portion;
        this.root = new Node(root);
        this.question = question;
        this.deadlineNs = Waits.nanoTime() + Math.min(limitNs, Long.MAX_VALUE / 2);
    }

    /** All below the root. A switchpoint, unless all of it is on this cord. */
    public static TreeDump dump(Observed root, long limitNs) {
        TreeWalk walk = new TreeWalk(root, Observed::describe, Integer.MAX_VALUE, limitNs);
        walk.run();
        return walk.root.build();
    }

    /**
     * The actors below the root, by their cords; with those that their cords did not tell of. Calls
     * no code of the program.
     */
    static Map<Cord, List<ObservedActor>> actors(Observed root, long limitNs, Set<Cord> silent) {
        TreeWalk walk =
                new TreeWalk(
                        root, each -> new Described(each.silent(), each.below()), PORTION, limitNs);
        walk.run();
        Map<Cord, List<ObservedActor>> found = new LinkedHashMap<>();
        collect(walk.root, found);
        silent.addAll(walk.silent);
        return found;
    }

    private static void collect(Node node, Map<Cord, List<ObservedActor>> found) {
        if (node.what instanceof ObservedActor actor) {
            found.computeIfAbsent(actor.cord(), _ -> new ArrayList<>()).add(actor);
        }
        node.below.forEach(child -> collect(child, found));
    }

    private void run() {
        List<Node> level = List.of(root);
        while (!level.isEmpty()) {
            describe(level);
            level = level.stream().flatMap(node -> node.below.stream()).toList();
        }
    }

    private void describe(List<Node> level) {
        long nowNs = Waits.nanoTime();
        long untilNs = nowNs + (deadlineNs - nowNs) / 2;
        Map<Cord, Portions> byCord = new LinkedHashMap<>();
        for (Node node : level) {
            if (!stuck.contains(node.what.cord())) {
                byCord.computeIfAbsent(node.what.cord(), _ -> new Portions()).nodes.add(node);
            }
        }
        Map<Portions, CordQuery<Portions>> queries = new LinkedHashMap<>();
        byCord.forEach((cord, all) -> queries.put(all, CordQuery.askInSteps(cord, all::step)));
        queries.forEach(
                (all, query) -> {
                    if (query.awaitOrAnswer(Math.max(0, untilNs - Waits.nanoTime())) == null) {
                        Cord cord = all.nodes.getFirst().what.cord();
                        silent.add(cord);
                        if (all.done == 0) {
                            stuck.add(cord);
                        }
                    }
                    all.fillIn();
                });
    }

    /** All of a level that one cord tells of, in portions on that cord. */
    private final class Portions {
        final List<Node> nodes = new ArrayList<>();
        private Described[] told = {};

        /** So many are told; its write publishes them to the asker, which may leave before all. */
        private volatile int done;

        /** On the cord; null unless it was the last portion. */
        @Nullable Portions step() {
            if (told.length == 0) {
                told = new Described[nodes.size()];
            }
            int end = (int) Math.min((long) done + portion, nodes.size());
            for (int i = done; i < end; i++) {
                told[i] = question.apply(nodes.get(i).what);
            }
            done = end;
            return end == nodes.size() ? this : null;
        }

        /** By the asker: those that were told. */
        void fillIn() {
            int end = done;
            for (int i = 0; i < end; i++) {
                Node node = nodes.get(i);
                node.dump = told[i].dump();
                told[i].below().forEach(child -> node.below.add(new Node(child)));
            }
        }
    }
}
