package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.testkit.VirtualThreads;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Rule F11: on virtual threads, whatever blocks in the JDK suspends the fiber only. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class VirtualThreadTest {
    @Test
    void F11_fibersRunOnVirtualThreadsOfTheCord() {
        VirtualThreads.run(
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
        VirtualThreads.run(
                () -> {
                    Fiber<Thread> first = Fiber.spin(Thread::currentThread);
                    Fiber<Thread> second = Fiber.spin(Thread::currentThread);
                    assertSame(first.await(), second.await());
                });
    }

    @Test
    void F11_parkedByTheJdkTheFiberWaitsAndTheOthersRun() {
        VirtualThreads.run(
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
                    VirtualThreads.untilForeign(parked);
                    assertEquals(FiberState.WAITING, parked.state());
                    assertFalse(parked.schedule("no"), "a call of the JDK is no suspend");
                    goOn[0] = true;
                    LockSupport.unpark(thread[0]);
                    assertEquals("done", parked.await());
                });
    }

    @Test
    void F11_lockHeldByASuspendedFiberExcludesTheOther() {
        VirtualThreads.run(
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
                    VirtualThreads.untilForeign(other);
                    holder.schedule("go on");
                    other.await();
                    assertEquals(List.of("holder in", "holder out", "other in"), log);
                });
    }

    @Test
    void F11_monitorHeldByASuspendedFiberExcludesTheOther() {
        VirtualThreads.run(
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
                    VirtualThreads.untilForeign(other);
                    holder.schedule("go on");
                    other.await();
                    assertEquals(List.of("holder in", "holder out", "other in"), log);
                });
    }

    @Test
    void F11_socketReadOfTheJdkSuspendsTheFiberOnly() {
        VirtualThreads.run(
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
                        VirtualThreads.untilForeign(reader);
                        try (Socket client =
                                new Socket(
                                        InetAddress.getLoopbackAddress(), server.getLocalPort())) {
                            VirtualThreads.untilForeign(reader);
                            client.getOutputStream().write(42);
                            assertEquals(42, reader.await());
                        }
                    }
                });
    }

    @Test
    void F11_timedWaitOfTheJdkEndsInTime() {
        VirtualThreads.run(
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
    @SuppressWarnings("ThreadPriorityCheck") // its subject
    void F11_yieldOfTheJdkGivesWay() {
        VirtualThreads.run(
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
}
