package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F4: raise and terminate, in each state of the fiber. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
public class RaiseTest {
    /** The calls at which a fiber may yield. */
    public enum Switchpoint {
        SUSPEND {
            @Override
            public void pass() {
                Fiber.suspend();
            }
        },
        INSTANT_SUSPEND {
            @Override
            public void pass() {
                Fiber.current().schedule("instantly");
                Fiber.suspend();
            }
        },
        SLEEP {
            @Override
            public void pass() {
                Fiber.sleep(Duration.ofDays(1));
            }
        },
        SHORT_SLEEP {
            @Override
            public void pass() {
                Fiber.sleep(Duration.ZERO);
            }
        },
        SNOOZE {
            @Override
            public void pass() {
                Fiber.snooze();
            }
        },
        AWAIT {
            @Override
            public void pass() {
                Fiber.spin(() -> Fiber.sleep(Duration.ofDays(1))).await();
            }
        },
        PARK {
            @Override
            public void pass() {
                Waits.park("nothing");
            }
        },
        WAITER {
            @Override
            public void pass() {
                new WaitCell().await("nothing");
            }
        };

        public abstract void pass();

        public boolean waits() {
            return this != SNOOZE && this != SHORT_SLEEP && this != INSTANT_SUSPEND;
        }
    }

    @ParameterizedTest
    @EnumSource(Switchpoint.class)
    void F4_waitingFiberThrowsWhereItWaits(Switchpoint switchpoint) {
        if (!switchpoint.waits()) {
            return;
        }
        Runs.inAnyOrder(
                () -> {
                    Exception raised = new Exception("raised");
                    Fiber<Throwable> fiber = Fiber.spin(() -> Runs.failureOf(switchpoint::pass));
                    Runs.settle();
                    assertEquals(FiberState.WAITING, fiber.state());
                    fiber.raise(raised);
                    assertEquals(FiberState.RUNNABLE, fiber.state());
                    assertFalse(fiber.schedule("too late"));
                    assertSame(raised, fiber.await());
                });
    }

    @ParameterizedTest
    @EnumSource(Switchpoint.class)
    void F4_runningFiberThrowsAtItsNextSwitchpointAndOnlyThere(Switchpoint switchpoint) {
        Runs.inAnyOrder(
                () -> {
                    Exception raised = new Exception("raised");
                    Fiber<Throwable> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().raise(raised);
                                        Throwable thrown = Runs.failureOf(switchpoint::pass);
                                        Fiber.snooze();
                                        Fiber.sleep(Duration.ofSeconds(1));
                                        return thrown;
                                    });
                    assertSame(raised, fiber.await());
                });
    }

    @ParameterizedTest
    @EnumSource(Switchpoint.class)
    void F4_runnableWithAValueTakesItAndThrowsAtItsNextSwitchpoint(Switchpoint switchpoint) {
        Runs.inAnyOrder(
                () -> {
                    Exception raised = new Exception("raised");
                    List<@Nullable Object> values = new ArrayList<>();
                    Fiber<Throwable> fiber =
                            Fiber.spin(
                                    () -> {
                                        values.add(Fiber.suspend());
                                        return Runs.failureOf(switchpoint::pass);
                                    });
                    Runs.settle();
                    fiber.schedule("value");
                    fiber.raise(raised);
                    assertSame(raised, fiber.await());
                    assertEquals(List.of("value"), values);
                });
    }

    @Test
    void F4_instantValueOutlivesARaise() {
        Runs.cleanly(
                () -> {
                    Exception raised = new Exception("raised");
                    Fiber.current().schedule("accepted");
                    Fiber.current().raise(raised);
                    assertSame(raised, Runs.failureOf(Fiber::suspend));
                    assertEquals("accepted", Fiber.suspend());
                });
    }

    @Test
    void F4_unstartedFiberThatIsRaisedIntoNeverRuns() {
        Runs.cleanly(
                () -> {
                    Exception raised = new Exception("raised");
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber = Fiber.spin(() -> log.add("ran"));
                    fiber.raise(raised);
                    FiberFailedException thrown =
                            assertThrows(FiberFailedException.class, fiber::await);
                    assertSame(raised, Runs.cause(thrown));
                    assertEquals(List.of(), log);
                });
    }

    @Test
    void F4_unstartedFiberThatIsTerminatedNeverRuns() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber = Fiber.spin(() -> log.add("ran"));
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    Fiber<?> handler =
                            Cord.current()
                                    .spinHandler(
                                            "handler",
                                            value -> {
                                                log.add("had a turn");
                                                return Handler.WAIT;
                                            });
                    handler.terminate();
                    assertThrows(FiberTerminatedException.class, handler::await);
                    assertEquals(List.of(), log);
                });
    }

    @Test
    void F4_deadFiberIsNotRaisedInto() {
        Runs.cleanly(
                () -> {
                    Fiber<String> fiber = Fiber.spin(() -> "result");
                    assertEquals("result", fiber.await());
                    fiber.raise(new IllegalStateException("too late"));
                    fiber.terminate();
                    assertEquals("result", fiber.await());
                });
    }

    @Test
    void F4_nothingCannotBeRaised() {
        Runs.cleanly(
                () -> {
                    Fiber<?> fiber = Fiber.current();
                    assertThrows(NullPointerException.class, () -> fiber.raise(nothing()));
                    Fiber.snooze();
                });
    }

    @SuppressWarnings("NullAway") // what a caller without null checks may do
    private static Throwable nothing() {
        return null;
    }

    @Test
    void F4_raiseEndsASleepAtOnce() {
        Runs.cleanly(
                () -> {
                    Fiber<Throwable> fiber =
                            Fiber.spin(() -> Runs.failureOf(Switchpoint.SLEEP::pass));
                    Runs.settle();
                    long before = Cord.current().nanoTime();
                    fiber.raise(new IllegalStateException("wake up"));
                    assertTrue(fiber.await() instanceof IllegalStateException);
                    assertEquals(before, Cord.current().nanoTime());
                });
    }

    @Test
    void F4_raisedFiberThatGoesOnCanWaitAgain() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<@Nullable Object> fiber =
                            Fiber.spin(
                                    () -> {
                                        for (int i = 0; i < 3; i++) {
                                            log.add(Runs.failureOf(Fiber::suspend).getMessage());
                                        }
                                        return Fiber.suspend();
                                    });
                    for (int i = 0; i < 3; i++) {
                        Runs.settle();
                        fiber.raise(new IllegalStateException("number " + i));
                    }
                    Runs.settle();
                    fiber.schedule("value");
                    assertEquals("value", fiber.await());
                    assertEquals(List.of("number 0", "number 1", "number 2"), log);
                });
    }
}
