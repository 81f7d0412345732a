package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.internal.observe.CordAnswer;
import dev.ropewalk.actors.observe.ActorDump;
import dev.ropewalk.actors.observe.SupervisorDump;
import dev.ropewalk.actors.observe.SystemDump;
import dev.ropewalk.actors.observe.TreeDump;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Walks a system's tree from anywhere, level by level: of each level each cord is asked once, for
 * all that it has there, and all cords are asked before the first answer is awaited. So a walk
 * takes as many messages to a cord as the tree is deep, and a silent cord takes the limit once.
 */
public final class TreeWalk {
    /** One place of the tree, to be filled in. */
    private static final class Node {
        final Supervised what;
        final List<Node> below = new ArrayList<>();

        /** Null if its cord is silent. */
        @Nullable TreeDump dump;

        Node(Supervised what) {
            this.what = what;
        }

        TreeDump build() {
            List<TreeDump> children = below.stream().map(Node::build).toList();
            return switch (dump) {
                case null -> silent();
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

        private TreeDump silent() {
            String cord = what.cord().name();
            return what instanceof ActorCell<?> actor
                    ? new ActorDump(
                            actor.ref().path(),
                            actor.ref().number(),
                            cord,
                            null,
                            null,
                            0,
                            0,
                            0,
                            null,
                            null,
                            null,
                            List.of())
                    : new SupervisorDump(
                            ((SupervisorCell) what).path(), cord, "SILENT", 0, List.of());
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
    private final long deadlineNs;

    private TreeWalk(SupervisorCell root, long limitNs) {
        this.root = new Node(root);
        this.deadlineNs = Waits.nanoTime() + Math.min(limitNs, Long.MAX_VALUE / 2);
    }

    /** All of the system. A switchpoint, unless all of it is on this cord. */
    public static SystemDump dump(String system, SupervisorCell root, long limitNs) {
        TreeWalk walk = new TreeWalk(root, limitNs);
        walk.run();
        SupervisorDump top = (SupervisorDump) walk.root.build();
        return new SystemDump(system, root.core().deadLetters().count(), top);
    }

    /** The actors of the system, by their cords; without those whose cords are silent. */
    static Map<Cord, List<ActorCell<?>>> actors(SupervisorCell root, long limitNs) {
        TreeWalk walk = new TreeWalk(root, limitNs);
        walk.run();
        Map<Cord, List<ActorCell<?>>> found = new LinkedHashMap<>();
        collect(walk.root, found);
        return found;
    }

    private static void collect(Node node, Map<Cord, List<ActorCell<?>>> found) {
        if (node.what instanceof ActorCell<?> actor) {
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
        Map<Cord, List<Node>> byCord = new LinkedHashMap<>();
        for (Node node : level) {
            byCord.computeIfAbsent(node.what.cord(), _ -> new ArrayList<>()).add(node);
        }
        Map<Cord, CordAnswer<List<Described>>> answers = new LinkedHashMap<>();
        byCord.forEach(
                (cord, nodes) ->
                        answers.put(
                                cord,
                                CordAnswer.of(
                                        cord,
                                        "a dump by " + cord,
                                        () ->
                                                nodes.stream()
                                                        .map(n -> n.what.describe())
                                                        .toList())));
        byCord.forEach(
                (cord, nodes) -> {
                    long leftNs = Math.max(0, deadlineNs - Waits.nanoTime());
                    List<Described> told =
                            Objects.requireNonNull(answers.get(cord), "answer").await(leftNs);
                    for (int i = 0; told != null && i < nodes.size(); i++) {
                        nodes.get(i).dump = told.get(i).dump();
                        for (Supervised child : told.get(i).below()) {
                            nodes.get(i).below.add(new Node(child));
                        }
                    }
                });
    }
}
