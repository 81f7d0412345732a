package dev.ropewalk.examples.wordcount;

import org.jspecify.annotations.Nullable;

/**
 * How much heap a run needs at least: measured with small and large files under the Serial,
 * Parallel and G1 collectors. Texts of very many different words, or very long ones, need more, and
 * how much is known only when they are read.
 */
final class HeapNeed {
    private static final long MEBIBYTE = 1024 * 1024;
    private static final long BASE = 10;

    /** The chunks that wait for a cord's splitters or lie in their hands. */
    private static final long PER_CORD = 2;

    private HeapNeed() {}

    /** Why a heap is too small for these options, or null if it is not. */
    static @Nullable String complaint(Options options, long maxMemory) {
        long needed = BASE + PER_CORD * options.cords();
        // Some collectors leave out of maxMemory a part that they keep free: up to 5 percent.
        if (maxMemory >= needed * MEBIBYTE / 16 * 15) {
            return null;
        }
        return "the heap of "
                + maxMemory / MEBIBYTE
                + " MiB is too small for "
                + options.cords()
                + (options.cords() == 1 ? " cord" : " cords")
                + "; start java with -Xmx"
                + needed
                + "m or more";
    }

    /** The line for a heap that was full in spite of it. */
    static String full(long maxMemory) {
        return "the heap of "
                + maxMemory / MEBIBYTE
                + " MiB is too small for the words of this text, which are very many or very long;"
                + " start java with a larger -Xmx";
    }

    /** Whether a failure came of a full heap. */
    static boolean isFull(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof OutOfMemoryError) {
                return true;
            }
        }
        return false;
    }
}
