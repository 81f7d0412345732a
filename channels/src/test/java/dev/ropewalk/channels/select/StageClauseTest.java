package dev.ropewalk.channels.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** Rules C4 and F12: the result of a stage as an alternative of a select. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StageClauseTest {
    private static final Duration LONG = Duration.ofHours(1);

    private static String select(CompletableFuture<Integer> stage, Channel<String> channel) {
        return Select.of(
                        Futures.onResult(stage, number -> "number " + number),
                        channel.onReceive(text -> "text " + text))
                .await();
    }

    @Test
    void C4_aStageThatIsCompleteIsTakenAtOnce() {
        TestCord.run(
                () ->
                        assertEquals(
                                "number 7",
                                select(
                                        CompletableFuture.completedFuture(7),
                                        Channel.rendezvous())));
    }

    @Test
    void C4_aStageThatCompletesLater() {
        TestCord.run(
                () -> {
                    CompletableFuture<Integer> stage = new CompletableFuture<>();
                    Channel<String> channel = Channel.rendezvous();
                    Fiber<String> selects = Fiber.spin(() -> select(stage, channel));
                    Fiber.sleep(LONG);
                    stage.complete(7);
                    assertEquals("number 7", selects.await());
                    assertEquals(0, channel.snapshot().waitingReceivers());
                });
    }

    @Test
    void F12_completedByAPlainThread() throws InterruptedException {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CountDownLatch waits = new CountDownLatch(1);
        Thread completes =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        waits.await();
                                        stage.complete(7);
                                    } catch (InterruptedException e) {
                                        stage.completeExceptionally(e);
                                    }
                                });
        Cord.run(
                () -> {
                    Fiber.spin(waits::countDown);
                    assertEquals("number 7", select(stage, Channel.rendezvous()));
                });
        completes.join();
    }

    @Test
    void C4_aFailureIsThrownByTheSelect() {
        TestCord.run(
                () -> {
                    CompletableFuture<Integer> stage = new CompletableFuture<>();
                    Fiber.spin(() -> stage.completeExceptionally(new ArithmeticException("no")));
                    FiberFailedException failed =
                            assertThrows(
                                    FiberFailedException.class,
                                    () -> select(stage, Channel.rendezvous()));
                    assertTrue(failed.getCause() instanceof ArithmeticException);
                    CompletableFuture<Integer> cancelled = new CompletableFuture<>();
                    cancelled.cancel(false);
                    assertThrows(
                            FiberFailedException.class,
                            () -> select(cancelled, Channel.rendezvous()));
                });
    }

    /** Rule F5: a stage that lives long keeps nothing of those that have left it. */
    @Test
    void F5_aSelectThatTakesSomethingElseLeavesNothingBehind() {
        TestCord.run(
                () -> {
                    CompletableFuture<Integer> stage = new CompletableFuture<>();
                    Channel<String> channel = Channel.rendezvous();
                    for (int i = 0; i < 10; i++) {
                        Fiber<String> selects = Fiber.spin(() -> select(stage, channel));
                        Fiber.sleep(LONG);
                        channel.send("x");
                        assertEquals("text x", selects.await());
                    }
                    CancelScope.moveOnAfter(LONG, () -> select(stage, channel));
                    assertEquals(0, stage.getNumberOfDependents());
                    stage.complete(7);
                    assertEquals("number 7", select(stage, channel));
                });
    }

    @Test
    void C4_oneAlternativeInSeveralSelectsAtATime() {
        TestCord.run(
                () -> {
                    CompletableFuture<Integer> stage = new CompletableFuture<>();
                    Clause<Integer> clause = Futures.onResult(stage, number -> number + 1);
                    Fiber<Integer> first = Fiber.spin(() -> Select.of(clause).await());
                    Fiber<Integer> second = Fiber.spin(() -> Select.of(clause).await());
                    Fiber.sleep(LONG);
                    stage.complete(7);
                    assertEquals(8, first.await());
                    assertEquals(8, second.await());
                });
    }
}
