package dev.ropewalk.actors.cluster.internal.session;

import com.esotericsoftware.kryo.KryoException;

import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.fibers.io.TcpConnection;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * How two nodes that have a connection become peers, or do not.
 *
 * <pre>
 *   the one that has dialled          the one that has accepted
 *   HELLO                        -&gt;
 *                                &lt;-   HELLO, or REFUSED
 *   CONFIRM, or REFUSED          -&gt;   if the dialler's name is the smaller one
 *                                &lt;-   CONFIRM, or REFUSED, otherwise
 * </pre>
 *
 * Two nodes may dial each other at the same time. So one of each pair, that with the smaller name,
 * confirms one connection and refuses the other; it is the only one that does, so it cannot happen
 * that each keeps another one. The other node takes what is confirmed: if it still has a session
 * with that incarnation, that one has ended on the other side, and is ended here first.
 *
 * <p>Rejected: to compare connections by who dialled. Neither side knows, when it accepts, whether
 * one of its own dials leads to the same node.
 */
public final class Greeting {
    /** The decisions of a node. On its cord; never waits. */
    public interface Door {
        /** Why the other one can be no peer; null if it can. */
        @Nullable Refusal refusal(Hello peer, TcpConnection connection);

        /** Whether the two have a session. */
        boolean hasSession(NodeId peer);

        /** From now on the session may have begun for the other one, which sends then. */
        void greets();
    }

    /**
     * They are peers, and the caller begins the session before it waits for anything.
     *
     * @param peer the other node
     * @param confirms whether this node has to tell the other one, as the first word of the session
     */
    public record Agreed(Hello peer, boolean confirms) {}

    private final TcpConnection connection;
    private final FrameReader reader;
    private final FramePool frames;
    private final Hello self;
    private final Door door;

    /** As soon as it has said who it is. */
    private @Nullable Hello peer;

    private boolean hasGreeted;

    public Greeting(
            TcpConnection connection, FrameReader reader, FramePool frames, Hello self, Door door) {
        this.connection = connection;
        this.reader = reader;
        this.frames = frames;
        this.self = self;
        this.door = door;
    }

    /**
     * Greets, as the side that has dialled.
     *
     * @throws RefusedException if they do not become peers
     * @throws KryoException if the other side is no node
     */
    public Agreed dialled() {
        greet();
        Hello other = expectHello();
        check(other);
        return confirm(other);
    }

    /** Greets, as the side that has accepted; throws as {@link #dialled}. */
    public Agreed accepted() {
        Hello other = expectHello();
        check(other);
        greet();
        return confirm(other);
    }

    /** Whether this node has said who it is. */
    public boolean hasGreeted() {
        return hasGreeted;
    }

    private void greet() {
        hasGreeted = true;
        door.greets();
        send(FrameType.HELLO, null, null);
    }

    private void check(Hello other) {
        Refusal refusal = door.refusal(other, connection);
        if (refusal != null) {
            throw refuse(other, refusal);
        }
    }

    private RefusedException refuse(Hello other, Refusal refusal) {
        send(FrameType.REFUSED, refusal, self.toString());
        return new RefusedException(refusal, other, self + " refuses " + other + ": " + refusal);
    }

    private Agreed confirm(Hello other) {
        if (self.node().name().compareTo(other.node().name()) < 0) {
            if (door.hasSession(other.node())) {
                throw refuse(other, Refusal.DUPLICATE);
            }
            return new Agreed(other, true);
        }
        WireInput frame = expect();
        byte type = frame.readByte();
        if (type != FrameType.CONFIRM) {
            throw unexpected(type, frame);
        }
        return new Agreed(other, false);
    }

    private Hello expectHello() {
        WireInput frame = expect();
        byte type = frame.readByte();
        if (type != FrameType.HELLO) {
            throw unexpected(type, frame);
        }
        peer = Hello.read(frame);
        return peer;
    }

    private RuntimeException unexpected(byte type, WireInput frame) {
        if (type != FrameType.REFUSED) {
            return new KryoException("a node sent type=" + type + " before it was a peer");
        }
        Refusal refusal = Refusal.of(frame.readByte());
        return new RefusedException(
                refusal, peer, Text.readSome(frame) + " refuses " + self + ": " + refusal);
    }

    private WireInput expect() {
        WireInput frame = reader.next();
        if (frame == null) {
            throw new KryoException("the other side ended the connection before it was a peer");
        }
        return frame;
    }

    @SuppressWarnings("EnumOrdinal") // part of the protocol
    private void send(byte type, @Nullable Refusal refusal, @Nullable String text) {
        byte[] bytes =
                frames.with(
                        frame -> {
                            frame.begin(type);
                            if (type == FrameType.HELLO) {
                                self.write(frame.out());
                            } else if (type == FrameType.REFUSED) {
                                frame.out().writeByte(Objects.requireNonNull(refusal).ordinal());
                                Text.write(frame.out(), text);
                            }
                            return frame.copy().bytes();
                        });
        connection.write(bytes, 0, bytes.length);
    }
}
