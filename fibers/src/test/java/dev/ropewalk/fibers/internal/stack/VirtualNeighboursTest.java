package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.blocking.ProcessOutput;
import dev.ropewalk.fibers.blocking.Processes;
import dev.ropewalk.fibers.testkit.JdkSleep;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.VirtualThreads;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/** Rules F11 and F12: what virtual threads and interrupts do beside the fibers of such a cord. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class VirtualNeighboursTest {
    @Test
    void F12_blockingCodeRunsBesideTheCordHereToo() {
        VirtualThreads.run(
                () -> {
                    boolean[] stop = new boolean[1];
                    VarHandle.releaseFence();
                    Fiber<Boolean> busy =
                            Fiber.spin(
                                    () ->
                                            Blocking.call(
                                                    () -> {
                                                        while (!stop[0]) {
                                                            VarHandle.fullFence();
                                                            Thread.onSpinWait();
                                                        }
                                                        return true;
                                                    }));
                    Fiber.sleep(Duration.ofMillis(5));
                    assertEquals(FiberState.WAITING, busy.state());
                    stop[0] = true;
                    VarHandle.fullFence();
                    assertTrue(busy.await());
                });
    }

    @Test
    void F12_bothPipesOfAProcessAreReadHereToo() {
        VirtualThreads.run(
                () -> {
                    ProcessBuilder builder =
                            new ProcessBuilder(
                                    "/bin/sh", "-c", "head -c 200000 /dev/zero >&2; echo x");
                    ProcessOutput output = Processes.output(builder, 1_000);
                    assertEquals(0, output.exitCode());
                });
    }

    @Test
    void F11_threadStartedInAFiberOutlivesTheCord() throws InterruptedException {
        Thread[] child = new Thread[1];
        CountDownLatch goOn = new CountDownLatch(1);
        VirtualThreads.run(
                () -> {
                    child[0] = Thread.startVirtualThread(() -> awaitQuietly(goOn));
                    Fiber.sleep(Duration.ofMillis(1));
                });
        goOn.countDown();
        assertTrue(child[0].join(Duration.ofSeconds(20)));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What is told of an end may block, and the cord waits for it. */
    @Test
    void F7_cordDoesNotEndWhileAnEndIsBeingTold() {
        List<CompletableFuture<String>> futures = new ArrayList<>();
        Cord.run(
                VirtualThreads.options(new Reports()),
                () -> {
                    Fiber<?> root = Fiber.current();
                    root.onEnd(fiber -> JdkSleep.block(Duration.ofMillis(5)));
                    futures.add(root.toFuture().handle((result, failure) -> "told"));
                    return "result";
                });
        assertEquals("told", Futures.await(futures.getFirst()));
    }

    @Test
    void F11_terminatedSocketReaderIsTerminatedAndFailsNobody() {
        VirtualThreads.run(
                () -> {
                    try (ServerSocket server =
                            new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                        Fiber<?> reader = Fiber.spin(() -> server.accept());
                        VirtualThreads.untilForeign(reader);
                        reader.terminate();
                        assertThrows(FiberTerminatedException.class, reader::await);
                    }
                    try (ServerSocket server =
                            new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                        assertThrows(
                                FiberTimeoutException.class,
                                () ->
                                        CancelScope.cancelAfter(
                                                Duration.ofMillis(5), () -> server.accept()));
                    }
                });
    }

    @Test
    void F6_limitThatPassedLeavesNoInterruptBehind() {
        VirtualThreads.run(
                () -> {
                    ReentrantLock lock = new ReentrantLock();
                    Fiber<?> holder =
                            Fiber.spin(
                                    () -> {
                                        lock.lock();
                                        try {
                                            Fiber.sleep(Duration.ofMillis(10));
                                        } finally {
                                            lock.unlock();
                                        }
                                    });
                    Fiber<?> waiter =
                            Fiber.spin(
                                    () -> {
                                        CancelScope.moveOnAfter(
                                                Duration.ofMillis(1), () -> lockOnce(lock));
                                        assertFalse(Thread.currentThread().isInterrupted());
                                    });
                    holder.await();
                    waiter.await();
                });
    }

    private static void lockOnce(ReentrantLock lock) {
        lock.lock();
        try {
            assertTrue(lock.isHeldByCurrentThread());
        } finally {
            lock.unlock();
        }
    }

    @Test
    void F11_nextFiberOfAWorkerFindsNoInheritableThreadLocal() {
        VirtualThreads.run(
                () -> {
                    InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
                    Fiber<?> first = Fiber.spin(() -> local.set("first"));
                    first.await();
                    assertNull(Fiber.spin(() -> local.get()).await());
                });
    }
}
