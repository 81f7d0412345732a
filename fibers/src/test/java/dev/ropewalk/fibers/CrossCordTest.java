package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Rule F8: what works from other threads and cords. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CrossCordTest {
    private final Reports reports = new Reports();
    private final Cord cord = Runs.started("target", reports);

    @AfterEach
    void close() {
        Runs.checkAndClose(cord);
    }

    private <T extends @Nullable Object> Fiber<T> waiting(Callable<? extends T> body) {
        Fiber<T> fiber = cord.spin("waiting", body);
        Runs.until(() -> fiber.state() == FiberState.WAITING);
        return fiber;
    }

    @Test
    void F8_plainThreadSchedulesRaisesTerminatesAndAwaits() {
        Fiber<@Nullable Object> scheduled = waiting(() -> Fiber.suspend());
        assertTrue(scheduled.schedule("value"));
        assertEquals("value", scheduled.await());

        Exception raised = new Exception("raised");
        Fiber<Throwable> caught = waiting(() -> Runs.failureOf(Fiber::suspend));
        caught.raise(raised);
        assertSame(raised, caught.await());

        Fiber<@Nullable Object> terminated = waiting(() -> Fiber.suspend());
        terminated.terminate();
        assertThrows(FiberTerminatedException.class, terminated::await);
        terminated.terminate();
        terminated.raise(raised);
        terminated.schedule("too late");
        assertThrows(FiberTerminatedException.class, terminated::await);
        reports.assertNone();
    }

    @Test
    void F8_otherCordSchedulesRaisesTerminatesAndAwaits() {
        Runs.together(
                2,
                cords -> {
                    Cord other = cords.get(1);
                    Fiber<@Nullable Object> scheduled = other.spin("s", () -> Fiber.suspend());
                    Fiber<Throwable> caught = other.spin("c", () -> Runs.failureOf(Fiber::suspend));
                    Fiber<@Nullable Object> terminated = other.spin("t", () -> Fiber.suspend());
                    Runs.settle();
                    scheduled.schedule("value");
                    assertEquals("value", scheduled.await());
                    Exception raised = new Exception("raised");
                    caught.raise(raised);
                    assertSame(raised, caught.await());
                    terminated.terminate();
                    assertThrows(FiberTerminatedException.class, terminated::await);
                });
    }

    @Test
    void F8_sendersOrderIsKept() {
        Runs.together(
                2,
                cords -> {
                    Cord other = cords.get(1);
                    List<@Nullable Object> values = new ArrayList<>();
                    Fiber<?> fiber =
                            other.spin(
                                    "waiting",
                                    () -> {
                                        values.add(Fiber.suspend());
                                        values.add(Fiber.suspend());
                                        Fiber.suspend();
                                    });
                    Runs.settle();
                    fiber.schedule("first");
                    fiber.schedule("second");
                    fiber.terminate();
                    Fiber<?> never = other.spin("never", () -> values.add("ran"));
                    never.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertTrue(never.awaitEnd(Duration.ofDays(1)));
                    assertEquals(never.failure() == null, values.remove("ran"));
                    // The other cord may run between two of the messages.
                    assertEquals(List.of("first", "second").subList(0, values.size()), values);
                    assertFalse(values.isEmpty());
                });
    }

    @Test
    void F8_messagesOfEachSenderArriveOnceAndInOrder() throws InterruptedException {
        int senders = 4;
        int messages = 5_000;
        int[] next = new int[senders];
        List<String> wrong = new CopyOnWriteArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            int sender = i;
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int k = 0; k < messages; k++) {
                                            int number = k;
                                            cord.post(
                                                    Runs.message(
                                                            () -> {
                                                                if (next[sender]++ != number) {
                                                                    wrong.add(
                                                                            sender + ":" + number);
                                                                }
                                                            }));
                                        }
                                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        int all = cord.spin("sum", () -> next[0] + next[1] + next[2] + next[3]).await();
        assertEquals(List.of(), wrong);
        assertEquals(senders * messages, all);
    }

    /** At every distance between "about to sleep" and "asleep": no wake-up is lost. */
    @Test
    void F8_cordIsWokenHoweverDeepItSleeps() {
        long seed = 7;
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 2_000; round++) {
            int pause = random.nextInt(random.nextInt(4) == 0 ? 100_000 : 2_000);
            for (int i = 0; i < pause; i++) {
                Thread.onSpinWait();
            }
            int index = round;
            Fiber<Integer> fiber = cord.spin("round" + round, () -> index);
            boolean ended = fiber.awaitEnd(Duration.ofSeconds(10));
            assertTrue(ended, "lost a wake-up, seed=" + seed + " round=" + round);
            assertEquals(index, fiber.await());
        }
    }

    @Test
    void F8_twoCordsWakeEachOther() {
        Cord other = Runs.started("other", reports);
        int rounds = 2_000;
        Fiber<?>[] pair = new FiberImpl<?>[2];
        CountDownLatch started = new CountDownLatch(2);
        CountDownLatch ready = new CountDownLatch(1);
        Action body =
                () -> {
                    // An unstarted fiber is not scheduled.
                    started.countDown();
                    Runs.await(ready);
                    Fiber<?> peer = pair[0] == Fiber.current() ? pair[1] : pair[0];
                    for (int i = 0; i < rounds; i++) {
                        if (peer == pair[1]) {
                            peer.schedule(i);
                            assertEquals(-i, Fiber.suspend());
                        } else {
                            assertEquals(i, Fiber.suspend());
                            peer.schedule(-i);
                        }
                    }
                };
        pair[0] = cord.spin("ping", body);
        pair[1] = other.spin("pong", body);
        Runs.await(started);
        ready.countDown();
        pair[0].await();
        pair[1].await();
        Runs.checkAndClose(other);
        reports.assertNone();
    }

    @Test
    void F8_whatTheSenderDidBeforeIsSeen() {
        int[] plain = new int[1];
        for (int i = 1; i <= 200; i++) {
            Fiber<Integer> fiber =
                    waiting(
                            () -> {
                                Fiber.suspend();
                                return plain[0];
                            });
            plain[0] = i;
            fiber.schedule(null);
            assertEquals(i, fiber.await());
        }
    }

    @Test
    void F8_fiberSpunByAPlainThreadIsAChildOfTheRoot() {
        Fiber<?> first = cord.spin("first", () -> Fiber.suspend());
        Fiber<?> second = cord.spin("second", () -> Fiber.suspend());
        assertSame(first.parent(), second.parent());
        assertEquals("root", Objects.requireNonNull(first.parent()).name());
    }

    @Test
    void F7_whatNobodyTakesGoesToTheUncaughtHandlerAndHurtsNobodyElse() {
        Fiber<@Nullable Object> bystander = waiting(() -> Fiber.suspend());
        Exception boom = new Exception("boom");
        Fiber<?> failing =
                cord.spin(
                        "failing",
                        () -> {
                            throw boom;
                        });
        Runs.until(() -> !reports.all().isEmpty());
        assertSame(failing, reports.only().fiber());
        assertSame(boom, Runs.cause(reports.only().failure()));
        assertEquals(FiberState.WAITING, bystander.state());
        bystander.schedule("fine");
        assertEquals("fine", bystander.await());
    }

    @Test
    void F8_terminatedAwaiterOfAnotherCordLeavesItsAwaitersList() {
        Runs.together(
                3,
                cords -> {
                    TestCord.expectUncaught(FiberFailedException.class);
                    Fiber<@Nullable Object> target = cords.get(1).spin("t", () -> Fiber.suspend());
                    target.detach();
                    Fiber<?> awaiter = cords.get(2).spin("awaiter", target::await);
                    Runs.settle();
                    awaiter.terminate();
                    assertThrows(FiberTerminatedException.class, awaiter::await);
                    assertFalse(target.awaitEnd(Duration.ofMillis(1)));
                    target.raise(new Exception("taken by nobody"));
                    Runs.settle();
                    assertEquals(FiberState.DEAD, target.state());
                });
    }
}
