package dev.ropewalk.actors.cluster.internal.session;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;

/**
 * The first words of a node, of itself: in 1 KB at most, because the other side does not know yet
 * with whom it speaks.
 *
 * @param version of the protocol
 * @param cluster only nodes of one cluster speak with each other
 * @param node its name and its incarnation
 * @param host where it is reached
 * @param port where it is reached
 */
public record Hello(int version, String cluster, NodeId node, String host, int port) {
    /** Of this program. */
    public static final int VERSION = 1;

    static final int MAX_BYTES = 1_024;

    private static final int MAGIC = 0x52_4F_50_45; // "ROPE"

    void write(Output to) {
        to.writeInt(MAGIC);
        to.writeVarInt(version, true);
        Text.write(to, cluster);
        Text.write(to, node.name());
        to.writeLong(node.incarnation());
        Text.write(to, host);
        to.writeVarInt(port, true);
    }

    /**
     * Reads one; of another version it may have more behind, which is not looked at.
     *
     * @throws KryoException if it is none
     */
    static Hello read(WireInput from) {
        if (from.readInt() != MAGIC) {
            throw new KryoException("it speaks another protocol");
        }
        return new Hello(
                from.readVarInt(true),
                Text.readSome(from),
                new NodeId(Text.readSome(from), from.readLong()),
                Text.readSome(from),
                readPort(from));
    }

    /**
     * Reads a port.
     *
     * @throws KryoException if it is none
     */
    public static int readPort(WireInput from) {
        int port = from.readVarInt(true);
        if (port < 1 || port > 65_535) {
            throw new KryoException("port=" + port + " is not from 1 to 65535");
        }
        return port;
    }

    /** {@return where it is reached} */
    public String address() {
        return host + ":" + port;
    }

    @Override
    public String toString() {
        return node + " at " + address();
    }
}
