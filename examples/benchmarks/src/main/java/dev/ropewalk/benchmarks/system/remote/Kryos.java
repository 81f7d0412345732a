package dev.ropewalk.benchmarks.system.remote;

import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.internal.wire.KryoCodec;
import dev.ropewalk.actors.cluster.internal.wire.PeerTypes;
import dev.ropewalk.actors.cluster.internal.wire.Recipients;
import dev.ropewalk.actors.cluster.internal.wire.TypeTable;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.benchmarks.system.remote.Words.Note;

import java.util.List;
import java.util.Map;

/**
 * A note in bytes and back, by the codec of Ropewalk's nodes: so what differs between two systems
 * is the way of the bytes. For one thread at a time.
 */
final class Kryos {
    private static final int ROOM = 512;

    private static final Recipients NONE =
            new Recipients() {
                @Override
                public void write(Output to, Recipient<?> recipient) {
                    throw new IllegalStateException("a note has no address: " + recipient);
                }

                @Override
                public Recipient<?> read(WireInput from) {
                    throw new IllegalStateException("a note has no address");
                }
            };

    private final KryoCodec codec;
    private final PeerTypes types;
    private final Output output = new Output(ROOM, -1);
    private final WireInput input = new WireInput();

    Kryos() {
        TypeTable table = TypeTable.of(List.of(Note.class), Map.of(), Map.of());
        codec = new KryoCodec(table);
        Output described = new Output(ROOM, -1);
        table.describe(described);
        input.setBuffer(described.toBytes());
        types = PeerTypes.read(input, table);
    }

    /** {@return the bytes, from the first on, until the next call} */
    Output write(Note note) {
        output.reset();
        codec.write(output, note, NONE);
        return output;
    }

    Note read(byte[] bytes, int at, int length) {
        input.setBuffer(bytes, at, length);
        return (Note) codec.read(input, types, NONE);
    }
}
