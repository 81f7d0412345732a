package dev.ropewalk.actors.observer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.channels.http.HttpClient;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.spi.ClosedException;

import org.awaitility.Awaitility;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;

/** Asks an observer, as a browser would. */
final class Look {
    static final Duration LONG = Duration.ofSeconds(20);

    private final String token;
    private final int port;

    Look(Observer observer) {
        URI address = URI.create(observer.address());
        this.token = address.getFragment();
        this.port = observer.port();
    }

    /** On a cord of the test's own. */
    static <T> T onCord(Callable<T> body) {
        return Cord.run(body);
    }

    String token() {
        return token;
    }

    HttpRequest with(HttpRequest request) {
        return request.withHeader("Authorization", "Bearer " + token);
    }

    HttpRequest get(String target) {
        return with(HttpRequest.get(target));
    }

    String host() {
        return "127.0.0.1:" + port;
    }

    HttpClient connect() {
        return HttpClient.connect("127.0.0.1", port);
    }

    /** The status, and the whole answer. */
    record Answer(int status, String text, HttpResponse response) {}

    Answer send(HttpRequest request) {
        return onCord(
                () -> {
                    try (HttpClient client = connect()) {
                        HttpResponse response = client.send(request);
                        return new Answer(response.status(), response.body().text(), response);
                    }
                });
    }

    String json(String target) {
        Answer answer = send(get(target));
        if (answer.status != 200) {
            throw new AssertionError(target + " is answered with " + answer);
        }
        return answer.text;
    }

    /** Until the answer has the part. */
    String await(String target, String part) {
        return Awaitility.await()
                .atMost(LONG)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> json(target), text -> text.contains(part));
    }

    static void assertHas(String text, String part) {
        assertTrue(text.contains(part), () -> part + " is not in " + text);
    }

    /** An actor to look at. */
    static Actor<Object> echo() {
        return Actor.handler(() -> _ -> Behavior.same());
    }

    /** The next event of a stream; empty at its end. */
    static String event(HttpResponse stream, StringBuilder rest) {
        while (true) {
            int end = rest.indexOf("\n\n");
            if (end >= 0) {
                String event = rest.substring("data: ".length(), end);
                rest.delete(0, end + 2);
                return event;
            }
            try {
                rest.append(new String(stream.body().receive(), StandardCharsets.UTF_8));
            } catch (ClosedException over) {
                return "";
            }
        }
    }
}
