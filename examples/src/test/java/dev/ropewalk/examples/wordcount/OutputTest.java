package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ropewalk.examples.cli.Output;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** An output that cannot be written is an error, and said in one line. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class OutputTest {
    private static final String LINE = "wordcount: the output cannot be written: ";

    @TempDir private Path directory;
    @TempDir private Path scratch;

    @BeforeEach
    void writeText() throws IOException {
        Files.writeString(directory.resolve("text"), "text");
    }

    private void assertFails(String reason, String script, String option)
            throws IOException, InterruptedException {
        Ran ran = Program.script(directory, scratch, script, option, "text");
        assertEquals(new Ran(Main.OUTPUT_FAILED, "", LINE + reason + "\n"), ran);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--top=1", "--json", "--help"})
    void aFullDevice(String option) throws IOException, InterruptedException {
        assumeTrue(Files.exists(Path.of("/dev/full")), "no /dev/full");
        assertFails("No space left on device", "\"$@\" > /dev/full", option);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--top=1", "--json", "--help"})
    void aClosedStandardOutput(String option) throws IOException, InterruptedException {
        assertFails("Bad file descriptor", "\"$@\" >&-", option);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--top=1", "--json", "--help"})
    void aPipeWhoseReaderLeft(String option) throws IOException, InterruptedException {
        String script = "{ \"$@\"; echo $? > status; } | true; exit $(cat status)";
        assertFails("Broken pipe", script, option);
    }

    @Test
    void aDeviceThatIsFullAfterAWhile() {
        OutputStream almostFull =
                new OutputStream() {
                    private int left = 10;

                    @Override
                    public void write(int b) throws IOException {
                        if (left == 0) {
                            throw new IOException("No space left on device");
                        }
                        left--;
                    }
                };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status =
                Main.run(
                        List.of(directory.resolve("text").toString()),
                        new Output(almostFull, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        false);
        assertEquals(Main.OUTPUT_FAILED, status);
        assertEquals(LINE + "No space left on device\n", err.toString(StandardCharsets.UTF_8));
    }
}
