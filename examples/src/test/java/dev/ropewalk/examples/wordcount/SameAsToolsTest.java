package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The definition of a word is a command; here it runs. */
@Timeout(60)
class SameAsToolsTest {
    /** The files are its arguments; the echo ends the last word of each. */
    static final String COMMAND =
            """
            export LC_ALL=C
            for file; do cat "$file"; echo; done |
            tr -cs 'A-Za-z\\200-\\377' '\\n' | tr A-Z a-z | grep -a . | sort | uniq -c
            """;

    @TempDir private Path directory;

    @BeforeAll
    static void theToolsAreThere() throws InterruptedException {
        for (String tool : new String[] {"cat", "tr", "grep", "sort", "uniq"}) {
            try {
                Process process = new ProcessBuilder("sh", "-c", "command -v " + tool).start();
                assumeTrue(process.waitFor(10, TimeUnit.SECONDS), "sh does not end");
                assumeTrue(process.exitValue() == 0, "there is no " + tool);
            } catch (IOException e) {
                assumeTrue(false, "there is no sh: " + e);
            }
        }
    }

    private Map<String, Long> countWithTools(Path... files)
            throws IOException, InterruptedException {
        Path output = directory.resolve("counts");
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", COMMAND, "sh");
        for (Path file : files) {
            builder.command().add(file.toString());
        }
        builder.redirectOutput(output.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT);
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(50, TimeUnit.SECONDS), "the tools take too long");
        } finally {
            process.destroy();
        }
        Map<String, Long> counts = new TreeMap<>();
        for (String line : Files.readAllLines(output, StandardCharsets.ISO_8859_1)) {
            String trimmed = line.stripLeading();
            int space = trimmed.indexOf(' ');
            counts.put(trimmed.substring(space + 1), Long.parseLong(trimmed.substring(0, space)));
        }
        return counts;
    }

    private static Map<String, Long> countWithTable(Path... files) throws IOException {
        WordTable table = new WordTable();
        for (Path file : files) {
            byte[] text = Files.readAllBytes(file);
            table.addAll(text, text.length);
        }
        table.checkInvariants();
        return TestText.counts(table);
    }

    private Path file(String name, byte[] text) throws IOException {
        return Files.write(directory.resolve(name), text);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void onAnyBytes(long seed) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] noise = new byte[100_000];
        random.nextBytes(noise);
        Path first = file("noise", noise);
        Path second = file("soup", TestText.soup(random, 200_000));
        assertEquals(countWithTools(first, second), countWithTable(first, second), "seed=" + seed);
    }

    @Test
    void onEachByteBetweenLetters() throws IOException, InterruptedException {
        StringBuilder text = new StringBuilder();
        for (char b = 0; b < 256; b++) {
            text.append("left").append(b).append("Right").append(b % 7).append(b).append('\n');
        }
        Path file = file("bytes", TestText.bytes(text.toString()));
        assertEquals(countWithTools(file), countWithTable(file));
    }

    @Test
    void onFilesThatEndWithinAWordOrAreEmpty() throws IOException, InterruptedException {
        Path one = file("one", TestText.bytes("a half"));
        Path two = file("two", TestText.bytes(""));
        Path three = file("three", TestText.bytes("time half"));
        Map<String, Long> expected = Map.of("a", 1L, "half", 2L, "time", 1L);
        assertEquals(expected, countWithTools(one, two, three));
        assertEquals(expected, countWithTable(one, two, three));
        assertEquals(Map.of(), countWithTools(two));
    }

    @Test
    void onGeneratedText() throws IOException, InterruptedException {
        Path file = directory.resolve("text");
        TextGenerator.write(file, 4_000_000, 1);
        Map<String, Long> expected = countWithTools(file);
        assertTrue(expected.size() > 10_000, "distinct=" + expected.size());
        assertEquals(expected, countWithTable(file));
        assertEquals(expected, PlainCount.count(List.of(file)));
    }

    /** The whole way from a file to counts, in chunks of any length. */
    @ParameterizedTest(name = "chunks of {0}")
    @ValueSource(ints = {1, 60, 4096, ChunkReader.CHUNK_BYTES})
    void inChunks(int chunkBytes) throws IOException, InterruptedException {
        Path file = file("text", TextGenerator.text(50_000, 2));
        WordTable table = new WordTable();
        try (ChunkReader reader =
                new ChunkReader(
                        file,
                        chunkBytes,
                        p -> assertEquals("no problem", p.line()),
                        FileChannel::open)) {
            for (Chunk chunk = reader.next(); chunk != null; chunk = reader.next()) {
                table.addAll(chunk.bytes(), chunk.length());
            }
        }
        assertEquals(countWithTools(file), TestText.counts(table));
    }
}
