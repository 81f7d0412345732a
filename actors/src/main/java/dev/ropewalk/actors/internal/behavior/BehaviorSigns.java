package dev.ropewalk.actors.internal.behavior;

import dev.ropewalk.actors.Behavior;

/** The behaviors that are signs and handle nothing. */
public final class BehaviorSigns {
    private static final Behavior<Object> SAME = sign("same");
    private static final Behavior<Object> STOPPED = sign("stopped");
    private static final Behavior<Object> UNHANDLED = sign("unhandled");

    private BehaviorSigns() {}

    /** See {@link Behavior#same}. */
    @SuppressWarnings("unchecked") // a sign handles no message
    public static <M> Behavior<M> same() {
        return (Behavior<M>) SAME;
    }

    /** See {@link Behavior#stopped}. */
    @SuppressWarnings("unchecked") // a sign handles no message
    public static <M> Behavior<M> stopped() {
        return (Behavior<M>) STOPPED;
    }

    /** See {@link Behavior#unhandled}. */
    @SuppressWarnings("unchecked") // a sign handles no message
    public static <M> Behavior<M> unhandled() {
        return (Behavior<M>) UNHANDLED;
    }

    /** Whether it handles nothing. */
    public static boolean isSign(Behavior<?> behavior) {
        return behavior == SAME
                || behavior == STOPPED
                || behavior == UNHANDLED
                || behavior instanceof Repeat<?>;
    }

    private static Behavior<Object> sign(String name) {
        return new Behavior<>() {
            @Override
            public Behavior<Object> onMessage(Object message) {
                throw new IllegalStateException(
                        "Behavior."
                                + name
                                + "() is a sign to return from onMessage or a factory;"
                                + " it cannot handle "
                                + message);
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }
}
