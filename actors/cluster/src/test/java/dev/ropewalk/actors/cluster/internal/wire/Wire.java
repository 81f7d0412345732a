package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.Recipient;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Two sides of a codec: what one has written, the other one reads. */
final class Wire {
    static final int MAX = 1 << 20;

    private final KryoCodec writer;
    private final KryoCodec reader;
    private final PeerTypes seen;

    private Wire(TypeTable from, TypeTable to) {
        this.writer = new KryoCodec(from);
        this.reader = new KryoCodec(to);
        this.seen = seenBy(from, to);
    }

    static Wire between(TypeTable from, TypeTable to) {
        return new Wire(from, to);
    }

    static Wire of(Class<?>... types) {
        TypeTable both = table(types);
        return new Wire(both, both);
    }

    static TypeTable table(Class<?>... types) {
        return TypeTable.of(List.of(types), Map.of(), Map.of());
    }

    static TypeTable named(Map<Class<?>, String> names) {
        return TypeTable.of(names.keySet(), names, Map.of());
    }

    static TypeTable with(Class<?> type, Supplier<? extends Serializer<?>> serializer) {
        return TypeTable.of(List.of(), Map.of(), Map.of(type, serializer));
    }

    private static PeerTypes seenBy(TypeTable from, TypeTable to) {
        Output described = new Output(64, MAX);
        from.describe(described);
        WireInput input = new WireInput();
        input.setBuffer(described.getBuffer(), 0, described.position());
        return PeerTypes.read(input, to);
    }

    PeerTypes seen() {
        return seen;
    }

    byte[] bytes(Object message) {
        Output output = new Output(64, MAX);
        writer.write(output, message, NONE);
        return output.toBytes();
    }

    Object message(byte[] bytes) {
        return message(bytes, 0, bytes.length);
    }

    Object message(byte[] bytes, int offset, int length) {
        WireInput input = new WireInput();
        input.setBuffer(bytes, offset, length);
        return reader.read(input, seen, NONE);
    }

    /** There and not back. */
    Object carry(Object message) {
        return message(bytes(message));
    }

    /** Numbers one address, and knows it again. */
    static final Recipient<Object> ADDRESS =
            new Recipient<>() {
                @Override
                public void tell(Object message) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void fail(Throwable failure) {
                    throw new UnsupportedOperationException();
                }
            };

    /** The same, as an address of a message of any type. */
    @SuppressWarnings("unchecked") // nothing is told to it
    static <M> Recipient<M> address() {
        return (Recipient<M>) ADDRESS;
    }

    private static final Recipients NONE =
            new Recipients() {
                @Override
                public void write(Output to, Recipient<?> recipient) {
                    if (recipient != ADDRESS) {
                        throw new IllegalArgumentException("not an address: " + recipient);
                    }
                    to.writeByte(7);
                }

                @Override
                public Recipient<?> read(WireInput from) {
                    if (from.readByte() != 7) {
                        throw new com.esotericsoftware.kryo.KryoException("no address");
                    }
                    return ADDRESS;
                }
            };
}
