package dev.ropewalk.examples.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The README keeps its word: its programs are whole, compile without a warning, and print what it
 * says; its flags are those of the argument file.
 */
@Timeout(120)
class ReadmeTest {
    private static final Path README = Path.of("../README.md");
    private static final long LIMIT_S = 60;

    /** A program, and the next block of text, which is what it prints. */
    private static final Pattern PROGRAM =
            Pattern.compile(
                    "<!-- program: (\\w+) -->\\n```java\\n(.*?)```.*?```text\\n(.*?)```",
                    Pattern.DOTALL);

    record Example(String name, String source, String output) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Example> examples() throws IOException {
        Matcher found = PROGRAM.matcher(Files.readString(README));
        List<Example> all = new ArrayList<>();
        while (found.find()) {
            all.add(new Example(found.group(1), found.group(2), found.group(3)));
        }
        return all.stream();
    }

    @Test
    void allProgramsAreThere() throws IOException {
        assertEquals(
                List.of("Bank", "Branch", "Squares", "Clerk", "Echo"),
                examples().map(Example::name).toList());
    }

    @ParameterizedTest
    @MethodSource("examples")
    void programPrintsWhatTheReadmeSays(Example example, @TempDir Path directory)
            throws IOException, InterruptedException {
        Path source = directory.resolve(example.name() + ".java");
        Files.writeString(source, example.source());
        assertEquals("", compiled(source, directory));

        Path out = directory.resolve("out.txt");
        Path err = directory.resolve("err.txt");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "@" + System.getProperty("ropewalk.args.file"),
                                "-cp",
                                directory + ":" + System.getProperty("java.class.path"),
                                example.name())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        try {
            assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), "it did not end");
            assertEquals(example.output(), Files.readString(out), () -> read(err));
            assertEquals(0, process.exitValue(), () -> read(err));
        } finally {
            process.destroyForcibly();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** What the compiler says, with all its warnings. */
    private static String compiled(Path source, Path directory) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean isDone =
                    compiler.getTask(
                                    said,
                                    files,
                                    null,
                                    List.of(
                                            "-Xlint:all,-processing,-path",
                                            "-proc:none",
                                            "-d",
                                            directory.toString()),
                                    null,
                                    files.getJavaFileObjects(source))
                            .call();
            return isDone ? said.toString() : "it does not compile: " + said;
        }
    }

    /** For those who copy them from there. */
    @Test
    void flagsAreThoseOfTheArgumentFile() throws IOException {
        String flags =
                String.join(
                        " ", Files.readAllLines(Path.of(System.getProperty("ropewalk.args.file"))));
        String text = Files.readString(README);
        assertTrue(text.contains("<ropewalk.flags>" + flags + "</ropewalk.flags>"), flags);
    }
}
