package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Rule F3: stacks are given late, kept by who waits, and no longer. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class StackTest {
    @Test
    void F3_fibersThatNeverWaitShareOneWorkerAndOwnNoStack() {
        Runs.fifo(() -> assertEquals(1, stacksOfFibersThatNeverWait().size()));
    }

    @Test
    void F3_fibersThatNeverWaitOwnNoStackInAnyOrder() {
        Runs.inAnyOrder(StackTest::stacksOfFibersThatNeverWait);
    }

    private static Set<Stack> stacksOfFibersThatNeverWait() {
        Set<Stack> stacks = identitySet();
        for (int i = 0; i < 100; i++) {
            Fiber.spin(
                    () -> {
                        stacks.add(CordImpl.current().mount.mountedStack());
                        assertNull(FiberImpl.current().stack());
                    });
        }
        Runs.settle();
        assertFalse(stacks.contains(CordImpl.current().mount.mountedStack()));
        return stacks;
    }

    @Test
    void F3_whoWaitsKeepsItsWorkerAndTheCordTakesAnother() {
        Runs.inAnyOrder(
                () -> {
                    Set<Stack> stacks = identitySet();
                    for (int i = 0; i < 10; i++) {
                        Fiber.spin(
                                () -> {
                                    Stack own = CordImpl.current().mount.mountedStack();
                                    assertTrue(stacks.add(own));
                                    Fiber.sleep(Duration.ofSeconds(1));
                                    assertSame(own, CordImpl.current().mount.mountedStack());
                                    assertSame(own, FiberImpl.current().stack());
                                });
                    }
                    Fiber.sleep(Duration.ofSeconds(2));
                    assertEquals(10, stacks.size());
                });
    }

    @Tag("needs-flags")
    @Test
    void F3_workerEndsWithItsFiberAndIsNotKept() {
        Runs.fifo(
                () -> {
                    assertEquals(300, stacksOfWaitingFibers(300).size());
                    assertEquals(0, Cord.current().stats().idleStacks());
                });
    }

    @Test
    void F3_virtualThreadsAreKeptUpToABound() {
        onVirtualThreads(
                () -> {
                    Set<Stack> first = stacksOfWaitingFibers(300);
                    assertEquals(256, Cord.current().stats().idleStacks());
                    Set<Stack> second = stacksOfWaitingFibers(300);
                    assertEquals(300, first.size());
                    assertEquals(300, second.size());
                    second.retainAll(first);
                    assertEquals(256, second.size(), "reused");
                });
    }

    @Test
    void F3_virtualThreadsThatEndedAreReused() {
        onVirtualThreads(
                () -> {
                    Set<Stack> stacks = identitySet();
                    for (int i = 0; i < 1_000; i++) {
                        stacks.addAll(stacksOfWaitingFibers(1));
                    }
                    assertEquals(1, stacks.size());
                });
    }

    private static void onVirtualThreads(Action body) {
        Cord.run(
                CordOptions.named("virtual").withStacks(StackKind.VIRTUAL_THREAD),
                () -> {
                    body.run();
                    return null;
                });
    }

    private static Set<Stack> stacksOfWaitingFibers(int count) throws Exception {
        Set<Stack> stacks = identitySet();
        List<Fiber<?>> fibers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            fibers.add(
                    Fiber.spin(
                            () -> {
                                stacks.add(CordImpl.current().mount.mountedStack());
                                Fiber.suspend();
                            }));
        }
        Fiber.snooze();
        for (Fiber<?> fiber : fibers) {
            fiber.schedule(null);
            fiber.await();
            assertNull(FiberImpl.of(fiber).stack());
        }
        return stacks;
    }

    @Test
    void F3_handlerHasAStackOnlyWhileATurnWaits() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> handler =
                            Cord.current()
                                    .spinHandler(
                                            "handler",
                                            value -> {
                                                if (value != Handler.START) {
                                                    Fiber.sleep(Duration.ofSeconds(1));
                                                }
                                                return Handler.WAIT;
                                            });
                    Runs.settle();
                    assertNull(FiberImpl.of(handler).stack());
                    assertTrue(Waits.resumeHandler(handler, "sleep"));
                    Runs.settle();
                    assertNotNull(FiberImpl.of(handler).stack());
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertNull(FiberImpl.of(handler).stack());
                    assertEquals(FiberState.WAITING, handler.state());
                });
    }

    @Test
    void F3_aFiberMayWaitAtAnyDepth() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<Integer>> fibers = new ArrayList<>();
                    for (int i = 0; i < 20; i++) {
                        fibers.add(Fiber.spin(() -> depth(200)));
                    }
                    for (Fiber<Integer> fiber : fibers) {
                        assertEquals(200, fiber.await());
                    }
                });
    }

    private static int depth(int left) {
        if (left == 0) {
            return 0;
        }
        Fiber.snooze();
        int below = depth(left - 1);
        Fiber.sleep(Duration.ofNanos(left));
        return below + 1;
    }

    /** On the usual stack of a megabyte the recursion overflows at a tenth of this. */
    @Tag("needs-flags")
    @Test
    void F3_cordThreadHasItsStatedStackSize() {
        Cord cord = Runs.started("deep", new Reports());
        assertEquals(60_000, cord.spin("deep", () -> recurse(60_000, () -> {})).await());
        Runs.checkAndClose(cord);
    }

    /** G1 cannot suspend a stack that is larger than half a region. */
    @Test
    void F3_waitOnAStackTooLargeToBeSuspendedFailsThatFiberOnly() {
        Cord cord = Runs.started("deep", new Reports());
        for (Action wait :
                List.<Action>of(
                        () -> Fiber.sleep(Duration.ofNanos(1)),
                        Fiber::snooze,
                        () -> Fiber.spin(() -> {}).await())) {
            Fiber<Integer> deep =
                    cord.spin(
                            "deep",
                            () -> {
                                Fiber<?> other = Fiber.spin(() -> {});
                                int depth = recurse(60_000, wait);
                                other.await();
                                return depth;
                            });
            try {
                assertEquals(60_000, deep.await());
            } catch (FiberFailedException failed) {
                assertTrue(Runs.cause(failed) instanceof StackOverflowError, failed::toString);
            }
            assertEquals("alive", cord.spin("after", () -> "alive").await());
        }
        Runs.checkAndClose(cord);
    }

    private static int recurse(int left, Action atTheEnd) throws Exception {
        if (left == 0) {
            atTheEnd.run();
            return 0;
        }
        return recurse(left - 1, atTheEnd) + 1;
    }

    @Test
    void F3_eachFiberHasItsOwnWorkerAlsoAfterAnOverflow() {
        Cord cord = Runs.started("overflow", new Reports());
        Fiber<Integer> endless = cord.spin("endless", () -> recurse(Integer.MAX_VALUE, () -> {}));
        Throwable failure = Runs.failureOf(endless::await);
        assertTrue(Runs.cause(failure) instanceof StackOverflowError, failure::toString);
        Stack[] stacks = new Stack[2];
        // Spun in one turn: the second runs before the first can come back from its sleep and end.
        cord.spin(
                        "both",
                        () -> {
                            List<Fiber<?>> both = new ArrayList<>();
                            for (int i = 0; i < 2; i++) {
                                int index = i;
                                both.add(
                                        Fiber.spin(
                                                "after",
                                                () -> {
                                                    stacks[index] =
                                                            CordImpl.current().mount.mountedStack();
                                                    Fiber.sleep(Duration.ofMillis(1));
                                                }));
                            }
                            both.forEach(Fiber::await);
                        })
                .await();
        assertNotSame(stacks[0], stacks[1]);
        Runs.checkAndClose(cord);
    }

    private static Set<Stack> identitySet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }
}
