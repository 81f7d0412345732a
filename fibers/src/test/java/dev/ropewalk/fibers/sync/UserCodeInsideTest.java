package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

/** A pool's factory that waits, is ended, or is never left. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class UserCodeInsideTest {
    private static <R> ResourcePool<R> pool(Form form, ResourceFactory<R> factory) {
        return form == Form.LOCAL
                ? ResourcePool.localBounded(1, factory)
                : ResourcePool.sharedBounded(1, factory);
    }

    @ParameterizedTest
    @EnumSource
    void F5_limitOfTheBorrowerEndsNoFactoryButThatOfAWaiterCounts(Form form) {
        TestCord.run(
                () -> {
                    ResourcePool<Object> pool =
                            pool(
                                    form,
                                    () -> {
                                        Fiber.sleep(Form.LONG);
                                        return new Object();
                                    });
                    Fiber<Boolean> waiter =
                            Fiber.spin(
                                    () -> {
                                        Fiber.snooze();
                                        Form.settle();
                                        return pool.borrow(Form.SHORT) == null;
                                    });
                    Loan<Object> loan = pool.borrow(Form.SHORT);
                    assertNotNull(loan);
                    assertTrue(waiter.await(), "its limit passed while the other made one");
                    loan.close();
                    pool.checkInvariants();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_scopeEndsAFactoryAndTheNextMakesOne(Form form) {
        TestCord.run(
                () -> {
                    List<String> made = new ArrayList<>();
                    ResourcePool<String> pool =
                            pool(
                                    form,
                                    () -> {
                                        made.add("begun");
                                        Fiber.sleep(Form.LONG);
                                        return "resource";
                                    });
                    Fiber<String> next =
                            Fiber.spin(
                                    () -> {
                                        Form.settle();
                                        try (Loan<String> loan = pool.borrow()) {
                                            return loan.get();
                                        }
                                    });
                    assertEquals(
                            "too late",
                            CancelScope.moveOnAfter(
                                    Form.SHORT, "too late", () -> pool.borrow().get()));
                    assertEquals("resource", next.await());
                    assertEquals(2, made.size());
                    pool.checkInvariants();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_factoryThatIsNeverLeftKeepsNoPlace(Form form) {
        TestCord.run(
                () -> {
                    boolean[] isStuck = {true};
                    ResourcePool<String> pool =
                            pool(
                                    form,
                                    () -> {
                                        if (isStuck[0]) {
                                            Fiber.suspend();
                                        }
                                        return "resource";
                                    });
                    Abandoned first = Abandoned.waitsIn(() -> pool.borrow().close());
                    Fiber<String> next =
                            Fiber.spin(
                                    () -> {
                                        try (Loan<String> loan = pool.borrow()) {
                                            return loan.get();
                                        }
                                    });
                    Form.settle();
                    isStuck[0] = false;
                    TestCord.expectUncaught(IllegalStateException.class); // it had the place
                    first.abandon();
                    assertEquals("resource", next.await());
                    pool.checkInvariants();
                });
    }

    /** The cord of the first who waits is closed, and abandons it there. */
    @Test
    void F8_thoseBehindAFiberOfACordThatEndsGoOn() {
        TestCords.run(
                2,
                cords -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Semaphore semaphore = Semaphore.shared(2);
                    semaphore.acquire();
                    cords.get(1)
                            .spin(
                                    "first",
                                    () ->
                                            CancelScope.shielded(
                                                    Form.FAR, () -> semaphore.acquire(2)))
                            .detach();
                    Form.settle();
                    Fiber<String> second =
                            Fiber.spin(
                                    () -> {
                                        semaphore.acquire();
                                        return "second";
                                    });
                    Form.settle();
                    cords.get(1).close();
                    assertTrue(second.awaitEnd(Form.SHORT), second::toString);
                    assertEquals("second", second.await());
                    assertEquals(0, semaphore.waiting());
                    assertTrue(cords.get(1).awaitEnd(Waits.FOREVER));
                });
    }
}
