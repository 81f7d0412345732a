package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

/** Rule F5: those behind an abandoned fiber go on, and it leaves nothing in the queue. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class AbandonedInQueueTest {
    private final List<String> log = new ArrayList<>();

    private void run(Action body) {
        TestCord.run(
                () -> {
                    log.clear();
                    body.run();
                });
    }

    /** Spins one that waits behind all who wait already. */
    private Fiber<?> behind(String name, Action wait) {
        Fiber<?> fiber =
                Fiber.spin(
                        name,
                        () -> {
                            wait.run();
                            log.add(name);
                        });
        Form.settle();
        return fiber;
    }

    @ParameterizedTest
    @EnumSource
    void F5_permitsGoToThoseBehindAnAbandonedOne(Form form) {
        run(
                () -> {
                    Semaphore semaphore = form.semaphore(2, 2);
                    semaphore.acquire();
                    Abandoned first = Abandoned.waitsIn(() -> semaphore.acquire(2));
                    Fiber<?> second = behind("second", semaphore::acquire);
                    first.abandon();
                    Form.settle();
                    assertEquals(List.of("second"), log);
                    assertEquals(0, semaphore.waiting());
                    second.await();
                    semaphore.checkInvariants();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_mutexGoesToThoseBehindAnAbandonedOne(MutexTest.Form form) {
        run(
                () -> {
                    Mutex mutex = form.make();
                    mutex.lock();
                    Abandoned first = Abandoned.waitsIn(() -> mutex.lock());
                    behind("second", () -> mutex.run(() -> {}));
                    first.abandon();
                    mutex.unlock();
                    Form.settle();
                    assertEquals(List.of("second"), log);
                    assertFalse(mutex.isLocked());
                    mutex.checkInvariants();
                });
    }

    /** It was signalled, then terminated, and waits for the mutex to say so. */
    @ParameterizedTest
    @EnumSource
    void F5_signalGoesOnFromOneThatIsAbandonedWhileItLeaves(MutexTest.Form form) {
        run(
                () -> {
                    Mutex mutex = form.make();
                    Condition condition = mutex.newCondition();
                    Abandoned first =
                            Abandoned.waitsUnshieldedIn(() -> mutex.run(() -> condition.await()));
                    behind("second", () -> mutex.run(() -> condition.await()));
                    mutex.lock();
                    condition.signal();
                    first.abandon();
                    mutex.unlock();
                    Form.settle();
                    assertEquals(List.of("second"), log);
                    assertFalse(mutex.isLocked());
                    mutex.checkInvariants();
                });
    }

    /** The mutex was handed to it there, and it never ran again: the signal comes to a free one. */
    @ParameterizedTest
    @EnumSource
    void F5_signalAndMutexGoOnFromOneThatIsAbandonedAsItHasLeft(MutexTest.Form form) {
        TestCord.run(
                1,
                false,
                () -> {
                    log.clear();
                    Mutex mutex = form.make();
                    Condition condition = mutex.newCondition();
                    Abandoned first =
                            Abandoned.waitsUnshieldedIn(() -> mutex.run(() -> condition.await()));
                    behind("second", () -> mutex.run(() -> condition.await()));
                    mutex.lock();
                    condition.signal();
                    first.abandonAfter(mutex::unlock);
                    Form.settle();
                    assertEquals(List.of("second"), log);
                    assertFalse(mutex.isLocked());
                    mutex.checkInvariants();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_eventsHaveNoPlaceOfAnAbandonedOneLeft(Form form) {
        run(
                () -> {
                    Event one = form.event();
                    Event two = form.manualEvent();
                    Abandoned first = Abandoned.waitsIn(() -> Event.awaitAny(List.of(one, two)));
                    Abandoned second = Abandoned.waitsIn(two::await);
                    assertEquals(2, two.waiting());
                    first.abandon();
                    second.abandon();
                    assertEquals(0, one.waiting());
                    assertEquals(0, two.waiting());
                    one.signal();
                    assertTrue(one.isSignalled());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_onceAndLatchHaveNoPlaceOfAnAbandonedOneLeft(Form form) {
        run(
                () -> {
                    Event go = form.event();
                    Once<String> once =
                            form.once(
                                    () -> {
                                        go.await();
                                        return "result";
                                    });
                    behind("runner", once::get);
                    Abandoned first = Abandoned.waitsIn(once::get);
                    behind("second", once::get);
                    first.abandon();
                    assertEquals(1, once.waiting());
                    go.signal();
                    Form.settle();
                    assertEquals(List.of("runner", "second"), log.stream().sorted().toList());
                    WaitGroup group = form == Form.LOCAL ? WaitGroup.local() : WaitGroup.shared();
                    group.add();
                    Abandoned.waitsIn(group::await).abandon();
                    group.done();
                    group.checkInvariants();
                });
    }

    /** What it was given was nothing but the news, so nothing is lost that could be told. */
    @ParameterizedTest
    @EnumSource
    void F5_newsThatReachesADeadOneIsNoLoss(Form form) {
        TestCord.run(
                1,
                false,
                () -> {
                    WaitGroup group = form == Form.LOCAL ? WaitGroup.local() : WaitGroup.shared();
                    group.add();
                    Abandoned.waitsIn(group::await).abandonAfter(group::done);
                    Event manual = form.manualEvent();
                    Abandoned.waitsIn(manual::await).abandonAfter(manual::signal);
                    TicketQueue queue =
                            form == Form.LOCAL ? TicketQueue.local() : TicketQueue.shared();
                    Ticket before = queue.take();
                    Abandoned waiter =
                            Abandoned.waitsIn(
                                    () -> {
                                        Ticket ticket = queue.take();
                                        try {
                                            ticket.await();
                                        } finally {
                                            ticket.done();
                                        }
                                    });
                    TestCord.expectUncaught(IllegalStateException.class); // it was not done
                    waiter.abandon();
                    before.done();
                    Ticket after = queue.take();
                    assertTrue(after.isCalled());
                    after.done();
                });
    }

    /** It waits for a second resource of a pool of one, and its first comes back as it dies. */
    @ParameterizedTest
    @EnumSource
    void F5_poolLosesNoPlaceToABorrowerThatWaitsForItself(Form form) {
        run(
                () -> {
                    ResourcePool<Object> pool =
                            form == Form.LOCAL
                                    ? ResourcePool.localBounded(1, Object::new)
                                    : ResourcePool.sharedBounded(1, Object::new);
                    Abandoned first =
                            Abandoned.waitsIn(
                                    () -> {
                                        try (Loan<Object> one = pool.borrow();
                                                Loan<Object> two = pool.borrow()) {
                                            assertFalse(one == two);
                                        }
                                    });
                    behind("second", () -> pool.borrow().close());
                    TestCord.expectUncaught(IllegalStateException.class); // it held a loan
                    first.abandon();
                    Form.settle();
                    assertEquals(List.of("second"), log);
                    assertEquals(1, pool.idle());
                    assertEquals(0, pool.waiting());
                    pool.checkInvariants();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_poolLosesNoPlaceToOneThatIsAbandonedWhileItClosesAResource(Form form) {
        run(
                () -> {
                    boolean[] isStuck = {true};
                    ResourceFactory<Object> factory =
                            new ResourceFactory<>() {
                                @Override
                                public Object make() {
                                    return new Object();
                                }

                                @Override
                                public void close(Object resource) {
                                    if (isStuck[0]) {
                                        Fiber.suspend();
                                    }
                                }
                            };
                    ResourcePool<Object> pool =
                            form == Form.LOCAL
                                    ? ResourcePool.localBounded(1, factory)
                                    : ResourcePool.sharedBounded(1, factory);
                    Abandoned first = Abandoned.waitsIn(() -> pool.borrow().discard());
                    behind("second", () -> pool.borrow().close());
                    TestCord.expectUncaught(IllegalStateException.class); // it was closing it
                    first.abandon();
                    isStuck[0] = false;
                    Form.settle();
                    assertEquals(List.of("second"), log);
                    pool.checkInvariants();
                    pool.close();
                    pool.checkInvariants();
                });
    }
}
