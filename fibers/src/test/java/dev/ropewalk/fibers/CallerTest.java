package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Rule F3: who may become a cord, and what {@code Cord.run} gives back. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CallerTest {
    @Test
    void F3_callerThatHoldsAMonitorIsRefused() {
        Object monitor = new Object();
        IllegalStateException thrown;
        synchronized (monitor) {
            thrown = assertThrows(IllegalStateException.class, () -> Cord.run(() -> {}));
        }
        assertTrue(String.valueOf(thrown.getMessage()).contains("monitor"), thrown::toString);
        assertNull(Cord.currentOrNull());
        assertEquals("fine", Cord.run(() -> "fine"));
    }

    @Test
    void F3_callerThatHoldsALockIsNot() {
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        try {
            assertEquals("fine", Cord.run(() -> "fine"));
        } finally {
            lock.unlock();
        }
    }

    @Test
    void F3_virtualThreadIsRefused() throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        Thread.ofVirtual().start(() -> thrown.add(Runs.failureOf(() -> Cord.run(() -> {})))).join();
        assertEquals(1, thrown.size());
        assertTrue(thrown.getFirst() instanceof IllegalStateException, thrown::toString);
        assertTrue(String.valueOf(thrown.getFirst().getMessage()).contains("virtual"));
    }

    @Test
    void F3_nestedRunIsRefusedAndTheFiberGoesOn() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException thrown =
                            assertThrows(IllegalStateException.class, () -> Cord.run(() -> {}));
                    assertTrue(String.valueOf(thrown.getMessage()).contains("spin"));
                    Fiber.snooze();
                    assertEquals("alive", Fiber.spin(() -> "alive").await());
                });
    }

    @Test
    void F3_runGivesTheBodysResultAndLeavesNoCordBehind() {
        assertEquals("result", Cord.run(() -> "result"));
        assertNull(Cord.<Object>run(() -> null));
        assertNull(Cord.currentOrNull());
        assertNull(Fiber.currentOrNull());
    }

    /** A lambda, a block that only throws, and a method: javac finds which form is meant. */
    @Test
    void F3_runWithOptionsTakesABodyWithoutAResult() {
        CordOptions options = CordOptions.named("optional");
        List<String> log = new ArrayList<>();
        Cord.run(
                options,
                () -> {
                    log.add(Cord.current().name());
                    Fiber.sleep(Duration.ofNanos(1));
                });
        Cord.run(options, log::clear);
        assertEquals(List.of(), log);
        assertEquals("result", Cord.run(options, () -> "result"));
        Action method = () -> log.add(Cord.current().name());
        Cord.run(options, method);
        assertEquals(List.of("optional"), log);
        Exception checked = new Exception("checked");
        FiberFailedException thrown =
                assertThrows(
                        FiberFailedException.class,
                        () ->
                                Cord.run(
                                        options,
                                        () -> {
                                            throw checked;
                                        }));
        assertSame(checked, Runs.cause(thrown));
        assertNull(Cord.currentOrNull());
    }

    @Test
    void F7_runThrowsWhatTheBodyThrewWithItsCause() {
        Exception checked = new Exception("checked");
        FiberFailedException thrown =
                assertThrows(
                        FiberFailedException.class,
                        () ->
                                Cord.run(
                                        () -> {
                                            throw checked;
                                        }));
        assertSame(checked, Runs.cause(thrown));
        assertNull(Cord.currentOrNull());
        assertEquals("again", Cord.run(() -> "again"));
    }

    @Test
    void F8_callsThatNeedAFiberSayHowToGetOne() {
        for (Action call :
                List.<Action>of(
                        Fiber::current,
                        Fiber::suspend,
                        Fiber::snooze,
                        () -> Fiber.sleep(Duration.ofMillis(1)),
                        () -> Fiber.spin(() -> {}),
                        Waits::nextNumber,
                        () -> Waits.park("nothing"),
                        Cord::current)) {
            Throwable thrown = Runs.failureOf(call);
            assertTrue(thrown instanceof IllegalStateException, thrown::toString);
            assertTrue(String.valueOf(thrown.getMessage()).contains("Cord.run"), thrown::toString);
        }
    }
}
