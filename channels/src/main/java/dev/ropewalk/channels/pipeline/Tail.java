package dev.ropewalk.channels.pipeline;

import java.nio.charset.StandardCharsets;

/** The last bytes of an output, as text. One thread adds, another may read. */
final class Tail {
    static final int MAX_BYTES = 4096;

    /** Guarded by this. */
    private final byte[] bytes = new byte[MAX_BYTES];

    /** How many there are; guarded by this. */
    private int length;

    synchronized void add(byte[] more, int n) {
        int kept = Math.min(length, MAX_BYTES - Math.min(n, MAX_BYTES));
        int added = Math.min(n, MAX_BYTES);
        System.arraycopy(bytes, length - kept, bytes, 0, kept);
        System.arraycopy(more, n - added, bytes, kept, added);
        length = kept + added;
    }

    synchronized String text() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8).strip();
    }
}
