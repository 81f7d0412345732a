package dev.ropewalk.examples.kv;

import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.examples.cli.Plain;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * Tells the log why shards and logs fail: with a stack where a program is wrong, and in a line
 * where it is the disk. While the store starts, who starts it is told that, and nobody twice. For
 * any thread.
 */
final class Failures implements Consumer<FailureReport> {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    private volatile boolean isUp;

    void up() {
        isUp = true;
    }

    @Override
    public void accept(FailureReport report) {
        IOException disk = ofDisk(report.failure());
        if (disk == null) {
            LOG.warn("{} failed", report.actor(), report.failure());
        } else if (isUp) {
            LOG.warn("{} failed: {}", report.actor(), Plain.text(disk.toString()));
        }
    }

    /** What the disk said; null if something else has failed. */
    static @Nullable IOException ofDisk(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof IOException disk) {
                return disk;
            }
        }
        return null;
    }
}
