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
import dev.ropewalk.fibers.spi.Waits;

import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * A body that comes from the other side: the messages of the connection up to its last chunk. Later
 * messages do not belong to it.
 *
 * <p>It lives as long as its exchange. One fiber receives it at a time; when the exchange is over,
 * a fiber that still waits here is told so, and the connection, which alone receives from then on,
 * drops the rest. So no fiber takes later messages for a part of it.
 *
 * <p>Confined to the cord of the connection.
 */
final class IncomingBody extends HttpBody {
    /** Mark: it has ended. */
    private static final Object END = new Object();

    /** Mark: it comes too slowly. */
    private static final Object LATE = new Object();

    private final MessageConnection<HttpObject> from;
    private final Object owner;
    private final long length;
    private final int maxBytes;
    private final long readLimitNs;
    private final Pace pace;

    /** Tells a client that waits to be told; null if it does not, or was told. */
    private @Nullable Runnable invitation;

    /** It is being told. */
    private boolean isInviting;

    private long received;

    /** Its last chunk was taken, or no chunk comes any more. */
    private boolean isEnded;

    /** The program does not want the rest. */
    private boolean isCancelled;

    /** The exchange is over, and the rest the connection's; null while it is not. */
    private @Nullable Withdrawn withdrawn;

    /** The other side has let a limit pass. */
    private boolean isLate;

    /** Why it ended early. */
    private @Nullable IOException failure;

    /** Of the fiber that waits, or that was given a chunk and has not run yet. */
    private WaitNode.@Nullable Place<?> standing;

    /**
     * Made without having begun.
     *
     * @param owner the request that it answers; or, for a request's own body, a name of the request
     * @param length -1 if it is not known
     * @param options for its limits
     * @param pace how slowly it may come
     * @param invitation run before the first wait; or null
     */
    IncomingBody(
            MessageConnection<HttpObject> from,
            Object owner,
            long length,
            HttpOptions options,
            Pace pace,
            @Nullable Runnable invitation) {
        this.from = from;
        this.owner = owner;
        this.length = length;
        this.maxBytes = options.maxBodyBytes();
        this.readLimitNs = Waits.nanos(options.tcp().readLimit());
        this.pace = pace;
        this.invitation = invitation;
    }

    // ---------------------------------------------------------------- the receiver's side

    @Override
    public long length() {
        return length;
    }

    @Override
    long left() {
        return length < 0 ? -1 : length - received;
    }

    @Override
    boolean isOfResponse() {
        return owner instanceof HttpRequest; // which it answers
    }

    @Override
    int limit() {
        return maxBytes;
    }

    @Override
    public byte[] receive() {
        while (true) {
            HttpObject next = next(readLimitNs);
            if (next == null) {
                isLate = true;
                throw late("sent nothing for " + readLimitNs / 1_000_000 + " ms, the readLimit");
            }
            byte[] chunk = chunk(next);
            if (chunk.length > 0) {
                return chunk;
            }
        }
    }

    @Override
    public byte @Nullable [] receive(Duration limit) {
        HttpObject next = next(Waits.nanos(limit));
        return next == null ? null : orReceive(chunk(next));
    }

    @Override
    public byte @Nullable [] tryReceive() {
        HttpObject next = here();
        byte[] chunk = next == null ? null : chunk(next);
        return chunk == null || chunk.length > 0 ? chunk : tryReceive();
    }

    /** A chunk without bytes is the last one, so that this throws, or does not wait for long. */
    private byte[] orReceive(byte[] chunk) {
        return chunk.length > 0 ? chunk : receive();
    }

    /** Null if the limit passed. */
    private @Nullable HttpObject next(long limitNs) {
        Waits.switchpoint();
        checkOpen();
        invite();
        HttpObject here = here();
        if (here != null) {
            return here;
        }
        Selection<HttpObject> wait =
                new Selection<>(List.of(new ChunkClause<HttpObject>(it -> it)), true);
        return wait.await(limitNs) ? wait.result() : null;
    }

