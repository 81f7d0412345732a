package dev.ropewalk.examples.bank;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.examples.cli.Output;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Runs of the program in this JVM, on cords of its own. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class MainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return Main.run(
                List.of(arguments), new Output(out, UTF_8), new PrintStream(err, true, UTF_8));
    }

    @Test
    void aRunBalances() {
        int status =
                run("--accounts=20", "--transfers=2000", "--audits=4", "--cords=3", "--chaos=0.1");
        assertEquals("", err.toString(UTF_8));
        assertEquals(0, status);
        String text = out.toString(UTF_8);
        assertTrue(text.startsWith("2,000 transfers, of which "), text);
        assertTrue(text.contains("\naudits: 5 of 5 balance, "), text);
        assertTrue(text.endsWith("\nat the end: 20,000 in 20 accounts\n"), text);
    }

    @Test
    void badOptionsAndHelp() {
        assertEquals(Main.BAD_OPTION, run("--accounts=none"));
        assertEquals(1, err.toString(UTF_8).lines().count());
        assertTrue(err.toString(UTF_8).startsWith("bank: --accounts none is not "));
        assertEquals("", out.toString(UTF_8));
        assertEquals(0, run("--help"));
        assertEquals(Options.USAGE, out.toString(UTF_8));
    }

    @Test
    void theTreeIsThatOfTheDocuments() throws IOException {
        assertEquals(0, run("--tree"));
        String page = Files.readString(Path.of("../docs/bank.md"));
        assertTrue(page.contains("```text\n" + out.toString(UTF_8) + "```"), out.toString(UTF_8));
    }

    @Test
    void anOutputThatIsFullIsSaidInOneLine() {
        OutputStream full =
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("No space left on device");
                    }
                };
        int status =
                Main.run(
                        List.of("--transfers=10"),
                        new Output(full, UTF_8),
                        new PrintStream(err, true, UTF_8));
        assertEquals(Main.OUTPUT_FAILED, status);
        assertEquals(
                "bank: the output cannot be written: java.io.IOException: No space left on"
                        + " device\n",
                err.toString(UTF_8));
    }

    @Test
    void noThreadIsLeftBehind() {
        assertEquals(0, run("--transfers=10", "--cords=3"));
        await().atMost(Duration.ofSeconds(30))
                .until(
                        () ->
                                Thread.getAllStackTraces().keySet().stream()
                                        .map(Thread::getName)
                                        .noneMatch(
                                                name ->
                                                        name.startsWith("town-")
                                                                || name.equals("bank-ctrl-c")));
    }
}
