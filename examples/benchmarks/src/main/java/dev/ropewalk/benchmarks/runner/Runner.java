package dev.ropewalk.benchmarks.runner;

import dev.ropewalk.benchmarks.result.Measured;
import dev.ropewalk.benchmarks.result.Results;
import dev.ropewalk.benchmarks.scenario.Row;
import dev.ropewalk.benchmarks.system.Contestant;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs each program in a JVM of its own, one after the other, and prints its line. A program that
 * fails or does not end is a line too, and makes the whole run fail.
 */
final class Runner {
    private static final long LIMIT_SECONDS = 90;

    /** Of Linux; elsewhere such a row fails, and says so. */
    private static final List<String> ONE_CPU = List.of("taskset", "-c", "0");

    private final PrintStream out;
    private final List<String> commonFlags;
    private boolean failed;

    Runner(PrintStream out) throws IOException {
        this.out = out;
        this.commonFlags = new ArrayList<>(ropewalkFlags());
        // Touched before: on a virtual machine the first touch of a page can cost more than its
        // use.
        commonFlags.add("-XX:+AlwaysPreTouch");
    }

    /** The manifest's flags do not reach other JVMs; the argument file lies in the jar. */
    static List<String> ropewalkFlags() throws IOException {
        try (InputStream in = Runner.class.getResourceAsStream("/ropewalk.args")) {
            if (in == null) {
                throw new IOException("ropewalk.args is not in the jar; build it with mvn package");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    boolean hasFailed() {
        return failed;
    }

    void run(Row row, Contestant contestant, String collector)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(row.isOnOneCpu() ? ONE_CPU : List.of());
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(commonFlags);
        command.add("-XX:+Use" + collector + "GC");
        command.addAll(contestant.flags());
        command.add("-Xms" + row.heap());
        command.add("-Xmx" + row.heap());
        command.addAll(row.flags());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(Main.class.getName());
        command.add("one");
        command.add(row.name());
        command.add(contestant.name());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        AtomicBoolean tooLong = new AtomicBoolean();
        Thread guard = Thread.ofVirtual().start(() -> endInTime(process, tooLong));
        try {
            String line = null;
            List<String> rest = new ArrayList<>();
            try (BufferedReader reader = process.inputReader()) {
                for (String read = reader.readLine(); read != null; read = reader.readLine()) {
                    if (read.startsWith(Measured.KEYWORD + " ")) {
                        line = read;
                    } else if (read.startsWith(Results.SHARED + " ")) {
                        line += System.lineSeparator() + read;
                    } else {
                        rest.add(read);
                    }
                }
            }
            int status = process.waitFor();
            if (line != null && status == 0) {
                out.println(line);
            } else {
                String why = tooLong.get() ? "limit=" + LIMIT_SECONDS + "s" : "status=" + status;
                failed(row.name(), contestant.name() + " " + why);
                rest.forEach(out::println);
            }
        } finally {
            guard.interrupt();
            process.toHandle().destroyForcibly();
        }
        out.flush();
    }

    void failed(String scenario, String what) {
        failed = true;
        out.println(Results.FAILED + " " + scenario + " " + what);
    }

    /** By its handle: a process that is destroyed closes the streams that are being read. */
    private static void endInTime(Process process, AtomicBoolean tooLong) {
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                tooLong.set(true);
                process.toHandle().destroyForcibly();
            }
        } catch (InterruptedException ended) {
            // The program has ended by itself.
        }
    }
}
