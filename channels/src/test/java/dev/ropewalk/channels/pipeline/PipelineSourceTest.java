package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Errors;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.internal.log.Logs;
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
import java.lang.ProcessBuilder.Redirect;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
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
            Lines lines = Lines.of(pieces, "test", null);
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

    private static ProcessBuilder shell(String script) {
        return new ProcessBuilder("sh", "-c", script);
    }

    private static boolean isAlive(String pid) {
        return ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive).isPresent();
    }

    @Test
    void C5_processMayWriteMuchToItsStandardError() {
        String much = "head -c 300000 /dev/zero | tr '\\0' x >&2; ";
        assertEquals(List.of("done"), listOf(Pipeline.output(shell(much + "echo done"))));
        PipelineFailedException failed =
                failure(Pipeline.output(shell(much + "echo 'no such table' >&2; exit 3")));
        Throwable cause = assertInstanceOf(IOException.class, failed.getCause());
        Errors.assertMentions(
                cause, "code 3", "its standard error ends with: xxx", "no such table");
        assertTrue(cause.toString().length() < 10_000, "only the end is kept");
    }

    @Test
    void C5_standardInputOfAProcessIsEmpty() {
        assertEquals(List.of("end"), listOf(Pipeline.output(shell("cat; echo end"))));
    }

    /** It never writes again, so a read that could not be left would be reported as abandoned. */
    @Test
    void C5_silentProcessIsEndedAtOnceAndNothingIsLogged() {
        List<String> logged = new CopyOnWriteArrayList<>();
        List<String> pid = new ArrayList<>();
        Logs.during(
                line -> logged.add(line.toString()),
                () ->
                        pid.addAll(
                                listOf(
                                        Pipeline.output(shell("echo $$; exec sleep 1000"))
                                                .buffer(1)
                                                .take(1))));
        assertFalse(isAlive(pid.getFirst()), "it is left behind");
        assertEquals(List.of(), logged);
    }

    @Test
    void C5_processThatIgnoresTermIsKilled() {
        String stubborn = "trap '' TERM; echo $$; while :; do sleep 0.1; done";
        List<String> pid = listOf(Pipeline.output(shell(stubborn)).buffer(1).take(1));
        assertFalse(isAlive(pid.getFirst()), "it is left behind");
    }

    /** Processes may be silent for long, so they take no place from calls that end. */
    @Test
    void C5_processesDoNotWaitForThePlacesOfBlockingCalls() {
        int places = 256;
        CountDownLatch taken = new CountDownLatch(places);
        CountDownLatch over = new CountDownLatch(1);
        onRealCord(
                () -> {
                    try {
                        for (int i = 0; i < places; i++) {
                            Fiber.spin(
                                    "blocks",
                                    () ->
                                            Blocking.<InterruptedException>run(
                                                    () -> {
                                                        taken.countDown();
                                                        over.await();
                                                    }));
                        }
                        while (taken.getCount() > 0) {
                            Fiber.snooze();
                        }
                        assertEquals(
                                List.of("one"),
                                Pipeline.output(shell("echo one")).toList().run().value());
                    } finally {
                        over.countDown();
                    }
                });
    }

    @Test
    void C5_redirectedOutputIsRefused() {
        ProcessBuilder redirected = shell("echo one").redirectOutput(Redirect.DISCARD);
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> Pipeline.output(redirected)),
                "sh -c echo one",
                "redirected",
                "Redirect.PIPE");
        ProcessBuilder inherits = shell("echo one").inheritIO();
        assertThrows(IllegalArgumentException.class, () -> Pipeline.output(inherits, number -> {}));
    }

    @Test
    void C5_outputThatIsNoUtf8() {
        String script = "printf 'good\\n\\377\\nlast'";
        Errors.assertMentions(
                assertInstanceOf(
                        IOException.class, failure(Pipeline.output(shell(script))).getCause()),
                "line 2 of the output of sh",
                "output(process, malformed)");
        List<Long> told = new CopyOnWriteArrayList<>();
        assertEquals(
                List.of("good", "\ufffd", "last"),
                listOf(Pipeline.output(shell(script), told::add)));
        assertEquals(List.of(2L), told);
        AssertionError broke = new AssertionError("broke");
        PipelineFailedException failed =
                failure(
                        Pipeline.output(
                                shell(script),
                                number -> {
                                    throw broke;
                                }));
        assertSame(broke, failed.getCause());
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

    /** The writer comes between the read that finds the end, and the look at the name. */
    @Test
    void C5_followedFileLosesNothingThatWasWrittenBeforeItsRotation() throws IOException {
        Path log = directory.resolve("log");
        Files.writeString(log, "one\ntwo\n");
        HookedPath hooked = new HookedPath(log);
        FollowedFile followed = new FollowedFile(hooked.path(), number -> {});
        assertEquals(List.of("one", "two"), followed.read());
        hooked.beforeAttributes(
                () -> {
                    Files.writeString(log, "three\nfour", StandardOpenOption.APPEND);
                    Files.move(log, directory.resolve("log.1"));
                    Files.writeString(log, "five\n");
                });
        assertEquals(List.of("three", "four", "five"), readAll(followed));
        followed.close();
    }

    /** The name is given to another file between the look at it and the opening. */
    @Test
    void C5_followedFileThatIsReplacedWhileItIsOpenedIsReadOnce() throws IOException {
        Path log = directory.resolve("log");
        Files.writeString(log, "one\n");
        HookedPath hooked = new HookedPath(log);
        FollowedFile followed = new FollowedFile(hooked.path(), number -> {});
        hooked.afterAttributes(
                () -> {
                    Files.move(log, directory.resolve("log.1"));
                    Files.writeString(log, "two\nthree\n");
                });
        assertEquals(List.of("two", "three"), readAll(followed));
        followed.close();
    }

    @Test
    void C5_linesOfAFollowedFileAreNumberedOn() throws IOException {
        Path log = directory.resolve("log");
        List<Long> told = new ArrayList<>();
        FollowedFile followed = new FollowedFile(log, told::add);
        Files.write(log, "one\n\377\nrest".getBytes(ISO_8859_1));
        readAll(followed);
        Files.move(log, directory.resolve("log.1"));
        Files.write(log, "\377\n".getBytes(ISO_8859_1));
        readAll(followed);
        Files.write(log, new byte[0]);
        readAll(followed);
        Files.write(log, "six\n\377\n".getBytes(ISO_8859_1));
        readAll(followed);
        assertEquals(List.of(2L, 4L, 6L), told);
        followed.close();
    }

    /** Until it has had nothing several times: a read that finds a new file gives nothing. */
    private static List<String> readAll(FollowedFile followed) throws IOException {
        List<String> all = new ArrayList<>();
        int empty = 0;
        while (empty < 3) {
            List<String> batch = followed.read();
            empty = batch.isEmpty() ? empty + 1 : 0;
            all.addAll(batch);
        }
        return all;
    }
}
