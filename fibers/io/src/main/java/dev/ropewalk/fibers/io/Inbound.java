package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.io.internal.Input;
import dev.ropewalk.fibers.io.internal.Stash;
import dev.ropewalk.fibers.io.internal.Turnstile;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.MalformedInputException;

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

    /** So many bytes fill the stash. */
    private final int bound;

    /** So many bytes a reader wants at once; while that is more, they fill it. */
    private int wanted;

    private boolean isPaused;

    /** By this side: nothing is kept any more. */
    private boolean isClosed;

    /** No more input comes: the end of the other side's output, or of the connection. */
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
        try {
            if (!awaitBytes(length, length + " bytes from ")) {
                throw ended(stash.size(), length, "; read() takes those");
            }
            byte[] all = new byte[length];
            stash.read(all, 0, length);
            return all;
        } finally {
            wantNoMore();
        }
    }

    /** Drops them as they come: no more than usual is kept. */
    void skip(long count) {
        begin();
        for (long left = count; left > 0; ) {
            if (!awaitBytes(1, "bytes to skip from ")) {
                throw ended(count - left, count, ", which were to be skipped");
            }
            left -= stash.skip((int) Math.min(left, Integer.MAX_VALUE));
            resumeIfRoom();
        }
    }

    private EndOfInputException ended(long there, long wanted, String remedy) {
        return connection.blame(
                new EndOfInputException(
                        connection + " ended after " + there + " of " + wanted + " bytes" + remedy,
                        new EOFException()));
    }

    /** A line that is no UTF-8 stays. */
    @Nullable String readLine(int maxBytes) {
        begin();
        try {
            int end = awaitLine(maxBytes);
            if (end < 0) {
                return null;
            }
            int length = lineLength(end);
            String line = stash.text(length);
            String fault = stash.fault(line, length);
            if (fault != null) {
                throw noText(fault);
            }
            stash.skip(end + 1);
            return line;
        } finally {
            wantNoMore();
        }
    }

    byte @Nullable [] readLineBytes(int maxBytes) {
        begin();
        try {
            int end = awaitLine(maxBytes);
            if (end < 0) {
                return null;
            }
            byte[] line = new byte[lineLength(end)];
            stash.read(line, 0, line.length);
            stash.skip(end + 1 - line.length);
            return line;
        } finally {
            wantNoMore();
        }
    }

    /**
     * Waits for a line that is not too long. Where its LF is, behind all bytes if the input has
     * ended without one; -1 if it has ended, and no line is there.
     */
    private int awaitLine(int maxBytes) {
        int end = stash.lineEnd();
        while (end < 0 && stash.size() <= maxBytes + 1) { // with a CR
            if (!awaitBytes(stash.size() + 1, "a line from ")) {
                end = stash.size(); // the text behind the last end of a line is a line too
                break;
            }
            end = stash.lineEnd();
        }
        if (end < 0 || lineLength(end) > maxBytes) {
            throw tooLong(maxBytes);
        }
        return end == stash.size() && end == 0 ? -1 : end;
    }

    private int lineLength(int end) {
        return end == stash.size() ? end : stash.lineLength(end);
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
            if (some != null) { // no other fiber has taken it meanwhile
                all += some.readableBytes();
                out.hand(some);
                to.touch();
            }
            resumeIfRoom();
        }
    }

    private CodecException noText(String fault) {
        return connection.blame(
                new CodecException(
                        connection
                                + " sent a line that is no text: "
                                + fault
                                + "; readLineBytes() takes it",
                        new MalformedInputException(1)));
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
                throw connection.errors.broken("read", failure);
            }
            if (isEnded) {
                return false;
            }
            wanted = Math.max(wanted, count);
            resume(); // more may be wanted than fills the stash
            if (!reader.await(new Waiting(what, connection), limitNs)) {
                throw connection.errors.silent("read", "sent", limitNs, "its readLimit");
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

    /** A reader has what it wanted at once, or has left. */
    private void wantNoMore() {
        if (wanted > bound) {
            stash.shrink(bound);
        }
        wanted = 0;
        pauseIfFull();
        resumeIfRoom();
    }

    private void pauseIfFull() {
        if (!isPaused && stash.size() >= Math.max(bound, wanted)) {
            isPaused = true;
            channel.config().setAutoRead(false);
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

    /** Before messages are made of the input. */
    void checkNoReader() {
        reader.checkFree();
    }

    /** The unread bytes, which belong to the caller; or null. */
    @Nullable ByteBuf takeAll() {
        return stash.takeAll();
    }

    @Override
    public boolean isEnded() {
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
        pauseIfFull();
        reader.wake();
    }

    @Override
    public void ended(@Nullable IOException why) {
        if (!isEnded) {
            isEnded = true;
            failure = why;
            reader.wake();
        }
    }

    @Override
    public void channelClosed() {
        stash.moveToHeap();
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
