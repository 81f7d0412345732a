package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Errors;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.testing.TestCord;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Rule C5: files, directories, processes and streams as sources. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PipelineSourceTest {
    @TempDir private Path directory;

    private Path file(byte[] content) throws IOException {
        return Files.write(directory.resolve("file"), content);
    }

    private static <E> List<E> listOf(Pipeline<E> pipeline) {
        List<List<E>> all = new ArrayList<>();
        onRealCord(() -> all.add(pipeline.toList().run().value()));
        return all.getFirst();
    }

    /** Reading is off the cord only where time is real. */
    private static void onRealCord(Runnable body) {
        try (Cord cord = Cord.start("pipeline")) {
            cord.spin("body", body::run).await();
        }
    }

    private static PipelineFailedException failure(Pipeline<?> pipeline) {
        List<PipelineFailedException> all = new ArrayList<>();
        onRealCord(
                () ->
                        all.add(
                                assertThrows(
                                        PipelineFailedException.class,
                                        () -> pipeline.toList().run())));
        return all.getFirst();
    }

    @Test
    void C5_linesOfAFile() throws IOException {
        assertEquals(
                List.of("one", "", "three", "fünf", "last"),
                listOf(Pipeline.lines(file("one\n\nthree\r\nfünf\nlast".getBytes(UTF_8)))));
        assertEquals(List.of("one"), listOf(Pipeline.lines(file("one\n".getBytes(UTF_8)))));
        assertEquals(List.of(), listOf(Pipeline.lines(file(new byte[0]))));
        assertEquals(List.of("a\rb"), listOf(Pipeline.lines(file("a\rb".getBytes(UTF_8)))));
    }

    @Test
    void C5_linesLongerThanARead() throws IOException {
        String longOne = "ä".repeat(100_000);
        assertEquals(
                List.of("x", longOne, "y", longOne),
                listOf(
                        Pipeline.lines(
                                file(("x\n" + longOne + "\ny\n" + longOne).getBytes(UTF_8)))));
    }

    /** Line ends, and characters of several bytes, at every place of a read. */
    @Test
    void C5_linesDoNotDependOnHowTheInputIsCut() throws IOException {
        byte[] bytes = "a\r\nbb\n\nçé\r\n\r\n€uro\nx".getBytes(UTF_8);
        for (int piece = 1; piece <= bytes.length; piece++) {
            InputStream pieces = new Pieces(bytes, piece);
            Lines lines = new Lines(pieces, "test", null);
            List<String> all = new ArrayList<>();
            for (List<String> each = lines.read(); each != null; each = lines.read()) {
                assertFalse(each.isEmpty());
                all.addAll(each);
            }
            assertEquals(List.of("a", "bb", "", "çé", "", "€uro", "x"), all);
        }
    }

    private static final class Pieces extends ByteArrayInputStream {
        private final int piece;

        Pieces(byte[] bytes, int piece) {
            super(bytes);
            this.piece = piece;
        }

        @Override
        public synchronized int read(byte[] to, int from, int length) {
            return super.read(to, from, Math.min(length, piece));
        }
    }

    private Path withABadLine() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write("good\nb".getBytes(UTF_8));
        bytes.write(0xff);
        bytes.write("d\ngood too\n".getBytes(UTF_8));
        bytes.write(0xc3);
        return file(bytes.toByteArray());
    }

    @Test
    void C5_lineThatIsNoUtf8FailsWithItsNumber() throws IOException {
        PipelineFailedException failed = failure(Pipeline.lines(withABadLine()));
        assertEquals("lines", failed.stage());
        IOException cause = assertInstanceOf(IOException.class, failed.getCause());
        Errors.assertMentions(cause, "line 2", "file", "UTF-8", "malformed");
        assertInstanceOf(CharacterCodingException.class, cause.getCause());
    }

    @Test
    void C5_lineThatIsNoUtf8IsToldAndGoesOn() throws IOException {
        List<Long> told = new ArrayList<>();
        assertEquals(
                List.of("good", "b\ufffdd", "good too", "\ufffd"),
                listOf(Pipeline.lines(withABadLine(), told::add)));
        assertEquals(List.of(2L, 4L), told);
    }

    @Test
    void C5_missingFileFailsTheSource() {
        PipelineFailedException failed = failure(Pipeline.lines(directory.resolve("none")));
        assertEquals("lines", failed.stage());
        Errors.assertMentions(
                assertInstanceOf(NoSuchFileException.class, failed.getCause()), "none");
    }

    @Test
    void C5_bytesOfAFile() throws IOException {
        byte[] bytes = new byte[100_003];
        new Random(5).nextBytes(bytes);
        List<byte[]> parts = listOf(Pipeline.bytes(file(bytes), 1_000));
        assertEquals(101, parts.size());
        assertEquals(3, parts.getLast().length);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        parts.forEach(all::writeBytes);
        assertArrayEquals(bytes, all.toByteArray());
    }

    @Test
    void C5_walkOfADirectory() throws IOException {
        Path below = Files.createDirectories(directory.resolve("a/b"));
        Files.createFile(below.resolve("c"));
        for (int i = 0; i < 600; i++) {
            Files.createFile(directory.resolve("n" + i));
        }
        List<Path> seen = listOf(Pipeline.walk(directory));
        assertEquals(604, seen.size());
        assertTrue(seen.containsAll(Set.of(directory, below, below.resolve("c"))));
    }

    @Test
    void C5_linesOfAProcess() {
        assertEquals(
                List.of("one", "two"),
                listOf(Pipeline.output(new ProcessBuilder("printf", "one\\ntwo\\n"))));
    }

    @Test
    void C5_processThatFailsFailsTheSource() {
        PipelineFailedException failed =
                failure(Pipeline.output(new ProcessBuilder("sh", "-c", "echo one; exit 3")));
        assertEquals("output", failed.stage());
        Errors.assertMentions(
                assertInstanceOf(IOException.class, failed.getCause()), "sh", "code 3");
    }

    @Test
    void C5_processIsDestroyedWhenTheRunEndsEarlier() {
        ProcessBuilder endless = new ProcessBuilder("sh", "-c", "echo $$; exec sleep 1000");
        List<String> pid = listOf(Pipeline.output(endless).take(1));
        Awaitility.await()
                .until(
                        () ->
                                ProcessHandle.of(Long.parseLong(pid.getFirst()))
                                        .filter(ProcessHandle::isAlive)
                                        .isEmpty());
    }

    @Test
    void C5_sourceIsClosedWhenTheRunEndsEarlier() throws IOException {
        Path many = file("line\n".repeat(100_000).getBytes(UTF_8));
        for (int i = 0; i < 50; i++) {
            assertEquals(3, listOf(Pipeline.lines(many).take(3)).size());
        }
        Path self = Path.of("/proc/self/fd");
        if (Files.isDirectory(self)) {
            try (Stream<Path> open = Files.list(self)) {
                long left =
                        open.filter(Files::isSymbolicLink)
                                .filter(link -> target(link).equals(many.toString()))
                                .count();
                assertEquals(0, left, "files are left open");
            }
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException gone) {
            return "";
        }
    }

    @Test
    void C5_streamIsClosedAtTheEnd() {
        TestCord.run(
                () -> {
                    AtomicBoolean closed = new AtomicBoolean();
                    Pipeline.from(Stream.of(1, 2, 3).onClose(() -> closed.set(true)))
                            .take(1)
                            .toList()
                            .run();
                    assertTrue(closed.get());
                });
    }

    @Test
    void C5_streamThatCannotBeClosedFailsTheRun() {
        TestCord.run(
                () -> {
                    IllegalStateException broke = new IllegalStateException("broke");
                    Stream<Integer> bad =
                            Stream.of(1)
                                    .onClose(
                                            () -> {
                                                throw broke;
                                            });
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () -> Pipeline.from(bad).buffer(1).toList().run());
                    assertEquals("source", failed.stage());
                });
    }

    // ---------------------------------------------------------------- a file that grows

    @Test
    void C5_followedFileGivesWhatIsAppended() {
        TestCord.run(
                () -> {
                    Path log = directory.resolve("log");
                    Files.deleteIfExists(log);
                    ReceivePort<String> lines =
                            Pipeline.follow(log, i -> {}).toPort(ChannelOptions.rendezvous());
                    Files.writeString(log, "one\ntw");
                    assertEquals("one", lines.receive());
                    Files.writeString(log, "o\nthree\n", StandardOpenOption.APPEND);
                    assertEquals("two", lines.receive());
                    assertEquals("three", lines.receive());
                    lines.cancel();
                });
    }

    @Test
    void C5_followedFileThatIsShortenedOrReplacedIsReadAgain() {
        TestCord.run(
                () -> {
                    Path log = directory.resolve("log");
                    Files.writeString(log, "one\ntwo\nrest");
                    ReceivePort<String> lines =
                            Pipeline.follow(log, i -> {}).toPort(ChannelOptions.rendezvous());
                    assertEquals("one", lines.receive());
                    assertEquals("two", lines.receive());
                    Files.writeString(log, "new\n");
                    assertEquals("rest", lines.receive());
                    assertEquals("new", lines.receive());
                    Files.move(
                            log, directory.resolve("log.1"), StandardCopyOption.REPLACE_EXISTING);
                    Files.writeString(log, "a longer line than before\n");
                    assertEquals("a longer line than before", lines.receive());
                    lines.cancel();
                });
    }
}
