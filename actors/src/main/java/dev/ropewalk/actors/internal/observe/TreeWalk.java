package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.observe.ActorDump;
import dev.ropewalk.actors.observe.SupervisorDump;
import dev.ropewalk.actors.observe.TreeDump;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.dump.CordQuery;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
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
 * <p>Each level may take half of the time that is left, and a cord that was silent is not asked
 * again. So a silent cord costs half of the limit, once, and the others have time to answer.
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

    private final Node root;
    private final Function<Observed, Described> question;
    private final long deadlineNs;

    /** So many a cord is asked for at once. */
    private final int portion;

    private final Set<Cord> silent = new LinkedHashSet<>();

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
                        root,
                        each -> new Described(each.silent(), each.below()),
                        Snapshots.PORTION,
                        limitNs);
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
            if (!silent.contains(node.what.cord())) {
                byCord.computeIfAbsent(node.what.cord(), _ -> new Portions()).nodes.add(node);
            }
        }
        Map<Cord, CordQuery<List<Described>>> queries = new LinkedHashMap<>();
        byCord.forEach(
                (cord, portions) -> queries.put(cord, CordQuery.askInSteps(cord, portions::step)));
        queries.forEach(
                (cord, query) -> {
                    List<Described> told =
                            query.awaitOrAnswer(Math.max(0, untilNs - Waits.nanoTime()));
                    if (told == null) {
                        silent.add(cord);
                    } else {
                        fillIn(byCord.getOrDefault(cord, new Portions()).nodes, told);
                    }
                });
    }

    /** All of a level that one cord tells of, in portions on that cord. */
    private final class Portions {
        final List<Node> nodes = new ArrayList<>();
        private final List<Described> told = new ArrayList<>();

        /** Null unless it was the last portion. */
        @Nullable List<Described> step() {
            int end = (int) Math.min((long) told.size() + portion, nodes.size());
            while (told.size() < end) {
                told.add(question.apply(nodes.get(told.size()).what));
            }
            return end == nodes.size() ? told : null;
        }
    }

    private static void fillIn(List<Node> nodes, List<Described> told) {
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            node.dump = told.get(i).dump();
            told.get(i).below().forEach(child -> node.below.add(new Node(child)));
        }
    }
}
