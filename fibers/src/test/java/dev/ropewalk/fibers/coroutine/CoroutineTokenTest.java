package dev.ropewalk.fibers.coroutine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;

/** Rule F16: on whose behalf a coroutine runs after waits for others were left. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CoroutineTokenTest {
    private static Duration tenths(long tenths) {
        return Duration.ofMillis(100 * tenths);
    }

    /** Ends after a while. */
    private static Coroutine<String, String> ending(String name, long tenths) {
        return Coroutine.of(
                name,
                (_, _) -> {
                    Fiber.sleep(tenths(tenths));
                    return name;
                });
    }

    /** Transfers to the other one, has enough of it after a while, and ends still later. */
    private static Coroutine<String, String> impatient(
            String name, long limit, long more, Coroutine<String, String> other) {
        return Coroutine.of(
                name,
                (_, _) -> {
                    assertThrows(
                            FiberTimeoutException.class,
                            () ->
                                    CancelScope.cancelAfter(
                                            tenths(limit),
                                            () -> {
                                                other.transfer("");
                                            }));
                    Fiber.sleep(tenths(more));
                    return name;
                });
    }

    @Test
    void F16_whoLeavesATransferEndsWhereItCameFrom() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> c = ending("c", 10);
                    assertEquals("t", impatient("t", 1, 0, c).transfer(""));
                    assertEquals("c", c.await());
                });
    }

    @Test
    void F16_whoLeavesAResumeOfOneThatHasTransferredOnEndsWhereItCameFrom() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> c = ending("c", 10);
                    Coroutine<String, String> a =
                            Coroutine.of("a", (_, _) -> String.valueOf(c.transfer("")));
                    Coroutine<String, String> t =
                            Coroutine.of(
                                    "t",
                                    (_, _) -> {
                                        assertThrows(
                                                FiberTimeoutException.class,
                                                () ->
                                                        CancelScope.cancelAfter(
                                                                tenths(1), () -> a.resume("")));
                                        return "t";
                                    });
                    assertEquals("t", t.transfer(""));
                    assertEquals("c", c.await());
                });
    }

    @Test
    void F16_whoLeavesLaterTakesNothingFromWhomItCameFrom() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> d = ending("d", 10);
                    Coroutine<String, String> c = impatient("c", 2, 0, d);
                    assertEquals("t", impatient("t", 1, 3, c).transfer(""));
                    assertEquals("c", c.await());
                    assertEquals("d", d.await());
                });
    }

    @Test
    void F16_whoLeavesEarlierIsStillOvertakenByWhomItCameFrom() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> d = ending("d", 10);
                    Coroutine<String, String> c = impatient("c", 1, 5, d);
                    assertEquals("t", impatient("t", 2, 0, c).transfer(""));
                    assertEquals("c", c.await());
                    assertEquals("d", d.await());
                });
    }

    /** An end has given control back past the one that leaves. */
    @Test
    void F16_whoLeavesTakesNothingFromOneThatGotControlBack() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> c = ending("c", 1);
                    Coroutine<String, String> m = impatient("m", 3, 0, c);
                    Coroutine<String, String> d = ending("d", 10);
                    Coroutine<String, String> x =
                            Coroutine.of(
                                    "x",
                                    (me, _) -> {
                                        String first = String.valueOf(m.transfer(""));
                                        String second = String.valueOf(d.transfer(""));
                                        return me.yield(first + second);
                                    });
                    assertEquals("cd", x.resume(""));
                    assertEquals("m", m.await());
                    assertEquals("end", x.resume("end"));
                });
    }

    @Test
    void F16_whatIsTransferredToForAnotherFiberLeavesTheFirstOneItsClaims() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> d = ending("d", 10);
                    Coroutine<String, String> c = impatient("c", 5, 0, d);
                    Coroutine<String, String> t =
                            Coroutine.of("t", (_, _) -> "t " + c.transfer(""));
                    Fiber<Object> first = Fiber.spin(() -> String.valueOf(t.transfer("")));
                    Fiber.sleep(tenths(1));
                    assertEquals("t again", t.transfer("again"));
                    assertEquals("c", first.await());
                    assertEquals("d", d.await());
                });
    }
}
