package dev.ropewalk.fibers.internal.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.watch.Ticker;
import dev.ropewalk.fibers.observe.WatchdogHandler;
import dev.ropewalk.fibers.observe.WatchdogReport;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * Rule F9: an idle cord on which all wait for each other is reported, and goes on if it is woken.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SilentCordTest {
    private static final Duration LIMIT = Duration.ofMillis(20);

    private final List<WatchdogReport> told = new CopyOnWriteArrayList<>();

    private CordOptions options(StackKind stacks, WatchdogHandler handler) {
        return CordOptions.named("silent")
                .withStacks(stacks)
                .withStuckLimit(LIMIT)
                .withStuckHandler(handler);
    }

    /** The machine may be so busy that the limit tells of it too. */
    private void note(WatchdogReport report) {
        if (report instanceof WatchdogReport.AllWait) {
            told.add(report);
        }
    }

    @Test
    void F9_idleCordWhoseFibersWaitForEachOtherIsReportedAndCanBeWoken() {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            told.clear();
            Event[] event = new Event[1];
            WatchdogHandler waker =
                    report -> {
                        if (report instanceof WatchdogReport.AllWait wait) {
                            told.add(report);
                            wait.cord().spin("waker", () -> event[0].signal());
                        }
                    };
            Cord.run(
                    options(stacks, waker),
                    () -> {
                        event[0] = Event.localManual();
                        Fiber<?> child = Fiber.spin("child", () -> event[0].await());
                        return Fiber.awaitAll(List.of(child));
                    });
            assertEquals(1, told.size(), told::toString);
            String text = told.getFirst().toString();
            assertTrue(text.contains("cord silent") && text.contains("child"), text);
            assertTrue(text.contains("the ends of 1 fibers"), text);
        }
    }

    /** What somebody else may end at any time is no news. */
    @Test
    void F9_openWaitsAreNotReported() {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            for (Action wait :
                    List.<Action>of(Fiber::suspend, () -> Event.sharedManual().await())) {
                Fiber<?> root =
                        Cord.start(
                                options(stacks, this::note),
                                () -> Fiber.spin("open", wait).await());
                Runs.until(() -> root.cord().stats().sleeps() >= 1); // it has been idle that long
                root.terminate();
                root.awaitEnd(Waits.FOREVER);
            }
        }
        CountDownLatch allTold = new CountDownLatch(1);
        Ticker.INSTANCE.report(allTold::countDown);
        Runs.await(allTold);
        assertEquals(List.of(), told);
    }
}
