package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** Rule F8: the cords of the process are known from anywhere, while they live. */
@Timeout(30)
class LivingCordsTest {
    private static List<String> named(String start) {
        return Cord.all().stream().map(Cord::name).filter(name -> name.startsWith(start)).toList();
    }

    @Test
    void F8_cordsAreListedByNameUntilTheyEnd() {
        Cord second = Cord.start("living-2");
        try (Cord first = Cord.start("living-1")) {
            assertEquals(List.of("living-1", "living-2"), named("living-"));
            assertTrue(Cord.all().contains(first));
            second.close();
            assertEquals(List.of("living-1"), named("living-"));
        }
        assertEquals(List.of(), named("living-"));
    }

    @Test
    void F8_aCordOnAVirtualClockIsOneOfThem() {
        TestCord.run(() -> assertTrue(Cord.all().contains(Cord.current())));
    }
}
