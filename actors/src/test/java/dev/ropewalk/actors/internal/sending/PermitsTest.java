package dev.ropewalk.actors.internal.sending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Rule A3: the room in a bounded mailbox is given back, and no waiter is forgotten. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class PermitsTest {
    private static final long FOREVER = Long.MAX_VALUE;

    private static Permits permits(int capacity) {
        return new Permits("actor", capacity);
    }

    @Test
    void A3_takesNoMoreThanThereAre() {
        TestCord.run(
                () -> {
                    Permits permits = permits(2);
                    assertTrue(permits.tryTake());
                    assertTrue(permits.take(FOREVER));
                    assertFalse(permits.tryTake());
                    assertFalse(permits.take(1_000_000));
                    permits.give();
                    assertTrue(permits.tryTake());
                    permits.give();
                    permits.give();
                    permits.checkInvariants();
                });
    }

    /** A newcomer waits behind those that wait, and one that left does not hold up the next. */
    @Test
    void A3_waitersAreServedInOrder() {
        TestCord.run(
                () -> {
                    Permits permits = permits(1);
                    assertTrue(permits.tryTake());
                    List<Integer> served = new ArrayList<>();
                    List<Fiber<?>> waiting = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        int number = i;
                        waiting.add(
                                Fiber.spin(
                                        "waiter",
                                        () -> {
                                            permits.take(FOREVER);
                                            served.add(number);
                                        }));
                        Fiber.snooze();
                    }
                    assertFalse(permits.tryTake());
                    waiting.get(1).terminate();
                    for (int i = 0; i < 3; i++) {
                        permits.give();
                        Fiber.sleep(Duration.ofNanos(1));
                        permits.checkInvariants();
                    }
                    assertEquals(3, served.size());
                    assertFalse(served.contains(1));
                    permits.give();
                    assertTrue(permits.tryTake());
                    permits.give();
                    permits.checkInvariants();
                });
    }

    @Test
    void A3_closeLetsEverybodyGo() {
        TestCord.run(
                () -> {
                    Permits permits = permits(1);
                    assertTrue(permits.tryTake());
                    List<Fiber<Boolean>> waiting = new ArrayList<>();
                    for (int i = 0; i < 5; i++) {
                        waiting.add(Fiber.spin("waiter", () -> permits.take(FOREVER)));
                    }
                    Fiber.sleep(Duration.ofNanos(1));
                    permits.close();
                    waiting.forEach(each -> assertTrue(each.await()));
                    assertTrue(permits.tryTake());
                    permits.checkInvariants();
                });
    }

    /** In real time: never more holders than permits, and in the end all permits are there. */
    @Test
    @Tag("stress")
    void A3_manyThreadsAndCordsThatGiveUpAtRandom() throws InterruptedException {
        for (long seed = 1; seed <= 10; seed++) {
            game(seed);
        }
    }

    private static void game(long seed) throws InterruptedException {
        int capacity = 1 + (int) (seed % 3);
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger tooMany = new AtomicInteger();
        try (Cord first = Cord.start("first");
                Cord second = Cord.start("second")) {
            Permits permits = first.spin("make", () -> permits(capacity)).await();
            List<Fiber<?>> fibers = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                SplittableRandom random = new SplittableRandom(31 * seed + i);
                Runnable user =
                        () -> {
                            for (int n = 0; n < 3_000; n++) {
                                if (take(permits, random)) {
                                    if (holders.incrementAndGet() > capacity) {
                                        tooMany.incrementAndGet();
                                    }
                                    for (int spin = random.nextInt(200); spin > 0; spin--) {
                                        Thread.onSpinWait();
                                    }
                                    holders.decrementAndGet();
                                    permits.give();
                                }
                            }
                        };
                switch (i % 4) {
                    case 0, 1 -> fibers.add((i % 4 == 0 ? first : second).spin("user", user::run));
                    default -> threads.add(Thread.ofPlatform().start(user));
                }
            }
            fibers.forEach(Fiber::await);
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(0, tooMany.get(), "seed=" + seed);
            permits.checkInvariants();
            for (int i = 0; i < capacity; i++) {
                assertTrue(permits.tryTake(), "a permit was lost; seed=" + seed);
            }
            assertFalse(permits.tryTake(), "a permit too many; seed=" + seed);
        }
    }

    private static boolean take(Permits permits, SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> permits.tryTake();
            case 1 -> permits.take(random.nextInt(20_000));
            case 2 ->
                    Fiber.currentOrNull() == null
                            ? permits.take(FOREVER)
                            : inScope(permits, random);
            default -> permits.take(FOREVER);
        };
    }

    private static boolean inScope(Permits permits, SplittableRandom random) {
        try {
            return CancelScope.cancelAfter(
                    Duration.ofNanos(random.nextInt(20_000)), () -> permits.take(FOREVER));
        } catch (FiberTimeoutException late) {
            return false;
        }
    }
}
