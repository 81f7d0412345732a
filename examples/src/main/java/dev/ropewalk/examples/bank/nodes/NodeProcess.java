package dev.ropewalk.examples.bank.nodes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.blocking.Processes;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** A running {@link BankNode}, as the process that started it sees it. For any thread. */
final class NodeProcess {
    private static final List<String> FLAGS =
            List.of(
                    "-Xmx256m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:-UsePerfData",
                    "-Dkryo.unsafe=false",
                    "-Dorg.slf4j.simpleLogger.showDateTime=true",
                    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS");

    private final String name;
    private final Process process;
    private final Thread reader;

    /**
     * Starts one.
     *
     * @param reader hears of each line that it prints, until its end
     */
    NodeProcess(NodeSettings settings, BiConsumer<NodeProcess, String> reader) throws IOException {
        this.name = settings.name();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flagsOfThisOne());
        command.addAll(FLAGS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(BankNode.class.getName());
        command.addAll(settings.toWords());
        Path log = settings.folder().resolve(name + ".log");
        this.process =
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        this.reader = Thread.ofPlatform().daemon().name("reads " + name).start(() -> read(reader));
    }

    /** Those that Ropewalk asks for. */
    private static List<String> flagsOfThisOne() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--add-") || each.startsWith("--enable-native"))
                .toList();
    }

    private void read(BiConsumer<NodeProcess, String> reader) {
        try (BufferedReader out = process.inputReader(UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                reader.accept(this, line);
            }
        } catch (IOException over) {
            // It was killed.
        }
    }

    /** A line for it to read, which is lost if it has ended. */
    void say(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(UTF_8));
            process.getOutputStream().flush();
        } catch (IOException over) {
            // Its end is seen elsewhere.
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Asks it to leave. */
    void terminate() {
        process.toHandle().destroy(); // that of the process closes its pipes, too
    }

    /** Ends it at once, also if it is stopped. Does not wait. */
    void strike() {
        process.toHandle().destroyForcibly();
    }

    /** The same, and has read all that it has said when it returns. */
    void kill() {
        strike();
        try {
            if (process.waitFor(10, TimeUnit.SECONDS)) {
                reader.join();
            }
        } catch (InterruptedException again) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops it, or lets it go on. A switchpoint.
     *
     * @param name STOP or CONT
     */
    void signal(String name) throws IOException {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(pid())).start();
        if (Processes.await(kill) != 0 && isAlive()) {
            throw new IOException("kill -" + name + " " + pid() + " has failed");
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
