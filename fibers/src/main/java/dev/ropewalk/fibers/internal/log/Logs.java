package dev.ropewalk.fibers.internal.log;

import dev.ropewalk.fibers.blocking.BlockingPool;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.AbstractLogger;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LocationAwareLogger;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * The log of Ropewalk: each of its loggers comes from {@link #logger}.
 *
 * <p>A line goes to SLF4J. If that has no provider, which would drop it, lines of WARN and ERROR
 * are written to {@code System.err}; the provider slf4j-nop keeps them silent. A line that cannot
 * be written harms nobody: to log throws nothing.
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
    private static final ThreadLocal<@Nullable Consumer<? super Line>> TAP = new ThreadLocal<>();

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
    public static Logger logger(Class<?> type) {
        return logger(type.getName());
    }

    public static Logger logger(String name) {
        return new Tapped(name, LoggerFactory.getLogger(name));
    }

    /**
     * Runs the body, and meanwhile shows the taker what Ropewalk logs on this thread as WARN or
     * ERROR, also if the backend leaves it out. One within another hides the outer one.
     *
     * @param taker called on this thread where the line is logged, within a cord perhaps: it must
     *     not wait; what it throws is logged and harms nobody
     * @param body what runs; what it throws comes out
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
     * Logs that code of a user failed which was called on behalf of somebody else, where that is
     * all that may happen. Throws nothing: if not even the memory for the line is left, it is lost.
     *
     * @param logger takes the line
     * @param broken what the code threw
     * @param pattern the text, with a place for each of the arguments
     * @param first an argument
     */
    public static void tellBroken(Logger logger, Throwable broken, String pattern, Object first) {
        try {
            logger.error(pattern, first, broken);
        } catch (Throwable lost) {
            // There is nobody left to tell, and the caller must go on.
        }
    }

    /**
     * Like {@link #tellBroken(Logger, Throwable, String, Object)}, with one argument more.
     *
     * @param logger takes the line
     * @param broken what the code threw
     * @param pattern the text, with a place for each of the arguments
     * @param first an argument
     * @param second another one
     */
    public static void tellBroken(
            Logger logger, Throwable broken, String pattern, Object first, Object second) {
        try {
            logger.error(pattern, first, second, broken);
        } catch (Throwable lost) {
            // There is nobody left to tell, and the caller must go on.
        }
    }

    /** Shows each line to the tap, and hands it on with the place that it came from. */
    private static final class Tapped extends LegacyAbstractLogger {
        private static final long serialVersionUID = 1;

        /** The method that the code which logs calls; the frame before it is the line's place. */
        private static final String CALLED = AbstractLogger.class.getName();

        private final transient Logger backend;

        Tapped(String name, Logger backend) {
            this.backend = backend;
            this.name = name; // the backend's is another one if SLF4J has no provider
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level,
                @Nullable Marker marker,
                String pattern,
                Object @Nullable [] arguments,
                @Nullable Throwable failure) {
            try {
                show(level, pattern, arguments, failure);
                write(level, marker, pattern, arguments, failure);
            } catch (Throwable broken) {
                writeInstead(level, pattern, arguments, failure, broken);
            }
        }

        private void write(
                Level level,
                @Nullable Marker marker,
                String pattern,
                Object @Nullable [] arguments,
                @Nullable Throwable failure) {
            if (isTold(level) && LogProviders.areMissing()) {
                StderrLog.write(level, getName(), text(pattern, arguments), failure);
            } else if (!backend.isEnabledForLevel(level)) {
                return;
            } else if (backend instanceof LocationAwareLogger aware) {
                aware.log(marker, CALLED, level.toInt(), pattern, arguments, failure);
            } else {
                Object[] none = {};
                backend.atLevel(level)
                        .setCause(failure)
                        .log(pattern, arguments == null ? none : arguments);
            }
        }

        private void writeInstead(
                Level level,
                String pattern,
                Object @Nullable [] arguments,
                @Nullable Throwable failure,
                Throwable broken) {
            try {
                if (isTold(level)) {
                    String message = text(pattern, arguments);
                    StderrLog.writeInstead(level, getName(), message, failure, broken);
                }
            } catch (Throwable lost) {
                // There is nobody left to tell, and the caller must go on.
            }
        }

        private void show(
                Level level,
                String pattern,
                Object @Nullable [] arguments,
                @Nullable Throwable failure) {
            Consumer<? super Line> tap = isTold(level) ? TAP.get() : null;
            if (tap == null) {
                return;
            }
            try {
                tap.accept(new Line(level, getName(), text(pattern, arguments), failure));
            } catch (Throwable broken) {
                write(Level.ERROR, null, "a tap of the log failed", null, broken);
            }
        }

        private static String text(String pattern, Object @Nullable [] arguments) {
            return String.valueOf(MessageFormatter.basicArrayFormat(pattern, arguments));
        }

        private static boolean isTold(Level level) {
            return level.toInt() >= Level.WARN.toInt();
        }

        private static boolean isTapped() {
            return TAP.get() != null;
        }

        @Override
        protected String getFullyQualifiedCallerName() {
            return CALLED;
        }

        @Override
        public boolean isTraceEnabled() {
            return backend.isTraceEnabled();
        }

        @Override
        public boolean isDebugEnabled() {
            return backend.isDebugEnabled();
        }

        @Override
        public boolean isInfoEnabled() {
            return backend.isInfoEnabled();
        }

        @Override
        public boolean isWarnEnabled() {
            return isTapped() || backend.isWarnEnabled() || LogProviders.areMissing();
        }

        @Override
        public boolean isErrorEnabled() {
            return isTapped() || backend.isErrorEnabled() || LogProviders.areMissing();
        }
    }
}
