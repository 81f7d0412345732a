package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Rule F11: on virtual threads, whatever blocks in the JDK suspends the fiber only. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class VirtualThreadTest {
    private static final Duration FAR = Duration.ofDays(1);
    private static final ScopedValue<String> SCOPED = ScopedValue.newInstance();

    static CordOptions options(Reports reports) {
        return CordOptions.named("virtual")
                .withStacks(StackKind.VIRTUAL_THREAD)
                .withUncaught(reports);
    }

    static void run(Action body) {
        Reports reports = new Reports();
        Cord.<@Nullable Object>run(
                options(reports),
                () -> {
                    body.run();
                    Cord.current().checkInvariants();
                    return null;
                });
        reports.assertNone();
    }

    /** Runs until the fiber waits for the JDK; real time, so it may take some turns. */
    static void untilForeign(Fiber<?> fiber) {
        while (!fiber.describeWait().contains("a call of the JDK")) {
            Fiber.snooze();
        }
    }

    @Test
    void F11_fibersRunOnVirtualThreadsOfTheCord() {
        run(
                () -> {
                    Cord cord = Cord.current();
                    assertTrue(Thread.currentThread().isVirtual());
                    assertTrue(cord.isCurrent());
                    Thread root = Thread.currentThread();
                    Fiber<Thread> waiting =
                            Fiber.spin(
                                    () -> {
                                        Fiber.snooze();
                                        assertSame(cord, Cord.current());
                                        return Thread.currentThread();
                                    });
                    assertNotSame(root, waiting.await());
                });
    }

    @Test
    void F3_fiberThatNeverWaitsRunsInlineOnTheWorker() {
        run(
                () -> {
                    Fiber<Thread> first = Fiber.spin(Thread::currentThread);
                    Fiber<Thread> second = Fiber.spin(Thread::currentThread);
                    assertSame(first.await(), second.await());
                });
    }

    @Test
    void F11_parkedByTheJdkTheFiberWaitsAndTheOthersRun() {
        run(
                () -> {
                    Thread[] thread = new Thread[1];
                    boolean[] goOn = new boolean[1];
                    Fiber<String> parked =
                            Fiber.spin(
                                    () -> {
                                        thread[0] = Thread.currentThread();
                                        while (!goOn[0]) {
                                            LockSupport.park();
                                        }
                                        return "done";
                                    });
                    untilForeign(parked);
                    assertEquals(FiberState.WAITING, parked.state());
                    assertFalse(parked.schedule("no"), "a call of the JDK is no suspend");
                    goOn[0] = true;
                    LockSupport.unpark(thread[0]);
                    assertEquals("done", parked.await());
                });
    }

    @Test
    void F11_lockHeldByASuspendedFiberExcludesTheOther() {
        run(
                () -> {
                    ReentrantLock lock = new ReentrantLock();
                    List<String> log = new ArrayList<>();
                    Fiber<?> holder =
                            Fiber.spin(
                                    () -> {
                                        lock.lock();
                                        try {
                                            log.add("holder in");
                                            Fiber.suspend();
                                            log.add("holder out");
                                        } finally {
                                            lock.unlock();
                                        }
                                    });
                    Fiber<?> other =
                            Fiber.spin(
                                    () -> {
                                        lock.lock();
                                        try {
                                            log.add("other in");
                                        } finally {
                                            lock.unlock();
                                        }
                                    });
                    untilForeign(other);
                    holder.schedule("go on");
                    other.await();
                    assertEquals(List.of("holder in", "holder out", "other in"), log);
                });
    }

    @Test
    void F11_monitorHeldByASuspendedFiberExcludesTheOther() {
        run(
                () -> {
                    Object monitor = new Object();
                    List<String> log = new ArrayList<>();
                    Fiber<?> holder =
                            Fiber.spin(
                                    () -> {
                                        synchronized (monitor) {
                                            log.add("holder in");
                                            Fiber.suspend();
                                            log.add("holder out");
                                        }
                                    });
                    Fiber<?> other =
                            Fiber.spin(
                                    () -> {
                                        synchronized (monitor) {
                                            log.add("other in");
                                        }
                                    });
                    untilForeign(other);
                    holder.schedule("go on");
                    other.await();
                    assertEquals(List.of("holder in", "holder out", "other in"), log);
                });
    }

    @Test
    void F11_socketReadOfTheJdkSuspendsTheFiberOnly() {
        run(
                () -> {
                    try (ServerSocket server =
                            new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                        Fiber<Integer> reader =
                                Fiber.spin(
                                        () -> {
                                            try (Socket socket = server.accept();
                                                    InputStream in = socket.getInputStream()) {
                                                return in.read();
                                            }
                                        });
                        untilForeign(reader);
                        try (Socket client =
                                new Socket(
                                        InetAddress.getLoopbackAddress(), server.getLocalPort())) {
                            untilForeign(reader);
                            client.getOutputStream().write(42);
                            assertEquals(42, reader.await());
                        }
                    }
                });
    }

    @Test
    void F11_timedWaitOfTheJdkEndsInTime() {
        run(
                () -> {
                    Semaphore never = new Semaphore(0);
                    Fiber<Boolean> timed =
                            Fiber.spin(() -> never.tryAcquire(20, TimeUnit.MILLISECONDS));
                    long before = Cord.current().nanoTime();
                    int turns = 0;
                    while (timed.state() != FiberState.DEAD) {
                        Fiber.snooze();
                        turns++;
                    }
                    assertFalse(timed.await());
                    assertTrue(Cord.current().nanoTime() - before >= 20_000_000);
                    assertTrue(turns > 1, "the others ran meanwhile");
                });
    }

    @Test
    void F11_terminateInterruptsTheCallAndStaysPending() {
        run(
                () -> {
                    List<String> log = new ArrayList<>();
                    CountDownLatch never = new CountDownLatch(1);
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            never.await();
                                        } catch (InterruptedException e) {
                                            log.add("interrupted");
                                        }
                                        Fiber.snooze();
                                        log.add("went on");
                                    });
                    untilForeign(fiber);
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of("interrupted"), log);
                });
    }

    @Test
    void F11_interruptedCallThatLeavesTheBodyIsATermination() {
        run(
                () -> {
                    CountDownLatch never = new CountDownLatch(1);
                    Fiber<?> fiber = Fiber.spin(() -> never.await());
                    untilForeign(fiber);
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                });
    }

    @Test
    void F6_timeLimitEndsACallOfTheJdk() {
        run(
                () -> {
                    CountDownLatch never = new CountDownLatch(1);
                    Duration limit = Duration.ofMillis(5);
                    assertThrows(
                            TimeoutException.class,
                            () -> CancelScope.cancelAfter(limit, () -> never.await()));
                    assertFalse(CancelScope.moveOnAfter(limit, () -> never.await()));
                    Thread.interrupted();
                    Fiber.snooze();
                });
    }

    @Test
    void F11_raiseBeforeTheCallInterruptsItToo() {
        run(
                () -> {
                    CountDownLatch never = new CountDownLatch(1);
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().raise(new IllegalStateException("raised"));
                                        try {
                                            never.await();
                                        } catch (InterruptedException e) {
                                            Fiber.snooze();
                                        }
                                    });
                    assertEquals("raised", Runs.cause(Runs.failureOf(fiber::await)).getMessage());
                });
    }

    @Test
    void F11_nextFiberOfAWorkerFindsNoThreadLocalAndNoInterrupt() {
        run(
                () -> {
                    ThreadLocal<String> local = new ThreadLocal<>();
                    Fiber<Thread> first =
                            Fiber.spin(
                                    () -> {
                                        local.set("first");
                                        Thread.currentThread().interrupt();
                                        return Thread.currentThread();
                                    });
                    Fiber<Thread> second =
                            Fiber.spin(
                                    () -> {
                                        assertNull(local.get());
                                        assertFalse(Thread.currentThread().isInterrupted());
                                        return Thread.currentThread();
                                    });
                    assertSame(first.await(), second.await());
                });
    }

    @Test
    void F11_threadLocalsBelongToTheFiberWhileItWaits() {
        run(
                () -> {
                    ThreadLocal<String> local = new ThreadLocal<>();
                    List<Fiber<String>> fibers = new ArrayList<>();
                    for (String name : List.of("a", "b", "c")) {
                        fibers.add(
                                Fiber.spin(
                                        () -> {
                                            local.set(name);
                                            Runs.snooze(3);
                                            return local.get();
                                        }));
                    }
                    assertEquals(List.of("a", "b", "c"), Fiber.awaitAll(fibers));
                });
    }

    @Test
    void F11_scopedValuesBelongToTheFiberWhileItWaits() {
        run(
                () -> {
                    List<Fiber<String>> fibers = new ArrayList<>();
                    for (String name : List.of("a", "b", "c")) {
                        fibers.add(
                                Fiber.spin(
                                        () ->
                                                ScopedValue.where(SCOPED, name)
                                                        .call(
                                                                () -> {
                                                                    Runs.snooze(3);
                                                                    return SCOPED.get();
                                                                })));
                    }
                    assertEquals(List.of("a", "b", "c"), Fiber.awaitAll(fibers));
                    assertFalse(SCOPED.isBound());
                });
    }

    @Test
    void F11_interruptedFiberCanStillWait() {
        run(
                () -> {
                    Fiber<Boolean> fiber =
                            Fiber.spin(
                                    () -> {
                                        Thread.currentThread().interrupt();
                                        Fiber.snooze();
                                        Fiber.sleep(Duration.ofMillis(1));
                                        return Thread.interrupted();
                                    });
                    assertTrue(fiber.await(), "the interrupt is the fiber's business");
                });
    }

    @Test
    void F11_strayUnparkEndsNoWaitOfTheLibrary() {
        run(
                () -> {
                    Thread[] thread = new Thread[1];
                    Fiber<@Nullable Object> fiber =
                            Fiber.spin(
                                    () -> {
                                        thread[0] = Thread.currentThread();
                                        return Fiber.suspend();
                                    });
                    Fiber.snooze();
                    LockSupport.unpark(thread[0]);
                    thread[0].interrupt();
                    Runs.snooze(5);
                    assertEquals(FiberState.WAITING, fiber.state());
                    fiber.schedule("value");
                    assertEquals("value", fiber.await());
                });
    }

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // its subject
    void F11_yieldOfTheJdkGivesWay() {
        run(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> yielding =
                            Fiber.spin(
                                    () -> {
                                        log.add("before");
                                        Thread.yield();
                                        log.add("after");
                                    });
                    Fiber<?> other = Fiber.spin(() -> log.add("other"));
                    yielding.await();
                    other.await();
                    assertEquals(List.of("before", "other", "after"), log);
                });
    }

    /** Threads that a fiber starts inherit its scheduler, so they run between the fibers. */
    @Test
    void F11_virtualThreadsInsideAFiberBehave() {
        run(
                () -> {
                    Fiber<String> fiber =
                            Fiber.spin(
                                    () -> {
                                        try (ExecutorService tasks =
                                                Executors.newVirtualThreadPerTaskExecutor()) {
                                            Future<String> a = tasks.submit(() -> task("a"));
                                            Future<String> b = tasks.submit(() -> task("b"));
                                            return a.get() + b.get();
                                        }
                                    });
                    assertEquals("ab", fiber.await());
                });
    }

    /** By reflection, for the class is a preview of the JDK. */
    @Test
    void F11_structuredTaskScopeInsideAFiberBehaves() {
        run(
                () -> {
                    Class<?> type = Class.forName("java.util.concurrent.StructuredTaskScope");
                    Method fork = type.getMethod("fork", Callable.class);
                    Callable<String> a = () -> task("a");
                    Callable<String> b = () -> task("b");
                    Fiber<String> fiber =
                            Fiber.spin(
                                    () -> {
                                        try (AutoCloseable scope =
                                                (AutoCloseable)
                                                        type.getMethod("open").invoke(null)) {
                                            Object first = fork.invoke(scope, a);
                                            Object second = fork.invoke(scope, b);
                                            type.getMethod("join").invoke(scope);
                                            return "" + result(first) + result(second);
                                        }
                                    });
                    assertEquals("ab", fiber.await());
                });
    }

    private static @Nullable Object result(Object subtask) throws ReflectiveOperationException {
        Class<?> type = Class.forName("java.util.concurrent.StructuredTaskScope$Subtask");
        return type.getMethod("get").invoke(subtask);
    }

    private static String task(String name) {
        assertNull(Fiber.currentOrNull(), "a thread of its own is no fiber");
        assertNull(Cord.currentOrNull());
        LockSupport.parkNanos(1_000_000);
        return name;
    }

    @Test
    void F11_threadStartedInAFiberMayAwaitAFiber() {
        run(
                () -> {
                    Fiber<String> target = Fiber.spin(() -> (String) Fiber.suspend());
                    String[] seen = new String[1];
                    Thread guest = Thread.startVirtualThread(() -> seen[0] = target.await());
                    Fiber.snooze();
                    target.schedule("result");
                    guest.join();
                    assertEquals("result", seen[0]);
                });
    }

    @Test
    void F3_pinnedInAClassInitialiserTheWaitIsAnError() {
        run(
                () -> {
                    Throwable thrown = Runs.failureOf(() -> new WaitsInItsInitialiser().touch());
                    assertTrue(
                            Runs.cause(thrown) instanceof StackPinnedException, thrown::toString);
                    Fiber.snooze();
                });
    }

    private static final class WaitsInItsInitialiser {
        static {
            Fiber.snooze();
            waitForSomething();
        }

        private static void waitForSomething() {
            Fiber.suspend();
        }

        void touch() {}
    }

    @Test
    void F2_timersAreNotStarvedByInstantResumesOrSnoozes() {
        run(
                () -> {
                    boolean[] fired = new boolean[1];
                    Fiber.spin(
                            () -> {
                                Fiber.sleep(Duration.ofMillis(5));
                                fired[0] = true;
                            });
                    Fiber.snooze();
                    while (!fired[0]) {
                        Fiber.current().schedule("me");
                        Fiber.suspend();
                    }
                });
    }

    @Test
    void F7_abandonedInACallOfTheJdkItNeverRunsAgain() {
        Reports reports = new Reports();
        ReentrantLock lock = new ReentrantLock();
        List<String> log = new ArrayList<>();
        Cord.<@Nullable Object>run(
                options(reports).withStopLimit(Duration.ofMillis(5)),
                () -> {
                    Fiber<?> owner = Fiber.spin(() -> untilForeign(stubborn(lock, log)));
                    lock.lock();
                    try {
                        owner.awaitEnd(FAR);
                    } finally {
                        lock.unlock();
                    }
                    Runs.snooze(300);
                    Cord.current().checkInvariants();
                    return null;
                });
        assertEquals(List.of(), log);
        assertEquals("stubborn", reports.only().fiber().name());
    }

    private static Fiber<?> stubborn(ReentrantLock lock, List<String> log) {
        return Fiber.spin(
                "stubborn",
                () -> {
                    lock.lock();
                    try {
                        log.add("ran on");
                    } finally {
                        lock.unlock();
                    }
                });
    }

    /** A call that no interrupt ends must not be interrupted for ever, turn by turn. */
    @Test
    void F11_callThatCannotBeInterruptedIsLeftInPeaceAfterAWhile() {
        run(
                () -> {
                    ReentrantLock lock = new ReentrantLock();
                    List<String> log = new ArrayList<>();
                    Fiber<?> stubborn = stubborn(lock, log);
                    lock.lock();
                    try {
                        untilForeign(stubborn);
                        stubborn.terminate();
                        Runs.snooze(300 * Signal.MOST_RAISES); // a look is rare
                        assertEquals(FiberState.WAITING, stubborn.state());
                    } finally {
                        lock.unlock();
                    }
                    assertThrows(FiberTerminatedException.class, stubborn::await);
                    assertEquals(List.of("ran on"), log);
                });
    }

    @Test
    void F11_threadsOfACordEndWithIt() {
        List<Thread> threads = new ArrayList<>();
        run(
                () -> {
                    threads.add(Thread.currentThread());
                    List<Fiber<?>> fibers = new ArrayList<>();
                    for (int i = 0; i < 10; i++) {
                        fibers.add(
                                Fiber.spin(
                                        () -> {
                                            threads.add(Thread.currentThread());
                                            Fiber.snooze();
                                        }));
                    }
                    Fiber.awaitAll(fibers);
                });
        assertNotEquals(1, threads.stream().distinct().count());
        threads.forEach(thread -> assertEquals(Thread.State.TERMINATED, thread.getState()));
    }

    @Test
    void misuse_virtualClockNeedsLightStacks() {
        IllegalArgumentException thrown =
                assertThrows(
                        IllegalArgumentException.class,
                        () ->
                                Runs.virtualOptions(new Reports())
                                        .withStacks(StackKind.VIRTUAL_THREAD));
        assertTrue(thrown.toString().contains("StackKind.LIGHT"), thrown::toString);
    }
}
