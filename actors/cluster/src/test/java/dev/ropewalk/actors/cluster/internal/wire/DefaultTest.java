package dev.ropewalk.actors.cluster.internal.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.cluster.Default;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.math.BigDecimal;
import java.math.BigInteger;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Rule A7: a component that the sender does not know has the value of its {@link Default}. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class DefaultTest {
    private static final String ID = "6e9b3c52-0b1f-4c53-8f0a-2a5a3d5f7c11";

    enum Unit {
        PIECE,
        KILO
    }

    record Old(String id) {}

    record Plain(
            String id,
            @Default("true") boolean a,
            @Default("-1") byte b,
            @Default("300") short c,
            @Default("x") char d,
            @Default("-7") int e,
            @Default("9000000000") long f,
            @Default("1.5") float g,
            @Default("-0.5") double h,
            @Default("a text") String i) {}

    record Boxes(
            String id,
            @Default("false") Boolean a,
            @Default("-1") Byte b,
            @Default("300") Short c,
            @Default("x") Character d,
            @Default("-7") Integer e,
            @Default("9000000000") Long f,
            @Default("1.5") Float g,
            @Default("-0.5") Double h,
            @Default("KILO") Unit i) {}

    record Others(
            String id,
            @Default("12345678901234567890") BigInteger a,
            @Default("1.20") BigDecimal b,
            @Default(ID) UUID c,
            @Default("PT1M") Duration d,
            @Default("P3D") Period e,
            @Default("2026-01-02T03:04:05Z") Instant f,
            @Default("2026-01-02") LocalDate g,
            @Default("03:04") LocalTime h,
            @Default("2026-01-02T03:04") LocalDateTime i,
            @Default("+01:00") ZoneOffset j,
            @Default("2026-01-02T03:04+01:00") OffsetDateTime k,
            @Default("2026-01-02T03:04+01:00[Europe/Berlin]") ZonedDateTime l) {}

    private static Wire to(Class<?> here) {
        return Wire.between(
                Wire.named(Map.of(Old.class, "order")), Wire.named(Map.of(here, "order")));
    }

    @Test
    void A7_newComponentHasItsDefault() {
        assertEquals(
                new Plain(
                        "x",
                        true,
                        (byte) -1,
                        (short) 300,
                        'x',
                        -7,
                        9_000_000_000L,
                        1.5f,
                        -0.5,
                        "a text"),
                to(Plain.class).carry(new Old("x")));
        assertEquals(
                new Boxes(
                        "x",
                        false,
                        (byte) -1,
                        (short) 300,
                        'x',
                        -7,
                        9_000_000_000L,
                        1.5f,
                        -0.5,
                        Unit.KILO),
                to(Boxes.class).carry(new Old("x")));
        assertEquals(
                new Others(
                        "x",
                        new BigInteger("12345678901234567890"),
                        new BigDecimal("1.20"),
                        UUID.fromString(ID),
                        Duration.ofMinutes(1),
                        Period.ofDays(3),
                        Instant.parse("2026-01-02T03:04:05Z"),
                        LocalDate.of(2026, 1, 2),
                        LocalTime.of(3, 4),
                        LocalDateTime.of(2026, 1, 2, 3, 4),
                        ZoneOffset.ofHours(1),
                        OffsetDateTime.of(2026, 1, 2, 3, 4, 0, 0, ZoneOffset.ofHours(1)),
                        ZonedDateTime.of(2026, 1, 2, 3, 4, 0, 0, ZoneId.of("Europe/Berlin"))),
                to(Others.class).carry(new Old("x")));
    }

    record Sent(@Nullable @Default("a text") String text, @Default("7") int number) {}

    @Test
    void A7_defaultIsNoValueOfWhatWasSent() {
        Sent sent = new Sent(null, 0);
        assertEquals(sent, Wire.of(Sent.class).carry(sent));
    }

    @SuppressWarnings("ArrayRecordComponent") // they are what is tested
    record Arrays(String id, byte[] a, int[] b, long[] c, double[] d) {}

    @Test
    void A7_newArrayIsEmpty() {
        Arrays arrived = assertInstanceOf(Arrays.class, to(Arrays.class).carry(new Old("x")));
        assertArrayEquals(new byte[0], arrived.a);
        assertArrayEquals(new int[0], arrived.b);
        assertArrayEquals(new long[0], arrived.c);
        assertArrayEquals(new double[0], arrived.d);
    }

    record Strict(String id, Duration pause) {
        Strict {
            Objects.requireNonNull(pause, "pause");
        }
    }

    record Mild(String id, Duration pause) {
        Mild {
            pause = pause == null ? Duration.ofSeconds(3) : pause;
        }
    }

    @Test
    void A7_newComponentWithoutADefaultIsForTheConstructor() {
        RefusedTypeException refused =
                assertThrows(
                        RefusedTypeException.class, () -> to(Strict.class).carry(new Old("x")));
        String text = String.valueOf(refused.getMessage());
        assertTrue(text.contains("order"), text);
        assertTrue(text.contains("pause"), text);
        assertEquals(new Mild("x", Duration.ofSeconds(3)), to(Mild.class).carry(new Old("x")));
    }

    // ---------------------------------------------------------------- wrong use

    record NoNumber(@Default("seven") int value) {}

    record TooLarge(@Default("128") byte value) {}

    record NoBoolean(@Default("yes") boolean value) {}

    record NoChar(@Default("xy") char value) {}

    record NoConstant(@Default("TONNE") Unit value) {}

    record NoTime(@Default("1 minute") Duration value) {}

    record NoText(@Default("") List<String> value) {}

    record NoRecord(@Default("x") Old value) {}

    private static String refusal(Class<?> type) {
        return String.valueOf(
                assertThrows(IllegalArgumentException.class, () -> Wire.table(type)).getMessage());
    }

    @Test
    void A7_textThatIsNoneOfItsTypeIsNamed() {
        assertEquals(
                "@Default(\"seven\") of "
                        + NoNumber.class.getName()
                        + ".value is no int; write it as Integer itself reads a text",
                refusal(NoNumber.class));
        for (Class<?> each : List.of(TooLarge.class, NoBoolean.class, NoChar.class, NoTime.class)) {
            String text = refusal(each);
            assertTrue(text.contains(each.getName() + ".value is no "), text);
        }
        String text = refusal(NoConstant.class);
        assertTrue(text.contains("\"TONNE\""), text);
        assertTrue(text.contains("is no Unit; name one of [PIECE, KILO]"), text);
    }

    @Test
    void A7_typeThatIsNotWrittenAsTextIsNamed() {
        for (Class<?> each : List.of(NoText.class, NoRecord.class)) {
            String text = refusal(each);
            assertTrue(text.contains(each.getName() + ".value is of the type "), text);
            assertTrue(text.contains("leave @Default out"), text);
        }
    }
}
