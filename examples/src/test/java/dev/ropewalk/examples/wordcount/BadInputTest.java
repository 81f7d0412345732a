package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Each bad input is one line on stderr with path and reason; the rest is counted. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class BadInputTest {
    @TempDir private Path directory;
    @TempDir private Path scratch;

    @BeforeEach
    void writeWhatIsCounted() throws IOException {
        write("good", "good");
        write("last", "good last");
    }

    private Path write(String name, String latin1) throws IOException {
        return Files.write(directory.resolve(name), TestText.bytes(latin1));
    }

    private void link(String name, String target) {
        try {
            Files.createSymbolicLink(directory.resolve(name), Path.of(target));
        } catch (IOException | UnsupportedOperationException e) {
            assumeTrue(false, "no symbolic links here: " + e);
        }
    }

    private Ran count(String name) {
        return Ran.here(
                "--json",
                directory.resolve("good").toString(),
                directory.resolve(name).toString(),
                directory.resolve("last").toString());
    }

    /** Counts it between the good ones, which are 2 files with 3 words. */
    private void assertOneLine(String name, String reason, String... words) {
        Ran ran = count(name);
        String path = directory.resolve(name).toString();
        assertEquals(List.of("wordcount: " + path + ": " + reason), ran.problems());
        Map<String, Long> expected = new TreeMap<>(Map.of("good", 2L, "last", 1L));
        Arrays.stream(words).forEach(word -> expected.merge(word, 1L, Long::sum));
        assertEquals(expected, ran.counted().top());
        assertEquals(words.length == 0 ? 2 : 3, ran.counted().files());
        assertEquals(1, ran.counted().problems());
        assertEquals(1, ran.status());
    }

    @Test
    void aMissingPath() {
        assertOneLine("missing", "no such file or directory");
    }

    @Test
    void aNameThatIsNoLine() {
        Ran ran = count("line\nend\u001b[2J");
        assertEquals(
                List.of(
                        "wordcount: "
                                + directory
                                + "/line\\u000aend\\u001b[2J: no such file or directory"),
                ran.problems());
        assertEquals(1, ran.status());
    }

    @Test
    void anEmptyNameIsNotTheWorkingDirectory() {
        Ran ran = Ran.here("--json", "", directory.resolve("good").toString());
        assertEquals(
                List.of("wordcount: \"\": an empty name; the working directory is ."),
                ran.problems());
        assertEquals(Map.of("good", 1L), ran.counted().top());
        assertEquals(1, ran.status());
    }

    @Test
    void anUnreadableFile() throws IOException {
        Path file = write("secret", "secret");
        assumeTrue(Files.getFileStore(file).supportsFileAttributeView("posix"), "no permissions");
        Files.setPosixFilePermissions(file, Set.of());
        assumeFalse(Files.isReadable(file), "this user may read everything");
        assertOneLine("secret", "permission denied");
    }

    @Test
    void anUnreadableDirectory() throws IOException {
        Path closed = Files.createDirectory(directory.resolve("closed"));
        assumeTrue(Files.getFileStore(closed).supportsFileAttributeView("posix"), "no permissions");
        Files.setPosixFilePermissions(closed, Set.of());
        try {
            assumeFalse(Files.isReadable(closed), "this user may read everything");
            assertOneLine("closed", "permission denied");
        } finally {
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        }
    }

    /** As it goes with a bad disk; no user may read this file at its start. */
    @Test
    void aFileWhoseReadingFails() {
        Path memory = Path.of("/proc/self/mem");
        assumeTrue(Files.isReadable(memory), "no " + memory);
        Ran ran = Ran.here("--json", memory.toString(), directory.resolve("good").toString());
        assertEquals(
                List.of(
                        "wordcount: /proc/self/mem: reading failed at byte offset 0, the rest is"
                                + " not counted: Input/output error"),
                ran.problems());
        assertEquals(Map.of("good", 1L), ran.counted().top());
        assertEquals(1, ran.counted().files());
        assertEquals(0, ran.counted().partial());
        assertEquals(1, ran.status());
    }

    @Test
    void aBinaryFile() throws IOException {
        write("binary", "GIF \u0000\u0001 \u00ff");
        assertOneLine("binary", "binary file (NUL byte at offset 4), skipped");
    }

    @Test
    void malformedUtf8() throws IOException {
        write("malformed", "one \u00ff\u00fe two \u00c3");
        Ran ran = count("malformed");
        assertEquals(
                List.of(
                        "wordcount: "
                                + directory.resolve("malformed")
                                + ": malformed UTF-8 at byte offset 4, counted as it is"),
                ran.problems());
        assertEquals(
                Map.of(
                        "good",
                        2L,
                        "last",
                        1L,
                        "one",
                        1L,
                        "two",
                        1L,
                        "\ufffd\ufffd",
                        1L,
                        "\ufffd",
                        1L),
                ran.counted().top());
        assertEquals(3, ran.counted().files());
        assertEquals(0, ran.counted().problems());
        assertEquals(1, ran.counted().warnings());
        assertEquals(0, ran.status());
    }

    @Test
    void symlinkLoops() throws IOException {
        link("self", "self");
        assertOneLine("self", "symlink to self: a symlink loop, skipped");
        Path circle = Files.createDirectories(directory.resolve("circle/inner"));
        link("circle/inner/up", "..");
        write("circle/inner/text", "round");
        Ran ran = count("circle");
        assertEquals(
                List.of(
                        "wordcount: "
                                + circle.resolve("up")
                                + ": symlink loop back to "
                                + directory.resolve("circle")
                                + ", skipped"),
                ran.problems());
        assertEquals(Map.of("good", 2L, "last", 1L, "round", 1L), ran.counted().top());
        assertEquals(1, ran.status());
    }

    @Test
    void anEmptyDirectory() throws IOException {
        Files.createDirectory(directory.resolve("empty"));
        assertOneLine("empty", "no files");
    }

    @Test
    void aDeviceWithoutText() {
        Path device = Path.of("/dev/zero");
        assumeTrue(Files.exists(device), "no " + device);
        Ran ran = Ran.here("--json", device.toString());
        assertEquals(
                List.of("wordcount: /dev/zero: binary file (NUL byte at offset 0), skipped"),
                ran.problems());
        assertEquals(1, ran.status());
    }

    @Test
    void aWordOfMoreThanOneMebibyte() throws IOException {
        String longest = "w".repeat(ChunkReader.MAX_WORD);
        write("long", "before " + longest + "x after");
        assertOneLine(
                "long",
                "word of 1048577 bytes at byte offset 7 is longer than 1048576 bytes, skipped",
                "before",
                "after");
        write("longest", "before " + longest + " after");
        assertEquals(1L, count("longest").allCounted().top().get(longest));
    }

    /** All at once, as a user sees it. */
    @Test
    void inAJvmOfItsOwnNothingElseIsOnStderr() throws IOException, InterruptedException {
        write("binary", "\u0000");
        write("malformed", "\u00ff");
        write("long", "w".repeat(ChunkReader.MAX_WORD + 1) + " after");
        link("nowhere", "missing");
        Files.createDirectory(directory.resolve("empty"));
        List<String> names =
                List.of(
                        "missing",
                        "binary",
                        "good",
                        "malformed",
                        "long",
                        "nowhere",
                        "empty",
                        "last");
        for (String chaos : List.of("0", "0.9")) {
            Ran ran =
                    Program.run(
                            directory,
                            scratch,
                            List.of(),
                            Ran.wholeTable(List.of("--chaos", chaos), names));
            // Files are read side by side, so the order of the lines is not given.
            assertEquals(
                    List.of(
                            "wordcount: binary: binary file (NUL byte at offset 0), skipped",
                            "wordcount: empty: no files",
                            "wordcount: long: word of 1048577 bytes at byte offset 0 is longer than"
                                    + " 1048576 bytes, skipped",
                            "wordcount: malformed: malformed UTF-8 at byte offset 0, counted as it"
                                    + " is",
                            "wordcount: missing: no such file or directory",
                            "wordcount: nowhere: symlink to missing, which does not exist"),
                    ran.problems().stream().sorted().toList());
            assertEquals(
                    Map.of("good", 2L, "last", 1L, "after", 1L, "\ufffd", 1L), ran.counted().top());
            assertEquals(5, ran.counted().problems());
            assertEquals(1, ran.counted().warnings());
            assertEquals(4, ran.counted().files());
            assertTrue(chaos.equals("0") == (ran.counted().restarts() == 0), ran.out());
            assertEquals(1, ran.status());
        }
    }

    @Test
    void aBadOptionInAJvmOfItsOwn() throws IOException, InterruptedException {
        Ran ran = Program.run(directory, scratch, List.of(), List.of("--nonsense", "good"));
        assertEquals(1, ran.problems().size(), ran.err());
        assertTrue(ran.err().startsWith("wordcount: --nonsense is not an option; "), ran.err());
        assertEquals("", ran.out());
        assertEquals(2, ran.status());
    }
}
