package dev.ropewalk.fibers.scheduler;

import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.internal.platform.Callables;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Tasks that depend on each other: a directed acyclic graph whose nodes run once their dependencies
 * have ended, and at the same time as all others.
 *
 * {@snippet file="dev/ropewalk/fibers/scheduler/DagTest.java" region="dag"}
 *
 * <p>A graph is made once, by a {@link Builder}, and run any number of times, also at the same
 * time; the state of one run goes by its data. It cannot have a cycle: a node is given its
 * dependencies when it is made, so they are older.
 *
 * <p>A run is structured: it is over when all its nodes have ended, and if one of them fails the
 * others are ended too. The actions of a node happen before the nodes that depend on it, on
 * whatever cords they run.
 *
 * <p>The idea is that of marl's DAG; there, as an exception ends the process, a node cannot fail.
 *
 * @param <D> the type of the data of a run
 */
public final class Dag<D extends @Nullable Object> {
    private final List<Node> nodes;
    private final List<DagTask<? super D>> tasks;

    /** For each node, those that depend on it. */
    private final int[][] dependents;

    private Dag(Builder<D> builder) {
        this.nodes = List.copyOf(builder.nodes);
        this.tasks = List.copyOf(builder.tasks);
        this.dependents = new int[nodes.size()][];
        for (int i = 0; i < dependents.length; i++) {
            dependents[i] = builder.dependents.get(i).stream().mapToInt(Node::index).toArray();
        }
    }

    /**
     * {@return a builder of a graph, without nodes yet}
     *
     * @param <D> the type of the data of a run
     */
    public static <D extends @Nullable Object> Builder<D> builder() {
        return new Builder<>();
    }

    /**
     * Runs each node once, when its dependencies have ended, and returns when all have. A
     * switchpoint. The nodes are fibers of a {@link Scope} of this fiber, on its cord; one that
     * becomes ready as another ends may run in that one's fiber, so a chain costs no fiber per
     * node.
     *
     * <p>If a node fails, the nodes that run are terminated and no other starts. The same happens
     * if this fiber is terminated or cancelled, or if the fiber of a node is ended from outside,
     * because the nodes that depend on it could never run then.
     *
     * @param data is given to each node
     * @throws FiberFailedException if a node failed, or its fiber was ended from outside; it names
     *     the node, and its cause is the node's exception. Further failures are its suppressed
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public void run(D data) {
        run(data, NodeSpinner.HERE);
    }

    /**
     * Like {@link #run(Object)}, on the cords of a scheduler: nodes that do not depend on each
     * other run at the same time on several cords. They share data as threads do; the actions of a
     * node happen before the nodes that depend on it.
     *
     * @param data is given to each node
     * @param scheduler where the nodes run
     * @throws FiberFailedException if a node failed; its message names the node
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public void run(D data, Scheduler scheduler) {
        run(data, on(scheduler));
    }

    static NodeSpinner on(Scheduler scheduler) {
        Objects.requireNonNull(scheduler, "scheduler");
        return (scope, name, body) -> scope.spinOn(scheduler, name, Callables.of(body));
    }

    void run(D data, NodeSpinner spinner) {
        new DagRun<>(this, data, spinner).runToEnd();
    }

    // ---------------------------------------------------------------- for a run

    int size() {
        return dependents.length;
    }

    String name(int node) {
        return nodes.get(node).name;
    }

    DagTask<? super D> task(int node) {
        return tasks.get(node);
    }

    int dependencies(int node) {
        return nodes.get(node).dependencies;
    }

    int[] dependents(int node) {
        return dependents[node];
    }

    @Override
    public String toString() {
        return "dag of " + dependents.length + " nodes";
    }

    // ---------------------------------------------------------------- making one

    /** A node of a builder, on which other nodes may depend. */
    public static final class Node {
        private final Builder<?> builder;
        private final int index;
        private final String name;
        private final int dependencies;

        private Node(Builder<?> builder, int index, String name, int dependencies) {
            this.builder = builder;
            this.index = index;
            this.name = name;
            this.dependencies = dependencies;
        }

        private int index() {
            return index;
        }

        @Override
        public String toString() {
            return "node " + name;
        }
    }

    /**
     * Collects the nodes of a graph. For one thread at a time.
     *
     * @param <D> the type of the data of a run
     */
    public static final class Builder<D extends @Nullable Object> {
        private final List<Node> nodes = new ArrayList<>();
        private final List<DagTask<? super D>> tasks = new ArrayList<>();
        private final List<List<Node>> dependents = new ArrayList<>();

        private Builder() {}

        /**
         * Adds a node.
         *
         * @param name its fiber's, and shown when it fails; need not be unique
         * @param task what it runs
         * @param dependencies nodes of this builder that must have ended before, each once; a node
         *     without any runs at the start
         * @return the node
         * @throws IllegalArgumentException if a dependency is another builder's, or stands there
         *     twice
         */
        public Node node(String name, DagTask<? super D> task, Node... dependencies) {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(task, "task");
            Set<Node> distinct = new LinkedHashSet<>();
            for (Node each : dependencies) {
                if (each.builder != this) {
                    throw new IllegalArgumentException(
                            each
                                    + " belongs to another builder, so node "
                                    + name
                                    + " cannot depend on it; add it to this one too");
                }
                if (!distinct.add(each)) {
                    throw new IllegalArgumentException(
                            each + " stands twice among the dependencies of node " + name);
                }
            }
            Node node = new Node(this, nodes.size(), name, distinct.size());
            nodes.add(node);
            tasks.add(task);
            dependents.add(new ArrayList<>());
            distinct.forEach(each -> dependents.get(each.index).add(node));
            return node;
        }

        /**
         * {@return a graph of the nodes there are now} Nodes that are added later are not in it.
         */
        public Dag<D> build() {
            return new Dag<>(this);
        }
    }
}
