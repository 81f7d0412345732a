package dev.ropewalk.examples.logpipe;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
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

/** Ctrl-C ends the program, in a process of its own, with the last table. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class InterruptTest {
    private static final int SIGINT = 2;

    @TempDir private Path directory;

    @Test
    void ctrlCPrintsTheLastTable() throws IOException, InterruptedException {
        Path log = Files.write(directory.resolve("log"), new LogGenerator(1).lines(100));
        Path out = directory.resolve("out");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "@" + System.getProperty("ropewalk.args.file"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "--follow",
                                "--every=1",
                                log.toString())
                        .redirectOutput(out.toFile())
                        .redirectError(directory.resolve("err").toFile())
                        .start();
        try {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> Files.readString(out).contains("  requests                 100 "));
            assumeFalse(isIgnored(process), "these tests run with SIGINT ignored");
            assertEquals(
                    0,
                    new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                            .start()
                            .waitFor());
            assertTrue(process.waitFor(30, TimeUnit.SECONDS), "it did not end");
            String text = Files.readString(out);
            assertTrue(text.contains(", interrupted\n  requests                 100 "), text);
            assertEquals("", Files.readString(directory.resolve("err")));
            assertEquals(128 + SIGINT, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    /** Whoever starts Maven in the background of a shell script has it ignored from then on. */
    private static boolean isIgnored(Process process) throws IOException {
        assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "no /proc");
        Path status = Path.of("/proc/" + process.pid() + "/status");
        String ignored =
                Files.readAllLines(status).stream()
                        .filter(each -> each.startsWith("SigIgn:"))
                        .findFirst()
                        .orElseThrow();
        long bits = Long.parseUnsignedLong(ignored.substring("SigIgn:".length()).strip(), 16);
        return (bits >> (SIGINT - 1) & 1) == 1;
    }
}
