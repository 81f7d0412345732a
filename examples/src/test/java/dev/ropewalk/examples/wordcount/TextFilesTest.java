package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

@Timeout(60)
class TextFilesTest {
    @TempDir private Path directory;

    private final List<String> problems = new ArrayList<>();

    /** Shows what lies in the directory by its name there. */
    private void report(Problem problem) {
        problems.add(problem.line().replace(directory + "/", "").replace("" + directory, "(dir)"));
    }

    private Path file(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private Path link(String name, String target) {
        Path link = directory.resolve(name);
        try {
            return Files.createSymbolicLink(link, Path.of(target));
        } catch (IOException | UnsupportedOperationException e) {
            assumeTrue(false, "no symbolic links here: " + e);
            return link;
        }
    }

    private List<String> walk(TextFiles files) throws IOException {
        List<String> found = new ArrayList<>();
        for (Source file = files.next(); file != null; file = files.next()) {
            found.add(directory.relativize(file.path()).toString());
        }
        return found;
    }

    private List<String> walkNamed(String... names) throws IOException {
        List<String> paths = new ArrayList<>();
        for (String name : names) {
            paths.add(directory.resolve(name).toString());
        }
        return walk(TextFiles.named(paths, this::report));
    }

    private List<String> walkOwn() throws IOException {
        return walk(TextFiles.ownFiles(directory.toString(), this::report));
    }

    @Test
    void aMissingPathIsReportedAndTheRestFound() throws IOException {
        file("a", "x");
        file("c", "x");
        assertEquals(List.of("a", "c"), walkNamed("a", "b", "c"));
        assertEquals(List.of("wordcount: b: no such file or directory"), problems);
    }

    @Test
    void anImpossiblePathIsReported() throws IOException {
        TextFiles files = TextFiles.named(List.of("a\u0000b"), this::report);
        assertEquals(List.of(), walk(files));
        assertEquals(1, problems.size());
        assertTrue(
                problems.getFirst().startsWith("wordcount: a\\u0000b: not a possible path here: "),
                problems.getFirst());
    }

    @Test
    void anEmptyDirectoryIsReported() throws IOException {
        Files.createDirectories(directory.resolve("empty/emptier"));
        file("full/deep/a", "x");
        assertEquals(List.of("full/deep/a"), walkNamed("empty", "full"));
        assertEquals(List.of("wordcount: empty: no files"), problems);
    }

    @Test
    void aDirectoryThatMayNotBeReadIsReported() throws IOException {
        file("a/1", "x");
        file("b/1", "x");
        TextFiles files =
                new TextFiles(
                        List.of(directory.toString()),
                        false,
                        this::report,
                        path -> {
                            if (path.endsWith("a")) {
                                throw new AccessDeniedException(path.toString());
                            }
                            try (var names = Files.list(path)) {
                                return names.sorted().toList();
                            }
                        });
        assertEquals(List.of("b/1"), walk(files));
        assertEquals(List.of("wordcount: a: permission denied"), problems);
    }

    @Test
    void aDirectoryThatMayReallyNotBeReadIsReported() throws IOException {
        file("a/1", "x");
        Path a = directory.resolve("a");
        assumeTrue(Files.getFileStore(a).supportsFileAttributeView("posix"), "no permissions");
        Files.setPosixFilePermissions(a, Set.of());
        try {
            assumeFalse(Files.isReadable(a), "this user may read everything");
            assertEquals(List.of(), walkNamed("a"));
            assertEquals(List.of("wordcount: a: permission denied"), problems);
        } finally {
            Files.setPosixFilePermissions(a, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void aDirectoryThatContainsItselfIsEnteredOnce() throws IOException {
        file("a/b/1", "x");
        link("a/b/up", "..");
        link("a/self", ".");
        assertEquals(List.of("a/b/1"), walkNamed("a"));
        assertEquals(
                List.of(
                        "wordcount: a/b/up: symlink loop back to a, skipped",
                        "wordcount: a/self: symlink loop back to a, skipped"),
                problems.stream()
                        .map(p -> p.replace("back to " + directory + "/", "back to "))
                        .toList());
    }

    @Test
    void linksThatLeadToEachOtherAreReported() throws IOException {
        link("a", "b");
        link("b", "a");
        link("self", "self");
        file("z", "x");
        assertEquals(List.of("z"), walkNamed(""));
        assertEquals(
                List.of(
                        "wordcount: a: symlink to b: a symlink loop, skipped",
                        "wordcount: b: symlink to a: a symlink loop, skipped",
                        "wordcount: self: symlink to self: a symlink loop, skipped"),
                problems);
    }

    @Test
    void aLinkToNothingIsReported() throws IOException {
        link("a", "nowhere");
        assertEquals(List.of(), walkNamed("a"));
        assertEquals(List.of("wordcount: a: symlink to nowhere, which does not exist"), problems);
    }

    @Test
    void linksAreFollowed() throws IOException {
        file("real/1", "x");
        file("walked/2", "x");
        link("walked/directory", "../real");
        link("walked/file", "2");
        assertEquals(List.of("walked/2", "walked/directory/1", "walked/file"), walkNamed("walked"));
        assertEquals(List.of(), problems);
    }

    @Test
    void aPipeInADirectoryIsReportedAndNotOpened() throws IOException, InterruptedException {
        Tools.pipe(directory.resolve("pipe"));
        file("z", "x");
        assertEquals(List.of("z"), walkNamed(""));
        assertEquals(
                List.of(
                        "wordcount: pipe: neither a file nor a directory but a device, pipe or"
                                + " socket, skipped"),
                problems);
    }

    @Test
    void aPipeThatIsNamedIsGivenOnce() throws IOException, InterruptedException {
        Path pipe = Tools.pipe(directory.resolve("pipe"));
        Path same = link("same", "pipe");
        TextFiles files =
                TextFiles.named(List.of(pipe.toString(), "-", same.toString(), "-"), this::report);
        assertEquals(Source.stream(pipe), files.next());
        assertEquals(Source.stdin(), files.next());
        assertEquals(null, files.next());
        assertEquals(
                List.of(
                        "wordcount: same: named again, but a pipe or device can be read only once",
                        "wordcount: -: named again, but a pipe or device can be read only once"),
                problems);
    }

    @Test
    void aFileNamedLikeTheStandardInputIsFoundInItsDirectory() throws IOException {
        file("-", "x");
        assertEquals(List.of("-"), walkNamed(""));
        assertEquals(List.of("-"), walkNamed("-"));
    }

    @Test
    void filesComeInBatchesOfAboutAChunk() throws IOException, InterruptedException {
        file("a/large", "x".repeat(ChunkReader.CHUNK_BYTES));
        for (int i = 0; i < 600; i++) {
            file("b/" + (1000 + i), "x");
        }
        file("c/1", "x".repeat(ChunkReader.CHUNK_BYTES - 1));
        file("c/2", "x");
        file("c/3", "x");
        Tools.pipe(directory.resolve("pipe"));
        List<String> roots =
                List.of("a", "b", "c", "pipe", "c/3", "c/1").stream()
                        .map(name -> directory.resolve(name).toString())
                        .toList();
        TextFiles files = TextFiles.named(roots, this::report);
        List<Integer> sizes = new ArrayList<>();
        for (List<Source> batch = files.nextBatch(); !batch.isEmpty(); batch = files.nextBatch()) {
            sizes.add(batch.size());
        }
        // The last of b and the first of c; the rest of c; the pipe; what is named behind it.
        assertEquals(List.of(1, 256, 256, 89, 2, 1, 2), sizes);
        assertEquals(List.of(), problems);
    }

    @Test
    void anInterruptEndsTheSearch() throws IOException {
        file("a", "x");
        TextFiles files = TextFiles.named(List.of(directory.toString()), this::report);
        Thread.currentThread().interrupt();
        InterruptedIOException e = assertThrows(InterruptedIOException.class, files::next);
        assertTrue(Thread.interrupted(), "the thread stays interrupted");
        assertEquals("interrupted while looking for files", e.getMessage());
        assertEquals(List.of("a"), walk(files));
    }

    @Test
    void theOrderIsThatOfTheNames() throws IOException {
        for (String name : new String[] {"b/2", "b/10", "a.txt", "a/z", "C", "b/1/x", "b.txt"}) {
            file(name, "x");
        }
        assertEquals(List.of("C", "a/z", "a.txt", "b/1/x", "b/10", "b/2", "b.txt"), walkNamed(""));
        assertEquals(
                List.of("b.txt", "a/z", "b.txt"),
                walkNamed("b.txt", "a", "b.txt"),
                "what is named comes in the order it is named, as often as it is named");
    }

    @Test
    void namedDirectoriesAreCompleteWhateverTheNamesIn() throws IOException {
        file(".hidden", "x");
        file(".git/1", "x");
        file("target/1", "x");
        file("binary", "\u0000");
        assertEquals(List.of(".git/1", ".hidden", "binary", "target/1"), walkNamed(""));
    }

    @Test
    void ownFilesAreTextThatIsNeitherHiddenNorMade() throws IOException {
        file("README", "x");
        file(".hidden", "x");
        file(".git/1", "x");
        file("module/target/1", "x");
        file("module/src/target.txt", "x");
        file("other/target", "a file of that name");
        file("picture", "\u0089PNG\u0000");
        file("empty", "");
        assertEquals(
                List.of("README", "empty", "module/src/target.txt", "other/target"), walkOwn());
        assertEquals(List.of(), problems);
    }

    @Test
    void ownFilesOfADirectoryWithoutAnyAreReported() throws IOException {
        file(".git/1", "x");
        assertEquals(List.of(), walkOwn());
        assertEquals(List.of("wordcount: (dir): no text files"), problems);
    }

    @Test
    void theWorkingDirectoryGivesRelativePaths() throws IOException {
        TextFiles files = TextFiles.ownFiles("", this::report);
        Source source =
                Objects.requireNonNull(files.next(), "no text file in the working directory");
        Path first = source.path();
        assertFalse(first.isAbsolute(), "first=" + first);
        assertFalse(first.startsWith("."), "first=" + first);
        assertTrue(Files.isRegularFile(first), "first=" + first);
    }
}
