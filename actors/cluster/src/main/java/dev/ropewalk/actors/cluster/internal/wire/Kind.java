package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.Array;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How a component stands in the bytes: a primitive and a text without their class, anything else
 * with it. Its {@link #letter} is part of the protocol.
 */
enum Kind {
    BOOLEAN('Z') {
        @Override
        void write(Kryo kryo, Output to, @Nullable Object value) {
            to.writeBoolean((Boolean) some(value));
        }

        @Override
        Object read(Kryo kryo, WireInput from) {
            return from.readBoolean();
        }
    },
    BYTE('B') {
        @Override
        void write(Kryo kryo, Output to, @Nullable Object value) {
            to.writeByte((Byte) some(value));
        }

        @Override
        Object read(Kryo kryo, WireInput from) {
            return from.readByte();
        }
    },
    SHORT('S') {
        @Override
        void write(Kryo kryo, Output to, @Nullable Object value) {
            to.writeShort((Short) some(value));
        }

        @Override
        Object read(Kryo kryo, WireInput from) {
            return from.readShort();
        }
    },
    CHAR('C') {
        @Override
        void write(Kryo kryo, Output to, @Nullable Object value) {
            to.writeChar((Character) some(value));
        }

        @Override
        Object read(Kryo kryo, WireInput from) {
            return from.readChar();
        }
    },
    INT('I') {
        @Override
        void write(Kryo kryo, Output to, @Nullable Object value) {
            to.writeVarInt((Integer) some(value), false);
        }

        @Override
        Object read(Kryo kryo, WireInput from) {
            return from.readVarInt(false);
        }
    },
    LONG('J') {
        @Override
        void write(Kryo kryo, Output to, @Nullable Object value) {
            to.writeVarLong((Long) some(value), false);
        }

        @Override
        Object read(Kryo kryo, WireInput from) {
            return from.readVarLong(false);
        }
    },
    FLOAT('F') {
        @Override
        void write(Kryo kryo, Output to, @Nullable Object value) {
            to.writeFloat((Float) some(value));
        }

        @Override
        Object read(Kryo kryo, WireInput from) {
            return from.readFloat();
        }
    },
    DOUBLE('D') {
        @Override
        void write(Kryo kryo, Output to, @Nullable Object value) {
            to.writeDouble((Double) some(value));
        }

        @Override
        Object read(Kryo kryo, WireInput from) {
            return from.readDouble();
        }
    },
    TEXT('T') {
        @Override
        void write(Kryo kryo, Output to, @Nullable Object value) {
            Text.write(to, (String) value);
        }

        @Override
        @Nullable Object read(Kryo kryo, WireInput from) {
            return Text.read(from);
        }
    },
    OBJECT('L') {
        @Override
        void write(Kryo kryo, Output to, @Nullable Object value) {
            kryo.writeClassAndObject(to, value);
        }

        @Override
        @Nullable Object read(Kryo kryo, WireInput from) {
            return kryo.readClassAndObject(from);
        }
    };

    private static final Map<Class<?>, Kind> BY_TYPE =
            Map.of(
                    boolean.class, BOOLEAN,
                    byte.class, BYTE,
                    short.class, SHORT,
                    char.class, CHAR,
                    int.class, INT,
                    long.class, LONG,
                    float.class, FLOAT,
                    double.class, DOUBLE,
                    String.class, TEXT);

    private static final Map<Class<?>, Object> EMPTY =
            Map.of(
                    List.class,
                    List.of(),
                    Set.class,
                    Set.of(),
                    Map.class,
                    Map.of(),
                    Optional.class,
                    Optional.empty(),
                    byte[].class,
                    new byte[0],
                    int[].class,
                    new int[0],
                    long[].class,
                    new long[0],
                    double[].class,
                    new double[0]);

    final char letter;

    Kind(char letter) {
        this.letter = letter;
    }

    abstract void write(Kryo kryo, Output to, @Nullable Object value);

    abstract @Nullable Object read(Kryo kryo, WireInput from);

    static Kind of(Class<?> type) {
        return BY_TYPE.getOrDefault(type, OBJECT);
    }

    /**
     * The kind of a letter.
     *
     * @throws KryoException if there is none
     */
    static Kind of(char letter) {
        for (Kind each : values()) {
            if (each.letter == letter) {
                return each;
            }
        }
        throw new KryoException("there is no kind '" + letter + "'");
    }

    /** Of the type that it alone tells. */
    String javaName() {
        return this == TEXT ? "String" : name().toLowerCase(Locale.ROOT);
    }

    /** The value of a component of that type that the sender does not know. */
    @Nullable Object emptyOf(Class<?> type) {
        return this == TEXT ? "" : this == OBJECT ? EMPTY.get(type) : zeroOf(type);
    }

    private static Object zeroOf(Class<?> primitive) {
        return Array.get(Array.newInstance(primitive, 1), 0);
    }

    private static Object some(@Nullable Object value) {
        if (value == null) {
            throw new KryoException("a primitive is null");
        }
        return value;
    }
}
