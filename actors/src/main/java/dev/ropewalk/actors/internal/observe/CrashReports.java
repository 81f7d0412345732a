package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.observe.CrashReport;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Where a system's crash reports go, and what they may show; for any thread. */
public final class CrashReports {
    private static final Log LOG = Logs.logger(CrashReports.class);

    /** Null if nobody wants them: then none is made. */
    private final @Nullable Consumer<? super CrashReport> taker;

    private final UnaryOperator<Object> redaction;

    public CrashReports(
            @Nullable Consumer<? super CrashReport> taker, UnaryOperator<Object> redaction) {
        this.taker = taker;
        this.redaction = redaction;
    }

    public boolean areWanted() {
        return taker != null;
    }

    /** What may be shown of a message or state. Never throws. */
    public @Nullable Object shown(@Nullable Object thing) {
        if (thing == null) {
            return null;
        }
        try {
            return redaction.apply(thing);
        } catch (Throwable broken) {
            // Any failure: this is the end of an actor, or a dump. What failed may hold the secret.
            Logs.tellBroken(LOG, broken, "the redaction failed for a {}", thing.getClass());
            return "hidden, because the redaction failed: " + thing.getClass().getName();
        }
    }

    /** Never throws. */
    public void tell(CrashReport report) {
        try {
            if (taker != null) {
                taker.accept(report);
            }
        } catch (Throwable broken) {
            // Any failure: it is in the middle of an actor's end.
            Logs.tellBroken(LOG, broken, "the taker of crash reports failed for {}", report.path());
        }
    }
}
