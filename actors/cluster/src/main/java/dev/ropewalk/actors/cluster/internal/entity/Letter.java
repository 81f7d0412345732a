package dev.ropewalk.actors.cluster.internal.entity;

/** A word of the library to the actor of a durable entity, beside the messages of the program. */
sealed interface Letter {
    /**
     * An entity, by its address.
     *
     * @param kind its kind, of the same host
     * @param key its key
     */
    record Peer(String kind, String key) {
        @Override
        public String toString() {
            return kind + "/" + key;
        }
    }

    /**
     * A message that its sender has stored, and tells until it is confirmed.
     *
     * @param from its sender
     * @param number greater than that of each message that the sender has stored before
     * @param message the message
     */
    record Delivery(Peer from, long number, Object message) implements Letter {}

    /**
     * The message with that number, and all before it, count for the receiver.
     *
     * @param by the receiver
     * @param number of the message
     */
    record Confirmed(Peer by, long number) implements Letter {}

    /**
     * The sender has none of the messages up to that number any more, so none will come again.
     *
     * @param from the sender
     * @param number of the last one
     */
    record Forget(Peer from, long number) implements Letter {}

    /** Something is due: a reminder, messages that nobody has confirmed, or a write. */
    record Tick() implements Letter {}

    /** A reminder is due; its failure is not one of the tick. */
    record Due() implements Letter {}
}
