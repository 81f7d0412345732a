package dev.ropewalk.actors.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.internal.ActorCell;
import dev.ropewalk.actors.internal.AskMany;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.blocking.Futures;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Rule A2: an ask for whose reply nobody waits keeps its limit, and nothing beyond its end. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AskLimitTest {
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofHours(1);

    /** Within this a limit that is not served by the asked cord has come, however busy it is. */
    private static final long PATIENCE_S = 30;

    private record Ask(Recipient<String> replyTo) {}

    private static Actor<Ask> silent() {
        return Actor.handler(() -> (Ask _) -> Behavior.same());
    }

    /** Asks an actor whose cord stands still until the latch is down. */
    private interface Blocked {
        void run(ActorRef<Ask> asked) throws Exception;
    }

    private static void onBlockedCord(Blocked body) throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        CountDownLatch isBlocked = new CountDownLatch(1);
        try (Cord cord = Cord.start(CordOptions.named("blocked"));
                ActorSystem system = ActorSystem.start(Tree.oneForOne("app"), _ -> {})) {
            ActorRef<Ask> asked =
                    system.root()
                            .spin(
                                    cord,
                                    "asked",
                                    Actor.handler(
                                            () ->
                                                    (Ask _) -> {
                                                        isBlocked.countDown();
                                                        open.await();
                                                        return Behavior.same();
                                                    }));
            ActorRef<String> nobody =
                    system.spin("nobody", Actor.handler(() -> (String _) -> Behavior.same()));
            asked.tell(new Ask(nobody));
            isBlocked.await();
            try {
                body.run(asked);
            } finally {
                open.countDown();
            }
        }
    }

    private static void assertTimesOut(CompletionStage<String> asked) {
        ExecutionException failed =
                assertThrows(
                        ExecutionException.class,
                        () -> asked.toCompletableFuture().get(PATIENCE_S, TimeUnit.SECONDS));
        assertInstanceOf(AskTimeoutException.class, failed.getCause());
    }

    @Test
    void A2_theLimitOfAThreadIsNotServedByTheAskedCord() throws Exception {
        onBlockedCord(asked -> assertTimesOut(asked.askLater(Ask::new, SHORT)));
    }

    @Test
    void A2_theLimitOfAFiberIsServedByItsOwnCord() throws Exception {
        onBlockedCord(
                asked ->
                        Cord.run(
                                () -> {
                                    CompletionStage<String> later = asked.askLater(Ask::new, SHORT);
                                    Cord here = Cord.current();
                                    CompletableFuture<Boolean> isHere = new CompletableFuture<>();
                                    later.whenComplete((_, _) -> isHere.complete(here.isCurrent()));
                                    FiberFailedException failed =
                                            assertThrows(
                                                    FiberFailedException.class,
                                                    () ->
                                                            CancelScope
                                                                    .<String, RuntimeException>
                                                                            cancelAfter(
                                                                                    Duration
                                                                                            .ofSeconds(
                                                                                                    PATIENCE_S),
                                                                                    () ->
                                                                                            Futures
                                                                                                    .await(
                                                                                                            later)));
                                    assertInstanceOf(AskTimeoutException.class, failed.getCause());
                                    assertTrue(isHere.join());
                                    return null;
                                }));
    }

    /** What an actor pipes it hears in time. */
    @Test
    void A2_theLimitOfAPipeIsServedByItsActor() throws Exception {
        onBlockedCord(
                asked -> {
                    CompletableFuture<Throwable> heard = new CompletableFuture<>();
                    try (Cord cord = Cord.start(CordOptions.named("asker"));
                            ActorSystem system = ActorSystem.start("other")) {
                        ActorRef<Step> asker = system.root().spin(cord, "asker", Step.actor());
                        asker.tell(
                                Step.of(
                                        self ->
                                                self.pipe(
                                                        asked.<String>askLater(Ask::new, SHORT),
                                                        _ -> Step.stop(),
                                                        failure ->
                                                                Step.of(
                                                                        _ ->
                                                                                heard.complete(
                                                                                        failure)))));
                        assertInstanceOf(
                                AskTimeoutException.class, heard.get(PATIENCE_S, TimeUnit.SECONDS));
                    }
                });
    }

    /** The stage may outlive the cord on which it was made. */
    @Test
    void A2_theLimitOutlivesTheCordOfItsAsker() throws Exception {
        onBlockedCord(
                asked -> {
                    List<CompletionStage<String>> made = new ArrayList<>();
                    Cord.run(
                            () -> {
                                made.add(asked.askLater(Ask::new, Duration.ofMillis(200)));
                                return null;
                            });
                    assertTimesOut(made.getFirst());
                });
    }

    // ---------------------------------------------------------------- what is let go

    private static int timers() {
        return Cord.current().stats().timers();
    }

    @Test
    void A2_whatIsGivenUpLeavesNothingBehind() {
        World.local(
                world -> {
                    ActorRef<Ask> silent = world.spin("silent", silent());
                    ActorRef<Ask> gone = world.spin("gone", silent());
                    gone.stop();
                    gone.awaitEnd(LONG);
                    ActorCell<?> cell = (ActorCell<?>) silent.target();
                    int before = timers();
                    for (int i = 0; i < 10; i++) {
                        assertThrows(
                                AskFailedException.class,
                                () ->
                                        ActorRef.<Ask, String>askAll(
                                                List.of(silent, gone), Ask::new, LONG));
                        CompletableFuture<String> cancelled =
                                silent.<String>askLater(Ask::new, LONG).toCompletableFuture();
                        world.settle();
                        cancelled.cancel(true);
                        CompletableFuture<String> completed =
                                silent.<String>askLater(Ask::new, LONG).toCompletableFuture();
                        world.settle();
                        assertTrue(completed.complete("by hand"));
                        CompletableFuture<String> late =
                                silent.<String>askLater(Ask::new, SHORT).toCompletableFuture();
                        Fiber.sleep(Duration.ofSeconds(1));
                        assertTrue(late.isCompletedExceptionally());
                    }
                    world.settle();
                    assertEquals(before, timers());
                    assertEquals(0, cell.openAsks());
                });
    }

    /** Those that did not reply first are asked no longer. */
    @Test
    void A2_theLosersOfAFirstReplyLeaveNothingBehind() {
        World.local(
                world -> {
                    List<Ask> held = World.log();
                    ActorRef<Ask> silent =
                            world.spin(
                                    "silent",
                                    Actor.handler(
                                            () ->
                                                    (Ask ask) -> {
                                                        held.add(ask);
                                                        return Behavior.same();
                                                    }));
                    ActorRef<Ask> echo =
                            world.spin(
                                    "echo",
                                    Actor.handler(
                                            () ->
                                                    (Ask ask) -> {
                                                        Fiber.sleep(SHORT);
                                                        ask.replyTo().tell("reply");
                                                        return Behavior.same();
                                                    }));
                    ActorCell<?> cell = (ActorCell<?>) silent.target();
                    int before = timers();
                    for (int i = 0; i < 3; i++) {
                        assertEquals(
                                "reply",
                                ActorRef.<Ask, String>askFirst(
                                        List.of(silent, echo), Ask::new, LONG));
                        CompletableFuture<String> later =
                                AskMany.<Ask, String>firstLater(
                                                List.of(silent, echo), Ask::new, LONG)
                                        .toCompletableFuture();
                        Fiber.sleep(Duration.ofSeconds(1));
                        assertEquals("reply", later.resultNow());
                    }
                    world.settle();
                    assertEquals(before, timers());
                    assertEquals(0, cell.openAsks());
                    assertEquals(6, held.size());
                    held.forEach(each -> each.replyTo().tell("late"));
                    world.settle();
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    /** An actor on another cord lets go too, and the asker's cord of its alarm. */
    @Test
    void A2_whatIsAnsweredElsewhereLeavesNothingBehind() {
        World.remote(
                world -> {
                    ActorRef<Ask> echo =
                            world.spin(
                                    "echo",
                                    Actor.handler(
                                            () ->
                                                    (Ask ask) -> {
                                                        ask.replyTo().tell("reply");
                                                        return Behavior.same();
                                                    }));
                    ActorRef<Ask> silent = world.spin("silent", silent());
                    ActorCell<?> cell = (ActorCell<?>) silent.target();
                    int before = timers();
                    for (int i = 0; i < 10; i++) {
                        assertEquals("reply", Futures.await(echo.<String>askLater(Ask::new, LONG)));
                        CompletableFuture<String> cancelled =
                                silent.<String>askLater(Ask::new, LONG).toCompletableFuture();
                        world.until(() -> openAsks(world, cell) == 1);
                        cancelled.cancel(true);
                        world.until(() -> openAsks(world, cell) == 0);
                    }
                    world.until(() -> timers() == before);
                });
    }

    private static int openAsks(World world, ActorCell<?> cell) {
        try {
            return world.on(cell::openAsks);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
