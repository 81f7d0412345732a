package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.RealCords.Reports;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads and fibers send through a route of random cords while one of those closes: every message
 * arrives or comes back, once, and those of a sender are in order at every hop.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class RouteStressTest {
    private static final int CORDS = 4;
    private static final int SENDERS = 4;
    private static final int MESSAGES = 400;

    private record Numbered(int sender, int number) {}

    private static final class Game {
        final String replay;
        final SplittableRandom random;
        final Reports reports = new Reports();
        final List<Cord> cords = new ArrayList<>();
        final List<Cord> hops = new ArrayList<>();

        /** Of each hop and sender the last number seen; a hop's row belongs to its cord. */
        final int[][] seen;

        final AtomicInteger[][] ends = new AtomicInteger[SENDERS][MESSAGES];
        final List<String> wrong = new ArrayList<>();
        final AtomicInteger told = new AtomicInteger();
        final CountDownLatch some = new CountDownLatch(SENDERS * MESSAGES / 10);

        Game(long seed) {
            random = new SplittableRandom(seed);
            for (int i = 0; i < CORDS; i++) {
                StackKind stacks =
                        random.nextBoolean() || !StackKind.VIRTUAL_THREAD.isAvailable()
                                ? StackKind.LIGHT
                                : StackKind.VIRTUAL_THREAD;
                cords.add(
                        Cord.start(
                                CordOptions.named("cord-" + i)
                                        .withStacks(stacks)
                                        .withUncaught(reports)));
            }
            int length = 2 + random.nextInt(4);
            for (int i = 0; i < length; i++) {
                hops.add(cords.get(random.nextInt(CORDS)));
            }
            seen = new int[length][SENDERS];
            for (int[] row : seen) {
                Arrays.fill(row, -1);
            }
            for (AtomicInteger[] row : ends) {
                Arrays.setAll(row, i -> new AtomicInteger());
            }
            replay = "seed=" + seed + " hops=" + hops;
        }

        Numbered pass(int hop, Numbered message) {
            if (Cord.current() != hops.get(hop)) {
                wrong("hop " + hop + " on " + Cord.current());
            }
            int before = seen[hop][message.sender()];
            if (message.number() <= before) {
                wrong("hop " + hop + ": " + message + " after " + before);
            }
            seen[hop][message.sender()] = message.number();
            if (message.number() % 37 == hop) {
                throw new IllegalStateException("by chance");
            }
            return message;
        }

        synchronized void wrong(String what) {
            wrong.add(what);
        }

        void over(Numbered message) {
            ends[message.sender()][message.number()].incrementAndGet();
            told.incrementAndGet();
            some.countDown();
        }

        Route<Numbered> route() {
            Route.Leg<Numbered, Numbered> leg =
                    Route.from(hops.getFirst(), (Numbered message) -> pass(0, message));
            int last = hops.size() - 1;
            for (int i = 1; i < last; i++) {
                int hop = i;
                leg = leg.then(hops.get(hop), message -> pass(hop, message));
            }
            return leg.to(hops.get(last), message -> over(pass(last, message)))
                    .withUndelivered(end -> over(end.sent()));
        }

        void send(Route<Numbered> route, int sender, boolean snoozes) {
            for (int i = 0; i < MESSAGES; i++) {
                route.send(new Numbered(sender, i));
                if (snoozes && i % 50 == 0) {
                    Fiber.snooze();
                }
            }
        }

        void play() throws InterruptedException {
            Route<Numbered> route = route();
            Cord outside = RealCords.started("outside", reports);
            List<Thread> threads = new ArrayList<>();
            List<Fiber<?>> fibers = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                int sender = i;
                if (i % 2 == 0) {
                    threads.add(Thread.ofPlatform().start(() -> send(route, sender, false)));
                } else {
                    fibers.add(outside.spin("sender", () -> send(route, sender, true)));
                }
            }
            RealCords.await(some);
            cords.get(random.nextInt(CORDS)).close();
            for (Thread thread : threads) {
                thread.join();
            }
            fibers.forEach(Fiber::await);
            RealCords.until(() -> told.get() >= SENDERS * MESSAGES);
            cords.forEach(Cord::close);
            outside.close();
            check();
        }

        private void check() {
            assertEquals(List.of(), wrong, replay);
            assertTrue(reports.all().isEmpty(), () -> replay + reports.all());
            for (int sender = 0; sender < SENDERS; sender++) {
                for (int number = 0; number < MESSAGES; number++) {
                    String which = replay + " sender=" + sender + " number=" + number;
                    assertEquals(1, ends[sender][number].get(), which);
                }
            }
        }
    }

    @Test
    void F8_whatIsSentArrivesOrComesBackOnce() throws InterruptedException {
        for (long seed = 0; seed < 30; seed++) {
            new Game(seed).play();
        }
    }

    @Test
    @Tag("stress")
    void F8_whatIsSentArrivesOrComesBackOnceWithManySeeds() throws InterruptedException {
        for (long seed = 1_000; seed < 2_000; seed++) {
            new Game(seed).play();
        }
    }
}
