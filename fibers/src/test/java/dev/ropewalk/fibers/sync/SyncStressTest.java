package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Conservation, with users that are terminated, cancelled, timed out and interrupted at random: on
 * one cord by seeds, and in the shared form on two cords and two plain threads. A failure names the
 * seed; {@code -Dropewalk.seed=42} replays it.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SyncStressTest {
    private static final int USERS = 8;
    private static final int MOVES = 12;
    private static final int SEEDS = 15;
    private static final int STRESS_SEEDS = 400;
    private static final long REPLAYED = Long.getLong("ropewalk.seed", 0);

    /** What a user does once; what it leaves behind is asserted at the end. */
    private interface Game {
        /** One move of a user; may throw whatever the thing under test throws. */
        void move(SplittableRandom random);

        /** When all users are gone. */
        void end();
    }

    @FunctionalInterface
    private interface Games {
        Game begin(Form form);
    }

    /** Yields on a fiber, for a random while. */
    private static void pause(SplittableRandom random) {
        if (Fiber.currentOrNull() == null) {
            Thread.onSpinWait();
        } else if (random.nextInt(3) == 0) {
            Fiber.sleep(Duration.ofNanos(random.nextInt(2_000)));
        } else {
            Fiber.snooze();
        }
    }

    private static Duration limit(SplittableRandom random) {
        return Duration.ofNanos(random.nextInt(20_000));
    }

    // ---------------------------------------------------------------- the games

    /** Loans of three resources, the factory of which fails now and then. */
    private static final class PoolGame implements Game {
        private static final int MAX = 3;

        private final AtomicInteger open = new AtomicInteger();
        private final AtomicInteger made = new AtomicInteger();
        private final AtomicInteger closed = new AtomicInteger();
        private final ResourcePool<AtomicInteger> pool;

        PoolGame(Form form) {
            ResourceFactory<AtomicInteger> factory =
                    new ResourceFactory<>() {
                        @Override
                        public AtomicInteger make() {
                            if (Fiber.currentOrNull() != null) {
                                Fiber.snooze();
                            }
                            if (made.get() % 5 == 4 && made.incrementAndGet() > 0) {
                                closed.incrementAndGet();
                                throw new IllegalStateException("factory");
                            }
                            assertTrue(open.incrementAndGet() <= MAX, "too many are open");
                            made.incrementAndGet();
                            return new AtomicInteger();
                        }

                        @Override
                        public void close(AtomicInteger resource) {
                            assertEquals(-1, resource.decrementAndGet(), "in use or closed twice");
                            open.decrementAndGet();
                            closed.incrementAndGet();
                        }
                    };
            this.pool =
                    form == Form.LOCAL
                            ? ResourcePool.localBounded(MAX, factory)
                            : ResourcePool.sharedBounded(MAX, factory);
        }

        @Override
        public void move(SplittableRandom random) {
            Loan<AtomicInteger> loan =
                    switch (random.nextInt(3)) {
                        case 0 -> pool.borrow();
                        case 1 -> pool.borrow(limit(random));
                        default -> pool.tryBorrow();
                    };
            if (loan == null) {
                return;
            }
            try (loan) {
                assertEquals(1, loan.get().incrementAndGet(), "lent twice at once");
                try {
                    pause(random);
                } finally {
                    loan.get().decrementAndGet();
                }
                if (random.nextInt(4) == 0) {
                    loan.discard();
                }
            }
        }

        @Override
        public void end() {
            pool.checkInvariants();
            assertEquals(0, pool.lent(), pool::toString);
            assertEquals(open.get(), pool.idle(), pool::toString);
            pool.close();
            pool.checkInvariants();
            assertEquals(0, open.get());
            assertEquals(made.get(), closed.get());
        }
    }

    /** Tickets, each of which is done in the end, whatever happens to its taker. */
    private static final class TicketGame implements Game {
        private final TicketQueue queue;
        private final AtomicInteger inside = new AtomicInteger();
        private final Queue<Long> called = new ConcurrentLinkedQueue<>();

        TicketGame(Form form) {
            this.queue = form == Form.LOCAL ? TicketQueue.local() : TicketQueue.shared();
        }

        @Override
        public void move(SplittableRandom random) {
            Ticket ticket = queue.take();
            try {
                pause(random);
                boolean isCalled = true;
                if (random.nextBoolean()) {
                    isCalled = ticket.await(limit(random));
                } else {
                    ticket.await();
                }
                if (isCalled) {
                    assertEquals(1, inside.incrementAndGet(), "two are called at once");
                    try {
                        called.add(ticket.number());
                        pause(random);
                    } finally {
                        inside.decrementAndGet();
                    }
                }
            } finally {
                ticket.done();
            }
        }

        @Override
        public void end() {
            queue.checkInvariants();
            assertEquals(called.stream().sorted().toList(), List.copyOf(called));
            Ticket last = queue.take();
            assertTrue(last.isCalled(), last::toString);
            last.done();
        }
    }

    /** A group that all add to; and a gate, which the first to find it open replaces. */
    private static final class MeetingGame implements Game {
        private static final int OPENS = 3;

        /** A group to which nothing is added, and how many news it was told, or is about to be. */
        private record Gate(WaitGroup group, AtomicInteger calls) {}

        private final Form form;
        private final AtomicReference<Gate> gate = new AtomicReference<>();
        private final WaitGroup group;
        private final AtomicInteger running = new AtomicInteger();

        MeetingGame(Form form) {
            this.form = form;
            this.gate.set(newGate());
            this.group = newGroup();
        }

        private WaitGroup newGroup() {
            return form == Form.LOCAL ? WaitGroup.local() : WaitGroup.shared();
        }

        private Gate newGate() {
            WaitGroup news = newGroup();
            news.add(OPENS);
            return new Gate(news, new AtomicInteger());
        }

        private void passGate(SplittableRandom random) {
            Gate mine = gate.get();
            mine.calls().incrementAndGet();
            mine.group().tryDone();
            if (mine.group().await(limit(random))) {
                assertTrue(mine.calls().get() >= OPENS, "it opened too early");
                assertEquals(0, mine.group().count());
                gate.compareAndSet(mine, newGate());
            }
        }

        @Override
        public void move(SplittableRandom random) {
            passGate(random);
            group.add();
            running.incrementAndGet();
            try {
                pause(random);
            } finally {
                running.decrementAndGet();
                group.done();
            }
            group.await(limit(random));
        }

        @Override
        public void end() {
            group.checkInvariants();
            Gate left = gate.get();
            left.group().checkInvariants();
            assertEquals(Math.max(0, OPENS - left.calls().get()), left.group().count());
            assertEquals(left.calls().get() >= OPENS, left.group().await(Duration.ZERO));
            assertEquals(0, group.count());
            assertEquals(0, running.get());
        }
    }

    // ---------------------------------------------------------------- the runs

    private static void user(Game game, SplittableRandom random) {
        for (int i = 0; i < MOVES; i++) {
            try {
                if (Fiber.currentOrNull() != null && random.nextInt(4) == 0) {
                    CancelScope.moveOnAfter(limit(random), () -> game.move(random));
                } else {
                    game.move(random);
                }
            } catch (IllegalStateException expected) {
                assertEquals("factory", expected.getMessage());
            }
        }
    }

    private static void onOneCord(Form form, Games games, int seeds) {
        long begin = REPLAYED == 0 ? 1 : REPLAYED;
        for (long seed = begin; seed < begin + (REPLAYED == 0 ? seeds : 1); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            TestCord.run(
                    seed,
                    true,
                    () -> {
                        Game game = games.begin(form);
                        List<Fiber<?>> users = new ArrayList<>();
                        for (int i = 0; i < USERS; i++) {
                            SplittableRandom own = random.split();
                            users.add(Fiber.spin(() -> user(game, own)));
                        }
                        for (int i = 0; i < USERS / 2; i++) {
                            pause(random);
                            users.get(random.nextInt(USERS)).terminate();
                        }
                        users.forEach(each -> each.awaitEnd(Form.FAR));
                        for (Fiber<?> each : users) {
                            Throwable failure = each.failure();
                            boolean isFine =
                                    failure == null
                                            || failure.getClass()
                                                    .getSimpleName()
                                                    .equals("FiberTerminatedException");
                            assertTrue(isFine, () -> "" + failure);
                        }
                        game.end();
                    });
        }
    }

    private static void acrossThreads(Games games, int seeds) throws InterruptedException {
        long begin = REPLAYED == 0 ? 1 : REPLAYED;
        for (long seed = begin; seed < begin + (REPLAYED == 0 ? seeds : 1); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
            CordOptions options =
                    CordOptions.named("user").withUncaught((fiber, failed) -> failures.add(failed));
            Game game = games.begin(Form.SHARED);
            List<Fiber<?>> fibers = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            try (Cord one = Cord.start(options);
                    Cord two = Cord.start(options)) {
                for (int i = 0; i < USERS; i++) {
                    SplittableRandom own = random.split();
                    Cord cord = i % 2 == 0 ? one : two;
                    fibers.add(cord.spin("user " + i, () -> user(game, own)));
                }
                for (int i = 0; i < 2; i++) {
                    SplittableRandom own = random.split();
                    threads.add(Thread.ofPlatform().start(() -> threadUser(game, own, failures)));
                }
                for (int i = 0; i < USERS / 4; i++) {
                    fibers.get(random.nextInt(USERS)).terminate();
                    threads.get(random.nextInt(2)).interrupt();
                }
                for (Fiber<?> each : fibers) {
                    assertTrue(
                            each.awaitEnd(Duration.ofSeconds(10)), each + " hangs, seed=" + seed);
                }
                for (Thread each : threads) {
                    Form.join(each);
                }
            }
            assertEquals(List.of(), List.copyOf(failures), "seed=" + seed);
            game.end();
        }
    }

    private static void threadUser(Game game, SplittableRandom random, Queue<Throwable> failures) {
        try {
            user(game, random);
        } catch (WaitInterruptedException expected) {
            Thread.interrupted();
        } catch (Throwable failure) {
            failures.add(failure);
        }
    }

    @ParameterizedTest
    @EnumSource
    void F5_poolKeepsItsResourcesInOneCord(Form form) {
        onOneCord(form, PoolGame::new, SEEDS);
    }

    @ParameterizedTest
    @EnumSource
    void F5_ticketsAreCalledInOrderInOneCord(Form form) {
        onOneCord(form, TicketGame::new, SEEDS);
    }

    @ParameterizedTest
    @EnumSource
    void F5_partiesMeetOrNoneInOneCord(Form form) {
        onOneCord(form, MeetingGame::new, SEEDS);
    }

    @Test
    void F8_poolKeepsItsResourcesAcrossThreads() throws InterruptedException {
        acrossThreads(PoolGame::new, SEEDS);
    }

    @Test
    void F8_ticketsAreCalledInOrderAcrossThreads() throws InterruptedException {
        acrossThreads(TicketGame::new, SEEDS);
    }

    @Test
    void F8_partiesMeetOrNoneAcrossThreads() throws InterruptedException {
        acrossThreads(MeetingGame::new, SEEDS);
    }

    @Test
    @Tag("stress")
    void F8_everythingForLong() throws InterruptedException {
        for (Games games : List.<Games>of(PoolGame::new, TicketGame::new, MeetingGame::new)) {
            onOneCord(Form.LOCAL, games, STRESS_SEEDS);
            onOneCord(Form.SHARED, games, STRESS_SEEDS);
            acrossThreads(games, STRESS_SEEDS);
        }
    }
}
