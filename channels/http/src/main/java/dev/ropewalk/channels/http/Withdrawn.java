package dev.ropewalk.channels.http;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CancellationException;

/**
 * Why a body ended before its end though nothing failed: the exchange that it belonged to has no
 * use for it any more. The fiber that still sends or receives it finds this as the cause.
 */
final class Withdrawn extends CancellationException {
    private static final long serialVersionUID = 1L;

    private static final int MAX_CAUSES = 100;

    /** The program could have known. */
    private final boolean isUnexpected;

    private Withdrawn(String message, boolean isUnexpected) {
        super(message);
        this.isUnexpected = isUnexpected;
    }

    /** The client wants a head alone, or the status has no body: no mistake of the program. */
    static Withdrawn unwanted(String message) {
        return new Withdrawn(message, false);
    }

    /** A fiber has gone on with the body for longer than the exchange lasted. */
    static Withdrawn over(String message) {
        return new Withdrawn(message, true);
    }

    boolean isUnexpected() {
        return isUnexpected;
    }

    /** The withdrawal that a failure comes from, or null. */
    static @Nullable Withdrawn in(Throwable failure) {
        Throwable each = failure;
        for (int i = 0; each != null && i < MAX_CAUSES; i++, each = each.getCause()) {
            if (each instanceof Withdrawn found) {
                return found;
            }
        }
        return null;
    }
}
