package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.SignalHandlers;
import dev.ropewalk.fibers.internal.watch.Alarms;
import dev.ropewalk.fibers.observe.DumpFiles;
import dev.ropewalk.fibers.observe.DumpOptions;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

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
            open(log, new DumpWriter(DumpOptions.into(Path.of(DIRECTORY))));
        } catch (RuntimeException | Error wrong) {
            log.error("-Dropewalk.dumps={} has no effect: {}", DIRECTORY, Lines.of(wrong));
        }
    }

    /**
     * Takes the signal and alarms for as long as the process lives, also while no file can be
     * written there: the disk may have room later, and without it the signal ends the process.
     */
    private static void open(Log log, DumpWriter writer) {
        try {
            writer.begin();
        } catch (IOException | RuntimeException refused) {
            log.error(
                    "-Dropewalk.dumps={}: no dump can be written there now, and each one tries"
                            + " again: {}",
                    DIRECTORY,
                    Lines.of(refused));
        }
        Alarms.add(writer::alarm);
        try {
            SignalHandlers.add(List.of(SIGNAL), writer::signal);
        } catch (IllegalArgumentException refused) {
            log.warn("-Dropewalk.dumps: dumps of alarms alone, because {}", Lines.of(refused));
        }
    }
}
