package dev.ropewalk.fibers.internal.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.SleepTest;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.WaitTimer;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Rule F2: the timers themselves; see {@link SleepTest} for what it means to fibers. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TimersTest {
    private static final long LIMIT = 5_000_000;

    private final Timers timers = new Timers();
    private final List<Logged> log = new ArrayList<>();

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
        Timer late = timers.arm(new WaitTimer(Long.MIN_VALUE + 5, FiberImpl.of(fiber), 0), LIMIT);
        Timer early = timers.arm(new WaitTimer(Long.MAX_VALUE - 5, FiberImpl.of(fiber), 0), LIMIT);
        assertSame(early, timers.earliest());
        timers.fireDue(Long.MAX_VALUE);
        assertSame(late, timers.earliest());
        timers.fireDue(Long.MIN_VALUE + 5);
        assertNull(timers.earliest());
    }

    @Test
    void F2_firesAtItsDeadlineAndNotANanosecondEarlier() {
        Timer timer = timers.arm(new WaitTimer(1_000, FiberImpl.of(dead()), 0), LIMIT);
        timers.fireDue(999);
        assertSame(timer, timers.earliest());
        timers.fireDue(1_000);
        assertTrue(timers.isEmpty());
    }

    @Test
    void F2_cancelAfterFiringAndCancelTwiceAreHarmless() {
        Fiber<?> fiber = dead();
        Timer fired = timers.arm(new WaitTimer(1, FiberImpl.of(fiber), 0), LIMIT);
        timers.fireDue(1);
        timers.cancel(fired);
        Timer cancelled = timers.arm(new WaitTimer(2, FiberImpl.of(fiber), 0), LIMIT);
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
            live.add(timers.arm(new WaitTimer(i, FiberImpl.of(fiber), 0), LIMIT));
        }
        for (int i = 0; i < 100_000; i++) {
            timers.cancel(timers.arm(new WaitTimer(1_000_000 + i, FiberImpl.of(fiber), 0), LIMIT));
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
            armed.add(timers.arm(new WaitTimer(7, FiberImpl.of(fiber), 0), LIMIT));
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

    @Test
    void F2_timersOfOneLimitAreOneChainWhateverItsLength() {
        for (int i = 0; i < 1_000; i++) {
            add(i / 3, LIMIT);
            add(i / 3 + 77, 2 * LIMIT);
        }
        assertEquals("Timers[size=2000 cancelled=0 chains=2]", timers.toString());
        timers.checkInvariants();
        timers.fireDue(500);
        assertEquals(2_000, log.size());
        assertInOrder();
    }

    @Test
    void F2_anEarlierTimerIsNotHeldUpByALaterOneOfItsLane() {
        Logged late = add(100, LIMIT);
        Logged early = add(10, LIMIT);
        Logged between = add(50, LIMIT);
        assertSame(early, timers.earliest());
        timers.fireDue(1_000);
        assertEquals(List.of(early, between, late), log);
        timers.checkInvariants();
    }

    @Test
    void F2_aLaneGoesOnAfterItsLastTimerIsOver() {
        timers.cancel(add(10, LIMIT));
        Logged live = add(20, LIMIT);
        timers.fireDue(15);
        assertSame(live, timers.earliest());
        timers.fireDue(20);
        Logged again = add(30, LIMIT);
        assertSame(again, timers.earliest());
        for (int i = 0; i < 1_000; i++) {
            timers.cancel(add(31 + i, LIMIT)); // sweeps out the last one of the lane
        }
        add(40, LIMIT);
        timers.checkInvariants();
        timers.fireDue(40);
        assertEquals(List.of(20L, 30L, 40L), log.stream().map(each -> each.deadlineNs).toList());
    }

    @Test
    void F2_oneThatIsCancelledByAnotherThatIsDueIsNotFired() {
        Logged first = add(1, LIMIT);
        List<Logged> others = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            others.add(add(2, i));
        }
        first.then = () -> others.forEach(timers::cancel);
        timers.fireDue(5);
        assertEquals(List.of(first), log);
        timers.checkInvariants();
        assertEquals(0, timers.size());
    }

    @Test
    void F2_oneThatFailsLosesNoOtherThatIsDue() {
        for (int i = 0; i < 20; i++) {
            Logged timer = add(i, i % 3);
            if (i == 4) {
                timer.then =
                        () -> {
                            throw new OutOfMemoryError("made by the test");
                        };
            }
        }
        assertThrows(OutOfMemoryError.class, () -> timers.fireDue(100));
        assertEquals(5, log.size());
        assertEquals(15, timers.size());
        timers.checkInvariants();
        timers.fireDue(100);
        assertEquals(20, log.size());
        assertInOrder();
    }

    @Test
    void F9_aReportLooksAtFewOfManyCancelledOnes() {
        add(9_000, 0); // so that those of the other lanes are no chain
        for (int i = 0; i < 5_000; i++) {
            Logged timer = add(i, i);
            if (i % 2 == 0 && i < 4_800) {
                timers.cancel(timer);
            }
        }
        List<Timer> next = timers.next(20);
        assertEquals(20, next.size());
        assertEquals(39, next.getLast().deadlineNs);
        timers.next(10_000).forEach(each -> assertFalse(each.isCancelled()));
        assertTrue(timers.next(10_000).size() < 1_000);
        timers.checkInvariants();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void F2_sameAsASortedSetWhateverIsDone(long seed) {
        compareWithASortedSet(seed);
    }

    @Test
    @Tag("stress")
    void F2_sameAsASortedSetWhateverIsDoneManyTimes() {
        for (long seed = 100; seed < 200; seed++) {
            compareWithASortedSet(seed);
        }
    }

    private void compareWithASortedSet(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TreeSet<Logged> model = new TreeSet<>((a, b) -> a == b ? 0 : isBefore(a, b) ? -1 : 1);
        List<Logged> past = new ArrayList<>();
        int limits = 1 + random.nextInt(50);
        long now = Long.MAX_VALUE - 20_000;
        for (int step = 0; step < 10_000; step++) {
            int choice = random.nextInt(100);
            if (choice < 70) {
                // Mostly as a program does, where the limit says what the deadline is.
                int limit = random.nextInt(limits);
                long after = choice < 60 ? 20L * limit : random.nextInt(1_000);
                model.add(add(now + after, limit));
            } else if (choice < 85 && !model.isEmpty()) {
                Logged any = add(now + random.nextInt(1_000), random.nextInt(limits));
                model.add(any);
                Logged other = model.higher(any);
                Logged cancelled = other == null ? any : other;
                model.remove(cancelled);
                timers.cancel(cancelled);
                past.add(cancelled);
            } else if (choice < 92 && !past.isEmpty()) {
                timers.cancel(past.get(random.nextInt(past.size())));
            } else {
                now += random.nextInt(step % 3 == 0 ? 600 : 40);
                log.clear();
                timers.fireDue(now);
                List<Logged> expected = new ArrayList<>();
                while (!model.isEmpty() && model.first().deadlineNs - now <= 0) {
                    expected.add(model.pollFirst());
                }
                assertEquals(expected, log, "seed=" + seed + " step=" + step);
                past.addAll(expected);
            }
            if (step % 8 == 0) {
                timers.checkInvariants();
                int most = random.nextInt(30);
                assertEquals(
                        model.stream().limit(most).toList(),
                        timers.next(most),
                        "seed=" + seed + " step=" + step);
            }
            assertEquals(model.size(), timers.size(), "seed=" + seed + " step=" + step);
            assertSame(model.isEmpty() ? null : model.first(), timers.earliest());
        }
        timers.fireDue(now + 10_000);
        assertTrue(timers.isEmpty(), () -> "seed=" + seed);
    }

    private void assertInOrder() {
        for (int i = 1; i < log.size(); i++) {
            assertTrue(isBefore(log.get(i - 1), log.get(i)), "index=" + i);
        }
    }

    private Logged add(long deadlineNs, long limitNs) {
        Logged timer = new Logged(deadlineNs, log);
        timers.arm(timer, limitNs);
        return timer;
    }

    /** Says when it is fired. */
    private static final class Logged extends Timer {
        private final List<Logged> log;
        private boolean isOver;
        private Runnable then = () -> {};

        Logged(long deadlineNs, List<Logged> log) {
            super(deadlineNs);
            this.log = log;
        }

        @Override
        public String kind() {
            return "logged";
        }

        @Override
        public @Nullable Object owner() {
            return isOver ? null : this;
        }

        @Override
        public boolean isCancelled() {
            return isOver;
        }

        @Override
        public void markCancelled() {
            isOver = true;
        }

        @Override
        public void fire() {
            if (!isOver) {
                isOver = true;
                log.add(this);
                then.run();
            }
        }
    }

    /** How many are queued, dead ones included. */
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
