package dev.ropewalk.examples.kv;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** A redis-server of its own, on a free port, that keeps nothing. */
final class RedisServer implements AutoCloseable {
    private static final String PROGRAM = "redis-server";
    private static final int MAX_PORTS = 5;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Process process;
    private final int port;

    private RedisServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static boolean isInstalled() {
        String path = String.valueOf(System.getenv("PATH"));
        return Arrays.stream(path.split(File.pathSeparator, -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROGRAM)));
    }

    static RedisServer start(Path folder) throws IOException {
        for (int i = 0; i < MAX_PORTS; i++) {
            Path output = folder.resolve("redis-" + i);
            RedisServer server = start(folder, output, freePort());
            await().atMost(LIMIT)
                    .until(() -> !server.process.isAlive() || isReady(Files.readString(output)));
            if (server.process.isAlive()) {
                return server;
            }
        }
        throw new IOException(
                "no " + PROGRAM + " starts: " + Files.readString(folder.resolve("redis-0")));
    }

    /** Somebody else may take it before the server does. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static RedisServer start(Path folder, Path output, int port) throws IOException {
        Process process =
                new ProcessBuilder(
                                PROGRAM,
                                "--port",
                                Integer.toString(port),
                                "--bind",
                                "127.0.0.1",
                                "--save",
                                "",
                                "--appendonly",
                                "no",
                                "--dir",
                                folder.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        return new RedisServer(process, port);
    }

    private static boolean isReady(String output) {
        return output.contains("Ready to accept connections");
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().orTimeout(30, TimeUnit.SECONDS).join();
    }
}
