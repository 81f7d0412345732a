package dev.ropewalk.fibers.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;

/** Rules F4 and F6: what may come between the end of a wait and the turn of its fiber. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WaitsTest {
    private final List<String> seen = new ArrayList<>();

    @Test
    void F6_aFiberThatIsEndedBehindItsWaitTakesNothing() {
        Runs.inAnyOrder(
                () -> {
                    seen.clear();
                    long[] number = {-1};
                    Fiber<?> waiter =
                            Fiber.spin(
                                    () -> {
                                        number[0] = Waits.nextNumber();
                                        Waits.park("something to take");
                                        seen.add("woken");
                                        Waits.raiseIfDue();
                                        seen.add("taken");
                                    });
                    while (number[0] < 0) {
                        Fiber.snooze();
                    }
                    assertTrue(Waits.resume(waiter, number[0], null));
                    waiter.terminate();
                    waiter.awaitEnd(Waits.FOREVER);
                    assertEquals(List.of("woken"), seen);
                });
    }

    @Test
    void F6_toRaiseWhatIsDueIsNoSwitch() {
        Runs.inAnyOrder(
                () -> {
                    seen.clear();
                    Fiber<?> other = Fiber.spin(() -> seen.add("other"));
                    for (int i = 0; i < 1_000; i++) {
                        Waits.raiseIfDue();
                    }
                    assertEquals(List.of(), seen);
                    other.await();
                });
    }

    @Test
    void F6_whereNoFiberRunsNothingCanBeRaised() {
        assertThrows(IllegalStateException.class, Waits::raiseIfDue);
    }
}
