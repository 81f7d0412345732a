package dev.ropewalk.fibers.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Rules F4 and F5: a late timer, giver or signal never ends the wrong wait. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class StaleWaitTest {
    @Test
    void F4_timerOfAWaitThatIsOverEndsNoOther() {
        Runs.cleanly(
                () -> {
                    List<@Nullable Object> log = new ArrayList<>();
                    long[] number = new long[1];
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        number[0] = Waits.nextNumber();
                                        log.add(Waits.park("first", 1_000));
                                        log.add(Waits.park("second", 1_000_000));
                                        log.add(Fiber.suspend());
                                    });
                    Runs.settle();
                    assertTrue(Waits.resume(fiber, number[0], "given"));
                    Fiber.sleep(Duration.ofNanos(2_000));
                    assertEquals(List.of("given"), log);
                    Fiber.sleep(Duration.ofMillis(1));
                    assertEquals(List.of("given", Waits.TIMED_OUT), log);
                    Fiber.sleep(Duration.ofDays(1));
                    fiber.schedule("scheduled");
                    fiber.await();
                    assertEquals(List.of("given", Waits.TIMED_OUT, "scheduled"), log);
                });
    }

    @Test
    void F4_numberIsGoodForOneWait() {
        Runs.cleanly(
                () -> {
                    long[] number = new long[1];
                    Fiber<@Nullable Object> fiber =
                            Fiber.spin(
                                    () -> {
                                        number[0] = Waits.nextNumber();
                                        Waits.park("first");
                                        return Waits.park("second");
                                    });
                    Runs.settle();
                    long first = number[0];
                    assertFalse(Waits.resume(fiber, first + 1, "of the future"));
                    assertTrue(Waits.resume(fiber, first, "given"));
                    assertFalse(Waits.resume(fiber, first, "given twice"));
                    Runs.settle();
                    assertFalse(Waits.resume(fiber, first, "late"));
                    assertTrue(Waits.resume(fiber, FiberImpl.of(fiber).nextWaitNumber(), "last"));
                    assertEquals("last", fiber.await());
                    assertFalse(Waits.resume(fiber, FiberImpl.of(fiber).nextWaitNumber(), "dead"));
                });
    }

    @Test
    void F4_numberIsOverAfterATimeoutARaiseAndATermination() {
        Runs.cleanly(
                () -> {
                    List<Action> endings = new ArrayList<>();
                    long[] number = new long[1];
                    Fiber<?>[] fiber = new FiberImpl<?>[1];
                    endings.add(() -> Fiber.sleep(Duration.ofSeconds(2)));
                    endings.add(() -> fiber[0].raise(new IllegalStateException("raised")));
                    endings.add(() -> fiber[0].terminate());
                    for (Action ending : endings) {
                        fiber[0] =
                                Fiber.spin(
                                        () -> {
                                            number[0] = Waits.nextNumber();
                                            try {
                                                Waits.park("first", 1_000_000_000);
                                            } finally {
                                                Runs.failureOf(() -> Waits.park("then", 1));
                                            }
                                        });
                        Fiber<?> awaiter = Fiber.spin(() -> Runs.failureOf(fiber[0]::await));
                        Runs.settle();
                        ending.run();
                        assertFalse(Waits.resume(fiber[0], number[0], "late"));
                        awaiter.await();
                    }
                });
    }

    /** A switchpoint that raises yields first; a giver may come in between. */
    @Test
    void F4_waitThatWasNeverEnteredCannotBeEnded() {
        Runs.fifo(
                () -> {
                    long[] number = new long[1];
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().terminate();
                                        number[0] = Waits.nextNumber();
                                        Waits.park("never entered");
                                    });
                    Fiber.snooze();
                    assertEquals(FiberState.RUNNABLE, fiber.state());
                    assertFalse(Waits.resume(fiber, number[0], "late"));
                    assertThrows(FiberTerminatedException.class, fiber::await);
                });
    }

    @Test
    void F4_otherCordsFiberIsNotResumed() {
        Cord other = Runs.started("other", new Reports());
        Fiber<?> foreign = other.spin("foreign", () -> Fiber.suspend());
        Runs.real(
                () -> {
                    WrongThreadException thrown =
                            assertThrows(
                                    WrongThreadException.class,
                                    () -> Waits.resume(foreign, 0, "value"));
                    String message = String.valueOf(thrown.getMessage());
                    assertTrue(message.contains("foreign"), message);
                    assertTrue(message.contains("cord other"), message);
                    assertTrue(message.contains(Thread.currentThread().toString()), message);
                    assertThrows(
                            WrongThreadException.class,
                            () -> Waits.resumeHandler(foreign, "value"));
                });
        Runs.checkAndClose(other);
    }

    /** Polyphony's timed-out waiter stayed queued and ate a later signal. */
    @Test
    void F5_whoTimedOutEatsNoSignal() {
        Runs.cleanly(
                () -> {
                    Signals signals = new Signals();
                    Fiber<Boolean> timedOut = Fiber.spin(() -> signals.await(1_000));
                    Fiber<Boolean> terminated = Fiber.spin(() -> signals.await(1_000_000));
                    Fiber<Boolean> patient = Fiber.spin(() -> signals.await(1_000_000));
                    Fiber.sleep(Duration.ofNanos(1_000));
                    assertFalse(timedOut.await());
                    terminated.terminate();
                    assertTrue(signals.give());
                    assertTrue(patient.await());
                    assertThrows(FiberTerminatedException.class, terminated::await);
                    assertFalse(signals.give());
                });
    }

    /** What a user of Waits writes: the giver whose resume is refused takes the next waiter. */
    private static final class Signals {
        private record Wait(Fiber<?> fiber, long number) {}

        private final ArrayDeque<Wait> waits = new ArrayDeque<>();

        boolean await(long limitNs) {
            Wait wait = new Wait(Fiber.current(), Waits.nextNumber());
            waits.add(wait);
            return Waits.park("a signal", limitNs) != Waits.TIMED_OUT;
        }

        boolean give() {
            for (Wait wait = waits.poll(); wait != null; wait = waits.poll()) {
                if (Waits.resume(wait.fiber(), wait.number(), "signal")) {
                    return true;
                }
            }
            return false;
        }
    }

    /** The awaiter is gone, so the failure goes to the parent again. */
    @Test
    void F5_awaiterThatLeftTakesNoFailure() {
        Runs.cleanly(
                () -> {
                    Exception boom = new Exception("boom");
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber<?> child =
                                                Fiber.spin(
                                                        () -> {
                                                            Fiber.suspend();
                                                            throw boom;
                                                        });
                                        assertFalse(child.awaitEnd(Duration.ofNanos(1_000)));
                                        Fiber<?> awaiter = Fiber.spin(child::await);
                                        Runs.settle();
                                        awaiter.terminate();
                                        Runs.settle();
                                        FiberImpl.of(child).checkInvariants();
                                        child.schedule(null);
                                        Fiber.suspend();
                                    });
                    Throwable failure = Runs.failureOf(parent::await);
                    assertSame(boom, Runs.cause(Runs.cause(failure)));
                });
    }

    /** Else a fiber that lives long would keep all who ever looked whether it has ended. */
    @Test
    void F5_awaiterThatLeftIsKeptByNobody() {
        Runs.virtual(
                new Reports(),
                () -> {
                    Fiber<?> target = Fiber.spin(() -> Fiber.suspend());
                    WeakReference<Fiber<?>> awaiter = new WeakReference<>(awaitInVain(target));
                    for (int i = 0; i < 50 && awaiter.get() != null; i++) {
                        System.gc();
                        Runs.settle();
                    }
                    assertNull(awaiter.get());
                    assertEquals(FiberState.WAITING, target.state());
                    return null;
                });
    }

    private static Fiber<?> awaitInVain(Fiber<?> target) {
        Fiber<?> awaiter = Fiber.spin(() -> target.awaitEnd(Duration.ofSeconds(1)));
        Fiber.sleep(Duration.ofSeconds(2));
        assertEquals(FiberState.DEAD, awaiter.state());
        return awaiter;
    }

    @Test
    void F4_resumeMayGiveNothing() {
        Runs.cleanly(
                () -> {
                    Fiber<?> me = Fiber.current();
                    long number = Waits.nextNumber();
                    Fiber.spin(() -> Waits.resume(me, number, null));
                    assertNull(Waits.park("nothing"));
                });
    }
}
