package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.testing.MemoryNetwork;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Random connections: lines both ways, readers that give up or are ended and replaced, half-closes,
 * closes and resets at any moment (rules I2 to I4). What one side reads is what the other has
 * written, from the first line on, without a gap; all of it if nobody broke off.
 */
class SocketGameTest {
    private static final int SEEDS = 20;
    private static final int MANY_SEEDS = 1_000;

    /** One direction. */
    private static final class Direction {
        int sent;
        int received;
        boolean isEnded;
        boolean isBroken;
    }

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void I4_someSeeds() {
        for (long seed : TestCords.seedsOr(seeds(SEEDS))) {
            run(seed);
        }
    }

    @Tag("stress")
    @Test
    @Timeout(value = 600, threadMode = ThreadMode.SEPARATE_THREAD)
    void I4_manySeeds() {
        for (long seed : TestCords.seedsOr(seeds(MANY_SEEDS))) {
            run(seed);
        }
    }

    private static long[] seeds(int count) {
        long[] seeds = new long[count];
        for (int i = 0; i < count; i++) {
            seeds[i] = i;
        }
        return seeds;
    }

    private static void run(long seed) {
        TestCord.run(seed, true, () -> new Game(seed).play());
    }

    /** One run. */
    private static final class Game {
        private final SplittableRandom random;
        private final List<Direction> all = new ArrayList<>();

        Game(long seed) {
            random = new SplittableRandom(seed);
        }

        void play() {
            MemoryNetwork.current()
                    .maxPiece(1 + random.nextInt(20))
                    .window(1 + random.nextInt(300))
                    .delay(Duration.ZERO, Duration.ofNanos(random.nextInt(2_000_000)));
            TcpOptions options =
                    TcpOptions.defaults()
                            .withStashBytes(1 + random.nextInt(100))
                            .withHighWaterMark(1 + random.nextInt(200));
            try (TcpListener listener = TcpListener.bind("127.0.0.1", 0, options)) {
                List<Fiber<?>> sides = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    Direction there = direction();
                    Direction back = direction();
                    TcpConnection client = TcpConnection.connect(listener.localAddress(), options);
                    TcpConnection server = listener.accept();
                    sides.add(Fiber.spin("client", () -> side(client, there, back)));
                    sides.add(Fiber.spin("server", () -> side(server, back, there)));
                }
                for (Fiber<?> each : sides) {
                    each.await();
                }
                assertTrue(listener.drain(Duration.ofHours(1)), "open=" + listener.open());
            }
            for (Direction each : all) {
                assertTrue(each.received <= each.sent, "received=" + each.received);
                if (each.isEnded && !each.isBroken) {
                    assertEquals(each.sent, each.received);
                }
            }
        }

        private Direction direction() {
            Direction made = new Direction();
            all.add(made);
            return made;
        }

        /** A writer and a reader, and an end that may come before theirs. */
        private void side(TcpConnection connection, Direction out, Direction in) {
            SplittableRandom own = random.split();
            try (connection) {
                Fiber<?> writer = Fiber.spin("writer", () -> write(connection, out, own.split()));
                Fiber<?> reader = Fiber.spin("reader", () -> readAll(connection, in));
                while (!reader.awaitEnd(Duration.ofNanos(own.nextInt(3_000_000)))) {
                    switch (own.nextInt(20)) {
                        case 0 -> {
                            breakOff(out, in);
                            connection.reset();
                        }
                        case 1 -> {
                            breakOff(out, in);
                            connection.close();
                        }
                        default -> { // the bytes that it has not taken are for the next
                            reader.terminate();
                            reader.awaitEnd(Duration.ofHours(1));
                            reader = Fiber.spin("reader", () -> readAll(connection, in));
                        }
                    }
                }
                writer.awaitEnd(Duration.ofHours(1));
            }
            connection.checkInvariants();
        }

        private static void breakOff(Direction out, Direction in) {
            out.isBroken = true;
            in.isBroken = true;
        }

        private static void write(TcpConnection to, Direction out, SplittableRandom random) {
            try {
                int lines = random.nextInt(40);
                for (int i = 0; i < lines; i++) {
                    String line = i + ":" + "x".repeat(random.nextInt(60)) + "\n";
                    out.sent++; // at most one more than was written
                    to.write(line);
                    if (random.nextInt(5) == 0) {
                        Fiber.sleep(Duration.ofNanos(random.nextInt(1_000_000)));
                    }
                }
                to.shutdownOutput();
                out.isEnded = true;
            } catch (ConnectionException over) {
                out.isBroken = true;
            }
        }

        private static void readAll(TcpConnection from, Direction in) {
            try {
                while (true) {
                    String line =
                            CancelScope.<@Nullable String, RuntimeException>moveOnAfter(
                                    Duration.ofNanos(400_000), "", from::readLine);
                    if (line == null) {
                        return;
                    }
                    int colon = line.indexOf(':'); // none if it gave up, or of half a line
                    if (colon >= 0) {
                        assertEquals(String.valueOf(in.received), line.substring(0, colon));
                        in.received++;
                    }
                }
            } catch (ConnectionException over) {
                in.isBroken = true;
            }
        }
    }
}
