package dev.ropewalk.fibers.internal.log;

import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Finds out whether SLF4J has a provider. Without one it drops every line, and so does the provider
 * slf4j-nop, which the user has chosen: the loggers of both are the same, so this searches for
 * providers where SLF4J does.
 *
 * <p>For any thread.
 */
public final class LogProviders {
    /** Found at the first line that is told: a search of the class path takes a while. */
    private static volatile @Nullable Boolean areMissing;

    private LogProviders() {}

    /** Whether SLF4J drops its lines without having been asked to. */
    public static boolean areMissing() {
        Boolean known = areMissing;
        if (known == null) {
            known = !isAny(); // two threads that search at once find the same
            areMissing = known;
        }
        return known;
    }

    private static boolean isAny() {
        ClassLoader loader = LoggerFactory.class.getClassLoader();
        return isNamed(loader) || isRegistered(loader);
    }

    /** As SLF4J does: a name that leads to no provider counts as none. */
    private static boolean isNamed(@Nullable ClassLoader loader) {
        String name = System.getProperty(LoggerFactory.PROVIDER_PROPERTY_KEY, "");
        if (name.isEmpty()) {
            return false;
        }
        try {
            return Class.forName(name, true, loader).getConstructor().newInstance()
                    instanceof SLF4JServiceProvider;
        } catch (ReflectiveOperationException | LinkageError none) {
            return false;
        }
    }

    /** As SLF4J does: one that cannot be made counts as none. To make one starts nothing. */
    private static boolean isRegistered(@Nullable ClassLoader loader) {
        Iterator<SLF4JServiceProvider> all =
                ServiceLoader.load(SLF4JServiceProvider.class, loader).iterator();
        while (all.hasNext()) {
            try {
                all.next();
                return true;
            } catch (ServiceConfigurationError broken) {
                // SLF4J has told of it; the next one may do.
            }
        }
        return false;
    }
}
