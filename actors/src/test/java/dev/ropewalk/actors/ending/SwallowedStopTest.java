package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rules F6 and A3: a loop that swallows its stop slows only itself, and is abandoned. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SwallowedStopTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration LIMIT = Duration.ofSeconds(3);
    private static final Supervision RULES = Supervision.oneForOne().stopLimit(LIMIT);

    /** Catches what receive throws, and goes on. */
    private static Actor<Step> swallowing(int[] caught, Duration pause) {
        return Actor.loop(
                self -> {
                    for (; ; ) {
                        try {
                            self.receive().run(self);
                        } catch (Throwable _) {
                            caught[0]++;
                            if (!pause.isZero()) {
                                Fiber.sleep(pause);
                            }
                        }
                    }
                });
    }

    private static void stopped(World world, int[] caught, Duration pause) {
        TestCord.expectUncaught(FiberAbandonedException.class);
        ActorRef<Step> robust = world.spin("robust", swallowing(caught, pause));
        List<String> log = World.log();
        ActorRef<Step> other = world.spin("other", Step.actor());
        robust.tell(Step.crash("swallowed"));
        world.settle();
        assertEquals(1, caught[0]);
        robust.stop();
        robust.tell(Step.of(_ -> log.add("late")));
        other.tell(Step.of(_ -> log.add("other")));
        assertTrue(robust.awaitEnd(LONG));
        assertEquals(List.of("other"), log);
    }

    @Test
    void F6_eachReceiveGivesWayAndTheThousandthIsTheLast() {
        World.local(
                RULES,
                world -> {
                    int[] caught = {0};
                    long beganNs = Cord.current().nanoTime();
                    stopped(world, caught, Duration.ZERO);
                    assertEquals(1 + 1_000, caught[0]);
                    assertTrue(Cord.current().nanoTime() - beganNs < LIMIT.toNanos());
                    assertEquals(1, world.letters.size(), world.deadLetters()::toString);
                });
    }

    /** One that swallows it slowly has its stop limit. */
    @Test
    void A3_stopLimitCountsFromTheStop() {
        World.local(
                RULES,
                world -> {
                    int[] caught = {0};
                    stopped(world, caught, Duration.ofSeconds(1));
                    assertTrue(caught[0] <= 5, () -> "caught=" + caught[0]);
                });
    }

    /** It was told to stop, so it is not started again, and its end is no failure. */
    @Test
    void A5_itIsNotStartedAgain() {
        World.local(
                RULES,
                world -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    int[] caught = {0};
                    ActorRef<Step> robust = world.spin("robust", swallowing(caught, Duration.ZERO));
                    List<ExitReason> reasons = World.log();
                    world.spin(
                            "watcher",
                            Step.actor(
                                    self ->
                                            self.monitor(
                                                    robust,
                                                    down ->
                                                            Step.of(
                                                                    _ ->
                                                                            reasons.add(
                                                                                    down
                                                                                            .reason())))));
                    world.settle();
                    robust.stop();
                    assertTrue(robust.awaitEnd(LONG));
                    world.settle();
                    assertEquals(List.of(new ExitReason.Normal()), reasons);
                    assertEquals(List.of(), world.failures);
                    assertEquals(0, world.system.root().restarts());
                });
    }

    @Test
    void A6_stopOfTheSystemIsComplete() {
        World.local(
                RULES,
                world -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    int[] caught = {0};
                    world.spin("robust", swallowing(caught, Duration.ZERO));
                    world.settle();
                    assertTrue(world.system.stop(LIMIT).isComplete());
                });
    }

    /** The signals of fibers are counted by the fiber, whatever the actor was told before. */
    @Test
    void F6_aTerminationAfterTheStopIsRaisedToo() {
        World.local(
                RULES,
                world -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    int[] caught = {0};
                    ActorRef<Step> robust = world.spin("robust", swallowing(caught, Duration.ZERO));
                    world.settle();
                    robust.stop();
                    world.settle();
                    robust.terminate();
                    assertTrue(robust.awaitEnd(LONG));
                    assertTrue(caught[0] <= 2_000, () -> "caught=" + caught[0]);
                });
    }
}
