package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rules F5 and F8 for {@link ResourcePool}. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ResourcePoolTest {
    /** Makes numbered resources, slowly, and remembers which are open. */
    private static final class Maker implements ResourceFactory<Integer> {
        final List<Integer> open = new ArrayList<>();
        final List<Integer> closed = new ArrayList<>();
        Duration pause = Duration.ZERO;
        int made;
        int failures;
        boolean closeFails;

        @Override
        public Integer make() throws IOException {
            Fiber.sleep(pause);
            if (failures > 0) {
                failures--;
                throw new IOException("no connection");
            }
            made++;
            open.add(made);
            return made;
        }

        @Override
        public void close(Integer resource) throws IOException {
            assertTrue(open.remove((Object) resource));
            closed.add(resource);
            if (Fiber.currentOrNull() != null) {
                Fiber.sleep(pause);
            }
            if (closeFails) {
                throw new IOException("cannot close");
            }
        }
    }

    private interface PoolBody {
        void run(ResourcePool<Integer> pool, Maker maker) throws Exception;
    }

    private static void test(Form form, int max, PoolBody body) {
        TestCord.run(
                () -> {
                    Maker maker = new Maker();
                    ResourcePool<Integer> pool = make(form, max, maker);
                    body.run(pool, maker);
                    pool.checkInvariants();
                });
    }

    private static ResourcePool<Integer> make(Form form, int max, Maker maker) {
        return form == Form.LOCAL
                ? ResourcePool.localBounded(max, maker)
                : ResourcePool.sharedBounded(max, maker);
    }

    /** Borrows, keeps it for a while, and returns its number. */
    private static Fiber<Integer> user(ResourcePool<Integer> pool, Duration time) {
        return Fiber.spin(
                () -> {
                    try (Loan<Integer> loan = pool.borrow()) {
                        Fiber.sleep(time);
                        return loan.get();
                    }
                });
    }

    private static void assertFree(ResourcePool<Integer> pool) {
        assertEquals(0, pool.lent());
        assertEquals(0, pool.waiting());
        Loan<Integer> loan = Objects.requireNonNull(pool.tryBorrow());
        loan.close();
    }

    @ParameterizedTest
    @EnumSource
    void F5_waitersThatLeaveTakeNothing(Form form) {
        test(
                form,
                1,
                (pool, maker) -> {
                    Loan<Integer> loan = pool.borrow();
                    Fiber<?> terminated = user(pool, Form.SHORT);
                    Form.settle();
                    terminated.terminate();
                    assertThrows(FiberTerminatedException.class, terminated::await);
                    long before = Form.now();
                    assertNull(pool.borrow(Form.SHORT));
                    assertEquals(Form.SHORT.toNanos(), Form.now() - before);
                    assertFalse(CancelScope.moveOnAfter(Form.SHORT, () -> pool.borrow()));
                    assertNull(pool.borrow(Duration.ZERO));
                    assertNull(pool.tryBorrow());
                    assertEquals(0, pool.waiting());
                    loan.close();
                    assertFree(pool);
                    assertEquals(1, maker.made);
                });
    }

    /** Given the resource and terminated in the same moment: it must not vanish. */
    @ParameterizedTest
    @EnumSource
    void F8_resourceGivenToOneThatIsTerminatedComesBack(Form form) {
        test(
                form,
                1,
                (pool, maker) -> {
                    Loan<Integer> loan = pool.borrow();
                    Fiber<?> first = user(pool, Form.LONG);
                    Form.settle();
                    Fiber<Integer> second = user(pool, Form.SHORT);
                    Form.settle();
                    loan.close();
                    first.terminate();
                    assertThrows(FiberTerminatedException.class, first::await);
                    assertEquals(1, second.await());
                    assertFree(pool);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F8_resourceIsHandedToTheFirstAndNobodyGetsInBetween(Form form) {
        test(
                form,
                1,
                (pool, maker) -> {
                    List<String> log = new ArrayList<>();
                    Loan<Integer> loan = pool.borrow();
                    for (int i = 0; i < 3; i++) {
                        String name = "user " + i;
                        Fiber.spin(
                                () -> {
                                    try (Loan<Integer> own = pool.borrow()) {
                                        log.add(name + " has " + own.get());
                                        Fiber.snooze();
                                    }
                                });
                        Form.settle();
                    }
                    assertEquals(3, pool.waiting());
                    loan.close();
                    assertNull(pool.tryBorrow());
                    try (Loan<Integer> own = pool.borrow()) {
                        log.add("root has " + own.get());
                    }
                    assertEquals(
                            List.of("user 0 has 1", "user 1 has 1", "user 2 has 1", "root has 1"),
                            log);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_factoryThatFailsTellsItsCallerOnlyAndTheNextMakesOne(Form form) {
        test(
                form,
                1,
                (pool, maker) -> {
                    maker.pause = Form.SHORT;
                    maker.failures = 1;
                    Fiber<Throwable> unlucky =
                            Fiber.spin(() -> Form.failureOf(() -> pool.borrow()));
                    Form.settle();
                    Fiber<Integer> next = user(pool, Form.SHORT);
                    Throwable thrown = unlucky.await();
                    assertTrue(thrown instanceof ResourceException, thrown::toString);
                    assertTrue(thrown.getCause() instanceof IOException, thrown::toString);
                    assertEquals(1, next.await());
                    assertFree(pool);
                });
    }

    /** Terminated inside the factory: the place is free, and the next who waits gets it. */
    @ParameterizedTest
    @EnumSource
    void F6_borrowerTerminatedInTheFactoryFreesItsPlace(Form form) {
        test(
                form,
                1,
                (pool, maker) -> {
                    maker.pause = Form.SHORT;
                    Fiber<?> first = user(pool, Form.SHORT);
                    Form.settle();
                    Fiber<Integer> second = user(pool, Form.SHORT);
                    Form.settle();
                    assertEquals(1, pool.waiting());
                    first.terminate();
                    assertEquals(1, second.await());
                    assertFree(pool);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_deadBorrowerIsReportedAndItsResourceIsClosedByTheNext(Form form) {
        test(
                form,
                1,
                (pool, maker) -> {
                    maker.pause = Form.SHORT;
                    TestCord.expectUncaught(IllegalStateException.class);
                    Fiber<?> dead = Fiber.spin(() -> pool.borrow());
                    Form.settle();
                    Fiber<Integer> next = user(pool, Form.SHORT);
                    dead.await();
                    assertEquals(2, next.await());
                    assertEquals(List.of(1), maker.closed);
                    assertFree(pool);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_resourceOfTheDeadIsClosedWithThePoolOrAfterIt(Form form) {
        test(
                form,
                3,
                (pool, maker) -> {
                    for (int i = 0; i < 2; i++) {
                        TestCord.expectUncaught(IllegalStateException.class);
                    }
                    Fiber.spin(() -> pool.borrow()).await();
                    Fiber<?> late =
                            Fiber.spin(
                                    () -> {
                                        pool.borrow(); // closes the first, and makes the second
                                        Fiber.sleep(Form.LONG);
                                    });
                    Form.settle();
                    assertEquals(List.of(1), maker.closed);
                    pool.close();
                    late.await();
                    assertEquals(List.of(1, 2), maker.closed);
                    assertEquals(List.of(), maker.open);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_closerThatFailsForTheDeadIsReportedAndTheNextGetsItsResource(Form form) {
        test(
                form,
                1,
                (pool, maker) -> {
                    maker.closeFails = true;
                    TestCord.expectUncaught(IllegalStateException.class);
                    TestCord.expectUncaught(IOException.class);
                    Fiber.spin(() -> pool.borrow()).await();
                    assertEquals(2, user(pool, Form.SHORT).await());
                    maker.closeFails = false;
                    assertFree(pool);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_discardedResourceIsClosedBeforeAnotherIsMade(Form form) {
        test(
                form,
                1,
                (pool, maker) -> {
                    maker.pause = Form.SHORT;
                    Fiber<Integer> next;
                    try (Loan<Integer> loan = pool.borrow()) {
                        next = user(pool, Form.SHORT);
                        Form.settle();
                        maker.closeFails = true;
                        Throwable thrown = Form.failureOf(loan::discard);
                        assertTrue(thrown instanceof ResourceException, thrown::toString);
                        maker.closeFails = false;
                    }
                    assertEquals(List.of(1), maker.closed);
                    assertEquals(2, next.await());
                    assertEquals(List.of(2), maker.open);
                    assertFree(pool);
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_useAfterCloseAndDoubleCloseAndDoubleDiscard(Form form) {
        test(
                form,
                2,
                (pool, maker) -> {
                    Loan<Integer> closed = pool.borrow();
                    closed.close();
                    Loan<Integer> discarded = pool.borrow();
                    discarded.discard();
                    discarded.close();
                    for (Throwable thrown :
                            List.of(
                                    Form.failureOf(closed::get),
                                    Form.failureOf(closed::close),
                                    Form.failureOf(closed::discard),
                                    Form.failureOf(discarded::get),
                                    Form.failureOf(discarded::discard))) {
                        String message = thrown.toString();
                        assertTrue(thrown instanceof IllegalStateException, message);
                        assertTrue(message.contains("which is over; borrow again"), message);
                    }
                    assertFree(pool);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_closedPoolRefusesAndClosesWhatComesBack(Form form) {
        test(
                form,
                2,
                (pool, maker) -> {
                    Loan<Integer> kept = pool.borrow();
                    Loan<Integer> idle = pool.borrow();
                    Fiber<Throwable> waiter = Fiber.spin(() -> Form.failureOf(() -> pool.borrow()));
                    Form.settle();
                    pool.checkInvariants();
                    pool.close();
                    assertTrue(waiter.await() instanceof PoolClosedException);
                    assertThrows(PoolClosedException.class, () -> pool.borrow());
                    assertThrows(PoolClosedException.class, () -> pool.tryBorrow());
                    idle.close();
                    assertEquals(List.of(2), maker.closed);
                    maker.closeFails = true;
                    assertThrows(ResourceException.class, kept::close);
                    assertEquals(List.of(), maker.open);
                    pool.close();
                    assertTrue(pool.toString().contains("closed, 0 lent, 0 idle"), pool::toString);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_closeTriesAllAndThrowsTheFirstFailure(Form form) {
        test(
                form,
                2,
                (pool, maker) -> {
                    Loan<Integer> one = pool.borrow();
                    Loan<Integer> two = pool.borrow();
                    one.close();
                    two.close();
                    assertEquals(2, pool.idle());
                    maker.closeFails = true;
                    Throwable thrown = Form.failureOf(pool::close);
                    assertEquals(1, thrown.getSuppressed().length);
                    assertEquals(List.of(), maker.open);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_resourceMadeAfterThePoolWasClosedIsClosed(Form form) {
        test(
                form,
                1,
                (pool, maker) -> {
                    maker.pause = Form.SHORT;
                    Fiber<Throwable> late = Fiber.spin(() -> Form.failureOf(() -> pool.borrow()));
                    Form.settle();
                    pool.close();
                    assertTrue(late.await() instanceof PoolClosedException);
                    assertEquals(List.of(1), maker.closed);
                });
    }

    @Test
    void F5_unboundedPoolMakesAsManyAsAreNeededAndKeepsThem() {
        TestCord.run(
                () -> {
                    Maker maker = new Maker();
                    try (ResourcePool<Integer> pool = ResourcePool.localUnbounded(maker)) {
                        List<Loan<Integer>> loans = new ArrayList<>();
                        for (int i = 0; i < 10; i++) {
                            loans.add(pool.borrow());
                        }
                        loans.forEach(Loan::close);
                        assertEquals(10, pool.idle());
                        pool.borrow().close();
                        assertEquals(10, maker.made);
                    }
                    assertEquals(List.of(), maker.open);
                });
    }

    @Test
    void misuse_numbersAndNull() {
        ResourceFactory<AutoCloseable> broken = () -> nothing();
        assertThrows(IllegalArgumentException.class, () -> ResourcePool.sharedBounded(0, broken));
        assertThrows(IllegalStateException.class, () -> ResourcePool.localUnbounded(broken));
        try (ResourcePool<AutoCloseable> pool = ResourcePool.sharedBounded(1, broken)) {
            assertThrows(NullPointerException.class, pool::borrow);
            assertEquals(0, pool.lent());
        }
    }

    @SuppressWarnings("NullAway") // the mistake under test
    private static AutoCloseable nothing() {
        return null;
    }

    @Test
    void F5_autoCloseablesAreClosedUnlessTheFactorySaysHow() {
        List<String> log = new ArrayList<>();
        ResourceFactory<AutoCloseable> factory = () -> () -> log.add("closed");
        try (ResourcePool<AutoCloseable> pool = ResourcePool.sharedUnbounded(factory)) {
            Loan<AutoCloseable> loan = pool.borrow();
            assertNotNull(loan.get());
            assertSame(loan.get(), loan.get());
            loan.close();
        }
        assertEquals(List.of("closed"), log);
    }
}
