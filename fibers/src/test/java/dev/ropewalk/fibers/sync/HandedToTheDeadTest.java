package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What was handed to a fiber that was abandoned before it ran comes back. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class HandedToTheDeadTest {
    private static final Duration FAR = Duration.ofDays(1);

    /** The stop limit of a test cord: when it is over, who does not end is abandoned. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    /** A child that nothing can end waits; it is given to in the turn in which it is abandoned. */
    private static void abandonWhenGiven(Action take, Action give) throws Exception {
        Fiber<?> parent = untilAbandoned(take);
        give.run();
        parent.awaitEnd(Waits.FOREVER);
    }

    /** Returns in the turn before the child is abandoned. */
    private static Fiber<?> untilAbandoned(Action take) {
        TestCord.expectUncaught(FiberAbandonedException.class);
        Fiber<?> parent =
                Fiber.spin(
                        "parent",
                        () -> {
                            Fiber.spin("child", () -> CancelScope.shielded(FAR, take::run));
                            Fiber.suspend();
                        });
        Fiber.sleep(Duration.ofNanos(1));
        Fiber.spin("ender", parent::terminate);
        Fiber.sleep(STOP_LIMIT);
        return parent;
    }

    private static void run(Action body) {
        TestCord.run(1, false, body);
    }

    @ParameterizedTest
    @EnumSource
    void F5_mutexGoesToTheNext(MutexTest.Form form) {
        run(
                () -> {
                    Mutex mutex = form.make();
                    mutex.lock();
                    abandonWhenGiven(mutex::lock, mutex::unlock);
                    assertTrue(mutex.tryLock());
                    mutex.unlock();
                    mutex.checkInvariants();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_mutexOfAConditionGoesToTheNext(MutexTest.Form form) {
        run(
                () -> {
                    Mutex mutex = form.make();
                    Condition condition = mutex.newCondition();
                    abandonWhenGiven(
                            () -> mutex.run(condition::await), () -> mutex.run(condition::signal));
                    assertTrue(mutex.tryLock());
                    mutex.unlock();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_permitsComeBack(Form form) {
        run(
                () -> {
                    Semaphore semaphore = form.semaphore(3, 3);
                    semaphore.acquire(3);
                    abandonWhenGiven(() -> semaphore.acquire(2), () -> semaphore.release(3));
                    assertEquals(3, semaphore.available());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_signalsComeBack(Form form) {
        run(
                () -> {
                    Event event = form.event();
                    abandonWhenGiven(event::await, event::signal);
                    assertTrue(event.isSignalled());
                    event.clear();
                    Event other = form.event();
                    abandonWhenGiven(() -> Event.awaitAny(List.of(other, event)), event::signal);
                    assertTrue(event.isSignalled());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_runOfABlockGoesToTheNext(Form form) {
        run(
                () -> {
                    List<Fiber<?>> parent = new ArrayList<>();
                    List<Once<String>> self = new ArrayList<>();
                    Once<String> once =
                            form.once(
                                    () -> {
                                        if (parent.isEmpty()) {
                                            parent.add(untilAbandoned(self.getFirst()::get));
                                            throw new AssertionError("passes the run on");
                                        }
                                        return "result";
                                    });
                    self.add(once);
                    assertThrows(AssertionError.class, once::get);
                    parent.getFirst().awaitEnd(Waits.FOREVER);
                    assertEquals("result", once.get());
                });
    }
}
