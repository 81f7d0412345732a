package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.observe.DumpFiles;
import dev.ropewalk.fibers.observe.DumpOptions;

import java.nio.file.Path;

/**
 * Dumps of a program that was not written for them: {@code -Dropewalk.dumps=DIRECTORY}, once for
 * the process. A mistake in it is told, and ends nothing.
 */
public final class DumpProperty {
    private static final String DIRECTORY = System.getProperty("ropewalk.dumps");

    private static final String SIGNAL = "USR1";

    private DumpProperty() {}

    /** Nothing without the property. */
    public static void open() {
        if (DIRECTORY == null) {
            return;
        }
        Log log = Logs.logger(DumpFiles.class);
        try {
            if (DIRECTORY.isBlank() || DIRECTORY.equals("true") || DIRECTORY.equals("false")) {
                throw new IllegalArgumentException(
                        "this is no directory; name one: -Dropewalk.dumps=/var/log/shop");
            }
            DumpOptions options = DumpOptions.into(Path.of(DIRECTORY)).onAlarm();
            openedWithSignal(log, options);
        } catch (RuntimeException | Error wrong) {
            log.error("-Dropewalk.dumps={} has no effect: {}", DIRECTORY, Lines.of(wrong));
        }
    }

    /** It lives as long as the process. */
    private static DumpFiles openedWithSignal(Log log, DumpOptions options) {
        try {
            return DumpFiles.open(options.withSignal(SIGNAL));
        } catch (IllegalArgumentException refused) {
            DumpFiles opened = DumpFiles.open(options); // throws if it was the directory
            log.warn("-Dropewalk.dumps: dumps of alarms alone, because {}", Lines.of(refused));
            return opened;
        }
    }
}
