package dev.ropewalk.actors.observer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.http.HttpBody;
import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.metrics.MetricValue;
import dev.ropewalk.fibers.metrics.Metrics;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

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

    /** A reading that was slower than its viewer is shown by the next one, if it is no older. */
    private static final Duration KEPT = Duration.ofSeconds(3);

    private final Sampler sampler;
    private final Metrics metrics;

    /** By the ids that the pages have drawn. */
    private final Map<String, Fiber<?>> viewers = new HashMap<>();

    private long streams;
    private Numbers numbers = Numbers.NONE;

    /** The one that is under way; null if none is. */
    private @Nullable CompletableFuture<Numbers> reading;

    Viewers(Sampler sampler, Metrics metrics) {
        this.sampler = sampler;
        this.metrics = metrics;
    }

    /**
     * The stream of a window. It takes the place of the last one of the same viewer, whose page has
     * scrolled.
     *
     * @param drawn the id of the viewer; null for a stream that is a viewer of its own
     * @throws HttpException if there are as many viewers as there may be
     */
    HttpResponse open(@Nullable String drawn, Window window) {
        String id = drawn == null ? "stream " + ++streams : drawn;
        viewers.values().removeIf(Viewers::isOver);
        Fiber<?> before = viewers.get(id);
        if (before == null && viewers.size() >= MAX) {
            throw new HttpException(
                    503, MAX + " viewers look, which is the max; close another page");
        }
        if (before != null) {
            before.terminate();
        }
        Channel<byte[]> events = Channel.localRendezvous();
        viewers.put(id, Fiber.spin("viewer", () -> send(window, events)));
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
            events.close();
            viewers.values().removeIf(each -> each == Fiber.current() || isOver(each));
            forgetIfNobodyLooks();
        }
    }

    private static boolean isOver(Fiber<?> viewer) {
        return viewer.state() == FiberState.DEAD;
    }

    private void forgetIfNobodyLooks() {
        if (viewers.isEmpty()) {
            sampler.forget();
            numbers = Numbers.NONE;
        }
    }

    /** All of one moment, for a program. A switchpoint. */
    String once(Window window) {
        try (window) {
            return all(window, new HashMap<>());
        } finally {
            forgetIfNobodyLooks();
        }
    }

    private String all(Window window, Map<String, String> known) {
        Sample sample = sampler.sample();
        Numbers shown = window.hasNumbers() ? read() : Numbers.NONE;
        return Documents.all(sample, window.look(sample), shown, known);
    }

    /**
     * As they were, while a source does not come back: the page goes on without it. One reading
     * goes on behind that for all viewers, in a thread of the pool, because a source is code of the
     * program, and may keep its thread.
     */
    private Numbers read() {
        CompletableFuture<Numbers> begun = reading;
        if (begun == null || isOld(begun)) {
            Executor anyViewers = Cord.current(); // it goes on when this one has gone
            begun = CompletableFuture.supplyAsync(this::readAway, anyViewers);
            reading = begun;
        }
        CompletableFuture<Numbers> asked = begun;
        Numbers now = CancelScope.moveOnAfter(Sampler.LIMIT, null, () -> Futures.await(asked));
        if (now != null) {
            reading = reading == asked ? null : reading;
            numbers = now.values() == numbers.values() ? numbers : now; // not read again meanwhile
        }
        return numbers;
    }

    private Numbers readAway() {
        List<MetricValue> values = Blocking.call(metrics::read);
        return new Numbers(Waits.nanoTime(), values);
    }

    /** Nobody has waited for it, or it has failed. */
    private static boolean isOld(CompletableFuture<Numbers> begun) {
        return begun.isCompletedExceptionally()
                || (begun.isDone() && Waits.nanoTime() - begun.resultNow().atNs() > KEPT.toNanos());
    }
}
