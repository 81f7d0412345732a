package dev.ropewalk.examples.wordcount;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.examples.cli.Plain;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The program from its command line to its exit status. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class MainTest {
    private static final String CLEAR_LINE = "\r\u001b[K";

    @TempDir private Path directory;

    /** A terminal on which nothing is reported before a progress line was shown. */
    private static final class Terminal extends PrintStream {
        private final CountDownLatch shown = new CountDownLatch(1);

        Terminal(ByteArrayOutputStream written) {
            super(written, true, StandardCharsets.UTF_8);
        }

        @Override
        public void print(String text) {
            super.print(text);
            if (text.contains(" MB/s")) {
                shown.countDown();
            }
        }

        @Override
        public void println(String line) {
            try {
                assertTrue(shown.await(60, TimeUnit.SECONDS), "no progress line");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            super.println(line);
        }
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    @Test
    void printsATableAndTotals() throws IOException {
        Ran ran = Ran.here("--top", "2", file("one", "The rope, the cord;"), file("two", "the"));
        assertEquals("", ran.err());
        assertTrue(
                ran.out()
                        .startsWith(
                                """
                                count  word
                                    3  the
                                    1  cord

                                2 files: 5 words, 3 different words
                                22 bytes in \
                                """),
                ran.out());
        assertTrue(ran.out().endsWith("\n0 restarts, 0 problems\n"), ran.out());
        assertEquals(0, ran.status());
    }

    @Test
    void anEmptyFileIsCounted() throws IOException {
        Counted counted = Ran.here("--json", file("empty", "")).allCounted();
        assertEquals(1, counted.files());
        assertEquals(0, counted.words());
        assertEquals(Map.of(), counted.top());
    }

    @Test
    void filesAreCountedAsOftenAsTheyAreNamed() throws IOException {
        String file = file("-x", "twice");
        Counted counted = Ran.here("--json", file, "--", file).allCounted();
        assertEquals(Map.of("twice", 2L), counted.top());
        assertEquals(2, counted.files());
    }

    @Test
    void helpIsNoError() {
        Ran ran = Ran.here("--help");
        assertEquals(new Ran(0, Options.USAGE, ""), ran);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--nonsense",
                "-x",
                "--top=many",
                "--top=-1",
                "--top=1000001",
                "--chaos=1",
                "--chaos=NaN",
                "--seed=0x1",
                "--cords=0",
                "--shards=1025",
                "--json=yes",
                "--chaos",
                "--a\nb\u001b[2J"
            })
    void aBadOptionIsOneLineAndNothingIsCounted(String option) throws IOException {
        Ran ran = Ran.here(file("good", "good"), option);
        assertEquals(2, ran.status());
        assertEquals("", ran.out());
        assertEquals(1, ran.problems().size(), ran.err());
        String name = Plain.text(option.substring(0, Math.min(option.length(), 5)));
        assertTrue(ran.err().startsWith("wordcount: " + name), ran.err());
        assertFalse(ran.err().contains("\u001b"), ran.err());
    }

    @Test
    void aTerminalShowsAProgressLineAndThenClearsIt() throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        String missing = directory.resolve("missing").toString();
        List<String> arguments = List.of(missing, file("good", "good"));
        Ran ran = Ran.here(true, arguments, new Terminal(written), written);
        assertEquals(1, ran.status());
        assertTrue(
                ran.err().startsWith(CLEAR_LINE + "0 files, 0.0 MB, 0 words, 0.0 MB/s"), ran.err());
        String problem = "wordcount: " + missing + ": no such file or directory\n";
        assertTrue(ran.err().contains(CLEAR_LINE + problem), ran.err());
        assertTrue(ran.err().endsWith(CLEAR_LINE), ran.err());
        assertFalse(ran.out().contains("\r"), ran.out());
    }

    @Test
    void withoutATerminalThereIsNoProgressLine() throws IOException {
        String missing = directory.resolve("missing").toString();
        Ran ran = Ran.here(missing, file("good", "good"));
        assertEquals("wordcount: " + missing + ": no such file or directory\n", ran.err());
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void jsonIsValidWhateverTheTextIs(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] soup = TestText.soup(random, 100_000);
        for (int i = 0; i < ChunkReader.HEAD_BYTES; i++) {
            // A NUL here would make it a binary file.
            soup[i] = soup[i] == 0 ? (byte) '"' : soup[i];
        }
        Path file = Files.write(directory.resolve("soup"), soup);
        Ran ran = Ran.here(false, Ran.wholeTable(List.of(), List.of(file.toString())));
        Counted counted = ran.counted();
        Map<String, Long> expected = TestText.count(soup);
        assertEquals(TestText.sum(expected), counted.words(), "seed=" + seed);
        assertEquals(expected.size(), counted.distinct(), "seed=" + seed);
        assertEquals(counted.words(), TestText.sum(counted.top()), "seed=" + seed);
        assertTrue(
                ran.out().codePoints().noneMatch(c -> c != '\n' && Character.isISOControl(c)),
                "seed=" + seed);
    }

    @Test
    void jsonIsTheSameInEveryLocale() throws IOException, InterruptedException {
        // The line separator is part of a word, as is all that is not ASCII.
        String file = file("text", "naïve 語 語 𝄞 a\u2028b");
        Map<String, Long> expected = Map.of("naïve", 1L, "語", 2L, "𝄞", 1L, "a\u2028b", 1L);
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertEquals(expected, Ran.here("--json", file).allCounted().top());
        } finally {
            Locale.setDefault(before);
        }
        List<String> flags = List.of("-Duser.language=ar", "-Duser.extensions=u-nu-arab");
        try (Program program =
                Program.start(
                        directory,
                        directory,
                        Map.of("LC_ALL", "C"),
                        flags,
                        List.of("--json", file))) {
            assertEquals(expected, program.awaitEnd().allCounted().top());
        }
    }

    @Test
    void noThreadIsLeftBehind() throws IOException {
        Ran.here("--json", "--cords", "3", file("good", "good")).allCounted();
        await().atMost(Duration.ofSeconds(30))
                .until(
                        () ->
                                Thread.getAllStackTraces().keySet().stream()
                                        .map(Thread::getName)
                                        .noneMatch(
                                                name ->
                                                        name.startsWith("split-")
                                                                || name.contains("ctrl-c")));
    }
}
