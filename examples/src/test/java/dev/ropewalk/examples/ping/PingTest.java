package dev.ropewalk.examples.ping;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.examples.cli.Output;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Two processes: one that goes on until it is told to end, and others that come and go. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class PingTest {
    private static final int SIGTERM = 15;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir private Path folder;

    private Process start(Path out, String... arguments) throws IOException {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "@" + System.getProperty("ropewalk.args.file"),
                                "-Dkryo.unsafe=false",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName()));
        words.addAll(List.of(arguments));
        return new ProcessBuilder(words)
                .redirectOutput(out.toFile())
                .redirectError(folder.resolve("errors").toFile())
                .start();
    }

    private static String text(Path file) throws IOException {
        return Files.exists(file) ? Files.readString(file) : "";
    }

    private record Ended(int status, String out, String err) {}

    private static Ended run(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status =
                Main.run(
                        List.of(arguments),
                        new Output(out, UTF_8),
                        new PrintStream(err, true, UTF_8));
        return new Ended(status, out.toString(UTF_8), err.toString(UTF_8));
    }

    @Test
    void eachSeesTheOtherComeAndGo() throws IOException, InterruptedException {
        Path out = folder.resolve("n1");
        Process first = start(out, "--name=n1");
        try {
            await().atMost(LIMIT).until(() -> text(out).endsWith("\n"));
            String port = text(out).strip().replaceAll(".*:", "");
            for (int i = 1; i <= 2; i++) {
                Ended other = run("--name=n2", "--peer=127.0.0.1:" + port, "--count=2");
                assertEquals(Main.DONE, other.status(), other.err());
                assertTrue(
                        other.out().matches("(?s).*n1 is there\nn1 answers 1 in .* ms\n.*2 in.*"),
                        other::out);
                String lost = "n2 is lost: Unreachable[node=n2]\n";
                int times = i;
                await().atMost(LIMIT)
                        .until(() -> text(out).split("\\Q" + lost, -1).length == times + 1);
            }
            assertEquals(2, text(out).split("n2 is there\n", -1).length - 1);
            first.destroy();
            assertTrue(first.waitFor(30, TimeUnit.SECONDS), "it did not end");
            assertEquals(128 + SIGTERM, first.exitValue());
        } finally {
            first.destroyForcibly();
        }
    }

    @Test
    void wrongOptionsAreALine() {
        for (List<String> wrong :
                List.of(
                        List.of("--port=1"),
                        List.of("--name=a/b"),
                        List.of("--name=n1", "--peer=nowhere"),
                        List.of("--name=n1", "--port=70000"),
                        List.of("--name=n1", "--tls=nowhere"),
                        List.of("--name=n1", "more"))) {
            Ended ended = run(wrong.toArray(String[]::new));
            assertEquals(Main.BAD_OPTION, ended.status(), wrong::toString);
            assertTrue(ended.err().matches("ping: .+\n"), ended::err);
        }
        assertEquals(Options.USAGE, run("--help").out());
    }

    @Test
    void offLoopbackItDemandsCertificates() {
        Ended ended = run("--name=n1", "--host=10.0.0.1");
        assertEquals(Main.CANNOT_START, ended.status());
        assertTrue(ended.err().matches("ping: .*without TLS.*\n"), ended::err);
    }
}
