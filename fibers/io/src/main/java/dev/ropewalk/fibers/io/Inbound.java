package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.spi.Waits;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;

/**
 * The half of a connection that is read (rules I3, I4).
 *
 * <p>Netty reads by itself into the stash, until that is full; it goes on when half of it is free
 * again. The reader is only woken, and takes what it came for when all of it is there: a reader
 * that leaves early leaves every byte behind.
 *
 * <p>Confined to the cord.
 */
final class Inbound implements Input {
    private final TcpConnection connection;
    private final Channel channel;
    private final Stash stash = new Stash();
    private final Turnstile reader;
    private final long limitNs;

    /** So many bytes fill the stash; more while a reader wants more at once. */
    private int bound;

    private boolean isPaused;

    /** By this side: nothing is kept any more. */
    private boolean isClosed;

    /** Nothing comes any more: the end of the other side's output, or of the connection. */
    private boolean isEnded;

    /** Why nothing comes any more, if that is not in order. */
    private @Nullable IOException failure;

    Inbound(TcpConnection connection, Channel channel, TcpOptions options) {
        this.connection = connection;
        this.channel = channel;
        this.reader = new Turnstile(connection, "reader");
        this.limitNs = Waits.nanos(options.readLimit());
        this.bound = options.stashBytes();
    }

    // ---------------------------------------------------------------- the fiber's side

    /** How many bytes; -1 at the end. Waits for one. */
    int read(byte[] into, int offset, int length) {
        begin();
        if (length == 0) {
            return 0;
        }
        if (!awaitBytes(1, "bytes from ")) {
            return -1;
        }
        int count = stash.read(into, offset, length);
        resumeIfRoom();
        return count;
    }

    byte[] readFully(int length) {
        begin();
        if (!awaitBytes(length, length + " bytes from ")) {
            throw connection.blame(
                    new EndOfInputException(
                            connection
                                    + " ended after "
                                    + stash.size()
                                    + " of "
                                    + length
                                    + " bytes; read() takes those",
                            new EOFException()));
        }
        byte[] all = new byte[length];
        stash.read(all, 0, length);
        resumeIfRoom();
        return all;
    }

    @Nullable String readLine(int maxBytes) {
        begin();
        int end = stash.lineEnd();
        while (end < 0 && stash.size() <= maxBytes + 1) { // with a CR
            if (!awaitBytes(stash.size() + 1, "a line from ")) {
                return takeLastLine(maxBytes);
            }
            end = stash.lineEnd();
        }
        int length = end < 0 ? Integer.MAX_VALUE : stash.lineLength(end);
        if (length > maxBytes) {
            throw tooLong(maxBytes);
        }
        String line = stash.take(end + 1, length);
        resumeIfRoom();
        return line;
    }

    /**
     * Hands all on up to the end, and says how much that was; takes nothing while there is no room.
     */
    long transferTo(TcpConnection to, Outbound out) {
        long all = 0;
        for (; ; ) {
            begin();
            boolean isMore = awaitBytes(1, "bytes from ");
            out.begin();
            if (!isMore) {
                return all;
            }
            out.awaitRoom();
            ByteBuf some = stash.takeAll();
            if (some != null) { // nobody has taken it meanwhile
                all += some.readableBytes();
                out.hand(some);
                to.touch();
            }
            resumeIfRoom();
        }
    }

    /** What comes behind the last end of a line is a line too. */
    private @Nullable String takeLastLine(int maxBytes) {
        int rest = stash.size();
        if (rest > maxBytes) {
            throw tooLong(maxBytes);
        }
        return rest == 0 ? null : stash.take(rest, rest);
    }

    private LineTooLongException tooLong(int maxBytes) {
        return connection.blame(
                new LineTooLongException(
                        connection
                                + " got a line that is longer than maxLineBytes="
                                + maxBytes
                                + "; read() takes its bytes, close() gets rid of them",
                        new IOException("line too long")));
    }

    private void begin() {
        connection.checkReadable();
        reader.checkFree();
        Waits.switchpoint();
        connection.checkReadable();
    }

    /** Waits until so many are there; false if fewer come before the end. */
    private boolean awaitBytes(int count, String what) {
        while (stash.size() < count) {
            if (failure != null) {
                throw connection.broken("read", failure);
            }
            if (isEnded) {
                return false;
            }
            bound = Math.max(bound, count);
            resume(); // more is wanted than fills the stash by now
            if (!reader.await(new Waiting(what, connection), limitNs)) {
                throw connection.silent("read", limitNs);
            }
            connection.checkReadable();
        }
        return true;
    }

    /** Shown by dumps. */
    private record Waiting(String what, TcpConnection from) {
        @Override
        public String toString() {
            return what + from;
        }
    }

    private void resumeIfRoom() {
        if (stash.size() <= bound / 2) {
            resume();
        }
    }

    private void resume() {
        if (isPaused) {
            isPaused = false;
            channel.config().setAutoRead(true);
        }
    }

    // ---------------------------------------------------------------- handed on

    /** Before messages are made of what comes. */
    void checkNoReader() {
        reader.checkFree();
    }

    /** The unread bytes, which belong to the caller; null if there are none. */
    @Nullable ByteBuf takeAll() {
        return stash.takeAll();
    }

    boolean isEnded() {
        return isEnded;
    }

    @Nullable IOException failure() {
        return failure;
    }

    // ---------------------------------------------------------------- Netty's side

    @Override
    public void received(Object what) {
        if (!(what instanceof ByteBuf bytes) || isClosed) {
            ReferenceCountUtil.release(what);
            return;
        }
        stash.add(bytes);
        if (!isPaused && stash.size() >= bound) {
            isPaused = true;
            channel.config().setAutoRead(false);
        }
        reader.wake();
    }

    @Override
    public void ended(@Nullable IOException why) {
        isEnded = true;
        if (failure == null) {
            failure = why;
        }
        reader.wake();
    }

    @Override
    public void close() {
        isClosed = true;
        stash.release();
        reader.wake();
    }

    @Override
    public boolean isClosed() {
        return isClosed;
    }

    @Override
    public int unread() {
        return stash.size();
    }
}
