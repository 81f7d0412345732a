package dev.ropewalk.actors.observer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.http.HttpBody;
import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.ClosedException;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The viewers of an observer, each a stream of server-sent events. Confined to its cord.
 *
 * <p>A viewer's fiber waits until its event has been taken before it looks again, so one that reads
 * slowly gets fewer events, and delays nobody else.
 */
final class Viewers {
    /** At once. */
    static final int MAX = 8;

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final Sampler sampler;
    private final Map<String, Supplier<String>> sources;
    private int now;

    Viewers(Sampler sampler, Map<String, Supplier<String>> sources) {
        this.sampler = sampler;
        this.sources = sources;
    }

    /**
     * The stream of a window.
     *
     * @throws HttpException if there are as many viewers as there may be
     */
    HttpResponse open(Window window) {
        if (now == MAX) {
            throw new HttpException(
                    503, MAX + " viewers look, which is the max; close another page");
        }
        now++;
        Channel<byte[]> events = Channel.localRendezvous();
        Fiber.spin("viewer", () -> send(window, events));
        return HttpResponse.of("text/event-stream", HttpBody.of(events));
    }

    private void send(Window window, Channel<byte[]> events) {
        Map<String, String> known = new HashMap<>();
        try (window) {
            while (true) {
                String all = all(window, known);
                events.send(("data: " + all + "\n\n").getBytes(UTF_8));
                Fiber.sleep(PERIOD);
            }
        } catch (ClosedException gone) {
            // It has closed the page.
        } finally {
            now--;
        }
    }

    /** A switchpoint. */
    String all(Window window, Map<String, String> known) {
        Sample sample = sampler.sample();
        return Documents.all(sample, window.look(sample), sources, known);
    }

    int now() {
        return now;
    }
}
