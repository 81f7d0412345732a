package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.ConnectionResetException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.io.TcpOptions;
import dev.ropewalk.fibers.io.Tls;
import dev.ropewalk.fibers.spi.ClosedException;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Rule I2: of an answer that the end of the connection ends, the end of TLS says that it is whole.
 */
@SuppressWarnings("StringConcatToTextBlock") // each byte of a line end matters
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ClientTlsTest {
    private static final String UNTIL_THE_END =
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + "a page";
    private static final String WITH_LENGTH =
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\n" + "a page";

    @TempDir private static Path folder;
    private static Tls server;
    private static Tls client;

    @BeforeAll
    static void make() throws Exception {
        X509Bundle identity =
                new CertificateBuilder()
                        .ecp256()
                        .subject("CN=localhost")
                        .setIsCertificateAuthority(true)
                        .addSanIpAddress(Web.HOST)
                        .buildSelfSigned();
        Path chain = Files.writeString(folder.resolve("a.pem"), identity.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("a.key"), identity.getPrivateKeyPEM());
        server = Tls.server(chain, key).withHandshakeLimit(Duration.ofMinutes(1));
        client = Tls.client().withTrust(chain).withHandshakeLimit(Duration.ofMinutes(1));
    }

    /**
     * What the client does with the answer; run {@code cut} to end its input without that of TLS.
     */
    @FunctionalInterface
    interface Use {
        void run(HttpResponse response, Runnable cut) throws Exception;
    }

    /** The client talks to the server through a relay, which knows nothing of TLS. */
    private static void ask(String answer, boolean isWhole, Use use) {
        Web.anywhere(
                web -> {
                    TcpOptions encrypted = TcpOptions.defaults().withTls(server);
                    try (TcpListener listener = TcpListener.bind(Web.HOST, 0, encrypted);
                            TcpListener relay = TcpListener.bind(Web.HOST, 0)) {
                        Fiber<?> serving =
                                Fiber.spin("server", () -> serve(listener, answer, isWhole));
                        TcpConnection[] near = {null};
                        Fiber<?> relaying =
                                Fiber.spin("relay", () -> relay(relay, listener.port(), near));
                        HttpOptions options = HttpOptions.defaults();
                        try (HttpClient asking =
                                HttpClient.connect(
                                        Web.HOST,
                                        relay.port(),
                                        options.withTcp(options.tcp().withTls(client)))) {
                            use.run(
                                    asking.send(HttpRequest.get("/")),
                                    () -> near[0].shutdownOutput());
                        }
                        relaying.terminate();
                        serving.terminate();
                        relaying.awaitEnd(Duration.ofDays(1));
                        serving.awaitEnd(Duration.ofDays(1));
                    }
                });
    }

    private static void serve(TcpListener listener, String answer, boolean isWhole) {
        try (TcpConnection accepted = listener.accept()) {
            Web.head(accepted);
            accepted.write(answer).flush();
            if (!isWhole) {
                Web.rest(accepted);
            }
        }
    }

    private static void relay(TcpListener from, int to, TcpConnection[] near) {
        try (TcpConnection asking = from.accept();
                TcpConnection answering = TcpConnection.connect(Web.HOST, to)) {
            near[0] = asking;
            Fiber<?> back = Fiber.spin("back", () -> forward(asking, answering));
            forward(answering, asking);
            back.awaitEnd(Duration.ofDays(1));
        }
    }

    private static void forward(TcpConnection from, TcpConnection to) {
        try {
            from.transferTo(to);
            to.shutdownOutput();
        } catch (ConnectionException gone) {
            assertFalse(from.isOpen() && to.isOpen(), gone.toString());
        }
    }

    @Test
    void I2_answerUntilTheEndOfTlsIsWhole() {
        ask(UNTIL_THE_END, true, (response, cut) -> assertEquals("a page", response.body().text()));
    }

    @Test
    void I2_answerThatIsCutOffIsAnError() {
        ask(
                UNTIL_THE_END,
                false,
                (response, cut) -> {
                    StringBuilder all = new StringBuilder();
                    while (all.length() < 6) {
                        all.append(new String(response.body().receive(), UTF_8));
                    }
                    cut.run();
                    ClosedException broken =
                            assertThrows(ClosedException.class, response.body()::receive);
                    assertInstanceOf(ConnectionResetException.class, broken.getCause());
                });
    }

    /** Many servers end so. */
    @Test
    void I2_answerThatIsWholeByItsLengthNeedsNoEndOfTls() {
        ask(
                WITH_LENGTH,
                false,
                (response, cut) -> {
                    cut.run();
                    assertEquals("a page", response.body().text());
                });
    }
}
