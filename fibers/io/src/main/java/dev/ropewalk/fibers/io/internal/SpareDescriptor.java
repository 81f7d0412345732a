package dev.ropewalk.fibers.io.internal;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.DatagramChannel;

/**
 * A file descriptor that is kept for the moment at which there is no other: to say so in the log
 * may take one, because a class is loaded from a file.
 */
public final class SpareDescriptor implements AutoCloseable {
    /** A socket that is never bound; null while it is lent, or could not be had. */
    private @Nullable DatagramChannel held;

    private boolean isWanted;

    /** From now on, until it is closed. */
    public void open() {
        isWanted = true;
        take();
    }

    /** Runs what may need it. */
    public void lend(Runnable to) {
        release();
        try {
            to.run();
        } finally {
            take();
        }
    }

    private void take() {
        if (isWanted) {
            try {
                held = DatagramChannel.open();
            } catch (IOException noneLeft) {
                held = null; // after the next failure, perhaps
            }
        }
    }

    private void release() {
        if (held != null) {
            try {
                held.close();
            } catch (IOException e) {
                throw new UncheckedIOException("a socket that was never bound", e);
            }
            held = null;
        }
    }

    @Override
    public void close() {
        isWanted = false;
        release();
    }
}
