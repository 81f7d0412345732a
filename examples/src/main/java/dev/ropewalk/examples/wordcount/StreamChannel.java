package dev.ropewalk.examples.wordcount;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Reads a pipe or device, which may wait for ever to be opened or read.
 *
 * <p>Nothing can interrupt such a wait. So a daemon thread of its own does it, which a reader that
 * is interrupted leaves behind.
 */
final class StreamChannel implements ReadableByteChannel {
    /** Opens the stream, on the thread that reads it. */
    interface Opener {
        InputStream open() throws IOException;
    }

    /** Some bytes that came, none at the end, or a failure. */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    private record Block(byte[] bytes, @Nullable IOException failure) {
        static final Block END = new Block(new byte[0], null);
    }

    private static final int BLOCK_BYTES = 64 * 1024;

    private final Opener opener;
    private final Thread thread;
    private final BlockingQueue<Block> blocks = new ArrayBlockingQueue<>(1);
    private ByteBuffer rest = ByteBuffer.allocate(0);
    private @Nullable Block last;
    private volatile boolean open = true;

    StreamChannel(String name, Opener opener) {
        this.opener = opener;
        this.thread = Thread.ofPlatform().daemon().name("wordcount-read-" + name).start(this::pump);
    }

    /**
     * Waits for at least one byte.
     *
     * @throws ClosedByInterruptException if the thread is interrupted, which it stays; the channel
     *     is closed
     */
    @Override
    public int read(ByteBuffer to) throws IOException {
        if (!open) {
            throw new ClosedChannelException();
        }
        if (!rest.hasRemaining() && last == null) {
            take();
        }
        if (!rest.hasRemaining() && last != null) {
            if (last.failure() != null) {
                throw last.failure();
            }
            return -1;
        }
        int count = Math.min(rest.remaining(), to.remaining());
        to.put(to.position(), rest, rest.position(), count);
        to.position(to.position() + count);
        rest.position(rest.position() + count);
        return count;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() {
        open = false;
        thread.interrupt();
    }

    private void take() throws IOException {
        try {
            Block block = blocks.take();
            rest = ByteBuffer.wrap(block.bytes());
            last = rest.hasRemaining() ? null : block;
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new ClosedByInterruptException();
        }
    }

    private void pump() {
        try {
            blocks.put(readAll());
        } catch (InterruptedException e) {
            // The channel was closed: nobody takes the rest.
            Thread.currentThread().interrupt();
        }
    }

    private Block readAll() throws InterruptedException {
        byte[] buffer = new byte[BLOCK_BYTES];
        try (InputStream in = opener.open()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                blocks.put(new Block(Arrays.copyOf(buffer, count), null));
            }
            return Block.END;
        } catch (IOException e) {
            return new Block(new byte[0], e);
        }
    }
}
