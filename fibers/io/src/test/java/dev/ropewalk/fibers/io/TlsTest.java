package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.io.Certificates.Files3;
import dev.ropewalk.fibers.spi.ClosedException;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Rule I2: an encrypted connection is one like any other, and a wrong other side is an error. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
@ParameterizedClass
@EnumSource(names = {"JDK", "OPENSSL"})
class TlsTest {
    @TempDir private static Path folder;
    private static Certificates certificates;
    private static Files3 local;
    private static Files3 example;
    private static Files3 someone;

    private final SslProvider engine;

    TlsTest(SslProvider engine) {
        this.engine = engine;
        Assumptions.assumeTrue(
                engine == SslProvider.JDK || OpenSsl.isAvailable(), "no BoringSSL here");
    }

    @BeforeAll
    static void make() throws Exception {
        certificates = new Certificates(folder);
        local = certificates.make("local");
        example = certificates.make("example", "a.example.com");
        someone = certificates.make("someone");
    }

    private Tls server(Files3 identity) {
        return Tls.server(identity.certificates(), identity.key()).withEngine(engine);
    }

    private Tls client(Files3 trusted) {
        return client().withTrust(trusted.trust());
    }

    private Tls client() {
        return Tls.client().withEngine(engine);
    }

    private void assumeHalvesEndAlone() {
        Assumptions.assumeTrue(engine == SslProvider.JDK, "BoringSSL ends both halves together");
    }

    private static TcpOptions options(Tls tls) {
        return TcpOptions.defaults().withTls(tls);
    }

    private static void talk(Net net, Tls server, Tls client, Net.Side serving, Net.Side asking)
            throws Exception {
        net.talk(options(server), options(client), serving, asking);
    }

    private static String subject(TcpConnection of) throws SSLPeerUnverifiedException {
        X509Certificate shown = (X509Certificate) of.tlsSession().getPeerCertificates()[0];
        return shown.getSubjectX500Principal().getName();
    }

    private static void echo(TcpConnection server) {
        for (String line = server.readLine(); line != null; line = server.readLine()) {
            server.write(line + "\n");
        }
    }

    /** A client that closes with something unread, the server's tickets too, resets it. */
    private static void ask(TcpConnection client) {
        client.write("line\n");
        assertEquals("line", client.readLine());
    }

    /** Reads until there is an error. */
    private static ConnectionException failure(TcpConnection reading) {
        return assertThrows(
                ConnectionException.class, () -> reading.readFully(Integer.MAX_VALUE / 2));
    }

    // ---------------------------------------------------------------- in order

    @Test
    void I2_linesGoThereAndBackAndTheEndIsSeen() {
        assumeHalvesEndAlone();
        Tls server = server(local);
        Tls client = client(local);
        Net.anywhere(
                net ->
                        talk(
                                net,
                                server,
                                client,
                                accepted -> {
                                    assertEquals("hello", accepted.readLine());
                                    assertNull(accepted.readLine());
                                    accepted.write("you have ended, I have not\n");
                                    assertTrue(
                                            List.of("TLSv1.3", "TLSv1.2")
                                                    .contains(accepted.tlsSession().getProtocol()));
                                },
                                connected -> {
                                    assertEquals("CN=local", subject(connected));
                                    connected.write("hello\n");
                                    connected.shutdownOutput();
                                    assertEquals(
                                            "you have ended, I have not", connected.readLine());
                                    assertNull(connected.readLine());
                                    assertEquals(-1, connected.read(new byte[1]));
                                }));
    }

