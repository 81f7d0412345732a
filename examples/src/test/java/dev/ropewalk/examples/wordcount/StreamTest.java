package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The standard input, pipes and devices that are named are read. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class StreamTest {
    @TempDir private Path directory;
    @TempDir private Path scratch;

    @BeforeEach
    void thereIsAShell() throws InterruptedException {
        Tools.assume(scratch);
    }

    /** Longer than any buffer on the way. */
    private Map<String, Long> writeText(String name, long seed) throws IOException {
        byte[] text = TextGenerator.text(400_000, seed);
        Files.write(directory.resolve(name), text);
        return TestText.count(text);
    }

    private static Map<String, Long> utf8(Map<String, Long> latin1) {
        Map<String, Long> counts = new TreeMap<>();
        latin1.forEach((word, n) -> counts.put(ChaosTest.utf8(word), n));
        return counts;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cat text | \"$@\" -",
                "\"$@\" - < text",
                "cat text | \"$@\" /dev/stdin",
                "\"$@\" /dev/stdin < text",
                "cat text | \"$@\" /dev/fd/5 5<&0 </dev/null",
                "\"$@\" /dev/null - < text"
            })
    void theStandardInputAndOtherDescriptors(String script)
            throws IOException, InterruptedException {
        assumeTrue(Files.exists(Path.of("/dev/fd")), "no /dev/fd");
        Map<String, Long> expected = utf8(writeText("text", 1));
        Ran ran = Program.script(directory, scratch, script, "--json", "--top=1000000");
        Counted counted = ran.allCounted();
        counted.assertSame(expected, script);
        assertEquals(script.contains("/dev/null -") ? 2 : 1, counted.files());
        assertEquals(400_000, counted.bytes());
    }

    /** Two at a time, whose writers wait for each other's readers. */
    @Test
    void pipesThatAreNamed() throws IOException, InterruptedException {
        Map<String, Long> expected = new TreeMap<>(utf8(writeText("one", 1)));
        utf8(writeText("two", 2)).forEach((word, n) -> expected.merge(word, n, Long::sum));
        Path first = Tools.pipe(directory.resolve("first"));
        Path second = Tools.pipe(directory.resolve("second"));
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try (OutputStream toFirst = Files.newOutputStream(first);
                                            OutputStream toSecond = Files.newOutputStream(second)) {
                                        Files.copy(directory.resolve("two"), toSecond);
                                        Files.copy(directory.resolve("one"), toFirst);
                                    } catch (IOException e) {
                                        throw new AssertionError(e);
                                    }
                                });
        List<String> pipes = List.of(first.toString(), second.toString());
        Counted counted = Ran.here(false, Ran.wholeTable(new ArrayList<>(), pipes)).allCounted();
        counted.assertSame(expected, "two pipes");
        assertEquals(2, counted.files());
        writer.join();
    }

    @Test
    void aStreamIsReadOnceHoweverOftenItIsNamed() throws IOException, InterruptedException {
        Ran ran = Program.script(directory, scratch, "echo words | \"$@\" - -", "--json");
        assertEquals(
                List.of("wordcount: -: named again, but a pipe or device can be read only once"),
                ran.problems());
        assertEquals(Map.of("words", 1L), ran.counted().top());
        assertEquals(1, ran.status());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"$@\" - <&-", "\"$@\" - < .", "\"$@\" - < /dev/zero"})
    void aStandardInputThatIsNotTextIsOneLine(String script)
            throws IOException, InterruptedException {
        Ran ran = Program.script(directory, scratch, script, "--json");
        assertEquals(1, ran.problems().size(), ran.err());
        assertTrue(ran.err().startsWith("wordcount: -: "), ran.err());
        assertEquals(0, ran.counted().files());
        assertEquals(1, ran.status());
    }
}