    /** Null if no message is here. */
    private @Nullable HttpObject here() {
        checkOpen();
        try {
            return from.tryReceive();
        } catch (ClosedException end) {
            throw cutOff(end);
        }
    }

    /** Whether only the connection may receive it now. */
    boolean isOver() {
        return isEnded || isCancelled || withdrawn != null;
    }

    private void checkOpen() {
        if (isOver()) {
            throw ended();
        }
    }

    private ClosedException ended() {
        if (isCancelled) {
            return new ClosedException(this + " was cancelled", null);
        }
        Withdrawn dropped = withdrawn;
        if (dropped != null) {
            return new ClosedException(this + " was dropped: " + dropped.getMessage(), dropped);
        }
        IOException why = failure;
        if (why == null) {
            return new ClosedException(this + " has ended", null);
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

    private ConnectionTimeoutException late(String how) {
        return new ConnectionTimeoutException(
                from.connection() + " " + how + ": " + this, new SocketTimeoutException("body"));
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
            isEnded |= content instanceof LastHttpContent;
            received += content.content().readableBytes();
            return ByteBufUtil.getBytes(content.content());
        } finally {
            ReferenceCountUtil.release(content);
        }
    }

    @Override
    public <R extends @Nullable Object> Clause<R> onReceive(
            Function<? super byte[], ? extends R> taken) {
        Objects.requireNonNull(taken, "taken");
        if (!isOver()) {
            invite();
        }
        return new ChunkClause<>(
                object -> {
                    byte[] chunk = chunk(object);
                    if (chunk.length == 0) {
                        throw ended();
                    }
                    return taken.apply(chunk);
                });
    }

    /** The clause of the connection, up to the last chunk. */
    private final class ChunkClause<R extends @Nullable Object> implements Clause<R> {
        private final Clause<HttpObject> next = from.onReceive(it -> it);
        private final Function<? super HttpObject, ? extends R> made;

        /** Since when it is waited for. */
        private long sinceNs;

        /** Of the wait; null if it does not stand. */
        private WaitNode.@Nullable Place<?> mine;

        ChunkClause(Function<? super HttpObject, ? extends R> made) {
            this.made = made;
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
        public void begin() {
            sinceNs = Waits.nanoTime();
        }

        @Override
        public boolean isReady() {
            return isOver() || next.isReady() || readyInNanos() == 0;
        }

        @Override
        public long readyInNanos() {
            long leftNs = pace.leftNs(received);
            return leftNs == Long.MAX_VALUE
                    ? leftNs
                    : Math.max(0, leftNs - (Waits.nanoTime() - sinceNs));
        }

        @Override
        public @Nullable Object take(Selection<?> by) {
            if (isOver()) {
                return END;
            }
            return next.isReady() || readyInNanos() > 0 ? next.take(by) : LATE;
        }

        @Override
        public WaitNode.Place<?> stand(WaitNode<?> wait) {
            WaitNode.Place<?> other = standing;
            if (other != null && other.who() != wait.who()) {
                throw new IllegalStateException(
                        IncomingBody.this
                                + " is received by "
                                + other.who()
                                + "; let one fiber receive, and share by a channel");
            }
            WaitNode.Place<?> place = next.stand(wait);
            standing = place;
            mine = place;
            return place;
        }

        @Override
        public void leave(WaitNode.Place<?> place) {
            left(place);
            next.leave(place);
        }

        private void left(WaitNode.Place<?> place) {
            if (standing == place) {
                standing = null;
            }
        }

        @Override
        public void reclaim(WaitNode.Place<?> place) {
            if (place.given() != END) {
                next.reclaim(place);
            }
        }

        @Override
        public void end(boolean isTaken) {
            if (isTaken && mine != null) {
                left(mine);
                mine = null;
            }
            pace.waited(Waits.nanoTime() - sinceNs);
        }

        @Override
        public R result(@Nullable Object given) {
            if (given == END) {
                throw ended();
            }
            if (given == LATE) {
                isLate = true;
                throw late("sends too slowly, " + received + " bytes, " + pace);
            }
            HttpObject object;
            try {
                object = next.result(given);
            } catch (ClosedException end) {
                throw cutOff(end);
            }
            return made.apply(object);
        }

        @Override
        public String toString() {
            return "a receive from " + IncomingBody.this;
        }
    }

    /** The connection drops the rest, before later messages. */
    @Override
    public void cancel() {
        isCancelled = true;
        sendAway();
    }

    /** Tells a fiber that waits that nothing comes for it. */
    private void sendAway() {
        WaitNode.Place<?> waiting = standing;
        if (waiting != null && waiting.isWaiting()) {
            waiting.leave();
            if (waiting.claim(END)) {
                waiting.wake();
            }
        }
    }

    // ---------------------------------------------------------------- the connection's side

    /** Tells a client that waits to send it, and has not been told. Waits. */
    void invite() {
        Runnable unsaid = invitation;
        if (unsaid == null) {
            return;
        }
        invitation = null;
        isInviting = true;
        try {
            unsaid.run();
        } finally {
            isInviting = false;
        }
    }

    /**
     * Waits for a fiber that is about to invite, and has given way before, so that the invitation
     * comes first.
     */
    void awaitInvitation() {
        while (isInviting) {
            Waits.yieldTurn();
        }
    }

    /**
     * The exchange is over: only the connection receives it from now on. A fiber that is just being
     * given a chunk has taken that chunk when this returns.
     */
    @Override
    void withdraw(Withdrawn why) {
        if (!isOver()) {
            withdrawn = why;
        }
        sendAway();
        while (standing != null) {
            Waits.yieldTurn();
        }
    }

    /** Whether all of it was taken, so that the next message is none of its own. */
    boolean isEnded() {
        return isEnded;
    }

    @Override
    boolean isUsedUp() {
        return length != 0 && (isCancelled || withdrawn != null || (isEnded && received > 0));
    }

    /** Whether the client waits to be asked for it. */
    boolean isUninvited() {
        return invitation != null;
    }

    /** Whether what follows it, if anything does, cannot be found. */
    boolean isBroken() {
        return isLate || failure != null;
    }

    /** The fault of the client, or null. */
    @Nullable HttpException fault() {
        if (isLate) {
            return new HttpException(408, "the body did not come in time");
        }
        return failure == null ? null : new HttpException(400, this + " is malformed or cut off");
    }

    /**
     * Drops what is left of it, once it is withdrawn. Waits.
     *
     * @param most so many bytes at most
     * @param limit for so long at most
     * @return whether what follows it can be read
     */
    boolean drop(int most, Duration limit) {
        long endBytes = received + most;
        long beganNs = Waits.nanoTime();
        long leftNs = Waits.nanos(limit);
        while (!isEnded && !isBroken()) {
            HttpObject next;
            try {
                next = leftNs <= 0 ? null : from.receive(Duration.ofNanos(leftNs));
            } catch (ClosedException gone) {
                return false;
            }
            if (next == null || !isTakenAway(next) || received > endBytes) {
                return false;
            }
            leftNs = limit.toNanos() - (Waits.nanoTime() - beganNs);
        }
        return !isBroken();
    }

    /** Drops what is here; whether it has ended. Never waits. */
    boolean dropHere() {
        while (!isEnded) {
            HttpObject next = from.tryReceive();
            if (next == null || !isTakenAway(next)) {
                return false;
            }
        }
        return !isBroken();
    }

    /** Drops a message of it; false if that is malformed. */
    boolean isTakenAway(HttpObject object) {
        try {
            chunk(object);
            return true;
        } catch (ClosedException malformed) {
            return false;
        }
    }

    @Override
    public String toString() {
        return "the body of " + owner;
    }
}
