package dev.ropewalk.examples.wordcount;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Ctrl-C ends the program within a second, in order, with a summary of what was counted. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
class InterruptTest {
    private static final int FILE_BYTES = 4_000_000;

    /** As often as the file is named; it takes a minute at least to count them all. */
    private static final int TIMES = 20_000;

    /** Far more than a JVM reads while it starts. */
    private static final long BYTES_WHEN_COUNTING = 50_000_000;

    /** The summary must be there in one of them: a machine may be too busy for a second. */
    private static final int ATTEMPTS = 3;

    private static final String SIGNAL_BITS = "SigIgn:";
    private static final int SIGINT = 2;

    @TempDir private Path directory;

    @BeforeEach
    void writeText() throws IOException {
        assumeTrue(Files.isReadable(Path.of("/proc/self/io")), "no /proc/self/io");
        TextGenerator.write(directory.resolve("text"), FILE_BYTES, 1);
    }

    private Program start(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(Collections.nCopies(TIMES, "text"));
        return Program.start(directory, directory, List.of(), arguments);
    }

    private static String line(Program program, String file, String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + program.pid() + "/" + file))) {
            if (line.startsWith(name)) {
                return line.substring(name.length()).strip();
            }
        }
        throw new IOException("no " + name + " in " + file);
    }

    private static void awaitCounting(Program program) {
        await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> {
                            assertTrue(program.isAlive(), "ended before all was counted");
                            return Long.parseLong(line(program, "io", "rchar:"))
                                    > BYTES_WHEN_COUNTING;
                        });
    }

    /** Whoever starts Maven in the background of a shell script has it ignored from then on. */
    private static void assumeNotIgnored(Program program) throws IOException {
        long ignored = Long.parseUnsignedLong(line(program, "status", SIGNAL_BITS), 16);
        assumeFalse((ignored >> (SIGINT - 1) & 1) == 1, "these tests run with SIGINT ignored");
    }

    /** True if it ended in time, and with its summary. */
    private boolean ends(String signal, int status, String... options)
            throws IOException, InterruptedException {
        try (Program program = start(options)) {
            awaitCounting(program);
            if (signal.equals("INT")) {
                assumeNotIgnored(program);
            }
            Tools.signal(directory, signal, program.pid());
            boolean inTime = program.endsWithin(1_000);
            Ran ran = program.awaitEnd();
            assertEquals("", ran.err());
            if (!inTime || ran.out().isEmpty()) {
                return false;
            }
            assertEquals(status, ran.status(), ran.out());
            assertInterruptedSummary(ran);
            return true;
        }
    }

    private static void assertInterruptedSummary(Ran ran) {
        if (!ran.out().startsWith("{")) {
            assertTrue(ran.out().matches("(?s).* files( and [12] in part)?: .*"), ran.out());
            assertTrue(
                    ran.out()
                            .endsWith(
                                    "interrupted: the numbers cover what was counted until then\n"),
                    ran.out());
            return;
        }
        Counted counted = ran.counted();
        assertTrue(counted.interrupted());
        assertTrue(counted.words() > 0, "words=" + counted.words());
        assertTrue(counted.files() > 0 && counted.files() < TIMES, "files=" + counted.files());
        long inPart = counted.bytes() - counted.files() * FILE_BYTES;
        assertTrue(counted.partial() <= 2 && (inPart > 0) == (counted.partial() > 0), "" + counted);
        // What is said is consistent: no update is half counted.
        assertEquals(counted.words(), TestText.sum(counted.top()));
        assertEquals(counted.distinct(), counted.top().size());
    }

    private void assertEndsInOrder(String signal, int status, String... options)
            throws IOException, InterruptedException {
        boolean ended = false;
        for (int i = 0; i < ATTEMPTS && !ended; i++) {
            ended = ends(signal, status, options);
        }
        assertTrue(ended, "in " + ATTEMPTS + " attempts no summary within a second of " + signal);
    }

    @Test
    void endsWithinASecondWithASummary() throws IOException, InterruptedException {
        assertEndsInOrder("INT", 130);
    }

    @ParameterizedTest(name = "chaos {0}")
    @ValueSource(strings = {"0", "0.9"})
    void theNumbersAreConsistent(String chaos) throws IOException, InterruptedException {
        assertEndsInOrder("INT", 130, "--json", "--top", "1000000", "--chaos", chaos);
    }

    @Test
    void aRequestToEndIsTheSame() throws IOException, InterruptedException {
        assertEndsInOrder("TERM", 143, "--json", "--top", "1000000");
    }
}
