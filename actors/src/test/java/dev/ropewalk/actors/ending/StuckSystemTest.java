package dev.ropewalk.actors.ending;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.supervision.ChildSpec;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Rules A6 and A8: the end of a system waits for nothing without a bound. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StuckSystemTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(50);

    /** Keeps its cord until it is let go. */
    private static final class Keeper implements AutoCloseable {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch over = new CountDownLatch(1);

        void keepCord(ActorContext<Step> self) throws InterruptedException {
            begun.countDown();
            over.await();
        }

        void awaitBegun() throws InterruptedException {
            assertTrue(begun.await(30, TimeUnit.SECONDS));
        }

        void letGo() {
            over.countDown();
        }

        @Override
        public void close() {
            letGo();
        }
    }

    /** The keeper's actor is the last on its cord. */
    private static ActorSystem stuck(Keeper keeper, int cords) throws InterruptedException {
        Supervision rules = Supervision.oneForOne().stopLimit(SHORT).spread();
        ActorSystem system =
                ActorSystem.start(
                        Tree.of("stuck", rules), ActorSystemOptions.defaults().withCords(cords));
        for (int i = 1; i < cords; i++) {
            system.start("before-" + i, Step.actor());
        }
        system.start("keeper", Step.actor()).tell(Step.of(keeper::keepCord));
        keeper.awaitBegun();
        return system;
    }

    private static void assertEnded(List<Cord> cords) {
        await().until(() -> cords.stream().noneMatch(Cord::isAlive));
    }

    private static void assertTellsKeeper(CordDump cord) {
        assertEquals("keeper", cord.running());
        assertTrue(
                cord.stack().stream().anyMatch(each -> each.getMethodName().equals("keepCord")),
                cord::toString);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void A6_stopReturnsItsReportAndTellsWhichFiberKeepsWhichCord(int cords)
            throws InterruptedException {
        try (Keeper keeper = new Keeper()) {
            ActorSystem system = stuck(keeper, cords);
            StopReport report = system.stop(SHORT);
            assertFalse(report.isComplete());
            assertEquals(1, report.stuck().size(), report::toString);
            CordDump cord = report.stuck().getFirst();
            assertEquals("stuck-" + (cords - 1), cord.cord());
            assertTellsKeeper(cord);
            assertEquals(List.of(cords == 1 ? "stuck" : "stuck/keeper"), report.silent());
            keeper.letGo();
            assertEnded(system.cords());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void A6_closeReturnsWhenItsCordDoesNotAnswerForTheStopLimit(int cords)
            throws InterruptedException {
        try (Keeper keeper = new Keeper()) {
            ActorSystem system = stuck(keeper, cords);
            system.close();
            assertFalse(system.cords().stream().noneMatch(Cord::isAlive));
            keeper.letGo();
            assertEnded(system.cords());
        }
    }

    /** Where nothing is stuck the limit of the stop is stronger than the limits below it. */
    @Test
    void A6_whatDoesNotEndAfterTheStopIsAbandoned() {
        TestCord.run(
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    ActorSystem system =
                            ActorSystem.start(
                                    "endless",
                                    Supervision.oneForOne().stopLimit(Waits.FOREVER),
                                    _ -> {});
                    ActorRef<Step> endless =
                            system.start(
                                    "endless",
                                    Step.actor(self -> self.atEnd(_ -> Fiber.suspend())));
                    long beganNs = Cord.current().nanoTime();
                    StopReport report = system.stop(Duration.ofSeconds(20));
                    assertEquals(
                            Duration.ofSeconds(40).toNanos(), Cord.current().nanoTime() - beganNs);
                    assertEquals(List.of(endless), leftIn(report));
                    assertTrue(endless.awaitEnd(Duration.ZERO.plusMillis(1)));
                });
    }

    private static List<ActorRef<?>> leftIn(StopReport report) {
        return report.left().stream().<ActorRef<?>>map(StopReport.Left::actor).toList();
    }

    // ---------------------------------------------------------------- interrupts

    /** What it waits for, and whether it is interrupted afterwards. */
    private static boolean isInterruptedAfter(Runnable action)
            throws InterruptedException, ExecutionException, TimeoutException {
        CompletableFuture<Boolean> after = new CompletableFuture<>();
        Thread.ofPlatform()
                .start(
                        () -> {
                            Thread.currentThread().interrupt();
                            try {
                                action.run();
                                after.complete(Thread.currentThread().isInterrupted());
                            } catch (Throwable e) {
                                after.completeExceptionally(e);
                            }
                        });
        return after.get(30, TimeUnit.SECONDS);
    }

    @Test
    void A6_aThreadThatIsInterruptedClosesAllTheSame()
            throws InterruptedException, ExecutionException, TimeoutException {
        ActorSystem system =
                ActorSystem.start(
                        Tree.of("app", Supervision.oneForOne()),
                        ActorSystemOptions.defaults().withCords(2));
        system.start("actor", Step.actor());
        assertTrue(isInterruptedAfter(system::close));
        assertTrue(system.cords().stream().noneMatch(Cord::isAlive));
    }

    @Test
    void A6_aStopThatIsInterruptedClosesTheSystem()
            throws InterruptedException, ExecutionException, TimeoutException {
        ActorSystem system =
                ActorSystem.start(
                        Tree.of("app", Supervision.oneForOne()),
                        ActorSystemOptions.defaults().withCords(2));
        system.start("actor", Step.actor()).tell(Step.of(_ -> Fiber.suspend()));
        assertTrue(
                isInterruptedAfter(
                        () ->
                                assertThrows(
                                        WaitInterruptedException.class, () -> system.stop(LONG))));
        assertTrue(system.cords().stream().noneMatch(Cord::isAlive));
    }

    /** So that its starter surely waits. */
    private static ChildSpec<?> neverUp() {
        return Tree.child("slow", Step.actor(_ -> Fiber.suspend()));
    }

    @Test
    void A6_aStartThatIsInterruptedLeavesNoCord()
            throws InterruptedException, ExecutionException, TimeoutException {
        assertTrue(
                isInterruptedAfter(
                        () ->
                                assertThrows(
                                        WaitInterruptedException.class,
                                        () ->
                                                ActorSystem.start(
                                                        Tree.of(
                                                                "interrupted",
                                                                Supervision.oneForOne(),
                                                                neverUp()),
                                                        ActorSystemOptions.defaults()
                                                                .withCords(2)))));
        assertTrue(Cord.all().stream().noneMatch(c -> c.name().startsWith("interrupted-")));
    }
}
