package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The program in a JVM of its own, as its user starts it; what it prints goes to files. */
final class Program implements AutoCloseable {
    private static final long LIMIT_SECONDS = 100;

    private final Process process;
    private final Path out;
    private final Path err;

    private Program(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /**
     * Starts it in its working directory.
     *
     * @param scratch where to keep what it prints
     * @param flags for the JVM, beyond those that Ropewalk needs
     */
    static Program start(Path directory, Path scratch, List<String> flags, List<String> arguments)
            throws IOException {
        return start(directory, scratch, Map.of(), flags, arguments);
    }

    static Program start(
            Path directory,
            Path scratch,
            Map<String, String> environment,
            List<String> flags,
            List<String> arguments)
            throws IOException {
        return start(directory, scratch, environment, command(flags, arguments));
    }

    /**
     * Runs a script, in which {@code "$@"} is the program with its arguments, to its end.
     *
     * @param scratch where to keep what it prints
     */
    static Ran script(Path directory, Path scratch, String script, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        command.addAll(command(List.of(), List.of(arguments)));
        try (Program program = start(directory, scratch, Map.of(), command)) {
            return program.awaitEnd();
        }
    }

    private static List<String> command(List<String> flags, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@" + root().resolve("ropewalk.args"));
        command.addAll(flags);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(Main.class.getName());
        command.addAll(arguments);
        return command;
    }

    private static Program start(
            Path directory, Path scratch, Map<String, String> environment, List<String> command)
            throws IOException {
        Path out = Files.createTempFile(scratch, "out", "");
        Path err = Files.createTempFile(scratch, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command);
        // Else the JVM says on stderr that it has picked them up.
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().remove("JDK_JAVA_OPTIONS");
        builder.environment().putAll(environment);
        Process process =
                builder.directory(directory.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        process.getOutputStream().close();
        return new Program(process, out, err);
    }

    /** Runs it to its end. */
    static Ran run(Path directory, Path scratch, List<String> flags, List<String> arguments)
            throws IOException, InterruptedException {
        try (Program program = start(directory, scratch, flags, arguments)) {
            return program.awaitEnd();
        }
    }

    /** The root of the repository. */
    static Path root() {
        @Nullable String file = System.getProperty("ropewalk.args.file");
        Path start = Path.of(file == null ? "" : file).toAbsolutePath();
        for (Path at = start; at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("ropewalk.args"))) {
                return at;
            }
        }
        throw new IllegalStateException(
                "no ropewalk.args above " + start + "; run the tests in the repository");
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    boolean endsWithin(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    Ran awaitEnd() throws IOException, InterruptedException {
        assertTrue(
                process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS),
                () -> "runs for more than " + LIMIT_SECONDS + " s; " + process.info());
        return new Ran(process.exitValue(), text(out), text(err));
    }

    /** Strict: what is not UTF-8 fails. */
    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
