package dev.ropewalk.fibers.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.sync.Condition;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.sync.ResourceFactory;
import dev.ropewalk.fibers.sync.ResourcePool;
import dev.ropewalk.fibers.sync.Semaphore;
import dev.ropewalk.fibers.testkit.Reports;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Fibers that hand values to each other in every way there is, while somebody disturbs them; and
 * the books that are kept of it.
 *
 * <p>A value is sent once and ends once: received by its taker, handed back to its sender, told to
 * a hook, or still in the queue when all is over.
 */
final class ExchangeGame {
    private static final int FIBERS = 12;
    private static final int STEPS = 8;
    private static final int DISTURBANCES = 60;
    private static final int PERMITS = 3;
    private static final int RESOURCES = 2;
    private static final int LONGEST_NS = 300_000;
    private static final String STOPPED = "stopped";
    private static final Set<String> ITS_FAILURES = Set.of("by chance", "raised");
    private static final int POLLS = 50_000;
    private static final Duration POLL = Duration.ofNanos(100_000);

    /** For a fiber's end, which takes no time. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final Duration FAR = Duration.ofDays(1);

    private final String replay;
    private final SplittableRandom random;
    private final Ends ends = new Ends();
    private final AtomicInteger values = new AtomicInteger();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger over = new AtomicInteger();

    /** Those who wait for a value, from any thread. */
    private final Queue<WaitCell> takers = new ConcurrentLinkedQueue<>();

    private final Mutex mutex = Mutex.shared();
    private final Condition filled = mutex.newCondition();

    /** Guarded by the mutex. */
    private final ArrayDeque<String> queue = new ArrayDeque<>();

    private final Semaphore permits = Semaphore.shared(PERMITS);
    private final AtomicInteger open = new AtomicInteger();
    private final ResourcePool<Object> pool =
            ResourcePool.sharedBounded(
                    RESOURCES,
                    new ResourceFactory<>() {
                        @Override
                        public Object make() {
                            assertTrue(open.incrementAndGet() <= RESOURCES, replay());
                            return new Object();
                        }

                        @Override
                        public void close(Object resource) {
                            open.decrementAndGet();
                        }
                    });

    private final Set<String> routed = ConcurrentHashMap.newKeySet();

    /** Each of the next two is made when the cords are known. */
    private List<Cord> cords = List.of();

    /** How the fibers of a game are spun. */
    @FunctionalInterface
    interface Spinner {
        Fiber<Object> spin(int number, Callable<Object> body);
    }

    ExchangeGame(long seed, String replay) {
        this.random = new SplittableRandom(seed);
        this.replay = replay;
    }

    private String replay() {
        return replay;
    }

    Ends ends() {
        return ends;
    }

    // ---------------------------------------------------------------- the game

    /** By a fiber, whose children the players are. */
    void play(List<Cord> on, Spinner spinner) {
        cords = on;
        FiberImpl.current().isolateChildren();
        List<Fiber<?>> players = new ArrayList<>();
        for (int i = 0; i < FIBERS; i++) {
            SplittableRandom own = random.split();
            AtomicInteger lives = new AtomicInteger();
            Fiber<Object> player =
                    spinner.spin(
                            i,
                            () -> {
                                if (lives.incrementAndGet() > 1) {
                                    ends.saw("restarted");
                                }
                                return live(own, 0);
                            });
            note("player-" + i, player);
            players.add(player);
        }
        for (int i = 0; i < DISTURBANCES; i++) {
            disturb(players.get(random.nextInt(FIBERS)));
            if (random.nextInt(3) == 0) {
                Fiber.sleep(some(random));
            }
        }
        for (Fiber<?> each : players) {
            each.terminate();
        }
        for (Fiber<?> each : players) {
            assertTrue(
                    each.awaitEnd(LIMIT),
                    () -> replay + " hangs: " + FiberImpl.of(each).describeWait());
        }
        awaitRoute();
        closeBooks();
    }

    /** Messages go on when their senders have ended. One that is lost is found in the books. */
    private void awaitRoute() {
        for (int i = 0; i < POLLS && !ends.areAllOver(routed); i++) {
            Fiber.sleep(POLL);
        }
    }

    private void closeBooks() {
        mutex.run(() -> queue.forEach(value -> ends.end(value, "left")));
        assertTrue(permits.tryAcquire(PERMITS), () -> replay + " permits=" + permits.available());
        assertEquals(0, pool.lent(), replay);
        assertEquals(0, pool.waiting(), replay);
        pool.close();
        assertEquals(0, open.get(), replay);
        assertFalse(mutex.isLocked(), replay);
    }

    private void note(String name, Fiber<?> fiber) {
        ends.begin(name);
        fiber.onEnd(dead -> ends.end(name, wayOf(dead)));
    }

    private static String wayOf(Fiber<?> dead) {
        Throwable failure = dead.failure();
        if (failure != null) {
            return failure instanceof FiberTerminatedException ? "terminated" : "failed";
        }
        return STOPPED.equals(dead.await()) ? STOPPED : "result";
    }

    private void disturb(Fiber<?> target) {
        switch (random.nextInt(7)) {
            case 0 -> target.terminate();
            case 1 -> stop(target);
            case 2 -> target.raise(new IllegalStateException("raised"));
            case 3, 4 -> restart(target);
            case 5 -> target.awaitEnd(some(random));
            default -> CancelScope.moveOnAfter(some(random), () -> target.awaitEnd(FAR));
        }
    }

