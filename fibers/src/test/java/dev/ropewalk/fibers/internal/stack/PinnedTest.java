package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import jdk.internal.vm.Continuation;
import jdk.internal.vm.Continuation.Pinned;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Rules F3 and F11: where a stack cannot be suspended, waiting is a clear error and the cord goes
 * on. A class is initialised once, so each test has its own classes and runs once.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("needs-flags")
class PinnedTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static @Nullable Action inInitialiser;
    private static final List<Throwable> THROWN = new ArrayList<>();

    /** What the initialisers of the classes below do. */
    static int runInInitialiser() {
        Action action = inInitialiser;
        if (action != null) {
            THROWN.add(Runs.failureOf(action));
        }
        return 1;
    }

    private static final class InSuspend {
        static final int DONE = runInInitialiser();
    }

    private static final class InSnooze {
        static final int DONE = runInInitialiser();
    }

    private static final class InSleep {
        static final int DONE = runInInitialiser();
    }

    private static final class InAwait {
        static final int DONE = runInInitialiser();
    }

    private static final class InWaiter {
        static final int DONE = runInInitialiser();
    }

    private static final class WhenTerminated {
        static final int DONE = runInInitialiser();
    }

    private static final class NotCaught {
        static final int DONE;

        static {
            Fiber.suspend();
            DONE = 1;
        }
    }

    private interface Initialiser {
        int run();
    }

    @Test
    void F3_theMessageFitsTheReason() {
        String initialiser = "inside a class initialiser or below a native frame";
        assertTrue(PinnedRemedies.textOf(Pinned.NATIVE).contains(initialiser));
        assertTrue(PinnedRemedies.textOf(Pinned.MONITOR).contains("use a Mutex of fibers.sync"));
        assertTrue(
                PinnedRemedies.textOf(Pinned.CRITICAL_SECTION)
                        .contains("in a switch hook, in a trace"));
        assertTrue(PinnedRemedies.textOf(Pinned.EXCEPTION).contains("no memory for the copy"));
        for (Pinned reason : Pinned.values()) {
            String text = PinnedRemedies.textOf(reason);
            assertTrue(text.startsWith("cannot wait here: the stack is pinned, reason=" + reason));
            assertEquals(reason == Pinned.NATIVE, text.contains(initialiser), text);
        }
    }

    @Test
    void F3_waitInPinnedCodeSaysThatItIsPinned() {
        Runs.virtual(
                new Reports(),
                () -> {
                    Continuation.pin();
                    Throwable thrown;
                    try {
                        thrown = Runs.failureOf(() -> Fiber.sleep(Duration.ofSeconds(1)));
                    } finally {
                        Continuation.unpin();
                    }
                    assertEquals(
                            PinnedRemedies.textOf(Pinned.CRITICAL_SECTION), thrown.getMessage());
                    return assertSameValue("alive", Fiber.spin(() -> "alive").await());
                });
    }

    private static void assertPinned(Action waiting, Initialiser initialiser) {
        inInitialiser = waiting;
        assertEquals(1, initialiser.run());
        Throwable thrown = THROWN.getLast();
        assertTrue(thrown instanceof StackPinnedException, () -> "thrown: " + thrown);
        assertEquals(PinnedRemedies.textOf(Pinned.NATIVE), thrown.getMessage());
        assertEquals(FiberState.RUNNING, Fiber.current().state());
        CordImpl.current().checkInvariants();
    }

    @Test
    void F3_suspendInAClassInitialiserIsAnErrorAndTheFiberGoesOn() {
        Runs.virtual(
                new Reports(),
                () -> {
                    Fiber<?> me = Fiber.current();
                    long number = Waits.nextNumber();
                    assertPinned(Fiber::suspend, () -> InSuspend.DONE);
                    assertEquals(false, Waits.resume(me, number, "for the wait that was not"));
                    Fiber.spin(() -> me.schedule("later"));
                    return assertSameValue("later", Fiber.suspend());
                });
    }

    @Test
    void F3_snoozeInAClassInitialiserLeavesNoSecondEntry() {
        Runs.virtual(
                new Reports(),
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber.spin(() -> log.add("other"));
                    assertPinned(Fiber::snooze, () -> InSnooze.DONE);
                    assertEquals(List.of(), log);
                    Runs.settle();
                    return assertSameValue(List.of("other"), log);
                });
    }

    @Test
    void F3_sleepInAClassInitialiserLeavesNoTimer() {
        Runs.virtual(
                new Reports(),
                () -> {
                    assertPinned(() -> Fiber.sleep(Duration.ofSeconds(1)), () -> InSleep.DONE);
                    long before = Cord.current().nanoTime();
                    Fiber.sleep(Duration.ofSeconds(3));
                    return assertSameValue(3_000_000_000L, Cord.current().nanoTime() - before);
                });
    }

    @Test
    void F5_awaitInAClassInitialiserLeavesNoAwaiter() {
        Runs.virtual(
                new Reports(),
                () -> {
                    Fiber<@Nullable Object> child = Fiber.spin(() -> Fiber.suspend());
                    Fiber.snooze();
                    assertPinned(child::await, () -> InAwait.DONE);
                    child.schedule("result");
                    return assertSameValue("result", child.await());
                });
    }

    @Test
    void F5_waiterInAClassInitialiserTakesNothing() {
        Runs.virtual(
                new Reports(),
                () -> {
                    WaitCell waiter = new WaitCell();
                    assertPinned(() -> waiter.await("nothing"), () -> InWaiter.DONE);
                    return assertSameValue(false, waiter.give("too late"));
                });
    }

    /** It cannot yield first, but what is pending says more than that. */
    @Test
    void F6_terminatedFiberIsTerminatedInAClassInitialiserToo() {
        Runs.virtual(
                new Reports(),
                () -> {
                    Fiber<?> child =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().terminate();
                                        inInitialiser = Fiber::suspend;
                                        assertEquals(1, WhenTerminated.DONE);
                                        CordImpl.current().checkInvariants();
                                        Fiber.suspend();
                                    });
                    Throwable failure = Runs.failureOf(child::await);
                    assertTrue(failure instanceof FiberTerminatedException, failure::toString);
                    Throwable thrown = THROWN.getLast();
                    assertTrue(thrown instanceof Unwind.Terminate, thrown::toString);
                    return null;
                });
    }

    @Test
    void F3_uncaughtInTheInitialiserItFailsTheFiberOnly() {
        Runs.virtual(
                new Reports(),
                () -> {
                    Fiber<Integer> child = Fiber.spin(() -> NotCaught.DONE);
                    Throwable failure = Runs.failureOf(child::await);
                    Throwable initialiser = Runs.cause(failure);
                    assertTrue(initialiser instanceof ExceptionInInitializerError);
                    Throwable pinned = Runs.cause(initialiser);
                    assertTrue(pinned instanceof StackPinnedException, failure::toString);
                    return assertSameValue("alive", Fiber.spin(() -> "alive").await());
                });
    }

    /** So does the JDK, where the stack is full in the middle of it. */
    @ParameterizedTest
    @EnumSource
    void F7_fiberThatLeavesItsStackPinnedEndsWithItsChildren(StackKind stacks) {
        Runs.real(
                stacks,
                new Reports(),
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<String> pinning =
                            Fiber.spin(
                                    "pinning",
                                    () -> {
                                        Fiber.spin("child", () -> endSlowly(log));
                                        Fiber.snooze();
                                        Continuation.pin();
                                        Continuation.pin();
                                        return "result";
                                    });
                    assertEquals("result", pinning.await());
                    assertEquals(List.of("child ended"), log);
                });
    }

    private static void endSlowly(List<String> log) {
        try {
            Fiber.suspend();
        } finally {
            CancelScope.shielded(LIMIT, () -> Fiber.sleep(Duration.ofMillis(1)));
            log.add("child ended");
        }
    }

    @ParameterizedTest
    @EnumSource
    void F7_nextFiberOnAStackThatWasFullCanWait(StackKind stacks) {
        Runs.real(
                stacks,
                new Reports(),
                () -> {
                    Fiber<?> full =
                            Fiber.spin(
                                    "full",
                                    () -> {
                                        Continuation.pin();
                                        throw new StackOverflowError("made up");
                                    });
                    Fiber<String> next =
                            Fiber.spin(
                                    "next",
                                    () -> {
                                        Fiber.sleep(Duration.ofNanos(1_000));
                                        return "waited";
                                    });
                    assertTrue(
                            Runs.cause(Runs.failureOf(full::await)) instanceof StackOverflowError);
                    assertEquals("waited", next.await());
                });
    }

    private static @Nullable Object assertSameValue(
            @Nullable Object expected, @Nullable Object actual) {
        if (expected instanceof String) {
            assertSame(expected, actual);
        } else {
            assertEquals(expected, actual);
        }
        CordImpl.current().checkInvariants();
        return actual;
    }
}
