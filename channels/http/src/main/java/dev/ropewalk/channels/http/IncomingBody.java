package dev.ropewalk.channels.http;

import dev.ropewalk.fibers.io.CodecException;
import dev.ropewalk.fibers.io.ConnectionTimeoutException;
import dev.ropewalk.fibers.io.EndOfInputException;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.WaitNode;

import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/**
 * A body that comes from the other side: the messages of the connection up to its last chunk. What
 * follows that is none of its own.
 *
 * <p>Confined to the cord of the connection.
 */
final class IncomingBody extends HttpBody {
    /** Mark: it has ended. */
    private static final Object END = new Object();

    private final MessageConnection<HttpObject> from;
    private final Object owner;
    private final long length;
    private final int maxBytes;

    /** Tells a client that waits to be told; null if it does not, or was told. */
    private @Nullable Runnable invitation;

    private long received;

    /** Its last chunk was taken, or none comes any more. */
    private boolean isEnded;

    /** Nobody wants the rest. */
    private boolean isCancelled;

    /** The other side has let the limit pass. */
    private boolean isLate;

    /** Why it ended early. */
    private @Nullable IOException failure;

    /**
     * One that has not begun.
     *
     * @param owner the request or response, for messages
     * @param length -1 if it is not known
     * @param invitation run before the first wait; null if there is none
     */
    IncomingBody(
            MessageConnection<HttpObject> from,
            Object owner,
            long length,
            int maxBytes,
            @Nullable Runnable invitation) {
        this.from = from;
        this.owner = owner;
        this.length = length;
        this.maxBytes = maxBytes;
        this.invitation = invitation;
    }

    // ---------------------------------------------------------------- the receiver's side

    @Override
    public long length() {
        return length;
    }

    @Override
    int limit() {
        return maxBytes;
    }

    @Override
    public byte[] receive() {
        while (true) {
            begin();
            byte[] chunk = chunk(next());
            if (chunk.length > 0) {
                return chunk;
            }
        }
    }

    @Override
    public byte @Nullable [] receive(Duration limit) {
        begin();
        HttpObject next;
        try {
            next = from.receive(limit);
        } catch (ClosedException end) {
            throw cutOff(end);
        }
        return next == null ? null : orReceive(chunk(next));
    }

    @Override
    public byte @Nullable [] tryReceive() {
        checkOpen();
        HttpObject next;
        try {
            next = from.tryReceive();
        } catch (ClosedException end) {
            throw cutOff(end);
        }
        byte[] chunk = next == null ? null : chunk(next);
        return chunk == null || chunk.length > 0 ? chunk : tryReceive();
    }

    /** A chunk without bytes is the last one, so that this throws, or does not wait for long. */
    private byte[] orReceive(byte[] chunk) {
        return chunk.length > 0 ? chunk : receive();
    }

    private HttpObject next() {
        try {
            return from.receive();
        } catch (ClosedException end) {
            throw cutOff(end);
        } catch (ConnectionTimeoutException late) {
            isLate = true;
            throw late;
        }
    }

    private void begin() {
        checkOpen();
        Runnable unsaid = invitation;
        if (unsaid != null) {
            invitation = null;
            unsaid.run();
        }
    }

    private void checkOpen() {
        if (isEnded || isCancelled) {
            throw ended();
        }
    }

    private ClosedException ended() {
        IOException why = failure;
        if (why == null || isCancelled) {
            return new ClosedException(
                    this + (isCancelled ? " was cancelled" : " has ended"), null);
        }
        return new ClosedException(
                this + " was cut off",
                from.connection()
                        .blame(
                                why instanceof EOFException
                                        ? new EndOfInputException(
                                                this + " was cut off after " + received + " bytes",
                                                why)
                                        : new CodecException(
                                                this + " is malformed: " + why.getMessage(), why)));
    }

    /** The connection has ended within the body. */
    private ClosedException cutOff(ClosedException end) {
        isEnded = true;
        if (end.getCause() != null) {
            return end;
        }
        failure = new EOFException();
        return ended();
    }

