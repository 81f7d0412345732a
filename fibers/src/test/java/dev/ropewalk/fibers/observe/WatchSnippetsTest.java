package dev.ropewalk.fibers.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.SwitchHook;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The code that the Javadoc and the guide show of what watches fibers. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WatchSnippetsTest {
    private final List<WatchdogReport> alarms = new CopyOnWriteArrayList<>();

    // @start region="slice"
    private static long sum(List<Long> values) {
        long sum = 0;
        for (long each : values) {
            Slice.checkpoint(); // throws if this goes on for longer than the limit
            sum += each;
        }
        return sum;
    }

    // @end

    @Test
    void slices() {
        Runs.inAnyOrder(() -> assertEquals(6, sum(List.of(1L, 2L, 3L))));
    }

    @Test
    void options() {
        // @start region="options"
        CordOptions options =
                CordOptions.named("requests")
                        .withStuckLimit(Duration.ofMillis(200))
                        .withStuckHandler(
                                report -> {
                                    switch (report) {
                                        case WatchdogReport.Stuck stuck -> alarms.add(stuck);
                                        case WatchdogReport.Over _ -> {}
                                        case WatchdogReport.AllStuck all -> alarms.add(all);
                                        case WatchdogReport.AllWait wait -> alarms.add(wait);
                                        case WatchdogReport.Growing queue -> alarms.add(queue);
                                        case WatchdogReport.SilentReactor io -> alarms.add(io);
                                    }
                                })
                        .withSliceLimits(
                                new SliceLimits(Duration.ofMillis(50), Duration.ofSeconds(2)))
                        .withSwitchHooks(SwitchHook.mdc());
        // @end
        Cord.run(options, () -> Fiber.spin(() -> "").await());
        assertEquals(List.of(), alarms);
        assertEquals(Duration.ofMillis(50), options.watch().sliceLimits().warning());
        assertEquals(1, options.switchHooks().size());
    }

    @Test
    void F13_otherChangesOfTheOptionsLeaveThese() {
        SwitchHook<?> hook = SwitchHook.mdc();
        CordOptions options =
                CordOptions.named("a")
                        .withStuckLimit(Duration.ofMillis(7))
                        .withSliceLimits(new SliceLimits(Duration.ZERO, Waits.FOREVER))
                        .withStuckHandler(alarms::add)
                        .withSwitchHooks(hook)
                        .withName("b")
                        .withStackSize(1 << 20)
                        .withStopLimit(Duration.ofSeconds(1))
                        .withUncaught(new Reports())
                        .withClock(new CordOptions.RealClock())
                        .withStacks(StackKind.VIRTUAL_THREAD)
                        .withInitialiser(() -> {});
        assertEquals(Duration.ofMillis(7), options.watch().stuckLimit());
        assertEquals(Waits.FOREVER, options.watch().sliceLimits().error());
        assertEquals(List.of(hook), options.switchHooks());
        assertEquals(StackKind.VIRTUAL_THREAD, options.stacks());
        assertEquals("b", options.name());
    }
}
