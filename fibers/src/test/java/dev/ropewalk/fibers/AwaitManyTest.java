package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F7: awaiting several, on-end hooks, and finding fibers. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class AwaitManyTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMillis(300);
    private static final Duration FAR = Duration.ofDays(1);

    private static Fiber<String> spin(Duration time, String value) {
        return Fiber.spin(
                value,
                () -> {
                    Fiber.sleep(time);
                    return value;
                });
    }

    private static Fiber<String> failing(Duration time, String message) {
        return Fiber.spin(
                message,
                () -> {
                    Fiber.sleep(time);
                    throw new IllegalStateException(message);
                });
    }

    @Test
    void F7_awaitAllReturnsTheResultsInTheOrderOfTheList() {
        Runs.cleanly(
                () -> {
                    Fiber<String> dead = spin(Duration.ZERO, "dead");
                    dead.await();
                    List<Fiber<String>> fibers = List.of(spin(LONG, "a"), dead, spin(SHORT, "b"));
                    assertEquals(List.of("a", "dead", "b"), Fiber.awaitAll(fibers));
                    assertEquals(List.of("a", "dead", "b"), Fiber.awaitAll(fibers));
                    assertEquals(List.of(), Fiber.awaitAll(List.<Fiber<String>>of()));
                });
    }

    @Test
    void F7_awaitAllThrowsTheFirstFailureAtOnceAndLeavesTheOthersAlone() {
        Runs.cleanly(
                () -> {
                    Fiber<String> slow = spin(LONG, "slow");
                    long before = Cord.current().nanoTime();
                    Throwable thrown =
                            Runs.failureOf(
                                    () -> Fiber.awaitAll(List.of(slow, failing(SHORT, "bad"))));
                    assertEquals("bad", Runs.cause(thrown).getMessage());
                    assertEquals(SHORT.toNanos(), Cord.current().nanoTime() - before);
                    assertEquals("slow", slow.await());
                });
    }

    /** What comes after the one failure that was taken is nobody's, so it is the parent's. */
    @Test
    void F7_secondFailureAfterAwaitAllCancelsTheParent() {
        Runs.cleanly(
                () -> {
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber<?> a = failing(SHORT, "a");
                                        Fiber<?> b = failing(LONG, "b");
                                        Runs.failureOf(() -> Fiber.awaitAll(List.of(a, b)));
                                        Fiber.sleep(FAR);
                                    });
                    Throwable thrown = Runs.failureOf(parent::await);
                    assertEquals("b", Runs.cause(Runs.cause(thrown)).getMessage());
                });
    }

    @Test
    void F7_awaitAnyReturnsTheFirstToEndAndLeavesTheOthersAlone() {
        Runs.cleanly(
                () -> {
                    Fiber<String> slow = spin(LONG, "slow");
                    Fiber<String> quick = spin(SHORT, "quick");
                    assertSame(quick, Fiber.awaitAny(List.of(slow, quick)));
                    assertEquals(FiberState.WAITING, slow.state());
                    assertSame(quick, Fiber.awaitAny(List.of(slow, quick)), "also when dead");
                    assertEquals("slow", slow.await());
                });
    }

    @Test
    void F7_failureOfTheFirstToEndIsTheCallers() {
        Runs.cleanly(
                () -> {
                    Fiber<String> slow = spin(LONG, "slow");
                    Fiber<String> bad = failing(SHORT, "bad");
                    assertSame(bad, Fiber.awaitAny(List.of(slow, bad)));
                    Fiber.snooze();
                    assertThrows(FiberFailedException.class, bad::await);
                    assertEquals("slow", slow.await());
                });
    }

    @Test
    void F6_cancelledAwaitOfManyLeavesNoTrace() {
        Runs.cleanly(
                () -> {
                    List<Fiber<String>> fibers = List.of(spin(LONG, "a"), spin(LONG, "b"));
                    assertFalse(CancelScope.moveOnAfter(SHORT, () -> Fiber.awaitAll(fibers)));
                    assertFalse(CancelScope.moveOnAfter(SHORT, () -> Fiber.awaitAny(fibers)));
                    assertEquals(List.of("a", "b"), Fiber.awaitAll(fibers));
                });
    }

    @Test
    void F7_awaitManyAcrossCordsAndFromThreads() {
        Reports reports = new Reports();
        Cord cord = Runs.started("other", reports);
        Fiber<String> a = cord.spin("a", () -> "a");
        Fiber<String> b = cord.spin("b", () -> (String) Fiber.suspend());
        assertSame(a, Fiber.awaitAny(List.of(b, a)));
        Runs.until(() -> b.state() == FiberState.WAITING); // one that has not begun takes no value
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    assertSame(a, Fiber.awaitAny(List.of(b, a)));
                    b.schedule("b");
                    assertEquals(List.of("a", "b"), Fiber.awaitAll(List.of(a, b)));
                });
        assertEquals(List.of("a", "b"), Fiber.awaitAll(List.of(a, b)));
        Runs.checkAndClose(cord);
        reports.assertNone();
    }

    /** The news of a child's failure may be there before its parent begins to await it. */
    @Test
    void F7_failureOfAChildOnAnotherCordIsTakenByAwaitAllOnce() {
        Reports reports = new Reports();
        Cord cord = Runs.started("other", reports);
        Runs.real(
                reports,
                () -> {
                    for (int i = 0; i < 200; i++) {
                        Fiber<String> bad =
                                cord.spin(
                                        "bad",
                                        () -> {
                                            throw new IllegalStateException("bad");
                                        });
                        Throwable thrown = Runs.failureOf(() -> Fiber.awaitAll(List.of(bad)));
                        assertEquals("bad", Runs.cause(thrown).getMessage());
                    }
                });
        Runs.checkAndClose(cord);
        reports.assertNone();
    }

    @Test
    void misuse_awaitingOneselfAmongMany() {
        Runs.cleanly(
                () -> {
                    Fiber<?> me = Fiber.current();
                    assertThrows(DeadlockException.class, () -> Fiber.awaitAll(List.of(me)));
                    assertThrows(DeadlockException.class, () -> Fiber.awaitAny(List.of(me)));
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> Fiber.awaitAny(List.<Fiber<?>>of()));
                });
    }

    // ---------------------------------------------------------------- on-end hooks

    @Test
    void F7_onEndHookIsCalledOnceHoweverTheFiberEnds() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<String> returning = spin(SHORT, "returning");
                    Fiber<?> terminated = spin(FAR, "terminated");
                    returning.onEnd(fiber -> log.add(fiber.name() + " " + fiber.failure()));
                    terminated.onEnd(fiber -> log.add(fiber.name() + " " + fiber.state()));
                    returning.await();
                    terminated.terminate();
                    terminated.awaitEnd(FAR);
                    assertEquals(List.of("returning null", "terminated DEAD"), log);
                });
    }

    /** Where Polyphony's monitor of a dead fiber tells nothing. */
    @Test
    void F7_onEndOfTheDeadIsCalledAtOnce() {
        Runs.cleanly(
                () -> {
                    Fiber<String> dead = spin(Duration.ZERO, "dead");
                    dead.await();
                    List<Fiber<?>> log = new ArrayList<>();
                    dead.onEnd(log::add);
                    assertEquals(List.of(dead), log);
                });
    }

    @Test
    void F7_cancelledMonitorIsNotCalled() {
        Runs.cleanly(
                () -> {
                    List<Fiber<?>> log = new ArrayList<>();
                    Fiber<String> fiber = spin(SHORT, "a");
                    EndHook first = fiber.onEnd(log::add);
                    EndHook second = fiber.onEnd(log::add);
                    assertSame(fiber, first.fiber());
                    first.cancel();
                    fiber.await();
                    assertEquals(List.of(fiber), log);
                    second.cancel();
                });
    }

    @Test
    void F7_hookMayCancelOthersAndAddMoreWhileItIsCalled() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<String> fiber = spin(SHORT, "a");
                    List<EndHook> monitors = new ArrayList<>();
                    fiber.onEnd(
                            ended -> {
                                log.add("first");
                                monitors.forEach(EndHook::cancel);
                                ended.onEnd(again -> log.add("added"));
                            });
                    monitors.add(fiber.onEnd(ended -> log.add("second")));
                    fiber.await();
                    // It was told already; to cancel from a hook of the same end is too late.
                    assertEquals(List.of("first", "added", "second"), log);
                });
    }

    @Test
    void F7_hookThatThrowsIsReportedAndHarmsNobody() {
        Reports reports = new Reports();
        Runs.virtual(
                reports,
                () -> {
                    Fiber<String> fiber = spin(SHORT, "a");
                    List<Fiber<?>> log = new ArrayList<>();
                    fiber.onEnd(
                            ended -> {
                                throw new IllegalStateException("hook");
                            });
                    fiber.onEnd(log::add);
                    assertEquals("a", fiber.await());
                    assertEquals(List.of(fiber), log);
                    return null;
                });
        assertEquals("hook", reports.only().failure().getMessage());
    }

    @Test
    void F7_hookCannotWaitForItRunsAsNoFiber() {
        Runs.cleanly(
                () -> {
                    Throwable[] thrown = new Throwable[1];
                    Fiber<String> fiber = spin(SHORT, "a");
                    fiber.onEnd(ended -> thrown[0] = Runs.failureOf(Fiber::snooze));
                    fiber.await();
                    assertTrue(thrown[0] instanceof IllegalStateException, "" + thrown[0]);
                });
    }

    @Test
    void F7_hookDoesNotTakeTheFailure() {
        Runs.cleanly(
                () -> {
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        failing(SHORT, "bad").onEnd(fiber -> {});
                                        Fiber.sleep(FAR);
                                    });
                    assertThrows(FiberFailedException.class, parent::await);
                });
    }

    // ---------------------------------------------------------------- finding

    @Test
    void F7_livingFibersAreFoundByTheirNumbers() {
        Runs.cleanly(
                () -> {
                    Cord cord = Cord.current();
                    List<Fiber<?>> grandchild = new ArrayList<>();
                    Fiber<?> child =
                            Fiber.spin(
                                    () -> {
                                        grandchild.add(spin(FAR, "deep"));
                                        Fiber.sleep(SHORT);
                                    });
                    Runs.settle();
                    assertSame(child, cord.find(child.id()));
                    assertSame(grandchild.getFirst(), cord.find(grandchild.getFirst().id()));
                    assertSame(Fiber.current(), cord.find(Fiber.current().id()));
                    child.await();
                    assertNull(cord.find(child.id()));
                    assertNull(cord.find(-1));
                });
    }

    @Test
    void F7_lineageNamesTheAncestors() {
        Runs.inAnyOrder(
                () ->
                        Fiber.spin(
                                        "parent",
                                        () -> {
                                            Fiber<?> child = Fiber.spin("child", () -> {});
                                            assertEquals(
                                                    "fiber child on cord test < parent < root",
                                                    child.lineage());
                                        })
                                .await());
    }

    // ---------------------------------------------------------------- failures that are held back

    /** The child fails in the turn in which its awaiter is raised into: the await has both. */
    @Test
    void F7_failureOfAChildWhoseAwaiterWasRaisedIntoIsTheAwaiters() {
        Runs.fifo(
                () -> {
                    List<Fiber<?>> child = new ArrayList<>();
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        child.add(
                                                Fiber.spin(
                                                        "child",
                                                        () -> {
                                                            Fiber.suspend();
                                                            throw new IllegalStateException("bad");
                                                        }));
                                        Throwable thrown = Runs.failureOf(child.getFirst()::await);
                                        assertEquals("bad", Runs.cause(thrown).getMessage());
                                        Fiber.sleep(FAR);
                                    });
                    Runs.settle();
                    child.getFirst().schedule(null);
                    parent.raise(new IllegalArgumentException("own"));
                    Throwable thrown = Runs.failureOf(parent::await);
                    assertEquals("own", Runs.cause(thrown).getMessage());
                });
    }

    @Test
    void F7_failureOfAMemberWhoseAwaiterWasRaisedIntoIsTheAwaiters() {
        Runs.fifo(
                () -> {
                    List<Fiber<?>> child = new ArrayList<>();
                    Fiber<?> owner =
                            Fiber.spin(
                                    () ->
                                            Scope.run(
                                                    scope -> {
                                                        child.add(
                                                                scope.spin(
                                                                        "child",
                                                                        () -> {
                                                                            Fiber.suspend();
                                                                            bad();
                                                                        }));
                                                        Runs.failureOf(child.getFirst()::await);
                                                        Fiber.sleep(FAR);
                                                    }));
                    Runs.settle();
                    child.getFirst().schedule(null);
                    owner.raise(new IllegalArgumentException("own"));
                    Throwable thrown = Runs.failureOf(owner::await);
                    assertEquals("own", Runs.cause(thrown).getMessage());
                });
    }

    private static void bad() {
        throw new IllegalStateException("bad");
    }

    @Test
    void F7_failureThatWasTakenIsNotRaisedAgainByAnAwaitOfMany() {
        Reports reports = new Reports();
        Cord other = Runs.started("other", reports);
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    Fiber<?> bad = other.spin("bad", AwaitManyTest::bad);
                    Runs.failureOf(bad::await);
                    Fiber.sleep(Duration.ofMillis(5));
                    assertThrows(
                            DeadlockException.class,
                            () -> Fiber.awaitAll(List.of(bad, Fiber.current())));
                    Fiber.sleep(Duration.ofMillis(1));
                });
        Runs.checkAndClose(other);
        reports.assertNone();
    }
}
