package dev.ropewalk.fibers.blocking;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * The first bytes of a stream. Bytes after the bound are read and dropped, so that the writer never
 * waits for a reader.
 */
final class KeptBytes {
    private static final int BUFFER_BYTES = 8_192;

    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final int maxBytes;
    private boolean truncated;

    private KeptBytes(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Reads to the end; blocks its thread. */
    static KeptBytes readAll(InputStream from, int maxBytes) throws IOException {
        KeptBytes bytes = new KeptBytes(maxBytes);
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
            bytes.keep(buffer, read);
        }
        return bytes;
    }

    private void keep(byte[] buffer, int read) {
        int room = Math.min(read, maxBytes - kept.size());
        kept.write(buffer, 0, room);
        truncated |= room < read;
    }

    byte[] bytes() {
        return kept.toByteArray();
    }

    boolean isTruncated() {
        return truncated;
    }

    @Override
    public String toString() {
        return kept.size() + " bytes" + (truncated ? ", truncated" : "");
    }
}
