package dev.ropewalk.fibers.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.internal.cord.FiberLoop;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rules F2 and F6: the short way of a call is closed wherever a switchpoint would do something. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ShortWayTest {
    private static ShortWay here() {
        return Objects.requireNonNull(Exclusion.byCord("nothing").shortWay());
    }

    @Test
    void C1_anObjectOfAnyCordHasNone() {
        assertNull(Exclusion.byLock().shortWay());
    }

    @Test
    void C1_aCordHasOne() {
        Runs.inAnyOrder(() -> assertSame(here(), here()));
    }

    @Test
    void F1_otherThreadsDoNotGoIt() throws Exception {
        ShortWay[] made = new ShortWay[1];
        try (Cord cord = Cord.start("other")) {
            cord.spin(
                            "maker",
                            () -> {
                                made[0] = here();
                                boolean isOpen = made[0].isOpen();
                                // A mark of the ticker closes it until the next switch.
                                for (int i = 0; i < 1_000 && !isOpen; i++) {
                                    Fiber.snooze();
                                    isOpen = made[0].isOpen();
                                }
                                assertTrue(isOpen);
                            })
                    .await();
            assertFalse(made[0].isOpen());
            Cord.run(() -> assertFalse(made[0].isOpen()));
        }
        assertFalse(made[0].isOpen());
    }

    @Test
    void F6_aFiberThatIsToEndDoesNotGoIt() {
        Runs.inAnyOrder(
                () -> {
                    ShortWay way = here();
                    List<Boolean> open = new ArrayList<>();
                    Fiber<?> ended =
                            Fiber.spin(
                                    () -> {
                                        open.add(way.isOpen());
                                        Fiber.current().terminate(); // by itself, while it runs
                                        open.add(way.isOpen());
                                        Waits.switchpoint();
                                    });
                    assertThrows(FiberTerminatedException.class, ended::await);
                    assertEquals(List.of(true, false), open);
                    assertTrue(way.isOpen(), "for the others it is open again");
                });
    }

    /** It was raised into while it waited, or before it began, and finds out when it runs. */
    @Test
    void F6_aFiberThatWasToldWhileOthersRanDoesNotGoIt() {
        Runs.inAnyOrder(
                () -> {
                    ShortWay way = here();
                    List<Boolean> open = new ArrayList<>();
                    boolean[] waits = new boolean[1];
                    Fiber<?> shielded =
                            Fiber.spin(
                                    () ->
                                            CancelScope.shielded(
                                                    Duration.ofDays(1),
                                                    () -> {
                                                        waits[0] = true;
                                                        Fiber.suspend();
                                                        open.add(way.isOpen());
                                                        Fiber.snooze();
                                                        open.add(way.isOpen());
                                                    }));
                    Fiber<?> other = Fiber.spin(() -> open.add(way.isOpen()));
                    other.await();
                    while (!waits[0]) {
                        Fiber.snooze();
                    }
                    shielded.terminate();
                    shielded.schedule(null);
                    shielded.awaitEnd(Waits.FOREVER);
                    assertEquals(List.of(true, false, false), open);
                });
    }

    @Test
    void F6_aScopeWhoseLimitIsOverClosesItAndOpensItAtItsEnd() {
        TestCord.run(
                () -> {
                    ShortWay way = here();
                    List<Boolean> open = new ArrayList<>();
                    boolean isDone =
                            CancelScope.moveOnAfter(
                                    Duration.ofMillis(1),
                                    () -> {
                                        open.add(way.isOpen());
                                        CancelScope.shielded(
                                                Duration.ofDays(1),
                                                () -> Fiber.sleep(Duration.ofMillis(2)));
                                        open.add(way.isOpen());
                                        Waits.switchpoint();
                                    });
                    open.add(way.isOpen());
                    assertFalse(isDone);
                    assertEquals(List.of(true, false, true), open);
                });
    }

    /**
     * On a real clock one flag of the loop says all. Whether it is closed too often is not looked
     * at: the ticker may come at any time.
     */
    @Test
    void F6_inRealTimeTooItIsClosedToEachFiberThatIsToEnd() {
        Cord.run(
                () -> {
                    ShortWay way = here();
                    List<Boolean> open = new ArrayList<>();
                    for (int i = 0; i < 1_000; i++) {
                        List<Fiber<?>> ended = new ArrayList<>();
                        ended.add(Fiber.spin(() -> endsItself(way, open)));
                        ended.add(Fiber.spin(() -> isToldShielded(way, open)));
                        Fiber.snooze();
                        ended.forEach(Fiber::terminate);
                        Fiber.snooze(); // others run between, and the flag is theirs
                        for (Fiber<?> each : ended) {
                            each.awaitEnd(Waits.FOREVER);
                        }
                    }
                    assertEquals(3_000, open.size());
                    assertFalse(open.contains(true));
                });
    }

    private static void endsItself(ShortWay way, List<Boolean> open) {
        Fiber.current().terminate();
        open.add(way.isOpen());
        Waits.switchpoint();
    }

    private static void isToldShielded(ShortWay way, List<Boolean> open) {
        CancelScope.shielded(
                Duration.ofDays(1),
                () -> {
                    Fiber.snooze();
                    open.add(way.isOpen()); // told while it was in the run queue
                    for (int i = 0; i < 2 * FiberLoop.POLL_INTERVAL; i++) {
                        Fiber.snooze(); // alone, or not: a poll comes, and clears what it may
                    }
                    open.add(way.isOpen());
                });
    }

    /** The initialiser of a class pins its stack. */
    private static final class Pinned {
        private static final boolean WAS_OPEN;

        static {
            Fiber.current().raise(new IllegalStateException("due"));
            for (int i = 0; i < 2 * FiberLoop.POLL_INTERVAL; i++) {
                Fiber.snooze();
            }
            WAS_OPEN = here().isOpen();
        }
    }

    /** A pinned fiber does not leave its stack for a poll, which clears what it may. */
    @Test
    void F6_aPollBesideAPinnedFiberDoesNotOpenIt() {
        Cord.run(
                () -> {
                    boolean isOpen =
                            CancelScope.shielded(Duration.ofDays(1), () -> Pinned.WAS_OPEN);
                    assertFalse(isOpen);
                    assertThrows(IllegalStateException.class, Waits::switchpoint);
                });
    }

    /** The same with late unmount, where a fiber that cannot leave its stack polls on it. */
    private static final class PinnedLate {
        private static final boolean WAS_OPEN;

        static {
            ShortWay way = here();
            Fiber.current().raise(new IllegalStateException("due"));
            boolean wasOpen = false;
            long endNs = Cord.current().nanoTime() + Duration.ofMillis(20).toNanos();
            while (Cord.current().nanoTime() < endNs) {
                try {
                    Fiber.suspend();
                } catch (StackPinnedException pinned) {
                    wasOpen |= way.isOpen();
                }
            }
            WAS_OPEN = wasOpen;
        }
    }

    @Test
    void F6_aLateStackThatCannotBeLeftDoesNotOpenIt() {
        CordOptions late = CordOptions.named("late").withLateUnmount(true);
        Cord.run(
                late,
                () -> {
                    boolean isOpen =
                            CancelScope.shielded(Duration.ofDays(1), () -> PinnedLate.WAS_OPEN);
                    assertFalse(isOpen);
                    assertThrows(IllegalStateException.class, Waits::switchpoint);
                });
    }

    /** A handler that is told, and given a value, while the flag of the loop is another's. */
    @Test
    void F6_aHandlerThatIsToEndDoesNotGoIt() {
        Cord.run(
                () -> {
                    ShortWay way = here();
                    List<Boolean> open = new ArrayList<>();
                    Handler handler =
                            value -> value == Handler.START ? Handler.WAIT : seen(way, open);
                    for (int i = 0; i < 1_000; i++) {
                        Fiber<?> ended = Cord.current().spinHandler("handler", handler);
                        Fiber.snooze();
                        Waits.resumeHandler(ended, "turn");
                        ended.terminate();
                        ended.awaitEnd(Waits.FOREVER); // now and then a poll comes in between
                    }
                    assertEquals(1_000, open.size());
                    assertFalse(open.contains(true));
                });
    }

    private static Object seen(ShortWay way, List<Boolean> open) {
        open.add(way.isOpen());
        return Handler.WAIT;
    }

    /** On a virtual clock no ticker ends a turn, so the calls are counted: rule F2. */
    @Test
    void F2_aTurnOfCallsEnds() {
        TestCord.run(
                1,
                false,
                () -> {
                    ShortWay way = here();
                    Waits.yieldTurn();
                    int open = 0;
                    while (way.isOpen()) {
                        open++;
                    }
                    assertTrue(open > 1 && open < FiberLoop.POLL_INTERVAL, "open=" + open);
                    boolean[] ran = new boolean[1];
                    Fiber<?> other = Fiber.spin(() -> ran[0] = true);
                    Waits.switchpoint(); // the one that was left for the long way
                    assertTrue(ran[0]);
                    assertTrue(way.isOpen());
                    other.await();
                });
    }

    /** In real time the ticker closes it, and a poll opens it again. */
    @Test
    void F2_theTickerClosesIt() {
        Cord.run(
                () -> {
                    ShortWay way = here();
                    int closed = 0;
                    while (closed < 3) {
                        if (!way.isOpen()) {
                            closed++;
                            Waits.switchpoint();
                        }
                    }
                    assertEquals(3, closed);
                });
    }
}
