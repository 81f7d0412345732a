package dev.ropewalk.actors.cluster.ratis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A process with one server, which counts in keys of its own, and says what was acknowledged, and
 * what it reads of the others; to be killed, or stopped.
 *
 * <pre>
 *   W key number revision leader   a write was acknowledged
 *   B key                          a read begins
 *   R key number                   it has ended
 * </pre>
 */
final class RatisProcess implements AutoCloseable {
    static final int KEYS = 4;

    private static final Pattern BLANK = Pattern.compile(" ");

    private final Process process;
    private final Path errors;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Thread reader;

    /**
     * Starts it.
     *
     * @param work {@code counts}, or {@code waits}
     * @param shell words before the command, if any
     */
    RatisProcess(RatisOptions options, Path errors, String work, String... shell)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(shell));
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "@" + System.getProperty("ropewalk.args.file"),
                        "-Xmx256m",
                        "-XX:-UsePerfData",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RatisProcess.class.getName(),
                        work,
                        options.server(),
                        options.directory().toString()));
        options.servers().forEach((name, at) -> command.add(name + "=" + at));
        this.errors = errors;
        process =
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                        .start();
        reader = Thread.ofPlatform().daemon().name("reads " + options).start(this::readAll);
    }

    private void readAll() {
        try (BufferedReader in = process.inputReader(UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
            }
        } catch (IOException closed) {
            lines.add("closed " + closed);
        }
    }

    // ---------------------------------------------------------------- in the child

    /** Its work, its name, its directory, and all servers. */
    public static void main(String[] arguments) {
        Map<String, String> servers = new LinkedHashMap<>();
        for (int i = 3; i < arguments.length; i++) {
            int sign = arguments[i].indexOf('=');
            servers.put(arguments[i].substring(0, sign), arguments[i].substring(sign + 1));
        }
        RatisOptions options =
                RatisOptions.of(arguments[1], servers, Path.of(arguments[2]))
                        .withCallLimit(Duration.ofSeconds(5));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
        boolean isCounting = arguments[0].equals("counts");
        RatisStore store = RatisStore.open(isCounting ? options.withSnapshotEvery(300) : options);
        Cord cord = Cord.start("counts");
        for (int i = 0; isCounting && i < KEYS; i++) {
            String key = options.server() + "-" + i;
            cord.spin("counts " + key, () -> count(store, key, out));
        }
        if (isCounting) {
            cord.spin("reads", () -> read(store, servers, out));
        }
        cord.awaitEnd(Duration.ofMinutes(2));
        Runtime.getRuntime().halt(1); // nobody has killed it
    }

    private static void count(RatisStore store, String key, PrintStream out) {
        while (true) {
            StoreEntry now;
            try {
                now = store.read(key);
            } catch (StoreException noMajority) {
                Fiber.sleep(Duration.ofMillis(10));
                continue;
            }
            long next = number(now) + 1;
            byte[] value = new byte[500]; // so that writes of the log span pages
            byte[] digits = String.valueOf(next).getBytes(UTF_8);
            System.arraycopy(digits, 0, value, 0, digits.length);
            switch (store.replace(key, now.revision(), value)) {
                case WriteResult.Written(long revision) ->
                        out.println(
                                "W "
                                        + key
                                        + " "
                                        + next
                                        + " "
                                        + revision
                                        + " "
                                        + store.server().leader());
                case WriteResult.Refused() -> out.println("X " + key + " was refused"); // its own
                case WriteResult.Unknown(Throwable cause) -> out.println("U " + cause.getMessage());
            }
        }
    }

    static long number(StoreEntry entry) {
        return entry.isPresent() ? Long.parseLong(new String(entry.value(), UTF_8).trim()) : 0;
    }

    private static void read(RatisStore store, Map<String, String> servers, PrintStream out) {
        while (true) {
            for (String each : servers.keySet()) {
                String key = each + "-0";
                out.println("B " + key);
                try {
                    out.println("R " + key + " " + number(store.read(key)));
                } catch (StoreException noMajority) {
                    out.println("F " + noMajority.getMessage());
                }
                Fiber.sleep(Duration.ofMillis(5));
            }
        }
    }

    // ---------------------------------------------------------------- in the test

    /** The next line of one of the kinds, as words. */
    List<String> next(String kinds) throws IOException, InterruptedException {
        while (true) {
            String line = lines.poll(30, TimeUnit.SECONDS);
            if (line == null || line.startsWith("X ") || line.startsWith("closed")) {
                throw new IOException(line + ", errors: " + Files.readString(errors));
            }
            if (kinds.indexOf(line.charAt(0)) >= 0) {
                return words(line);
            }
        }
    }

    static List<String> words(String line) {
        return BLANK.splitAsStream(line).toList();
    }

    /** What it has said and nobody has taken. */
    List<String> rest() {
        List<String> all = new ArrayList<>();
        lines.drainTo(all);
        return all;
    }

    /** With SIGKILL; what it has said stays. */
    void kill() throws InterruptedException {
        process.toHandle().destroyForcibly();
        process.waitFor();
        reader.join();
    }

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
