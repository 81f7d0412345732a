package dev.ropewalk.fibers.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.observe.WatchdogReport;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Queues that grow beyond all measure are told (rule F13). */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class GrowthWatchTest {
    private static final WatchdogReport.Growing.Queue INBOX = WatchdogReport.Growing.Queue.INBOX;
    private static final WatchdogReport.Growing.Queue TASKS = WatchdogReport.Growing.Queue.TASKS;

    @Test
    void F13_aQueueIsToldOnceAndAgainWhenItHasDoubled() {
        List<WatchdogReport> told = new ArrayList<>();
        try (Cord cord = Cord.start("growing")) {
            GrowthWatch watch =
                    new GrowthWatch(CordImpl.of(cord), told::add, new Watchdog(Runnable::run));
            int limit = GrowthWatch.LIMIT;
            watch.found(INBOX, limit - 1);
            assertEquals(List.of(), told);
            watch.found(INBOX, limit);
            watch.found(INBOX, limit + 10);
            watch.found(INBOX, 2 * limit - 1);
            assertEquals(1, told.size());
            watch.found(TASKS, limit + 1);
            watch.found(INBOX, 2 * limit);
            assertEquals(3, told.size());
            watch.found(INBOX, limit / 2); // not short enough to forget it
            watch.found(INBOX, limit);
            assertEquals(3, told.size());
            watch.found(INBOX, limit / 2 - 1);
            watch.found(INBOX, limit);
            assertEquals(4, told.size());
            WatchdogReport.Growing last =
                    assertInstanceOf(WatchdogReport.Growing.class, told.getLast());
            assertEquals(new WatchdogReport.Growing(cord, INBOX, limit), last);
            assertTrue(
                    last.toString().startsWith("cord growing has 1048576 messages in the inbox"),
                    last::toString);
        }
    }

    @Test
    void F13_anInboxThatGrowsBesideABlockedFiberIsTold() {
        List<WatchdogReport> told = new CopyOnWriteArrayList<>();
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(1);
        try (Cord cord = Cord.start(CordOptions.named("growing").withStuckHandler(told::add))) {
            cord.spin(
                    "blocker",
                    () -> {
                        busy.countDown();
                        Runs.await(gate);
                    });
            Runs.await(busy);
            CordMessage message = Runs.message(() -> {});
            for (int i = 0; i < GrowthWatch.LIMIT; i++) {
                cord.post(message);
            }
            Runs.until(
                    () ->
                            told.stream()
                                    .anyMatch(
                                            each ->
                                                    each instanceof WatchdogReport.Growing growing
                                                            && growing.queue() == INBOX));
            gate.countDown();
        }
    }
}