    /** Takes it over; without bytes at the end. */
    private byte[] chunk(HttpObject object) {
        HttpContent content = (HttpContent) object;
        try {
            if (content.decoderResult().isFailure()) {
                isEnded = true;
                failure = new IOException(content.decoderResult().cause());
                throw ended();
            }
            isEnded = content instanceof LastHttpContent;
            received += content.content().readableBytes();
            return ByteBufUtil.getBytes(content.content());
        } finally {
            ReferenceCountUtil.release(content);
        }
    }

    @Override
    public <R extends @Nullable Object> Clause<R> onReceive(
            Function<? super byte[], ? extends R> taken) {
        Runnable unsaid = invitation;
        if (unsaid != null) {
            invitation = null;
            unsaid.run();
        }
        return new ChunkClause<>(Objects.requireNonNull(taken, "taken"));
    }

    /** That of the connection, up to the last chunk. */
    private final class ChunkClause<R extends @Nullable Object> implements Clause<R> {
        private final Clause<R> next;

        ChunkClause(Function<? super byte[], ? extends R> taken) {
            this.next =
                    from.onReceive(
                            object -> {
                                byte[] chunk = chunk(object);
                                if (chunk.length == 0) {
                                    throw ended();
                                }
                                return taken.apply(chunk);
                            });
        }

        @Override
        public @Nullable Exclusion guard() {
            return next.guard();
        }

        @Override
        public boolean isLocal() {
            return next.isLocal();
        }

        @Override
        public boolean isReady() {
            return isEnded || isCancelled || next.isReady();
        }

        @Override
        public @Nullable Object take(Selection<?> by) {
            return isEnded || isCancelled ? END : next.take(by);
        }

        @Override
        public WaitNode.Place<?> stand(WaitNode<?> wait) {
            return next.stand(wait);
        }

        @Override
        public void leave(WaitNode.Place<?> place) {
            next.leave(place);
        }

        @Override
        public void reclaim(WaitNode.Place<?> place) {
            next.reclaim(place);
        }

        @Override
        public R result(@Nullable Object given) {
            if (given == END) {
                throw ended();
            }
            try {
                return next.result(given);
            } catch (ClosedException end) {
                throw isEnded ? end : cutOff(end);
            }
        }

        @Override
        public String toString() {
            return "a receive from " + IncomingBody.this;
        }
    }

    /** What is left is dropped by the connection, before what follows. */
    @Override
    public void cancel() {
        isCancelled = true;
    }

    // ---------------------------------------------------------------- the connection's side

    /** Whether nothing of it stands before what follows. */
    boolean isEnded() {
        return isEnded;
    }

    /** Whether the client waits to be asked for it. */
    boolean isUninvited() {
        return invitation != null;
    }

    /** Whether what follows it, if anything does, cannot be found. */
    boolean isBroken() {
        return isLate || failure != null;
    }

    /** What the client did wrong; null if it did nothing. */
    @Nullable HttpException fault() {
        if (isLate) {
            return new HttpException(408, "the body did not come in time");
        }
        return failure == null ? null : new HttpException(400, this + " is malformed or cut off");
    }

    /** Whether what follows it can be read, after dropping so many bytes at most. Waits. */
    boolean isOver(int most) {
        return !isBroken() && (isEnded || drop(most));
    }

    /** Drops what is left of it, so many bytes at most; false if more is left. Waits. */
    private boolean drop(int most) {
        isCancelled = true;
        long end = received + most;
        while (!isEnded && received <= end) {
            chunk(next());
        }
        return isEnded && failure == null;
    }

    /** Drops what is here; whether it has ended. Never waits. */
    boolean dropHere() {
        isCancelled = true;
        while (!isEnded) {
            HttpObject next = from.tryReceive();
            if (next == null) {
                return false;
            }
            chunk(next);
        }
        return failure == null;
    }

    @Override
    public String toString() {
        return "the body of " + owner;
    }
}
