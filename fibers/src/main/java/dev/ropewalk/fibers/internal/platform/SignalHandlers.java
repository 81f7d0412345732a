package dev.ropewalk.fibers.internal.platform;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The signals of the operating system that are taken, and by whom; each taker gets each. For any
 * thread.
 *
 * <p>The JVM's signal class is not part of Java's API, and javac warns of it; so it is reached by
 * reflection, once per taking and never per signal. The map is guarded by its own lock, under which
 * no taker is called.
 */
public final class SignalHandlers {
    private static final Map<String, Handled> HANDLED = new HashMap<>();

    private SignalHandlers() {}

    /** A signal that is taken, and the JVM's action before. */
    private record Handled(List<Consumer<? super String>> takers, Object previous) {}

    /**
     * Hands the signals to the taker until they are removed: all of them, or none if one is
     * refused.
     *
     * @param taker called on a thread of the JVM's, with the name of the signal
     * @throws IllegalArgumentException if the JVM or the system does not let one be handled
     */
    public static void add(Collection<String> names, Consumer<? super String> taker) {
        synchronized (HANDLED) {
            List<String> done = new ArrayList<>();
            try {
                for (String name : names) {
                    add(name, taker);
                    done.add(name);
                }
            } catch (RuntimeException e) {
                done.forEach(name -> remove(name, taker));
                throw e;
            }
        }
    }

    /** Each must have been added; the last taker of a signal restores the JVM's own action. */
    public static void remove(Collection<String> names, Consumer<? super String> taker) {
        synchronized (HANDLED) {
            names.forEach(name -> remove(name, taker));
        }
    }

    private static void add(String name, Consumer<? super String> taker) {
        Handled handled = HANDLED.get(name);
        if (handled == null) {
            Object ours =
                    Proxy.newProxyInstance(
                            SignalHandlers.class.getClassLoader(),
                            new Class<?>[] {Jvm.handlerType()},
                            (proxy, method, arguments) ->
                                    switch (method.getName()) {
                                        case "handle" -> dispatch(name);
                                        case "hashCode" -> System.identityHashCode(proxy);
                                        case "equals" -> arguments != null && proxy == arguments[0];
                                        default -> "the takers of " + name;
                                    });
            handled = new Handled(new ArrayList<>(), Jvm.handle(name, ours));
            HANDLED.put(name, handled);
        }
        handled.takers().add(taker);
    }

    private static void remove(String name, Consumer<? super String> taker) {
        Handled handled = Objects.requireNonNull(HANDLED.get(name), name);
        handled.takers().remove(taker);
        if (handled.takers().isEmpty()) {
            HANDLED.remove(name);
            Jvm.handle(name, handled.previous());
        }
    }

    private static @Nullable Object dispatch(String name) {
        List<Consumer<? super String>> takers;
        synchronized (HANDLED) {
            Handled handled = HANDLED.get(name);
            takers = handled == null ? List.of() : List.copyOf(handled.takers());
        }
        takers.forEach(each -> each.accept(name));
        return null;
    }

    /** The signal class of the JVM, by reflection. */
    private static final class Jvm {
        static Class<?> handlerType() {
            try {
                return Class.forName("sun.misc.SignalHandler");
            } catch (ClassNotFoundException e) {
                throw new IllegalArgumentException("this JVM lets no signal be handled", e);
            }
        }

        /** Returns what handled it before. */
        static Object handle(String name, Object handler) {
            try {
                Class<?> type = Class.forName("sun.misc.Signal");
                Object signal = type.getConstructor(String.class).newInstance(name);
                return type.getMethod("handle", type, handlerType()).invoke(null, signal, handler);
            } catch (InvocationTargetException e) {
                throw new IllegalArgumentException(
                        "signal " + name + " cannot be handled: " + e.getCause(), e.getCause());
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException("signal " + name + " cannot be handled", e);
            }
        }
    }
}
