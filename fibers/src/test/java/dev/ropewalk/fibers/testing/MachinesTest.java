package dev.ropewalk.fibers.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rule F14: cords that stand for machines freeze, are killed, start again and lose time. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class MachinesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int SEEDS = 30;

    @FunctionalInterface
    private interface Body {
        void run(VirtualCords run, List<Cord> cords) throws Exception;
    }

    private static void seeds(int cords, Body body) {
        for (long seed = 0; seed < SEEDS; seed++) {
            run(cords, seed, body);
        }
    }

    private static void run(int cords, long seed, Body body) {
        TestCords.run(cords, seed, true, all -> body.run(VirtualCords.current(), all));
    }

    private static Duration since(long beganNs) {
        return Duration.ofNanos(Cord.current().nanoTime() - beganNs);
    }

    private static Duration seconds(int count) {
        return SECOND.multipliedBy(count);
    }

    // ---------------------------------------------------------------- frozen

    @Test
    void F14_frozenCordTakesNoTurnWhileTheOthersGoOn() {
        seeds(
                3,
                (run, cords) -> {
                    List<Object> log = new ArrayList<>();
                    Cord frozen = cords.get(1);
                    long beganNs = Cord.current().nanoTime();
                    frozen.spin(
                            "ticks",
                            () -> {
                                for (int i = 0; i < 6; i++) {
                                    Fiber.sleep(SECOND);
                                    log.add(since(beganNs));
                                }
                            });
                    Fiber<?> other =
                            cords.get(2)
                                    .spin(
                                            "other",
                                            () -> {
                                                Fiber.sleep(seconds(3));
                                                log.add("other");
                                            });
                    Fiber.sleep(Duration.ofMillis(1_500));
                    run.freeze(frozen, seconds(3));
                    frozen.post(Runs.message(() -> log.add("message at " + since(beganNs))));
                    other.await();
                    assertEquals(List.of(SECOND, "other"), log);
                    Fiber.sleep(seconds(10));
                    // The overdue timer, and those that it arms when it is late.
                    Duration thaw = Duration.ofMillis(4_500);
                    List<Object> expected =
                            new ArrayList<>(List.of(SECOND, "other", thaw, "message at " + thaw));
                    assertTrue(log.containsAll(expected), log::toString);
                    assertEquals(thaw.plus(seconds(4)), log.getLast());
                });
    }

    @Test
    void F14_limitBesideAFrozenCordPassesInTime() {
        for (int frozenFor = 1; frozenFor <= 30; frozenFor++) {
            Duration time = seconds(frozenFor);
            run(
                    2,
                    frozenFor,
                    (run, cords) -> {
                        long beganNs = Cord.current().nanoTime();
                        run.freeze(cords.get(1), time);
                        Fiber<Integer> answer = cords.get(1).spin("answers", () -> 7);
                        boolean isInTime = answer.awaitEnd(seconds(3));
                        Duration took = since(beganNs);
                        Duration expected = time.compareTo(seconds(3)) < 0 ? time : seconds(3);
                        assertEquals(expected, took);
                        assertEquals(7, answer.await());
                        assertEquals(time, since(beganNs));
                        assertTrue(isInTime || time.compareTo(seconds(3)) >= 0);
                    });
        }
    }

    @Test
    void F14_frozenAgainThawsAtTheLaterTime() {
        seeds(
                2,
                (run, cords) -> {
                    Cord frozen = cords.get(1);
                    long beganNs = Cord.current().nanoTime();
                    run.freeze(frozen, seconds(5));
                    Fiber<Integer> answer = frozen.spin("answers", () -> 7);
                    Fiber.sleep(seconds(2));
                    run.freeze(frozen, SECOND); // until 3 s, which is earlier
                    Fiber.sleep(seconds(2));
                    assertFalse(answer.awaitEnd(Duration.ZERO));
                    run.freeze(frozen, seconds(4)); // until 8 s
                    answer.await();
                    assertEquals(seconds(8), since(beganNs));
                });
    }

    @Test
    void F14_allFrozenIsNoDeadlockBeforeTheThaw() {
        seeds(
                2,
                (run, cords) -> {
                    long beganNs = Cord.current().nanoTime();
                    run.freeze(cords.get(1), seconds(2));
                    run.freeze(cords.get(0), seconds(3)); // itself, from its next turn on
                    Fiber<?> stuck = cords.get(1).spin("stuck", () -> Fiber.suspend());
                    stuck.detach();
                    assertThrows(DeadlockException.class, () -> Fiber.suspend());
                    assertEquals(seconds(3), since(beganNs));
                    stuck.terminate();
                });
    }

    @Test
    void F14_runEndsWithACordThatIsFrozen() {
        List<String> log = new ArrayList<>();
        run(
                2,
                1,
                (run, cords) -> {
                    cords.get(1)
                            .spin(
                                    "there",
                                    () -> {
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            log.add("ended");
                                        }
                                    })
                            .detach();
                    Runs.settle();
                    run.freeze(cords.get(1), Duration.ofMillis(100));
                });
        assertEquals(List.of("ended"), log);
    }

    // ---------------------------------------------------------------- killed

    @Test
    void F14_killedCordRunsNothingMore() {
        seeds(
                3,
                (run, cords) -> {
                    List<String> log = new ArrayList<>();
                    Cord killed = cords.get(1);
                    Fiber<?> there =
                            killed.spin(
                                    "there",
                                    () -> {
                                        try {
                                            Fiber.sleep(SECOND);
                                            log.add("timer");
                                        } finally {
                                            log.add("finally");
                                        }
                                    });
                    there.onEnd(_ -> log.add("hook"));
                    there.onEnd(_ -> log.add("hook 2"));
                    Fiber<?> handler = killed.spinHandler("handler", new Listener(log));
                    handler.onEnd(_ -> log.add("hook 3"));
                    handler.detach();
                    Fiber<Integer> awaiting = cords.get(2).spin("awaits", () -> failsAs(there));
                    Runs.settle();
                    killed.post(Runs.message(() -> log.add("message")));
                    run.kill(killed);
                    assertTrue(killed.awaitEnd(Duration.ZERO));
                    assertFalse(killed.isAlive());
                    killed.post(Runs.message(() -> log.add("late message")));
                    assertThrows(CordClosedException.class, () -> killed.spin("late", () -> {}));
                    awaiting.await();
                    failsAs(there);
                    Fiber.sleep(seconds(5));
                    assertTrue(log.isEmpty() || log.equals(List.of("message")), log::toString);
                    run.kill(killed); // again: no effect
                    killed.close();
                });
    }

    /** Its onEnd is code of the program too. */
    private record Listener(List<String> log) implements Handler {
        @Override
        public Object handle(@Nullable Object value) {
            return WAIT;
        }

        @Override
        public boolean onEnd(Fiber<?> fiber, @Nullable Throwable failure) {
            return log.add("handler");
        }
    }

    private static int failsAs(Fiber<?> killed) {
        FiberAbandonedException lost =
                assertThrows(FiberAbandonedException.class, () -> killed.await());
        String text = String.valueOf(lost.getMessage());
        assertTrue(text.contains("cord test-1 was killed"), text);
        return 1;
    }

    @Test
    void F14_familyOfAKilledFiberOnOtherCordsHearsOfIt() {
        seeds(
                3,
                (run, cords) -> {
                    List<String> log = new ArrayList<>();
                    List<Fiber<?>> made = new ArrayList<>();
                    cords.get(1)
                            .spin(
                                    "parent",
                                    () -> {
                                        made.add(cords.get(2).spin("child", () -> logEnd(log)));
                                        Fiber.suspend();
                                    })
                            .detach();
                    Fiber<?> grandparent =
                            cords.get(2)
                                    .spin(
                                            "grandparent",
                                            () -> {
                                                Fiber<?> child =
                                                        cords.get(1)
                                                                .spin(
                                                                        "far child",
                                                                        () -> Fiber.suspend());
                                                failsAs(child);
                                            });
                    Fiber.sleep(SECOND);
                    run.kill(cords.get(1));
                    grandparent.await();
                    assertThrows(FiberTerminatedException.class, () -> made.getFirst().await());
                    assertEquals(List.of("ended"), log);
                });
    }

    private static void logEnd(List<String> log) {
        try {
            Fiber.suspend();
        } finally {
            log.add("ended");
        }
    }

    @Test
    void F14_lockOfAKilledFiberGoesToAnother() {
        seeds(
                2,
                (run, cords) -> {
                    Mutex mutex = Mutex.shared();
                    cords.get(1)
                            .spin(
                                    "holder",
                                    () -> {
                                        mutex.lock();
                                        Fiber.suspend();
                                    })
                            .detach();
                    Fiber.sleep(SECOND);
                    Fiber<Integer> next = Fiber.spin("next", () -> mutex.call(() -> 7));
                    run.freeze(cords.get(1), seconds(9));
                    run.kill(cords.get(1)); // also while it is frozen
                    assertEquals(7, next.await());
                });
    }

    /** At any moment the question is answered, or fails and names the cord. */
    @Test
    void F14_killInTheMiddleOfAnExchangeEndsEachWait() {
        Set<Boolean> seen = new HashSet<>();
        for (int turns = 0; turns < 40; turns++) {
            int snoozes = turns;
            for (long seed = 0; seed < 10; seed++) {
                run(
                        3,
                        seed,
                        (run, cords) -> {
                            Cord killed = cords.get(1);
                            Fiber<Boolean> asker =
                                    cords.get(2)
                                            .spin(
                                                    "asks",
                                                    () -> {
                                                        try {
                                                            return killed.spin("a", () -> answer())
                                                                    .await();
                                                        } catch (FiberAbandonedException
                                                                | CordClosedException over) {
                                                            return false;
                                                        } catch (FiberFailedException refused) {
                                                            assertInstanceOf(
                                                                    CordClosedException.class,
                                                                    refused.getCause());
                                                            return false;
                                                        }
                                                    });
                            Runs.snooze(snoozes);
                            run.kill(killed);
                            seen.add(asker.await());
                        });
            }
        }
        assertEquals(Set.of(true, false), seen);
    }

    private static boolean answer() {
        Fiber.snooze();
        Fiber.snooze();
        return true;
    }

    @Test
    void F14_failuresOfAKilledCordAreNotReported() {
        seeds(
                2,
                (run, cords) -> {
                    cords.get(1).spin("lost", () -> Fiber.suspend()).detach();
                    Runs.settle();
                    run.kill(cords.get(1)); // TestCords would fail for a report
                });
    }

    // ---------------------------------------------------------------- misuse

    @Test
    void misuse_ofKill() {
        TestCords.run(
                2,
                cords -> {
                    VirtualCords run = VirtualCords.current();
                    IllegalArgumentException own =
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> run.kill(cords.getFirst()));
                    assertTrue(own.toString().contains("kill one of the others"), own::toString);
                    cords.get(1)
                            .spin(
                                    "kills",
                                    () -> {
                                        for (Cord each : cords) {
                                            assertThrows(
                                                    IllegalArgumentException.class,
                                                    () -> run.kill(each));
                                        }
                                    })
                            .await();
                    run.kill(cords.get(1));
                    IllegalArgumentException over =
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> run.freeze(cords.get(1), SECOND));
                    assertTrue(over.toString().contains("start(name)"), over::toString);
                    assertThrows(
                            IllegalArgumentException.class, () -> run.clockRate(cords.get(1), 1));
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> run.freeze(cords.getFirst(), Duration.ofNanos(-1)));
                    for (double rate : new double[] {0, -1, 0.4, 2.1, Double.NaN}) {
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> run.clockRate(cords.getFirst(), rate));
                    }
                });
        assertThrows(IllegalStateException.class, VirtualCords::current);
        TestCord.run(() -> assertThrows(IllegalStateException.class, VirtualCords::current));
    }

    // ---------------------------------------------------------------- started

    @Test
    void F14_startedCordServesUntilTheFirstHasEnded() {
        seeds(
                2,
                (run, cords) -> {
                    run.kill(cords.get(1));
                    Cord again = run.start("again");
                    assertEquals("again", again.name());
                    assertTrue(again.isAlive());
                    assertEquals(7, again.spin("answers", () -> 7).await());
                    assertEquals(2, cords.size());
                    List<Cord> started = new ArrayList<>();
                    again.spin("starts", () -> started.add(run.start("third"))).await();
                    run.kill(again);
                    started.getFirst().close();
                    run.start("fourth"); // is closed with the run
                });
    }

    // ---------------------------------------------------------------- clocks

    @Test
    void F14_clockThatRunsFasterHasItsTimersEarlier() {
        seeds(
                2,
                (run, cords) -> {
                    Cord other = cords.get(1);
                    for (double rate : new double[] {0.5, 0.99, 1, 1.01, 2}) {
                        run.clockRate(other, rate);
                        long beganNs = Cord.current().nanoTime();
                        long otherNs = other.nanoTime();
                        long[] slept = new long[1];
                        other.spin(
                                        "sleeps",
                                        () -> {
                                            Fiber.sleep(seconds(100));
                                            slept[0] = other.nanoTime() - otherNs;
                                        })
                                .await();
                        long tookNs = Cord.current().nanoTime() - beganNs;
                        assertEquals(100e9 / rate, (double) tookNs, 2);
                        assertEquals(100e9, (double) slept[0], 2);
                        assertTrue(slept[0] >= 100_000_000_000L);
                    }
                });
    }

    @Test
    void F14_firstClockOfAnotherRateAndAFreeze() {
        seeds(
                2,
                (run, cords) -> {
                    run.clockRate(cords.get(0), 2);
                    run.clockRate(cords.get(1), 0.5);
                    long beganNs = cords.get(1).nanoTime();
                    Fiber.sleep(seconds(8)); // 4 s of all, 2 s of the other
                    assertEquals(seconds(2).toNanos(), cords.get(1).nanoTime() - beganNs);
                    run.freeze(cords.get(1), seconds(4)); // of all
                    cords.get(1).spin("after", () -> {}).await();
                    assertEquals(seconds(4).toNanos(), cords.get(1).nanoTime() - beganNs);
                });
    }

    // ---------------------------------------------------------------- repeatable

    private static List<String> story(long seed) {
        List<String> log = new ArrayList<>();
        run(
                4,
                seed,
                (run, cords) -> {
                    Cord first = cords.getFirst();
                    List<Cord> others = new ArrayList<>(cords.subList(1, 4));
                    for (int i = 0; i < 20; i++) {
                        Cord one = others.get(first.nextInt(3));
                        String name = "f" + i;
                        one.execute(() -> act(name, log));
                        switch (first.nextInt(4)) {
                            case 0 -> run.freeze(one, Duration.ofNanos(first.nextInt(2_000)));
                            case 1 -> run.clockRate(one, 0.5 + first.nextInt(150) / 100.0);
                            case 2 -> {
                                run.kill(one);
                                others.set(others.indexOf(one), run.start("again" + i));
                            }
                            default -> Fiber.sleep(Duration.ofNanos(first.nextInt(1_000)));
                        }
                    }
                    Fiber.sleep(SECOND);
                });
        return log;
    }

    private static void act(String name, List<String> log) {
        for (int i = 0; i < 5; i++) {
            Cord here = Cord.current();
            Fiber.sleep(Duration.ofNanos(here.nextInt(500)));
            log.add(name + " on " + here + " at " + (here.nanoTime() % 1_000_000));
        }
    }

    @Test
    void F14_sameSeedGivesTheSameRunWithFreezesAndKills() {
        Set<List<String>> all = new HashSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            List<String> first = story(seed);
            assertEquals(first, story(seed), "seed=" + seed);
            all.add(first);
        }
        assertEquals(SEEDS, all.size());
        assertNull(Fiber.currentOrNull());
    }
}
