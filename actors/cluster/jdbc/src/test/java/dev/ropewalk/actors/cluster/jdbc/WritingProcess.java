package dev.ropewalk.actors.cluster.jdbc;

import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.Cord;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A process that counts in the keys of a store, and prints what was acknowledged; to be killed. */
final class WritingProcess implements AutoCloseable {
    static final int KEYS = 8;

    private final Process process;
    private final BufferedReader lines;
    private final Path errors;
    private final List<String> printed = new ArrayList<>();

    WritingProcess(Path errors, String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "@" + System.getProperty("ropewalk.args.file"),
                                "-Xmx128m",
                                "-XX:-UsePerfData",
                                "-cp",
                                System.getProperty("java.class.path"),
                                WritingProcess.class.getName()));
        command.addAll(List.of(arguments));
        this.errors = errors;
        process =
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                        .start();
        lines = process.inputReader(UTF_8);
    }

    /** The writer or the kind of database, and where it is. */
    public static void main(String[] arguments) {
        JdbcOptions options =
                arguments[0].equals("postgresql")
                        ? JdbcOptions.postgresql(arguments[1])
                        : JdbcOptions.sqlite(Path.of(arguments[1]));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
        Store store = JdbcStore.open(options);
        switch (arguments[0]) {
            case "entities" -> CountingEntities.run(store, KEYS, out);
            case "transfers" -> PayingEntities.run(store, KEYS, out);
            default -> count(store, out);
        }
        Runtime.getRuntime().halt(1); // nobody has killed it
    }

    private static void count(Store store, PrintStream out) {
        Cord cord = Cord.start("writes");
        for (int i = 0; i < KEYS; i++) {
            int number = i;
            cord.spin("counts " + i, () -> count(store, number, out));
        }
        cord.awaitEnd(Duration.ofMinutes(1));
    }

    private static void count(Store store, int number, PrintStream out) {
        String key = "count" + number;
        while (true) { // until the store gives no answer, which ends the fiber
            StoreEntry now = store.read(key);
            long next = now.isPresent() ? Long.parseLong(new String(now.value(), UTF_8)) + 1 : 1;
            byte[] value = String.valueOf(next).getBytes(UTF_8);
            if (store.replace(key, now.revision(), value) instanceof WriteResult.Written) {
                out.println(number + " " + next);
            }
        }
    }

    /** Reads so many acknowledgements, and kills it. */
    void killAfter(int acknowledgements) throws IOException {
        read(acknowledgements);
        kill();
    }

    /** With SIGKILL; what it has printed stays, which Process.destroyForcibly would close. */
    void kill() {
        process.toHandle().destroyForcibly();
    }

    void read(int acknowledgements) throws IOException {
        for (int i = 0; i < acknowledgements; i++) {
            String line = lines.readLine();
            if (line == null) {
                throw new IOException("it ended by itself: " + Files.readString(errors));
            }
            printed.add(line);
        }
    }

    /** The highest numbers that were acknowledged, with those that were printed meanwhile. */
    void addTo(long[] highest) throws IOException, InterruptedException {
        process.waitFor();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            printed.add(line);
        }
        for (String line : printed) {
            int blank = line.indexOf(' ');
            if (blank > 0 && blank < line.length() - 1) { // the last one may be cut
                int key = Integer.parseInt(line.substring(0, blank));
                long number = Long.parseLong(line.substring(blank + 1));
                highest[key] = Math.max(highest[key], number);
            }
        }
    }

    /** Nothing that was acknowledged is gone; at most one write more may have taken effect. */
    static void check(Store store, long[] highest) {
        for (int i = 0; i < highest.length; i++) {
            StoreEntry entry = store.read("count" + i);
            long there = entry.isPresent() ? Long.parseLong(new String(entry.value(), UTF_8)) : 0;
            String about = "count" + i + " is " + there + ", acknowledged " + highest[i];
            assertTrue(there >= highest[i], about);
            assertTrue(there <= highest[i] + 1, about);
            highest[i] = there;
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        lines.close();
    }
}
