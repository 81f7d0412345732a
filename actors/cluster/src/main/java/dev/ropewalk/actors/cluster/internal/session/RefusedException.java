package dev.ropewalk.actors.cluster.internal.session;

import org.jspecify.annotations.Nullable;

/** Two nodes do not become peers: what one of them says of the other. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Refusal refusal;

    @SuppressWarnings("serial") // it never leaves the process
    private final @Nullable Hello peer;

    public RefusedException(Refusal refusal, @Nullable Hello peer, String message) {
        super(message);
        this.refusal = refusal;
        this.peer = peer;
    }

    /** The other node; null if it has not said who it is. */
    public @Nullable Hello peer() {
        return peer;
    }

    /** The sort of the reason. */
    public Refusal refusal() {
        return refusal;
    }
}
