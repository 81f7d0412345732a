package dev.ropewalk.fibers.observe;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.Signals;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.testkit.JdkSleep;
import dev.ropewalk.fibers.testkit.OtherJvm;
import dev.ropewalk.fibers.testkit.RaisedSignal;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * Files that show the process: on a signal, on trouble and on call (rules F9, F13). The signal is
 * WINCH, which does no harm if nobody handles it.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class DumpFilesTest {
    private static final String SIGNAL = "WINCH";

    @TempDir Path temporary;

    private Path directory() {
        return temporary.resolve("a/dumps");
    }

    private DumpOptions options() {
        return DumpOptions.into(directory()).withLimit(Duration.ofMillis(500));
    }

    private static List<Path> filesIn(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Path next(int count) {
        await().until(() -> filesIn(directory()).size() == count && allAreWhole());
        return filesIn(directory()).getLast();
    }

    private boolean allAreWhole() {
        return filesIn(directory()).stream().noneMatch(each -> each.toString().endsWith(".part"));
    }

    private static void assertHas(Path file, String... parts) throws IOException {
        String text = Files.readString(file);
        for (String each : parts) {
            assertTrue(text.contains(each), () -> each + " is not in " + text);
        }
    }

    // ---------------------------------------------------------------- misuse

    @Test
    void misuse_aDirectoryThatCannotBeWrittenIsNamedAtOnce() throws IOException {
        Path file = Files.writeString(temporary.resolve("file"), "");
        Path below = file.resolve("below");
        IllegalArgumentException thrown =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> DumpFiles.open(DumpOptions.into(below)));
        assertTrue(thrown.toString().contains("directory=" + below), thrown::toString);
        assertTrue(thrown.toString().contains("name one"), thrown::toString);
    }

    @Test
    void misuse_aSignalThatIsRefusedIsNamedWithTheRemedy() {
        for (String name : List.of("QUIT", "NOSUCH")) {
            IllegalArgumentException thrown =
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> DumpFiles.open(options().withSignal(name)));
            assertTrue(thrown.toString().contains("signal " + name), thrown::toString);
            assertTrue(thrown.toString().contains("name another one"), thrown::toString);
        }
    }

    @Test
    void misuse_wrongOptionsAreNamed() {
        assertThrows(IllegalArgumentException.class, () -> options().withMaxFiles(0));
        assertThrows(IllegalArgumentException.class, () -> options().withMaxBytes(65_535));
        assertThrows(IllegalArgumentException.class, () -> options().withPause(Duration.ZERO));
        DumpOptions one = options().withSection("shop", () -> "");
        assertThrows(IllegalArgumentException.class, () -> one.withSection("shop", () -> ""));
    }

    @Test
    void afterTheCloseThereIsNoneMore() throws ReflectiveOperationException {
        DumpFiles dumps = DumpFiles.open(options().withSignal(SIGNAL));
        dumps.close();
        dumps.close();
        try (Signals signals = Signals.open(SIGNAL)) {
            RaisedSignal.raise(SIGNAL);
            assertEquals(SIGNAL, signals.await());
        }
        CompletionException thrown =
                assertThrows(CompletionException.class, () -> dumps.write("late").join());
        assertInstanceOf(IllegalStateException.class, thrown.getCause());
        assertEquals(List.of(), filesIn(directory()));
    }

    // ---------------------------------------------------------------- what is in it

    @Test
    void aFileShowsCordsThreadsAndSectionsAndIsItsOwners() throws IOException {
        Event never = Event.shared();
        try (Cord cord = Cord.start("shop");
                DumpFiles dumps =
                        DumpFiles.open(
                                options()
                                        .withSection("till", () -> "full\u001b[2J of money")
                                        .withSection("bad", DumpFilesTest::fails))) {
            Fiber<@Nullable Void> waits = cord.spin("waits", () -> never.await());
            await().until(() -> cord.dump().toString().contains("waits #"));
            Path file = dumps.write("by hand").join();
            assertTrue(file.getFileName().toString().endsWith("-asked.txt"), file::toString);
            assertHas(
                    file,
                    "process: " + ProcessHandle.current().pid(),
                    "reason: by hand",
                    "cord shop: ",
                    "waits #",
                    "== till ==\n\nfull [2J of money",
                    "== bad ==\n\nfailed: java.lang.IllegalStateException: no till",
                    "== threads ==",
                    "ropewalk-ticker #");
            if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                assertEquals(
                        "rw-------",
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            }
            waits.terminate();
        }
    }

    private static String fails() {
        throw new IllegalStateException("no till");
    }

    @Test
    void aSectionThatHangsHoldsNothingUpAndIsNotAskedAgain() throws IOException {
        CountDownLatch goOn = new CountDownLatch(1);
        try (DumpFiles dumps =
                DumpFiles.open(
                        options()
                                .withLimit(Duration.ofMillis(50))
                                .withSection("hangs", () -> hang(goOn)))) {
            assertHas(dumps.write("one").join(), "did not answer within PT0.05S", "== threads ==");
            assertHas(dumps.write("two").join(), "not asked, because it has not answered");
            goOn.countDown();
        }
    }

    private static String hang(CountDownLatch goOn) {
        while (true) {
            try {
                goOn.await();
                return "late";
            } catch (InterruptedException ignored) {
                // It is rude.
            }
        }
    }

    @Test
    void theNewestFilesAreKeptAndThoseOfOthersAreLeftAlone() throws IOException {
        Files.createDirectories(directory());
        Path others = Files.writeString(directory().resolve("notes.txt"), "");
        Path old =
                Files.writeString(
                        directory().resolve("ropewalk-20200101T000000.000Z-1-stuck.txt"), "");
        try (DumpFiles dumps = DumpFiles.open(options().withMaxFiles(2))) {
            Path first = dumps.write("one").join();
            dumps.write("two").join();
            assertTrue(Files.exists(first));
            assertFalse(Files.exists(old));
            dumps.write("three").join();
            assertFalse(Files.exists(first));
        }
        assertTrue(Files.exists(others));
        assertEquals(3, filesIn(directory()).size());
    }

    @Test
    void aFileHasItsSizeAndEachPartSomeRoom() throws IOException {
        String much = "\u20ac".repeat(1 << 20);
        try (DumpFiles dumps =
                DumpFiles.open(options().withMaxBytes(65_536).withSection("much", () -> much))) {
            Path file = dumps.write("size").join();
            assertTrue(Files.size(file) <= 65_536, () -> file.toFile().length() + " bytes");
            assertHas(file, "== cords ==", "== much ==");
        }
        try (DumpFiles dumps =
                DumpFiles.open(
                        options()
                                .withMaxBytes(300_000)
                                .withSection("much", () -> "m".repeat(1 << 20)))) {
            assertHas(dumps.write("size").join(), "which have no room here", "ropewalk-ticker #");
        }
    }

    @Test
    void aDirectoryThatGoesAwayIsMadeAgainAndOneThatCannotBeHarmsNothing() throws IOException {
        try (DumpFiles dumps = DumpFiles.open(options())) {
            Files.delete(directory());
            Path file = dumps.write("again").join();
            Files.delete(file);
            Files.delete(directory());
            Files.writeString(directory(), "a file");
            CompletionException thrown =
                    assertThrows(CompletionException.class, () -> dumps.write("no").join());
            assertInstanceOf(IOException.class, thrown.getCause());
            Files.delete(directory());
            assertTrue(Files.exists(dumps.write("yes").join()));
        }
    }

    // ---------------------------------------------------------------- when

    @Test
    void aSignalWritesOneAndTheProgramsOwnTakerGetsItToo()
            throws IOException, ReflectiveOperationException {
        try (DumpFiles dumps = DumpFiles.open(options().withSignal(SIGNAL));
                Signals own = Signals.open(SIGNAL)) {
            RaisedSignal.raise(SIGNAL);
            assertEquals(SIGNAL, own.await());
            assertHas(next(1), "reason: signal WINCH");
            assertTrue(dumps.toString().contains("dumps into"), dumps::toString);
        }
    }

    @Test
    void F13_aCordThatIsStuckIsDumpedWithAllOthersWhateverItsHandler()
            throws IOException, InterruptedException {
        CountDownLatch goOn = new CountDownLatch(1);
        Object monitor = new Object();
        try (Cord cord =
                        Cord.start(
                                CordOptions.named("stuck one")
                                        .withStuckLimit(Duration.ofMillis(50))
                                        .withStuckHandler(_ -> {}));
                Cord other = Cord.start("other one");
                DumpFiles dumps = DumpFiles.open(options().onAlarm())) {
            Thread holder = Thread.ofPlatform().name("holder").start(() -> hold(monitor, goOn));
            await().until(() -> holder.getState() == Thread.State.WAITING);
            Fiber<@Nullable Void> fiber = cord.spin("blocks", () -> enter(monitor));
            Path file = nextOf(goOn);
            fiber.await();
            holder.join();
            assertHas(
                    file,
                    "reason: cord stuck one has not yielded for",
                    "cord stuck one did not answer",
                    "cord other one: ",
                    cord.stats().stacks() == StackKind.LIGHT
                            ? "held by holder #" // of other kinds the fiber's thread is virtual
                            : "BLOCKED on a monitor");
            assertTrue(file.toString().contains("-stuck"), file::toString);
            assertTrue(other.isAlive());
            assertFalse(dumps.options().maxFiles() == 0);
        }
    }

    private Path nextOf(CountDownLatch goOn) {
        try {
            return next(1);
        } finally {
            goOn.countDown();
        }
    }

    private static void hold(Object monitor, CountDownLatch goOn) {
        synchronized (monitor) {
            hang(goOn);
        }
    }

    private static void enter(Object monitor) {
        synchronized (monitor) {
            assertTrue(Thread.holdsLock(monitor));
        }
    }

    // ---------------------------------------------------------------- the property

    /** A program that knows nothing of dumps, and blocks its cord when it is told a line. */
    static final class Unaware {
        private Unaware() {}

        public static void main(String[] args) {
            Cord.run(
                    CordOptions.named("unaware"),
                    () -> JdkSleep.block(Duration.ofMillis(args.length == 0 ? 2_000 : 10)));
        }
    }

    @Test
    void aProgramThatKnowsNothingOfItGetsThemByTheProperty()
            throws IOException, InterruptedException {
        OtherJvm.Ended ended =
                OtherJvm.run(List.of("-Dropewalk.dumps=" + directory()), Unaware.class);
        assertEquals(0, ended.exit(), ended::output);
        List<Path> files = filesIn(directory());
        assertEquals(1, files.size(), ended::output);
        assertHas(files.getFirst(), "cord unaware", "DumpFilesTest$Unaware");
        assertTrue(ended.output().contains("wrote a dump to " + files.getFirst()), ended::output);
    }

    @Test
    void misuse_aWrongDirectoryOfThePropertyIsToldAndTheProgramRuns()
            throws IOException, InterruptedException {
        Path file = Files.writeString(temporary.resolve("file"), "");
        OtherJvm.Ended ended =
                OtherJvm.run(List.of("-Dropewalk.dumps=" + file), Unaware.class, "short");
        assertEquals(0, ended.exit(), ended::output);
        assertTrue(ended.output().contains("-Dropewalk.dumps=" + file), ended::output);
    }

    /** The signal would end it otherwise. */
    @Test
    void aSignalEndsNoProcessWhoseDirectoryOfThePropertyCannotBeWrittenYet()
            throws IOException, InterruptedException {
        Path file = Files.writeString(temporary.resolve("file"), "");
        OtherJvm.Ended ended =
                OtherJvm.run(List.of("-Dropewalk.dumps=" + file), SignalsItself.class);
        assertEquals(0, ended.exit(), ended::output);
        assertTrue(ended.output().contains("signal USR1"), ended::output);
    }

    /** Its directory is a file at first. */
    static final class SignalsItself {
        private SignalsItself() {}

        public static void main(String[] args) throws IOException {
            Path directory = Path.of(System.getProperty("ropewalk.dumps"));
            Cord.run(CordOptions.named("signals itself"), () -> RaisedSignal.raise("USR1"));
            Files.delete(directory);
            Cord.run(
                    CordOptions.named("again"),
                    () -> {
                        RaisedSignal.raise("USR1");
                        while (!Files.isDirectory(directory) || isEmpty(directory)) {
                            Fiber.sleep(Duration.ofMillis(5));
                        }
                    });
        }

        private static boolean isEmpty(Path directory) throws IOException {
            try (Stream<Path> files = Files.list(directory)) {
                return files.noneMatch(each -> each.toString().endsWith(".txt"));
            }
        }
    }
}
