package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.testing.TestCord;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Runs the body of a test in memory, from seeds, and on the sockets of this machine. */
final class Net {
    /** What a test does; it makes its data anew each time. */
    @FunctionalInterface
    interface Body {
        void run(Net net) throws Exception;
    }

    /** What one side of a connection does. */
    @FunctionalInterface
    interface Side {
        void run(TcpConnection connection) throws Exception;
    }

    static final Duration LONG = Duration.ofHours(1);
    private static final String HOST = "127.0.0.1";

    final boolean isVirtual;

    Net(boolean isVirtual) {
        this.isVirtual = isVirtual;
    }

    /** In memory, and on real sockets with both kinds of stack. */
    static void anywhere(Body body) {
        inMemory(body);
        onSockets(body);
    }

    static void inMemory(Body body) {
        TestCord.run(() -> body.run(new Net(true)));
    }

    /** In memory, with one seed. */
    static void once(Body body) {
        TestCord.run(1, false, () -> body.run(new Net(true)));
    }

    static void onSockets(Body body) {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            onSockets(stacks, body);
        }
    }

    static void onSockets(StackKind stacks, Body body) {
        assumeTrue(stacks.isAvailable(), () -> stacks + " needs a flag of the JVM");
        List<String> uncaught = Collections.synchronizedList(new ArrayList<>());
        try {
            Cord.run(
                    CordOptions.named("net")
                            .withStacks(stacks)
                            .withUncaught((f, t) -> uncaught.add(f + ": " + t)),
                    () -> body.run(new Net(false)));
        } catch (FiberFailedException failed) {
            throw new AssertionError("on sockets, stacks=" + stacks, failed.getCause());
        }
        assertEquals(List.of(), uncaught, "uncaught, stacks=" + stacks);
    }

    // ---------------------------------------------------------------- both sides

    TcpListener listen() {
        return listen(TcpOptions.defaults());
    }

    TcpListener listen(TcpOptions options) {
        return TcpListener.bind(HOST, 0, options);
    }

    TcpConnection connect(TcpListener to) {
        return connect(to, TcpOptions.defaults());
    }

    TcpConnection connect(TcpListener to, TcpOptions options) {
        return TcpConnection.connect(to.localAddress(), options);
    }

    /** One connection, each side in a fiber of its own; returns when both have ended. */
    void talk(Side server, Side client) throws Exception {
        talk(TcpOptions.defaults(), server, client);
    }

    /** The options are those of both sides. */
    void talk(TcpOptions options, Side server, Side client) throws Exception {
        talk(options, options, server, client);
    }

    /** Each side has its own options. */
    void talk(TcpOptions serving, TcpOptions asking, Side server, Side client) throws Exception {
        try (TcpListener listener = listen(serving)) {
            Fiber<?> accepting =
                    Fiber.spin(
                            "server",
                            () -> {
                                try (TcpConnection accepted = listener.accept()) {
                                    server.run(accepted);
                                    accepted.checkInvariants();
                                }
                            });
            try (TcpConnection connected = connect(listener, asking)) {
                client.run(connected);
                connected.checkInvariants();
            }
            accepting.await();
        }
    }

    /** Until others have made it true; the limit of the test is the limit in real time. */
    void until(Condition condition) {
        long endNs = Cord.current().nanoTime() + LONG.toNanos();
        while (!condition.holds()) {
            pause();
            if (isVirtual && Cord.current().nanoTime() - endNs > 0) {
                throw new AssertionError("it does not come about");
            }
        }
    }

    /** Lets others go on. */
    void pause() {
        if (isVirtual) {
            Fiber.sleep(Duration.ofMillis(1));
        } else {
            Fiber.snooze();
        }
    }

    /** Until what was sent is there, if that can be known: on the virtual network. */
    void settle() {
        if (isVirtual) {
            Fiber.sleep(Duration.ofMinutes(1));
        }
    }

    /** What is waited for. */
    @FunctionalInterface
    interface Condition {
        boolean holds();
    }
}
