package dev.ropewalk.fibers.lifetimes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rule F7: a fiber gets another parent. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class AttachTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration FAR = Duration.ofDays(1);

    @Test
    void F7_detachedFiberOutlivesWhoSpunIt() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<String>> child = new ArrayList<>();
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        child.add(
                                                Fiber.spin(
                                                        () -> {
                                                            Fiber.sleep(SHORT);
                                                            return "done";
                                                        }));
                                        child.getFirst().detach();
                                    });
                    parent.await();
                    assertSame(Fiber.current(), child.getFirst().parent());
                    assertEquals("done", child.getFirst().await());
                });
    }

    @Test
    void F7_attachedFiberEndsWithItsNewParentOnly() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> child = new ArrayList<>();
                    Fiber<?> newParent = Fiber.spin("new", () -> Fiber.suspend());
                    Fiber<?> oldParent =
                            Fiber.spin(
                                    "old",
                                    () -> {
                                        child.add(Fiber.spin(() -> Fiber.sleep(FAR)));
                                        child.getFirst().attachTo(newParent);
                                    });
                    oldParent.await();
                    Runs.settle();
                    assertEquals(FiberState.WAITING, child.getFirst().state());
                    newParent.schedule("end");
                    newParent.await();
                    assertEquals(FiberState.DEAD, child.getFirst().state());
                    assertSame(newParent, child.getFirst().parent());
                });
    }

    @Test
    void F7_failureGoesToTheNewParent() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> newParent = Fiber.spin("new", () -> Fiber.sleep(FAR));
                    Fiber<?> child =
                            Fiber.spin(
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        throw new IllegalStateException("bad");
                                    });
                    child.attachTo(newParent);
                    Throwable thrown = Runs.failureOf(newParent::await);
                    assertEquals("bad", Runs.cause(Runs.cause(thrown)).getMessage());
                });
    }

    @Test
    void F7_parentThatIsEndingAlreadyTakesNobodyIn() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> dead = Fiber.spin(() -> {});
                    dead.await();
                    Fiber<?> child = Fiber.spin(() -> Fiber.sleep(FAR));
                    Runs.settle();
                    child.attachTo(dead);
                    assertTrue(child.awaitEnd(SHORT));
                    assertTrue(child.failure() instanceof FiberTerminatedException);
                });
    }

    /** Its clean-up is awaited all the same: the cord does not end before it. */
    @Test
    void F7_fiberGivenToADeadParentIsAwaitedByTheRoot() {
        List<String> log = new ArrayList<>();
        Runs.inAnyOrder(
                () -> {
                    log.clear();
                    Fiber<?> dead = Fiber.spin(() -> {});
                    dead.await();
                    Fiber<?> spinner =
                            Fiber.spin(
                                    () -> {
                                        Fiber<?> child =
                                                Fiber.spin(
                                                        () -> {
                                                            try {
                                                                Fiber.sleep(FAR);
                                                            } finally {
                                                                CancelScope.shielded(
                                                                        SHORT.multipliedBy(2),
                                                                        () -> Fiber.sleep(SHORT));
                                                                log.add("cleaned");
                                                            }
                                                        });
                                        Runs.settle();
                                        child.attachTo(dead);
                                    });
                    spinner.await();
                });
        assertEquals(List.of("cleaned"), log);
    }

    @Test
    void F7_parentThatWaitsForItsChildrenIsReleasedByADetach() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> child = new ArrayList<>();
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        child.add(Fiber.spin(AttachTest::shieldedSleep));
                                        Runs.settle();
                                    });
                    Fiber.sleep(SHORT);
                    assertTrue(FiberImpl.of(parent).isEnding());
                    child.getFirst().detach();
                    assertTrue(parent.awaitEnd(Duration.ofNanos(1)));
                    assertEquals(FiberState.WAITING, child.getFirst().state());
                    child.getFirst().awaitEnd(FAR);
                });
    }

    private static void shieldedSleep() {
        CancelScope.shielded(SHORT.multipliedBy(3), () -> Fiber.sleep(FAR));
    }

    @Test
    void F7_memberOfAScopeLeavesItWhenDetached() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> member = new ArrayList<>();
                    long before = Cord.current().nanoTime();
                    Scope.run(
                            scope -> {
                                member.add(scope.spin("a", () -> Fiber.sleep(FAR)));
                                Fiber.spin(
                                        () -> {
                                            Fiber.sleep(SHORT);
                                            member.getFirst().attachTo(Fiber.current());
                                            Fiber.suspend();
                                        });
                            });
                    assertEquals(SHORT.toNanos(), Cord.current().nanoTime() - before);
                    assertEquals(FiberState.WAITING, member.getFirst().state());
                });
    }

    @Test
    void F7_attachAcrossCords() {
        Runs.together(
                3,
                cords -> {
                    Fiber<?> there = cords.get(2).spin("there", () -> Fiber.suspend());
                    List<Fiber<?>> child = new ArrayList<>();
                    Fiber<?> spinner =
                            Fiber.spin(
                                    () -> {
                                        child.add(
                                                cords.get(1).spin("child", () -> Fiber.sleep(FAR)));
                                        child.getFirst().attachTo(there);
                                    });
                    spinner.await(); // its children would have ended with it
                    Runs.settle();
                    assertSame(there, child.getFirst().parent());
                    assertSame(child.getFirst(), FiberImpl.of(there).firstChild());
                    assertNull(child.getFirst().failure());
                    there.schedule("end");
                    there.await();
                    assertTrue(child.getFirst().failure() instanceof FiberTerminatedException);
                });
    }

    @Test
    void F7_guestBecomesAtHomeByADetach() {
        Runs.together(
                2,
                cords -> {
                    Cord other = cords.get(1);
                    List<Fiber<?>> child = new ArrayList<>();
                    Fiber<?> spinner =
                            Fiber.spin(
                                    () -> {
                                        child.add(other.spin("guest", () -> Fiber.sleep(FAR)));
                                        child.getFirst().detach();
                                    });
                    spinner.await();
                    Runs.settle();
                    assertNull(child.getFirst().failure());
                    assertFalse(FiberImpl.of(child.getFirst()).isForeignChild());
                    other.close();
                    assertTrue(child.getFirst().failure() instanceof FiberTerminatedException);
                });
    }

    /** Neither call can see the other's effect; one of the fibers stays where it is. */
    @Test
    void misuse_fibersOfTwoCordsThatAreGivenToEachOtherCloseNoCircle() {
        Runs.together(
                3,
                cords -> {
                    TestCord.expectUncaught(IllegalArgumentException.class);
                    Fiber<?> a = cords.get(1).spin("a", () -> Fiber.suspend());
                    Fiber<?> b = cords.get(2).spin("b", () -> Fiber.suspend());
                    a.attachTo(b);
                    b.attachTo(a);
                    Runs.settle();
                    assertNotEquals(a.parent() == b, b.parent() == a);
                    a.terminate();
                    b.terminate();
                    assertTrue(a.awaitEnd(FAR) && b.awaitEnd(FAR));
                });
    }

    @Test
    void misuse_circlesAndRoots() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> root = Fiber.current();
                    Fiber<?> child = Fiber.spin(() -> Fiber.suspend());
                    assertThrows(IllegalArgumentException.class, () -> child.attachTo(child));
                    assertThrows(IllegalArgumentException.class, () -> root.attachTo(child));
                    assertThrows(IllegalArgumentException.class, root::detach);
                });
    }

    /** In some of the runs the child is in a list of another cord still when it ends. */
    @Test
    void F7_childThatEndsBeforeItsOldParentLetsGoBreaksNoList() {
        Runs.together(
                2,
                cords -> {
                    List<Fiber<?>> child = new ArrayList<>();
                    Fiber<?> oldParent = cords.get(1).spin("old", () -> spinOn(cords, child));
                    Fiber<?> next =
                            Fiber.spin(
                                    "next",
                                    () -> {
                                        Fiber.spin("x", () -> Fiber.suspend());
                                        Fiber.suspend();
                                    });
                    Runs.settle();
                    Fiber<?> x = Objects.requireNonNull(FiberImpl.of(next).firstChild());
                    child.getFirst().attachTo(next);
                    child.getFirst().terminate();
                    assertTrue(child.getFirst().awaitEnd(FAR));
                    oldParent.schedule("end");
                    assertTrue(oldParent.awaitEnd(FAR));
                    Runs.settle();
                    assertSame(x, FiberImpl.of(next).firstChild());
                    assertNull(FiberImpl.of(x).nextSibling);
                });
    }

    /** A child on the first cord, of a parent elsewhere that waits until it is scheduled. */
    private static void spinOn(List<Cord> cords, List<Fiber<?>> child) {
        child.add(cords.getFirst().spin("child", () -> Fiber.suspend()));
        Fiber.suspend();
    }

    @Test
    void F7_twoMovesInOneTurnEndAtTheLast() {
        Runs.together(
                3,
                cords -> {
                    List<Fiber<?>> child = new ArrayList<>();
                    Fiber<?> oldParent = cords.get(1).spin("old", () -> spinOn(cords, child));
                    Fiber<?> first = Fiber.spin("first", () -> Fiber.suspend());
                    Fiber<?> second = cords.get(2).spin("second", () -> Fiber.suspend());
                    Runs.settle();
                    child.getFirst().attachTo(first);
                    child.getFirst().attachTo(second);
                    oldParent.schedule("end");
                    assertTrue(oldParent.awaitEnd(FAR));
                    Runs.settle();
                    assertSame(child.getFirst(), FiberImpl.of(second).firstChild());
                    assertNull(FiberImpl.of(first).firstChild());
                    first.terminate();
                    first.awaitEnd(FAR);
                    assertNull(child.getFirst().failure());
                    second.terminate();
                    second.awaitEnd(FAR);
                    assertSame(FiberState.DEAD, child.getFirst().state());
                });
    }

    @Test
    void F7_guestThatIsDetachedAsItsCordEndsStillEnds() {
        Runs.together(
                3,
                cords -> {
                    Cord ending = cords.get(2);
                    List<Fiber<?>> child = new ArrayList<>();
                    cords.get(1)
                            .spin(
                                    "parent",
                                    () -> {
                                        child.add(ending.spin("guest", () -> Fiber.suspend()));
                                        Fiber.suspend();
                                    });
                    Runs.settle();
                    Fiber<?> closer = Fiber.spin("closer", ending::close);
                    Runs.snooze(ending.nextInt(4));
                    child.getFirst().detach();
                    closer.await();
                    assertSame(FiberState.DEAD, child.getFirst().state());
                });
    }
}
