package dev.ropewalk.examples.wordcount;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
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
    private boolean cutOff;
    private boolean malformedReported;

    /** What was read and not yet given is {@code buffer[0..end)}. */
    private byte[] buffer = NOTHING;

    private int end;

    /** Bytes read from the file, those in the buffer included. */
    private long bytesRead;

    /** Length of the file when it was opened; 0 if that is not known. */
    private long lengthAtOpen;

    /** Whether nothing more will be read. */
    private boolean atEnd;

    ChunkReader(Source source, Consumer<Problem> problems) {
        this(source.path(), CHUNK_BYTES, problems, _ -> source.open());
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

    /** Bytes of the chunks given so far, and of the words that were skipped between them. */
    long bytesGiven() {
        return bytesRead() - end;
    }

    /** Whether the rest of the file could not be read. */
    boolean cutOff() {
        return cutOff;
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

    private void start() throws InterruptedIOException {
        try {
            ReadableByteChannel opened = opener.open(path);
            channel = opened;
            lengthAtOpen = opened instanceof SeekableByteChannel file ? file.size() : 0;
        } catch (ClosedChannelException e) {
            throw interrupted(e);
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
            reportIfShrunk(from);
            return 0;
        } catch (ClosedChannelException e) {
            throw interrupted(e);
        } catch (IOException e) {
            atEnd = true;
            cutOff = true;
            report(
                    "reading failed at byte offset "
                            + bytesRead
                            + ", the rest is not counted: "
                            + Problem.reason(e));
            return 0;
        }
    }

    /** By an interrupt, or because nobody waits for this call any more: no fault of the file. */
    private InterruptedIOException interrupted(ClosedChannelException e) {
        close();
        InterruptedIOException interrupted =
                new InterruptedIOException("interrupted while reading " + path);
        interrupted.initCause(e);
        return interrupted;
    }

    /** Some files of the system give less than their length at any time: those are whole. */
    private void reportIfShrunk(ReadableByteChannel ended) throws IOException {
        if (bytesRead < lengthAtOpen && ended instanceof SeekableByteChannel file) {
            long lengthNow = file.size();
            if (lengthNow != lengthAtOpen) {
                cutOff = true;
                report(
                        "shrank from "
                                + lengthAtOpen
                                + " to "
                                + lengthNow
                                + " bytes while it was read, the lost part is not counted");
            }
        }
    }

    /** Not before it is known whether the file is binary: then all else is of no interest. */
    private void reportMalformed() {
        if (utf8.malformedAt() >= 0 && !skipped && !malformedReported) {
            malformedReported = true;
            problems.accept(
                    Problem.warning(
                            path,
                            "malformed UTF-8 at byte offset "
                                    + utf8.malformedAt()
                                    + ", counted as it is"));
        }
    }

    private void report(String reason) {
        problems.accept(Problem.of(path, reason));
    }
}
