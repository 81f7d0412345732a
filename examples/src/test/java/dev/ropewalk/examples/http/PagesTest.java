package dev.ropewalk.examples.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.examples.server.ServerOptions;
import dev.ropewalk.examples.server.ServerProgram;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PagesTest {
    /** The client of the JDK asks. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void overSockets(int cords) throws IOException, InterruptedException {
        try (ServerProgram.Server server =
                        new Main().start(new ServerOptions(0, cords, 100, false));
                HttpClient client =
                        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            for (int i = 0; i < 10; i++) {
                assertEquals("Hello, World!", get(client, server, "/plaintext").body());
            }
            HttpResponse<String> json = get(client, server, "/json");
            assertEquals("{\"message\":\"Hello, World!\"}", json.body());
            assertEquals(
                    "application/json", json.headers().firstValue("Content-Type").orElseThrow());
            assertEquals(404, get(client, server, "/nothing").statusCode());
            assertEquals(400, get(client, server, "/ticks?count=x").statusCode());
            assertEquals("tick 1\n", get(client, server, "/ticks?count=1").body());
            String text = "x".repeat(200_000);
            assertEquals(
                    text,
                    client.send(
                                    request(server, "/echo")
                                            .POST(
                                                    java.net.http.HttpRequest.BodyPublishers
                                                            .ofString(text))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body());
        }
    }

    /**
     * A body comes back as it is sent: in chunks, with a length, and to a client that asks first.
     */
    @Test
    void echoOfALargeUpload() throws IOException, InterruptedException {
        byte[] upload = new byte[2_000_000];
        for (int i = 0; i < upload.length; i++) {
            upload[i] = (byte) (i * 31);
        }
        try (ServerProgram.Server server = new Main().start(new ServerOptions(0, 1, 100, false));
                HttpClient client =
                        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            for (boolean isAsking : new boolean[] {false, true}) {
                for (BodyPublisher body :
                        List.of(
                                BodyPublishers.ofByteArray(upload),
                                BodyPublishers.ofInputStream(
                                        () -> new ByteArrayInputStream(upload)))) {
                    byte[] back =
                            client.send(
                                            request(server, "/echo")
                                                    .expectContinue(isAsking)
                                                    .POST(body)
                                                    .build(),
                                            HttpResponse.BodyHandlers.ofByteArray())
                                    .body();
                    assertArrayEquals(upload, back);
                }
            }
        }
    }

    /** Nobody wants what its fiber makes, and the next page is served all the same. */
    @Test
    void headOfAStreamedPage() throws IOException, InterruptedException {
        try (ServerProgram.Server server = new Main().start(new ServerOptions(0, 1, 100, false));
                HttpClient client =
                        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> head =
                        client.send(
                                request(server, "/ticks").HEAD().build(),
                                HttpResponse.BodyHandlers.ofString());
                assertEquals(200, head.statusCode());
                assertEquals("Hello, World!", get(client, server, "/plaintext").body());
            }
        }
    }

    private static HttpResponse<String> get(
            HttpClient client, ServerProgram.Server server, String target)
            throws IOException, InterruptedException {
        return client.send(request(server, target).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static java.net.http.HttpRequest.Builder request(
            ServerProgram.Server server, String target) {
        return java.net.http.HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + server.port() + target));
    }

    /** A handler is a function, and its time can be virtual. */
    @Test
    void ticksComeTenInASecond() {
        TestCord.run(
                () -> {
                    long beganNs = Cord.current().nanoTime();
                    assertEquals(
                            "tick 1\ntick 2\ntick 3\n",
                            Pages.answer(HttpRequest.get("/ticks?count=3")).body().text());
                    assertEquals(
                            Duration.ofMillis(300).toNanos(), Cord.current().nanoTime() - beganNs);
                });
    }

    @Test
    void badCounts() {
        for (String count : new String[] {"-1", "1001", "", "ten"}) {
            HttpException bad =
                    assertThrows(
                            HttpException.class,
                            () -> Pages.answer(HttpRequest.get("/ticks?count=" + count)));
            assertEquals(400, bad.status(), count);
        }
    }
}
