package dev.ropewalk.actors.cluster.jdbc;

import static org.junit.jupiter.api.Assumptions.abort;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A server of PostgreSQL in a folder of its own, on loopback. It refuses to run as root, so root
 * starts it as the user nobody; where that cannot be done, the tests are skipped and say why.
 */
public final class PostgresqlServer {
    private static final String BINARIES = "/postgres-linux-x86_64.txz";
    private static final int BLOCK = 512; // the unit of ulimit -f
    private static final String READY = "database system is ready";
    private static final int LIMIT_SECONDS = 60;

    /** A file of its log has so many bytes from the start. */
    static final int LARGEST_LOG = 16 << 20;

    private final Path folder;
    private final Path binaries;
    private final int port;
    private final Path log;
    private Process server;

    /** In bytes; negative if files may be of any size. */
    private int maxFile = -1;

    private PostgresqlServer(Path folder, int port) throws IOException, InterruptedException {
        this.folder = folder;
        this.port = port;
        this.log = folder.resolve("log");
        this.binaries = Files.createDirectory(folder.resolve("postgresql"));
        unpack();
        Path data = Files.createDirectory(folder.resolve("data"));
        if (isRoot()) {
            run(List.of("chown", "-R", "nobody", folder.toString()));
        }
        run(
                asUser(
                        program("initdb"),
                        "-A",
                        "trust",
                        "-U",
                        "postgres",
                        "-E",
                        "UTF8",
                        "--no-locale",
                        "--no-sync",
                        "-D",
                        data.toString()));
        server = launch();
    }

    /** Starts one, or skips the test. */
    public static PostgresqlServer start() throws IOException, InterruptedException {
        if (PostgresqlServer.class.getResource(BINARIES) == null) {
            abort("no PostgreSQL for " + System.getProperty("os.name") + " on this machine");
        }
        // Not a folder of JUnit's: another user must get there.
        Path folder = Files.createTempDirectory("ropewalk-postgresql");
        run(List.of("chmod", "755", folder.toString()));
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        return new PostgresqlServer(folder, port);
    }

    private void unpack() throws IOException, InterruptedException {
        Path packed = folder.resolve("packed.txz");
        try (InputStream in = PostgresqlServer.class.getResourceAsStream(BINARIES)) {
            Files.copy(in, packed, StandardCopyOption.REPLACE_EXISTING);
        }
        run(List.of("tar", "-xJf", packed.toString(), "-C", binaries.toString()));
        Files.delete(packed);
    }

    private String program(String name) {
        return binaries.resolve("bin").resolve(name).toString();
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private static List<String> asUser(String... command) {
        List<String> whole = new ArrayList<>();
        if (isRoot()) {
            whole.addAll(List.of("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"));
        }
        whole.addAll(List.of(command));
        return whole;
    }

    private Process launch() throws IOException, InterruptedException {
        for (int i = 0; i < 20; i++) {
            long before = count(READY);
            Process started = launchOnce();
            if (isReady(started, before)) {
                return started;
            }
            started.destroyForcibly().waitFor();
        }
        throw new IOException("PostgreSQL does not start: " + Files.readString(log));
    }

    private Process launchOnce() throws IOException {
        String limit = maxFile < 0 ? "unlimited" : String.valueOf(maxFile / BLOCK);
        return new ProcessBuilder(
                        asUser(
                                "sh",
                                "-c",
                                "ulimit -f " + limit + "; exec \"$@\"",
                                "sh",
                                program("postgres"),
                                "-D",
                                folder.resolve("data").toString(),
                                "-p",
                                String.valueOf(port),
                                "-c",
                                "listen_addresses=127.0.0.1",
                                "-c",
                                "unix_socket_directories=",
                                "-c",
                                "synchronous_commit=off")) // the store sets it
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** False if it has ended: its memory may still be in use for a moment after a kill. */
    private boolean isReady(Process started, long before) throws IOException, InterruptedException {
        for (int i = 0; i < LIMIT_SECONDS * 10; i++) {
            if (count(READY) > before) {
                return true;
            }
            if (started.waitFor(100, TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        return false;
    }

    private long count(String text) throws IOException {
        return Files.exists(log)
                ? Files.readString(log).lines().filter(line -> line.contains(text)).count()
                : 0;
    }

    /** Of a database that is empty at first. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
    }

    /** As kill -9 of all its processes. */
    void kill() throws IOException, InterruptedException {
        List<ProcessHandle> all = new ArrayList<>(server.descendants().toList());
        server.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
        server.waitFor();
        for (ProcessHandle each : all) {
            each.onExit().join();
        }
    }

    void startAgain() throws IOException, InterruptedException {
        maxFile = -1;
        server = launch();
    }

    /** Starts it again; no file of it grows beyond so many bytes. */
    void startWithFilesOf(int maxBytes) throws IOException, InterruptedException {
        maxFile = maxBytes;
        server = launch();
    }

    /** Stops or continues all its processes. */
    void signal(String name) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("kill", "-" + name));
        command.add(String.valueOf(server.pid()));
        server.descendants().forEach(each -> command.add(String.valueOf(each.pid())));
        String failed = outputIfFailed(command);
        if (failed != null) { // a fault of the test, and not for want of a server
            throw new IllegalStateException(command + " failed: " + failed);
        }
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
        String failed = outputIfFailed(command);
        if (failed != null) {
            abort(command + " failed, so there is no PostgreSQL here: " + failed);
        }
    }

    /** Null if it has not. */
    private static @Nullable String outputIfFailed(List<String> command)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        return process.waitFor() == 0 ? null : output;
    }

    /** Ends it, and deletes what it had. */
    public void stop() throws IOException, InterruptedException {
        kill();
        try (var files = Files.walk(folder)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(each -> each.toFile().delete());
        }
    }
}
