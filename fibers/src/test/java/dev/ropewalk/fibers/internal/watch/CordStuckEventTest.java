package dev.ropewalk.fibers.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.observe.WatchdogReport;
import dev.ropewalk.fibers.testkit.Runs;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Rule F13: the flight recorder gets an event of a cord that does not yield. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CordStuckEventTest {
    private static final String EVENT = "dev.ropewalk.CordStuck";
    private static final Duration LIMIT = Duration.ofMillis(20);

    private static void blockUntilTold() {
        CountDownLatch told = new CountDownLatch(1);
        CordOptions options =
                CordOptions.named("blocked")
                        .withStuckLimit(LIMIT)
                        .withStuckHandler(
                                report -> {
                                    if (report instanceof WatchdogReport.Stuck) {
                                        told.countDown();
                                    }
                                });
        try (Cord cord = Cord.start(options)) {
            cord.spin("blocker", () -> Runs.await(told)).await();
        }
    }

    @Test
    void F13_flightRecorderGetsAnEventOfAStuckCordWithNoFlag() throws IOException {
        Path file = Files.createTempFile("stuck", ".jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            blockUntilTold();
            recording.stop();
            recording.dump(file);
            List<RecordedEvent> all =
                    RecordingFile.readAllEvents(file).stream()
                            .filter(each -> each.getEventType().getName().equals(EVENT))
                            .filter(each -> "blocked".equals(each.getString("cord")))
                            .toList();
            assertEquals(1, all.size(), all::toString);
            RecordedEvent event = all.getFirst();
            assertEquals("blocker", event.getString("fiber"));
            assertTrue(event.getLong("number") > 0, event::toString);
            assertTrue(event.getDuration("stuckFor").compareTo(LIMIT) >= 0, event::toString);
            assertTrue(event.getString("stack").contains("CountDownLatch.await"), event::toString);
            assertTrue(event.hasField("cpuTime"), event::toString);
            assertNull(event.getString("monitor"));
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void F13_eventIsDisabledByItsName() throws IOException {
        Path file = Files.createTempFile("stuck", ".jfr");
        try (Recording recording = new Recording()) {
            recording.disable(EVENT);
            recording.start();
            blockUntilTold();
            recording.stop();
            recording.dump(file);
            assertTrue(
                    RecordingFile.readAllEvents(file).stream()
                            .noneMatch(each -> each.getEventType().getName().equals(EVENT)));
        } finally {
            Files.delete(file);
        }
    }
}
