package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.testing.TestCord;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Runs a test against a server: in memory, from seeds, and on the sockets of this machine. */
final class Web {
    /** What a test does; it makes its data anew each time. */
    @FunctionalInterface
    interface Body {
        void run(Web web) throws Exception;
    }

    static final String HOST = "127.0.0.1";

    final boolean isVirtual;

    private Web(boolean isVirtual) {
        this.isVirtual = isVirtual;
    }

    static void anywhere(Body body) {
        inMemory(body);
        onSockets(body);
    }

    static void inMemory(Body body) {
        TestCord.run(() -> body.run(new Web(true)));
    }

    /** With one seed. */
    static void once(Body body) {
        TestCord.run(1, false, () -> body.run(new Web(true)));
    }

    static void onSockets(Body body) {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            List<String> uncaught = Collections.synchronizedList(new ArrayList<>());
            try {
                Cord.run(
                        CordOptions.named("web")
                                .withStacks(stacks)
                                .withUncaught((f, t) -> uncaught.add(f + ": " + t)),
                        () -> body.run(new Web(false)));
            } catch (FiberFailedException failed) {
                throw new AssertionError("on sockets, stacks=" + stacks, failed.getCause());
            }
            assertEquals(List.of(), uncaught, "uncaught, stacks=" + stacks);
        }
    }

    HttpServer serve(HttpHandler handler) {
        return serve(HttpOptions.defaults(), handler);
    }

    HttpServer serve(HttpOptions options, HttpHandler handler) {
        return HttpServer.start(HOST, 0, options, handler);
    }

    HttpClient client(HttpServer of) {
        return HttpClient.connect(HOST, of.port());
    }

    TcpConnection raw(HttpServer to) {
        return TcpConnection.connect(HOST, to.port());
    }

    /** All that the server answers to these bytes, until it closes the connection. */
    String answer(HttpServer to, String bytes) {
        try (TcpConnection raw = raw(to)) {
            raw.write(bytes.getBytes(StandardCharsets.ISO_8859_1));
            return rest(raw);
        }
    }

    /** Until the end of the input. */
    static String rest(TcpConnection raw) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] piece = new byte[4_096];
        try {
            for (int count; (count = raw.read(piece)) >= 0; ) {
                all.write(piece, 0, count);
            }
        } catch (ConnectionException reset) {
            all.writeBytes("RESET".getBytes(StandardCharsets.ISO_8859_1));
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    /** The head of a response, and nothing behind it. */
    static String head(TcpConnection raw) {
        StringBuilder head = new StringBuilder();
        for (String line; (line = raw.readLine()) != null && !line.isEmpty(); ) {
            head.append(line).append('\n');
        }
        return head.toString();
    }

    /** Until it holds; the limit of the test is the limit in real time. */
    void until(Condition condition) {
        long endNs = Cord.current().nanoTime() + Duration.ofHours(10).toNanos();
        while (!condition.holds()) {
            if (isVirtual) {
                Fiber.sleep(Duration.ofMillis(1));
                if (Cord.current().nanoTime() - endNs > 0) {
                    throw new AssertionError("it does not come about");
                }
            } else {
                Fiber.snooze();
            }
        }
    }

    /** What is waited for. */
    @FunctionalInterface
    interface Condition {
        boolean holds();
    }
}
