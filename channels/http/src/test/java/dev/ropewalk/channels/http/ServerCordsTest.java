package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpOptions;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Rule I2: a server whose clients are served on several cords. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ServerCordsTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    /** What a test does with cords beside its own. */
    @FunctionalInterface
    private interface Body {
        void run(List<Cord> others) throws Exception;
    }

    private static void anywhere(Body body) {
        TestCords.run(3, cords -> body.run(cords.subList(1, 3)));
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            Cord.run(
                    CordOptions.named("web").withStacks(stacks),
                    () -> {
                        try (Cord one = Cord.start(CordOptions.named("one").withStacks(stacks));
                                Cord two =
                                        Cord.start(CordOptions.named("two").withStacks(stacks))) {
                            body.run(List.of(one, two));
                        }
                    });
        }
    }

    private static HttpServer serve(List<Cord> cords, HttpHandler handler) {
        HttpOptions options =
                HttpOptions.defaults().withTcp(TcpOptions.defaults().withCords(cords));
        return HttpServer.start(Web.HOST, 0, options, handler);
    }

    private static List<TcpConnection> connect(HttpServer server, int clients) {
        List<TcpConnection> made = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            made.add(TcpConnection.connect(Web.HOST, server.port()));
        }
        return made;
    }

    @Test
    void I2_theHandlerIsCalledOnTheCordOfTheClient() {
        anywhere(
                cords -> {
                    try (HttpServer server =
                            serve(cords, _ -> HttpResponse.text(Cord.current().name()))) {
                        Map<String, Integer> byCord = new TreeMap<>();
                        List<HttpClient> clients = new ArrayList<>();
                        for (int i = 0; i < 6; i++) {
                            HttpClient client = HttpClient.connect(Web.HOST, server.port());
                            clients.add(client);
                            String first = client.send(HttpRequest.get("/")).body().text();
                            String again = client.send(HttpRequest.get("/")).body().text();
                            assertEquals(first, again);
                            byCord.merge(first, 1, Integer::sum);
                        }
                        assertEquals(List.of(3, 3), List.copyOf(byCord.values()), byCord::toString);
                        clients.forEach(HttpClient::close);
                    }
                });
    }

    /** On each cord clients without a request are closed, and the others are answered. */
    @Test
    void I2_drainOnAllCords() {
        anywhere(
                cords -> {
                    AtomicInteger asked = new AtomicInteger();
                    List<Fiber<?>> asking = new ArrayList<>();
                    HttpServer server =
                            serve(
                                    cords,
                                    _ -> {
                                        synchronized (asking) {
                                            asking.add(Fiber.current());
                                        }
                                        asked.incrementAndGet();
                                        Fiber.suspend();
                                        return HttpResponse.text("at last");
                                    });
                    List<TcpConnection> idle = connect(server, 4);
                    List<TcpConnection> busy = connect(server, 4);
                    busy.forEach(each -> each.write(GET));
                    while (asked.get() < 4) {
                        Fiber.sleep(Duration.ofMillis(1));
                    }
                    Fiber<Boolean> draining = Fiber.spin("drain", () -> server.drain(LONG));
                    for (TcpConnection each : idle) {
                        assertEquals("", Web.rest(each));
                        each.close();
                    }
                    asking.forEach(each -> each.schedule(null));
                    for (TcpConnection each : busy) {
                        String got = Web.rest(each);
                        assertTrue(got.contains("at last"), got);
                        assertTrue(got.contains("connection: close"), got);
                        each.close();
                    }
                    assertTrue(draining.await());
                });
    }

    @Test
    void I2_closeReachesAllCords() {
        anywhere(
                cords -> {
                    HttpServer server = serve(cords, _ -> HttpResponse.text("x"));
                    List<TcpConnection> clients = connect(server, 10);
                    clients.getFirst().write(GET);
                    assertTrue(Web.head(clients.getFirst()).contains("200"));
                    server.close();
                    server.await();
                    for (TcpConnection each : clients) {
                        Web.rest(each);
                        each.close();
                    }
                    assertEquals(List.of(), Fiber.current().children());
                });
    }
}
