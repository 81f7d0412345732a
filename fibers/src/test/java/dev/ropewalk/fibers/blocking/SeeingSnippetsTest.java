package dev.ropewalk.fibers.blocking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.observe.CordStats;
import dev.ropewalk.fibers.observe.DumpFiles;
import dev.ropewalk.fibers.observe.DumpOptions;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The code of the guide's page on looking inside. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SeeingSnippetsTest {
    private static final List<String> LOGGED = new ArrayList<>();

    private static void log(String text) {
        assertFalse(text.isEmpty());
        LOGGED.add(text);
    }

    @Test
    void dumps() {
        Cord cord = Cord.start("work");
        Scheduler scheduler = Scheduler.start(SchedulerOptions.named("work").withCords(2));
        // @start region="dump"
        CordDump dump = cord.dump(Duration.ofSeconds(1)); // from anywhere
        log(dump.toString()); // a tree, for people
        log(dump.toJson()); // for tools
        if (dump.state() == CordDump.State.INCOMPLETE) {
            log(dump.running() + " does not yield");
        }
        for (CordDump each : scheduler.dump()) {
            log(each.toString());
        }
        // @end
        assertEquals(List.of(), dump.cycles());
        scheduler.close();
        cord.close();
    }

    @Test
    void stats() {
        Runs.real(
                () -> {
                    Cord cord = Cord.current();
                    // @start region="stats"
                    CordStats before = cord.stats();
                    Fiber.sleep(Duration.ofMillis(10));
                    CordStats after = cord.stats();
                    long switches = after.switches() - before.switches();
                    Duration idle = after.slept().minus(before.slept());
                    // @end
                    assertTrue(switches > 0);
                    assertFalse(idle.isNegative());
                });
    }

    /** The signal is one that does no harm if nobody handles it. */
    @Test
    void files(@TempDir Path home) throws IOException {
        Path directory = home.resolve("dumps");
        // @start region="files"
        DumpOptions options =
                DumpOptions.into(directory)
                        .withSignal("WINCH") // kill -WINCH PID; USR1, where that is free
                        .onAlarm()
                        .withSection("stock", () -> "42 articles");
        try (DumpFiles dumps = DumpFiles.open(options)) {
            // the program
            // @end
            Path file = dumps.write("a test").join();
            log(Files.readString(file));
            assertTrue(LOGGED.getLast().contains("== stock ==\n\n42 articles"), LOGGED::toString);
        }
    }
}