    /** Netty's engine of BoringSSL answers the end with its own. */
    @Test
    void I2_withBoringSslTheEndOfOneHalfIsThatOfBoth() {
        Assumptions.assumeTrue(engine == SslProvider.OPENSSL, "the JDK ends one half alone");
        Tls server = server(local);
        Tls client = client(local);
        Net.anywhere(
                net ->
                        talk(
                                net,
                                server,
                                client,
                                accepted -> {
                                    assertEquals("hello", accepted.readLine());
                                    assertNull(accepted.readLine());
                                    Errors.assertMentions(
                                            assertThrows(
                                                    ConnectionResetException.class,
                                                    () -> accepted.write("too late\n")),
                                            "cannot write",
                                            "both halves");
                                },
                                connected -> {
                                    connected.write("hello\n");
                                    connected.shutdownOutput();
                                    assertNull(connected.readLine());
                                }));
    }

    @Test
    void I3_manyBytesAreHeldUpAndArriveWhole() {
        Tls server = server(local);
        Tls client = client(local);
        Net.anywhere(
                net -> {
                    byte[] all = new byte[net.isVirtual ? 200_000 : 10_000_000];
                    for (int i = 0; i < all.length; i++) {
                        all[i] = (byte) (i * 31);
                    }
                    boolean[] isWritten = {false};
                    talk(
                            net,
                            server,
                            client,
                            accepted -> {
                                net.until(() -> accepted.unread() >= 64 * 1024);
                                net.settle();
                                assertTrue(accepted.unread() < 200_000);
                                assertTrue(net.isVirtual || !isWritten[0]);
                                assertArrayEquals(all, accepted.readFully(all.length));
                                assertEquals(-1, accepted.read(new byte[1]));
                            },
                            connected -> {
                                connected.write(all);
                                isWritten[0] = true;
                            });
                });
    }

    @Test
    void I2_messagesOverTls() {
        assumeHalvesEndAlone();
        Tls server = server(local);
        Tls client = client(local);
        Codec<String> lines = Codec.lines(100);
        Net.anywhere(
                net ->
                        talk(
                                net,
                                server,
                                client,
                                accepted -> {
                                    MessageConnection<String> c = accepted.messages(lines);
                                    c.forEach(c::write);
                                },
                                connected -> {
                                    MessageConnection<String> c = connected.messages(lines);
                                    c.write("one").write("two").shutdownOutput();
                                    assertEquals("one", c.receive());
                                    assertEquals("two", c.receive());
                                    assertNull(
                                            assertThrows(ClosedException.class, c::receive)
                                                    .getCause());
                                }));
    }

    // ---------------------------------------------------------------- who the other side is

    /** Which error of the other side, it learns by its own: an alert, or the end. */
    private static void assertRefused(Tls server, Tls client, String... says) {
        Net.anywhere(
                net -> {
                    try (TcpListener listener = net.listen(options(server))) {
                        Fiber<?> serving =
                                Fiber.spin(
                                        "server",
                                        () -> {
                                            try (TcpConnection accepted = listener.accept()) {
                                                failure(accepted);
                                            }
                                        });
                        TlsException refused =
                                assertThrows(
                                        TlsException.class,
                                        () -> net.connect(listener, options(client)));
                        Errors.assertMentions(refused, "TLS", "127.0.0.1");
                        Errors.assertMentions(refused, says);
                        serving.await();
                    }
                });
    }

    @Test
    void I2_certificateThatIsNotTrusted() {
        String untrusted = "path"; // to an authority
        assertRefused(server(local), client(someone), untrusted);
        assertRefused(server(local), client(), untrusted);
    }

    @Test
    void I2_certificateForAnotherHost() {
        assertRefused(server(example), client(example), "127.0.0.1");
        assertRefused(
                server(example), client(example).withServerName("example.org"), "example.org");
    }

    @Test
    void I2_bothSidesShowTheirCertificates() {
        Tls server = server(local).withTrust(someone.trust());
        Tls client = client(local).withCertificate(someone.certificates(), someone.key());
        Net.anywhere(
                net ->
                        talk(
                                net,
                                server,
                                client,
                                accepted -> {
                                    assertEquals("CN=someone", subject(accepted));
                                    echo(accepted);
                                },
                                connected -> {
                                    ask(connected);
                                }));
    }

