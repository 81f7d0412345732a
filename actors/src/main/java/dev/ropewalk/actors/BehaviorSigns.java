package dev.ropewalk.actors;

/** The two behaviors that are signs and handle nothing. */
final class BehaviorSigns {
    private static final Behavior<Object> SAME = sign("same");
    private static final Behavior<Object> STOPPED = sign("stopped");

    private BehaviorSigns() {}

    @SuppressWarnings("unchecked") // a sign handles no message
    static <M> Behavior<M> same() {
        return (Behavior<M>) SAME;
    }

    @SuppressWarnings("unchecked") // a sign handles no message
    static <M> Behavior<M> stopped() {
        return (Behavior<M>) STOPPED;
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
