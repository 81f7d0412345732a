package dev.ropewalk.benchmarks.runner;

import dev.ropewalk.benchmarks.measure.Stopwatch;
import dev.ropewalk.benchmarks.result.Results;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.Properties;

/** What the results say about the run: {@code FACT <key> <value>}. */
final class Facts {
    private Facts() {}

    static void print(PrintStream out) throws IOException {
        fact(out, "date", begin().atZone(ZoneOffset.UTC).toLocalDate().toString());
        fact(
                out,
                Results.MACHINE,
                Runtime.getRuntime().availableProcessors()
                        + " processors ("
                        + processor()
                        + "), "
                        + System.getProperty("os.name")
                        + " "
                        + System.getProperty("os.version"));
        fact(out, "jvm", System.getProperty("java.vm.name") + " " + Runtime.version());
        fact(out, "peers", property("peers"));
    }

    /** Of this JVM, for measurements that are made in it. */
    static void printOwnCollector(PrintStream out) {
        String name = ManagementFactory.getGarbageCollectorMXBeans().getFirst().getName();
        fact(
                out,
                "collector",
                name.startsWith("PS ") ? "Parallel" : name.startsWith("G1 ") ? "G1" : name);
    }

    static void printEnd(PrintStream out, Stopwatch all) {
        fact(out, "minutes", Long.toString(all.elapsedNs() / 60_000_000_000L + 1));
    }

    private static void fact(PrintStream out, String key, String value) {
        out.println(Results.FACT + " " + key + " " + value);
    }

    private static Instant begin() {
        return ProcessHandle.current().info().startInstant().orElseThrow();
    }

    /** From the build. */
    private static String property(String name) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Facts.class.getResourceAsStream("/benchmarks.properties")) {
            if (in == null) {
                throw new IOException("benchmarks.properties is not in the jar");
            }
            properties.load(in);
        }
        return properties.getProperty(name, "unknown");
    }

    private static String processor() {
        try {
            Optional<String> model =
                    Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                            .filter(line -> line.startsWith("model name"))
                            .map(line -> line.substring(line.indexOf(':') + 1).strip())
                            .findFirst();
            return model.orElse(System.getProperty("os.arch"));
        } catch (IOException notLinux) {
            return System.getProperty("os.arch");
        }
    }
}
