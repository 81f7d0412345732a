package dev.ropewalk.actors;

/** The rule for the message that an actor failed on, when the actor is started again. */
public sealed interface FailedMessage {
    /** The message is given up; an asker is told at once. */
    record Drop() implements FailedMessage {}

    /**
     * The message is the next one the actor gets, with its attempt number; after the last attempt
     * it is parked.
     *
     * @param attempts how often it is tried at most, the first time included
     */
    record Retry(int attempts) implements FailedMessage {
        /** Checks the number. */
        public Retry {
            if (attempts < 1) {
                throw new IllegalArgumentException(
                        "attempts=" + attempts + " < 1; use drop() to try a message only once");
            }
        }
    }

    /** The message is handed to the dead letters as parked. */
    record Park() implements FailedMessage {}

    /** {@return give the message up} */
    static FailedMessage drop() {
        return new Drop();
    }

    /** {@return try the message three times in all, then park it} */
    static FailedMessage retry() {
        return new Retry(3);
    }

    /**
     * {@return try the message several times, then park it}
     *
     * @param attempts how often at most, the first time included
     */
    static FailedMessage retry(int attempts) {
        return new Retry(attempts);
    }

    /** {@return park the message at its first failure} */
    static FailedMessage park() {
        return new Park();
    }
}
