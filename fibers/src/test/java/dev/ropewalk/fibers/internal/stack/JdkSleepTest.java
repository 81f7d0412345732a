package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.testkit.JdkSleep;
import dev.ropewalk.fibers.testkit.VirtualThreads;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F11: on virtual threads {@code Thread.sleep} suspends the fiber only. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class JdkSleepTest {
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration FAR = Duration.ofDays(1);

    @Test
    void F11_othersRunWhileAFiberSleepsInTheJdkAndItIsNotEarly() {
        VirtualThreads.run(
                () -> {
                    Cord cord = Cord.current();
                    long beganNs = cord.nanoTime();
                    Fiber<Long> sleeper =
                            Fiber.spin(
                                    () -> {
                                        JdkSleep.sleep(SHORT);
                                        return cord.nanoTime() - beganNs;
                                    });
                    VirtualThreads.untilForeign(sleeper);
                    int turns = 0;
                    while (sleeper.state() != FiberState.DEAD) {
                        Fiber.snooze();
                        turns++;
                    }
                    assertTrue(turns > 1, "turns of the others=" + turns);
                    long sleptNs = sleeper.await();
                    assertTrue(sleptNs >= SHORT.toNanos(), "slept=" + sleptNs);
                });
    }

    @Test
    void F11_manyThatSleepInTheJdkSleepAtOnce() {
        VirtualThreads.run(
                () -> {
                    int[] asleep = new int[2];
                    List<Fiber<?>> all = new ArrayList<>();
                    for (int i = 0; i < 50; i++) {
                        all.add(
                                Fiber.spin(
                                        () -> {
                                            asleep[1] = Math.max(asleep[1], ++asleep[0]);
                                            JdkSleep.sleep(SHORT);
                                            asleep[0]--;
                                        }));
                    }
                    Fiber.awaitAll(all);
                    assertEquals(50, asleep[1]);
                });
    }

    @Test
    void F11_terminateInterruptsASleepOfTheJdk() {
        VirtualThreads.run(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> sleeper =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            JdkSleep.sleep(FAR);
                                        } catch (InterruptedException e) {
                                            log.add("interrupted");
                                        }
                                        Fiber.snooze();
                                        log.add("went on");
                                    });
                    VirtualThreads.untilForeign(sleeper);
                    sleeper.terminate();
                    assertThrows(FiberTerminatedException.class, sleeper::await);
                    assertEquals(List.of("interrupted"), log);
                });
    }

    @Test
    void F11_timeLimitEndsASleepOfTheJdkAndTheFiberGoesOn() {
        VirtualThreads.run(
                () -> {
                    boolean inTime =
                            CancelScope.moveOnAfter(
                                    Duration.ofMillis(1), () -> JdkSleep.sleep(FAR));
                    assertFalse(inTime);
                    assertFalse(Thread.currentThread().isInterrupted(), "nothing is left behind");
                    JdkSleep.sleep(Duration.ofMillis(1));
                    Fiber.snooze();
                });
    }
}
