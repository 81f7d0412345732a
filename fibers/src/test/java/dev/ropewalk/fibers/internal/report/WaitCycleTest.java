package dev.ropewalk.fibers.internal.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.sync.Once;
import dev.ropewalk.fibers.sync.OnceFailedException;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Rule F9: a circle of waits is an error of the fiber that would close it. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WaitCycleTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofSeconds(1);
    private static final int MANY = 5_000;

    /** Its result is what it was refused with; null if it was not. */
    private static Fiber<@Nullable Throwable> spin(String name, Action body) {
        return Fiber.<@Nullable Throwable>spin(
                name,
                () -> {
                    Throwable refused = null;
                    try {
                        body.run();
                    } catch (DeadlockException | OnceFailedException e) {
                        refused = e;
                    }
                    return refused;
                });
    }

    private static void assertOneIsRefused(List<Fiber<@Nullable Throwable>> fibers) {
        List<Throwable> refused = new ArrayList<>();
        for (Fiber<@Nullable Throwable> each : fibers) {
            Throwable thrown = each.await();
            if (thrown != null) {
                refused.add(thrown);
            }
        }
        assertEquals(1, refused.size(), refused.toString());
        assertTrue(refused.getFirst().toString().contains("a cycle of waits"), refused.toString());
    }

    // ---------------------------------------------------------------- locks

    private static Fiber<@Nullable Throwable> lockBoth(String name, Mutex first, Mutex second) {
        return spin(
                name,
                () ->
                        first.run(
                                () -> {
                                    Runs.snoozeUntil(second::isLocked);
                                    second.run(() -> {});
                                }));
    }

    private static void lockInOppositeOrder(Supplier<Mutex> mutexes) {
        Mutex one = mutexes.get();
        Mutex two = mutexes.get();
        assertOneIsRefused(List.of(lockBoth("a", one, two), lockBoth("b", two, one)));
        assertFalse(one.isLocked());
        assertFalse(two.isLocked());
    }

    @Test
    void F9_locksTakenInTheOppositeOrderAreRefusedToTheSecond() {
        Runs.fifo(() -> lockInOppositeOrder(Mutex::local));
        Runs.fifo(() -> lockInOppositeOrder(Mutex::shared));
        Runs.real(() -> lockInOppositeOrder(Mutex::local));
        Runs.real(() -> lockInOppositeOrder(Mutex::shared));
    }

    @Test
    void F9_whoTriesWithALimitLetsGoAgain() {
        Runs.inAnyOrder(
                () -> {
                    Mutex one = Mutex.local();
                    Mutex two = Mutex.local();
                    Fiber<Boolean> limited =
                            Fiber.spin("a", () -> one.call(() -> lockWithin(SHORT, two)));
                    Fiber<Boolean> scoped =
                            Fiber.spin("b", () -> two.call(() -> lockInScope(LONG, one)));
                    assertFalse(limited.await());
                    assertTrue(scoped.await());
                });
    }

    private static boolean lockWithin(Duration limit, Mutex mutex) {
        Fiber.sleep(Duration.ofMillis(1));
        return mutex.lock(limit);
    }

    private static boolean lockInScope(Duration limit, Mutex mutex) {
        Fiber.sleep(Duration.ofMillis(1));
        return CancelScope.<Boolean, RuntimeException>moveOnAfter(
                limit, false, () -> mutex.call(() -> true));
    }

    @Test
    void F9_unlimitedLockAfterALimitedOneIsNoCircle() {
        Runs.fifo(
                () -> {
                    Mutex one = Mutex.local();
                    Mutex two = Mutex.local();
                    Fiber<Boolean> a =
                            Fiber.spin("a", () -> one.call(() -> lockWithin(SHORT, two)));
                    Fiber<?> b =
                            Fiber.spin(
                                    "b",
                                    () ->
                                            two.run(
                                                    () -> {
                                                        Fiber.sleep(Duration.ofMillis(2));
                                                        one.run(() -> {});
                                                    }));
                    assertFalse(a.await());
                    b.await();
                });
    }

    @Test
    void F9_awaitWithALimitIsNoCircle() {
        List<Predicate<Fiber<?>>> ways =
                List.of(
                        fiber -> fiber.awaitEnd(SHORT),
                        fiber -> CancelScope.moveOnAfter(SHORT, false, () -> awaitTrue(fiber)));
        for (Predicate<Fiber<?>> way : ways) {
            Runs.inAnyOrder(
                    () -> {
                        Mutex mutex = Mutex.local();
                        List<Fiber<?>> other = new ArrayList<>();
                        Fiber<Boolean> a =
                                Fiber.spin("a", () -> mutex.call(() -> way.test(other.getFirst())));
                        other.add(Fiber.spin("b", () -> lockAfterAMoment(mutex)));
                        assertFalse(a.await());
                        other.getFirst().await();
                    });
        }
    }

    private static boolean awaitTrue(Fiber<?> fiber) {
        fiber.await();
        return true;
    }

    private static void lockAfterAMoment(Mutex mutex) {
        Fiber.sleep(Duration.ofMillis(1));
        mutex.run(() -> {});
    }

    @Test
    void F9_awaitOfOneWhoWantsMyLock() {
        Runs.inAnyOrder(
                () -> {
                    Mutex mutex = Mutex.local();
                    List<Fiber<@Nullable Throwable>> both = new ArrayList<>();
                    both.add(spin("a", () -> mutex.run(() -> awaitLater(both))));
                    both.add(
                            spin(
                                    "b",
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        mutex.run(() -> {});
                                    }));
                    assertOneIsRefused(both);
                });
    }

    private static void awaitLater(List<Fiber<@Nullable Throwable>> both) {
        Fiber.sleep(SHORT);
        both.getLast().await();
    }

    @Test
    void F9_mutexAndARunOfOnce() {
        Runs.inAnyOrder(
                () -> {
                    Mutex mutex = Mutex.local();
                    Once<Integer> once =
                            Once.local(
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        return mutex.call(() -> 1);
                                    });
                    Fiber<@Nullable Throwable> b = spin("b", once::get);
                    Fiber<@Nullable Throwable> a = spin("a", () -> mutex.run(() -> getLater(once)));
                    String refused = a.await() + " " + b.await();
                    assertTrue(refused.contains("a cycle of waits"), refused);
                });
    }

    private static void getLater(Once<Integer> once) {
        Fiber.sleep(SHORT);
        once.get();
    }

    // ---------------------------------------------------------------- ends of several

    @Test
    void F9_awaitAllIsFollowedInBothOrders() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<@Nullable Throwable>> both = new ArrayList<>();
                    Fiber<?> last = Fiber.spin("last", () -> Fiber.sleep(LONG));
                    both.add(
                            spin(
                                    "a",
                                    () -> {
                                        Fiber.snooze();
                                        Fiber.awaitAll(List.of(last, both.getLast()));
                                    }));
                    both.add(
                            spin(
                                    "b",
                                    () -> {
                                        Fiber.snooze();
                                        both.getFirst().await();
                                    }));
                    assertOneIsRefused(both);
                });
    }

    /** Any of two: one of them in a circle is none yet. */
    @Test
    void F9_awaitAnyIsStuckOnlyIfAllLeadBack() {
        Runs.fifo(
                () -> {
                    Fiber<?>[] all = new FiberImpl<?>[4];
                    Fiber<?> a = Fiber.spin("a", () -> Fiber.awaitAny(List.of(all[1], all[2])));
                    all[0] = a;
                    all[1] = Fiber.spin("b", () -> all[3].await());
                    all[2] = Fiber.spin("c", () -> all[3].await());
                    all[3] =
                            Fiber.spin(
                                    "d",
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        assertTrue(
                                                Runs.failureOf(a::await)
                                                        instanceof DeadlockException);
                                    });
                    a.await();
                    all[3].await();
                });
        Runs.fifo(
                () -> {
                    Fiber<?>[] all = new FiberImpl<?>[3];
                    Fiber<?> a = Fiber.spin("a", () -> Fiber.awaitAny(List.of(all[1], all[2])));
                    all[1] =
                            Fiber.spin(
                                    "b",
                                    () -> {
                                        Fiber.snooze();
                                        a.await();
                                    });
                    all[2] = Fiber.spin("c", () -> Fiber.sleep(SHORT));
                    all[1].await();
                });
    }

    @Test
    void F9_memberThatAwaitsTheOwnerOfItsScope() {
        Runs.inAnyOrder(
                () -> {
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            Scope.run(
                                                    scope -> {
                                                        Fiber<?> owner = Fiber.current();
                                                        scope.spin(
                                                                "member",
                                                                () -> {
                                                                    Fiber.snooze();
                                                                    owner.await();
                                                                });
                                                    }));
                    assertInstanceOf(DeadlockException.class, Runs.cause(thrown));
                });
    }

    @Test
    void F9_scopeThatWouldWaitForWhoAwaitsItsOwner() {
        Runs.inAnyOrder(
                () -> {
                    Throwable thrown =
                            Runs.failureOf(() -> Scope.run(WaitCycleTest::spinOneWhoAwaitsMe));
                    assertInstanceOf(DeadlockException.class, thrown);
                });
    }

    private static void spinOneWhoAwaitsMe(Scope<?> scope) {
        Fiber<?> owner = Fiber.current();
        scope.spin("member", () -> awaitTrue(owner));
        Fiber.sleep(SHORT);
    }

    @Test
    void F9_longCircleIsFound() {
        Runs.fifo(
                () -> {
                    List<Fiber<@Nullable Throwable>> all = new ArrayList<>();
                    for (int i = 0; i < MANY; i++) {
                        int next = (i + 1) % MANY;
                        all.add(spin("f" + i, () -> all.get(next).await()));
                    }
                    assertOneIsRefused(all);
                });
    }
}
