package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

@Timeout(60)
class ChunkReaderTest {
    private static final Path NAME = Path.of("file");

    @TempDir private Path directory;

    private final List<String> problems = new ArrayList<>();

    private void report(Problem problem) {
        problems.add(problem.line());
    }

    private ChunkReader reader(FakeFile file, int chunkBytes) {
        return new ChunkReader(NAME, chunkBytes, this::report, _ -> file);
    }

    private ChunkReader reader(String latin1, int chunkBytes) {
        return reader(new FakeFile(TestText.bytes(latin1)), chunkBytes);
    }

    /** All chunks, each checked to end between two words. */
    private static List<String> chunks(ChunkReader reader) throws IOException {
        List<String> chunks = new ArrayList<>();
        try (reader) {
            for (Chunk chunk = reader.next(); chunk != null; chunk = reader.next()) {
                assertTrue(chunk.length() > 0, "an empty chunk after " + chunks.size());
                chunks.add(TestText.latin1(chunk.bytes(), chunk.length()));
            }
            assertNull(reader.next(), "after the end comes the end again");
        }
        for (int i = 0; i < chunks.size() - 1; i++) {
            String chunk = chunks.get(i);
            assertFalse(
                    Letters.isWordByte((byte) chunk.charAt(chunk.length() - 1)),
                    "chunk " + i + " ends within a word");
        }
        return chunks;
    }

    @Test
    void aMissingFileIsReported() throws IOException {
        Path missing = directory.resolve("missing");
        ChunkReader reader = new ChunkReader(Source.file(missing, 0), this::report);
        assertEquals(List.of(), chunks(reader));
        assertTrue(reader.skipped());
        assertEquals(List.of("wordcount: " + missing + ": no such file or directory"), problems);
    }

    @Test
    void aFileThatMayNotBeReadIsReported() throws IOException {
        ChunkReader reader =
                new ChunkReader(
                        NAME,
                        10,
                        this::report,
                        path -> {
                            throw new AccessDeniedException(path.toString());
                        });
        assertEquals(List.of(), chunks(reader));
        assertTrue(reader.skipped());
        assertEquals(List.of("wordcount: file: permission denied"), problems);
    }

    @Test
    void aDirectoryIsReported() throws IOException {
        ChunkReader reader = new ChunkReader(Source.file(directory, 0), this::report);
        assertEquals(List.of(), chunks(reader));
        assertEquals(
                List.of(
                        "wordcount: "
                                + directory
                                + ": reading failed at byte offset 0, the rest is not counted:"
                                + " Is a directory"),
                problems);
        assertTrue(reader.cutOff());
    }

    @Test
    void whatWasReadBeforeAFailureIsGiven() throws IOException {
        FakeFile file = new FakeFile(TestText.bytes("one two three"));
        file.failAt(9, new IOException("Input/output error"));
        ChunkReader reader = reader(file, 6);
        assertEquals(List.of("one ", "two t"), chunks(reader));
        assertFalse(reader.skipped());
        assertTrue(reader.cutOff());
        assertFalse(file.isOpen());
        assertEquals(9, reader.bytesRead());
        assertEquals(
                List.of(
                        "wordcount: file: reading failed at byte offset 9,"
                                + " the rest is not counted: Input/output error"),
                problems);
    }

    private Path realFile(int bytes) throws IOException {
        return Files.write(directory.resolve("real"), TestText.bytes("word ".repeat(bytes / 5)));
    }

    private ChunkReader readerOf(Path path) {
        return new ChunkReader(
                path, 10_000, this::report, p -> FileChannel.open(p, StandardOpenOption.READ));
    }

    @ParameterizedTest(name = "to {0} of 50000 bytes")
    @ValueSource(ints = {0, 9_999, 10_000, 20_000, 49_999})
    void aFileThatShrinksWhileItIsReadIsReported(int left) throws IOException {
        Path file = realFile(50_000);
        try (ChunkReader reader = readerOf(file);
                FileChannel change = FileChannel.open(file, StandardOpenOption.WRITE)) {
            assertNotNull(reader.next());
            assertFalse(reader.cutOff());
            change.truncate(left);
            long given = 10_000;
            for (Chunk chunk = reader.next(); chunk != null; chunk = reader.next()) {
                given += chunk.length();
            }
            assertEquals(Math.max(10_000, left), given);
            assertTrue(reader.cutOff());
        }
        assertEquals(
                List.of(
                        "wordcount: "
                                + file
                                + ": shrank from 50000 to "
                                + left
                                + " bytes while it was read, the lost part is not counted"),
                problems);
    }

