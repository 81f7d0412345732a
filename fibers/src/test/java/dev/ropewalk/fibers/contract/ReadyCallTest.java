package dev.ropewalk.fibers.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.coroutine.Generator;
import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.sync.Loan;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.sync.Once;
import dev.ropewalk.fibers.sync.ResourcePool;
import dev.ropewalk.fibers.sync.Semaphore;
import dev.ropewalk.fibers.sync.Ticket;
import dev.ropewalk.fibers.sync.TicketQueue;
import dev.ropewalk.fibers.sync.WaitGroup;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Rules F2 and F6: a call that may wait is a switchpoint also when it need not wait. It raises
 * before it takes anything, and yields when the fiber has had its turn.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ReadyCallTest {
    private static final Duration LIMIT = Duration.ofDays(1);
    private static final Duration SHORT = Duration.ofMillis(1);

    /** More than are made before a turn is over: on a virtual clock, and in a second or so. */
    private static final int MANY = 100_000;

    private static final int MANY_IN_REAL_TIME = 100_000_000;

    /** A call that finds what it wants, again and again. */
    private interface Ready {
        void call() throws Exception;

        /** Fails if the last call took something although it threw. */
        default void checkUntouched() {}
    }

    private interface Opening {
        Ready open() throws Exception;
    }

    enum Call {
        SUSPEND(
                () ->
                        () -> {
                            Fiber.current().schedule("given");
                            Fiber.suspend();
                        }),
        AWAIT(() -> dead()::await),
        AWAIT_END(
                () -> {
                    Fiber<?> dead = dead();
                    return () -> assertTrue(dead.awaitEnd(LIMIT));
                }),
        AWAIT_ALL(
                () -> {
                    List<Fiber<String>> dead = List.of(dead(), dead());
                    return () -> Fiber.awaitAll(dead);
                }),
        AWAIT_ALL_OF_NONE(() -> () -> Fiber.awaitAll(List.<Fiber<String>>of())),
        AWAIT_ANY(
                () -> {
                    List<Fiber<String>> dead = List.of(dead(), dead());
                    return () -> Fiber.awaitAny(dead);
                }),
        FUTURE(
                () -> {
                    CompletableFuture<String> done = CompletableFuture.completedFuture("done");
                    return () -> assertEquals("done", Futures.await(done));
                }),
        GENERATOR(
                () -> {
                    Generator<Integer> generator =
                            Generator.of(
                                    out -> {
                                        out.yield(1);
                                        out.yield(2);
                                    });
                    assertTrue(generator.hasNext());
                    return () -> assertTrue(generator.hasNext());
                }),
        GENERATOR_THAT_IS_OVER(
                () -> {
                    Generator<Integer> generator = Generator.of(_ -> {});
                    return () -> assertFalse(generator.hasNext());
                }),
        MUTEX_LOCAL(() -> locking(Mutex.local(), false)),
        MUTEX_SHARED(() -> locking(Mutex.shared(), false)),
        MUTEX_LOCAL_LIMIT(() -> locking(Mutex.local(), true)),
        MUTEX_SHARED_LIMIT(() -> locking(Mutex.shared(), true)),
        SEMAPHORE_LOCAL(() -> acquiring(Semaphore.local(1))),
        SEMAPHORE_SHARED(() -> acquiring(Semaphore.shared(1))),
        EVENT_LOCAL(() -> awaiting(Event.local())),
        EVENT_SHARED(() -> awaiting(Event.shared())),
        EVENT_ANY_LOCAL(() -> awaitingAny(List.of(Event.local(), Event.local()))),
        EVENT_ANY_SHARED(() -> awaitingAny(List.of(Event.shared(), Event.shared()))),
        WAIT_GROUP_LOCAL(() -> WaitGroup.local()::await),
        WAIT_GROUP_SHARED(() -> WaitGroup.shared()::await),
        ONCE(
                () -> {
                    Once<String> once = Once.local(() -> "value");
                    once.get();
                    return once::get;
                }),
        ONCE_THAT_RUNS(
                () -> {
                    int[] runs = new int[1];
                    return new Ready() {
                        @Override
                        public void call() {
                            Once.local(() -> ++runs[0]).get();
                        }

                        @Override
                        public void checkUntouched() {
                            assertEquals(0, runs[0]);
                        }
                    };
                }),
        TICKET(
                () -> {
                    TicketQueue queue = TicketQueue.local();
                    return () -> {
                        Ticket ticket = queue.take();
                        try {
                            ticket.await();
                        } finally {
                            ticket.done();
                        }
                    };
                }),
        POOL(
                () -> {
                    ResourcePool<String> pool = ResourcePool.localBounded(1, () -> "resource");
                    return new Ready() {
                        @Override
                        public void call() {
                            try (Loan<String> loan = pool.borrow()) {
                                assertEquals("resource", loan.get());
                            }
                        }

                        @Override
                        public void checkUntouched() {
                            assertEquals(0, pool.lent());
                        }
                    };
                });

        @SuppressWarnings("ImmutableEnumChecker") // it only opens
        private final Opening opening;

        Call(Opening opening) {
            this.opening = opening;
        }

        private static Fiber<String> dead() {
            Fiber<String> fiber = Fiber.spin(() -> "result");
            fiber.await();
            return fiber;
        }

        private static Ready locking(Mutex mutex, boolean isLimited) {
            return new Ready() {
                @Override
                public void call() {
                    if (isLimited) {
                        assertTrue(mutex.lock(LIMIT));
                    } else {
                        mutex.lock();
                    }
                    mutex.unlock();
                }

                @Override
                public void checkUntouched() {
                    assertFalse(mutex.isLocked());
                }
            };
        }

        private static Ready acquiring(Semaphore semaphore) {
            return new Ready() {
                @Override
                public void call() {
                    semaphore.acquire();
                    semaphore.release();
                }

                @Override
                public void checkUntouched() {
                    assertEquals(1, semaphore.available());
                }
            };
        }

        private static Ready awaiting(Event event) {
            return new Ready() {
                @Override
                public void call() {
                    event.signal();
                    event.await();
                }

                @Override
                public void checkUntouched() {
                    assertTrue(event.isSignalled());
                }
            };
        }

        private static Ready awaitingAny(List<Event> events) {
            Event last = events.getLast();
            return new Ready() {
                @Override
                public void call() {
                    last.signal();
                    Event.awaitAny(events);
                }

                @Override
                public void checkUntouched() {
                    assertTrue(last.isSignalled());
                }
            };
        }
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    void F6_inATerminatedFiberItRaisesAndTakesNothing(Call call) {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Ready ready = call.opening.open();
                                        log.add("open");
                                        Runs.failureOf(() -> Fiber.sleep(LIMIT));
                                        Throwable thrown = Runs.failureOf(ready::call);
                                        assertTrue(
                                                thrown instanceof Unwind.Terminate,
                                                thrown::toString);
                                        ready.checkUntouched();
                                        log.add("raised");
                                    });
                    while (log.isEmpty()) {
                        Runs.settle();
                    }
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of("open", "raised"), log);
                });
    }

    /** On a virtual clock the calls are counted; with real time the ticker marks the cord. */
    @ParameterizedTest
    @EnumSource(Call.class)
    void F2_aFiberThatNeverHasToWaitGivesWay(Call call) {
        Runs.inAnyOrder(() -> assertGivesWay(call, MANY));
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    void F2_aFiberThatNeverHasToWaitGivesWayInRealTime(Call call) {
        Runs.real(
                () -> {
                    assertGivesWay(call, MANY_IN_REAL_TIME);
                    assertLetsATimerFire(call);
                });
    }

    private static void assertGivesWay(Call call, int most) throws Exception {
        Ready ready = call.opening.open();
        boolean[] ran = {false};
        Fiber<?> neighbour = Fiber.spin(() -> ran[0] = true);
        for (int i = 0; i < most && !ran[0]; i++) {
            ready.call();
        }
        assertTrue(ran[0], "the neighbour never ran");
        neighbour.await();
    }

    /** Nobody is runnable meanwhile. */
    private static void assertLetsATimerFire(Call call) throws Exception {
        Ready ready = call.opening.open();
        boolean isDone =
                CancelScope.moveOnAfter(
                        SHORT,
                        () -> {
                            for (int i = 0; i < MANY_IN_REAL_TIME; i++) {
                                ready.call();
                            }
                        });
        assertFalse(isDone, "the limit never acted");
    }

    /** What comes in the turn that the call gives away is raised before the call takes anything. */
    @Test
    void F6_whatComesWhileItGivesWayIsRaisedFirst() {
        Runs.inAnyOrder(
                () -> {
                    Semaphore semaphore = Semaphore.local(1);
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        for (; ; ) {
                                            semaphore.acquire();
                                            semaphore.release();
                                        }
                                    });
                    Fiber<?> ender = Fiber.spin(fiber::terminate);
                    ender.await();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(1, semaphore.available());
                });
    }

    // ---------------------------------------------------------------- what never raises

    @Test
    void F6_whatTriesAndWhatGivesBackRaisesNothingAndNeverSwitches() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Tries tries = new Tries();
                                        log.add("open");
                                        Runs.failureOf(() -> Fiber.sleep(LIMIT));
                                        boolean[] ran = {false};
                                        Fiber<?> neighbour = Fiber.spin(() -> ran[0] = true);
                                        for (int i = 0; i < 1_000; i++) {
                                            tries.allOnce();
                                        }
                                        assertFalse(ran[0]);
                                        assertNotNull(neighbour);
                                        log.add("done");
                                    });
                    while (log.isEmpty()) {
                        Runs.settle();
                    }
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of("open", "done"), log);
                });
    }

    private static final class Tries {
        private final Mutex local = Mutex.local();
        private final Mutex shared = Mutex.shared();
        private final Semaphore semaphore = Semaphore.shared(1);
        private final Event event = Event.local();
        private final WaitGroup group = WaitGroup.local();
        private final TicketQueue queue = TicketQueue.local();
        private final ResourcePool<String> pool = ResourcePool.localBounded(1, () -> "resource");

        void allOnce() {
            for (Mutex mutex : List.of(local, shared)) {
                assertTrue(mutex.tryLock());
                mutex.newCondition().signalAll();
                mutex.unlock();
            }
            assertTrue(semaphore.tryAcquire(1));
            semaphore.release();
            event.signal();
            event.clear();
            group.add();
            group.done();
            assertFalse(group.tryDone());
            queue.take().done();
            Loan<String> loan = pool.tryBorrow();
            assertNotNull(loan);
            loan.close();
        }
    }

    // ---------------------------------------------------------------- what else is right

    /** A child that fails in the turn which its parent's await gives away fails that await. */
    @Test
    void F7_childThatFailsWhileItsParentBeginsToAwaitIsAwaited() {
        Runs.inAnyOrder(
                () -> {
                    for (int i = 0; i < 300; i++) {
                        Fiber<String> parent =
                                Fiber.spin(
                                        () -> {
                                            Fiber<?> child =
                                                    Fiber.spin(
                                                            () -> {
                                                                throw new Exception("child");
                                                            });
                                            try {
                                                child.await();
                                                return "no failure";
                                            } catch (FiberFailedException taken) {
                                                return "taken";
                                            }
                                        });
                        assertEquals("taken", parent.await());
                        Fiber<String> several =
                                Fiber.spin(
                                        () -> {
                                            Fiber<?> child =
                                                    Fiber.spin(
                                                            () -> {
                                                                throw new Exception("child");
                                                            });
                                            return Fiber.awaitAny(List.of(child)) == child
                                                    ? "taken"
                                                    : "another";
                                        });
                        assertEquals("taken", several.await());
                    }
                });
    }

    /** Clean-up that locks says so at once; with a shield it is right. */
    @Test
    void F6_cleanUpThatLocksNeedsAShield() {
        Runs.inAnyOrder(
                () -> {
                    Mutex mutex = Mutex.local();
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            log.add(
                                                    Runs.failureOf(() -> mutex.run(() -> {}))
                                                                    instanceof Unwind
                                                            ? "raised"
                                                            : "another");
                                            CancelScope.shielded(
                                                    SHORT, () -> mutex.run(() -> log.add("ran")));
                                        }
                                    });
                    Runs.settle();
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of("raised", "ran"), log);
                });
    }
}
