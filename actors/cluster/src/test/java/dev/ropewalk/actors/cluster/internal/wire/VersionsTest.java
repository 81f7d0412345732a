package dev.ropewalk.actors.cluster.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Rule A7: nodes of two versions of a program exchange what both know, and nothing is misread. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class VersionsTest {
    record Old(String id, int amount) {}

    /** Two components more, before and between those of {@link Old}, and in another order. */
    record New(
            long since,
            int amount,
            List<String> tags,
            String id,
            Optional<String> note,
            @Nullable Old inner,
            String text) {}

    record Retyped(String id, long amount) {}

    enum Size {
        SMALL,
        LARGE
    }

    enum Sizes {
        LARGE,
        HUGE,
        SMALL
    }

    record Other(int a) {}

    private static final TypeTable OLD = Wire.named(Map.of(Old.class, "order", Size.class, "size"));

    private static final TypeTable NEW =
            Wire.named(
                    Map.of(
                            New.class,
                            "order",
                            Sizes.class,
                            "size",
                            Other.class,
                            "other",
                            Old.class,
                            "inner"));

    private final Wire up = Wire.between(OLD, NEW);
    private final Wire down = Wire.between(NEW, OLD);

    @Test
    void A7_newComponentIsZeroOrEmpty() {
        assertEquals(
                new New(0, 7, List.of(), "x", Optional.empty(), null, ""),
                up.carry(new Old("x", 7)));
    }

    @Test
    void A7_componentThatIsGoneIsSkipped() {
        New order = new New(1, 2, List.of("a", "b"), "id", Optional.of("n"), null, "t");
        assertEquals(new Old("id", 2), down.carry(order));
    }

    /** A value of a type that the receiver does not know cannot be skipped. */
    @Test
    void A7_skippedComponentOfAnUnknownTypeRefusesTheMessage() {
        New order = new New(1, 2, List.of(), "id", Optional.empty(), new Old("i", 1), "t");
        RefusedTypeException refused =
                assertThrows(RefusedTypeException.class, () -> down.carry(order));
        assertTrue(
                String.valueOf(refused.getMessage()).contains("type inner "), refused::getMessage);
        assertEquals(
                new Old("id", 2),
                down.carry(new New(1, 2, List.of(), "id", Optional.empty(), null, "t")));
    }

    @Test
    void A7_constantsAreTakenByTheirNames() {
        assertEquals(Sizes.SMALL, up.carry(Size.SMALL));
        assertEquals(Size.LARGE, down.carry(Sizes.LARGE));
        assertEquals(List.of(Size.SMALL), down.carry(List.of(Sizes.SMALL)));
        assertThrows(com.esotericsoftware.kryo.KryoException.class, () -> down.carry(Sizes.HUGE));
        assertEquals(Size.SMALL, down.carry(Sizes.SMALL));
    }

    @Test
    void A7_typeThatDiffersIsRefusedByNameAndNoOther() {
        TypeTable retyped = Wire.named(Map.of(Retyped.class, "order", Size.class, "size"));
        Wire wire = Wire.between(OLD, retyped);
        String refusal =
                String.valueOf(
                        assertThrows(RefusedTypeException.class, () -> wire.carry(new Old("x", 1)))
                                .getMessage());
        assertTrue(refusal.contains("order"), refusal);
        assertTrue(refusal.contains("amount"), refusal);
        assertTrue(refusal.contains("is int there, and long here"), refusal);
        assertEquals(Size.LARGE, wire.carry(Size.LARGE));
        assertEquals(1, wire.seen().refused().size(), wire.seen().refused()::toString);
        assertEquals(List.of(), up.seen().refused());
        assertEquals(2, down.seen().refused().size(), down.seen().refused()::toString);
    }

    @Test
    void A7_recordThatIsAnEnumThereIsRefused() {
        TypeTable enums = Wire.named(Map.of(Size.class, "order"));
        TypeTable records = Wire.named(Map.of(Old.class, "order"));
        assertThrows(
                RefusedTypeException.class, () -> Wire.between(enums, records).carry(Size.SMALL));
        assertThrows(
                RefusedTypeException.class,
                () -> Wire.between(records, enums).carry(new Old("x", 1)));
    }
}