    @Test
    void aFileThatGrowsWhileItIsReadIsReadToItsEnd() throws IOException {
        Path file = realFile(20_000);
        try (ChunkReader reader = readerOf(file)) {
            assertNotNull(reader.next());
            Files.write(file, TestText.bytes("more"), StandardOpenOption.APPEND);
            while (reader.next() != null) {
                assertFalse(reader.cutOff());
            }
            assertEquals(20_004, reader.bytesRead());
        }
        assertEquals(List.of(), problems);
    }

    /** Such files of the system have a length that is not that of their content. */
    @Test
    void aFileThatNeverHadItsLengthHasNotShrunk() throws IOException {
        Path file = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
        assumeTrue(Files.isReadable(file), "no " + file);
        ChunkReader reader = new ChunkReader(Source.file(file, 0), this::report);
        assertEquals(List.of(Files.readString(file)), chunks(reader));
        assertTrue(reader.bytesRead() < Files.size(file), "bytesRead=" + reader.bytesRead());
        assertEquals(List.of(), problems);
    }

    @ParameterizedTest(name = "NUL at {0}")
    @ValueSource(ints = {0, 1, 100, 8191})
    void aBinaryFileIsSkippedAndNothingElseIsSaidOfIt(int at) throws IOException {
        byte[] text = TestText.bytes("\u00ff ".repeat(10_000));
        text[at] = 0;
        for (int chunkBytes : new int[] {1, 100, 8192, 100_000}) {
            problems.clear();
            ChunkReader reader = reader(new FakeFile(text), chunkBytes);
            assertEquals(List.of(), chunks(reader));
            assertTrue(reader.skipped());
            assertEquals(
                    List.of(
                            "wordcount: file: binary file (NUL byte at offset "
                                    + at
                                    + "), skipped"),
                    problems);
        }
    }

    @Test
    void aLaterNulIsASeparator() throws IOException {
        String text = "a".repeat(8192) + "\u0000b";
        assertEquals(text, String.join("", chunks(reader(text, 10_000))));
        assertEquals(List.of(), problems);
    }

    @ParameterizedTest(name = "chunks of {0}")
    @ValueSource(ints = {1, 2, 3, 5, 8, 100})
    void malformedUtf8IsReportedOnceAndCounted(int chunkBytes) throws IOException {
        String text = "caf\u00c3\u00a9 caf\u00e9 \u00ff \u00e2\u0082";
        assertEquals(text, String.join("", chunks(reader(text, chunkBytes))));
        assertEquals(
                List.of("wordcount: file: malformed UTF-8 at byte offset 9, counted as it is"),
                problems);
    }

    @Test
    void aCharacterCutOffByTheEndIsMalformed() throws IOException {
        assertEquals(List.of("abc \u00e2\u0082"), chunks(reader("abc \u00e2\u0082", 100)));
        assertEquals(
                List.of("wordcount: file: malformed UTF-8 at byte offset 4, counted as it is"),
                problems);
    }

    @ParameterizedTest(name = "chunks of {0}")
    @ValueSource(ints = {1, 1000, ChunkReader.CHUNK_BYTES, ChunkReader.MAX_WORD})
    void onlyAWordOfMoreThanAMebibyteIsSkipped(int chunkBytes) throws IOException {
        String longest = "x".repeat(ChunkReader.MAX_WORD);
        String text = longest + " b " + longest + "x c " + longest + longest + "xyz";
        List<String> chunks = chunks(reader(text, chunkBytes));
        assertEquals(longest + " b  c ", String.join("", chunks));
        assertEquals(
                List.of(
                        "wordcount: file: word of 1048577 bytes at byte offset 1048579"
                                + " is longer than 1048576 bytes, skipped",
                        "wordcount: file: word of 2097155 bytes at byte offset 2097159"
                                + " is longer than 1048576 bytes, skipped"),
                problems);
    }

