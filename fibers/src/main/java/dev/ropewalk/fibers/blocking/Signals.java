package dev.ropewalk.fibers.blocking;

import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.platform.SignalHandlers;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Signals of the operating system, such as TERM and INT, awaited by fibers and plain threads.
 *
 * {@snippet :
 * try (Signals signals = Signals.open("TERM", "INT")) {
 *     String name = signals.await();
 *     ...
 * }
 * }
 *
 * <p>While a signal is open, the JVM's own action is off; when its last holder closes it, that is
 * restored. Each holder gets the signal once. A signal that comes while no fiber waits is kept for
 * the next wait; if it comes again before it was taken, it counts once. Works from any thread.
 */
public final class Signals implements AutoCloseable {
    private static final Object CLOSED = new Object();

    private final Exclusion guard = Exclusion.byLock();
    private final WaitQueue<String> queue = new WaitQueue<>();
    private final Set<String> names;

    /** Guarded: came and was not taken yet, in that order. */
    private final Set<String> pending = new LinkedHashSet<>();

    /** Handed each signal. */
    private final Consumer<String> taker = this::arrived;

    private boolean isClosed;

    private Signals(List<String> names) {
        this.names = new LinkedHashSet<>(names);
    }

    /**
     * Takes the signals over until {@link #close}.
     *
     * @param names such as {@code "TERM"}, {@code "INT"}, {@code "HUP"}
     * @return the signals, to be awaited
     * @throws IllegalArgumentException if the list is empty, or the JVM or the system does not let
     *     one of them be handled
     */
    public static Signals open(String... names) {
        if (names.length == 0) {
            throw new IllegalArgumentException("names=[]: which signals?");
        }
        Signals opened = new Signals(List.of(names));
        SignalHandlers.add(opened.names, opened.taker);
        return opened;
    }

    /**
     * Waits for the next signal. A switchpoint even if a signal is there. Termination or
     * cancellation ends the wait and takes no signal.
     *
     * @return its name
     * @throws IllegalStateException if this is closed, before or meanwhile
     * @throws WaitInterruptedException if a plain thread was interrupted
     */
    public String await() {
        WaitNode<String> node;
        guard.enterAtSwitchpoint(this);
        try {
            checkOpen();
            if (!pending.isEmpty()) {
                String first = pending.iterator().next();
                pending.remove(first);
                return first;
            }
            node = guard.node(null);
            queue.add(node);
        } finally {
            guard.exit();
        }
        Object result = guard.await(node, this, Long.MAX_VALUE);
        if (result instanceof String name) {
            return name;
        }
        throw closed();
    }

    /** Gives the signals back; a waiter gets an exception. Closing twice is harmless. */
    @Override
    public void close() {
        List<WaitNode<String>> toWake;
        guard.enter(this);
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            toWake = queue.claimAll(CLOSED);
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
        SignalHandlers.remove(names, taker);
    }

    /** On a thread of the JVM's. */
    private void arrived(String name) {
        WaitNode<String> first;
        guard.enter(this);
        try {
            first = isClosed ? null : queue.claimFirst(name);
            if (first == null && !isClosed) {
                pending.add(name);
            }
        } finally {
            guard.exit();
        }
        if (first != null) {
            first.wake();
        }
    }

    private void checkOpen() {
        if (isClosed) {
            throw closed();
        }
    }

    private IllegalStateException closed() {
        return new IllegalStateException(this + " is closed");
    }

    @Override
    public String toString() {
        return "signals " + names;
    }
}
