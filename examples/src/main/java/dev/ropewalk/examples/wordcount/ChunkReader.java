package dev.ropewalk.examples.wordcount;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads a file as chunks that end between two words.
 *
 * <p>Memory is bounded whatever the file is: a chunk is longer than asked for only to hold a single
 * word, and a word of more than {@link #MAX_WORD} bytes is skipped and reported. What goes wrong is
 * reported and ends the file; what was read until then is still given. Calls block; they may come
 * from different threads, but one after the other.
 */
final class ChunkReader implements Closeable {
    /** Usual length of a chunk. */
    static final int CHUNK_BYTES = 128 * 1024;

    /** Length of the longest word that is counted. */
    static final int MAX_WORD = 1024 * 1024;

    /** A file with a NUL byte in its first so many bytes is taken for binary. */
    static final int HEAD_BYTES = 8 * 1024;

    private static final byte[] NOTHING = {};

    /** Opens the file; tests put in files that fail or never end. */
    interface Opener {
        ReadableByteChannel open(Path path) throws IOException;
    }

    private final Path path;
    private final int chunkBytes;
    private final Consumer<Problem> problems;
    private final Opener opener;
    private final Utf8Check utf8 = new Utf8Check();
    private @Nullable ReadableByteChannel channel;
    private boolean opened;
    private boolean skipped;
    private boolean malformedReported;

    /** What was read and not yet given is {@code buffer[0..end)}. */
    private byte[] buffer = NOTHING;

    private int end;

    /** Bytes read from the file, those in the buffer included. */
    private long bytesRead;

    /** Whether nothing more will be read. */
    private boolean atEnd;

    ChunkReader(Path path, Consumer<Problem> problems) {
        this(path, CHUNK_BYTES, problems);
    }

    ChunkReader(Path path, int chunkBytes, Consumer<Problem> problems) {
        this(path, chunkBytes, problems, ChunkReader::openFile);
    }

    ChunkReader(Path path, int chunkBytes, Consumer<Problem> problems, Opener opener) {
        // No more than MAX_WORD: a word that is too long must never fit into a usual chunk.
        if (chunkBytes < 1 || chunkBytes > MAX_WORD) {
            throw new IllegalArgumentException(
                    "chunkBytes=" + chunkBytes + " is not in 1.." + MAX_WORD);
        }
        this.path = path;
        this.chunkBytes = chunkBytes;
        this.problems = problems;
        this.opener = opener;
    }

    /**
     * The next chunk, or null at the end. The first call opens the file; the end closes it.
     *
     * @throws InterruptedIOException if the thread is interrupted, which it stays; the file is
     *     closed
     */
    @Nullable Chunk next() throws InterruptedIOException {
        if (!opened) {
            opened = true;
            start();
        }
        while (true) {
            fill(chunkBytes);
            int cut = end == 0 ? 0 : cut();
            reportMalformed();
            if (end == 0) {
                close();
                return null;
            }
            if (cut > 0) {
                return take(cut);
            }
            skipWord();
        }
    }

    /** Bytes of text read so far; 0 of a file that is skipped. */
    long bytesRead() {
        return skipped ? 0 : bytesRead;
    }

    /** Whether the file was skipped as a whole: it could not be opened, or is binary. */
    boolean skipped() {
        return skipped;
    }

    @Override
    public void close() {
        atEnd = true;
        end = 0;
        buffer = NOTHING;
        ReadableByteChannel open = channel;
        channel = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // Nothing was written, so nothing is lost.
                report("closing failed: " + Problem.reason(e));
            }
        }
    }

    /** Index of the first NUL byte in {@code text[0..length)}, or -1. */
    static int indexOfNul(byte[] text, int length) {
        for (int i = 0; i < length; i++) {
            if (text[i] == 0) {
                return i;
            }
        }
        return -1;
    }

    private static ReadableByteChannel openFile(Path path) throws IOException {
        // Opening a pipe would wait for its writer.
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new IOException("no file but a directory, device, pipe or socket, skipped");
        }
        return FileChannel.open(path, StandardOpenOption.READ);
    }

    private void start() throws InterruptedIOException {
        try {
            channel = opener.open(path);
        } catch (IOException e) {
            skip(Problem.reason(e));
            return;
        }
        fill(HEAD_BYTES);
        int nul = indexOfNul(buffer, end);
        if (nul >= 0) {
            skip("binary file (NUL byte at offset " + nul + "), skipped");
        }
    }

    private void skip(String reason) {
        skipped = true;
        report(reason);
        close();
    }

    /** Where to cut off a chunk; 0 if the buffer begins with a word that is too long. */
    private int cut() throws InterruptedIOException {
        int usual = Math.min(end, chunkBytes);
        if (usual == end && atEnd) {
            return end;
        }
        for (int i = usual; i > 0; i--) {
            if (!Letters.isWordByte(buffer[i - 1])) {
                return i;
            }
        }
        int wordEnd = wordEnd(usual);
        while (wordEnd == end && !atEnd && end <= MAX_WORD) {
            fill(Math.min(2 * end, MAX_WORD + 1));
            wordEnd = wordEnd(wordEnd);
        }
        return wordEnd > MAX_WORD ? 0 : Math.min(end, wordEnd + 1);
    }

    private Chunk take(int length) {
        Chunk chunk = new Chunk(buffer, length);
        int left = end - length;
        buffer = new byte[atEnd ? left : Math.max(left, chunkBytes)];
        System.arraycopy(chunk.bytes(), length, buffer, 0, left);
        end = left;
        return chunk;
    }

    private void skipWord() throws InterruptedIOException {
        long wordStart = bytesRead - end;
        int wordEnd = end;
        while (wordEnd == end && !atEnd) {
            end = 0;
            fill(buffer.length);
            wordEnd = wordEnd(0);
        }
        end -= wordEnd;
        System.arraycopy(buffer, wordEnd, buffer, 0, end);
        report(
                "word of "
                        + (bytesRead - end - wordStart)
                        + " bytes at byte offset "
                        + wordStart
                        + " is longer than "
                        + MAX_WORD
                        + " bytes, skipped");
    }

    /** Index of the first byte from {@code from} on that is in no word, or {@code end}. */
    private int wordEnd(int from) {
        int at = from;
        long ends = 0;
        while (at < end && ends == 0) {
            ends = Letters.HIGH_BITS ^ Letters.wordBits(Letters.eightBytes(buffer, at, end));
            at += Letters.bytesBefore(ends);
        }
        return at;
    }

    /** Reads until the buffer holds {@code wanted} bytes or the file is at its end. */
    private void fill(int wanted) throws InterruptedIOException {
        while (end < wanted && !atEnd) {
            if (buffer.length < wanted) {
                buffer = Arrays.copyOf(buffer, wanted);
            }
            int count = read(wanted);
            utf8.next(buffer, end, end + count);
            end += count;
            bytesRead += count;
        }
    }

    /** Reads at most up to {@code wanted} bytes in the buffer, returns how many more there are. */
    private int read(int wanted) throws InterruptedIOException {
        ReadableByteChannel from = channel;
        if (from == null) {
            atEnd = true;
            return 0;
        }
        try {
            int count = from.read(ByteBuffer.wrap(buffer, end, wanted - end));
            if (count >= 0) {
                return count;
            }
            atEnd = true;
            utf8.end();
            return 0;
        } catch (ClosedChannelException e) {
            // By an interrupt, or by who gave up waiting for this call: no fault of the file.
            close();
            InterruptedIOException interrupted =
                    new InterruptedIOException("interrupted while reading " + path);
            interrupted.initCause(e);
            throw interrupted;
        } catch (IOException e) {
            atEnd = true;
            report(
                    "reading failed at byte offset "
                            + bytesRead
                            + ", the rest is not counted: "
                            + Problem.reason(e));
            return 0;
        }
    }

    /** Not before it is known whether the file is binary: then all else is of no interest. */
    private void reportMalformed() {
        if (utf8.malformedAt() >= 0 && !skipped && !malformedReported) {
            malformedReported = true;
            report("malformed UTF-8 at byte offset " + utf8.malformedAt() + ", counted as it is");
        }
    }

    private void report(String reason) {
        problems.accept(Problem.of(path, reason));
    }
}
