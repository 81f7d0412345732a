package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.ClosedException;

import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.codec.bytes.ByteArrayEncoder;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Rule I2: what only a client can cause is no ERROR of the server, and what the program causes is.
 * A new exception needs a line in one of the two lists, or both.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LogLevelTest {
    @TempDir private static Path folder;

    private static final TcpOptions DEFAULTS = TcpOptions.defaults();
    private static final Duration SHORT = Duration.ofMillis(300);

    /** What a client does; it waits for the end by itself. */
    @FunctionalInterface
    private interface Client {
        void run(TcpConnection server) throws Exception;
    }

    /** What happens, and what the service throws, perhaps as a cause. */
    private record Row(
            String what,
            Class<? extends Throwable> thrown,
            TcpOptions serving,
            Service service,
            Client client) {}

    private static Row row(
            String what, Class<? extends Throwable> thrown, Service service, Client client) {
        return new Row(what, thrown, DEFAULTS, service, client);
    }

    private static void readLines(TcpConnection client) {
        while (client.readLine() != null) {}
    }

    private static void readFrames(TcpConnection client) {
        for (byte[] each : client.messages(Codec.lengthPrefixed(4, 100))) {
            assertNotNull(each);
        }
    }

    private static void writeForEver(TcpConnection to) {
        while (true) {
            to.write(new byte[10_000]);
        }
    }

    private static Client sends(String text) {
        return server -> server.write(text);
    }

    private static Client endsAfter(String text) {
        return server -> server.write(text).shutdownOutput();
    }

    private static Client resetsAfter(String text) {
        return server -> {
            server.write(text).flush();
            Fiber.sleep(Duration.ofMinutes(1)); // a reset overtakes what is on its way
            server.reset();
        };
    }

    private static void inChild(Runnable body) {
        Fiber.spin("child", body::run);
        Fiber.sleep(Net.LONG);
    }

    private static void awaitReset(TcpConnection client) {
        while (client.isOpen()) {
            Fiber.sleep(SHORT);
        }
    }

    private static List<Row> ofClients() throws Exception {
        Certificates.Files3 local = new Certificates(folder).make("local");
        Tls tls = Tls.server(local.certificates(), local.key());
        Client silent = _ -> {};
        return List.of(
                new Row(
                        "silence",
                        ConnectionTimeoutException.class,
                        DEFAULTS.withReadLimit(SHORT),
                        LogLevelTest::readLines,
                        silent),
                new Row(
                        "no message in time",
                        ConnectionTimeoutException.class,
                        DEFAULTS.withReadLimit(SHORT),
                        LogLevelTest::readFrames,
                        sends("\0\0\0\5ab")),
                new Row(
                        "it reads nothing",
                        ConnectionTimeoutException.class,
                        DEFAULTS.withWriteLimit(SHORT),
                        LogLevelTest::writeForEver,
                        server -> Fiber.sleep(Duration.ofMinutes(1))),
                new Row(
                        "idleness",
                        ConnectionTimeoutException.class,
                        DEFAULTS.withIdleLimit(SHORT),
                        LogLevelTest::readLines,
                        silent),
                row(
                        "a line that is too long",
                        LineTooLongException.class,
                        LogLevelTest::readLines,
                        sends("x".repeat(20_000))),
                row(
                        "the end within a value",
                        EndOfInputException.class,
                        c -> c.readFully(10),
                        endsAfter("abc")),
                row(
                        "a frame above its limit",
                        CodecException.class,
                        LogLevelTest::readFrames,
                        sends("\177\177\177\177")),
                row(
                        "a reset",
                        ConnectionResetException.class,
                        LogLevelTest::readLines,
                        resetsAfter("a line\n")),
                row(
                        "a reset while it is written to",
                        ConnectionResetException.class,
                        LogLevelTest::writeForEver,
                        resetsAfter("")),
                row(
                        "a reset within a frame",
                        ConnectionResetException.class,
                        LogLevelTest::readFrames,
                        resetsAfter("\0\0\0\5ab")),
                row(
                        "what a child of the service reads",
                        LineTooLongException.class,
                        c -> inChild(() -> readLines(c)),
                        sends("x".repeat(20_000))),
                row(
                        "what the service wraps",
                        LineTooLongException.class,
                        c -> {
                            try {
                                readLines(c);
                            } catch (LineTooLongException e) {
                                throw new IllegalStateException("a client of mine", e);
                            }
                        },
                        sends("x".repeat(20_000))),
                row(
                        "what the protocol refuses",
                        CodecException.class,
                        c -> {
                            throw c.blame(new CodecException("no number", new IOException("x")));
                        },
                        silent),
                row(
                        "what ends with it",
                        ClosedException.class,
                        c -> {
                            awaitReset(c);
                            throw new ClosedException("a channel that somebody has closed", null);
                        },
                        TcpConnection::reset),
                row(
                        "a fiber that reads on when another has closed",
                        ConnectionClosedException.class,
                        c -> {
                            c.close();
                            c.readLine();
                        },
                        silent),
                new Row(
                        "no TLS",
                        TlsException.class,
                        DEFAULTS.withTls(tls),
                        LogLevelTest::readLines,
                        sends("GET / HTTP/1.1\r\n\r\n")),
                new Row(
                        "the end within the agreement on TLS",
                        ConnectionResetException.class,
                        DEFAULTS.withTls(tls),
                        LogLevelTest::readLines,
                        endsAfter("\26\3\1")));
    }

    private static List<Row> ofPrograms() throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[300_000]);
        return List.of(
                row(
                        "a bug",
                        IllegalArgumentException.class,
                        c -> Integer.parseInt(c.readLine()),
                        sends("no number\n")),
                row(
                        "a bug behind a reset",
                        IllegalStateException.class,
                        c -> {
                            awaitReset(c);
                            throw new IllegalStateException("of a client that has gone");
                        },
                        TcpConnection::reset),
                row(
                        "a backend that is not there",
                        ConnectionException.class,
                        _ -> TcpConnection.connect("127.0.0.1", 1),
                        _ -> {}),
                row(
                        "a backend that breaks off",
                        ConnectionResetException.class,
                        _ -> withBackend(DEFAULTS, TcpConnection::reset),
                        _ -> {}),
                row(
                        "a backend that breaks off, and the client has gone",
                        ConnectionResetException.class,
                        c -> {
                            awaitReset(c);
                            withBackend(DEFAULTS, TcpConnection::reset);
                        },
                        TcpConnection::reset),
                row(
                        "a backend that is silent",
                        ConnectionTimeoutException.class,
                        _ -> withBackend(DEFAULTS.withReadLimit(SHORT), _ -> Fiber.sleep(Net.LONG)),
                        _ -> {}),
                row(
                        "a write behind the end of the output",
                        ConnectionClosedException.class,
                        c -> {
                            c.shutdownOutput();
                            c.write("more");
                        },
                        _ -> {}),
                row(
                        "a message that is none",
                        CodecException.class,
                        c ->
                                c.messages(new LengthFieldPrepender(1), new ByteArrayEncoder())
                                        .write(new byte[1_000]),
                        _ -> {}),
                row(
                        "a codec of another type",
                        CodecException.class,
                        c ->
                                c.messages(
                                                Codec.of(
                                                        String.class,
                                                        () -> new FixedLengthFrameDecoder(1)))
                                        .receive(),
                        sends("x")),
                row(
                        "a file that becomes shorter",
                        ConnectionResetException.class,
                        c -> writeShrinking(file, c),
                        server -> {
                            Fiber.sleep(Duration.ofMinutes(1));
                            server.read(new byte[1]);
                        }));
    }

    private static void withBackend(TcpOptions options, Net.Side backend) throws Exception {
        try (TcpListener listener = TcpListener.bind("127.0.0.1", 0)) {
            Fiber.spin("backend", () -> backend.run(listener.accept()));
            try (TcpConnection made = TcpConnection.connect(listener.localAddress(), options)) {
                made.readLine();
            }
        }
    }

    private static void writeShrinking(Path path, TcpConnection to) throws IOException {
        Files.write(path, new byte[300_000]);
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            Fiber.spin(
                    "shrinks",
                    () -> {
                        Fiber.sleep(SHORT);
                        file.truncate(10);
                    });
            to.write(file, 0, 300_000);
        }
    }

    // ---------------------------------------------------------------- what is logged

    /** The lines of WARN and ERROR, and that the service has thrown what the row says. */
    private static List<Logs.Line> logged(Net net, Row row) {
        List<Logs.Line> lines = new ArrayList<>();
        List<Throwable> thrown = new ArrayList<>();
        Logs.during(lines::add, () -> serveOne(net, row, thrown));
        assertTrue(
                thrown.stream().flatMap(LogLevelTest::causes).anyMatch(row.thrown::isInstance),
                () -> row.what + ": " + thrown);
        return lines;
    }

    private static Stream<Throwable> causes(Throwable of) {
        return Stream.iterate(of, each -> each != null, Throwable::getCause);
    }

    private static void serveOne(Net net, Row row, List<Throwable> thrown) {
        TcpListener listener = net.listen(row.serving);
        Service recorded =
                client -> {
                    try {
                        row.service.serve(client);
                    } catch (Throwable failure) {
                        thrown.add(failure);
                        throw failure;
                    }
                };
        Fiber<?> server = Fiber.spin("server", () -> listener.serve("client", recorded));
        try (TcpConnection client = net.connect(listener)) {
            row.client.run(client);
            Fiber.sleep(Net.LONG);
        } catch (ConnectionException over) {
            // It has been broken off.
        } catch (Exception failed) {
            throw new AssertionError(row.what, failed);
        }
        listener.close();
        server.await();
    }

    @Test
    void I2_whatAClientCausesIsNoErrorOfTheServer() throws Exception {
        for (Row row : ofClients()) {
            Net.once(net -> assertEquals(List.of(), logged(net, row), row.what));
        }
    }

    @Test
    void I2_whatTheProgramCausesIsLoggedWithItsStack() throws Exception {
        for (Row row : ofPrograms()) {
            Net.once(
                    net -> {
                        List<Logs.Line> lines = logged(net, row);
                        assertEquals(1, lines.size(), () -> row.what + ": " + lines);
                        Logs.Line line = lines.getFirst();
                        assertEquals(Level.ERROR, line.level(), row.what);
                        Throwable failure = present(line.failure());
                        assertTrue(causes(failure).anyMatch(row.thrown::isInstance), row.what);
                    });
        }
    }

    private static Throwable present(@Nullable Throwable failure) {
        if (failure == null) {
            throw new AssertionError("a line without its failure");
        }
        return failure;
    }

    /** A new exception has not been thought about until it has a line above. */
    @Test
    void everyExceptionHasALine() throws Exception {
        Set<String> listed =
                Stream.concat(ofClients().stream(), ofPrograms().stream())
                        .map(row -> row.thrown.getSimpleName())
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> all = new TreeSet<>();
        Path classes =
                Path.of(
                        ConnectionException.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        String name = ConnectionException.class.getPackageName();
        try (Stream<Path> files =
                Files.list(classes.resolve(name.replace('.', File.separatorChar)))) {
            for (Path each : files.toList()) {
                String file = each.getFileName().toString();
                if (file.endsWith("Exception.class")) {
                    Class<?> type =
                            Class.forName(name + "." + file.substring(0, file.lastIndexOf('.')));
                    if (ConnectionException.class.isAssignableFrom(type)) {
                        all.add(type.getSimpleName());
                    }
                }
            }
        }
        assertTrue(all.size() > 5, all::toString);
        all.removeAll(listed);
        assertEquals(Set.of(), all, "say who causes these: ofClients, ofPrograms");
    }
}
