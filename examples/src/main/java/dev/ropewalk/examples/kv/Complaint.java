package dev.ropewalk.examples.kv;

import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A failure that comes again and again as long as its cause lasts, and comes and goes while a disk
 * is nearly full: a line in the log for it in an interval, and one when it is over. Confined to its
 * actor.
 */
final class Complaint {
    /** Between two lines. */
    static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(Complaint.class);

    private final Path path;
    private final String what;

    /** Since the last line. */
    private long count;

    /** Of the last line; null if there was none. */
    private @Nullable Long toldNs;

    private boolean isOverTold = true;

    /**
     * Nothing is wrong yet.
     *
     * @param what for people: {@code "writes are refused"}
     */
    Complaint(Path path, String what) {
        this.path = path;
        this.what = what;
    }

    void tell(IOException cause) {
        long nowNs = Cord.current().nanoTime();
        Long last = toldNs;
        count++;
        if (last == null || nowNs - last >= INTERVAL.toNanos()) {
            LOG.error("{}: {}, times={}: {}", path, what, count, cause.toString());
            toldNs = nowNs;
            count = 0;
            isOverTold = false;
        }
    }

    /** It has succeeded. */
    void over() {
        if (!isOverTold) {
            LOG.info("{}: it is over that {}", path, what);
            isOverTold = true;
        }
    }
}
