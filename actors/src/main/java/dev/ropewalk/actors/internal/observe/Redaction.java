package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.util.function.UnaryOperator;

/** The filter of messages and states for a system's reports and dumps; for any thread. */
public final class Redaction {
    private static final Log LOG = Logs.logger(Redaction.class);

    private final UnaryOperator<Object> redaction;

    public Redaction(UnaryOperator<Object> redaction) {
        this.redaction = redaction;
    }

    /** The form of a message or state that may be shown. Never throws. */
    public @Nullable Object shown(@Nullable Object thing) {
        if (thing == null) {
            return null;
        }
        try {
            return redaction.apply(thing);
        } catch (Throwable broken) {
            // Any failure: this is the end of an actor, or a dump. The thing may hold the secret.
            Logs.tellBroken(LOG, broken, "the redaction failed for a {}", thing.getClass());
            return "hidden, because the redaction failed: " + thing.getClass().getName();
        }
    }
}
