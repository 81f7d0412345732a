package dev.ropewalk.fibers.internal.log;

import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Where a line goes that no provider of SLF4J takes. For any thread; a line and its stack trace are
 * written by one call, so that those of other threads do not come in between.
 *
 * <p>It alone may ask for the time of day and for {@code System.err}: nothing that a program does
 * depends on when its log was written.
 */
final class StderrLog {
    private static final String HINT =
            "Ropewalk: SLF4J has no provider, so the warnings and errors of Ropewalk are written"
                    + " here, to stderr. To have them in a log, add a provider, for example"
                    + " org.slf4j:slf4j-simple; to have them nowhere, add org.slf4j:slf4j-nop.";

    private static final AtomicBoolean IS_HINT_GIVEN = new AtomicBoolean();

    private StderrLog() {}

    /** For want of a provider; the first line tells how to get one. */
    static void write(Level level, String logger, String message, @Nullable Throwable failure) {
        boolean isFirst = IS_HINT_GIVEN.compareAndSet(false, true);
        write(isFirst ? HINT + System.lineSeparator() : "", level, logger, message, failure);
    }

    /** Because the provider's logger failed; with that failure. */
    static void writeInstead(
            Level level,
            String logger,
            String message,
            @Nullable Throwable failure,
            Throwable broken) {
        String why = "Ropewalk: the logger of SLF4J's provider failed with " + broken + " for:";
        write(why + System.lineSeparator(), level, logger, message, failure);
    }

    /** To what is {@code System.err} now: programs replace it. */
    private static void write(
            String before,
            Level level,
            String logger,
            String message,
            @Nullable Throwable failure) {
        StringBuilder text = new StringBuilder(before);
        text.append(Instant.now().truncatedTo(ChronoUnit.MILLIS)).append(' ').append(level);
        text.append(" [").append(Thread.currentThread().getName()).append("] ");
        text.append(logger).append(": ").append(message);
        if (failure != null) {
            text.append(System.lineSeparator()).append(trace(failure));
        }
        System.err.println(text);
    }

    private static String trace(Throwable failure) {
        StringWriter trace = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(trace));
        } catch (Throwable broken) {
            // Its text is the user's code; the part of the trace that is there is told.
            trace.append(failure.getClass().getName())
                    .append(", whose text failed with ")
                    .append(broken.getClass().getName());
        }
        return trace.toString().stripTrailing();
    }
}
