package dev.ropewalk.actors.cluster.store;

/** The outcome of {@link Store#replace}. */
public sealed interface WriteResult {
    /**
     * The value was written, and survives.
     *
     * @param revision its revision
     */
    record Written(long revision) implements WriteResult {}

    /** Nothing was written, because the key had another revision. */
    record Refused() implements WriteResult {}

    /**
     * The value may have been written, or may be written later. A read tells whether it was; that
     * it will not be is known only when the key has another revision than the one written from.
     *
     * @param cause the reason
     */
    record Unknown(Throwable cause) implements WriteResult {}
}