    @Test
    void aLineOfAGibibyteTakesBoundedMemory() throws IOException {
        FakeFile file = new FakeFile(TestText.bytes("all on one line "), 1L << 30);
        ChunkReader reader = reader(file, ChunkReader.CHUNK_BYTES);
        long given = 0;
        for (Chunk chunk = reader.next(); chunk != null; chunk = reader.next()) {
            assertTrue(chunk.bytes().length <= ChunkReader.CHUNK_BYTES, "chunk is too long");
            given += chunk.length();
        }
        assertEquals(1L << 30, given);
        assertEquals(1L << 30, reader.bytesRead());
        assertTrue(file.longestRead() <= ChunkReader.CHUNK_BYTES, "reads too much at once");
        assertEquals(List.of(), problems);
    }

    @Test
    void aWordOfAGibibyteTakesBoundedMemory() throws IOException {
        FakeFile file = new FakeFile(TestText.bytes("endless"), 1L << 30);
        assertEquals(List.of(), chunks(reader(file, ChunkReader.CHUNK_BYTES)));
        assertTrue(file.longestRead() <= ChunkReader.MAX_WORD + 1, "reads too much at once");
        assertEquals(
                List.of(
                        "wordcount: file: word of 1073741824 bytes at byte offset 0"
                                + " is longer than 1048576 bytes, skipped"),
                problems);
    }

    @Test
    void anInterruptEndsReadingAndIsNoProblemOfTheFile() throws IOException {
        Path file = directory.resolve("file");
        Files.writeString(file, "some words");
        try (ChunkReader reader = new ChunkReader(Source.file(file, 0), this::report)) {
            Thread.currentThread().interrupt();
            InterruptedIOException e = assertThrows(InterruptedIOException.class, reader::next);
            assertTrue(Thread.interrupted(), "the thread stays interrupted");
            assertEquals("interrupted while reading " + file, e.getMessage());
            assertNull(reader.next(), "it has ended");
        }
        assertEquals(List.of(), problems);
    }

    @Test
    void aFileClosedMeanwhileIsNoProblemOfTheFile() {
        FakeFile file = new FakeFile(TestText.bytes("one two three"));
        file.failAt(4, new AsynchronousCloseException());
        assertThrows(InterruptedIOException.class, reader(file, 100)::next);
        assertFalse(file.isOpen());
        assertEquals(List.of(), problems);
    }

    @Test
    void refusesChunksThatAWordTooLongCouldHideIn() {
        for (int chunkBytes : new int[] {0, ChunkReader.MAX_WORD + 1}) {
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> reader("", chunkBytes));
            assertEquals("chunkBytes=" + chunkBytes + " is not in 1..1048576", e.getMessage());
        }
    }

    @Test
    void closingEarlyClosesTheFile() throws IOException {
        FakeFile file = new FakeFile(TestText.bytes("one two three four"));
        ChunkReader reader = reader(file, 5);
        Chunk first = reader.next();
        assertTrue(first != null && first.length() == 4, "first=" + first);
        reader.close();
        assertFalse(file.isOpen());
        assertNull(reader.next());
        reader.close();
        assertEquals(List.of(), problems);
    }

    @Test
    void anEmptyFileHasNoChunk() throws IOException {
        Path empty = Files.createFile(directory.resolve("empty"));
        ChunkReader reader = new ChunkReader(Source.file(empty, 0), this::report);
        assertEquals(List.of(), chunks(reader));
        assertFalse(reader.skipped());
        assertEquals(List.of(), problems);
    }

    @Test
    void cutsBehindTheLastSeparator() throws IOException {
        assertEquals(
                List.of("one two ", "three ", "internationalization ", "x, y"),
                chunks(reader("one two three internationalization x, y", 9)));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void chunksTogetherAreTheFile(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 60; round++) {
            byte[] text = TestText.soup(random, random.nextInt(30_000));
            for (int i = 0; i < text.length; i++) {
                text[i] = text[i] == 0 ? (byte) ' ' : text[i];
            }
            FakeFile file = new FakeFile(text);
            file.readInPieces(random.split(), 1 + random.nextInt(20_000));
            int chunkBytes = 1 + random.nextInt(random.nextBoolean() ? 50 : 20_000);
            ChunkReader reader = reader(file, chunkBytes);
            ByteArrayOutputStream together = new ByteArrayOutputStream();
            for (String chunk : chunks(reader)) {
                together.writeBytes(TestText.bytes(chunk));
            }
            assertArrayEquals(text, together.toByteArray(), "seed=" + seed + " round=" + round);
            assertEquals(text.length, reader.bytesRead());
        }
    }
}
