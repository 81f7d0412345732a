package dev.ropewalk.fibers.internal.log;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LocationAwareLogger;

import java.util.function.Consumer;

/**
 * One logger of Ropewalk, from {@link Logs#logger}. Its first line that is told makes SLF4J's:
 * before that no class of SLF4J is loaded and no provider is looked for, which takes longer than
 * the whole start of a cord. A last argument that is a {@code Throwable} is the failure.
 *
 * <p>For any thread. A line that cannot be written does no harm: to log throws nothing.
 */
public final class Log {
    /** The class that the code which logs calls; the frame before it is the line's place. */
    private static final String CALLED = Log.class.getName();

    private final String name;

    /** Two threads that make it at once get the same. */
    private volatile @Nullable Logger backend;

    Log(String name) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    public void error(String pattern, @Nullable Object... arguments) {
        try {
            tell(Level.ERROR, pattern, arguments);
        } catch (Throwable lost) {
            // A failure to log cannot be told, and the caller must go on.
        }
    }

    public void warn(String pattern, @Nullable Object... arguments) {
        try {
            tell(Level.WARN, pattern, arguments);
        } catch (Throwable lost) {
            // As above.
        }
    }

    public void info(String pattern, @Nullable Object... arguments) {
        try {
            tell(Level.INFO, pattern, arguments);
        } catch (Throwable lost) {
            // As above.
        }
    }

    public void debug(String pattern, @Nullable Object... arguments) {
        try {
            tell(Level.DEBUG, pattern, arguments);
        } catch (Throwable lost) {
            // As above.
        }
    }

    private void tell(Level level, String pattern, @Nullable Object[] all) {
        Throwable failure = MessageFormatter.getThrowableCandidate(all);
        @Nullable Object[] arguments = failure == null ? all : MessageFormatter.trimmedCopy(all);
        try {
            show(level, pattern, arguments, failure);
            write(level, pattern, arguments, failure);
        } catch (Throwable broken) {
            if (isTold(level)) {
                String message = text(pattern, arguments);
                StderrLog.writeInstead(level, name, message, failure, broken);
            }
        }
    }

    private void write(
            Level level,
            String pattern,
            @Nullable Object[] arguments,
            @Nullable Throwable failure) {
        Logger logger = backend(); // which tells of a provider that cannot be made
        if (isTold(level) && LogProviders.areMissing()) {
            StderrLog.write(level, name, text(pattern, arguments), failure);
        } else if (!logger.isEnabledForLevel(level)) {
            return;
        } else if (logger instanceof LocationAwareLogger aware) {
            aware.log(null, CALLED, level.toInt(), pattern, arguments, failure);
        } else {
            logger.atLevel(level).setCause(failure).log(pattern, arguments);
        }
    }

    private Logger backend() {
        Logger made = backend;
        if (made == null) {
            made = LoggerFactory.getLogger(name);
            backend = made;
        }
        return made;
    }

    private void show(
            Level level,
            String pattern,
            @Nullable Object[] arguments,
            @Nullable Throwable failure) {
        Consumer<? super Logs.Line> tap = isTold(level) ? Logs.tap() : null;
        if (tap == null) {
            return;
        }
        try {
            tap.accept(new Logs.Line(level, name, text(pattern, arguments), failure));
        } catch (Throwable broken) {
            write(Level.ERROR, "a tap of the log failed", new Object[0], broken);
        }
    }

    private static String text(String pattern, @Nullable Object[] arguments) {
        return String.valueOf(MessageFormatter.basicArrayFormat(pattern, arguments));
    }

    private static boolean isTold(Level level) {
        return level.toInt() >= Level.WARN.toInt();
    }
}
