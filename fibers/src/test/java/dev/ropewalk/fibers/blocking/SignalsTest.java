package dev.ropewalk.fibers.blocking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.testkit.RaisedSignal;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule F12: signals are awaited. The signal is WINCH, which does no harm if nobody handles it. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SignalsTest {
    private static final String NAME = "WINCH";

    /** To this very process. */
    private static void raise() throws ReflectiveOperationException {
        RaisedSignal.raise(NAME);
    }

    @Test
    void F12_fiberAwaitsASignalAndTheOthersRun() {
        Runs.real(
                () -> {
                    try (Signals signals = Signals.open(NAME)) {
                        Fiber<String> waiting = Fiber.spin(signals::await);
                        Runs.snoozeUntil(() -> waiting.state() == FiberState.WAITING);
                        assertEquals(FiberState.WAITING, waiting.state());
                        raise();
                        assertEquals(NAME, waiting.await());
                    }
                });
    }

    @Test
    void F12_signalThatComesBeforeTheWaitIsKept() throws Exception {
        try (Signals signals = Signals.open(NAME);
                Signals seen = Signals.open(NAME)) {
            raise();
            assertEquals(NAME, seen.await());
            assertEquals(NAME, signals.await(), "each who has it open gets it");
        }
    }

    @Test
    void F5_cancelledWaitTakesNone() {
        Runs.real(
                () -> {
                    try (Signals signals = Signals.open(NAME)) {
                        assertFalse(
                                CancelScope.moveOnAfter(
                                        Duration.ofMillis(1), () -> signals.await()));
                        Fiber<String> next = Fiber.spin(signals::await);
                        Fiber.snooze();
                        raise();
                        assertEquals(NAME, next.await());
                    }
                });
    }

    @Test
    void F12_closingEndsTheWaits() {
        Runs.real(
                () -> {
                    Signals signals = Signals.open(NAME);
                    Fiber<Throwable> waiting = Fiber.spin(() -> Runs.failureOf(signals::await));
                    Fiber.snooze();
                    signals.close();
                    signals.close();
                    Throwable thrown = waiting.await();
                    assertTrue(thrown.toString().contains("is closed"), thrown::toString);
                    assertThrows(IllegalStateException.class, signals::await);
                });
    }

    @Test
    void misuse_noNameAndUnknownNames() {
        assertThrows(IllegalArgumentException.class, Signals::open);
        for (String name : List.of("NOSUCH", "SEGV")) {
            IllegalArgumentException thrown =
                    assertThrows(IllegalArgumentException.class, () -> Signals.open(NAME, name));
            assertTrue(thrown.toString().contains("signal " + name), thrown::toString);
        }
    }
}
