package dev.ropewalk.examples.http;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.http.HttpBody;
import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** What the server answers. */
final class Pages {
    private static final int MAX_TICKS = 1_000;
    private static final Duration TICK = Duration.ofMillis(100);
    private static final HttpResponse PLAINTEXT =
            HttpResponse.text("Hello, World!").withHeader("Server", "ropewalk");

    private Pages() {}

    static HttpResponse answer(HttpRequest request) {
        return switch (request.path()) {
            case "/plaintext" -> PLAINTEXT;
            case "/json" ->
                    HttpResponse.json("{\"message\":\"Hello, World!\"}")
                            .withHeader("Server", "ropewalk");
            case "/echo" -> HttpResponse.of("application/octet-stream", request.body());
            case "/ticks" -> ticks(request);
            default ->
                    throw new HttpException(
                            404, "there are /plaintext, /json, /echo and /ticks?count=10");
        };
    }

    /** Sent as they are made: a client that reads slowly holds the fiber up. */
    private static HttpResponse ticks(HttpRequest request) {
        int count = count(request.query("count"));
        Channel<byte[]> lines = Channel.rendezvous();
        Fiber.spin(
                "ticks",
                () -> {
                    for (int i = 1; i <= count; i++) {
                        Fiber.sleep(TICK);
                        lines.send(("tick " + i + "\n").getBytes(StandardCharsets.UTF_8));
                    }
                    lines.close();
                });
        return HttpResponse.of("text/plain", HttpBody.of(lines));
    }

    private static int count(@Nullable String text) {
        try {
            int count = text == null ? 10 : Integer.parseInt(text);
            if (count >= 0 && count <= MAX_TICKS) {
                return count;
            }
        } catch (NumberFormatException e) {
            // answered below
        }
        throw new HttpException(400, "count is no number from 0 to " + MAX_TICKS);
    }
}
