package dev.ropewalk.channels.pipeline;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The standard input, for readers that leave while it is silent. A read of it cannot be
 * interrupted, not by a channel of the JDK either, which makes the one that interrupts wait. So
 * each read is that of a daemon thread, and a reader that leaves leaves it to the next one: no byte
 * is lost.
 */
final class Stdin extends InputStream {
    static final Stdin IN = new Stdin();

    private static final int READ_BYTES = 64 * 1024;

    private final ReentrantLock lock = new ReentrantLock();

    /** Has not been awaited to its end; null if nothing is read. */
    private @Nullable FutureTask<ByteBuffer> reading;

    /** Has come, and was not taken. */
    private ByteBuffer rest = ByteBuffer.allocate(0);

    private Stdin() {}

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    /** Interruptible. */
    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        try {
            lock.lockInterruptibly();
            try {
                if (!rest.hasRemaining()) {
                    rest = awaitNext();
                }
                int count = Math.min(length, rest.remaining());
                rest.get(into, offset, count);
                return count == 0 ? -1 : count;
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException left) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException) new InterruptedIOException("stdin").initCause(left);
        }
    }

    /** Empty at the end. */
    private ByteBuffer awaitNext() throws IOException, InterruptedException {
        FutureTask<ByteBuffer> next = reading;
        if (next == null) {
            next = new FutureTask<>(Stdin::readSome);
            reading = next;
            Thread.ofPlatform().daemon().name("stdin").start(next);
        }
        try {
            ByteBuffer some = next.get();
            reading = null;
            return some;
        } catch (ExecutionException failed) {
            reading = null;
            throw new IOException("cannot read the standard input", failed.getCause());
        }
    }

    private static ByteBuffer readSome() throws IOException {
        byte[] bytes = new byte[READ_BYTES];
        return ByteBuffer.wrap(bytes, 0, Math.max(0, System.in.read(bytes)));
    }

    /** It is not ours to close, and others read on. */
    @Override
    public void close() {}
}
