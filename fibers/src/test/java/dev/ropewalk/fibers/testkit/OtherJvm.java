package dev.ropewalk.fibers.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** For what a JVM decides when it starts: another one, by default with this one's class path. */
public final class OtherJvm {
    public record Ended(int exit, String output) {}

    private OtherJvm() {}

    public static Ended run(List<String> flags, Class<?> main, String... args)
            throws IOException, InterruptedException {
        return run(System.getProperty("java.class.path"), flags, main, args);
    }

    public static Ended run(String classPath, List<String> flags, Class<?> main, String... args)
            throws IOException, InterruptedException {
        return end(start(withClassPath(classPath, flags, main, args)));
    }

    /** With a module path in place of the class path; all of its modules are resolved. */
    public static Ended runModule(
            String modulePath, List<String> flags, String module, Class<?> main)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(flags);
        arguments.addAll(List.of("-p", modulePath, "--add-modules", "ALL-MODULE-PATH"));
        arguments.addAll(List.of("-m", module + "/" + main.getName()));
        return end(start(arguments));
    }

    /** Runs until it ends or is ended; what it writes must be read or fit a pipe. */
    public static Process start(List<String> flags, Class<?> main, String... args)
            throws IOException {
        return start(withClassPath(System.getProperty("java.class.path"), flags, main, args));
    }

    private static List<String> withClassPath(
            String classPath, List<String> flags, Class<?> main, String... args) {
        List<String> arguments = new ArrayList<>(flags);
        arguments.addAll(List.of("-cp", classPath, main.getName()));
        arguments.addAll(List.of(args));
        return arguments;
    }

    private static Process start(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(arguments);
        command.addFirst(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        return process;
    }

    private static Ended end(Process process) throws IOException, InterruptedException {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }
}
