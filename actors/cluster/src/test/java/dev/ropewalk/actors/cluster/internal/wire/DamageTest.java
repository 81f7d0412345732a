package dev.ropewalk.actors.cluster.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Rule A7: damaged bytes are an error of the message, cost little, and nothing else. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class DamageTest {
    private static final int TRIES = 40_000;

    enum Colour {
        RED,
        GREEN
    }

    record Line(String name, int count, Colour colour) {}

    @SuppressWarnings("ArrayRecordComponent") // what comes back is not compared
    record Order(
            long id,
            String customer,
            List<Line> lines,
            Map<String, Object> more,
            Set<Instant> at,
            byte[] raw,
            long[] numbers,
            BigInteger big,
            Throwable why) {}

    private final Wire wire = Wire.of(Order.class);

    private static Order order() {
        return new Order(
                12,
                "Grüße an alle",
                List.of(new Line("a", 1, Colour.RED), new Line("b", -7, Colour.GREEN)),
                Map.of("x", List.of(1, 2.5, "y"), "z", Set.of('c')),
                Set.of(Instant.EPOCH),
                new byte[] {1, 2, 3},
                new long[] {4, 5},
                BigInteger.TEN.pow(40),
                new IllegalStateException("broken"));
    }

    /** Reads it, or says what is wrong; any other exception fails the test. */
    private boolean isRead(byte[] bytes, int length) {
        try {
            wire.message(bytes, 0, length);
            return true;
        } catch (KryoException damaged) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void A7_damagedBytesAreRefusedOrRead(long seed) {
        Random random = new Random(seed);
        byte[] whole = wire.bytes(order());
        int refused = 0;
        for (int i = 0; i < TRIES; i++) {
            byte[] bytes = whole.clone();
            int changes = 1 + random.nextInt(4);
            for (int k = 0; k < changes; k++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length;
            refused += isRead(bytes, length) ? 0 : 1;
        }
        int seen = refused;
        assertTrue(seen > TRIES / 4, () -> "refused=" + seen + " seed=" + seed);
        assertTrue(isRead(whole, whole.length)); // and the codec is as before
    }

    @Test
    void A7_everyCutIsRefused() {
        byte[] whole = wire.bytes(order());
        for (int length = 0; length < whole.length; length++) {
            int cut = length;
            assertThrows(
                    KryoException.class, () -> wire.message(whole, 0, cut), () -> "cut=" + cut);
        }
    }

    /** Each of a type with a length in front. */
    @Test
    void A7_lengthIsNotBelieved() {
        List<Object> lengthened =
                List.of(
                        "text",
                        new byte[] {1},
                        new int[] {1},
                        new long[] {1},
                        new double[] {1},
                        BigInteger.ONE,
                        List.of(),
                        Set.of(),
                        Map.of());
        for (Object each : lengthened) {
            Output output = new Output(64, 1024);
            output.writeBytes(wire.bytes(each), 0, 1); // its type
            output.writeVarInt(Integer.MAX_VALUE - 1, true);
            output.writeBytes(new byte[20]);
            KryoException refused =
                    assertThrows(KryoException.class, () -> wire.message(output.toBytes()));
            assertTrue(
                    String.valueOf(refused.getMessage()).contains("left="),
                    () -> each.getClass() + ": " + refused.getMessage());
        }
    }

    @Test
    void A7_damagedDescriptionIsRefusedOrRead() {
        TypeTable table = Wire.table(Order.class);
        Output output = new Output(64, 1 << 20);
        table.describe(output);
        byte[] whole = output.toBytes();
        Random random = new Random(5);
        int refused = 0;
        for (int i = 0; i < TRIES; i++) {
            byte[] bytes = whole.clone();
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            WireInput input = new WireInput();
            input.setBuffer(
                    bytes, 0, random.nextInt(8) == 0 ? random.nextInt(bytes.length) : bytes.length);
            try {
                PeerTypes.read(input, table);
            } catch (KryoException damaged) {
                refused++;
            }
        }
        int seen = refused;
        assertTrue(seen > TRIES / 10, () -> "refused=" + seen);
    }

    /** A frame of another node nests no deeper than one of this node. */
    @Test
    void A7_depthIsNotBelieved() {
        Output output = new Output(64, 1 << 20);
        byte type = wire.bytes(List.of())[0];
        for (int i = 0; i < 100_000; i++) {
            output.writeByte(type);
            output.writeVarInt(1, true);
        }
        output.writeByte(0);
        assertThrows(KryoException.class, () -> wire.message(output.toBytes()));
        assertEquals("x", wire.carry("x"));
    }
}
