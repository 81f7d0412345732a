package dev.ropewalk.fibers.internal.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** How long an idle cord spins, on a clock that moves on with each reading. */
@Timeout(value = 10, threadMode = ThreadMode.SEPARATE_THREAD)
class IdleSpinTest {
    private static final long READING_NS = 500;
    private static final long LONG_SLEEP_NS = IdleSpin.MAX_SPIN_NS + 1;

    private long nowNs = Long.MAX_VALUE - 10_000; // it overflows soon

    /** How long another thread runs when it is given the CPU. */
    private long otherNs;

    private final List<Long> yields = new ArrayList<>();
    private final IdleSpin spin =
            new IdleSpin(
                    () -> nowNs += READING_NS,
                    () -> {
                        yields.add(nowNs);
                        nowNs += otherNs;
                    });

    @BeforeEach
    void needsTwoProcessors() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "else it never spins");
    }

    /** In vain, in readings of the clock, to one or two. */
    private long spinNs(@Nullable Long deadlineNs) {
        long sinceNs = nowNs;
        assertFalse(
                spin.find(() -> false, deadlineNs != null, deadlineNs == null ? 0 : deadlineNs));
        return nowNs - sinceNs - READING_NS;
    }

    @Test
    void F2_newCordSpinsForLong() {
        assertEquals(IdleSpin.MAX_SPIN_NS, spinNs(null));
    }

    @Test
    void F2_spinIsHalvedByEachSleepThatItWouldNotHaveSpared() {
        spin.slept(LONG_SLEEP_NS, true);
        assertEquals(IdleSpin.MAX_SPIN_NS / 2, spinNs(null));
        for (int i = 0; i < 100; i++) {
            spin.slept(LONG_SLEEP_NS, true);
        }
        assertEquals(IdleSpin.LEAST_SPIN_NS, spinNs(null));
    }

    @Test
    void F2_sleepThatItWouldHaveSparedMakesItLongAgain() {
        for (int i = 0; i < 100; i++) {
            spin.slept(LONG_SLEEP_NS, true);
        }
        spin.slept(IdleSpin.MAX_SPIN_NS, true);
        assertEquals(IdleSpin.MAX_SPIN_NS, spinNs(null));
    }

    @Test
    void F2_sleepAfterALongSpinInVainWasNotToBeSpared() {
        assertEquals(IdleSpin.MAX_SPIN_NS, spinNs(null));
        spin.slept(1, true);
        assertEquals(IdleSpin.MAX_SPIN_NS / 2, spinNs(null));
        spin.slept(1, true);
        assertEquals(IdleSpin.MAX_SPIN_NS, spinNs(null), "a little longer would do");
    }

    @Test
    void F2_sleepThatATimerEndedCountsAsLong() {
        spin.slept(1, false);
        assertEquals(IdleSpin.MAX_SPIN_NS / 2, spinNs(null));
    }

    @Test
    void F2_sleepUntilATimerIsExactUnlessItIsShort() {
        long sinceNs = nowNs + READING_NS;
        spinNs(sinceNs); // ends at once, and counts as idle
        long farNs = sinceNs + IdleSpin.LEAST_IDLE_NS + 1;
        assertEquals(farNs, spin.wakeTime(farNs));
        long leastNs = sinceNs + IdleSpin.LEAST_IDLE_NS;
        assertEquals(leastNs, spin.wakeTime(sinceNs + 1));
        assertEquals(leastNs, spin.wakeTime(sinceNs - 1), "due");
    }

    @Test
    void F2_timerThatIsDueEarlierEndsTheSpin() {
        long deadlineNs = nowNs + 10 * READING_NS;
        assertEquals(9 * READING_NS, spinNs(deadlineNs));
        assertEquals(READING_NS, spinNs(deadlineNs), "due: one round of looks");
    }

    @Test
    void F2_laterTimerDoesNotLengthenTheSpin() {
        assertEquals(IdleSpin.MAX_SPIN_NS, spinNs(nowNs + 2 * IdleSpin.MAX_SPIN_NS));
    }

    @Test
    void F2_workIsFoundAtOnceOrMeanwhile() {
        long sinceNs = nowNs;
        assertTrue(spin.find(() -> true, false, 0));
        assertEquals(READING_NS, nowNs - sinceNs);
        AtomicInteger looks = new AtomicInteger();
        assertTrue(spin.find(() -> looks.incrementAndGet() == 100, false, 0));
        assertEquals(100, looks.get());
    }

    // ---------------------------------------------------------------- others on this CPU

    @Test
    void F2_spinGivesUpItsCpuOnlyNowAndThenWhileItIsAlone() {
        long sinceNs = nowNs + READING_NS;
        spinNs(null);
        assertEquals(sinceNs + IdleSpin.ALONE_NS, yields.getFirst());
        for (int i = 1; i < yields.size(); i++) {
            assertEquals(
                    IdleSpin.ALONE_NS + READING_NS,
                    yields.get(i) - yields.get(i - 1),
                    "yield " + i);
        }
    }

    @Test
    void F2_shortSpinGivesUpNothing() {
        for (int i = 0; i < 100; i++) {
            spin.slept(LONG_SLEEP_NS, true);
        }
        assertEquals(IdleSpin.LEAST_SPIN_NS, spinNs(null));
        assertEquals(List.of(), yields);
    }

    @Test
    void F2_spinBesideAnotherThreadLetsThatRunAgainAfterEachLook() {
        otherNs = IdleSpin.YIELD_NS + 1;
        spinNs(null);
        assertTrue(yields.size() > 10, "yields=" + yields);
        for (int i = 1; i < yields.size(); i++) {
            assertEquals(otherNs + 2 * READING_NS, yields.get(i) - yields.get(i - 1), "yield " + i);
        }
    }

    @Test
    void F2_workThatTheOtherThreadMakesIsFoundHoweverLongItRuns() {
        otherNs = 10 * IdleSpin.MAX_SPIN_NS;
        assertTrue(spin.find(() -> !yields.isEmpty(), false, 0));
        assertEquals(1, yields.size());
    }

    @Test
    void F2_spinBesideAThreadThatRunsForLongEnds() {
        otherNs = IdleSpin.MAX_SPIN_NS;
        assertFalse(spin.find(() -> false, false, 0));
        assertEquals(1, yields.size());
    }

    @Test
    void F2_sleepThatGaveUpTheCpuLengthensNoSpin() {
        spin.slept(LONG_SLEEP_NS, true);
        otherNs = IdleSpin.YIELD_NS + 1;
        long spunNs = spinNs(null);
        assertTrue(spunNs < IdleSpin.MAX_SPIN_NS, "spunNs=" + spunNs);
        spin.slept(1, true);
        assertEquals(spunNs, spinNs(null), "neither longer nor shorter");

        otherNs = 0;
        spinNs(null);
        spin.slept(1, true);
        assertEquals(IdleSpin.MAX_SPIN_NS, spinNs(null), "alone again");
    }

    @Test
    void F2_sleepThatATimerEndedHalvesTheSpinWhereOthersRunToo() {
        otherNs = IdleSpin.YIELD_NS + 1;
        spinNs(null);
        spin.slept(1, false);
        otherNs = 0;
        assertEquals(IdleSpin.MAX_SPIN_NS / 2, spinNs(null));
    }
}
