package dev.ropewalk.fibers.spi;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Nodes that wait, first in, first out; all of it inside the guard.
 *
 * <p>A node that gave up may still stand in its queue for a moment; a claim that meets it there
 * finds its wait over and takes the next.
 *
 * @param <E> what a node brings, or wants
 */
public final class WaitQueue<E> {
    private @Nullable WaitNode<E> first;
    private @Nullable WaitNode<E> last;

    /** An empty queue. */
    public WaitQueue() {}

    /** {@return whether no node stands here} */
    public boolean isEmpty() {
        return first == null;
    }

    /** {@return the node that stands here longest, though it may have given up; or null} */
    public @Nullable WaitNode<E> first() {
        return first;
    }

    /**
     * Puts the node at the end of the queue.
     *
     * @param node stands in no queue
     */
    public void add(WaitNode<E> node) {
        node.queue = this;
        node.previous = last;
        if (last == null) {
            first = node;
        } else {
            last.next = node;
        }
        last = node;
    }

    /**
     * Takes the node out wherever it stands; no effect if it does not stand here.
     *
     * @param node the node to take out
     */
    public void remove(WaitNode<E> node) {
        if (node.queue != this) {
            return;
        }
        WaitNode<E> before = node.previous;
        WaitNode<E> after = node.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        node.previous = null;
        node.next = null;
        node.queue = null;
    }

    /**
     * Ends the wait of the first node that still waits, and takes it out. The caller wakes it when
     * it has left the guard.
     *
     * @param result what the node's wait returns
     * @return the node; null if no node waits
     */
    public @Nullable WaitNode<E> claimFirst(Object result) {
        for (WaitNode<E> node = first; node != null; node = first) {
            remove(node);
            if (node.claim(result)) {
                return node;
            }
        }
        return null;
    }

    /**
     * Ends the wait of all nodes that still wait, and takes all nodes out. The caller wakes those
     * returned by {@link #wakeAll} when it has left the guard. Allocates nothing if no node waits.
     *
     * @param result what each node's wait returns
     * @return the nodes whose wait was ended, in their order; not to be changed
     */
    public List<WaitNode<E>> claimAll(Object result) {
        WaitNode<E> node = claimFirst(result);
        if (node == null) {
            return List.of();
        }
        List<WaitNode<E>> claimed = new ArrayList<>();
        for (; node != null; node = claimFirst(result)) {
            claimed.add(node);
        }
        return claimed;
    }

    /**
     * Wakes nodes that were claimed, in their order. Called outside the guard.
     *
     * @param <E> what a node brings, or wants
     * @param claimed the nodes; an empty list costs nothing
     */
    public static <E> void wakeAll(List<WaitNode<E>> claimed) {
        for (int i = 0; i < claimed.size(); i++) { // no iterator, which would be an allocation
            claimed.get(i).wake();
        }
    }

    /** {@return how many stand here; counts them one by one} */
    public int size() {
        int size = 0;
        for (WaitNode<E> node = first; node != null; node = node.next) {
            size++;
        }
        return size;
    }

    /** Fails if the links are broken; for tests. */
    public void checkInvariants() {
        WaitNode<E> before = null;
        for (WaitNode<E> node = first; node != null; node = node.next) {
            if (node.previous != before || node.queue != this) {
                throw new IllegalStateException("broken link at " + node);
            }
            before = node;
        }
        if (before != last) {
            throw new IllegalStateException("last=" + last + " but the queue ends at " + before);
        }
    }
}
