package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.Arrays;
import java.util.List;

/** Rule F4: of several pending exceptions one stands, and none is lost. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class PendingTest {
    private static Throwable[] suppressed(Throwable thrown) {
        return thrown.getSuppressed();
    }

    @Test
    void F4_ofTheSameRankTheFirstStandsAndTheOthersAreSuppressed() {
        Runs.inAnyOrder(
                () -> {
                    Exception first = new Exception("first");
                    Exception second = new Exception("second");
                    Exception third = new Exception("third");
                    Fiber<?> me = Fiber.current();
                    me.raise(first);
                    me.raise(second);
                    me.raise(third);
                    assertSame(first, Runs.failureOf(Fiber::snooze));
                    assertArrayEquals(new Throwable[] {second, third}, suppressed(first));
                    Fiber.snooze();
                });
    }

    @Test
    void F4_raisedTwiceIsRaisedOnce() {
        Runs.inAnyOrder(
                () -> {
                    Exception only = new Exception("only");
                    Fiber.current().raise(only);
                    Fiber.current().raise(only);
                    assertSame(only, Runs.failureOf(Fiber::snooze));
                    assertEquals(0, suppressed(only).length);
                    Fiber.snooze();
                });
    }

    @Test
    void F4_terminationBeatsAFailureWhicheverCameFirst() {
        for (boolean failureFirst : new boolean[] {true, false}) {
            Runs.inAnyOrder(
                    () -> {
                        Exception failure = new Exception("failure");
                        Fiber<?> fiber = Fiber.spin(() -> Fiber.suspend());
                        Runs.settle();
                        if (failureFirst) {
                            fiber.raise(failure);
                        }
                        fiber.terminate();
                        if (!failureFirst) {
                            fiber.raise(failure);
                        }
                        FiberTerminatedException thrown =
                                assertThrows(FiberTerminatedException.class, fiber::await);
                        Throwable signal = Runs.cause(thrown);
                        assertArrayEquals(new Throwable[] {failure}, suppressed(signal));
                    });
        }
    }

    @Test
    void F4_pendingAtTheEndBecomesTheOutcome() {
        Runs.inAnyOrder(
                () -> {
                    Exception raised = new Exception("raised");
                    Fiber<String> failed =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().raise(raised);
                                        return "lost";
                                    });
                    assertSame(raised, Runs.cause(Runs.failureOf(failed::await)));
                    Fiber<String> terminated =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().terminate();
                                        return "lost";
                                    });
                    assertThrows(FiberTerminatedException.class, terminated::await);
                });
    }

    @Test
    void F4_pendingAtTheEndOfAFailedBodyIsSuppressedInItsOutcome() {
        Runs.inAnyOrder(
                () -> {
                    Exception raised = new Exception("raised");
                    IllegalStateException thrown = new IllegalStateException("thrown");
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().raise(raised);
                                        throw thrown;
                                    });
                    assertSame(thrown, Runs.cause(Runs.failureOf(fiber::await)));
                    assertArrayEquals(new Throwable[] {raised}, suppressed(thrown));
                });
    }

    @Test
    void F4_failureInTheCleanUpOfATerminatedFiberIsItsOutcome() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException thrown = new IllegalStateException("in clean-up");
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            throwIt(thrown);
                                        }
                                    });
                    Runs.settle();
                    fiber.terminate();
                    assertSame(thrown, Runs.cause(Runs.failureOf(fiber::await)));
                    assertTrue(suppressed(thrown)[0] instanceof Unwind.Terminate);
                });
    }

    private static void throwIt(RuntimeException thrown) {
        throw thrown;
    }

    @Test
    void F4_terminationThrownInPlaceOfAFailureCarriesIt() {
        Runs.inAnyOrder(
                () -> {
                    Exception failure = new Exception("failure");
                    Fiber<@Nullable Throwable> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().raise(failure);
                                        Fiber.current().terminate();
                                        Throwable thrown = Runs.failureOf(Fiber::suspend);
                                        assertTrue(thrown instanceof Unwind.Terminate);
                                        assertArrayEquals(
                                                new Throwable[] {failure}, suppressed(thrown));
                                        return thrown;
                                    });
                    assertThrows(FiberTerminatedException.class, fiber::await);
                });
    }

    /** Both fail before their parent gets its turn. */
    @Test
    void F4_secondChildsFailureIsSuppressedInTheFirst() {
        Runs.fifo(
                () -> {
                    Exception first = new Exception("first");
                    Exception second = new Exception("second");
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        for (Exception each : List.of(first, second)) {
                                            Fiber.spin(
                                                    () -> {
                                                        throw each;
                                                    });
                                        }
                                        Fiber.suspend();
                                    });
                    Throwable failure = Runs.failureOf(parent::await);
                    Throwable ofFirst = Runs.cause(failure);
                    assertSame(first, Runs.cause(ofFirst));
                    List<Throwable> all = Arrays.asList(ofFirst.getSuppressed());
                    assertEquals(1, all.size(), all::toString);
                    assertSame(second, Runs.cause(all.getFirst()));
                });
    }

    /** What closing a resource threw while a child's failure passed is not lost either. */
    @Test
    void F4_failureSuppressedOnTheWayOutIsKept() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException inClose = new IllegalStateException("in close");
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        try (AutoCloseable _ = () -> throwIt(inClose)) {
                                            Fiber.spin(
                                                    () -> {
                                                        throw new Exception("child");
                                                    });
                                            Fiber.suspend();
                                        }
                                    });
                    Throwable ofChild = Runs.cause(Runs.failureOf(parent::await));
                    assertArrayEquals(new Throwable[] {inClose}, suppressed(ofChild));
                });
    }
}
