package dev.ropewalk.fibers.internal.fiber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.TooManyFibersException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.supervision.FiberSupervision;
import dev.ropewalk.fibers.supervision.FiberSupervisor;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Rule F8: what is done to a fiber on its own cord, before that cord has taken its start message,
 * takes effect after that message.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class BeforeStartTest {
    private static final Duration FAR = Duration.ofDays(1);
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final FiberSupervision WATCHING =
            FiberSupervision.restarting(RestartRule.TEMPORARY);

    private final Reports reports = new Reports();

    /** An end that takes its limit fails the test. */
    private final CordOptions options =
            CordOptions.named("here").withUncaught(reports).withStopLimit(FAR);

    private final Cord other = Runs.started("other", reports);

    @AfterEach
    void close() {
        Runs.checkAndClose(other);
    }

    /** Blocks the calling cord's thread until a plain thread has spun it: its start waits. */
    private static <T extends @Nullable Object> Fiber<T> spunByAThread(
            String name, Callable<? extends T> body) {
        Cord here = Cord.current();
        AtomicReference<@Nullable Fiber<T>> spun = new AtomicReference<>();
        Thread spinner = Thread.ofPlatform().start(() -> spun.set(here.spin(name, body)));
        try {
            spinner.join(LIMIT.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return Objects.requireNonNull(spun.get());
    }

    private static Fiber<@Nullable Object> spunByAThread(String name) {
        return spunByAThread(name, () -> Fiber.suspend());
    }

    /** The same by a fiber of the other cord, which then waits and is the parent. */
    private Fiber<@Nullable Object> spunByAFiber(String name) {
        Cord here = Cord.current();
        AtomicReference<@Nullable Fiber<@Nullable Object>> spun = new AtomicReference<>();
        CountDownLatch isSpun = new CountDownLatch(1);
        other.spin(
                        "parent",
                        () -> {
                            spun.set(here.spin(name, () -> Fiber.suspend()));
                            isSpun.countDown();
                            Fiber.suspend();
                        })
                .detach();
        Runs.await(isSpun);
        return Objects.requireNonNull(spun.get());
    }

    /** With a virtual clock nobody makes the cord look at its inbox while others can run. */
    private void onCord(Action body) {
        onVirtual(options, body);
    }

    private static void onVirtual(CordOptions options, Action body) {
        onCord(options.withClock(new CordOptions.VirtualClock(1, false)), body);
    }

    private static void onCord(CordOptions options, Action body) {
        Cord.<@Nullable Object>run(
                options,
                () -> {
                    body.run();
                    CordImpl.current().checkInvariants();
                    return null;
                });
    }

    /** Until the cord has looked at its inbox, and who became runnable then has run. */
    private static void look() {
        Fiber.sleep(Duration.ofMillis(1));
    }

    @Test
    void F8_attachedBeforeItsStartItHasOneParentAndEndsWithThat() {
        onCord(
                () -> {
                    Fiber<?> holder = Fiber.spin("holder", () -> Fiber.suspend());
                    Fiber<?> x = spunByAThread("x");
                    Fiber<?> bystander = spunByAThread("bystander");
                    x.attachTo(holder);
                    look();
                    assertSame(holder, x.parent());
                    assertEquals(List.of(x), holder.children());
                    CordImpl.current().checkInvariants();
                    holder.terminate();
                    assertTrue(holder.awaitEnd(LIMIT));
                    assertEquals(FiberState.DEAD, x.state());
                    assertEquals(FiberState.WAITING, bystander.state());
                });
    }

    @Test
    void F8_adoptedBeforeItsStartItEndsWithTheSupervisor() {
        onCord(
                () -> {
                    Fiber<?>[] x = new FiberImpl<?>[1];
                    Fiber<?> supervisor =
                            Fiber.spin(
                                    "supervisor",
                                    () ->
                                            FiberSupervisor.run(
                                                    WATCHING,
                                                    s -> {
                                                        x[0] = spunByAThread("x");
                                                        s.adopt(x[0]);
                                                    }));
                    look();
                    Fiber<?> bystander = spunByAThread("bystander");
                    look();
                    supervisor.terminate();
                    assertTrue(supervisor.awaitEnd(LIMIT));
                    assertEquals(FiberState.DEAD, x[0].state());
                    assertEquals(FiberState.WAITING, bystander.state());
                });
    }

    @Test
    void F8_guestMovedBeforeItsStartIsAGuestOnce() {
        Fiber<?> otherParent = other.spin("otherParent", () -> Fiber.suspend());
        onCord(
                options,
                () -> {
                    Fiber<?> x = spunByAFiber("x");
                    x.attachTo(otherParent);
                    look();
                    assertSame(otherParent, x.parent());
                    x.terminate();
                    assertTrue(x.awaitEnd(LIMIT));
                    CordImpl.current().checkInvariants();
                });
    }

    @Test
    void F8_detachedBeforeItsStartItIsTheRootsChild() {
        onCord(
                options,
                () -> {
                    Fiber<?> x = spunByAFiber("x");
                    x.detach();
                    look();
                    assertSame(CordImpl.current().root(), x.parent());
                    CordImpl.current().checkInvariants();
                });
    }

    /** It would be held until the initialiser is done, which waits for it. */
    @Test
    void F8_terminatedBeforeItsStartItIsNotHeldByTheInitialiser() {
        CordOptions initialised =
                options.withInitialiser(
                        () -> {
                            Fiber<?> x = spunByAThread("x");
                            x.terminate();
                            assertTrue(x.awaitEnd(LIMIT));
                            assertInstanceOf(FiberTerminatedException.class, x.failure());
                        });
        onVirtual(initialised, () -> {});
    }

    @Test
    void F8_restartedBeforeItsStartItJustStarts() {
        onCord(
                () -> {
                    Fiber<String> x = spunByAThread("x", () -> "ran");
                    x.restart();
                    assertEquals("ran", x.await());
                });
    }

    @Test
    void F8_parentThatHasNotStartedTakesItsChildInAfterItsStart() {
        onCord(
                () -> {
                    Fiber<?> child = Fiber.spin("child", () -> Fiber.suspend());
                    Fiber<?> x = spunByAThread("x");
                    child.attachTo(x);
                    look();
                    assertSame(x, child.parent());
                    assertEquals(List.of(child), x.children());
                    CordImpl.current().checkInvariants();
                    x.terminate();
                    assertTrue(x.awaitEnd(LIMIT));
                    assertEquals(FiberState.DEAD, child.state());
                });
    }

    @Test
    void F8_childOfOneWhoseStartIsRefusedIsTerminated() {
        onVirtual(
                options.withMaxFibers(1),
                () -> {
                    Fiber<?> child = Fiber.spin("child", () -> Fiber.suspend());
                    Fiber<?> x = spunByAThread("x");
                    child.attachTo(x);
                    assertTrue(x.awaitEnd(LIMIT));
                    assertInstanceOf(TooManyFibersException.class, x.failure());
                    assertTrue(child.awaitEnd(LIMIT));
                    look();
                    assertEquals(1, CordImpl.current().roster.alive(), "the root");
                });
    }

    /** Its failure is raised into a parent that never starts. */
    @Test
    void F8_failureOfAChildReachesAParentThatHasNotStarted() {
        onCord(
                () -> {
                    Exception boom = new Exception("boom");
                    Fiber<?> child =
                            Fiber.spin(
                                    "child",
                                    () -> {
                                        Fiber.suspend();
                                        throw boom;
                                    });
                    Fiber.snooze();
                    Fiber<?> x = spunByAThread("x");
                    child.attachTo(x);
                    child.schedule("go on");
                    Throwable failure = Runs.failureOf(x::await);
                    while (failure.getCause() != null) {
                        failure = failure.getCause();
                    }
                    assertSame(boom, failure);
                });
    }

    @Test
    void F8_failureOfAChildWhoseParentIsRefusedIsReported() {
        Exception boom = new Exception("boom");
        onVirtual(
                options.withMaxFibers(2),
                () -> {
                    Fiber<?> child =
                            Fiber.spin(
                                    "child",
                                    () -> {
                                        Fiber.suspend();
                                        throw boom;
                                    });
                    Fiber<?> filler = Fiber.spin("filler", () -> Fiber.suspend());
                    Fiber.snooze();
                    Fiber<?> x = spunByAThread("x");
                    child.attachTo(x);
                    child.schedule("go on");
                    Runs.snooze(2);
                    Fiber.spin("second filler", () -> Fiber.suspend());
                    Runs.failureOf(x::await);
                    assertInstanceOf(TooManyFibersException.class, x.failure());
                    look();
                    filler.terminate();
                    assertSame(boom, Runs.cause(reports.only().failure()));
                    assertSame(child, reports.only().fiber());
                });
    }

    @Test
    void F8_respawnedBelowAParentThatHasNotStarted() {
        onCord(
                () -> {
                    Fiber<@Nullable Object> child = Fiber.spin("child", () -> Fiber.suspend());
                    Fiber.snooze();
                    Fiber<?> x = spunByAThread("x");
                    child.attachTo(x);
                    child.terminate();
                    Runs.snooze(2);
                    assertEquals(FiberState.DEAD, child.state());
                    Fiber<@Nullable Object> again = child.respawn();
                    look();
                    assertEquals(List.of(again), x.children());
                    CordImpl.current().checkInvariants();
                    x.terminate();
                    assertTrue(again.awaitEnd(LIMIT));
                });
    }

    @Test
    void F8_respawnedBelowAParentThatIsRefusedItIsRefusedToo() {
        onVirtual(
                options.withMaxFibers(1),
                () -> {
                    Fiber<@Nullable Object> child = Fiber.spin("child", () -> Fiber.suspend());
                    Fiber.snooze();
                    Fiber<?> x = spunByAThread("x");
                    child.attachTo(x);
                    child.terminate();
                    Runs.snooze(2);
                    Fiber<@Nullable Object> again = child.respawn();
                    Fiber<?> filler = Fiber.spin("filler", () -> Fiber.suspend());
                    assertTrue(again.awaitEnd(LIMIT));
                    assertInstanceOf(RuntimeException.class, again.failure());
                    assertInstanceOf(TooManyFibersException.class, x.failure());
                    filler.terminate();
                });
    }

    @Test
    void F8_supervisorWhoseLimitIsOverAbandonsWhatHasNotStarted() {
        onCord(
                () -> {
                    FiberSupervision impatient =
                            WATCHING.withStopLimit(Duration.ZERO).withOnFailure((f, t) -> {});
                    Fiber<?>[] x = new FiberImpl<?>[1];
                    Fiber<?> supervisor =
                            Fiber.spin(
                                    "supervisor",
                                    () ->
                                            FiberSupervisor.run(
                                                    impatient,
                                                    s -> {
                                                        x[0] = spunByAThread("x");
                                                        s.adopt(x[0]);
                                                        Fiber.current().terminate();
                                                    }));
                    assertTrue(supervisor.awaitEnd(LIMIT));
                    assertTrue(x[0].awaitEnd(LIMIT));
                    look();
                    CordImpl.current().checkInvariants();
                    assertEquals(1, CordImpl.current().roster.alive(), "the root");
                });
    }

    /** A cord that ends with the start message unread: nobody below it is forgotten. */
    @Test
    void F8_cordThatEndsBeforeTheStartForgetsNobody() {
        Runs.together(
                2,
                cords -> {
                    FiberImpl.current().isolateChildren();
                    Fiber<?>[] x = new FiberImpl<?>[1];
                    Fiber<?>[] child = new FiberImpl<?>[1];
                    Cord there = cords.get(1);
                    Fiber<?> attacher =
                            there.spin(
                                    "attacher",
                                    () -> {
                                        child[0] = Fiber.spin("child", () -> Fiber.suspend());
                                        child[0].detach();
                                        Fiber.suspend();
                                        child[0].attachTo(Objects.requireNonNull(x[0]));
                                    });
                    Runs.settle();
                    attacher.schedule("go on");
                    CordImpl.of(there).root().terminate();
                    x[0] = there.spin("x", () -> Fiber.suspend());
                    Runs.failureOf(x[0]::await);
                    assertTrue(attacher.awaitEnd(FAR));
                    assertTrue(Objects.requireNonNull(child[0]).awaitEnd(FAR));
                });
    }

    // ---------------------------------------------------------------- second entries

    @Test
    void F7_listOfChildrenRefusesASecondEntryAndNamesBothParents() {
        onCord(
                () -> {
                    Fiber<?> one = Fiber.spin("one", () -> Fiber.suspend());
                    Fiber<?> two = Fiber.spin("two", () -> Fiber.suspend());
                    Fiber<?> child = Fiber.spin("child", () -> Fiber.suspend());
                    child.attachTo(one);
                    IllegalStateException refused =
                            assertThrows(
                                    IllegalStateException.class,
                                    () ->
                                            Family.childList(FiberImpl.of(two))
                                                    .add(FiberImpl.of(child)));
                    assertEquals(
                            "fiber child on cord here cannot be entered below fiber two on cord"
                                    + " here: it is among the children of fiber one on cord here"
                                    + " and must be taken out first",
                            refused.getMessage());
                    assertThrows(
                            IllegalStateException.class,
                            () -> Family.childList(FiberImpl.of(one)).add(FiberImpl.of(child)));
                    assertEquals(List.of(child), one.children());
                    assertFalse(Family.childList(FiberImpl.of(two)).remove(FiberImpl.of(child)));
                });
    }

    @Test
    void F7_listOfGuestsRefusesASecondEntryAndNamesBoth() {
        onCord(
                () -> {
                    Fiber<?> child = spunByAFiber("guest");
                    look();
                    IllegalStateException refused =
                            assertThrows(
                                    IllegalStateException.class,
                                    () ->
                                            CordImpl.current()
                                                    .roster
                                                    .addForeignChild(FiberImpl.of(child)));
                    assertEquals(
                            "fiber guest on cord here is a foreign child of cord here already, at"
                                    + " place 0 of 1",
                            refused.getMessage());
                });
    }

    /** Also of a list that is broken: each step leaves one fewer. */
    @Test
    void F7_takingChildrenOutComesToItsEnd() {
        onCord(
                () -> {
                    Children list = new Children(FiberImpl.current());
                    Fiber<?> one = Fiber.spin("one", () -> 1);
                    Fiber<?> two = Fiber.spin("two", () -> 2);
                    Children own = Family.childList(FiberImpl.current());
                    assertTrue(own.remove(FiberImpl.of(one)) && own.remove(FiberImpl.of(two)));
                    list.add(FiberImpl.of(one));
                    list.add(FiberImpl.of(two));
                    FiberImpl.of(two).nextSibling = FiberImpl.of(one); // a circle
                    assertSame(one, list.poll());
                    assertSame(two, list.poll());
                    assertSame(one, list.poll());
                    assertNull(list.poll());
                    own.add(FiberImpl.of(one));
                    own.add(FiberImpl.of(two));
                });
    }
}
