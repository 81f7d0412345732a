package dev.ropewalk.fibers.internal.fiber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.observe.WatchdogReport;
import dev.ropewalk.fibers.testkit.OtherJvm;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What reports say of a fiber that failed: its name, and those above it. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LineageTest {
    private static final Duration LONG = Duration.ofSeconds(1);

    /** What the other JVM runs; it says nothing itself. */
    static final class FailsUnseen {
        private FailsUnseen() {}

        public static void main(String[] args) {
            try (Cord cord = Cord.start("service")) {
                Fiber<?> parent = cord.spin("parent", FailsUnseen::spinChild);
                parent.awaitEnd(Duration.ofSeconds(30));
            }
        }

        private static void spinChild() {
            Fiber.spin(
                    "child",
                    () -> {
                        throw new IllegalStateException("own");
                    });
            Fiber.sleep(Duration.ofSeconds(30));
        }
    }

    @Test
    void F7_theDefaultLogNamesTheFiberAndThoseAboveIt() throws IOException, InterruptedException {
        String file = "@" + System.getProperty("ropewalk.args.file");
        String log = OtherJvm.run(List.of(file), FailsUnseen.class).output();
        assertTrue(
                log.contains("uncaught in fiber parent on cord service < root"),
                () -> "who was not awaited: " + log);
        assertTrue(
                log.contains(
                        "fiber child on cord service < parent < root failed:"
                                + " java.lang.IllegalStateException: own"),
                () -> "where it began: " + log);
    }

    @Test
    void F7_failureNamesThoseAboveItsFiberOnce() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> top = Fiber.spin("top", () -> failing("deep").await());
                    Throwable failure = Runs.failureOf(top::await);
                    assertEquals(
                            "fiber top on cord test failed: dev.ropewalk.fibers."
                                    + "FiberFailedException: fiber deep on cord test < top < root"
                                    + " failed: java.lang.Exception: own",
                            failure.getMessage());
                });
    }

    private static Fiber<?> failing(String name) {
        return Fiber.spin(
                name,
                () -> {
                    throw new Exception("own");
                });
    }

    @Test
    void F7_exceptionTellsWhichFiberFailed() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> deep = new ArrayList<>();
                    Fiber<?> top =
                            Fiber.spin(
                                    () -> {
                                        deep.add(failing("deep"));
                                        Fiber.suspend();
                                    });
                    FiberFailedException outer = failureOf(top);
                    assertSame(top, outer.fiber());
                    assertSame(
                            deep.getFirst(),
                            assertInstanceOf(FiberFailedException.class, outer.getCause()).fiber());
                });
    }

    @Test
    void F7_terminatedOrAbandonedFiberIsNamedToo() {
        Reports reports = new Reports();
        Runs.<@Nullable Object>virtual(
                reports,
                () -> {
                    Fiber<?> ended = Fiber.spin(() -> Fiber.suspend());
                    ended.terminate();
                    assertSame(ended, failureOf(ended).fiber());
                    Fiber<?> stubborn =
                            Fiber.spin(() -> CancelScope.shielded(LONG, LineageTest::neverEnd));
                    Runs.settle();
                    Abandonment.abandon(FiberImpl.of(stubborn), "a test");
                    FiberFailedException abandoned = failureOf(stubborn);
                    assertInstanceOf(FiberAbandonedException.class, abandoned);
                    assertSame(stubborn, abandoned.fiber());
                    return null;
                });
        assertInstanceOf(FiberAbandonedException.class, reports.only().failure());
    }

    private static void neverEnd() {
        Fiber.suspend();
    }

    @Test
    void F7_failureOfNoFiberTellsNone() {
        Runs.fifo(
                () -> {
                    CompletableFuture<String> stage =
                            CompletableFuture.failedFuture(new Exception("own"));
                    Throwable thrown = Runs.failureOf(() -> Futures.await(stage));
                    assertNull(assertInstanceOf(FiberFailedException.class, thrown).fiber());
                });
    }

    @Test
    void F7_serialisedFailureKeepsItsTextAndForgetsItsFiber() {
        Runs.fifo(
                () -> {
                    FiberFailedException before = failureOf(failing("deep"));
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                        out.writeObject(before);
                    }
                    ObjectInputStream in =
                            new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()));
                    FiberFailedException after = (FiberFailedException) in.readObject();
                    assertNull(after.fiber());
                    assertEquals(before.getMessage(), after.getMessage());
                    assertEquals("own", Runs.cause(after).getMessage());
                });
    }

    @Test
    void F7_lineageOfADeepFiberIsShort() {
        Runs.fifo(
                () -> {
                    List<String> text = new ArrayList<>();
                    spinBelow(1_000, text);
                    Fiber.sleep(LONG);
                    String lineage = text.getFirst();
                    assertTrue(
                            lineage.startsWith("fiber level1 on cord test < level2 < "),
                            () -> lineage);
                    assertTrue(lineage.endsWith(" < level15 < 985 more < root"), () -> lineage);
                });
    }

    private static void spinBelow(int level, List<String> text) {
        Fiber.spin(
                "level" + level,
                () -> {
                    if (level == 1) {
                        text.add(Fiber.current().lineage());
                    } else {
                        spinBelow(level - 1, text);
                    }
                    Fiber.sleep(LONG);
                });
    }

    @Test
    void F7_lineageNamesOtherCords() {
        Reports reports = new Reports();
        try (Cord far = Runs.started("far", reports)) {
            String lineage =
                    Cord.run(
                            CordOptions.named("near"),
                            () -> far.spin("guest", () -> Fiber.current().lineage()).await());
            assertEquals("fiber guest on cord far < root on cord near", lineage);
        }
        reports.assertNone();
    }

    @Test
    void F13_stuckReportNamesThoseAboveTheFiber() {
        Runs.fifo(
                () -> {
                    Fiber<?> child = Fiber.spin("child", () -> {});
                    String lineage = "in fiber child on cord test < root";
                    WatchdogReport.Stuck stuck =
                            new WatchdogReport.Stuck(
                                    child.cord(), child, LONG, null, List.of(), null);
                    assertTrue(stuck.toString().contains(lineage), stuck::toString);
                    WatchdogReport.Over over =
                            new WatchdogReport.Over(child.cord(), child, LONG, null);
                    assertTrue(over.toString().contains(lineage), over::toString);
                });
    }

    private static FiberFailedException failureOf(Fiber<?> fiber) {
        return assertInstanceOf(FiberFailedException.class, Runs.failureOf(fiber::await));
    }
}
