package dev.ropewalk.actors.internal;

/**
 * Thrown by receive when the actor's stop message has come; every later receive throws it again. An
 * {@code Error}, so that {@code catch (Exception e)} does not swallow it.
 */
final class StopRequest extends Error {
    private static final long serialVersionUID = 1L;

    StopRequest(String message) {
        super(message, null, false, false);
    }
}
