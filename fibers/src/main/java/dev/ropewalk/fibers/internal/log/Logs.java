package dev.ropewalk.fibers.internal.log;

import dev.ropewalk.fibers.blocking.BlockingPool;

import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * The log of Ropewalk: each of its loggers comes from {@link #logger}.
 *
 * <p>A line goes to SLF4J. If that has no provider, which would drop it, lines of WARN and ERROR
 * are written to {@code System.err}; the provider slf4j-nop keeps them silent. A line that cannot
 * be written does no harm: to log throws nothing.
 *
 * <p>A line of WARN or ERROR is shown to the tap of the thread that logs it before that (rule F14),
 * which lets a test see it. The cords of a run on a virtual clock share one thread, so its tap sees
 * all their lines, and runs that go on at the same time do not see each other's. Lines of other
 * loggers, and of other threads (real cords, calls of a {@link BlockingPool}, the watchdog), are
 * not shown. SLF4J itself has no place where one could look on; wrapping its provider would take a
 * flag of the JVM and a part for each backend.
 *
 * <p>For test support such as {@code @FiberTest}, and for the layers above; others need it not.
 */
public final class Logs {
    /** Only read when a line is logged, which is rare. */
    private static final RootLocal<Consumer<? super Line>> TAP = new RootLocal<>();

    private Logs() {}

    /**
     * A line of WARN or ERROR.
     *
     * @param level which of them
     * @param logger the logger's name
     * @param message the whole text
     * @param failure what was logged with it, if anything
     */
    public record Line(Level level, String logger, String message, @Nullable Throwable failure) {
        /** Checks the values. */
        public Line {
            Objects.requireNonNull(level, "level");
            Objects.requireNonNull(logger, "logger");
            Objects.requireNonNull(message, "message");
        }

        @Override
        public String toString() {
            return level + " " + logger + ": " + message + (failure == null ? "" : ": " + failure);
        }
    }

    /**
     * {@return the logger for the class, whose lines go where this class says}
     *
     * @param type whose name it has
     */
    public static Log logger(Class<?> type) {
        return logger(type.getName());
    }

    public static Log logger(String name) {
        return new Log(name);
    }

    /**
     * Runs the body, and meanwhile shows the taker the lines that Ropewalk logs on this thread as
     * WARN or ERROR, even if the backend leaves them out. A call within another hides the outer
     * taker.
     *
     * @param taker called on this thread where the line is logged, within a cord perhaps: it must
     *     not wait; its exceptions are logged and do no harm
     * @param body what runs; this call throws its exceptions
     */
    public static void during(Consumer<? super Line> taker, Runnable body) {
        Objects.requireNonNull(taker, "taker");
        Consumer<? super Line> outer = TAP.get();
        TAP.set(taker);
        try {
            body.run();
        } finally {
            TAP.set(outer);
        }
    }

    /**
     * Logs that code of a user failed which was called on behalf of another, where nothing more may
     * happen. Throws nothing: if not even the memory for the line is left, it is lost.
     *
     * @param logger takes the line
     * @param broken what the code threw
     * @param pattern the text, with a place for each of the arguments
     * @param first an argument
     */
    public static void tellBroken(Log logger, Throwable broken, String pattern, Object first) {
        try {
            logger.error(pattern, first, broken);
        } catch (Throwable lost) {
            // A failure to log cannot be told, and the caller must go on.
        }
    }

    /**
     * Like {@link #tellBroken(Log, Throwable, String, Object)}, with one argument more.
     *
     * @param logger takes the line
     * @param broken what the code threw
     * @param pattern the text, with a place for each of the arguments
     * @param first an argument
     * @param second another one
     */
    public static void tellBroken(
            Log logger, Throwable broken, String pattern, Object first, Object second) {
        try {
            logger.error(pattern, first, second, broken);
        } catch (Throwable lost) {
            // A failure to log cannot be told, and the caller must go on.
        }
    }

    /** The taker that is shown the lines of this thread, or null. */
    static @Nullable Consumer<? super Line> tap() {
        return TAP.get();
    }
}
