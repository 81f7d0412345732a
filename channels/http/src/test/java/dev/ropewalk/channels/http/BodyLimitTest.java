package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.pipeline.Pipeline;
import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule I5: a body has a limit for the whole of it, not only for each of its pieces. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BodyLimitTest {
    private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\n";
    private static final HttpHandler TEXT =
            request -> HttpResponse.text("" + request.body().bytes().length);

    /** What the server said, and after how many seconds it was gone. */
    private record Told(String answer, long seconds) {}

    /** Sends a head, and then a piece again and again. */
    private static Told trickle(
            Web web, HttpServer server, String head, String piece, Duration period, int times) {
        try (TcpConnection raw = web.raw(server)) {
            long beganNs = Cord.current().nanoTime();
            raw.write(head);
            Fiber<?> sending =
                    Fiber.spin(
                            "sends",
                            () -> {
                                try {
                                    for (int i = 0; i < times; i++) {
                                        Fiber.sleep(period);
                                        raw.write(piece);
                                    }
                                } catch (ConnectionException gone) {
                                    assertTrue(true, "the server has had enough");
                                }
                            });
            String answer = Web.rest(raw);
            long tookNs = Cord.current().nanoTime() - beganNs;
            sending.terminate();
            sending.awaitEnd(Duration.ofDays(1));
            return new Told(answer, tookNs / 1_000_000_000);
        }
    }

    private static void check(HttpOptions options, HttpHandler handler, Check check) {
        Web.inMemory(
                web -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(
                            lines::add,
                            () -> {
                                try (HttpServer server = web.serve(options, handler)) {
                                    check.run(web, server);
                                }
                            });
                    assertEquals(List.of(), lines);
                });
    }

    /** What a test does with a server. */
    @FunctionalInterface
    private interface Check {
        void run(Web web, HttpServer server);
    }

    private static void checkTrickleIsRefused(HttpHandler handler) {
        check(
                HttpOptions.defaults(),
                handler,
                (web, server) -> {
                    String head = POST + "Content-Length: 1000\r\n\r\n";
                    Told told = trickle(web, server, head, "x", Duration.ofSeconds(29), 1_000);
                    assertTrue(told.answer().startsWith("HTTP/1.1 408"), told::toString);
                    assertTrue(told.seconds() < 40, told::toString);
                });
    }

    @Test
    void I5_aTrickleIsRefused() {
        checkTrickleIsRefused(TEXT);
    }

    @Test
    void I5_aTrickleIsRefusedInAPipeline() {
        checkTrickleIsRefused(
                request ->
                        HttpResponse.text(
                                Pipeline.from(request.body()).toList().run().value().toString()));
    }

    @Test
    void I5_aTrickleIsRefusedInASelect() {
        checkTrickleIsRefused(
                request -> {
                    while (true) {
                        Select.of(request.body().onReceive(it -> it.length)).await();
                    }
                });
    }

    @Test
    void I5_aTrickleIsRefusedWithAShorterLimitOfTheHandler() {
        checkTrickleIsRefused(
                request -> {
                    while (true) {
                        request.body().receive(Duration.ofSeconds(1));
                    }
                });
    }

    @Test
    void I5_aTrickleWithoutALimit() {
        check(
                HttpOptions.defaults().withMinBodyRate(0),
                TEXT,
                (web, server) -> {
                    String head = POST + "Connection: close\r\nContent-Length: 10\r\n\r\n";
                    Told told = trickle(web, server, head, "x", Duration.ofSeconds(29), 10);
                    assertTrue(told.answer().endsWith("10"), told::toString);
                });
        assertThrows(
                IllegalArgumentException.class, () -> HttpOptions.defaults().withMinBodyRate(-1));
    }

    @Test
    void I5_aSlowClientThatGoesOnIsServed() {
        check(
                HttpOptions.defaults(),
                TEXT,
                (web, server) -> {
                    String head = POST + "Connection: close\r\nContent-Length: 600000\r\n\r\n";
                    String piece = "x".repeat(1_000);
                    Told told = trickle(web, server, head, piece, Duration.ofSeconds(1), 600);
                    assertTrue(told.answer().endsWith("600000"), told::toString);
                });
    }

    /** What the client waits for is not counted against it. */
    @Test
    void I5_aSlowHandlerCostsTheClientNothing() {
        check(
                HttpOptions.defaults(),
                request -> {
                    int all = 0;
                    for (byte[] chunk : request.body()) {
                        all += chunk.length;
                        Fiber.sleep(Duration.ofHours(1));
                    }
                    return HttpResponse.text("" + all);
                },
                (web, server) -> {
                    String head = POST + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
                    String all = "1\r\nx\r\n".repeat(10) + "0\r\n\r\n";
                    Told told = trickle(web, server, head, all, Duration.ofSeconds(1), 1);
                    assertTrue(told.answer().contains("10"), told::toString);
                    assertTrue(told.answer().startsWith("HTTP/1.1 200"), told::toString);
                });
    }

    @Test
    void I5_whatIsDroppedAfterAnAnswerHasALimitInTime() {
        check(
                HttpOptions.defaults(),
                _ -> HttpResponse.text("unread"),
                (web, server) -> {
                    for (String length :
                            List.of("Content-Length: 60000", "Transfer-Encoding: chunked")) {
                        String piece = length.endsWith("d") ? "1\r\nx\r\n" : "x";
                        String head = POST + length + "\r\n\r\n";
                        Told told =
                                trickle(web, server, head, piece, Duration.ofSeconds(1), 10_000);
                        assertTrue(told.answer().contains("unread"), told::toString);
                        assertTrue(told.seconds() < 10, told::toString);
                    }
                });
    }

    @Test
    void I5_whatIsDroppedAfterAnAnswerHasALimitInBytes() {
        check(
                HttpOptions.defaults(),
                _ -> HttpResponse.text("unread"),
                (web, server) -> {
                    String head = POST + "Transfer-Encoding: chunked\r\n\r\n";
                    String piece = "2710\r\n" + "x".repeat(10_000) + "\r\n";
                    Told told = trickle(web, server, head, piece, Duration.ofMillis(10), 10_000);
                    assertTrue(told.answer().contains("unread"), told::toString);
                    assertTrue(told.seconds() < 5, told::toString);
                });
    }
}
