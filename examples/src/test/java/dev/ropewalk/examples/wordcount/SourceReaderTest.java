package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.examples.wordcount.SourceReader.Part;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Small files share chunks, and each is told as what it is once its chunk is handed on. */
@Timeout(60)
class SourceReaderTest {
    @TempDir private Path directory;

    private final List<String> problems = new ArrayList<>();
    private final List<Source> sources = new ArrayList<>();

    private Path add(byte[] text) throws IOException {
        Path file = Files.write(directory.resolve("file-" + sources.size()), text);
        sources.add(Source.file(file, text.length));
        return file;
    }

    private Path add(String latin1) throws IOException {
        return add(TestText.bytes(latin1));
    }

    private SourceReader reader() {
        return new SourceReader(sources, problem -> problems.add(problem.line()));
    }

    private static List<Part> parts(SourceReader reader) throws IOException {
        List<Part> parts = new ArrayList<>();
        try (reader) {
            for (Part part = reader.next(); part != null; part = reader.next()) {
                parts.add(part);
            }
            assertNull(reader.next(), "after the end comes the end again");
        }
        return parts;
    }

    private static String text(Part part) {
        Chunk chunk = part.chunk();
        return chunk == null ? "" : TestText.latin1(chunk.bytes(), chunk.length());
    }

    @Test
    void aThousandTinyFilesAreOneChunk() throws IOException {
        for (int i = 0; i < 1_000; i++) {
            add("tiny words");
        }
        List<Part> parts = parts(reader());
        assertEquals(1, parts.size());
        assertEquals("tiny words\n".repeat(1_000), text(parts.getFirst()));
        assertEquals(1_000, parts.getFirst().whole());
        assertEquals(10_000, parts.getFirst().bytes());
    }

    @Test
    void theEndOfAFileIsTheEndOfAWord() throws IOException {
        add("one ");
        add("");
        add("two");
        add("");
        add("three\n");
        add("fo\u00ff");
        List<Part> parts = parts(reader());
        assertEquals(1, parts.size());
        assertEquals("one two\nthree\nfo\u00ff\n", text(parts.getFirst()));
        assertEquals(6, parts.getFirst().whole());
    }

    @Test
    void emptyFilesAreCountedWithoutAChunk() throws IOException {
        add("");
        add("");
        List<Part> parts = parts(reader());
        assertEquals(List.of(new Part(null, 0, 2, 0, false)), parts);
    }

    @Test
    void whatIsSkippedIsNotCounted() throws IOException {
        add("good ");
        add("\u0000");
        sources.add(Source.file(directory.resolve("missing"), 0));
        add("last ");
        Part part = parts(reader()).getFirst();
        assertEquals("good last ", text(part));
        assertEquals(2, part.whole());
        assertEquals(0, part.cut());
        assertEquals(10, part.bytes());
        assertEquals(2, problems.size(), problems::toString);
    }

    /** Beginning, middle, end. */
    @Test
    void aLargeFileIsInPartUntilItsEndIsGiven() throws IOException {
        int length = 3 * ChunkReader.CHUNK_BYTES;
        add(TextGenerator.text(length, 1));
        List<Part> parts = parts(reader());
        assertEquals(length, parts.stream().mapToLong(Part::bytes).sum());
        assertEquals(1, parts.stream().mapToInt(Part::whole).sum());
        for (Part part : parts) {
            assertTrue(part.begun() == (part.whole() == 0), part.toString());
        }
    }

    @Test
    void aFileThatShrinksAfterItsFirstChunkIsCountedInPart() throws IOException {
        Path file = add(TextGenerator.text(3 * ChunkReader.CHUNK_BYTES, 1));
        add("next");
        SourceReader reader = reader();
        Part first = Objects.requireNonNull(reader.next());
        assertTrue(first.begun());
        try (FileChannel change = FileChannel.open(file, StandardOpenOption.WRITE)) {
            change.truncate(ChunkReader.CHUNK_BYTES);
        }
        List<Part> rest = parts(reader);
        assertEquals(1, rest.stream().mapToInt(Part::cut).sum());
        assertEquals(1, rest.stream().mapToInt(Part::whole).sum());
        assertEquals(
                ChunkReader.CHUNK_BYTES + 4L,
                first.bytes() + rest.stream().mapToLong(Part::bytes).sum());
        assertEquals(1, problems.size(), problems::toString);
    }

    @Test
    void anInterruptDropsWhatWasNotGiven() throws IOException {
        add("one");
        add("two");
        SourceReader reader = reader();
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, reader::next);
        assertTrue(Thread.interrupted(), "the thread stays interrupted");
        reader.close();
        assertEquals(List.of(), problems);
    }

    /** Of any lengths, about those at which chunks are full more often than not. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void allWordsAndBytesAreGivenOnce(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, Long> expected = new TreeMap<>();
        long bytes = 0;
        for (int i = 0; i < 60; i++) {
            int near = random.nextInt(5) * ChunkReader.CHUNK_BYTES / 4;
            int length = Math.max(0, near + random.nextInt(-20, 20));
            byte[] text = TestText.soup(random, random.nextInt(4) == 0 ? length % 50 : length);
            for (int at = 0; at < text.length; at++) {
                text[at] = text[at] == 0 ? (byte) 'n' : text[at];
            }
            if (random.nextBoolean()) {
                Arrays.fill(text, (byte) 'w');
            }
            add(text);
            bytes += text.length;
            TestText.count(text).forEach((word, n) -> expected.merge(word, n, Long::sum));
        }
        WordTable table = new WordTable();
        List<Part> parts = parts(reader());
        for (Part part : parts) {
            Chunk chunk = part.chunk();
            if (chunk != null) {
                assertTrue(chunk.length() > 0, "seed=" + seed);
                table.addAll(chunk.bytes(), chunk.length());
            }
        }
        assertEquals(expected, TestText.counts(table), "seed=" + seed);
        assertEquals(60, parts.stream().mapToInt(Part::whole).sum(), "seed=" + seed);
        assertEquals(bytes, parts.stream().mapToLong(Part::bytes).sum(), "seed=" + seed);
    }
}
