package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.pipeline.Pipeline;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.Objects;

/** The code of the Javadoc and of the guide's page on HTTP. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HttpSnippetsTest {
    // @start region="handler"
    static HttpResponse handle(HttpRequest request) {
        return switch (request.path()) {
            case "/hello" -> HttpResponse.text("Hello, " + request.query("name") + "!\n");
            case "/json" -> HttpResponse.json("{\"answer\":42}");
            default -> throw new HttpException(404, "no such page");
        };
    }

    // @end

    @Test
    void server() {
        TestCord.run(
                () -> {
                    Fiber<?> stop = Fiber.spin("stop", () -> Fiber.snooze());
                    // @start region="server"
                    try (HttpServer server =
                            HttpServer.start("127.0.0.1", 8080, HttpSnippetsTest::handle)) {
                        stop.await();
                        server.drain(Duration.ofSeconds(10));
                    }
                    // @end
                });
    }

    @Test
    void client() {
        Cord.run(
                () -> {
                    HttpServer server = HttpServer.start("127.0.0.1", 0, HttpSnippetsTest::handle);
                    int port = server.port();
                    // @start region="client"
                    try (HttpClient client = HttpClient.connect("127.0.0.1", port)) {
                        HttpResponse response = client.send(HttpRequest.get("/hello?name=you"));
                        assertEquals(200, response.status());
                        assertEquals("Hello, you!\n", response.body().text());
                    }
                    // @end
                    server.close();
                });
    }

    @Test
    void streams() {
        TestCord.run(
                () -> {
                    // @start region="upload"
                    HttpHandler counts =
                            request ->
                                    HttpResponse.text(
                                            Pipeline.from(request.body())
                                                    .map("length", chunk -> chunk.length)
                                                    .reduce(0, Integer::sum)
                                                    .run()
                                                    .value()
                                                    .toString());
                    // @end
                    // @start region="download"
                    HttpHandler ticks =
                            _ -> {
                                Channel<byte[]> lines = Channel.rendezvous();
                                Fiber.spin(
                                        "ticks",
                                        () -> {
                                            for (int i = 0; i < 3; i++) {
                                                Fiber.sleep(Duration.ofSeconds(1));
                                                lines.send(("tick " + i + "\n").getBytes(UTF_8));
                                            }
                                            lines.close();
                                        });
                                return HttpResponse.of("text/plain", HttpBody.of(lines));
                            };
                    // @end
                    try (HttpServer server =
                                    HttpServer.start(
                                            "127.0.0.1",
                                            0,
                                            request ->
                                                    request.method().equals("POST")
                                                            ? counts.handle(request)
                                                            : ticks.handle(request));
                            HttpClient client = HttpClient.connect("127.0.0.1", server.port())) {
                        HttpBody text = HttpBody.of("twelve bytes");
                        assertEquals("12", client.send(HttpRequest.post("/", text)).body().text());
                        assertEquals(
                                "tick 0\ntick 1\ntick 2\n",
                                client.send(HttpRequest.get("/")).body().text());
                    }
                });
    }

    @Test
    void tested() throws Exception {
        // @start region="test"
        HttpRequest request = HttpRequest.get("/hello?name=you");
        assertTrue(handle(request).headers().has("Content-Type"));
        TestCord.run(() -> assertEquals("Hello, you!\n", handle(request).body().text()));
        // @end
        Objects.requireNonNull(request);
    }
}
