package dev.ropewalk.actors.testing;

/** Stands between the messages and one actor; on the actor's fiber. */
interface Interceptor<M> {
    /** The actor is about to handle the message; false leaves it out. It may wait and throw. */
    boolean take(M message) throws Exception;

    /** The actor failed on the message. */
    default void failed(M message, Throwable failure) {}
}
