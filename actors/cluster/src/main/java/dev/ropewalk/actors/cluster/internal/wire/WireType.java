package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Output;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A type of the program's own that may stand in a message, under its name. */
sealed interface WireType {
    /** Its name on the wire. */
    String name();

    /** Its class here. */
    Class<?> type();

    /** Tells the other node what it is made of, so that the two can be compared. */
    void describe(Output to);

    /** A serializer that writes it, and reads what this version of the program has written. */
    Serializer<?> serializer();

    /**
     * A record, by the names of its components.
     *
     * @param declared the types of its components
     */
    record OfRecord(String name, Shape shape, List<Declared> declared) implements WireType {
        static final char SORT = 'r';

        @Override
        public Class<?> type() {
            return shape.type;
        }

        @Override
        public void describe(Output to) {
            to.writeByte(SORT);
            to.writeVarInt(shape.components.size(), true);
            for (int i = 0; i < shape.components.size(); i++) {
                Shape.Component each = shape.components.get(i);
                Text.write(to, each.name());
                to.writeByte(each.kind().letter);
                if (each.kind() == Kind.OBJECT) {
                    declared.get(i).write(to);
                }
            }
        }

        @Override
        public Serializer<?> serializer() {
            return new RecordSerializer(name, shape);
        }
    }

    /** An enum, by the names of its constants. */
    record OfEnum(String name, Class<?> type, List<Enum<?>> constants) implements WireType {
        static final char SORT = 'e';

        static OfEnum of(String name, Class<?> type) {
            return new OfEnum(
                    name,
                    type,
                    Stream.of(type.getEnumConstants()).<Enum<?>>map(Enum.class::cast).toList());
        }

        @Nullable Enum<?> named(String wanted) {
            for (Enum<?> each : constants) {
                if (each.name().equals(wanted)) {
                    return each;
                }
            }
            return null;
        }

        @Override
        public void describe(Output to) {
            to.writeByte(SORT);
            to.writeVarInt(constants.size(), true);
            for (Enum<?> each : constants) {
                Text.write(to, each.name());
            }
        }

        @Override
        public Serializer<?> serializer() {
            return new EnumSerializer(
                    name, constants.stream().<String>map(Enum::name).toList(), constants);
        }
    }

    /** Any class, with a serializer of the program's: its bytes are the program's affair. */
    record OfProgram(String name, Class<?> type, Supplier<? extends Serializer<?>> maker)
            implements WireType {
        static final char SORT = 'p';

        @Override
        public void describe(Output to) {
            to.writeByte(SORT);
        }

        @Override
        public Serializer<?> serializer() {
            return maker.get();
        }
    }
}
