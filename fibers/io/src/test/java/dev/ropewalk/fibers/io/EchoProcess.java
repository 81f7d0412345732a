package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A server of lines in a process of its own, with limits of its own, until it is closed. */
final class EchoProcess implements AutoCloseable {
    private static final int MOST = 10_000;

    private final Process process;
    private final Path errors;
    private final int port;

    /**
     * Starts it, with the reactor of this run.
     *
     * @param shell what a shell does before, to limit it
     */
    EchoProcess(String shell, Path folder) throws IOException {
        this(shell, folder, "-Dropewalk.reactor=" + Transport.ASKED);
    }

    /** Starts it with an option of the JVM. */
    EchoProcess(String shell, Path folder, String option) throws IOException {
        errors = folder.resolve("errors");
        List<String> words =
                List.of(
                        "/bin/sh",
                        "-c",
                        shell + "; exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "@" + System.getProperty("ropewalk.args.file"),
                        "-Xmx256m",
                        "-XX:-UsePerfData",
                        option,
                        "-cp",
                        System.getProperty("java.class.path"),
                        EchoProcess.class.getName());
        process = new ProcessBuilder(words).redirectError(errors.toFile()).start();
        String line =
                new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))
                        .readLine();
        assertNotNull(line, this::errors);
        port = Integer.parseInt(line);
    }

    /** Serves. */
    public static void main(String[] arguments) {
        Cord.run(
                () -> {
                    TcpOptions options = TcpOptions.defaults().withMaxConnections(MOST + 1);
                    try (TcpListener listener = TcpListener.bind("127.0.0.1", 0, options)) {
                        Fiber<?> server =
                                Fiber.spin(
                                        "server",
                                        () -> listener.serve("client", EchoProcess::echo));
                        loadClasses(listener.port());
                        new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8)
                                .println(listener.port());
                        server.await();
                    }
                });
    }

    /**
     * From a folder, as in a test, each takes a file descriptor for a moment: there is none later.
     */
    private static void loadClasses(int port) {
        for (String line : List.of("last", "fail")) {
            try (TcpConnection client = TcpConnection.connect("127.0.0.1", port)) {
                client.write(line + "\n");
                if (line.equals("last")) {
                    client.shutdownOutput();
                }
                client.readLine();
                client.readLine();
            } catch (ConnectionResetException failed) {
                // as it was to be
            }
        }
    }

    private static void echo(TcpConnection client) {
        for (String line = client.readLine(); line != null; line = client.readLine()) {
            if (line.equals("fail")) {
                throw new IllegalStateException("as it was to be");
            }
            client.write(line + "\n");
        }
    }

    int port() {
        return port;
    }

    /** How many sockets it has open. */
    int sockets() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return (int) all.filter(EchoProcess::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException closed) {
            return false;
        }
    }

    /** The lines of its log with this text. */
    List<String> logged(String text) {
        List<String> found = new ArrayList<>();
        errors().lines().filter(line -> line.contains(text)).forEach(found::add);
        return found;
    }

    String errors() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
