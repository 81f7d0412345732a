package dev.ropewalk.fibers.internal.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

/**
 * Rule F2: no timer is lost, fired twice or fired out of turn, wherever an operation is broken off
 * for want of stack. See {@code StackOverflowTest} for the same with fibers.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TimersFullStackTest {
    private static final long SMALL_STACK = 256 << 10;
    private static final int LEVELS = 300;
    private static final int DIVES = 40;

    private final Timers timers = new Timers();
    private final List<Probe> all = new ArrayList<>();
    private final int[] fired = new int[1];
    private SplittableRandom random = new SplittableRandom(1);
    private boolean cancelsMost;
    private long now;
    private int nextCancelled;
    private int lastCancelled;
    private int levelsLeft;
    private int brokenOff;
    private @Nullable Throwable failure;

    /** Calls nothing that could fail. */
    private static final class Probe extends Timer {
        private final int[] clock;
        private boolean isArmed;
        private boolean isOver;
        private int failures;
        private int firedAs = -1;
        private int times;

        Probe(long deadlineNs, int[] clock) {
            super(deadlineNs);
            this.clock = clock;
        }

        @Override
        public String kind() {
            return "probe";
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
            if (failures > 0) {
                failures--;
                throw new StackOverflowError("made by the test");
            }
            if (!isOver) {
                isOver = true;
                times++;
                firedAs = clock[0]++;
            }
        }
    }

    /** The next to be cancelled has them swept out; if that is broken off, the one after it. */
    private void armUntilSweep() {
        now += 1_000;
        timers.fireDue(now);
        nextCancelled = all.size();
        for (int i = 0; i < 129; i++) {
            arm();
        }
        for (int i = 0; i < 64; i++) {
            timers.cancel(all.get(nextCancelled++));
        }
        lastCancelled = all.size();
    }

    private void arm() {
        int limit = random.nextInt(40);
        Probe timer = new Probe(now + 1 + 10L * limit, fired);
        all.add(timer);
        timers.arm(timer, limit % 30);
        timer.isArmed = true;
    }

    private void anyOperation() {
        if (nextCancelled < lastCancelled) {
            timers.cancel(all.get(nextCancelled++));
            return;
        }
        int choice = random.nextInt(20);
        if (choice < 8) {
            arm();
        } else if (choice < (cancelsMost ? 19 : 14) && !all.isEmpty()) {
            int back = random.nextInt(Math.min(all.size(), 400));
            timers.cancel(all.get(all.size() - 1 - back));
        } else if (choice < 17) {
            timers.earliest();
        } else {
            now += random.nextInt(cancelsMost ? 6 : 60);
            timers.fireDue(now);
        }
    }

    /** Fills the stack, and does something at each of the deepest levels on the way back. */
    private void dive() {
        if (levelsLeft < 0) {
            return; // never
        }
        boolean isBottom = false;
        try {
            dive();
        } catch (StackOverflowError full) {
            isBottom = true;
        }
        if (isBottom) {
            levelsLeft = LEVELS;
        }
        if (levelsLeft > 0) {
            levelsLeft--;
            try {
                anyOperation();
            } catch (StackOverflowError full) {
                brokenOff++;
            }
        }
    }

    private void liveOnFullStacks() {
        for (int i = 0; i < 2_000; i++) {
            anyOperation(); // all classes are there before the stack is full
        }
        for (int i = 0; i < DIVES; i++) {
            if (cancelsMost) {
                armUntilSweep();
            }
            dive();
            timers.checkInvariants();
        }
        now += 1_000;
        timers.fireDue(now);
        timers.checkInvariants();
    }

    private void check(long seed) throws InterruptedException {
        random = new SplittableRandom(seed);
        cancelsMost = seed % 2 == 0; // so that they are swept out
        Thread thread = new Thread(null, this::liveOnFullStacks, "small", SMALL_STACK);
        thread.setUncaughtExceptionHandler((any, thrown) -> failure = thrown);
        thread.start();
        thread.join();
        if (failure != null) {
            throw new AssertionError("seed=" + seed, failure);
        }
        assertTrue(timers.isEmpty(), () -> "seed=" + seed + " " + timers);
        assertEquals(0, timers.size());
        Probe[] inTurn = new Probe[fired[0]];
        for (Probe each : all) {
            String told = "seed=" + seed + " sequence=" + each.sequence;
            assertEquals(each.isArmed, each.isArmed && each.isOver, told);
            assertTrue(each.times <= (each.isArmed ? 1 : 0), told);
            if (each.times > 0) {
                inTurn[each.firedAs] = each;
            }
        }
        for (int i = 1; i < inTurn.length; i++) {
            long gap = inTurn[i].deadlineNs - inTurn[i - 1].deadlineNs;
            boolean isLater = inTurn[i].sequence > inTurn[i - 1].sequence;
            assertTrue(gap > 0 || (gap == 0 && isLater), "seed=" + seed + " fired as " + i);
        }
        assertTrue(brokenOff > 0, "nothing was broken off");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void F2_noOperationOnAFullStackLosesATimer(long seed) throws InterruptedException {
        check(seed);
    }

    @Test
    @Tag("stress")
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void F2_noOperationOnAFullStackLosesATimerManyTimes() throws InterruptedException {
        for (long seed = 100; seed < 120; seed++) {
            new TimersFullStackTest().check(seed);
        }
    }

    @Test
    void F2_oneThatFailsForWantOfStackComesAgainAndBeforeTheRest() {
        for (int i = 0; i < 40; i++) {
            arm();
        }
        Probe failing = (Probe) timers.earliest();
        if (failing == null) {
            throw new AssertionError("none");
        }
        failing.failures = 2;
        now += 1_000;
        for (int i = 0; i < 2; i++) {
            assertThrows(StackOverflowError.class, () -> timers.fireDue(now));
            assertEquals(40, timers.size());
            assertEquals(failing, timers.earliest());
            timers.checkInvariants();
        }
        timers.fireDue(now);
        assertEquals(0, failing.firedAs);
        assertEquals(40, fired[0]);
        assertNull(timers.earliest());
        assertTrue(timers.isEmpty());
    }

    @Test
    void F2_whatIsLeftOfABatchCanBeCancelled() {
        for (int i = 0; i < 40; i++) {
            arm();
        }
        Probe failing = (Probe) timers.earliest();
        if (failing == null) {
            throw new AssertionError("none");
        }
        failing.failures = 1;
        now += 1_000;
        assertThrows(StackOverflowError.class, () -> timers.fireDue(now));
        all.forEach(timers::cancel);
        assertEquals(0, timers.size());
        assertNull(timers.earliest());
        timers.checkInvariants();
        timers.fireDue(now);
        assertEquals(0, fired[0]);
        assertTrue(timers.isEmpty());
    }
}
