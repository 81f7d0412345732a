package dev.ropewalk.fibers;

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
 * Lets a test see what Ropewalk itself logs as WARN or ERROR (rule F14): each of its loggers comes
 * from {@link #logger}.
 *
 * <p>A line is shown to the tap of the thread that logs it, and then goes to SLF4J as always. The
 * cords of a run on a virtual clock share one thread, so its tap sees all their lines, and runs
 * that go on at the same time do not see each other's. Lines of other loggers, and of other threads
 * (real cords, calls of a {@link BlockingPool}, the watchdog), are not shown. SLF4J itself has no
 * place where one could look on; wrapping its provider would take a flag of the JVM and a part for
 * each backend.
 *
 * <p>For test support such as {@code @FiberTest}, and for the layers above; others need it not.
 */
public final class LogTap {
    /** Only read when a line is logged, which is rare. */
    private static final ThreadLocal<@Nullable Consumer<? super Line>> TAP = new ThreadLocal<>();

    private LogTap() {}

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
     * {@return the logger of SLF4J for the class, whose lines are shown to taps}
     *
     * @param type whose name it has
     */
    public static Logger logger(Class<?> type) {
        return logger(type.getName());
    }

    static Logger logger(String name) {
        return new Tapped(LoggerFactory.getLogger(name));
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

    /** Shows each line to the tap, and hands it on with the place that it came from. */
    private static final class Tapped extends LegacyAbstractLogger {
        private static final long serialVersionUID = 1;

        /** Who is called by the code that logs; the frame before it is the line's place. */
        private static final String CALLED = AbstractLogger.class.getName();

        private final transient Logger backend;

        Tapped(Logger backend) {
            this.backend = backend;
            this.name = backend.getName();
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level,
                @Nullable Marker marker,
                String pattern,
                Object @Nullable [] arguments,
                @Nullable Throwable failure) {
            show(level, pattern, arguments, failure);
            if (!backend.isEnabledForLevel(level)) {
                return;
            }
            if (backend instanceof LocationAwareLogger aware) {
                aware.log(marker, CALLED, level.toInt(), pattern, arguments, failure);
            } else {
                Object[] none = {};
                backend.atLevel(level)
                        .setCause(failure)
                        .log(pattern, arguments == null ? none : arguments);
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
                String message = MessageFormatter.basicArrayFormat(pattern, arguments);
                tap.accept(new Line(level, getName(), String.valueOf(message), failure));
            } catch (Throwable broken) {
                backend.error("a tap of the log failed", broken);
            }
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
            return isTapped() || backend.isWarnEnabled();
        }

        @Override
        public boolean isErrorEnabled() {
            return isTapped() || backend.isErrorEnabled();
        }
    }
}
