package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.Cord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Rule C5: the standard input as a source, of a process of its own. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StdinTest {
    @TempDir private Path directory;

    /** Prints its lines; the argument says how many, and whether those that are no UTF-8 too. */
    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
        long most = Long.parseLong(arguments[0]);
        Pipeline<String> lines =
                arguments.length == 1
                        ? Pipeline.stdin()
                        : Pipeline.stdin(n -> out.println("line " + n + " is no UTF-8"));
        Cord.run(
                () -> {
                    try {
                        lines.buffer(1).take(most).forEach("print", out::println).run();
                    } catch (PipelineFailedException failed) {
                        out.println(failed.getCause());
                    }
                });
        out.println("end");
    }

    private static ProcessBuilder program(String... arguments) {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "@" + System.getProperty("ropewalk.args.file"),
                                "-Xmx64m",
                                "-XX:-UsePerfData",
                                "-cp",
                                System.getProperty("java.class.path"),
                                StdinTest.class.getName()));
        words.addAll(List.of(arguments));
        return new ProcessBuilder(words).redirectErrorStream(true);
    }

    private static String result(Process of) throws IOException {
        try (InputStream in = of.getInputStream()) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    @Test
    void C5_linesOfAFile() throws IOException {
        Path input = Files.writeString(directory.resolve("in"), "one\ntwo\r\nthree");
        Process process = program("10").redirectInput(input.toFile()).start();
        assertEquals("one\ntwo\nthree\nend\n", result(process));
    }

    @Test
    void C5_linesComeAsTheyAreWritten() throws IOException {
        Process process = program("10").start();
        try (InputStream out = process.getInputStream()) {
            try (OutputStream in = process.getOutputStream()) {
                for (String line : List.of("one\n", "two\n")) {
                    in.write(line.getBytes(UTF_8));
                    in.flush();
                    assertEquals(line, new String(out.readNBytes(line.length()), UTF_8));
                }
            }
            assertEquals("end\n", new String(out.readAllBytes(), UTF_8));
        }
    }

    /** Its next read has begun, and keeps neither the run nor the program from ending. */
    @Test
    void C5_aRunEndsWhileTheInputIsSilent() throws IOException, InterruptedException {
        Process process = program("1").start();
        try (OutputStream in = process.getOutputStream()) {
            in.write("one\n".getBytes(UTF_8));
            in.flush();
            assertTrue(process.waitFor(30, TimeUnit.SECONDS), "it waits for more");
            assertEquals("one\nend\n", result(process));
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void C5_aLineThatIsNoUtf8() throws IOException {
        Path input = directory.resolve("in");
        Files.write(input, new byte[] {'a', '\n', (byte) 0xFF, '\n', 'b', '\n'});
        String strict = result(program("10").redirectInput(input.toFile()).start());
        assertTrue(strict.contains("line 2 of the standard input"), strict);
        assertTrue(strict.contains("stdin(malformed)"), strict);
        assertEquals(
                "line 2 is no UTF-8\na\n\uFFFD\nb\nend\n",
                result(program("10", "lenient").redirectInput(input.toFile()).start()));
    }

    /** No input at all, and one that is nothing to read from. */
    @Test
    void C5_noInput() throws IOException {
        assertEquals(
                "end\n",
                result(
                        program("10")
                                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                                .start()));
    }
}
