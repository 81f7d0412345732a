package dev.ropewalk.examples.wordcount;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads sources one after the other, as chunks; small sources share a chunk, because handing one on
 * costs as much as splitting many of them.
 *
 * <p>Calls block; they may come from different threads, but one after the other.
 */
final class SourceReader implements Closeable {
    /**
     * A chunk to hand on, and the sources that are counted with it.
     *
     * @param chunk the text, or null if there is none to hand on
     * @param bytes bytes of the sources that it covers
     * @param whole sources of which this is the end
     * @param cut sources of which this is the end, because the rest cannot be read
     * @param begun whether this is in the middle of a source
     */
    record Part(@Nullable Chunk chunk, long bytes, int whole, int cut, boolean begun) {}

    private final Iterator<Source> sources;
    private final Consumer<Problem> problems;
    private @Nullable ChunkReader reader;

    /** Bytes of the present source that are accounted for. */
    private long accounted;

    /** Whether some of the present source has been given, or is in {@code joined}. */
    private boolean begun;

    /** A chunk that does not fit behind what is in {@code joined}. */
    private @Nullable Chunk held;

    /** Text of small sources is {@code joined[0..end)}; a separator ends each. */
    private byte[] joined = {};

    private int end;

    /* The account of the next part. */
    private long bytes;
    private int whole;
    private int cut;

    SourceReader(List<Source> sources, Consumer<Problem> problems) {
        this.sources = List.copyOf(sources).iterator();
        this.problems = problems;
    }

    /**
     * The next part, or null at the end.
     *
     * @throws InterruptedIOException if the thread is interrupted, which it stays; text that was
     *     read and not given is dropped
     */
    @Nullable Part next() throws InterruptedIOException {
        while (reader != null || sources.hasNext()) {
            ChunkReader from = reader == null ? open(sources.next()) : reader;
            Chunk chunk = held == null ? from.next() : held;
            held = null;
            if (chunk == null) {
                endSource(from);
            } else if (end > 0 && end + chunk.length() >= ChunkReader.CHUNK_BYTES) {
                held = chunk;
                return part(takeJoined());
            } else {
                account(from.bytesGiven());
                begun = true;
                if (end == 0 && isLarge(chunk)) {
                    return part(chunk);
                }
                append(chunk);
            }
        }
        return end > 0 || whole > 0 || cut > 0 || bytes > 0 ? part(takeJoined()) : null;
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
        }
    }

    private ChunkReader open(Source source) {
        ChunkReader opened = new ChunkReader(source, problems);
        reader = opened;
        accounted = 0;
        begun = false;
        return opened;
    }

    private void endSource(ChunkReader ended) {
        account(ended.bytesRead());
        if (ended.cutOff()) {
            cut += begun ? 1 : 0;
        } else if (!ended.skipped()) {
            whole++;
        }
        if (end > 0 && Letters.isWordByte(joined[end - 1])) {
            joined[end++] = '\n';
        }
        reader = null;
        begun = false;
    }

    private void account(long upTo) {
        bytes += upTo - accounted;
        accounted = upTo;
    }

    private static boolean isLarge(Chunk chunk) {
        return chunk.length() >= ChunkReader.CHUNK_BYTES / 2;
    }

    /** There is room for the separator, too. */
    private void append(Chunk chunk) {
        int needed = end + chunk.length() + 1;
        if (needed > joined.length) {
            joined = Arrays.copyOf(joined, Math.max(needed, ChunkReader.CHUNK_BYTES));
        }
        System.arraycopy(chunk.bytes(), 0, joined, end, chunk.length());
        end += chunk.length();
    }

    private @Nullable Chunk takeJoined() {
        if (end == 0) {
            return null;
        }
        Chunk chunk = new Chunk(joined, end);
        joined = new byte[0];
        end = 0;
        return chunk;
    }

    private Part part(@Nullable Chunk chunk) {
        Part part = new Part(chunk, bytes, whole, cut, begun);
        bytes = 0;
        whole = 0;
        cut = 0;
        return part;
    }
}
