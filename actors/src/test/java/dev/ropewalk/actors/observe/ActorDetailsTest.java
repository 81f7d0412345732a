package dev.ropewalk.actors.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.observe.ActorDetails.RestartLimit;
import dev.ropewalk.actors.observe.ActorDetails.Timer;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** Rule A6: an inspector tells the ties of an actor, and calls no code of the program. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ActorDetailsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** What a clerk is told to do, on its own fiber. */
    @FunctionalInterface
    interface Task {
        void run(ActorContext<Task> self);
    }

    private record Secret(String text) implements Task {
        @Override
        public void run(ActorContext<Task> self) {}

        @Override
        public String toString() {
            throw new AssertionError("its text is asked for");
        }
    }

    private static ActorRef<Task> clerk(World world, String name) {
        return world.spin(
                name,
                Actor.handler(
                        (ActorContext<Task> self) ->
                                task -> {
                                    task.run(self);
                                    return Behavior.same();
                                }));
    }

    private static ActorDetails of(ActorRef<?> actor) {
        return ActorInspector.of(actor).details();
    }

    @Test
    void A6_linksMonitorsAndWatchersAreTold() {
        World.local(
                world -> {
                    ActorRef<Task> clerk = clerk(world, "clerk");
                    ActorRef<Task> linked = clerk(world, "linked");
                    ActorRef<Task> seen = clerk(world, "seen");
                    clerk.tell(
                            self -> {
                                self.link(linked);
                                self.monitor(seen, _ -> new Secret("down"));
                            });
                    world.settle();
                    assertEquals(List.of(linked.toString()), of(clerk).links());
                    assertEquals(List.of(clerk.toString()), of(linked).links());
                    assertEquals(List.of(seen.toString()), of(clerk).monitors());
                    assertEquals(1, of(seen).watchers());
                    assertEquals(0, of(clerk).watchers());
                    seen.stop();
                    clerk.tell(self -> self.unlink(linked));
                    world.settle();
                    assertEquals(List.of(), of(clerk).links());
                    assertEquals(List.of(), of(clerk).monitors());
                    assertEquals(0, of(seen).watchers(), "of one that has ended");
                });
    }

    @Test
    void A6_ofManyLinksTheFirstAreTold() {
        World.local(
                world -> {
                    ActorRef<Task> clerk = clerk(world, "clerk");
                    List<ActorRef<Task>> others =
                            IntStream.range(0, ActorDetails.MAX + 3)
                                    .mapToObj(i -> clerk(world, "other " + i))
                                    .toList();
                    clerk.tell(self -> others.forEach(self::link));
                    world.settle();
                    List<String> links = of(clerk).links();
                    assertEquals(ActorDetails.MAX + 1, links.size());
                    assertEquals("... and 3 more", links.getLast());
                });
    }

    @Test
    void A6_timersAreToldByTheirTime() {
        World.local(
                world -> {
                    ActorRef<Task> clerk = clerk(world, "clerk");
                    Secret secret = new Secret("tick");
                    clerk.tell(
                            self -> {
                                self.timers().fixedRate(Duration.ofSeconds(10), secret);
                                self.timers().once("first", Duration.ofSeconds(5), secret);
                                self.idleTimeout(Duration.ofSeconds(20), secret);
                            });
                    world.settle();
                    List<Timer> timers = of(clerk).timers();
                    assertEquals(
                            List.of("ONCE", "FIXED_RATE", "IDLE"),
                            timers.stream().map(Timer::kind).toList());
                    assertEquals("first", timers.getFirst().name());
                    assertNull(timers.getLast().name());
                    assertEquals("ActorDetailsTest.Secret", timers.getFirst().message());
                    long dueMs = timers.getFirst().due().toMillis();
                    assertTrue(dueMs > 4_000 && dueMs <= 5_000, () -> "ms: " + dueMs);
                    clerk.tell(_ -> Fiber.sleep(Duration.ofSeconds(7)));
                    Fiber.sleep(Duration.ofSeconds(6));
                    assertEquals(Duration.ZERO, of(clerk).timers().getFirst().due(), "it waits");
                });
    }

    @Test
    void A6_theLastFailureAndTheRestartsBesideTheLimitAreTold() {
        World.local(
                world -> {
                    ActorRef<Task> clerk = clerk(world, "clerk");
                    assertNull(of(clerk).lastFailure());
                    world.system.snapshot(); // nothing is kept where nobody has looked
                    Crash first = new Crash("first");
                    Crash second = new Crash("second");
                    for (Crash each : List.of(first, second)) {
                        clerk.tell(
                                _ -> {
                                    throw each;
                                });
                        world.settle();
                    }
                    ActorDetails told = of(clerk);
                    assertSame(second, told.lastFailure());
                    RestartLimit limit = told.restartLimit();
                    assertEquals(2, limit.recent());
                    assertEquals(World.MANY_RESTARTS.intensity(), limit.max());
                    assertEquals(World.MANY_RESTARTS.period(), limit.period());
                    assertTrue(clerk.path().startsWith(limit.supervisor() + "/"), clerk::path);
                    Fiber.sleep(World.MANY_RESTARTS.period().plus(SECOND));
                    assertEquals(0, of(clerk).restartLimit().recent());
                    clerk.stop();
                    assertTrue(clerk.awaitEnd(SECOND));
                    assertNull(of(clerk).lastFailure(), "a reference keeps no exception alive");
                });
    }

    @Test
    void A6_aQuestionThatIsOwedAnAnswerIsTold() {
        World.local(
                world -> {
                    ActorRef<Object> lazy =
                            world.spin("lazy", Actor.handler(() -> _ -> Behavior.same()));
                    Fiber<?> asker =
                            Fiber.spin("asks", () -> lazy.ask(to -> to, Duration.ofMinutes(1)));
                    world.settle();
                    assertEquals(1, of(lazy).openAsks());
                    asker.terminate();
                    world.settle();
                    assertEquals(0, of(lazy).openAsks());
                });
    }

    /** Its own cord answers. */
    @Test
    void A6_aSupervisorWhoseCordIsStuckLeavesItsRestartsUnknown() {
        CountDownLatch goOn = new CountDownLatch(1);
        try (Cord above = Cord.start("above");
                Cord below = Cord.start("below");
                ActorSystem system =
                        ActorSystem.start(
                                Tree.oneForOne("shop"),
                                ActorSystemOptions.defaults().over(List.of(above, below)))) {
            ActorRef<Object> clerk =
                    system.root().spin(below, "clerk", Actor.handler(() -> _ -> Behavior.same()));
            ActorInspector inspector = ActorInspector.of(clerk).within(Duration.ofMillis(50));
            while (inspector.activity().glance().phase() != ActorPhase.UP) {
                Thread.onSpinWait();
            }
            CountDownLatch keeps = new CountDownLatch(1);
            Fiber<?> keeper =
                    above.spin(
                            "keeps",
                            () -> {
                                keeps.countDown();
                                await(goOn);
                            });
            await(keeps);
            try {
                assertEquals(-1, inspector.details().restartLimit().recent());
            } finally {
                goOn.countDown();
            }
            keeper.await();
            assertEquals(0, inspector.details().restartLimit().recent());
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }
}