    /** TLS 1.3 tells a client only after it has agreed. */
    @Test
    void I2_clientWithoutOrWithAWrongCertificateIsRefused() {
        Tls server = server(local).withTrust(someone.trust());
        for (Tls client :
                List.of(
                        client(local),
                        client(local).withCertificate(local.certificates(), local.key()))) {
            Net.anywhere(
                    net ->
                            talk(
                                    net,
                                    server,
                                    client,
                                    accepted ->
                                            assertInstanceOf(TlsException.class, failure(accepted)),
                                    connected ->
                                            assertThrows(
                                                    ConnectionException.class,
                                                    () -> ask(connected))));
        }
    }

    @Test
    void I2_serverHasACertificateForEachHost() {
        Tls server = server(local).withHost("*.example.com", example.certificates(), example.key());
        Net.anywhere(
                net -> {
                    talk(
                            net,
                            server,
                            client(example).withServerName("a.example.com"),
                            TlsTest::echo,
                            connected -> {
                                assertEquals("CN=example", subject(connected));
                                ask(connected);
                            });
                    talk(
                            net,
                            server,
                            client(local),
                            TlsTest::echo,
                            connected -> {
                                assertEquals("CN=local", subject(connected));
                                ask(connected);
                            });
                });
    }

    @Test
    void I2_reloadIsForConnectionsThatComeAfterIt() throws Exception {
        Files3 old = certificates.make("old");
        Files3 fresh = certificates.make("fresh");
        Tls trustsOld = client(old);
        Tls trustsFresh = client(fresh);
        Tls server = server(old);
        Certificates.replace(old, fresh);
        Net.once(
                net ->
                        talk(
                                net,
                                server,
                                trustsOld,
                                TlsTest::echo,
                                connected -> {
                                    assertEquals("CN=old", subject(connected));
                                    server.reload(); // an open connection goes on
                                    ask(connected);
                                }));
        Net.once(
                net ->
                        talk(
                                net,
                                server,
                                trustsFresh,
                                TlsTest::echo,
                                connected -> {
                                    assertEquals("CN=fresh", subject(connected));
                                    ask(connected);
                                }));
        Files.writeString(old.key(), "no key");
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, server::reload), old.key().toString());
        Net.once(
                net ->
                        talk(
                                net,
                                server,
                                trustsFresh,
                                TlsTest::echo,
                                connected -> {
                                    assertEquals("CN=fresh", subject(connected));
                                    ask(connected);
                                }));
    }

    // ---------------------------------------------------------------- bad input and faults

    @Test
    void I2_plainTextIsNoTls() {
        Tls server = server(local);
        Tls client = client(local);
        Net.anywhere(
                net -> {
                    net.talk(
                            options(server),
                            TcpOptions.defaults(),
                            accepted -> assertInstanceOf(TlsException.class, failure(accepted)),
                            connected -> {
                                connected.write("GET / HTTP/1.1\r\n\r\n");
                                // An alert, or a reset.
                                try {
                                    while (connected.read(new byte[100]) >= 0) {}
                                } catch (ConnectionResetException broken) {
                                    Errors.assertMentions(broken, "broken off");
                                }
                            });
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> plain =
                                Fiber.spin(
                                        "server",
                                        () -> {
                                            try (TcpConnection accepted = listener.accept()) {
                                                accepted.write("hello, client\n");
                                                failure(accepted); // the client goes
                                            }
                                        });
                        assertThrows(
                                TlsException.class, () -> net.connect(listener, options(client)));
                        plain.await();
                    }
                });
    }

    @Test
    void I2_inputThatIsCutOffIsNoEnd() {
        Tls server = server(local);
        Tls client = client(local);
        Net.anywhere(
                net ->
                        talk(
                                net,
                                server,
                                client,
                                accepted -> {
                                    assertEquals("line", accepted.readLine());
                                    accepted.write("line\n");
                                    ConnectionException cut = failure(accepted);
                                    assertInstanceOf(ConnectionResetException.class, cut);
                                    Errors.assertMentions(cut, "without the end of TLS");
                                },
                                connected -> {
                                    ask(connected);
                                    net.settle();
                                    connected.closeChannel();
                                }));
    }

    @Test
    void I2_silenceInTheMiddleOfTheAgreement() {
        Tls server = server(local).withHandshakeLimit(Duration.ofMillis(50));
        Tls client = client(local).withHandshakeLimit(Duration.ofMillis(50));
        Tls withNames = server.withHost("*.example.com", example.certificates(), example.key());
        Net.anywhere(
                net -> {
                    for (Tls each : List.of(server, withNames)) {
                        net.talk(
                                options(each),
                                TcpOptions.defaults(),
                                accepted -> {
                                    TlsException late =
                                            assertThrows(TlsException.class, accepted::tlsSession);
                                    Errors.assertMentions(late, "handshakeLimit=PT0.05S");
                                    assertInstanceOf(TlsException.class, failure(accepted));
                                },
                                connected -> assertEquals(-1, connected.read(new byte[100])));
                    }
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> silent =
                                Fiber.spin(
                                        "server",
                                        () -> {
                                            try (TcpConnection accepted = listener.accept()) {
                                                failure(accepted); // the client goes
                                            }
                                        });
                        assertThrows(
                                TlsException.class, () -> net.connect(listener, options(client)));
                        silent.await();
                    }
                });
    }

    @Test
    void I4_fiberThatIsEndedWhileTheSidesAgreeLeavesNoConnection() {
        Tls client = client(local);
        Net.anywhere(
                net -> {
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> connecting =
                                Fiber.spin("client", () -> net.connect(listener, options(client)));
                        try (TcpConnection accepted = listener.accept()) {
                            net.until(() -> accepted.unread() > 0);
                            connecting.terminate();
                            connecting.awaitEnd(Net.LONG);
                            // Without a word, or broken off.
                            try {
                                while (accepted.read(new byte[1_000]) >= 0) {}
                            } catch (ConnectionResetException broken) {
                                Errors.assertMentions(broken, "broken off");
                            }
                        }
                    }
                });
    }

    /** Each time is work for the server and nearly none for the client. */
    @Test
    void I2_agreeingASecondTimeIsRefused() throws Exception {
        Tls server = server(local);
        SSLSocketFactory clients = local.clientsOfTheJdk();
        Net.onSockets(
                net -> {
                    try (TcpListener listener = net.listen(options(server))) {
                        int port = listener.port();
                        Fiber<?> asking =
                                Fiber.spin(
                                        "client",
                                        () -> Blocking.run(() -> agreeTwice(clients, port)));
                        try (TcpConnection accepted = listener.accept()) {
                            assertEquals("line", accepted.readLine());
                            assertEquals("TLSv1.2", accepted.tlsSession().getProtocol());
                            accepted.write("line\n");
                            ConnectionException refused =
                                    assertThrows(ConnectionException.class, accepted::readLine);
                            if (engine == SslProvider.JDK) { // BoringSSL refuses by itself
                                assertInstanceOf(TlsException.class, refused);
                                Errors.assertMentions(refused, "TLS 1.2 anew", "refused");
                            }
                        }
                        asking.await();
                    }
                });
    }

    private static void agreeTwice(SSLSocketFactory clients, int port) throws IOException {
        try (SSLSocket socket = (SSLSocket) clients.createSocket("127.0.0.1", port)) {
            socket.setSoTimeout(30_000);
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.startHandshake();
            socket.getOutputStream().write("line\n".getBytes(US_ASCII));
            assertEquals('l', socket.getInputStream().read());
            assertThrows(
                    IOException.class,
                    () -> {
                        socket.startHandshake();
                        socket.getInputStream().readAllBytes();
                    });
        }
    }

    /** The names are chosen by the client's first words: what is written before waits for them. */
    @Test
    void I2_nothingIsWrittenInPlainBeforeTheClientHasSpoken() {
        Tls server = server(local).withHost("a.example.com", example.certificates(), example.key());
        Tls client = client(local);
        Net.anywhere(
                net -> {
                    talk(
                            net,
                            server,
                            client,
                            accepted -> {
                                accepted.write("welcome\n").write(new byte[100_000]);
                                assertEquals("line", accepted.readLine());
                            },
                            connected -> {
                                assertEquals("welcome", connected.readLine());
                                connected.skip(100_000);
                                connected.write("line\n");
                            });
                    boolean[] isWritten = {false};
                    net.talk(
                            options(server),
                            TcpOptions.defaults(),
                            accepted -> {
                                accepted.write("welcome\n");
                                isWritten[0] = true;
                                assertInstanceOf(TlsException.class, failure(accepted));
                                assertThrows(TlsException.class, () -> accepted.write("more\n"));
                            },
                            connected -> {
                                net.until(() -> isWritten[0]);
                                net.settle();
                                connected.write("GET / HTTP/1.1\r\n\r\n");
                                byte[] some = new byte[100];
                                int count = connected.read(some);
                                assertFalse(
                                        new String(some, 0, Math.max(0, count), US_ASCII)
                                                .contains("welcome"));
                            });
                });
    }

    /** The choice of a name and the rest have one limit. */
    @Test
    void I2_handshakeLimitIsOneForAll() {
        Duration limit = Duration.ofMinutes(10);
        Tls server = server(local).withHandshakeLimit(limit);
        for (Tls each :
                List.of(
                        server,
                        server.withHost("a.example.com", example.certificates(), example.key()))) {
            Net.inMemory(
                    net ->
                            net.talk(
                                    options(each),
                                    TcpOptions.defaults(),
                                    accepted -> {
                                        long beganNs = Cord.current().nanoTime();
                                        Errors.assertMentions(
                                                assertThrows(
                                                        TlsException.class, accepted::tlsSession),
                                                "handshakeLimit=PT10M");
                                        long tookNs = Cord.current().nanoTime() - beganNs;
                                        assertEquals(10, Duration.ofNanos(tookNs).toMinutes());
                                    },
                                    connected -> {
                                        Fiber.sleep(Duration.ofMinutes(8));
                                        connected.write(clientHello());
                                        while (connected.read(new byte[1_000]) >= 0) {}
                                    }));
        }
    }

    private static byte[] clientHello() throws Exception {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return Arrays.copyOf(hello.array(), hello.position());
    }

    /** Each is work for the server, and an answer that the client need not read. */
    @Test
    void I2_newKeysWithoutAnEndAreRefused() throws Exception {
        Tls server = server(local);
        SSLSocketFactory clients = local.clientsOfTheJdk();
        Net.onSockets(
                net -> {
                    try (TcpListener listener = net.listen(options(server))) {
                        int port = listener.port();
                        Fiber<?> asking =
                                Fiber.spin(
                                        "client",
                                        () -> Blocking.run(() -> changeKeys(clients, port)));
                        try (TcpConnection accepted = listener.accept()) {
                            for (int i = 0; i < 50; i++) {
                                assertEquals("line", accepted.readLine());
                            }
                            assertEquals("TLSv1.3", accepted.tlsSession().getProtocol());
                            TlsException refused =
                                    assertThrows(TlsException.class, accepted::readLine);
                            if (engine == SslProvider.JDK) { // BoringSSL refuses by itself
                                Errors.assertMentions(refused, "keys", "refused");
                            }
                        }
                        asking.await();
                    }
                });
    }

    private static void changeKeys(SSLSocketFactory clients, int port) throws IOException {
        try (SSLSocket socket = (SSLSocket) clients.createSocket("127.0.0.1", port)) {
            socket.setSoTimeout(30_000);
            socket.setEnabledProtocols(new String[] {"TLSv1.3"});
            socket.startHandshake();
            for (int i = 0; i < 50; i++) { // now and then it is in order
                socket.startHandshake();
                socket.getOutputStream().write("line\n".getBytes(US_ASCII));
            }
            try {
                for (int i = 0; i < 20_000; i++) {
                    socket.startHandshake();
                }
                assertEquals(-1, socket.getInputStream().read());
            } catch (IOException refused) {
                // An alert, or the socket is closed by now.
            }
        }
    }

    /** The client has begun to send when it is refused: it hears why, and not of a reset. */
    @Test
    void I2_refusedClientThatSendsIsToldWhy() {
        Tls server = server(local).withTrust(someone.trust());
        Tls client = client(local);
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(options(server));
                    Fiber<?> serving =
                            Fiber.spin(
                                    "server",
                                    () -> listener.serve("client", TcpConnection::readLine));
                    try (TcpConnection connected = net.connect(listener, options(client))) {
                        byte[] much = new byte[net.isVirtual ? 200_000 : 2_000_000];
                        assertThrows(
                                TlsException.class,
                                () -> {
                                    while (true) {
                                        connected.write(much).flush();
                                    }
                                });
                        assertInstanceOf(TlsException.class, failure(connected));
                    }
                    assertTrue(listener.drain(Net.LONG));
                    serving.await();
                });
    }

    /** Of sides that have agreed too: what comes is no record of theirs. */
    @Test
    void I2_brokenTlsIsAnEndAndNoReset() {
        Tls server = server(local);
        Tls client = client(local);
        Net.anywhere(
                net -> {
                    TcpListener listener = net.listen(options(server));
                    Fiber<?> serving =
                            Fiber.spin("server", () -> listener.serve("client", TlsTest::echo));
                    boolean[] isAsked = {false};
                    try (TcpListener relay = net.listen()) {
                        Fiber<?> relaying =
                                Fiber.spin("relay", () -> breakTls(net, relay, listener, isAsked));
                        try (TcpConnection connected = net.connect(relay, options(client))) {
                            ask(connected);
                            isAsked[0] = true;
                            relaying.await();
                        }
                    }
                    assertTrue(listener.drain(Net.LONG));
                    serving.await();
                });
    }

    /** Stands between the two, and puts something in when they have spoken. */
    private static void breakTls(Net net, TcpListener relay, TcpListener to, boolean[] isAsked) {
        try (TcpConnection near = relay.accept();
                TcpConnection far = net.connect(to)) {
            Fiber<?> there = Fiber.spin("there", () -> near.transferTo(far));
            Fiber<?> back = Fiber.spin("back", () -> far.transferTo(near));
            net.until(() -> isAsked[0]);
            there.terminate();
            there.awaitEnd(Net.LONG);
            byte[] much = new byte[net.isVirtual ? 200_000 : 2_000_000];
            System.arraycopy(new byte[] {23, 3, 3, 0, 50}, 0, much, 0, 5);
            far.write(much).flush();
            back.await();
        }
    }

    // ---------------------------------------------------------------- wrong use

    @Test
    void I2_wrongUseIsAnErrorThatNamesTheRemedy() {
        Net.inMemory(
                net -> {
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> net.listen(options(Tls.client()))),
                            "Tls.server");
                    try (TcpListener listener = net.listen()) {
                        Errors.assertMentions(
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () -> net.connect(listener, options(server(local)))),
                                "Tls.client");
                        try (TcpConnection plain = net.connect(listener)) {
                            Errors.assertMentions(
                                    assertThrows(IllegalStateException.class, plain::tlsSession),
                                    "withTls");
                        }
                    }
                });
        Path missing = folder.resolve("missing.pem");
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class, () -> Tls.server(missing, local.key())),
                missing.toString(),
                "certificates");
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Tls.server(local.key(), local.certificates())),
                "PEM",
                "PKCS#8");
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> server(local).withCertificate(local.certificates(), local.key())),
                "withHost");
        assertThrows(
                IllegalArgumentException.class, () -> server(local).withServerName("example.com"));
        assertThrows(
                IllegalArgumentException.class,
                () -> Tls.client().withHost("a", local.certificates(), local.key()));
    }
}
