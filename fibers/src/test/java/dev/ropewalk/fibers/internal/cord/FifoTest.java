package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Rule F1: one run queue, strictly FIFO. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class FifoTest {
    @Test
    void F1_spinAndScheduleAndSnoozeShareOneOrder() {
        Runs.fifo(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> waiting = Fiber.spin(() -> log.add("waited for " + Fiber.suspend()));
                    Fiber.snooze();
                    Fiber.spin(() -> log.add("spun first"));
                    waiting.schedule("schedule");
                    Fiber.spin(() -> log.add("spun last"));
                    assertEquals(List.of(), log);
                    Fiber.snooze();
                    assertEquals(List.of("spun first", "waited for schedule", "spun last"), log);
                });
    }

    @Test
    void F1_scheduleNeverSwitches() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> waiting = Fiber.spin(() -> log.add("value " + Fiber.suspend()));
                    Runs.settle();
                    assertTrue(waiting.schedule(1));
                    assertEquals(FiberState.RUNNABLE, waiting.state());
                    assertEquals(List.of(), log);
                    waiting.await();
                    assertEquals(List.of("value 1"), log);
                });
    }

    @Test
    void F1_thousandsTakeTurnsInOrder() {
        Runs.fifo(
                () -> {
                    List<Integer> log = new ArrayList<>();
                    List<Fiber<?>> fibers = new ArrayList<>();
                    for (int i = 0; i < 3_000; i++) {
                        int index = i;
                        fibers.add(
                                Fiber.spin(
                                        () -> {
                                            log.add(index);
                                            Fiber.snooze();
                                            log.add(index);
                                            Fiber.suspend();
                                            log.add(index);
                                        }));
                    }
                    Runs.snooze(2);
                    for (Fiber<?> fiber : fibers) {
                        fiber.schedule(null);
                    }
                    Fiber.snooze();
                    List<Integer> round = IntStream.range(0, 3_000).boxed().toList();
                    List<Integer> rounds = new ArrayList<>(round);
                    rounds.addAll(round);
                    rounds.addAll(round);
                    assertEquals(rounds, log);
                });
    }

    /** Polyphony lost the exception and left the last fiber runnable for ever. */
    @Test
    void F1_raiseIntoTheHeadOfAFullRing() {
        for (int size : new int[] {1, 8, 62, 63, 64, 65}) {
            Runs.fifo(
                    () -> {
                        List<Integer> served = new ArrayList<>();
                        List<Fiber<?>> fibers = new ArrayList<>();
                        for (int i = 0; i < size; i++) {
                            fibers.add(Fiber.spin(() -> served.add((Integer) Fiber.suspend())));
                        }
                        Fiber.snooze();
                        for (int i = 0; i < size; i++) {
                            assertTrue(fibers.get(i).schedule(i));
                        }
                        fibers.getFirst().raise(new IllegalStateException("boom"));
                        assertThrows(FiberFailedException.class, () -> fibers.getFirst().await());
                        // The first one's value had been accepted, so it is there too.
                        Fiber.snooze();
                        assertEquals(IntStream.range(0, size).boxed().toList(), served);
                    });
        }
    }

    @Test
    void F1_fiberThatEndsBeforeItsTurnLeavesTheOthersInOrder() {
        Runs.fifo(
                () -> {
                    List<Integer> log = new ArrayList<>();
                    List<Fiber<?>> fibers = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        int index = i;
                        fibers.add(Fiber.spin(() -> log.add(index)));
                    }
                    for (int i = 0; i < 100; i += 3) {
                        fibers.get(i).terminate();
                    }
                    Fiber.snooze();
                    assertEquals(
                            IntStream.range(0, 100).filter(i -> i % 3 != 0).boxed().toList(), log);
                });
    }

    @Test
    void F1_messageMaySchedule() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<@Nullable Object> waiting = Fiber.spin(() -> Fiber.suspend());
                    Runs.settle();
                    Cord.current().post(Runs.message(() -> waiting.schedule("from a message")));
                    assertEquals("from a message", waiting.await());
                });
    }

    @Test
    void F1_switchpointInAMessageIsAnError() {
        Runs.inAnyOrder(
                () -> {
                    List<Throwable> thrown = new ArrayList<>();
                    Cord.current()
                            .post(Runs.message(() -> thrown.add(Runs.failureOf(Fiber::suspend))));
                    Fiber.sleep(Duration.ofMillis(1));
                    assertEquals(1, thrown.size());
                    assertTrue(
                            thrown.getFirst() instanceof IllegalStateException, thrown::toString);
                });
    }

    /** A lone fiber that snoozes looks at the inbox itself; the message is still not its code. */
    @Test
    void F1_switchpointInAMessageIsAnErrorAlsoWhileAFiberRuns() {
        Runs.inAnyOrder(
                () -> {
                    List<Throwable> thrown = new ArrayList<>();
                    Cord.current()
                            .post(Runs.message(() -> thrown.add(Runs.failureOf(Fiber::snooze))));
                    Cord.current()
                            .post(Runs.message(() -> thrown.add(Runs.failureOf(Fiber::current))));
                    Runs.snooze(2 * FiberLoop.POLL_INTERVAL);
                    assertEquals(2, thrown.size());
                    for (Throwable each : thrown) {
                        assertTrue(each instanceof IllegalStateException, thrown::toString);
                    }
                });
    }
}
