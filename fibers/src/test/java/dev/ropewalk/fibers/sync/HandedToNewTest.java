package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.function.Supplier;

/** Rule F5: a permit or entry that was taken for a fiber goes back however the fiber ends. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class HandedToNewTest {

    /** What a new fiber gets, and whether it is back. */
    enum Thing {
        SEMAPHORE_LOCAL,
        SEMAPHORE_SHARED,
        GROUP_LOCAL,
        GROUP_SHARED;

        /** One of each. */
        private final class Box {
            private final Semaphore permits =
                    Thing.this == SEMAPHORE_LOCAL ? Semaphore.local(1, 1) : Semaphore.shared(1, 1);
            private final WaitGroup group =
                    Thing.this == GROUP_LOCAL ? WaitGroup.local() : WaitGroup.shared();

            private boolean isPermit() {
                return Thing.this == SEMAPHORE_LOCAL || Thing.this == SEMAPHORE_SHARED;
            }

            <F extends Fiber<?>> F spin(Supplier<F> spin) {
                return isPermit() ? permits.<F>spin(spin) : group.<F>spin(spin);
            }

            Fiber<?> spin(String name, Action body) {
                return isPermit() ? permits.spin(name, body) : group.spin(name, body);
            }

            boolean isOut() {
                return isPermit() ? permits.available() == 0 : group.count() == 1;
            }

            /** Waits until it is back. */
            void await() {
                if (isPermit()) {
                    assertTrue(permits.acquire(1, Form.FAR));
                    permits.release();
                } else {
                    assertTrue(group.await(Form.FAR));
                }
                assertFalse(isOut());
            }
        }
    }

    private static void test(Thing thing, Form.Body<Thing.Box> body) {
        TestCords.run(1, _ -> body.run(thing.new Box()));
    }

    @ParameterizedTest
    @EnumSource
    void F5_goesBackFromAFiberThatWasEndedBeforeItBegan(Thing thing) {
        test(
                thing,
                box -> {
                    Fiber<?> never = box.spin("never", () -> assertTrue(false, "it began"));
                    assertTrue(box.isOut());
                    never.terminate();
                    box.await();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_goesBackFromAFiberThatReturns(Thing thing) {
        test(
                thing,
                box -> {
                    Fiber<?> fiber = box.spin("fiber", () -> Fiber.sleep(Form.SHORT));
                    Form.settle();
                    assertTrue(box.isOut());
                    fiber.await();
                    assertFalse(box.isOut(), "before its awaiters go on");
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_goesBackFromABodyThatThrows(Thing thing) {
        test(
                thing,
                box -> {
                    Fiber<?> fiber = box.spin("fiber", HandedToNewTest::fail);
                    assertThrows(FiberFailedException.class, fiber::await);
                    assertFalse(box.isOut());
                });
    }

    private static void fail() {
        throw new IllegalStateException("bad");
    }

    @ParameterizedTest
    @EnumSource
    void F5_goesBackFromAFiberThatIsTerminated(Thing thing) {
        test(
                thing,
                box -> {
                    Fiber<?> fiber = box.spin("fiber", () -> Fiber.sleep(Form.FAR));
                    Form.settle();
                    fiber.terminate();
                    box.await();
                });
    }

    /** It is one fiber, which has it until it is over. */
    @ParameterizedTest
    @EnumSource
    void F5_staysWithAFiberThatIsRestarted(Thing thing) {
        test(
                thing,
                box -> {
                    Fiber<?> fiber = box.spin("fiber", () -> Fiber.sleep(Form.LONG));
                    Form.settle();
                    fiber.restart();
                    Form.settle();
                    assertTrue(box.isOut());
                    fiber.await();
                    assertFalse(box.isOut());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_staysWithTheCallerIfNothingWasSpun(Thing thing) {
        test(
                thing,
                box -> {
                    IllegalStateException refused = new IllegalStateException("refused");
                    assertSame(
                            refused,
                            Form.failureOf(
                                    () ->
                                            box.spin(
                                                    () -> {
                                                        throw refused;
                                                    })));
                    assertFalse(box.isOut());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_goesBackFromAMemberOfAScopeThatIsCancelled(Thing thing) {
        test(
                thing,
                box -> {
                    Form.failureOf(
                            () ->
                                    Scope.run(
                                            scope -> {
                                                box.spin(
                                                        () ->
                                                                scope.spin(
                                                                        "member",
                                                                        () ->
                                                                                Fiber.sleep(
                                                                                        Form.FAR)));
                                                scope.cancel(); // before it began
                                            }));
                    assertFalse(box.isOut());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_goesBackFromAnotherCord(Thing thing) {
        TestCords.run(
                2,
                cords -> {
                    Thing.Box box = thing.new Box();
                    Cord other = cords.get(1);
                    box.spin(() -> other.spin("fiber", () -> Fiber.sleep(Form.SHORT)));
                    assertTrue(box.isOut());
                    box.await();
                    Fiber<?> never =
                            box.spin(() -> other.spin("never", () -> Fiber.sleep(Form.FAR)));
                    never.terminate();
                    box.await();
                });
    }

    /** The cord that was to run it is closed. */
    @ParameterizedTest
    @EnumSource
    void F5_goesBackFromACordThatHasEnded(Thing thing) {
        Cord ended = Cord.start(CordOptions.named("ended").withUncaught((fiber, failure) -> {}));
        ended.close();
        test(
                thing,
                box -> {
                    Form.failureOf(() -> box.spin(() -> ended.spin("fiber", () -> {})).await());
                    box.await();
                });
    }

    @Test
    void F6_cancelledSpinAcquiresNothingAndSpinsNothing() {
        TestCords.run(
                1,
                _ -> {
                    Semaphore permits = Semaphore.local(1);
                    boolean[] hasRun = new boolean[1];
                    assertFalse(
                            CancelScope.moveOnAfter(
                                    Duration.ZERO,
                                    () -> {
                                        permits.spin("fiber", () -> hasRun[0] = true);
                                    }));
                    Form.settle();
                    assertFalse(hasRun[0]);
                    assertEquals(1, permits.available());
                });
    }

    @Test
    void F5_noMoreFibersThanPermits() {
        TestCords.run(
                1,
                _ -> {
                    Semaphore permits = Semaphore.local(2);
                    int[] running = new int[2];
                    Scope.run(
                            scope -> {
                                for (int i = 0; i < 10; i++) {
                                    permits.spin(
                                            () ->
                                                    scope.spin(
                                                            "page",
                                                            () -> {
                                                                running[1] =
                                                                        Math.max(
                                                                                running[1],
                                                                                ++running[0]);
                                                                Fiber.sleep(Form.SHORT);
                                                                running[0]--;
                                                            }));
                                }
                            });
                    assertEquals(2, running[1]);
                    assertEquals(2, permits.available());
                });
    }
}
