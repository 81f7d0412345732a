package dev.ropewalk.channels.http;

import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Receivable;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Function;

/** Chunks that the program makes as they are wanted. */
final class StreamBody extends HttpBody {
    private final Receivable<byte[]> chunks;

    /** A second try must not send nothing, or a rest, as the whole. */
    private boolean isUsedUp;

    StreamBody(Receivable<byte[]> chunks) {
        this.chunks = chunks;
    }

    @Override
    public long length() {
        return -1;
    }

    @Override
    public byte[] receive() {
        try {
            return chunks.receive();
        } catch (ClosedException end) {
            isUsedUp = true;
            throw end;
        }
    }

    @Override
    public byte @Nullable [] receive(Duration limit) {
        return chunks.receive(limit);
    }

    @Override
    public byte @Nullable [] tryReceive() {
        return chunks.tryReceive();
    }

    @Override
    public <R extends @Nullable Object> Clause<R> onReceive(
            Function<? super byte[], ? extends R> taken) {
        return chunks.onReceive(taken);
    }

    @Override
    public void cancel() {
        isUsedUp = true;
        chunks.cancel();
    }

    /** The sender to it learns why. */
    @Override
    void withdraw(Withdrawn why) {
        isUsedUp = true;
        if (chunks instanceof ReceivePort<?> port) {
            port.cancel(why);
        } else {
            chunks.cancel();
        }
    }

    @Override
    boolean isUsedUp() {
        return isUsedUp;
    }

    @Override
    public String toString() {
        return "a body of " + chunks;
    }
}
