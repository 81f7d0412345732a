package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.spi.Waits;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** An answer behind which the server closes reaches a client that still sends. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EarlyEndTest {
    private static final int MUCH = 300_000;
    private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\n";

    /** What is sent, and the status that it is answered with. */
    private static final List<String[]> REFUSED =
            List.of(
                    new String[] {"413", POST + "Content-Length: " + MUCH + "\r\n\r\n"},
                    new String[] {"413", POST + "Transfer-Encoding: chunked\r\n\r\n493e0\r\n"},
                    new String[] {"400", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
                    new String[] {"400", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"},
                    new String[] {"505", "GET / HTTP/3.7\r\nHost: a\r\n\r\n"},
                    new String[] {"417", POST + "Expect: the best\r\nContent-Length: 9\r\n\r\n"},
                    new String[] {"414", "GET /"},
                    new String[] {"431", "GET / HTTP/1.1\r\nHost: a\r\nX: "},
                    new String[] {"200", POST + "Connection: close\r\nContent-Length: 0\r\n\r\n"});

    private static HttpResponse handle(HttpRequest request) {
        return HttpResponse.text("" + request.body().bytes().length);
    }

    private static String answer(Web web, HttpServer server, String head) {
        try (TcpConnection raw = web.raw(server)) {
            Fiber<?> sender =
                    Fiber.spin(
                            "sender",
                            () -> {
                                try {
                                    raw.write(head + "x".repeat(MUCH)).flush();
                                } catch (ConnectionException refused) {
                                    // It has its answer.
                                }
                            });
            Fiber.sleep(Duration.ofMillis(web.isVirtual ? 60_000 : 20)); // the server is done
            String got = Web.rest(raw);
            sender.await();
            return got;
        }
    }

    @Test
    void I2_aRefusalReachesAClientThatStillSends() {
        HttpOptions options = HttpOptions.defaults().withMaxBodyBytes(1_000);
        HttpOptions patient =
                options.withTcp(options.tcp().withLingerLimit(Waits.FOREVER)); // a slow machine
        Web.anywhere(
                web -> {
                    try (HttpServer server = web.serve(patient, EarlyEndTest::handle)) {
                        for (String[] each : REFUSED) {
                            String got = answer(web, server, each[1]);
                            String shown = each[1] + " -> " + got;
                            assertTrue(got.startsWith("HTTP/1.1 " + each[0] + " "), shown);
                            assertTrue(got.contains("\r\n\r\n"), shown);
                            assertFalse(got.contains("RESET"), shown);
                        }
                    }
                });
    }

    /**
     * The drain waits for the client's end too, so that the end of the program takes nothing back.
     */
    @Test
    void I2_aDrainWaitsForWhatLingers() {
        Web.inMemory(
                web -> {
                    HttpServer server = web.serve(EarlyEndTest::handle);
                    TcpConnection raw = web.raw(server);
                    raw.write(POST + "Connection: close\r\nContent-Length: 0\r\n\r\n");
                    String got = Web.rest(raw);
                    assertTrue(got.startsWith("HTTP/1.1 200"), got);
                    long beganNs = Cord.current().nanoTime();
                    assertTrue(server.drain(Duration.ofHours(1)));
                    long tookNs = Cord.current().nanoTime() - beganNs;
                    assertTrue(tookNs > Duration.ofMillis(500).toNanos(), "took " + tookNs);
                    assertTrue(tookNs < Duration.ofSeconds(3).toNanos(), "took " + tookNs);
                    raw.close();
                });
    }
}
