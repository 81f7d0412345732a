package dev.ropewalk.benchmarks.observed;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.observer.Observer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Looks at an observer as its page does. */
final class Viewer implements AutoCloseable {
    private static final int ROWS = 60;

    private final HttpClient client = HttpClient.newHttpClient();
    private final String address;
    private final String token;

    /** The query of the page. */
    private final String window;

    /**
     * A viewer of a system.
     *
     * @param system its name; empty for the first one that there is
     */
    Viewer(Observer observer, String system) {
        this.window = "?rows=" + ROWS + (system.isEmpty() ? "" : "&system=" + system);
        URI page = URI.create(observer.address());
        this.address = page.getScheme() + "://" + page.getAuthority();
        this.token = page.getFragment();
    }

    private HttpRequest get(String path) {
        return HttpRequest.newBuilder(URI.create(address + path))
                .header("Authorization", "Bearer " + token)
                .build();
    }

    /** The page's rows as JSON, once. */
    String page() throws IOException, InterruptedException {
        HttpResponse<String> page =
                client.send(get("/api/v1/now" + window), BodyHandlers.ofString(UTF_8));
        if (page.statusCode() != 200) {
            throw new IOException("the observer has answered with " + page.body());
        }
        return page.body();
    }

    /**
     * Reads the events that come each second, on a thread of its own; returns behind the second.
     */
    void stream() throws IOException, InterruptedException {
        BufferedReader events =
                new BufferedReader(
                        new InputStreamReader(
                                client.send(
                                                get("/api/v1/stream" + window),
                                                BodyHandlers.ofInputStream())
                                        .body(),
                                UTF_8));
        for (int i = 0; i < 2; i++) { // from the second on there are rates
            event(events);
        }
        Thread.ofPlatform().daemon().name("viewer").start(() -> readAll(events));
    }

    /** The same, as long as the observer lives. */
    void streamOrFail() {
        try {
            stream();
        } catch (IOException | InterruptedException over) {
            // The round was shorter.
        }
    }

    private static void event(BufferedReader events) throws IOException {
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            if (line.isEmpty()) {
                return;
            }
        }
        throw new IOException("the observer has ended the stream");
    }

    private static void readAll(BufferedReader events) {
        try (events) {
            while (true) {
                event(events);
            }
        } catch (IOException over) {
            // The observer was closed.
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
