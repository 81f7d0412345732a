package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.spi.ClosedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The body of a request and the body of its answer, alive together: each way to send the one with
 * each way to make the other. Whatever the handler does with them, the client gets one answer that
 * is whole, or a refusal, and the connection is used again or closed in order.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class ExchangeTest {
    private static final String BODY = "hello";

    /** How the client asks. */
    enum Asked {
        GET("GET / HTTP/1.1\r\n", "\r\n"),
        HEAD("HEAD / HTTP/1.1\r\n", "\r\n"),
        LENGTH("POST / HTTP/1.1\r\n", "Content-Length: 5\r\n\r\n"),
        CHUNKED("POST / HTTP/1.1\r\n", "Transfer-Encoding: chunked\r\n\r\n"),
        EXPECT("POST / HTTP/1.1\r\n", "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n");

        final String first;
        final String fields;

        Asked(String first, String fields) {
            this.first = first;
            this.fields = fields;
        }

        boolean hasBody() {
            return this != GET && this != HEAD;
        }

        String body() {
            return this == CHUNKED ? "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n" : hasBody() ? BODY : "";
        }
    }

    /** What the answer is made of. */
    enum Made {
        ARRAY,
        CHANNEL,
        /** The request's own body. */
        OWN,
        /** A fiber that reads the request's body while it sends. */
        FIBER
    }

    /** When the handler, or what it has spun, reads the request's body. */
    enum Read {
        BEFORE,
        WHILE,
        NEVER
    }

    record Cell(Asked asked, Made made, Read read, int status, boolean isKept) {
        boolean wantsBody() {
            return asked != Asked.HEAD && status == 200;
        }

        boolean isRefused() {
            return made == Made.OWN && read != Read.WHILE && asked.hasBody() && wantsBody();
        }

        boolean isStreamed() {
            return wantsBody() && made != Made.ARRAY && !isRefused() && !isEmptyArray();
        }

        /** A request without a body has an array for it. */
        private boolean isEmptyArray() {
            return made == Made.OWN && !asked.hasBody();
        }

        boolean isChunked() {
            return isStreamed() && !(made == Made.OWN && asked != Asked.CHUNKED);
        }

        /** What the client is to receive as the body. */
        String answer() {
            if (!wantsBody()) {
                return "";
            }
            if (isRefused()) {
                return "the server failed\n";
            }
            String body = asked.hasBody() ? BODY : "";
            return switch (made) {
                case ARRAY -> "array";
                case CHANNEL -> "one two";
                case OWN -> body;
                case FIBER ->
                        switch (read) {
                            case BEFORE -> "";
                            case WHILE -> body.toUpperCase(Locale.ROOT);
                            case NEVER -> "early";
                        };
            };
        }

        /** Whether the handler's code has surely asked for the body before the head is sent. */
        boolean isSurelyInvited() {
            return asked == Asked.EXPECT && (read == Read.BEFORE || (isStreamed() && !isGivenUp()));
        }

        boolean isGivenUp() {
            return made == Made.OWN && read == Read.NEVER;
        }
    }

    static Stream<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (Asked asked : Asked.values()) {
            for (Made made : Made.values()) {
                for (Read read : Read.values()) {
                    for (int status : new int[] {200, 204, 304}) {
                        cells.add(new Cell(asked, made, read, status, true));
                        cells.add(new Cell(asked, made, read, status, false));
                    }
                }
            }
        }
        return cells.stream();
    }

    // ---------------------------------------------------------------- the server's side

    /** One exchange, as the handler sees it. */
    private static final class Exchange {
        final Web web;
        final Cell cell;
        final List<Fiber<?>> spun = new ArrayList<>();

        /** What became of the body, for each fiber that read it beside the answer. */
        final Set<String> readers = new TreeSet<>();

        boolean isReading;
        boolean isAnswered;

        Exchange(Web web, Cell cell) {
            this.web = web;
            this.cell = cell;
        }

        HttpResponse handle(HttpRequest request) {
            if (request.path().equals("/next")) {
                return HttpResponse.text("next");
            }
            HttpBody body = request.body();
            if (cell.read == Read.BEFORE) {
                assertEquals(cell.asked.hasBody() ? BODY : "", body.text());
            }
            return HttpResponse.of("text/plain", made(body)).withStatus(cell.status);
        }

        private HttpBody made(HttpBody body) {
            return switch (cell.made) {
                case ARRAY -> {
                    if (cell.read == Read.WHILE) {
                        spin("reads beside", () -> readBeside(body));
                        web.until(() -> isReading);
                    }
                    yield HttpBody.of("array");
                }
                case CHANNEL -> {
                    Channel<byte[]> words = Channel.rendezvous();
                    spin("sends", () -> sendWords(words, body));
                    yield HttpBody.of(words);
                }
                case OWN -> {
                    if (cell.read == Read.NEVER) {
                        body.cancel();
                    }
                    yield body;
                }
                case FIBER -> {
                    Channel<byte[]> chunks = Channel.rendezvous();
                    spin("answers", () -> answerFrom(body, chunks));
                    yield HttpBody.of(chunks);
                }
            };
        }

        private void spin(String name, dev.ropewalk.fibers.Action what) {
            spun.add(Fiber.spin(name, what));
        }

        /** Gets all of it, or is told that it does not. */
        private void readBeside(HttpBody body) {
            StringBuilder all = new StringBuilder();
            isReading = true;
            try {
                for (byte[] chunk : body) {
                    all.append(new String(chunk, UTF_8));
                }
                readers.add(all.toString());
            } catch (ClosedException dropped) {
                assertNotNull(dropped.getCause(), dropped::toString);
                readers.add("dropped");
                throw dropped; // as a fiber does that does not expect it
            }
        }

        private void sendWords(Channel<byte[]> words, HttpBody body) throws Exception {
            words.send("one".getBytes(UTF_8));
            if (cell.read == Read.WHILE) {
                Fiber<?> reader = Fiber.spin("reads beside", () -> readBeside(body));
                spun.add(reader);
                reader.await();
            }
            words.send(" two".getBytes(UTF_8));
            words.close();
        }

        private void answerFrom(HttpBody body, Channel<byte[]> chunks) {
            if (cell.read == Read.NEVER) {
                chunks.send("early".getBytes(UTF_8));
                chunks.close();
                web.until(() -> isAnswered);
                readBeside(body); // when the exchange is over
                return;
            }
            for (byte[] chunk : body) {
                chunks.send(new String(chunk, UTF_8).toUpperCase(Locale.ROOT).getBytes(UTF_8));
            }
            chunks.close();
        }
    }

    // ---------------------------------------------------------------- the client's side

    /** The bytes of one answer, and what they say. */
    private record Reply(String head, String body) {
        boolean closes() {
            return head.toLowerCase(Locale.ROOT).contains("connection: close");
        }

        boolean isChunked() {
            return head.toLowerCase(Locale.ROOT).contains("transfer-encoding: chunked");
        }

        static Reply of(TcpConnection raw, boolean hasBody) {
            String head = Web.head(raw);
            Reply alone = new Reply(head, "");
            if (!hasBody || head.startsWith("HTTP/1.1 100")) {
                return alone;
            }
            return new Reply(head, alone.isChunked() ? chunks(raw) : counted(raw, head));
        }

        private static String counted(TcpConnection raw, String head) {
            String lower = head.toLowerCase(Locale.ROOT);
            int at = lower.indexOf("content-length: ");
            assertTrue(at > 0, head);
            String length = lower.substring(at + 16, lower.indexOf('\n', at));
            return new String(raw.readFully(Integer.parseInt(length)), ISO_8859_1);
        }

        private static String chunks(TcpConnection raw) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            while (true) {
                int size = Integer.parseInt(String.valueOf(raw.readLine()), 16);
                all.writeBytes(size == 0 ? new byte[0] : raw.readFully(size));
                assertEquals("", raw.readLine());
                if (size == 0) {
                    return all.toString(ISO_8859_1);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cells")
    void I5_bodiesThatAreAliveTogether(Cell cell) {
        Web.anywhere(
                web -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Exchange exchange = new Exchange(web, cell);
                    Logs.during(lines::add, () -> check(web, cell, exchange));
                    List<Logs.Line> loud =
                            lines.stream().filter(it -> it.level().name().equals("ERROR")).toList();
                    boolean isHeard = Cord.current().stacks() != StackKind.VIRTUAL_THREAD;
                    assertEquals(cell.isRefused() && isHeard ? 1 : 0, loud.size(), loud::toString);
                    exchange.spun.forEach(
                            it -> assertEquals(FiberState.DEAD, it.state(), it::toString));
                    assertTrue(
                            Set.of(BODY, "", "dropped").containsAll(exchange.readers),
                            exchange.readers::toString);
                });
    }

    /** What the client alone can cause is no error of the server. */
    @ParameterizedTest
    @ValueSource(strings = {"", "2\r\nhe", "2\r\nhe\r\n", "2\r\nhe\r\nzz\r\n"})
    void I5_aClientThatBreaksOffWithinTheBodyThatIsSentBack(String sent) {
        Web.inMemory(
                web -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(
                            lines::add,
                            () -> {
                                for (Made made : List.of(Made.OWN, Made.FIBER)) {
                                    checkBrokenOff(web, made, sent, false);
                                    checkBrokenOff(web, made, sent, true);
                                }
                            });
                    assertEquals(List.of(), lines);
                });
    }

    private static void checkBrokenOff(Web web, Made made, String sent, boolean isReset) {
        Cell cell = new Cell(Asked.CHUNKED, made, Read.WHILE, 200, true);
        Exchange exchange = new Exchange(web, cell);
        try (HttpServer server = web.serve(exchange::handle);
                TcpConnection raw = web.raw(server)) {
            raw.write(cell.asked.first + "Host: a\r\n" + cell.asked.fields + sent);
            if (isReset) {
                Fiber.sleep(Duration.ofSeconds(1)); // the answer is under way
                raw.reset();
            } else {
                raw.shutdownOutput();
                String rest = Web.rest(raw);
                assertTrue(rest.endsWith("RESET"), rest);
            }
            web.until(() -> exchange.spun.stream().allMatch(it -> it.state() == FiberState.DEAD));
            Fiber.sleep(Duration.ofMinutes(10));
        }
    }

    /** The fiber that sends is ended with the server. */
    @Test
    void I5_aServerThatIsClosedWhileAFiberSends() {
        Web.inMemory(
                web -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(
                            lines::add,
                            () -> {
                                HttpServer server =
                                        web.serve(
                                                _ -> {
                                                    Channel<byte[]> chunks = Channel.rendezvous();
                                                    Fiber.spin(
                                                            "sends",
                                                            () -> {
                                                                while (true) {
                                                                    chunks.send(new byte[1_000]);
                                                                }
                                                            });
                                                    return HttpResponse.of(
                                                            "x/y", HttpBody.of(chunks));
                                                });
                                try (TcpConnection raw = web.raw(server)) {
                                    raw.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                                    assertTrue(Web.head(raw).startsWith("HTTP/1.1 200"));
                                    server.close();
                                    server.await();
                                    assertTrue(Web.rest(raw).endsWith("RESET"));
                                }
                            });
                    assertEquals(List.of(), lines);
                });
    }

    private static void check(Web web, Cell cell, Exchange exchange) {
        HttpServer server = web.serve(exchange::handle);
        try (TcpConnection raw = web.raw(server)) {
            raw.write(
                    cell.asked.first
                            + "Host: a\r\n"
                            + (cell.isKept ? "" : "Connection: close\r\n")
                            + cell.asked.fields);
            if (cell.asked != Asked.EXPECT) {
                raw.write(cell.asked.body());
            }
            Reply reply = Reply.of(raw, cell.wantsBody());
            boolean isInvited = reply.head.startsWith("HTTP/1.1 100");
            if (isInvited) {
                assertEquals("HTTP/1.1 100 Continue\n", reply.head);
                assertEquals(Asked.EXPECT, cell.asked);
                raw.write(cell.asked.body());
                reply = Reply.of(raw, cell.wantsBody());
            }
            assertTrue(isInvited || !cell.isSurelyInvited(), "no 100");
            assertEquals(cell.answer(), reply.body);
            int status = cell.isRefused() ? 500 : cell.status;
            assertTrue(reply.head.startsWith("HTTP/1.1 " + status), reply.head);
            if (cell.wantsBody()) {
                assertEquals(cell.isChunked(), reply.isChunked(), reply.head);
            }
            boolean isOpen = cell.isKept && (cell.asked != Asked.EXPECT || isInvited);
            assertEquals(!isOpen, reply.closes(), reply.head);
            exchange.isAnswered = true;
            if (isOpen) {
                raw.write("GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
                assertEquals("next", Reply.of(raw, true).body);
            }
            assertEquals("", Web.rest(raw));
            web.until(() -> exchange.spun.stream().allMatch(it -> it.state() == FiberState.DEAD));
        }
        server.close();
        server.await();
        assertEquals(List.of(), Fiber.current().children());
    }
}
