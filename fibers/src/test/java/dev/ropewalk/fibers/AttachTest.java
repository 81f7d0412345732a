package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

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
                    assertTrue(parent.isEnding());
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
        Reports reports = new Reports();
        Cord first = Runs.started("first", reports);
        Cord second = Runs.started("second", reports);
        Fiber<?> there = second.spin("there", () -> Fiber.suspend());
        Runs.real(
                reports,
                () -> {
                    Fiber<?> child = first.spin("child", () -> Fiber.sleep(FAR));
                    child.attachTo(there);
                    Runs.until(() -> child.parent() == there);
                });
        // The fiber that spun it has ended with its whole cord.
        Runs.until(() -> Runs.onCord(second, () -> there.firstChild()) != null);
        Fiber<?> child = Objects.requireNonNull(Runs.onCord(second, there::firstChild));
        assertEquals("child", child.name());
        assertNull(child.failure());
        there.schedule("end");
        there.await();
        assertTrue(child.failure() instanceof FiberTerminatedException);
        Runs.checkAndClose(first);
        Runs.checkAndClose(second);
        reports.assertNone();
    }

    @Test
    void F7_guestBecomesAtHomeByADetach() {
        Reports reports = new Reports();
        Cord other = Runs.started("other", reports);
        List<Fiber<?>> child = new ArrayList<>();
        Runs.real(
                reports,
                () -> {
                    Fiber<?> spinner = Fiber.current();
                    child.add(other.spin("guest", () -> Fiber.sleep(FAR)));
                    child.getFirst().detach();
                    Runs.until(() -> child.getFirst().parent() != spinner);
                });
        assertNull(child.getFirst().failure());
        Runs.checkAndClose(other);
        assertTrue(child.getFirst().failure() instanceof FiberTerminatedException);
        reports.assertNone();
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

    /** The child is still in a list of another cord when it ends as somebody else's. */
    @Test
    void F7_childThatEndsBeforeItsOldParentLetsGoBreaksNoList() {
        Reports reports = new Reports();
        Cord old = Runs.started("old", reports);
        CountDownLatch spun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        List<Fiber<?>> child = new CopyOnWriteArrayList<>();
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    Cord here = Cord.current();
                    Fiber<?> oldParent =
                            old.spin(
                                    "old parent",
                                    () -> {
                                        child.add(here.spin("child", () -> Fiber.suspend()));
                                        spun.countDown();
                                        Runs.await(goOn); // its cord does not look meanwhile
                                    });
                    Runs.await(spun);
                    Fiber<?> next =
                            Fiber.spin(
                                    "next",
                                    () -> {
                                        Fiber.spin("x", () -> Fiber.suspend());
                                        Fiber.suspend();
                                    });
                    Fiber.sleep(Duration.ofMillis(2));
                    child.getFirst().attachTo(next);
                    child.getFirst().terminate();
                    child.getFirst().awaitEnd(FAR);
                    Fiber<?> x = next.firstChild();
                    goOn.countDown();
                    assertTrue(oldParent.awaitEnd(FAR));
                    assertNotNull(x);
                });
        Runs.checkAndClose(old);
        reports.assertNone();
    }

    @Test
    void F7_twoMovesInOneTurnEndAtTheLast() {
        Reports reports = new Reports();
        Cord old = Runs.started("old", reports);
        CountDownLatch spun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        List<Fiber<?>> child = new CopyOnWriteArrayList<>();
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    Cord here = Cord.current();
                    Fiber<?> oldParent =
                            old.spin(
                                    "old parent",
                                    () -> {
                                        child.add(here.spin("child", () -> Fiber.suspend()));
                                        spun.countDown();
                                        Runs.await(goOn); // its cord does not look meanwhile
                                    });
                    Runs.await(spun);
                    Fiber<?> first = Fiber.spin("first", () -> Fiber.suspend());
                    Fiber<?> second = Fiber.spin("second", () -> Fiber.suspend());
                    Fiber.sleep(Duration.ofMillis(2));
                    child.getFirst().attachTo(first);
                    child.getFirst().attachTo(second);
                    goOn.countDown();
                    assertTrue(oldParent.awaitEnd(FAR));
                    while (second.firstChild() == null) {
                        Fiber.sleep(Duration.ofMillis(1));
                    }
                    assertNull(first.firstChild());
                    first.terminate();
                    first.awaitEnd(FAR);
                    assertNull(child.getFirst().failure());
                    second.terminate();
                    second.awaitEnd(FAR);
                    assertSame(FiberState.DEAD, child.getFirst().state());
                });
        Runs.checkAndClose(old);
        reports.assertNone();
    }

    @Test
    void F7_guestThatIsDetachedAsItsCordEndsStillEnds() {
        Reports reports = new Reports();
        Cord other = Runs.started("other", reports);
        Cord[] here = new Cord[1];
        CountDownLatch open = new CountDownLatch(1);
        CountDownLatch spun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        List<Fiber<?>> guest = new CopyOnWriteArrayList<>();
        other.spin(
                "parent",
                () -> {
                    Runs.await(open);
                    guest.add(here[0].spin("guest", () -> Fiber.suspend()));
                    spun.countDown();
                    Runs.await(goOn);
                });
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    here[0] = Cord.current();
                    open.countDown();
                    Runs.await(spun);
                    Fiber.sleep(Duration.ofMillis(2));
                    guest.getFirst().detach();
                });
        goOn.countDown();
        assertSame(FiberState.DEAD, guest.getFirst().state());
        Runs.checkAndClose(other);
        reports.assertNone();
    }
}
