package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The command that defines what a word is, and how one finds a repository's own text files. */
final class Tools {
    /** As --help says it: no hidden names, no directory named target. Links are followed. */
    private static final String FIND =
            "find -L . -name '.?*' -prune -o -type d -name target -prune -o -type f -print";

    private Tools() {}

    /** Skips the test where there is no shell with these tools. */
    static void assume(Path scratch) throws InterruptedException {
        for (String tool : List.of("cat", "tr", "grep", "sort", "uniq", "find")) {
            try {
                run(scratch, scratch, "command -v " + tool, List.of());
            } catch (IOException | AssertionError e) {
                assumeTrue(false, "no sh with " + tool + ": " + e);
            }
        }
    }

    /** Counts with the tools; a word's bytes are read as UTF-8. */
    static Map<String, Long> count(Path directory, Path scratch, List<String> files)
            throws IOException, InterruptedException {
        Map<String, Long> counts = new TreeMap<>();
        for (String line : run(directory, scratch, SameAsToolsTest.COMMAND, files)) {
            String trimmed = line.stripLeading();
            int space = trimmed.indexOf(' ');
            long count = Long.parseLong(trimmed.substring(0, space));
            counts.merge(trimmed.substring(space + 1), count, Long::sum);
        }
        return counts;
    }

    /** The text files that the program counts when none is named. */
    static List<String> ownFiles(Path directory, Path scratch)
            throws IOException, InterruptedException {
        return run(directory, scratch, FIND, List.of()).stream()
                .filter(name -> isText(directory.resolve(name)))
                .sorted()
                .toList();
    }

    /** Makes a pipe with a name. */
    static Path pipe(Path path) throws InterruptedException {
        try {
            Process made = new ProcessBuilder("mkfifo", path.toString()).start();
            assumeTrue(made.waitFor(10, TimeUnit.SECONDS) && made.exitValue() == 0, "no mkfifo");
        } catch (IOException e) {
            assumeTrue(false, "no mkfifo: " + e);
        }
        return path;
    }

    /** Sends a signal, by its name without SIG. */
    static void signal(Path scratch, String name, long pid)
            throws IOException, InterruptedException {
        run(scratch, scratch, "kill -" + name + " " + pid, List.of());
    }

    private static boolean isText(Path file) {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(8 * 1024), StandardCharsets.ISO_8859_1).indexOf('\0')
                    < 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> run(
            Path directory, Path scratch, String command, List<String> arguments)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(scratch, "tools", "");
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command, "sh");
        builder.command().addAll(arguments);
        Process process =
                builder.directory(directory.toFile())
                        .redirectOutput(output.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            assertTrue(process.waitFor(100, TimeUnit.SECONDS), () -> "takes too long: " + command);
        } finally {
            process.destroy();
        }
        assertEquals(0, process.exitValue(), command);
        return Files.readAllLines(output, StandardCharsets.UTF_8);
    }
}
