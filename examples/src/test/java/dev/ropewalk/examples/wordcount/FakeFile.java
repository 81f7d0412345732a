package dev.ropewalk.examples.wordcount;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.SplittableRandom;

/** A file that may be of any length, fail, and give less than it is asked for. */
final class FakeFile implements ReadableByteChannel {
    private final byte[] pattern;
    private final long length;
    private long position;
    private long failAt = Long.MAX_VALUE;
    private @Nullable IOException failure;
    private @Nullable SplittableRandom pieces;
    private int maxConcurrency = Integer.MAX_VALUE;
    private int longestRead;
    private boolean open = true;

    FakeFile(byte[] content) {
        this(content, content.length);
    }

    /** Repeats the pattern up to {@code length} bytes. */
    FakeFile(byte[] pattern, long length) {
        this.pattern = pattern.clone();
        this.length = length;
    }

    void failAt(long offset, IOException with) {
        failAt = offset;
        failure = with;
    }

    void readInPieces(SplittableRandom random, int most) {
        pieces = random;
        maxConcurrency = most;
    }

    int longestRead() {
        return longestRead;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        longestRead = Math.max(longestRead, to.remaining());
        if (failure != null && position == failAt) {
            throw failure;
        }
        if (position == length) {
            return -1;
        }
        int most = pieces == null ? maxConcurrency : pieces.nextInt(1, maxConcurrency + 1);
        long left = Math.min(length, failAt) - position;
        int count = (int) Math.min(left, Math.min(most, to.remaining()));
        int copied = 0;
        while (copied < count) {
            int from = (int) ((position + copied) % pattern.length);
            int run = Math.min(count - copied, pattern.length - from);
            to.put(pattern, from, run);
            copied += run;
        }
        position += count;
        return count;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
    }
}
