package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.io.CodecException;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.ConnectionResetException;
import dev.ropewalk.fibers.io.ConnectionTimeoutException;
import dev.ropewalk.fibers.io.EndOfInputException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.io.TcpOptions;
import dev.ropewalk.fibers.spi.ClosedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;

/** What a client does with servers that answer in order, late, half, or with something else. */
@SuppressWarnings("StringConcatToTextBlock") // each byte of a line end matters
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ClientTest {
    private static final HttpRequest GET = HttpRequest.get("/");

    /** What the client does. */
    @FunctionalInterface
    interface Use {
        void run(HttpClient client) throws Exception;
    }

    /**
     * A server that answers the requests of one connection each with these bytes, and closes it.
     */
    private static void against(List<List<String>> answers, Use use) {
        Web.anywhere(
                web -> {
                    try (TcpListener listener = TcpListener.bind(Web.HOST, 0)) {
                        Fiber<?> server = Fiber.spin("server", () -> answer(listener, answers));
                        try (HttpClient client = HttpClient.connect(Web.HOST, listener.port())) {
                            use.run(client);
                        }
                        server.terminate();
                        server.awaitEnd(Duration.ofDays(1));
                    }
                });
    }

    private static void answer(TcpListener listener, List<List<String>> answers) {
        for (List<String> each : answers) {
            try (TcpConnection accepted = listener.accept()) {
                for (String answer : each) {
                    if (!Web.head(accepted).isEmpty()) {
                        accepted.write(answer);
                    }
                }
                accepted.shutdownOutput();
                Web.rest(accepted);
            } catch (ConnectionException reset) {
                assertTrue(true, "the client may be gone first");
            }
        }
    }

    private static String ok(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @Test
    void I2_answersOfEachLength() {
        against(
                List.of(
                        List.of(
                                ok("one"),
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                        + "2\r\ntw\r\n1\r\no\r\n0\r\n\r\n",
                                "HTTP/1.1 100 Continue\r\n\r\n"
                                        + "HTTP/1.1 103 Early Hints\r\n"
                                        + "A: b\r\n\r\n"
                                        + ok("three"),
                                "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
                                "HTTP/1.1 200 OK\r\n\r\nuntil the end")),
                client -> {
                    assertEquals("one", client.send(GET).body().text());
                    assertEquals("two", client.send(GET).body().text());
                    assertEquals("three", client.send(GET).body().text());
                    assertEquals(304, client.send(GET).status());
                    assertEquals("until the end", client.send(GET).body().text());
                });
    }

    @Test
    void I2_aServerThatClosesIsConnectedToAnew() {
        against(
                List.of(
                        List.of(ok("a")),
                        List.of("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nb"),
                        List.of("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nc"),
                        List.of(ok("d"))),
                client -> {
                    for (String each : List.of("a", "b", "c", "d")) {
                        assertEquals(each, client.send(GET).body().text());
                        Fiber.sleep(Duration.ofMillis(50)); // the end of the connection arrives
                    }
                });
    }

    @Test
    void I2_whatNobodyReceivedIsDropped() {
        against(
                List.of(
                        List.of(
                                ok("unread"),
                                ok("x".repeat(50_000)),
                                ok("y".repeat(500_000)),
                                ok("never asked")),
                        List.of(ok("next"))),
                client -> {
                    for (int i = 0; i < 3; i++) {
                        assertEquals(200, client.send(GET).status());
                    }
                    assertEquals("next", client.send(GET).body().text());
                });
    }

    @Test
    void I2_aBodyThatIsCutOff() {
        against(
                List.of(
                        List.of("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
                        List.of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf"),
                        List.of("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")),
                client -> {
                    for (int i = 0; i < 2; i++) {
                        HttpBody body = client.send(GET).body();
                        EndOfInputException cutOff =
                                assertThrows(EndOfInputException.class, body::bytes);
                        assertTrue(cutOff.toString().contains("GET /"), cutOff::toString);
                        assertTrue(cutOff.toString().contains("4 bytes"), cutOff::toString);
                    }
                    Iterator<byte[]> chunks = client.send(GET).body().iterator();
                    StringBuilder got = new StringBuilder();
                    ClosedException end =
                            assertThrows(
                                    ClosedException.class,
                                    () -> {
                                        while (chunks.hasNext()) {
                                            got.append(new String(chunks.next(), UTF_8));
                                        }
                                    });
                    assertEquals("half", got.toString());
                    assertTrue(end.getCause() instanceof EndOfInputException, end::toString);
                });
    }

    @Test
    void I2_aServerThatDoesNotAnswer() {
        against(
                List.of(List.of(""), List.of(ok("next"))),
                client -> {
                    ConnectionResetException gone =
                            assertThrows(ConnectionResetException.class, () -> client.send(GET));
                    assertTrue(gone.toString().contains("GET /"), gone::toString);
                    assertEquals("next", client.send(GET).body().text());
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH\r\n\r\n",
                "HTTP/1.1 abc\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
                "HTTP/2.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
                "HTTP/0.9 200 OK\r\nContent-Length: 1\r\n\r\nx",
                "ICY/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
                "HTTP/1.1 099 Early\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 200 OK\r\n"
                        + "Content-Length: 1\r\n\r\nx",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"
                        + "\r\n0\r\n\r\n",
            })
    void I2_anAnswerThatIsNoHttp(String bytes) {
        against(
                List.of(List.of(bytes), List.of(ok("next"))),
                client -> {
                    assertThrows(CodecException.class, () -> client.send(GET));
                    assertEquals("next", client.send(GET).body().text());
                });
    }

    @Test
    void I5_headsWithoutEndAreNoAnswer() {
        String hint = "HTTP/1.1 103 Early Hints\r\n\r\n";
        against(
                List.of(
                        List.of(hint.repeat(32) + "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx"),
                        List.of(hint.repeat(33) + ok("x")),
                        List.of(ok("next"))),
                client -> {
                    assertEquals("x", client.send(GET).body().text());
                    CodecException many =
                            assertThrows(CodecException.class, () -> client.send(GET));
                    assertTrue(many.toString().contains("32"), many::toString);
                    assertEquals("next", client.send(GET).body().text());
                });
    }

    @Test
    void I5_whatCannotBeAnAnswerIsNamed() {
        against(
                List.of(
                        List.of("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
                        List.of("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
                        List.of("HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n")),
                client -> {
                    for (String told : List.of("gzip, chunked", "101", "HTTP/2.0")) {
                        CodecException unfit =
                                assertThrows(CodecException.class, () -> client.send(GET));
                        assertTrue(unfit.toString().contains(told), unfit::toString);
                    }
                });
    }

    /**
     * The fiber that reads it must not take the next answer for a part of it, nor a part for all.
     */
    @Test
    void I5_aBodyThatIsStillReceivedWhenTheNextRequestIsSent() {
        Web.anywhere(
                web -> {
                    Channel<byte[]> slow = Channel.rendezvous();
                    try (HttpServer server =
                                    web.serve(
                                            request ->
                                                    request.path().equals("/slow")
                                                            ? HttpResponse.of(
                                                                    "x/y", HttpBody.of(slow))
                                                            : HttpResponse.text("next"));
                            HttpClient client = web.client(server)) {
                        HttpBody first = client.send(HttpRequest.get("/slow")).body();
                        Fiber<String> reader =
                                Fiber.spin(
                                        "reads",
                                        () -> {
                                            ClosedException dropped =
                                                    assertThrows(
                                                            ClosedException.class, first::text);
                                            return String.valueOf(dropped.getCause());
                                        });
                        slow.send(new byte[] {1});
                        Fiber<?> end =
                                Fiber.spin(
                                        "ends",
                                        () -> {
                                            slow.send(new byte[] {2});
                                            slow.close();
                                        });
                        assertEquals("next", client.send(GET).body().text());
                        assertTrue(reader.await().contains("next request"), reader.await());
                        end.await();
                    }
                });
    }

    @Test
    void I5_twoFibersThatReceiveOneBody() {
        Web.anywhere(
                web -> {
                    Channel<byte[]> slow = Channel.rendezvous();
                    try (HttpServer server =
                                    web.serve(_ -> HttpResponse.of("x/y", HttpBody.of(slow)));
                            HttpClient client = web.client(server)) {
                        HttpBody body = client.send(GET).body();
                        Fiber<String> first = Fiber.spin("first", body::text);
                        Fiber.sleep(Duration.ofMillis(20));
                        IllegalStateException second =
                                assertThrows(IllegalStateException.class, body::receive);
                        assertTrue(second.toString().contains("first"), second::toString);
                        slow.send(new byte[] {'x'});
                        slow.close();
                        assertEquals("x", first.await());
                    }
                });
    }

    @Test
    void I5_aBodyThatWasReceivedIsNotSentAsAnEmptyOne() {
        Web.anywhere(
                web -> {
                    try (HttpServer server =
                                    web.serve(request -> HttpResponse.text(request.body().text()));
                            HttpClient client = web.client(server)) {
                        HttpBody used = client.send(HttpRequest.post("/", HttpBody.of("a"))).body();
                        assertEquals("a", used.text());
                        HttpRequest again = HttpRequest.post("/", used);
                        assertThrows(ClosedException.class, () -> client.send(again));
                        HttpBody next = client.send(HttpRequest.post("/", HttpBody.of("b"))).body();
                        assertEquals("b", next.text());
                    }
                });
    }

    @Test
    void I2_malformedChunks() {
        against(
                List.of(
                        List.of(
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                        + "2\r\nab\r\nzz\r\n"),
                        List.of(ok("next"))),
                client -> {
                    HttpBody body = client.send(GET).body();
                    assertThrows(CodecException.class, body::bytes);
                    assertEquals("next", client.send(GET).body().text());
                });
    }

    @Test
    void I2_anAnswerAboveItsLimit() {
        HttpOptions small = HttpOptions.defaults().withMaxBodyBytes(10);
        Web.anywhere(
                web -> {
                    try (HttpServer server = web.serve(_ -> HttpResponse.text("x".repeat(11)));
                            HttpClient client =
                                    HttpClient.connect(Web.HOST, server.port(), small)) {
                        HttpBody body = client.send(GET).body();
                        assertEquals(413, assertThrows(HttpException.class, body::text).status());
                        assertEquals(11, client.send(GET).body().bytes(11).length);
                    }
                });
    }

    @Test
    void I2_aServerThatAnswersBeforeItHasAll() {
        Web.anywhere(
                web -> {
                    try (HttpServer server =
                                    web.serve(_ -> HttpResponse.text("too much").withStatus(413));
                            HttpClient client = web.client(server)) {
                        int chunks = 20;
                        Channel<byte[]> body = Channel.buffered(1);
                        Fiber<?> making =
                                Fiber.spin(
                                        "makes",
                                        () -> {
                                            try {
                                                for (int i = 0; i < chunks; i++) {
                                                    body.send(new byte[100_000]);
                                                }
                                                body.close();
                                            } catch (ClosedException cancelled) {
                                                assertTrue(true, "the rest was not wanted");
                                            }
                                        });
                        HttpResponse early = client.send(HttpRequest.post("/", HttpBody.of(body)));
                        assertEquals(413, early.status());
                        making.await();
                        assertEquals(413, client.send(GET).status());
                    }
                });
    }

    @Test
    void I2_limitsOfTime() {
        Web.anywhere(
                web -> {
                    HttpOptions hasty =
                            HttpOptions.defaults()
                                    .withTcp(
                                            TcpOptions.defaults()
                                                    .withReadLimit(Duration.ofMillis(100)));
                    boolean[] isSlow = {true};
                    try (HttpServer server =
                                    web.serve(
                                            _ -> {
                                                web.until(() -> !isSlow[0]);
                                                return HttpResponse.text("x");
                                            });
                            HttpClient client =
                                    HttpClient.connect(Web.HOST, server.port(), hasty)) {
                        assertThrows(ConnectionTimeoutException.class, () -> client.send(GET));
                        assertThrows(
                                FiberTimeoutException.class,
                                () ->
                                        CancelScope.cancelAfter(
                                                Duration.ofMillis(10), () -> client.send(GET)));
                        isSlow[0] = false;
                        Fiber.sleep(Duration.ofMillis(50));
                        assertEquals("x", client.send(GET).body().text());
                    }
                });
    }

    @Test
    @SuppressWarnings("try") // to close twice is part of it
    void I2_oneFiberSendsAtATime() {
        Web.anywhere(
                web -> {
                    boolean[] isSlow = {true};
                    try (HttpServer server =
                                    web.serve(
                                            _ -> {
                                                web.until(() -> !isSlow[0]);
                                                return HttpResponse.text("x");
                                            });
                            HttpClient client = web.client(server)) {
                        Fiber<String> first =
                                Fiber.spin("first", () -> client.send(GET).body().text());
                        Fiber.sleep(Duration.ofMillis(20));
                        IllegalStateException second =
                                assertThrows(IllegalStateException.class, () -> client.send(GET));
                        assertTrue(second.toString().contains("first"), second::toString);
                        assertTrue(second.toString().contains("Mutex"), second::toString);
                        isSlow[0] = false;
                        assertEquals("x", first.await());
                        client.close();
                        client.close();
                        assertThrows(IllegalStateException.class, () -> client.send(GET));
                    }
                });
    }

    @Test
    void I2_whatIsMadeWronglyIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> HttpRequest.of("GET ", "/"));
        assertThrows(IllegalArgumentException.class, () -> HttpRequest.get("/a b"));
        assertThrows(IllegalArgumentException.class, () -> HttpRequest.get("/\r\nX: y"));
        assertThrows(IllegalArgumentException.class, () -> HttpRequest.get(""));
        assertThrows(IllegalArgumentException.class, () -> HttpRequest.get("a"));
        assertThrows(IllegalArgumentException.class, () -> HttpRequest.get("*"));
        assertThrows(IllegalArgumentException.class, () -> HttpRequest.get("/a#b"));
        assertThrows(IllegalArgumentException.class, () -> HttpRequest.of("CONNECT", "/"));
        assertEquals("*", HttpRequest.of("OPTIONS", "*").path());
        assertEquals("/b", HttpRequest.get("http://a/b").path());
        assertThrows(IllegalArgumentException.class, () -> GET.withHeader("X", "y\r\nZ: z"));
        assertThrows(IllegalArgumentException.class, () -> GET.withHeader("X y", "z"));
        assertThrows(IllegalArgumentException.class, () -> HttpResponse.of(99));
        assertThrows(IllegalArgumentException.class, () -> HttpResponse.of(200).withStatus(600));
        assertThrows(IllegalArgumentException.class, () -> new HttpException(200, "fine"));
        HttpHeaders two = HttpHeaders.empty().and("A", "1").and("a", "2");
        assertEquals(List.of("1", "2"), two.all("A"));
        assertEquals(1, two.with("A", "3").size());
        assertFalse(two.without("a").has("A"));
        assertEquals(2, two.size());
    }
}
