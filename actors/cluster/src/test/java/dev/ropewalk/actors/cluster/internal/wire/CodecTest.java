package dev.ropewalk.actors.cluster.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.NotSendableException;
import dev.ropewalk.actors.cluster.RemoteFailure;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Rule A7: a message is sent with registered types only, and fails at the sender otherwise. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CodecTest {
    record Holder(@Nullable Object value) {}

    record Primitives(
            boolean a, byte b, short c, char d, int e, long f, float g, double h, String i) {}

    record Nested(@Nullable Nested inner) {}

    record Question(String text, Recipient<String> replyTo) {}

    record Unknown(int a) {}

    enum Colour {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "a body of its own";
            }
        }
    }

    private final Wire wire =
            Wire.of(Holder.class, Primitives.class, Nested.class, Question.class, Colour.class);

    static List<Object> values() {
        Map<String, Object> sorted = new TreeMap<>();
        sorted.put("b", List.of());
        sorted.put("a", 2.5);
        return List.of(
                true,
                (byte) -1,
                (short) 300,
                'x',
                Integer.MIN_VALUE,
                Long.MAX_VALUE,
                1.5f,
                -0.0,
                "",
                "text",
                "Grüße, 日本, \uD83D\uDE00",
                "half of a pair: \uD83D.",
                "\uDE00\uD83D",
                "x".repeat(100_000),
                new BigInteger("-123456789012345678901234567890"),
                new BigDecimal("1.10"),
                new UUID(1, -2),
                Duration.ofNanos(-1),
                Instant.MAX,
                LocalDate.MIN,
                LocalTime.MAX,
                LocalDateTime.of(2026, 1, 2, 3, 4, 5, 6),
                ZoneOffset.ofHours(-3),
                OffsetDateTime.of(LocalDateTime.MIN, ZoneOffset.UTC),
                ZonedDateTime.of(LocalDateTime.of(2026, 1, 2, 3, 4), ZoneId.of("Europe/Berlin")),
                Period.of(1, 2, 3),
                Optional.empty(),
                Optional.of("x"),
                List.of(),
                List.of(1, "two", List.of(3L)),
                Arrays.asList(null, "x", null),
                new ArrayList<>(List.of("a")),
                Set.of("one"),
                new LinkedHashSet<>(List.of(3, 1, 2)),
                Map.of("k", 1),
                sorted,
                Colour.RED,
                Colour.GREEN,
                new Nested(new Nested(null)),
                Wire.ADDRESS);
    }

    @ParameterizedTest
    @MethodSource("values")
    void A7_valueArrivesAsItWas(Object value) {
        assertEquals(value, wire.carry(value));
        assertEquals(new Holder(value), wire.carry(new Holder(value)));
    }

    @Test
    void A7_primitivesArriveAsTheyWere() {
        for (Primitives each :
                List.of(
                        new Primitives(
                                true,
                                (byte) -128,
                                Short.MIN_VALUE,
                                '\uFFFF',
                                -1,
                                Long.MIN_VALUE,
                                Float.MIN_VALUE,
                                Double.MAX_VALUE,
                                "a"),
                        new Primitives(false, (byte) 0, (short) 0, '\0', 0, 0, 0, 0, ""))) {
            assertEquals(each, wire.carry(each));
        }
        assertEquals(new Holder(null), wire.carry(new Holder(null)));
        assertTrue(
                wire.carry(new Holder(new byte[] {1, 2})) instanceof Holder(byte[] bytes)
                        && bytes.length == 2);
        assertTrue(
                wire.carry(new Holder(new long[] {1, -2})) instanceof Holder(long[] longs)
                        && longs[1] == -2);
    }

    @Test
    void A7_collectionsArriveInOrderAndUnmodifiable() {
        Set<Integer> set = new LinkedHashSet<>(List.of(9, 1, 5));
        Object arrived = wire.carry(set);
        assertEquals(List.of(9, 1, 5), new ArrayList<Object>((Set<?>) arrived));
        assertThrows(UnsupportedOperationException.class, ((Set<?>) arrived)::clear);
        Object list = wire.carry(new ArrayList<>(List.of(1)));
        assertThrows(UnsupportedOperationException.class, ((List<?>) list)::removeFirst);
        Object map = wire.carry(new HashMap<>(Map.of(1, 2)));
        assertThrows(UnsupportedOperationException.class, ((Map<?, ?>) map)::clear);
    }

    @Test
    void A7_addressInARecordArrives() {
        assertSame(
                Wire.ADDRESS, assertInstanceOf(Question.class, wire.carry(question())).replyTo());
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Question question() {
        return new Question("x", (Recipient) Wire.ADDRESS);
    }

    @Test
    void A7_failureArrivesAsItsWords() {
        IllegalStateException failure =
                new IllegalStateException("outer", new ArithmeticException("inner"));
        RemoteFailure arrived = assertInstanceOf(RemoteFailure.class, wire.carry(failure));
        assertEquals("java.lang.IllegalStateException", arrived.className());
        assertEquals("outer", arrived.text());
        assertEquals("java.lang.IllegalStateException: outer", arrived.getMessage());
        assertEquals(
                failure.getStackTrace()[0].getMethodName(),
                arrived.getStackTrace()[0].getMethodName());
        RemoteFailure cause = assertInstanceOf(RemoteFailure.class, arrived.getCause());
        assertEquals("inner", cause.text());
        RemoteFailure twice = assertInstanceOf(RemoteFailure.class, wire.carry(arrived));
        assertEquals("java.lang.IllegalStateException: outer", twice.getMessage());
    }

    @Test
    void A7_failureHasABound() {
        RuntimeException failure = new RuntimeException("x".repeat(1_000_000));
        for (int i = 0; i < 100; i++) {
            failure = new RuntimeException("y".repeat(100_000), failure);
        }
        failure.setStackTrace(
                java.util.Collections.nCopies(
                                100_000, new StackTraceElement("Some", "method", "Some.java", 1))
                        .toArray(StackTraceElement[]::new));
        byte[] bytes = wire.bytes(failure);
        assertTrue(bytes.length < 20 * 1024, () -> bytes.length + " bytes");
        assertInstanceOf(RemoteFailure.class, wire.message(bytes));
    }

    /** Its own methods throw. */
    private static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("no cause");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new IllegalStateException("no stack");
        }
    }

    @Test
    void A7_brokenFailureArrives() {
        RemoteFailure arrived = assertInstanceOf(RemoteFailure.class, wire.carry(new Broken()));
        assertEquals(Broken.class.getName(), arrived.className());
    }

    // ---------------------------------------------------------------- what is not sent

    private String refusal(Object message) {
        String text =
                assertThrows(NotSendableException.class, () -> wire.bytes(message)).getMessage();
        assertEquals(Colour.RED, wire.carry(Colour.RED)); // the next message is not affected
        return String.valueOf(text);
    }

    private static void assertSays(String part, @Nullable String text) {
        assertTrue(String.valueOf(text).contains(part), text);
    }

    @Test
    void A7_typeThatIsNotInTheProtocolFailsAtTheSender() {
        assertSays(Unknown.class.getName() + " is not in the protocol", refusal(new Unknown(1)));
        assertSays("Protocol.of", refusal(new Holder(new Unknown(1))));
        assertSays("Protocol.with", refusal(new Holder(URI.create("x:y"))));
        Supplier<String> lambda = () -> "x";
        assertSays("lambda", refusal(new Holder(lambda)));
        assertSays("not an address", refusal(new Holder(new Question("x", new Stray()))));
    }

    private static final class Stray implements Recipient<String> {
        @Override
        public void tell(String message) {
            // It is nowhere.
        }

        @Override
        public void fail(Throwable failure) {
            // It is nowhere.
        }
    }

    @Test
    void A7_messageThatIsTooLargeFailsAtTheSender() {
        assertSays("larger than " + Wire.MAX, refusal("x".repeat(Wire.MAX)));
        assertSays("larger than " + Wire.MAX, refusal(new Holder(new byte[2 * Wire.MAX])));
    }

    private static Nested nested(int depth) {
        Nested made = new Nested(null);
        for (int i = 1; i < depth; i++) {
            made = new Nested(made);
        }
        return made;
    }

    @Test
    void A7_messageThatIsTooDeepFailsAtTheSender() {
        assertEquals(nested(60), wire.carry(nested(60)));
        assertSays("depth", refusal(nested(100)));
        assertSays("depth", refusal(nested(50_000)));
        List<Object> circle = new ArrayList<>();
        circle.add(circle);
        assertSays("depth", refusal(circle));
    }

    /** A serializer of a program. */
    private static final class OfUri extends Serializer<URI> {
        @Override
        public void write(Kryo kryo, Output to, URI uri) {
            if (uri.getScheme() == null) {
                throw new IllegalStateException("without a scheme");
            }
            to.writeString(uri.toString());
        }

        @Override
        public URI read(Kryo kryo, Input from, Class<? extends URI> type) {
            return URI.create(from.readString());
        }
    }

    @Test
    void A7_classWithASerializerOfTheProgramIsSent() {
        TypeTable table = Wire.with(URI.class, OfUri::new);
        Wire uris = Wire.between(table, table);
        URI uri = URI.create("http://somewhere/ä");
        assertEquals(uri, uris.carry(uri));
        assertEquals(List.of(uri), uris.carry(List.of(uri)));
        NotSendableException refused =
                assertThrows(NotSendableException.class, () -> uris.bytes(URI.create("x")));
        assertSays("without a scheme", refused.getMessage());
        assertEquals(uri, uris.carry(uri));
    }

    private static final class OfPath extends Serializer<Path> {
        @Override
        public void write(Kryo kryo, Output to, Path path) {
            to.writeString(path.toString());
        }

        @Override
        public Path read(Kryo kryo, Input from, Class<? extends Path> type) {
            return Path.of(from.readString());
        }
    }

    private static final class OfObject extends Serializer<Object> {
        @Override
        public void write(Kryo kryo, Output to, Object any) {
            to.writeString(any.toString());
        }

        @Override
        public Object read(Kryo kryo, Input from, Class<? extends Object> type) {
            return "any " + from.readString();
        }
    }

    @Test
    void A7_serializerOfAnInterfaceServesForItsClasses() {
        TypeTable table =
                TypeTable.of(
                        List.of(),
                        Map.of(),
                        Map.of(Path.class, OfPath::new, Object.class, OfObject::new));
        Wire paths = Wire.between(table, table);
        assertEquals(
                List.of(Path.of("a", "b"), "any x"),
                paths.carry(List.of(Path.of("a", "b"), new AtomicReference<>("x"))));
        assertEquals(List.of("text"), paths.carry(List.of("text")));
    }

    @Test
    void A7_bytesBehindAMessageAreDamage() {
        byte[] bytes = Arrays.copyOf(wire.bytes("x"), wire.bytes("x").length + 1);
        assertSays(
                "1 bytes are left",
                assertThrows(KryoException.class, () -> wire.message(bytes)).getMessage());
    }
}
