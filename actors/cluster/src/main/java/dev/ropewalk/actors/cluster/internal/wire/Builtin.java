package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.RemoteFailure;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The types that every node knows. Their numbers are their places in {@link #register}, and part of
 * the protocol: a new one goes to the end. Lists, sets and maps arrive unmodifiable, in the order
 * of the sender, whatever class they had.
 */
final class Builtin {
    /** More than the types here; those of a program come behind. */
    static final int END = 64;

    private static final int FIRST_ROOM = 64;

    /** Those for whose classes another one stands in the bytes; the first that fits. */
    private static final List<Class<?>> KINDS =
            List.of(Recipient.class, List.class, Set.class, Map.class, Throwable.class);

    /** Declared so, or as any class that a list, a set or a map is. */
    private static final Set<Class<?>> DECLARED =
            Set.of(
                    boolean.class,
                    byte.class,
                    short.class,
                    char.class,
                    int.class,
                    long.class,
                    float.class,
                    double.class,
                    Boolean.class,
                    Byte.class,
                    Short.class,
                    Character.class,
                    Integer.class,
                    Long.class,
                    Float.class,
                    Double.class,
                    String.class,
                    byte[].class,
                    int[].class,
                    long[].class,
                    double[].class,
                    BigInteger.class,
                    BigDecimal.class,
                    UUID.class,
                    Duration.class,
                    Instant.class,
                    LocalDate.class,
                    LocalTime.class,
                    LocalDateTime.class,
                    ZoneOffset.class,
                    OffsetDateTime.class,
                    ZonedDateTime.class,
                    Period.class,
                    Optional.class,
                    Recipient.class,
                    ActorRef.class,
                    List.class,
                    Set.class,
                    Map.class,
                    Throwable.class);

    private Builtin() {}

    /** Whether a component of that type can hold what a node sends without being told of it. */
    static boolean knows(Class<?> type) {
        return DECLARED.contains(type);
    }

    static List<Class<?>> collections() {
        return List.of(List.class, Set.class, Map.class);
    }

    /** Behind Kryo's own, which are the primitives and the text. */
    static void register(Kryo kryo, RecipientSerializer recipients) {
        kryo.register(String.class, Text.SERIALIZER);
        kryo.register(byte[].class);
        kryo.register(int[].class);
        kryo.register(long[].class);
        kryo.register(double[].class);
        kryo.register(BigInteger.class);
        kryo.register(BigDecimal.class);
        kryo.register(UUID.class, new UuidSerializer());
        kryo.register(Duration.class);
        kryo.register(Instant.class);
        kryo.register(LocalDate.class);
        kryo.register(LocalTime.class);
        kryo.register(LocalDateTime.class);
        kryo.register(ZoneOffset.class);
        kryo.register(OffsetDateTime.class);
        kryo.register(ZonedDateTime.class);
        kryo.register(Period.class);
        kryo.register(Optional.class);
        kryo.register(Recipient.class, recipients);
        kryo.register(List.class, new ListSerializer());
        kryo.register(Set.class, new SetSerializer());
        kryo.register(Map.class, new MapSerializer());
        kryo.register(Throwable.class, new FailureSerializer());
    }

    /** The class that stands in the bytes for a class that is not registered; null if none does. */
    static @Nullable Class<?> standIn(Class<?> type) {
        for (Class<?> each : KINDS) {
            if (each.isAssignableFrom(type)) {
                return each;
            }
        }
        return null;
    }

    private static void writeAll(Kryo kryo, Output to, Collection<?> values) {
        to.writeVarInt(values.size(), true);
        for (Object each : values) {
            kryo.writeClassAndObject(to, each);
        }
    }

    /** Room comes with the elements: lists in lists may each claim what is left. */
    private static @Nullable Object[] readAll(Kryo kryo, Input from) {
        int size = ((WireInput) from).readSize(1);
        @Nullable Object[] values = new Object[Math.min(size, FIRST_ROOM)];
        for (int i = 0; i < size; i++) {
            if (i == values.length) {
                values = Arrays.copyOf(values, Math.min(size, 2 * i));
            }
            values[i] = kryo.readClassAndObject(from);
        }
        return values;
    }

    private static final class UuidSerializer extends Serializer<UUID> {
        @Override
        public void write(Kryo kryo, Output to, UUID id) {
            to.writeLong(id.getMostSignificantBits());
            to.writeLong(id.getLeastSignificantBits());
        }

        @Override
        public UUID read(Kryo kryo, Input from, Class<? extends UUID> type) {
            return new UUID(from.readLong(), from.readLong());
        }
    }

    private static final class ListSerializer extends Serializer<List<?>> {
        @Override
        public void write(Kryo kryo, Output to, List<?> list) {
            writeAll(kryo, to, list);
        }

        @Override
        public List<?> read(Kryo kryo, Input from, Class<? extends List<?>> type) {
            return Collections.unmodifiableList(Arrays.asList(readAll(kryo, from)));
        }
    }

    private static final class SetSerializer extends Serializer<Set<?>> {
        @Override
        public void write(Kryo kryo, Output to, Set<?> set) {
            writeAll(kryo, to, set);
        }

        @Override
        public Set<?> read(Kryo kryo, Input from, Class<? extends Set<?>> type) {
            return Collections.unmodifiableSet(
                    new LinkedHashSet<>(Arrays.asList(readAll(kryo, from))));
        }
    }

    private static final class MapSerializer extends Serializer<Map<?, ?>> {
        @Override
        public void write(Kryo kryo, Output to, Map<?, ?> map) {
            to.writeVarInt(map.size(), true);
            for (Map.Entry<?, ?> each : map.entrySet()) {
                kryo.writeClassAndObject(to, each.getKey());
                kryo.writeClassAndObject(to, each.getValue());
            }
        }

        @Override
        public Map<?, ?> read(Kryo kryo, Input from, Class<? extends Map<?, ?>> type) {
            int size = ((WireInput) from).readSize(2);
            Map<@Nullable Object, @Nullable Object> map =
                    LinkedHashMap.newLinkedHashMap(Math.min(size, FIRST_ROOM));
            for (int i = 0; i < size; i++) {
                map.put(kryo.readClassAndObject(from), kryo.readClassAndObject(from));
            }
            return Collections.unmodifiableMap(map);
        }
    }

    /** Addresses, by the session. */
    static final class RecipientSerializer extends Serializer<Recipient<?>> {
        /** Of the message in hand. */
        @Nullable Recipients addresses;

        private Recipients addresses() {
            if (addresses == null) {
                throw new KryoException("no address is allowed here");
            }
            return addresses;
        }

        @Override
        public void write(Kryo kryo, Output to, Recipient<?> recipient) {
            addresses().write(to, recipient);
        }

        @Override
        public Recipient<?> read(Kryo kryo, Input from, Class<? extends Recipient<?>> type) {
            return addresses().read((WireInput) from);
        }
    }

    /** Failures, of which only the words arrive. */
    private static final class FailureSerializer extends Serializer<Throwable> {
        @Override
        public void write(Kryo kryo, Output to, Throwable failure) {
            Failures.write(to, failure);
        }

        @Override
        public RemoteFailure read(Kryo kryo, Input from, Class<? extends Throwable> type) {
            return Failures.read((WireInput) from);
        }
    }
}
