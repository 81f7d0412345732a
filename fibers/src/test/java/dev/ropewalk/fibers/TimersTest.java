package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Rule F2: the heap of timers itself; see {@link SleepTest} for what it means to fibers. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TimersTest {
    private final Timers timers = new Timers();

    @Test
    void F2_noTimerNoDeadline() {
        assertTrue(timers.isEmpty());
        assertNull(timers.earliest());
        timers.fireDue(Long.MAX_VALUE);
        timers.checkInvariants();
    }

    @Test
    void F2_deadlinesBeyondTheClocksOverflow() {
        Fiber<?> fiber = dead();
        Timer late = timers.arm(Long.MIN_VALUE + 5, fiber, 0);
        Timer early = timers.arm(Long.MAX_VALUE - 5, fiber, 0);
        assertSame(early, timers.earliest());
        timers.fireDue(Long.MAX_VALUE);
        assertSame(late, timers.earliest());
        timers.fireDue(Long.MIN_VALUE + 5);
        assertNull(timers.earliest());
    }

    @Test
    void F2_firesAtItsDeadlineAndNotANanosecondEarlier() {
        Timer timer = timers.arm(1_000, dead(), 0);
        timers.fireDue(999);
        assertSame(timer, timers.earliest());
        timers.fireDue(1_000);
        assertTrue(timers.isEmpty());
    }

    @Test
    void F2_cancelAfterFiringAndCancelTwiceAreHarmless() {
        Fiber<?> fiber = dead();
        Timer fired = timers.arm(1, fiber, 0);
        timers.fireDue(1);
        timers.cancel(fired);
        Timer cancelled = timers.arm(2, fiber, 0);
        timers.cancel(cancelled);
        timers.cancel(cancelled);
        timers.checkInvariants();
        assertEquals(0, timers.size());
        assertNull(timers.earliest());
    }

    @Test
    void F2_cancelledOnesDoNotPileUp() {
        Fiber<?> fiber = dead();
        List<Timer> live = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            live.add(timers.arm(i, fiber, 0));
        }
        for (int i = 0; i < 100_000; i++) {
            timers.cancel(timers.arm(1_000_000 + i, fiber, 0));
            // Two thirds of a small heap may be dead, not more.
            assertTrue(entries() < 200, timers::toString);
        }
        timers.checkInvariants();
        assertEquals(10, timers.size());
        for (Timer timer : live) {
            assertSame(timer, timers.earliest());
            timers.fireDue(timer.deadlineNs);
        }
    }

    @Test
    void F2_aLateRescheduleOfManyEqualDeadlinesKeepsTheOrderArmed() {
        Fiber<?> fiber = dead();
        List<Timer> armed = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            armed.add(timers.arm(7, fiber, 0));
        }
        for (int i = 0; i < 500; i += 3) {
            timers.cancel(armed.get(i));
        }
        for (int i = 0; i < 500; i++) {
            if (i % 3 != 0) {
                Timer next = timers.earliest();
                assertSame(armed.get(i), next);
                timers.cancel(armed.get(i));
            }
        }
        assertNull(timers.earliest());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void F2_sameAsASortedSetWhateverIsDone(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Fiber<?> fiber = dead();
        TreeSet<Timer> model = new TreeSet<>((a, b) -> a == b ? 0 : isBefore(a, b) ? -1 : 1);
        List<Timer> past = new ArrayList<>();
        long now = Long.MAX_VALUE - 20_000;
        for (int step = 0; step < 10_000; step++) {
            int choice = random.nextInt(10);
            if (choice < 5) {
                model.add(timers.arm(now + random.nextInt(1_000), fiber, 0));
            } else if (choice < 8 && !model.isEmpty()) {
                Timer any = timers.arm(now + random.nextInt(1_000), fiber, 0);
                Timer other = model.higher(any);
                Timer cancelled = other == null ? any : other;
                model.add(any);
                model.remove(cancelled);
                timers.cancel(cancelled);
                past.add(cancelled);
            } else if (choice == 8 && !past.isEmpty()) {
                timers.cancel(past.get(random.nextInt(past.size())));
            } else {
                now += random.nextInt(200);
                timers.fireDue(now);
                while (!model.isEmpty() && model.first().deadlineNs - now <= 0) {
                    Timer fired = model.pollFirst();
                    assertTrue(fired != null && fired.isCancelled(), "seed=" + seed);
                    past.add(fired);
                }
            }
            timers.checkInvariants();
            assertEquals(model.size(), timers.size(), "seed=" + seed + " step=" + step);
            assertSame(model.isEmpty() ? null : model.first(), timers.earliest());
        }
    }

    /** How many entries the heap has, dead ones included. */
    private int entries() {
        String text = timers.toString();
        return Integer.parseInt(text.substring(text.indexOf("size=") + 5, text.indexOf(' ')));
    }

    /** A fiber whose wait nobody can end. */
    private static Fiber<?> dead() {
        return Runs.<Fiber<?>>virtual(
                new Reports(),
                () -> {
                    Fiber<@Nullable Void> fiber = Fiber.spin(() -> {});
                    fiber.await();
                    return fiber;
                });
    }

    private static boolean isBefore(Timer one, Timer other) {
        long difference = one.deadlineNs - other.deadlineNs;
        return difference < 0 || (difference == 0 && one.sequence < other.sequence);
    }
}
