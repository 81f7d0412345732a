package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;
import dev.ropewalk.fibers.testkit.VirtualThreads;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Rule F11: what belongs to a fiber on a virtual thread, threads within one, and its limits. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("needs-flags")
class VirtualStateTest {
    private static final ScopedValue<String> SCOPED = ScopedValue.newInstance();

    @Test
    void F11_nextFiberOfAWorkerFindsNoThreadLocalAndNoInterrupt() {
        VirtualThreads.run(
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
        VirtualThreads.run(
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
        VirtualThreads.run(
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

    /** Threads that a fiber starts inherit its scheduler, so they run between the fibers. */
    @Test
    void F11_virtualThreadsInsideAFiberBehave() {
        VirtualThreads.run(
                () -> {
                    CountDownLatch both = new CountDownLatch(2);
                    Fiber<String> fiber =
                            Fiber.spin(
                                    () -> {
                                        try (ExecutorService tasks =
                                                Executors.newVirtualThreadPerTaskExecutor()) {
                                            Future<String> a = tasks.submit(() -> task("a", both));
                                            Future<String> b = tasks.submit(() -> task("b", both));
                                            return a.get() + b.get();
                                        }
                                    });
                    assertEquals("ab", fiber.await());
                });
    }

    /** By reflection, for the class is a preview of the JDK. */
    @Test
    void F11_structuredTaskScopeInsideAFiberBehaves() {
        VirtualThreads.run(
                () -> {
                    Class<?> type = Class.forName("java.util.concurrent.StructuredTaskScope");
                    Method fork = type.getMethod("fork", Callable.class);
                    CountDownLatch both = new CountDownLatch(2);
                    Callable<String> a = () -> task("a", both);
                    Callable<String> b = () -> task("b", both);
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

    private static String task(String name, CountDownLatch both) {
        assertNull(Fiber.currentOrNull(), "a thread of its own is no fiber");
        assertNull(Cord.currentOrNull());
        both.countDown();
        Runs.await(both); // neither ends before the other has begun
        return name;
    }

    @Test
    void F11_threadStartedInAFiberMayAwaitAFiber() {
        VirtualThreads.run(
                () -> {
                    Fiber<String> target = Fiber.spin(() -> (String) Fiber.suspend());
                    String[] seen = new String[1];
                    Thread child = Thread.startVirtualThread(() -> seen[0] = target.await());
                    Fiber.snooze();
                    target.schedule("result");
                    child.join();
                    assertEquals("result", seen[0]);
                });
    }

    @Test
    void F3_pinnedInAClassInitialiserTheWaitIsAnError() {
        VirtualThreads.run(
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
        VirtualThreads.run(
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
    void F11_threadsOfACordEndWithIt() {
        List<Thread> threads = new ArrayList<>();
        VirtualThreads.run(
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
