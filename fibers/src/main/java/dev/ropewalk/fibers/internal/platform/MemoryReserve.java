package dev.ropewalk.fibers.internal.platform;

import org.jspecify.annotations.Nullable;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Memory of the process that is given up when no other is left, so that the fiber or cord that
 * filled it can be ended and reported; from any thread.
 *
 * <p>Little is enough, because an end gives back more memory than it takes. Another thread may take
 * the memory that is given up; hence {@link #tell} needs no memory at all.
 */
public final class MemoryReserve {
    private static final int MAX_BYTES = 1 << 20;

    /** Of the largest heap. */
    private static final int SHARE = 64;

    /** Shares that are free; to ask for the last of the memory costs a collection each time. */
    private static final int PLENTY = 16;

    private static final FileOutputStream STDERR = new FileOutputStream(FileDescriptor.err);

    private static volatile byte @Nullable [] reserve;

    private MemoryReserve() {}

    /** Sets memory aside unless that is done, if there is plenty; otherwise a later call does. */
    public static void refill() {
        long share = Runtime.getRuntime().maxMemory() / SHARE;
        if (reserve == null && free() > PLENTY * share) {
            try {
                reserve = new byte[(int) Math.min(MAX_BYTES, share)];
            } catch (OutOfMemoryError stillNone) {
                reserve = null;
            }
        }
    }

    /** How many bytes of the largest heap are free; some 50 ns. */
    public static long free() {
        Runtime heap = Runtime.getRuntime();
        return heap.maxMemory() - heap.totalMemory() + heap.freeMemory();
    }

    public static void release() {
        reserve = null;
    }

    /** A line for {@link #tell}, made while there is memory. */
    public static byte[] line(String text) {
        return (text + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
    }

    /** Writes the line to stderr and allocates nothing; no stream that has locks or buffers. */
    public static void tell(byte[] line) {
        try {
            STDERR.write(line, 0, line.length);
        } catch (IOException | OutOfMemoryError nobodyReads) {
            // The failure to tell cannot be told either.
        }
    }
}
