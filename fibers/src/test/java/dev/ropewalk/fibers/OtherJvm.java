package dev.ropewalk.fibers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** For what a JVM decides when it starts: another one, by default with this one's class path. */
final class OtherJvm {
    record Ended(int exit, String output) {}

    private OtherJvm() {}

    static Ended run(List<String> flags, Class<?> main, String... args)
            throws IOException, InterruptedException {
        return run(System.getProperty("java.class.path"), flags, main, args);
    }

    static Ended run(String classPath, List<String> flags, Class<?> main, String... args)
            throws IOException, InterruptedException {
        Process process = start(classPath, flags, main, args);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    /** Runs until it ends or is ended; what it writes must be read or fit a pipe. */
    static Process start(List<String> flags, Class<?> main, String... args) throws IOException {
        return start(System.getProperty("java.class.path"), flags, main, args);
    }

    private static Process start(
            String classPath, List<String> flags, Class<?> main, String... args)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath));
        command.add(main.getName());
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        return process;
    }
}
