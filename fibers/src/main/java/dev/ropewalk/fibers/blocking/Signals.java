package dev.ropewalk.fibers.blocking;

import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

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
    /*
     * The JVM's signal class is not part of Java's API, and javac warns of it; so it is reached by
     * reflection, once per opening and never per signal.
     *
     * OPEN -> CLOSED. The static map says which signals are open, and by which objects; it is
     * guarded by its own lock, which is never held while a guard is.
     */
    private static final Object CLOSED = new Object();
    private static final Map<String, Handled> HANDLED = new HashMap<>();

    /** A signal that is open, and the JVM's action before. */
    private record Handled(List<Signals> openedBy, Object previous) {}

    private final Exclusion guard = Exclusion.byLock();
    private final WaitQueue<String> queue = new WaitQueue<>();
    private final Set<String> names;

    /** Guarded: came and was not taken yet, in that order. */
    private final Set<String> pending = new LinkedHashSet<>();

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
        synchronized (HANDLED) {
            List<String> done = new ArrayList<>();
            try {
                for (String name : opened.names) {
                    add(name, opened);
                    done.add(name);
                }
            } catch (RuntimeException e) {
                done.forEach(name -> remove(name, opened));
                throw e;
            }
        }
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
        synchronized (HANDLED) {
            names.forEach(name -> remove(name, this));
        }
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

    // ---------------------------------------------------------------- the JVM's side

    private static void add(String name, Signals opened) {
        Handled handled = HANDLED.get(name);
        if (handled == null) {
            Object ours =
                    Proxy.newProxyInstance(
                            Signals.class.getClassLoader(),
                            new Class<?>[] {Jvm.handlerType()},
                            (proxy, method, arguments) ->
                                    switch (method.getName()) {
                                        case "handle" -> dispatch(name);
                                        case "hashCode" -> System.identityHashCode(proxy);
                                        case "equals" -> arguments != null && proxy == arguments[0];
                                        default -> "the fibers that await " + name;
                                    });
            handled = new Handled(new ArrayList<>(), Jvm.handle(name, ours));
            HANDLED.put(name, handled);
        }
        handled.openedBy().add(opened);
    }

    private static void remove(String name, Signals opened) {
        Handled handled = Objects.requireNonNull(HANDLED.get(name), name);
        handled.openedBy().remove(opened);
        if (handled.openedBy().isEmpty()) {
            HANDLED.remove(name);
            Jvm.handle(name, handled.previous());
        }
    }

    private static @Nullable Object dispatch(String name) {
        List<Signals> openedBy;
        synchronized (HANDLED) {
            Handled handled = HANDLED.get(name);
            openedBy = handled == null ? List.of() : List.copyOf(handled.openedBy());
        }
        openedBy.forEach(each -> each.arrived(name));
        return null;
    }

    /** The signal class of the JVM, by reflection. */
    static final class Jvm {
        private Jvm() {}

        static Class<?> handlerType() {
            try {
                return Class.forName("sun.misc.SignalHandler");
            } catch (ClassNotFoundException e) {
                throw new IllegalArgumentException("this JVM lets no signal be handled", e);
            }
        }

        static Object signal(String name) throws ReflectiveOperationException {
            return Class.forName("sun.misc.Signal").getConstructor(String.class).newInstance(name);
        }

        /** Returns what handled it before. */
        static Object handle(String name, Object handler) {
            try {
                Object signal = signal(name);
                return signal.getClass()
                        .getMethod("handle", signal.getClass(), handlerType())
                        .invoke(null, signal, handler);
            } catch (InvocationTargetException e) {
                throw new IllegalArgumentException(
                        "signal " + name + " cannot be handled: " + e.getCause(), e.getCause());
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException("signal " + name + " cannot be handled", e);
            }
        }
    }

    @Override
    public String toString() {
        return "signals " + names;
    }
}
