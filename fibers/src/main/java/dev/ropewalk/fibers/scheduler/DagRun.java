package dev.ropewalk.fibers.scheduler;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.internal.context.LocalValues;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.EndListener;
import dev.ropewalk.fibers.internal.fiber.Family;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.FiberMessages;
import dev.ropewalk.fibers.internal.fiber.Outcome;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;

/** One run of a {@link Dag}. */
final class DagRun<D extends @Nullable Object> {
    /*
     * A node has a count of dependencies that have not ended. Only one fiber counts it to 0, on
     * whatever cords the dependencies ran, and sees to it that the node runs. So the node runs
     * once, and the actions of its dependencies happen before it, through the count.
     *
     * Of the nodes that become ready as one ends, the first runs in that one's fiber, after giving
     * way to the others of the cord; the rest is spun on the owner's cord, to which the scope is
     * confined: at once if that is here, otherwise by a message. The message comes before the news
     * that the sender's fiber has ended, so the scope does not close in between.
     *
     * A fiber takes on another node only if nothing of the last one is left in it: a child, a lock,
     * an exception that is pending. Otherwise the node ends only with its fiber, which ends and
     * reports those, and the nodes behind it wait for that end.
     *
     * "isOver" is set when a node fails, before any other fiber can be told, and then no node
     * begins any more. A node that runs at that time ends by the scope.
     */
    private static final int NONE = -1;

    private final Dag<D> dag;
    private final D data;
    private final NodeSpinner spinner;
    private final FiberImpl<?> owner = FiberImpl.current();
    private final AtomicIntegerArray dependenciesLeft;
    private final AtomicInteger nodesLeft;
    private final Queue<NodeEnd> failures = new ConcurrentLinkedQueue<>();

    /** The cause that ended the run though no fiber of the scope failed. */
    private final AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();

    private volatile boolean isOver;
    private volatile @Nullable Scope<@Nullable Object> scope;

    /** Tells which node it was, because a fiber may run several. */
    private record NodeEnd(int node, Throwable cause) {}

    DagRun(Dag<D> dag, D data, NodeSpinner spinner) {
        this.dag = dag;
        this.data = data;
        this.spinner = spinner;
        this.dependenciesLeft = new AtomicIntegerArray(dag.size());
        this.nodesLeft = new AtomicInteger(dag.size());
        for (int node = 0; node < dag.size(); node++) {
            dependenciesLeft.set(node, dag.dependencies(node));
        }
    }

    // ---------------------------------------------------------------- the owner

    void runToEnd() {
        Waits.switchpoint(); // before anything begins elsewhere
        try {
            Scope.run(this::begin);
        } catch (FiberFailedException failed) {
            throw named(failed);
        } catch (CancelledException cancelled) {
            Throwable why = broken.get();
            throw why == null ? cancelled : Unchecked.<RuntimeException>sneaky(why);
        } finally {
            isOver = true;
        }
        if (nodesLeft.get() > 0) {
            throw new FiberFailedException(
                    nodesLeft
                            + " nodes of "
                            + dag
                            + " did not run: the fiber of one of them was ended before it began",
                    null);
        }
    }

    private void begin(Scope<@Nullable Object> opened) {
        scope = opened;
        for (int node = 0; node < dag.size(); node++) {
            if (dag.dependencies(node) == 0) {
                spinHere(node);
            }
        }
    }

    /** The same failure, told of the node instead of the fiber. */
    private FiberFailedException named(FiberFailedException failed) {
        FiberFailedException named = failed;
        for (NodeEnd each : failures) {
            if (each.cause() == failed.getCause()) {
                named = failed(each);
                for (Throwable hidden : failed.getSuppressed()) {
                    named.addSuppressed(
                            hidden instanceof FiberFailedException other ? named(other) : hidden);
                }
                break;
            }
        }
        return named;
    }

    private FiberFailedException failed(NodeEnd end) {
        String text = SafeText.of(end.cause());
        return new FiberFailedException(
                "node " + dag.name(end.node()) + " of " + dag + " failed: " + text, end.cause());
    }

    // ---------------------------------------------------------------- spinning nodes

    private void spin(int node) {
        if (owner.cord.isCurrent()) {
            spinHere(node);
        } else {
            owner.cord.send(FiberMessages.quiet(() -> spinHere(node)));
        }
    }

    /** On the owner's cord, at times as no fiber. */
    private void spinHere(int node) {
        Scope<@Nullable Object> open = scope;
        if (isOver || open == null) {
            return;
        }
        try {
            spinner.spin(open, dag.name(node), new NodeFiber(node));
        } catch (Throwable refused) {
            breakOff(refused);
        }
    }

    private void breakOff(Throwable why) {
        broken.compareAndSet(null, why);
        isOver = true;
        Scope<@Nullable Object> open = scope;
        if (open != null) {
            open.cancel();
        }
    }

    // ---------------------------------------------------------------- running nodes

    /** The node has ended; the first that becomes ready with it, the others are spun. */
    private int endNode(int node) {
        nodesLeft.decrementAndGet();
        int first = NONE;
        for (int each : dag.dependents(node)) {
            if (dependenciesLeft.decrementAndGet(each) == 0) {
                if (first == NONE) {
                    first = each;
                } else {
                    spin(each);
                }
            }
        }
        return first;
    }

    /** A fiber that runs one node, and then perhaps the next. */
    private final class NodeFiber implements Action, EndListener {
        private int node;
        private boolean hasBegun;

        /** The node, not the fiber. */
        private boolean hasEnded;

        NodeFiber(int first) {
            this.node = first;
        }

        @Override
        public void run() throws Exception {
            FiberImpl<?> fiber = FiberImpl.current();
            if (hasBegun) {
                throw new IllegalStateException(
                        fiber + " runs a node of a dag and cannot be restarted; run the dag again");
            }
            hasBegun = true;
            fiber.addListener(this);
            for (int next = node; next != NONE && !isOver; ) {
                node = next;
                hasEnded = false;
                runNode();
                if (!isClean(fiber)) {
                    return;
                }
                hasEnded = true;
                fiber.locals = LocalValues.begunWith(fiber.locals);
                next = endNode(node);
                if (next != NONE) {
                    fiber.yieldHere();
                }
            }
        }

        private void runNode() throws Exception {
            try {
                dag.task(node).run(data);
            } catch (Throwable thrown) {
                isOver = true;
                throw thrown;
            }
        }

        /** As no fiber, on that fiber's cord. */
        @Override
        public boolean ended(Fiber<?> fiber) {
            Outcome<?> outcome = FiberImpl.of(fiber).outcome();
            if (outcome instanceof Outcome.Success<?>) {
                endLate();
            } else if (outcome instanceof Outcome.Failure<?>(Throwable cause)) {
                isOver = true;
                failures.add(new NodeEnd(node, cause));
            } else {
                Throwable why = fiber.failure();
                breakOff(
                        failed(
                                new NodeEnd(
                                        node,
                                        why == null
                                                ? new IllegalStateException(
                                                        fiber + " was stopped by somebody")
                                                : why)));
            }
            return false;
        }

        /** Everything that the node left behind has ended with its fiber. */
        private void endLate() {
            if (!hasEnded && !isOver) {
                int first = endNode(node);
                if (first != NONE) {
                    spin(first);
                }
            }
        }
    }

    /** Whether nothing of the last node is left in the fiber. */
    private static boolean isClean(FiberImpl<?> fiber) {
        fiber.forgetInstantValue();
        return Family.hasNobodyBelow(fiber)
                && fiber.held == null
                && Cancellation.pending(fiber) == null
                && fiber.abandonedFor == null;
    }
}
