package dev.ropewalk.actors.cluster.internal.session;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.ConnectionTimeoutException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The frames between two incarnations of nodes (rule A7): in order, without a gap, until it ends.
 *
 * <p>States. One writer: {@link #state(State, State)}.
 *
 * <pre>
 *   UP     -> OVER   the connection has ended or was broken off; no byte came for the limit; the
 *                    other node sent what no node sends; or this node has left
 * </pre>
 *
 * The end is final and comes once: what was not acknowledged is handed to {@link Handler#over},
 * nothing that comes afterwards is handled, and nothing can be sent any more. A later connection of
 * the same two is another session.
 *
 * <p>Who does what: any thread sends, through the {@link Outbox}; the fiber that {@link #run}s it
 * reads and handles frames, and a fiber below it writes. Liveness is any byte within {@link
 * #LIVENESS}; a beat is sent each {@link #BEAT}, which also tells how much was taken. A side that
 * takes a lot says so earlier, or the other one would stand still.
 */
public final class Session {
    /** Without a byte for so long the other node is given up. */
    public static final Duration LIVENESS = Duration.ofSeconds(3);

    /** How often something is sent. */
    static final Duration BEAT = Duration.ofMillis(500);

    /** After so many bytes it tells that it has them, also between two beats. */
    private static final int ACK_BYTES = 32 * 1024;

    private static final Log LOG = Logs.logger(Session.class);

    /** Handles the frames. On the session's cord; never waits. */
    public interface Handler {
        /** A counted frame, or one of the session that is not the session's own affair. */
        void frame(byte type, WireInput content);

        /** Adds what rides on an acknowledgement. */
        void ack(Output to);

        /** Reads what rode on one, which may be of all that was sent. */
        void acked(WireInput from, boolean isAll);

        /** Some time has passed: each {@link #BEAT}. */
        void beat();

        /** The end, once; nothing was told before of what is lost. */
        void over(String why, List<Lost> lost);
    }

    /** A message that was not acknowledged: it may have arrived. */
    public record Lost(Object message, Object to) {}

    private enum State {
        UP,
        OVER
    }

    private final TcpConnection connection;
    private final FrameReader reader;
    private final FramePool frames;
    private final Outbox out;
    private final Hello peer;

    /** Set before it runs. */
    private @Nullable Handler handler;

    private volatile State state = State.UP;

    // ---- confined to the cord

    /** Counted frames that were handled, and how many of them the other side knows of. */
    private long taken;

    private long takenBytes;
    private long takenTold;
    private int bytesUntold;

    private @Nullable Alarm beat;
    private boolean isPeerLeaving;

    public Session(
            TcpConnection connection,
            FrameReader reader,
            FramePool frames,
            int capacity,
            Hello peer) {
        this.connection = connection;
        this.reader = reader;
        this.frames = frames;
        this.out = new Outbox(capacity);
        this.peer = peer;
    }

    /** The other node. */
    public Hello peer() {
        return peer;
    }

    public boolean isOver() {
        return state == State.OVER;
    }

    // ---------------------------------------------------------------- sending, from any thread

    /** The room that a frame needs, and the end that it may meet. */
    public enum Sent {
        YES,
        FULL,
        OVER
    }

    /** Of a frame that the sender may not have to wait for: a tell or an ask. Never waits. */
    public Sent trySend(Frame frame, @Nullable Object message, @Nullable Object to) {
        return out.add(frame, message, to, true);
    }

    /**
     * Waits for room first. A switchpoint.
     *
     * @param frame of {@link Frame#copy}
     */
    public Sent send(
            Frame.Copy frame, @Nullable Object message, @Nullable Object to, long limitNanos) {
        return out.addWhenRoom(frame, message, to, limitNanos);
    }

    /** Of a frame that the other node has asked for, in whatever way. Never waits. */
    public Sent sendAtOnce(Frame frame) {
        return out.add(frame, null, null, false);
    }

    /** The same, of a frame with a message. */
    public Sent sendAtOnce(Frame frame, Object message, Object to) {
        return out.add(frame, message, to, false);
    }

    // ---------------------------------------------------------------- running, on the cord

    /**
     * Says the first words, before any other thread knows of it. Never waits.
     *
     * @param confirms whether this node tells the other one that they are peers
     * @param types describes what this node sends
     * @param known names the nodes that this one knows
     */
    public void begin(
            Handler handledBy, boolean confirms, Consumer<Output> types, Consumer<Output> known) {
        handler = handledBy;
        if (confirms) {
            frames.with(frame -> sendAtOnce(frame.begin(FrameType.CONFIRM)));
        }
        say(FrameType.TYPES, types);
        say(FrameType.PEERS, known);
    }

    private void say(byte type, Consumer<Output> content) {
        frames.with(
                frame -> {
                    content.accept(frame.begin(type).out());
                    return sendAtOnce(frame);
                });
    }

    /** Reads and writes until its end. A switchpoint. */
    public void run() {
        Fiber<?> writer = Fiber.spin("writes to " + peer.node().name(), this::write);
        beat();
        String why = "the fiber of the session has ended";
        try {
            why = read();
        } catch (ConnectionTimeoutException silent) {
            why = "no byte came for " + LIVENESS.toMillis() + " ms";
        } catch (ConnectionException lost) {
            why = "the connection was lost: " + lost.getMessage();
        } catch (KryoException broken) {
            why = "it sent what no node sends: " + broken.getMessage();
            LOG.warn("session with {}: {}", peer, broken.toString());
        } finally {
            end(why);
            writer.terminate();
        }
    }

    private String read() {
        while (true) {
            WireInput frame = reader.next();
            if (state == State.OVER) {
                return "it was ended here";
            }
            if (frame == null) {
                return isPeerLeaving ? "it has left" : "it closed the connection";
            }
            int size = frame.limit() - frame.position();
            byte type = frame.readByte();
            takenBytes += size;
            handle(type, frame);
            if (frame.left() > 0) {
                throw new KryoException(
                        frame.left() + " bytes are left of a frame of type=" + type);
            }
            if (type >= FrameType.FIRST_COUNTED) {
                taken++;
                bytesUntold += size;
                if (bytesUntold >= ACK_BYTES) {
                    tellTaken();
                }
            }
            if (state == State.OVER) {
                return "it was ended here";
            }
        }
    }

    private void handle(byte type, WireInput frame) {
        switch (type) {
            case FrameType.BEAT -> {}
            case FrameType.ACK -> {
                acked(frame.readVarLong(true));
                Objects.requireNonNull(handler).acked(frame, out.isAcked());
            }
            case FrameType.GOODBYE -> {
                isPeerLeaving = true;
                tellTaken(); // it waits for that
            }
            default -> Objects.requireNonNull(handler).frame(type, frame);
        }
    }

    private void acked(long count) {
        if (!out.acked(count)) {
            throw new KryoException("it acknowledges " + count + " frames, which is impossible");
        }
    }

    /** Acknowledges what has been taken. On the cord. */
    public void tellTaken() {
        takenTold = taken;
        bytesUntold = 0;
        frames.with(
                frame -> {
                    Objects.requireNonNull(handler)
                            .ack(frame.begin(FrameType.ACK).number(taken).out());
                    return sendAtOnce(frame);
                });
    }

    /** The number of the counted frame that is handled now, from 1. On the cord. */
    public long taking() {
        return taken + 1;
    }

    /**
     * A message that was sent with that number, and is not acknowledged; null if there is none. It
     * is the caller's from now on, and not lost with the session. Everything that the other node
     * says of a frame while it handles it comes before the acknowledgement.
     */
    public @Nullable Lost takeBack(long number) {
        return out.takeBack(number);
    }

    private void beat() {
        if (state == State.OVER) {
            return;
        }
        if (taken > takenTold) {
            tellTaken();
        } else {
            frames.with(frame -> sendAtOnce(frame.begin(FrameType.BEAT)));
        }
        out.trim();
        Objects.requireNonNull(handler).beat();
        beat = Alarm.after(Waits.nanos(BEAT), this::beat);
    }

    private void write() {
        try {
            for (Outbox.Batch next = out.next(); next != null; next = out.next()) {
                connection.write(next.bytes, 0, next.used);
                out.written(next);
            }
        } catch (ConnectionException lost) {
            end("the connection was lost: " + lost.getMessage());
        }
    }

    // ---------------------------------------------------------------- the end

    /** Ends it at once; no effect if it is over. On the cord. */
    public void end(String why) {
        end(why, false);
    }

    /** Ends it behind what was sent; no effect if it is over. On the cord. */
    public void leave() {
        end("this node has left", true);
    }

    private void end(String why, boolean isOrderly) {
        if (state == State.OVER) {
            return;
        }
        state(State.UP, State.OVER);
        if (beat != null) {
            beat.cancel();
        }
        List<Lost> lost = out.close();
        if (isOrderly) {
            connection.close();
        } else {
            connection.reset();
        }
        Objects.requireNonNull(handler).over(why, lost);
    }

    /** Says that nothing more comes; both nodes acknowledge at once what they have. */
    public void sayGoodbye() {
        out.wantAllSoFar();
        tellTaken();
        frames.with(frame -> sendAtOnce(frame.begin(FrameType.GOODBYE)));
    }

    /** Whether all that was sent before the goodbye has been acknowledged. */
    public boolean isAllAcked() {
        return out.hasAllWanted();
    }

    /** Acknowledges what came meanwhile; whether all of that is written. On the cord. */
    public boolean isAllWritten() {
        if (taken > takenTold) {
            tellTaken();
        }
        return out.isWritten();
    }

    private void state(State from, State to) {
        if (state != from) {
            throw new IllegalStateException(this + " is " + state + ", not " + from);
        }
        state = to;
    }

    // ---------------------------------------------------------------- seen, from any thread

    /** How much it sends and receives; what came is a hint elsewhere than on the cord. */
    public NodeDump.Peer dump(Duration up, NodeDump.Entries entries, List<String> refusedTypes) {
        Outbox.Load load = out.load();
        return new NodeDump.Peer(
                peer.node().name(),
                Long.toHexString(peer.node().incarnation()),
                peer.address(),
                up,
                new NodeDump.Out(
                        load.queuedBytes(),
                        load.unacknowledged(),
                        load.unacknowledgedBytes(),
                        load.waiting(),
                        load.added(),
                        load.bytes()),
                new NodeDump.In(taken, takenBytes),
                entries,
                refusedTypes);
    }

    /** On the cord. */
    public void checkInvariants() {
        out.checkInvariants();
    }

    @Override
    public String toString() {
        return "session with " + peer;
    }
}
