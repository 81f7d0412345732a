package dev.ropewalk.fibers.lifetimes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F7: what goes wrong while children are being terminated is not lost. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CleanUpFailureTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void F7_failureOfAChildReachesAParentThatHasReturned() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException boom = new IllegalStateException("in clean-up");
                    Fiber<String> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(() -> failInCleanUp(boom));
                                        Runs.settle();
                                        return "result";
                                    });
                    Throwable failure = Runs.failureOf(parent::await);
                    assertSame(boom, Runs.cause(Runs.cause(failure)));
                });
    }

    @Test
    void F7_failureInCleanUpIsSuppressedInTheParentsOwn() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException inCleanUp = new IllegalStateException("in clean-up");
                    Exception own = new Exception("own");
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(() -> failInCleanUp(inCleanUp));
                                        Fiber.spin(() -> failInCleanUp(inCleanUp));
                                        Runs.settle();
                                        throw own;
                                    });
                    assertSame(own, Runs.cause(Runs.failureOf(parent::await)));
                    List<Throwable> all = allSuppressed(own);
                    assertEquals(2, all.size(), all::toString);
                    for (Throwable each : all) {
                        assertSame(inCleanUp, Runs.cause(each));
                    }
                });
    }

    /** Of a parent that was terminated nobody can ask the result; the failure shows there. */
    @Test
    void F7_failureInCleanUpIsSuppressedInTheParentsTermination() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException inCleanUp = new IllegalStateException("in clean-up");
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(() -> failInCleanUp(inCleanUp));
                                        Fiber.suspend();
                                    });
                    Runs.settle();
                    parent.terminate();
                    FiberTerminatedException end =
                            assertThrows(FiberTerminatedException.class, parent::await);
                    List<Throwable> all = allSuppressed(Runs.cause(end));
                    assertEquals(1, all.size(), all::toString);
                    assertSame(inCleanUp, Runs.cause(all.getFirst()));
                });
    }

    /** The call that goes on with another value throws nothing that could carry it. */
    @Test
    void F6_failureInCleanUpOfABlockThatIsLeftIsReported() {
        Reports reports = new Reports();
        IllegalStateException inCleanUp = new IllegalStateException("in clean-up");
        Runs.virtual(
                reports,
                () -> {
                    boolean done =
                            CancelScope.moveOnAfter(
                                    SECOND,
                                    () -> {
                                        try (AutoCloseable _ = () -> fail(inCleanUp)) {
                                            Fiber.sleep(SECOND.multipliedBy(2));
                                        }
                                    });
                    assertFalse(done);
                    return 0;
                });
        assertSame(inCleanUp, reports.only().failure());
    }

    /** At the very moment, so that the scope has the failure and the block is left by the limit. */
    @Test
    void F7_failureOfAMemberAsTheLimitAroundItsScopePassesIsReported() {
        for (long seed = 0; seed < 20; seed++) {
            Reports reports = new Reports();
            IllegalStateException boom = new IllegalStateException("boom");
            boolean done =
                    Cord.run(
                            CordOptions.named("virtual")
                                    .withClock(new CordOptions.VirtualClock(seed, true))
                                    .withUncaught(reports),
                            () -> CancelScope.moveOnAfter(SECOND, () -> scopeThatFails(boom)));
            assertFalse(done);
            assertSame(boom, Runs.cause(reports.only().failure()), "seed=" + seed);
        }
    }

    private static void scopeThatFails(RuntimeException failure) {
        Scope.run(
                scope ->
                        scope.spin(
                                "member",
                                () -> {
                                    Fiber.sleep(SECOND);
                                    throw failure;
                                }));
    }

    private static void fail(RuntimeException failure) {
        throw failure;
    }

    private static List<Throwable> allSuppressed(Throwable thrown) {
        List<Throwable> all = new ArrayList<>();
        for (Throwable each : thrown.getSuppressed()) {
            all.add(each);
            all.addAll(allSuppressed(each));
        }
        return all;
    }

    private static void failInCleanUp(RuntimeException thrown) {
        try {
            Fiber.suspend();
        } finally {
            throwIt(thrown);
        }
    }

    private static void throwIt(RuntimeException thrown) {
        throw thrown;
    }
}
