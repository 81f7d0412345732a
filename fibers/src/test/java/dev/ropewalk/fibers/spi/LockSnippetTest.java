package dev.ropewalk.fibers.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The lock that the page of the package shows is one (rules F4, F5, F9). */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class LockSnippetTest {
    // @start region="lock"
    /** For fibers of any cord and plain threads; with Exclusion.byCord for those of one cord. */
    static final class Lock implements HasHolder, Handoff {
        private static final Object OWNED = new Object();
        private final Exclusion guard = Exclusion.byLock();
        private final WaitQueue<Object> queue = new WaitQueue<>();
        private volatile @Nullable Object holder;

        boolean lock(Duration limit) {
            Object me = guard.callerAtSwitchpoint(this);
            Exclusion.refuseCycle(this, Waits.nanos(limit));
            WaitNode<Object> node;
            guard.enter(this);
            try {
                if (holder == null) {
                    holder = me;
                    return true;
                }
                node = guard.node(null);
                queue.add(node);
            } finally {
                guard.exit();
            }
            return guard.await(node, this, Waits.nanos(limit)) == OWNED;
        }

        void unlock() {
            WaitNode<Object> next;
            guard.enter(this);
            try {
                next = queue.claimFirst(OWNED); // one that has left is not claimed
                holder = next == null ? null : next.who();
            } finally {
                guard.exit();
            }
            if (next != null) {
                next.wake(); // outside the guard: it may run at once
            }
        }

        @Override
        public @Nullable Object holder() {
            return holder;
        }

        /** A fiber was given the lock and was abandoned before it ran. */
        @Override
        public void reclaim(WaitNode<?> node, Object given) {
            unlock();
        }
    }

    // @end

    private static final Duration FAR = Duration.ofDays(1);
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    @Test
    void F4_oneAtATimeOverSeveralCordsInOrder() {
        Lock lock = new Lock();
        List<String> inside = new ArrayList<>();
        TestCords.run(
                3,
                cords -> {
                    List<Fiber<?>> all = new ArrayList<>();
                    for (Cord cord : cords) {
                        all.add(cord.spin("on " + cord.name(), () -> useTwice(lock, inside)));
                    }
                    all.forEach(Fiber::await);
                    assertEquals(List.of(), inside);
                    assertNull(lock.holder());
                });
    }

    private static void useTwice(Lock lock, List<String> inside) {
        for (int i = 0; i < 2; i++) {
            assertTrue(lock.lock(FAR));
            inside.add("me");
            Fiber.sleep(Duration.ofMillis(1));
            assertEquals(List.of("me"), inside);
            inside.clear();
            lock.unlock();
        }
    }

    @Test
    void F5_whoLeavesTakesNothing() {
        TestCord.run(
                () -> {
                    Lock lock = new Lock();
                    lock.lock(FAR);
                    Fiber<?> late = Fiber.spin("late", () -> lock.lock(Duration.ofSeconds(1)));
                    Fiber<?> ended = Fiber.spin("ended", () -> lock.lock(FAR));
                    Fiber.sleep(Duration.ofMillis(1));
                    assertEquals(false, late.await());
                    ended.terminate();
                    assertThrows(FiberTerminatedException.class, ended::await);
                    lock.unlock();
                    assertNull(lock.holder());
                });
    }

    @Test
    void F9_aCircleOfTwoIsRefused() {
        TestCord.run(
                () -> {
                    Lock first = new Lock();
                    Lock second = new Lock();
                    first.lock(FOR_EVER);
                    Fiber<?> other =
                            Fiber.spin(
                                    "other",
                                    () -> {
                                        second.lock(FOR_EVER);
                                        first.lock(FOR_EVER);
                                        first.unlock();
                                        second.unlock();
                                    });
                    Fiber.sleep(Duration.ofMillis(1));
                    assertThrows(DeadlockException.class, () -> second.lock(FOR_EVER));
                    first.unlock();
                    other.await();
                    assertFalse(second.holder() != null);
                });
    }
}
