package dev.ropewalk.fibers.recurring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rules F5 and F7: who flushes a debounce is answered, however its action ends. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class DebounceFlushTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FAR = Duration.ofDays(1);

    @Test
    void F5_flushOfAnActionThatRestartsItsFiberReturns() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Debounce<String> debounce =
                            Debounce.start(
                                    SECOND,
                                    value -> {
                                        log.add(value);
                                        if (log.size() == 1) {
                                            Fiber.current().restart();
                                            Fiber.sleep(FAR);
                                        }
                                    });
                    debounce.trigger("a");
                    assertTrue(debounce.flush());
                    assertFalse(debounce.flush());
                    debounce.trigger("b");
                    assertTrue(debounce.flush());
                    debounce.close();
                    assertEquals(List.of("a", "b"), log);
                });
    }

    @Test
    void F5_flushAfterCancelHasNothingToDo() {
        Runs.inAnyOrder(
                () -> {
                    Debounce<String> debounce = Debounce.start(SECOND, _ -> {});
                    debounce.trigger("a");
                    assertEquals("a", debounce.cancel());
                    assertFalse(debounce.flush());
                    Runs.settle();
                    assertFalse(debounce.flush());
                });
    }

    @Test
    void F5_flusherOfAValueThatIsHandedBackIsTold() {
        Runs.fifo(
                () -> {
                    Debounce<String> debounce = Debounce.start(SECOND, _ -> {});
                    Runs.settle();
                    debounce.trigger("a");
                    Fiber<Throwable> flusher = Fiber.spin(() -> Runs.failureOf(debounce::flush));
                    Fiber<String> canceller = Fiber.spin(() -> String.valueOf(debounce.cancel()));
                    assertEquals("a", canceller.await());
                    assertInstanceOf(FiberTerminatedException.class, flusher.await());
                });
    }

    @Test
    void F7_failureOfAFlushedActionIsTheFlushersAlone() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException own = new IllegalStateException("own");
                    Fiber<?> owner =
                            Fiber.spin(
                                    () -> {
                                        Debounce<String> debounce =
                                                Debounce.start(
                                                        SECOND,
                                                        _ -> {
                                                            Fiber.sleep(SECOND);
                                                            throw own;
                                                        });
                                        debounce.trigger("a");
                                        Fiber<Throwable> flusher =
                                                Fiber.spin(() -> Runs.failureOf(debounce::flush));
                                        assertEquals(own, Runs.cause(flusher.await()));
                                        Fiber.sleep(SECOND);
                                        assertFalse(debounce.flush());
                                        debounce.close();
                                    });
                    owner.await();
                });
    }

    @Test
    void F7_failureOfAnActionWhoseFlusherHasLeftIsTheParents() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> owner =
                            Fiber.spin(
                                    () -> {
                                        Debounce<String> debounce =
                                                Debounce.start(
                                                        SECOND,
                                                        _ -> {
                                                            Fiber.sleep(SECOND);
                                                            throw new IllegalStateException("own");
                                                        });
                                        debounce.trigger("a");
                                        CancelScope.moveOnAfter(
                                                Duration.ofMillis(1), () -> debounce.flush());
                                        Fiber.sleep(FAR);
                                    });
                    assertThrows(FiberFailedException.class, owner::await);
                });
    }

    /** It changes nothing. */
    @Test
    void misuse_flushOrCloseByAFiberThatTheActionAwaits() {
        Runs.inAnyOrder(
                () -> {
                    List<Debounce<String>> made = new ArrayList<>();
                    List<Throwable> thrown = new ArrayList<>();
                    Debounce<String> debounce =
                            Debounce.start(
                                    SECOND,
                                    _ ->
                                            Fiber.spin(
                                                            () -> {
                                                                Runs.settle();
                                                                thrown.add(
                                                                        Runs.failureOf(
                                                                                made.getFirst()
                                                                                        ::flush));
                                                                thrown.add(
                                                                        Runs.failureOf(
                                                                                made.getFirst()
                                                                                        ::close));
                                                            })
                                                    .await());
                    made.add(debounce);
                    debounce.trigger("x");
                    assertTrue(debounce.flush());
                    assertEquals(2, thrown.size());
                    for (Throwable each : thrown) {
                        assertInstanceOf(DeadlockException.class, each);
                    }
                    debounce.trigger("y");
                    debounce.close();
                    assertEquals(4, thrown.size());
                });
    }

    @Test
    void misuse_closeByAFiberBelowTheAction() {
        Runs.inAnyOrder(
                () -> {
                    List<Debounce<String>> made = new ArrayList<>();
                    List<Throwable> thrown = new ArrayList<>();
                    Debounce<String> debounce =
                            Debounce.start(
                                    SECOND,
                                    _ ->
                                            Fiber.spin(
                                                    () ->
                                                            thrown.add(
                                                                    Runs.failureOf(
                                                                            made.getFirst()
                                                                                    ::close))));
                    made.add(debounce);
                    debounce.trigger("x");
                    assertTrue(debounce.flush());
                    Runs.settle();
                    assertInstanceOf(DeadlockException.class, thrown.getFirst());
                    assertTrue(thrown.getFirst().toString().contains("below that of the action"));
                    debounce.trigger("y");
                    debounce.close();
                });
    }
}
