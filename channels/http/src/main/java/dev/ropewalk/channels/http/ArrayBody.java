package dev.ropewalk.channels.http;

import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;

/**
 * Bytes that are all here. It can be used several times: {@link #bytes()} and the iterator give the
 * bytes each time, {@link #receive} once.
 */
final class ArrayBody extends HttpBody {
    static final ArrayBody EMPTY = new ArrayBody(new byte[0]);

    private final byte[] bytes;
    private boolean isReceived;

    ArrayBody(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Not a copy. */
    byte[] array() {
        return bytes;
    }

    @Override
    public long length() {
        return bytes.length;
    }

    @Override
    public byte[] bytes() {
        Waits.switchpoint();
        return bytes.clone();
    }

    @Override
    public Iterator<byte[]> iterator() {
        return (bytes.length == 0 ? List.<byte[]>of() : List.of(bytes)).iterator();
    }

    @Override
    public byte[] receive() {
        Waits.switchpoint();
        return take();
    }

    @Override
    public byte[] receive(Duration limit) {
        return receive();
    }

    @Override
    public byte[] tryReceive() {
        return take();
    }

    private byte[] take() {
        if (isReceived || bytes.length == 0) {
            throw new ClosedException(this + " has ended", null);
        }
        isReceived = true;
        return bytes;
    }

    @Override
    public <R extends @Nullable Object> Clause<R> onReceive(
            Function<? super byte[], ? extends R> taken) {
        return new Clause<>() {
            @Override
            public @Nullable Exclusion guard() {
                return null;
            }

            @Override
            public boolean isLocal() {
                return true;
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public @Nullable Object take(Selection<?> by) {
                return null;
            }

            @Override
            public WaitNode.Place<?> stand(WaitNode<?> wait) {
                throw new AssertionError("it was ready");
            }

            @Override
            public R result(@Nullable Object given) {
                return taken.apply(ArrayBody.this.take());
            }
        };
    }

    @Override
    public void cancel() {
        isReceived = true;
    }

    @Override
    public String toString() {
        return "a body of " + bytes.length + " bytes";
    }
}
