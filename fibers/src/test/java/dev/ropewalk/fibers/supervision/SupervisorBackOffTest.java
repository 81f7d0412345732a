package dev.ropewalk.fibers.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Supervised fibers: the delays before they are started again. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SupervisorBackOffTest extends SupervisorTests {
    private List<Long> delays(BackOff backOff, int failures) {
        List<Long> starts = new ArrayList<>();
        Flaky flaky = new Flaky(failures);
        FiberSupervisor.run(
                rules(RestartRule.TRANSIENT).withBackOff(backOff),
                s ->
                        s.spin(
                                "flaky",
                                () -> {
                                    starts.add(now());
                                    return flaky.run();
                                }));
        List<Long> delays = new ArrayList<>();
        for (int i = 1; i < starts.size(); i++) {
            delays.add((starts.get(i) - starts.get(i - 1)) / 1_000_000);
        }
        return delays;
    }

    @Test
    void backOffGrowsByItsFactorUpToItsMaximum() {
        inAnyOrder(
                () -> {
                    BackOff backOff =
                            BackOff.doubling(Duration.ofMillis(100), SECOND).withFactor(3);
                    assertEquals(List.of(100L, 300L, 900L, 1_000L, 1_000L), delays(backOff, 5));
                });
    }

    @Test
    void backOffBeginsAnewAfterALongRun() {
        inAnyOrder(
                () -> {
                    Flaky flaky = new Flaky(6);
                    List<Long> starts = new ArrayList<>();
                    FiberSupervisor.run(
                            rules(RestartRule.TRANSIENT)
                                    .withBackOff(BackOff.doubling(Duration.ofMillis(100), SECOND)),
                            s ->
                                    s.spin(
                                            "flaky",
                                            () -> {
                                                starts.add(now());
                                                if (starts.size() == 4) {
                                                    Fiber.sleep(SECOND);
                                                }
                                                return flaky.run();
                                            }));
                    List<Long> delays = new ArrayList<>();
                    for (int i = 1; i < starts.size(); i++) {
                        delays.add((starts.get(i) - starts.get(i - 1)) / 1_000_000);
                    }
                    assertEquals(List.of(100L, 200L, 400L, 1_100L, 200L, 400L), delays);
                });
    }

    @Test
    void jitterStaysInItsBoundsAndComesFromTheSeed() {
        BackOff backOff = BackOff.doubling(SECOND, SECOND).withJitter(0.25);
        Set<List<Long>> all = new HashSet<>();
        for (long seed = 1; seed <= 5; seed++) {
            List<List<Long>> twice = new ArrayList<>();
            for (int run = 0; run < 2; run++) {
                TestCord.run(seed, false, () -> twice.add(delays(backOff, 20)));
            }
            assertEquals(twice.get(0), twice.get(1), "seed=" + seed);
            for (long delay : twice.get(0)) {
                assertTrue(delay >= 750 && delay <= 1_000, "seed=" + seed + " delay=" + delay);
            }
            all.add(twice.get(0));
        }
        assertEquals(5, all.size());
    }

    @Test
    void terminationDuringABackOffEndsAtOnceAndStartsNothing() {
        inAnyOrder(
                () -> {
                    BackOff day = BackOff.doubling(FAR, FAR);
                    Fiber<?> supervising =
                            Fiber.spin(
                                    "supervising",
                                    () ->
                                            FiberSupervisor.run(
                                                    rules(RestartRule.TRANSIENT).withBackOff(day),
                                                    s -> s.spin("bad", () -> fail("no"))));
                    Fiber.sleep(SECOND);
                    long before = now();
                    supervising.terminate();
                    assertThrows(FiberTerminatedException.class, supervising::await);
                    assertEquals(before, now());
                    Fiber.sleep(FAR.multipliedBy(2));
                    assertEquals(List.of("bad!no"), log);
                });
    }

    @Test
    void othersGoOnDuringABackOff() {
        inAnyOrder(
                () -> {
                    BackOff second = BackOff.doubling(SECOND, SECOND);
                    Flaky slow = new Flaky(1);
                    FiberSupervisor.run(
                            rules(RestartRule.TRANSIENT).withBackOff(second),
                            s -> {
                                s.spin("slow", slow::run);
                                s.spin("quick", () -> Fiber.sleep(Duration.ofMillis(10)));
                            });
                    assertEquals(List.of("slow!again", "quick=null", "slow=done"), log);
                });
    }
}
