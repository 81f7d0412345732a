package dev.ropewalk.benchmarks.failover;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.benchmarks.scenario.StackFlags;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** A process of a cluster, as the one that started it sees it. For any thread. */
final class MemberProcess {
    /** The line behind its last one. */
    static final String ENDED = "ended";

    private static final List<String> FLAGS =
            List.of(
                    "-Xmx512m",
                    "-XX:+UseSerialGC",
                    "-XX:-UsePerfData",
                    "-Dorg.slf4j.simpleLogger.showDateTime=true",
                    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS");

    private static final int END_SECONDS = 10;

    private final String name;
    private final Process process;

    /**
     * Starts one.
     *
     * @param reader hears of each line that it prints, and of its end
     */
    MemberProcess(Class<?> main, MemberSettings settings, BiConsumer<MemberProcess, String> reader)
            throws IOException {
        name = settings.name();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(StackFlags.ofArgumentFile());
        command.addAll(FLAGS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(settings.toWords());
        Path log = settings.folder().resolve(name + ".log");
        process =
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        Thread.ofPlatform().daemon().name("reads " + name).start(() -> read(reader));
    }

    private void read(BiConsumer<MemberProcess, String> reader) {
        try (BufferedReader out = process.inputReader(UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                reader.accept(this, line);
            }
        } catch (IOException over) {
            // It was killed.
        }
        reader.accept(this, ENDED);
    }

    /** A line for it to read, which is lost if it has ended. */
    void say(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(UTF_8));
            process.getOutputStream().flush();
        } catch (IOException over) {
            // Its end is a line.
        }
    }

    /** Kill -9; does not wait. */
    void strike() {
        process.toHandle().destroyForcibly(); // that of the process closes its pipes, too
    }

    /** The same, and it has ended when it returns. */
    void end() {
        strike();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the process does not end: " + process);
            }
        } catch (InterruptedException again) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