    @SuppressWarnings("unchecked") // the players' results are objects
    private static void stop(Fiber<?> target) {
        ((Fiber<Object>) target).stop(STOPPED);
    }

    private void restart(Fiber<?> target) {
        try {
            target.restart();
        } catch (IllegalStateException dead) {
            assertEquals(FiberState.DEAD, target.state(), replay);
        }
    }

    /** All is well when this returns. */
    void check(Reports reports) {
        assertEquals(begun.get(), over.get(), replay + ": bodies begun and left");
        assertEquals(List.of(), ends.problems(), replay);
        for (Reports.Report each : reports.all()) {
            checkFailure(each.failure());
        }
    }

    /** Failures of the game are reported where nobody takes them; nothing else is. */
    private void checkFailure(Throwable failure) {
        boolean isOfTheGame =
                failure instanceof Unwind
                        || (failure instanceof FiberFailedException
                                && !(failure instanceof FiberAbandonedException))
                        || (failure instanceof IllegalStateException
                                && ITS_FAILURES.contains(String.valueOf(failure.getMessage())));
        if (!isOfTheGame) {
            throw new AssertionError(replay + ": reported " + failure, failure);
        }
        Throwable cause = failure.getCause();
        if (cause != null && cause != failure) {
            checkFailure(cause);
        }
        for (Throwable each : failure.getSuppressed()) {
            checkFailure(each);
        }
    }

    // ---------------------------------------------------------------- the players

    private Object live(SplittableRandom own, int depth) {
        begun.incrementAndGet();
        try {
            for (int step = 0; step < STEPS; step++) {
                if (own.nextInt(3) == 0) {
                    CancelScope.moveOnAfter(some(own), () -> move(own, depth));
                } else {
                    move(own, depth);
                }
            }
            return "lived";
        } finally {
            over.incrementAndGet();
        }
    }

    private void move(SplittableRandom own, int depth) {
        switch (own.nextInt(11)) {
            case 0, 1 -> give();
            case 2, 3 -> take(own);
            case 4 -> put();
            case 5 -> poll(own);
            case 6 -> withPermits(own);
            case 7 -> withResource(own);
            case 8 -> routed();
            case 9 -> below(own, depth);
            default -> {
                Fiber.sleep(some(own));
                if (own.nextInt(6) == 0) {
                    throw new IllegalStateException("by chance");
                }
            }
        }
    }

    private String newValue() {
        String value = "value-" + values.incrementAndGet();
        ends.begin(value);
        return value;
    }

    private void give() {
        WaitCell taker = takers.poll();
        if (taker != null) {
            String value = newValue();
            if (!taker.give(value)) {
                ends.end(value, "handed back");
            }
        }
        Fiber.snooze();
    }

    private void take(SplittableRandom own) {
        WaitCell waiter = new WaitCell();
        takers.add(waiter);
        Object value = waiter.await("a value", own.nextInt(LONGEST_NS));
        if (value instanceof String given) {
            ends.end(given, "received");
        }
    }

    private void put() {
        mutex.run(
                () -> {
                    Fiber.snooze();
                    queue.add(newValue());
                    filled.signal();
                });
    }

    private void poll(SplittableRandom own) {
        String taken =
                mutex.<@Nullable String, RuntimeException>call(
                        () -> {
                            boolean goesOn = true;
                            while (queue.isEmpty() && goesOn) {
                                goesOn = filled.await(some(own));
                            }
                            return queue.poll();
                        });
        if (taken != null) {
            ends.end(taken, "taken");
        }
    }

    private void withPermits(SplittableRandom own) {
        int n = 1 + own.nextInt(PERMITS);
        if (permits.acquire(n, some(own))) {
            try {
                Fiber.sleep(some(own));
            } finally {
                permits.release(n);
            }
        }
    }

    private void withResource(SplittableRandom own) {
        var loan = pool.borrow(some(own));
        if (loan == null) {
            return;
        }
        try (loan) {
            Fiber.sleep(some(own));
            if (own.nextInt(3) == 0) {
                loan.discard();
            }
        }
    }

    private void routed() {
        String value = newValue();
        routed.add(value);
        cord(1).post(new Hop(value, false));
    }

    /** A message that goes over one cord to another; it ends once, wherever that is. */
    private final class Hop extends CordMessage {
        private final String value;
        private final boolean isLast;

        Hop(String value, boolean isLast) {
            this.value = value;
            this.isLast = isLast;
        }

        @Override
        public void onCord() {
            if (isLast) {
                ends.end(value, "arrived");
            } else {
                cord(2).post(new Hop(value, true));
            }
        }

        @Override
        public void onClosed() {
            ends.end(value, "undelivered");
        }
    }

    private void below(SplittableRandom own, int depth) {
        if (depth < 2) {
            SplittableRandom childs = own.split();
            Scope.run(
                    scope -> {
                        note(
                                "member-" + values.incrementAndGet(),
                                scope.<Object>spinOn(
                                        cord(own.nextInt(8)),
                                        "member",
                                        () -> live(childs, depth + 1)));
                    });
        }
    }

    private Cord cord(int number) {
        return cords.get(number % cords.size());
    }

    private static Duration some(SplittableRandom random) {
        return Duration.ofNanos(random.nextInt(LONGEST_NS));
    }
}
