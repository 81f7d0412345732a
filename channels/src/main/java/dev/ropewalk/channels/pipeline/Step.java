package dev.ropewalk.channels.pipeline;

import org.jspecify.annotations.Nullable;

/**
 * The work of a stage. The common ones are told apart by their kind, so that the stage calls the
 * user's function itself; one with a state of its own is a {@link Stateful}.
 *
 * @param kind what the function is
 * @param name of the stage
 * @param function a {@link StageFunction}, {@link StageTest}, {@link StageAction} or {@link
 *     Stateful}
 */
record Step(Kind kind, String name, Object function) {
    enum Kind {
        MAP,
        FILTER,
        EACH,
        /** A function that makes an Iterable, whose elements go on one by one. */
        FLAT,
        STATEFUL
    }

    /** The result of a {@link Stateful} step if nothing goes on. */
    static final Object NOTHING = new Object();

    /** The result of a user's function. */
    static <T> T notNull(String stage, @Nullable T made) {
        if (made == null) {
            throw new NullPointerException(
                    "stage \"" + stage + "\" made null; leave elements out by filter or flatMap");
        }
        return made;
    }

    /** A step that remembers; made anew for each run, and used by one fiber. */
    interface Stateful {
        /**
         * The element that goes on, or {@link #NOTHING}.
         *
         * @param segment is told if nothing more is wanted, with the index of the step
         */
        Object apply(Object element, Segment segment, int index) throws Exception;

        /**
         * Before the first element, in the fiber of the segment.
         *
         * @param segment is told if nothing is wanted, with the index of the step
         */
        default void begin(Segment segment, int index) {}

        /** The last element, when the others have ended; or null. */
        default @Nullable Object rest() {
            return null;
        }

        /**
         * The segment is over. In its fiber, unless that never ran: then in the caller's.
         *
         * @param why null if that is no failure
         */
        default void end(@Nullable Throwable why) {}

        /**
         * {@return whether the end finds the right cord by itself} Otherwise it is the segment's.
         */
        default boolean endsAnywhere() {
            return false;
        }
    }
}
