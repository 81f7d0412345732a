package dev.ropewalk.examples.bank;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** TERM ends the program, in a process of its own, with a report that balances. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class InterruptTest {
    private static final int SIGTERM = 15;

    @TempDir private Path directory;

    @Test
    void termEndsWhatWasBegunAndPrintsTheReport() throws IOException, InterruptedException {
        assumeTrue(Files.isReadable(Path.of("/proc/self/task")), "no /proc");
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "@" + System.getProperty("ropewalk.args.file"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "--transfers=1000000",
                                "--chaos=0.5",
                                "--cords=2")
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> isRunning(process));
            process.destroy();
            assertTrue(process.waitFor(30, TimeUnit.SECONDS), "it did not end");
            assertEquals("", Files.readString(err));
            String text = Files.readString(out);
            assertTrue(text.contains(" transfers until the interrupt, "), text);
            assertTrue(text.endsWith("\nat the end: 100,000 in 100 accounts\n"), text);
            assertEquals(128 + SIGTERM, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    /** Its second cord is there, so it is about to open or open; Linux names the threads. */
    private static boolean isRunning(Process process) throws IOException {
        assertTrue(process.isAlive(), "it ended before its second cord was there");
        Path tasks = Path.of("/proc/" + process.pid() + "/task");
        try (Stream<Path> all = Files.list(tasks)) {
            return all.anyMatch(InterruptTest::isSecondCord);
        }
    }

    private static boolean isSecondCord(Path task) {
        try {
            return Files.readString(task.resolve("comm")).startsWith("town-1");
        } catch (IOException ended) {
            return false;
        }
    }
}
