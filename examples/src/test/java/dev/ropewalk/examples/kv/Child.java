package dev.ropewalk.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import redis.clients.jedis.Jedis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The program in a process of its own, to be killed. */
final class Child implements AutoCloseable {
    private static final int CLIENT_LIMIT_MS = 30_000;
    private final Process process;
    private final Path errors;
    private final int port;

    Child(Path folder, String... options) throws IOException {
        this(List.of(), folder, options);
    }

    /** Behind the words of a shell, to limit it. */
    Child(List<String> before, Path folder, String... options) throws IOException {
        errors = folder.resolve("errors");
        List<String> words = words(before, folder, options);
        process =
                new ProcessBuilder(words)
                        .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                        .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        String line = out.readLine();
        assertTrue(line != null && line.startsWith("kv listens on"), () -> line + errors());
        port = Integer.parseInt(String.valueOf(line).replaceAll(".*:", ""));
    }

    private static List<String> words(List<String> before, Path folder, String... options) {
        List<String> words = new ArrayList<>(before);
        words.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "@" + System.getProperty("ropewalk.args.file"),
                        "-Xmx256m",
                        "-XX:-UsePerfData",
                        "-Dio.netty.leakDetection.level=paranoid",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "--port=0",
                        "--dir=" + folder.resolve("data")));
        words.addAll(List.of(options));
        return words;
    }

    /** All that a start says that is refused, which is its status as well. */
    static String refusal(Path folder, String... options) throws IOException {
        Process refused =
                new ProcessBuilder(words(List.of(), folder, options))
                        .redirectErrorStream(true)
                        .start();
        String said = new String(refused.getInputStream().readAllBytes(), UTF_8);
        assertEquals(1, refused.onExit().orTimeout(30, TimeUnit.SECONDS).join().exitValue(), said);
        return said;
    }

    Jedis client() {
        return new Jedis("127.0.0.1", port, CLIENT_LIMIT_MS);
    }

    int port() {
        return port;
    }

    Process process() {
        return process;
    }

    /** What it wrote to its standard error; that of those before it in this folder too. */
    String errors() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** As {@code kill -9} does. */
    void kill() {
        process.destroyForcibly().onExit().orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        kill();
    }
}
