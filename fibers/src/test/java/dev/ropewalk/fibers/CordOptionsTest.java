package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;

/** Wrong options are refused when they are made. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CordOptionsTest {
    private final CordOptions options = CordOptions.named("options");

    @Test
    void F3_wrongValuesAreNamed() {
        IllegalArgumentException size =
                assertThrows(IllegalArgumentException.class, () -> options.withStackSize(-1));
        assertTrue(String.valueOf(size.getMessage()).contains("stackSize=-1"));
        IllegalArgumentException limit =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> options.withStopLimit(Duration.ofSeconds(-1)));
        assertTrue(String.valueOf(limit.getMessage()).contains("stopLimit=PT-1S"));
    }

    @Test
    void F3_eachChangeLeavesTheRest() {
        UncaughtHandler handler = new Reports();
        CordOptions.Clock clock = new CordOptions.VirtualClock(1, true);
        CordOptions changed =
                options.withStackSize(1 << 20)
                        .withStopLimit(Duration.ofSeconds(1))
                        .withUncaught(handler)
                        .withClock(clock);
        assertEquals("options", changed.name());
        assertEquals(1 << 20, changed.stackSize());
        assertEquals(Duration.ofSeconds(1), changed.stopLimit());
        assertSame(handler, changed.uncaught());
        assertSame(clock, changed.clock());
        assertEquals(16 << 20, options.stackSize());
        assertEquals(Duration.ofSeconds(5), options.stopLimit());
    }

    @Tag("needs-flags")
    @Test
    void F3_cordAndItsThreadHaveTheName() {
        Cord cord = Cord.start(options.withUncaught(new Reports()));
        assertEquals("options", cord.name());
        assertEquals("options", cord.spin("name", () -> Thread.currentThread().getName()).await());
        assertEquals("cord options", cord.toString());
        Runs.checkAndClose(cord);
    }
}
