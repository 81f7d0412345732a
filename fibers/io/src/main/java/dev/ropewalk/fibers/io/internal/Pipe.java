package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.spi.Alarm;

import org.jspecify.annotations.Nullable;

import java.util.TreeMap;

/**
 * One direction of a connection in memory: bytes go in on one cord, and come out on another, some
 * time later and in other pieces, but in order.
 *
 * <p>The sender has a window of bytes that are on their way or unread; a read gives back the room
 * of its bytes. Each side's fields are confined to its cord, and messages go between them.
 *
 * <p>A side that was accepted on one cord may be served on another: it moves before it has sent or
 * read anything. Pieces sent to the old cord are sent on, and may come behind those sent to the new
 * one, so pieces are numbered.
 */
final class Pipe {
    /** An arrival: bytes, the end of the output, or that the other side broke it off. */
    @SuppressWarnings("ArrayRecordComponent") // pieces are not compared
    private record Piece(long number, byte @Nullable [] bytes, boolean isReset, long arrivesNs) {}

    private final Network network;
    private final int window;

    /** Each is written by the cord that it moves to; all cords of a network share a thread. */
    private Cord sender;

    private Cord receiver;

    // ------------------------------------------------ of the sender

    private int room;
    private long lastArrivalNs;
    private boolean isEnded;
    private long sent;

    /** Told when there is room again. */
    private @Nullable MemoryChannel source;

    // ------------------------------------------------ of the receiver

    /** In the order in which they were sent. */
    private final TreeMap<Long, Piece> underway = new TreeMap<>();

    /** The number of the piece that is read next. */
    private long next;

    /** Told when something can be read; null before it is registered, or after it is closed. */
    private @Nullable MemoryChannel sink;

    private boolean isAlarmSet;

    /** Read, and not told to the sender: told for each piece, the pieces would get ever smaller. */
    private int freed;

    /** The receiver has closed it; null before. */
    private @Nullable Runnable onMore;

    Pipe(Network network, Cord sender, Cord receiver) {
        this.network = network;
        this.sender = sender;
        this.receiver = receiver;
        this.window = network.window();
        this.room = window;
        this.lastArrivalNs = sender.nanoTime();
    }

    // ---------------------------------------------------------------- the sender's side

    void source(MemoryChannel channel) {
        source = channel;
    }

    /** The side that sends is served on another cord; nothing was sent. */
    void moveSender(Cord to) {
        sender = to;
    }

    int room() {
        return isEnded ? 0 : room;
    }

    /** As many as there is room for at most. */
    void send(byte[] bytes) {
        room -= bytes.length;
        int from = 0;
        while (from < bytes.length) {
            int count = network.drawPiece(sender, bytes.length - from);
            byte[] piece = new byte[count];
            System.arraycopy(bytes, from, piece, 0, count);
            send(new Piece(sent++, piece, false, nextArrivalNs()));
            from += count;
        }
    }

    /** The end of the output: behind all bytes. */
    void end() {
        if (!isEnded) {
            isEnded = true;
            send(new Piece(sent++, null, false, nextArrivalNs()));
        }
    }

    /** Overtakes what is underway, which is lost. */
    void reset() {
        isEnded = true;
        send(new Piece(sent++, null, true, sender.nanoTime()));
    }

    private long nextArrivalNs() {
        long arrivesNs = sender.nanoTime() + network.drawDelayNs(sender);
        lastArrivalNs = Math.max(lastArrivalNs, arrivesNs);
        return lastArrivalNs;
    }

    private void send(Piece piece) {
        Cord to = receiver;
        to.post(
                new Message() {
                    @Override
                    public void onCord() {
                        if (to == receiver) {
                            receive(piece);
                        } else {
                            send(piece); // it has moved
                        }
                    }
                });
    }

    private void giveBack(int bytes) {
        room += bytes;
        if (source != null) {
            source.hasRoom();
        }
    }

    // ---------------------------------------------------------------- the receiver's side

    void sink(MemoryChannel channel) {
        sink = channel;
        tellArrived();
    }

    /** The side that receives is served on another cord; nothing was read. */
    void moveReceiver(Cord to) {
        receiver = to;
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
        boolean isAnyLost = underway.values().stream().anyMatch(piece -> piece.bytes() != null);
        underway.clear();
        return isAnyLost;
    }

    private void receive(Piece piece) {
        if (onMore != null) {
            if (piece.bytes() != null) {
                onMore.run();
            }
            return;
        }
        if (piece.isReset()) {
            underway.clear();
            next = piece.number();
        }
        if (piece.number() >= next) { // otherwise a reset has overtaken it
            underway.put(piece.number(), piece);
            tellArrived();
        }
    }

    private @Nullable Piece first() {
        return underway.get(next);
    }

    private void tellArrived() {
        Piece first = first();
        if (first == null || sink == null) {
            return;
        }
        if (first.isReset()) {
            sink.wasReset();
            return;
        }
        if (isAlarmSet) {
            return;
        }
        long leftNs = first.arrivesNs() - receiver.nanoTime();
        if (leftNs > 0) {
            isAlarmSet = true;
            Alarm.after(
                    leftNs,
                    () -> {
                        isAlarmSet = false;
                        tellArrived();
                    });
        } else {
            sink.arrived();
        }
    }

    boolean isAnyThere() {
        Piece first = first();
        return first != null && first.arrivesNs() - receiver.nanoTime() <= 0;
    }

    /** Takes what has arrived first; null at the end of the output. */
    byte @Nullable [] take() {
        Piece taken = first();
        if (taken == null) {
            throw new IllegalStateException("nothing has arrived: next=" + next);
        }
        underway.remove(next);
        next++;
        byte[] bytes = taken.bytes();
        if (bytes != null) {
            freed += bytes.length;
            if (freed >= window / 2) {
                tellFreed();
            }
        }
        tellLater();
        return bytes;
    }

    private void tellFreed() {
        int room = freed;
        freed = 0;
        sender.post(
                new Message() {
                    @Override
                    public void onCord() {
                        giveBack(room);
                    }
                });
    }

    /** The next piece may be underway still. */
    private void tellLater() {
        if (!isAnyThere()) {
            tellArrived();
        }
    }

    private abstract static class Message extends CordMessage {
        @Override
        public void onClosed() {
            // The cord has ended, and that side with it.
        }
    }
}
