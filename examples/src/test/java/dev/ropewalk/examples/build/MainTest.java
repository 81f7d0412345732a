package dev.ropewalk.examples.build;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.examples.cli.Output;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs of the program in this JVM, with a real shell. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class MainTest {
    @TempDir private Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String tasks, String... arguments) throws IOException {
        return run(new Output(out, UTF_8), tasks, arguments);
    }

    private int run(Output to, String tasks, String... arguments) throws IOException {
        Path file = Files.writeString(directory.resolve("build.tasks"), tasks);
        List<String> all = new ArrayList<>(List.of("--file", file.toString()));
        all.addAll(List.of(arguments));
        return Main.run(all, to, new PrintStream(err, true, UTF_8));
    }

    private String printed() {
        return out.toString(UTF_8);
    }

    private String said() {
        return err.toString(UTF_8).replace(directory + "/", "");
    }

    @Test
    void allIsBuiltOnSeveralCordsAndNothingIsSaidOnStderr() throws IOException {
        assertEquals(0, run("c: a, b\n  cat a b\na:\n  echo A > a\nb:\n  echo B > b\n"));
        assertEquals("", said());
        assertTrue(printed().endsWith("[3/3] c\nc| A\nc| B\nbuild: 3 of 3 built\n"), printed());
    }

    @Test
    void aFailureInTheMiddleIsStatusOne() throws IOException {
        String tasks = "a:\n  true\n  exit 4\n  touch behind\nb: a\nc:\n  echo C\n";
        assertEquals(1, run(tasks, "--jobs=1", "--keep-going"));
        assertEquals(
                """
                [1/3] a
                a failed: exit code 4 of exit 4
                b is not built: it needs a, which failed
                [2/3] c
                c| C
                build: 1 of 3 built
                failed: a
                not built: b
                """,
                printed());
        assertFalse(Files.exists(directory.resolve("behind")));
    }

    @Test
    void badFilesAndOptionsAreStatusTwoAndOneLine() throws IOException {
        assertEquals(Main.BAD_FILE, run("a: b\nb: a\n"));
        assertEquals(
                "build: build.tasks:1: these tasks need each other in a circle: a -> b -> a; take"
                        + " one of these needs away\n",
                said());
        err.reset();
        assertEquals(Main.BAD_FILE, run("a:\n", "--jobs=0"));
        assertTrue(said().startsWith("build: --jobs 0 is not a whole number"), said());
        err.reset();
        assertEquals(Main.BAD_FILE, run("a:\n", "--file=" + directory.resolve("none")));
        assertTrue(said().startsWith("build: none cannot be read: "), said());
        err.reset();
        assertEquals(Main.BAD_FILE, run("a:\n", "--progress=perhaps"));
        assertTrue(said().startsWith("build: --progress perhaps is not auto"), said());
        assertEquals("", printed());
    }

    @Test
    void aFileWithBytesThatAreNoTextIsSaidInOneLine() throws IOException {
        Path file = Files.write(directory.resolve("bytes"), new byte[] {(byte) 0xff, '\n'});
        assertEquals(Main.BAD_FILE, run("a:\n", "--file=" + file));
        assertTrue(said().startsWith("build: bytes cannot be read: "), said());
    }

    @Test
    void helpAndAnEmptyFile() throws IOException {
        assertEquals(0, run("", "--help"));
        assertEquals(Options.USAGE, printed());
        out.reset();
        assertEquals(0, run("# nothing\n"));
        assertEquals("build: 0 of 0 built\n", printed());
    }

    @Test
    void aMillionLinesAreCutAtTheLimitWhichIsSaid() throws IOException {
        String tasks = "a:\n  yes | head -n 1000000\nb: a\n  echo B\n";
        assertEquals(0, run(tasks, "--output-limit=20"));
        assertEquals(
                "[1/2] a\n"
                        + "a| y\n".repeat(10)
                        + "a: 999990 more lines of output were cut; --output-limit keeps more\n"
                        + "[2/2] b\nb| B\nbuild: 2 of 2 built\n",
                printed());
    }

    @Test
    void jsonIsOnStdoutAndTextOnStderr() throws IOException {
        assertEquals(1, run("a:\n  echo A\n  false\n", "--json"));
        assertEquals(
                """
                {"event":"started","task":"a"}
                {"event":"output","task":"a","line":"A"}
                {"event":"failed","task":"a","ms":0,"cutLines":0,"command":"false","why":"exit code 1"}
                {"event":"ended","built":[],"failed":["a"],"skipped":[],"interrupted":false}
                """,
                printed().replaceAll("\"ms\":\\d+", "\"ms\":0"));
        assertEquals(
                "[1/1] a\na| A\na failed: exit code 1 of false\nbuild: 0 of 1 built\nfailed: a\n",
                said());
    }

    @Test
    void theProgressLineIsThereWhenAskedForAndGoneAtTheEnd() throws IOException {
        String waitForATick = "a:\n  sleep 1\n";
        assertEquals(0, run(waitForATick, "--progress=always"));
        assertEquals(
                "[1/1] a\n0/1 done, running: a<build: 1 of 1 built\n",
                printed().replace(Screen.ERASE, "<"));
        out.reset();
        assertEquals(0, run("a:\n", "--progress=auto"));
        assertEquals("[1/1] a\nbuild: 1 of 1 built\n", printed());
    }

    @Test
    void aScratchDirectoryIsEmptyForEachTaskAndGoneAtTheEnd() throws IOException {
        String tasks = "a:\n  echo $SCRATCH; mkdir $SCRATCH/x; touch $SCRATCH/x/y\nb: a\n";
        assertEquals(0, run(tasks + "  ls $SCRATCH; echo $SCRATCH; touch $SCRATCH/z\n"));
        List<String> lines = printed().lines().toList();
        assertEquals(5, lines.size(), printed());
        String lent = lines.get(1).substring(3);
        assertEquals("b| " + lent, lines.get(3), "it is not the same directory");
        assertFalse(Files.exists(Path.of(lent)));
    }

    @Test
    void aTaskMayDeleteOrReplaceItsScratchDirectory() throws IOException {
        String replaced = "a:\n  rm -r $SCRATCH; touch $SCRATCH\nb: a\n  ls $SCRATCH\n";
        assertEquals(0, run(replaced + "c: b\n  rmdir $SCRATCH\nd: c\n  rmdir $SCRATCH\n"));
        assertEquals("[1/4] a\n[2/4] b\n[3/4] c\n[4/4] d\nbuild: 4 of 4 built\n", printed());
        assertEquals("", said());
    }

    @Test
    void aReaderThatIsGoneDoesNotEndTheBuild() throws IOException {
        OutputStream full =
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                };
        String tasks = "a:\n  echo A\nb: a\n  touch built\n";
        assertEquals(Main.OUTPUT_FAILED, run(new Output(full, UTF_8), tasks));
        assertTrue(Files.exists(directory.resolve("built")));
        assertEquals(
                "build: the output cannot be written: java.io.IOException: Broken pipe\n", said());
    }

    /** What stands in the page in a block of the kind. */
    private static String block(String kind) throws IOException {
        String page = Files.readString(Path.of("../docs/build.md"));
        String begin = "```" + kind + "\n";
        int from = page.indexOf(begin) + begin.length();
        return page.substring(from, page.indexOf("```", from));
    }

    @Test
    void thePageShowsAFileAndWhatComesOfIt() throws IOException {
        assertEquals(1, run(block("build"), "--jobs=1"));
        assertEquals(block("text"), printed());
        out.reset();
        assertEquals(0, run(block("build"), "--json", "cover"));
        String anyTime = "\"ms\":\\d+";
        assertEquals(block("json").replaceAll(anyTime, "ms"), printed().replaceAll(anyTime, "ms"));
    }

    @Test
    void noThreadIsLeftBehind() throws IOException {
        assertEquals(0, run("a:\n  true\nb:\n  true\n", "--jobs=2"));
        await().atMost(Duration.ofSeconds(30))
                .until(
                        () ->
                                Thread.getAllStackTraces().keySet().stream()
                                        .map(Thread::getName)
                                        .noneMatch(
                                                name ->
                                                        name.startsWith("tasks")
                                                                || name.startsWith("output of ")));
    }
}
