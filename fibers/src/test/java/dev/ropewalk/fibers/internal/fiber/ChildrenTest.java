package dev.ropewalk.fibers.internal.fiber;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.RaiseTest.Switchpoint;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F7: structured lifetimes. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ChildrenTest {
    /** Suspends, and logs its end. */
    private static void logEnd(List<String> log, String name) {
        try {
            Fiber.suspend();
        } finally {
            log.add(name);
        }
    }

    @Test
    void F7_childrenEndBeforeTheirParentHoweverItEnds() {
        List<Action> endings =
                List.of(
                        () -> {},
                        () -> {
                            throw new IllegalStateException("failed");
                        },
                        () -> Fiber.current().terminate());
        for (Action ending : endings) {
            Runs.inAnyOrder(
                    () -> {
                        List<String> log = new ArrayList<>();
                        List<Fiber<?>> children = new ArrayList<>();
                        Fiber<?> parent =
                                Fiber.spin(
                                        () -> {
                                            for (int i = 0; i < 3; i++) {
                                                children.add(
                                                        Fiber.spin(() -> logEnd(log, "child")));
                                            }
                                            Runs.settle();
                                            ending.run();
                                        });
                        Fiber<?> awaiter =
                                Fiber.spin(
                                        () -> {
                                            try {
                                                parent.await();
                                            } catch (FiberFailedException expected) {
                                                log.add("failed");
                                            }
                                            log.add("parent");
                                        });
                        awaiter.await();
                        log.remove("failed");
                        assertEquals(List.of("child", "child", "child", "parent"), log);
                        assertTrue(parent.children().isEmpty());
                        for (Fiber<?> child : children) {
                            assertEquals(FiberState.DEAD, child.state());
                            assertThrows(FiberTerminatedException.class, child::await);
                        }
                    });
        }
    }

    /** Bodies are left from the top, for a parent's end is what ends its children. */
    @Test
    void F7_grandchildrenEndBeforeChildren() {
        Runs.inAnyOrder(
                () -> {
                    List<String> left = new ArrayList<>();
                    List<String> ended = new ArrayList<>();
                    Fiber<?> top = spinLevels(3, left, ended);
                    Runs.settle();
                    top.terminate();
                    assertThrows(FiberTerminatedException.class, top::await);
                    Runs.settle();
                    assertEquals(List.of("level3", "level2", "level1"), left);
                    assertEquals(List.of("level1", "level2", "level3"), ended);
                });
    }

    private static Fiber<?> spinLevels(int level, List<String> left, List<String> ended) {
        String name = "level" + level;
        Fiber<?> fiber =
                Fiber.spin(
                        name,
                        () -> {
                            if (level > 1) {
                                spinLevels(level - 1, left, ended);
                            }
                            logEnd(left, name);
                        });
        fiber.onEnd(each -> ended.add(name));
        return fiber;
    }

    @Test
    void F7_livingChildrenAreListedInTheirOrder() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> me = Fiber.current();
                    assertEquals(List.of(), me.children());
                    Fiber<?> first = Fiber.spin(() -> Fiber.suspend());
                    Fiber<?> dead = Fiber.spin(() -> {});
                    Fiber<?> last = Fiber.spin(() -> Fiber.suspend());
                    List<Fiber<?>> before = me.children();
                    assertEquals(List.of(first, dead, last), before);
                    dead.await();
                    assertEquals(List.of(first, last), me.children());
                    assertEquals(3, before.size(), "it is a snapshot");
                    first.attachTo(last);
                    assertEquals(List.of(last), me.children());
                    assertEquals(List.of(first), last.children());
                    last.terminate();
                    last.awaitEnd(Waits.FOREVER);
                    assertEquals(List.of(), last.children());
                });
    }

    @Test
    void misuse_childrenOfAFiberOfAnotherCord() {
        Reports reports = new Reports();
        try (Cord cord = Runs.started("other", reports)) {
            Throwable thrown = Runs.failureOf(() -> CordImpl.of(cord).root().children());
            assertTrue(thrown instanceof WrongThreadException, thrown::toString);
            assertTrue(thrown.toString().contains("children on fiber root"), thrown::toString);
        }
        reports.assertNone();
    }

    @ParameterizedTest
    @EnumSource(Switchpoint.class)
    void F7_failingChildCancelsItsParentWhereverItWaits(Switchpoint switchpoint) {
        if (!switchpoint.waits()) {
            return;
        }
        Runs.inAnyOrder(
                () -> {
                    Exception boom = new Exception("boom");
                    List<Throwable> thrown = new ArrayList<>();
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(
                                                "failing",
                                                () -> {
                                                    Runs.settle();
                                                    throw boom;
                                                });
                                        try {
                                            switchpoint.pass();
                                        } catch (Throwable t) {
                                            thrown.add(t);
                                            throw t;
                                        }
                                    });
                    FiberFailedException failure =
                            assertThrows(FiberFailedException.class, parent::await);
                    assertTrue(thrown.getFirst() instanceof Error, "catch Exception sees it");
                    assertTrue(Runs.cause(failure) instanceof FiberFailedException);
                    assertTrue(
                            String.valueOf(Runs.cause(failure).getMessage()).contains("failing"));
                    assertSame(boom, Runs.cause(Runs.cause(failure)));
                });
    }

    @Test
    void F6_parentThatSwallowsAChildsFailureGetsItAtEverySwitchpoint() {
        Runs.inAnyOrder(
                () -> {
                    int[] seen = new int[1];
                    Fiber<String> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(
                                                () -> {
                                                    throw new Exception("boom");
                                                });
                                        for (int i = 0; i < 5; i++) {
                                            Throwable thrown = Runs.failureOf(Fiber::suspend);
                                            assertTrue(thrown instanceof Unwind.ChildFailed);
                                            seen[0]++;
                                        }
                                        return "swallowed";
                                    });
                    Throwable failure = Runs.failureOf(parent::await);
                    assertEquals("boom", Runs.cause(Runs.cause(failure)).getMessage());
                    assertEquals(5, seen[0]);
                });
    }

    @Test
    void F7_failureOfAnAwaitedChildIsTheAwaitersOnly() {
        Runs.inAnyOrder(
                () -> {
                    Exception boom = new Exception("boom");
                    Fiber<?> child =
                            Fiber.spin(
                                    () -> {
                                        throw boom;
                                    });
                    assertSame(boom, Runs.cause(Runs.failureOf(child::await)));
                    Runs.settle();
                    Fiber.snooze();
                });
    }

    @Test
    void F7_failureOfAChildThatItsSiblingAwaitsIsTheSiblingsOnly() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> child =
                            Fiber.spin(
                                    () -> {
                                        Runs.settle();
                                        throw new Exception("boom");
                                    });
                    Fiber<Throwable> sibling = Fiber.spin(() -> Runs.failureOf(child::await));
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals("boom", Runs.cause(sibling.await()).getMessage());
                });
    }

    @Test
    void F7_terminatedChildDoesNotCancelItsParent() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> child = Fiber.spin(() -> Fiber.suspend());
                    Fiber<?> unstarted = Fiber.spin(() -> Fiber.suspend());
                    unstarted.terminate();
                    Runs.settle();
                    child.terminate();
                    Runs.settle();
                    assertEquals(FiberState.DEAD, child.state());
                    Fiber.snooze();
                });
    }

    /** A termination reaches both before either has a turn; none of them has failed. */
    @Test
    void F7_siblingThatAwaitsATerminatedSiblingIsTerminatedWithIt() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> awaited = Fiber.spin(() -> Fiber.sleep(Duration.ofDays(1)));
                    Fiber<?> awaiting = Fiber.spin(awaited::await);
                    Runs.settle();
                    awaited.terminate();
                    awaiting.terminate();
                    Throwable end = Runs.failureOf(awaiting::await);
                    assertTrue(end instanceof FiberTerminatedException, end::toString);
                });
    }

    @Test
    void F7_failureReachesTheTopThroughEveryLevel() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Exception boom = new Exception("boom");
                    Fiber<?> top =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(
                                                () -> {
                                                    Fiber.spin(
                                                            () -> {
                                                                throw boom;
                                                            });
                                                    logEnd(log, "parent");
                                                });
                                        logEnd(log, "grandparent");
                                    });
                    Throwable failure = Runs.failureOf(top::await);
                    assertEquals(List.of("parent", "grandparent"), log);
                    assertSame(boom, Runs.cause(Runs.cause(Runs.cause(failure))));
                });
    }

    @Test
    void F7_childSpunInAFinallyBlockOfATerminatedFiberIsTerminatedToo() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> late = new ArrayList<>();
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            late.add(Fiber.spin(() -> Fiber.suspend()));
                                        }
                                    });
                    Runs.settle();
                    parent.terminate();
                    assertThrows(FiberTerminatedException.class, parent::await);
                    assertEquals(FiberState.DEAD, late.getFirst().state());
                });
    }

    @Test
    void F7_fiberHasAParentANumberAndAName() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> root = Fiber.current();
                    assertNull(root.parent());
                    Fiber<@Nullable Void> named = Fiber.spin("named", () -> {});
                    Fiber<@Nullable Void> other = Fiber.spin(() -> {});
                    assertSame(root, named.parent());
                    assertSame(Cord.current(), named.cord());
                    assertEquals("named", named.name());
                    assertEquals("fiber-" + other.id(), other.name());
                    assertTrue(other.id() > named.id());
                    assertTrue(named.toString().contains("named"), named::toString);
                    assertArrayEquals(
                            new Object[] {named, other},
                            new Object[] {
                                Family.childList(FiberImpl.of(root)).first(),
                                FiberImpl.of(named).nextSibling
                            });
                });
    }
}
