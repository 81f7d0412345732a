package dev.ropewalk.fibers.io.internal;

import org.jspecify.annotations.Nullable;

import java.util.TreeMap;

/**
 * One direction of a connection in memory: bytes go in on one side, and come out on the other, some
 * time later and in other pieces, but in order.
 *
 * <p>The sender has a window of bytes that are on their way or unread; a read gives back the room
 * of its bytes. Pieces are numbered, because each is on its way for a time of its own. Both sides
 * stand for kernels, see {@link Network}; their channels are told by messages.
 */
final class Pipe {
    /** An arrival: bytes, or the end of the output. */
    @SuppressWarnings("ArrayRecordComponent") // pieces are not compared
    private record Piece(long number, byte @Nullable [] bytes) {}

    private final Network network;
    private final Link there;
    private final Link back;
    private final int window;

    // ------------------------------------------------ of the sender

    private int room;
    private boolean isEnded;

    /** Nothing of it arrives any more: it is not sent again after a cut. */
    private boolean isBrokenOff;

    private long sent;

    /** Told when there is room again. */
    private @Nullable MemoryChannel source;

    // ------------------------------------------------ of the receiver

    /** In the order in which they were sent. */
    private final TreeMap<Long, Piece> arrived = new TreeMap<>();

    /** The number of the piece that is read next. */
    private long next;

    private boolean isReset;

    /** Told when something can be read; null before it is registered, or after it is closed. */
    private @Nullable MemoryChannel sink;

    /** Read, and not told to the sender: told for each piece, the pieces would get ever smaller. */
    private int freed;

    /** The receiver has closed it; null before. */
    private @Nullable Runnable onMore;

    Pipe(Network network, Link there, Link back) {
        this.network = network;
        this.there = there;
        this.back = back;
        this.window = network.window();
        this.room = window;
    }

    // ---------------------------------------------------------------- the sender's side

    void source(MemoryChannel channel) {
        source = channel;
    }

    int room() {
        return isEnded ? 0 : room;
    }

    /** As many as there is room for at most. */
    void send(byte[] bytes) {
        room -= bytes.length;
        int from = 0;
        while (from < bytes.length) {
            int count = network.drawPiece(bytes.length - from);
            byte[] piece = new byte[count];
            System.arraycopy(bytes, from, piece, 0, count);
            send(new Piece(sent++, piece));
            from += count;
        }
    }

    /** The end of the output: behind all bytes. */
    void end() {
        if (!isEnded) {
            isEnded = true;
            send(new Piece(sent++, null));
        }
    }

    private void send(Piece piece) {
        there.carry(() -> receive(piece));
    }

    /** Overtakes what is underway, which is lost. A cut loses it: it is not sent again. */
    void reset() {
        isEnded = true;
        isBrokenOff = true;
        there.carryOnce(0, this::breakOff);
    }

    private void giveBack(int bytes) {
        room += bytes;
        if (source != null) {
            source.roomCame();
        }
    }

    // ---------------------------------------------------------------- the receiver's side

    void sink(MemoryChannel channel) {
        sink = channel;
        tellArrived();
    }

    /**
     * The reader has gone.
     *
     * @param onMore told when bytes come nevertheless
     * @return whether bytes are lost by it
     */
    boolean close(Runnable onMore) {
        sink = null;
        this.onMore = onMore;
        boolean isAnyLost = arrived.values().stream().anyMatch(piece -> piece.bytes() != null);
        arrived.clear();
        return isAnyLost;
    }

    private void receive(Piece piece) {
        if (isBrokenOff || isReset) {
            return;
        }
        if (onMore != null) {
            if (piece.bytes() != null) {
                back.carryNow(onMore); // a cut holds the answer up; TCP would provoke it again
            }
            return;
        }
        arrived.put(piece.number(), piece);
        if (piece.number() == next) {
            tellArrived();
        }
    }

    /** A reset has arrived. */
    void breakOff() {
        isEnded = true;
        isBrokenOff = true;
        if (onMore == null) {
            isReset = true;
            arrived.clear();
            tellArrived();
        }
    }

    boolean isReset() {
        return isReset;
    }

    private void tellArrived() {
        if (sink != null && (isReset || isAnyThere())) {
            sink.tellArrived();
        }
    }

    boolean isAnyThere() {
        return arrived.containsKey(next);
    }

    /** Takes what has arrived first; null at the end of the output. */
    byte @Nullable [] take() {
        Piece taken = arrived.remove(next);
        if (taken == null) {
            throw new IllegalStateException("nothing has arrived: next=" + next);
        }
        next++;
        byte[] bytes = taken.bytes();
        if (bytes != null) {
            freed += bytes.length;
            if (freed >= window / 2) {
                tellFreed();
            }
        }
        return bytes;
    }

    private void tellFreed() {
        int bytes = freed;
        freed = 0;
        back.carryNow(() -> giveBack(bytes));
    }
}
