package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Rule A5: a start is awaited where it is asked for, and its failure is told. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StartTest {
    private static <M> ActorRef<M> start(World world, String name, Actor<M> actor) {
        return world.system.root().start(world.home, name, actor);
    }

    private static Actor<String> actor(String style, Runnable atStart) {
        return style.equals("handler")
                ? Actor.handler(
                        () -> {
                            atStart.run();
                            return _ -> Behavior.same();
                        })
                : Actor.loop(
                        self -> {
                            atStart.run();
                            self.receive();
                        });
    }

    @Test
    void A5_startReturnsWhenTheFactoryHasReturned() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            start(
                                    world,
                                    "slow",
                                    actor(
                                            "handler",
                                            () -> {
                                                Fiber.sleep(Duration.ofMillis(20));
                                                log.add("up");
                                            }));
                    assertEquals(List.of("up"), log);
                    assertEquals("system/slow", ref.path());
                });
    }

    @Test
    void A5_startOfALoopReturnsWhenTheBodyBegins() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    start(
                            world,
                            "loop",
                            Actor.<String>loop(
                                    self -> {
                                        log.add("began");
                                        self.receive();
                                        log.add("never");
                                    }));
                    world.settle();
                    assertEquals(List.of("began"), log);
                });
    }

    /** Under the default rules, where the second restart in five seconds would end all. */
    @Test
    void A5_factoryThatThrowsIsToldAndEndsNobodyElse() {
        TestCord.run(
                () -> {
                    List<String> failures = World.log();
                    List<DeadLetter> letters = World.log();
                    Supervision rules =
                            Supervision.oneForOne()
                                    .onFailure(report -> failures.add(report.actor()));
                    try (ActorSystem system = ActorSystem.start("system", rules, letters::add)) {
                        AtomicInteger alive = new AtomicInteger();
                        ActorRef<String> other =
                                system.start(
                                        "other",
                                        Actor.handler(
                                                () ->
                                                        _ -> {
                                                            alive.incrementAndGet();
                                                            return Behavior.same();
                                                        }));
                        for (int i = 0; i < 5; i++) {
                            StartFailedException failed =
                                    assertThrows(
                                            StartFailedException.class,
                                            () ->
                                                    system.start(
                                                            "broken",
                                                            actor(
                                                                    "handler",
                                                                    () -> {
                                                                        throw new Crash("no");
                                                                    })));
                            Errors.assertMentions(failed, "system/broken", "did not start", "no");
                            assertInstanceOf(Crash.class, failed.getCause());
                            ActorRef<String> spun =
                                    system.spin(
                                            "spun-" + i,
                                            actor(
                                                    "handler",
                                                    () -> {
                                                        throw new Crash("no");
                                                    }));
                            spun.tell("lost");
                        }
                        Fiber.sleep(Duration.ofSeconds(1));
                        assertEquals(10, failures.size());
                        assertEquals(5, letters.size());
                        assertEquals(0, system.root().restarts());
                        other.tell("still there?");
                        Fiber.sleep(Duration.ofSeconds(1));
                        assertEquals(1, alive.get());
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"handler", "loop"})
    void A5_laterStartThatFailsIsARestart(String style) {
        World.local(
                world -> {
                    AtomicInteger starts = new AtomicInteger();
                    Actor<String> flaky =
                            style.equals("handler")
                                    ? Actor.handler(
                                            () -> {
                                                if (starts.incrementAndGet() == 2) {
                                                    throw new Crash("second start");
                                                }
                                                return _ -> {
                                                    throw new Crash("crash");
                                                };
                                            })
                                    : Actor.loop(
                                            self -> {
                                                starts.incrementAndGet();
                                                self.receive();
                                                throw new Crash("crash");
                                            });
                    ActorRef<String> ref = start(world, "flaky", flaky);
                    ref.tell("a");
                    world.settle();
                    assertEquals(style.equals("handler") ? 3 : 2, starts.get());
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"handler", "loop"})
    void A5_startThatTakesTooLongIsEnded(String style) {
        World.local(
                world -> {
                    Supervisor impatient =
                            world.system.supervise(
                                    "impatient",
                                    World.MANY_RESTARTS.startLimit(Duration.ofSeconds(3)));
                    List<String> log = World.log();
                    long before = Cord.current().nanoTime();
                    Actor<String> stuck =
                            actor(
                                            style,
                                            () -> {
                                                try {
                                                    Fiber.sleep(Duration.ofDays(1));
                                                } finally {
                                                    log.add("ended");
                                                }
                                            })
                                    .restart(RestartRule.PERMANENT);
                    if (style.equals("loop")) {
                        // The body has begun: nobody waits for what it does then.
                        impatient.start("stuck", stuck);
                        return;
                    }
                    StartFailedException late =
                            assertThrows(
                                    StartFailedException.class,
                                    () -> impatient.start("stuck", stuck));
                    Errors.assertMentions(late, "stuck", "start limit of PT3S");
                    assertEquals(3_000, (Cord.current().nanoTime() - before) / 1_000_000);
                    world.settle();
                    assertEquals(List.of("ended"), log);
                    assertEquals(0, impatient.restarts());
                });
    }

    @Test
    void A5_callerThatIsEndedTakesTheActorWithIt() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Fiber<?> caller =
                            Fiber.spin(
                                    "caller",
                                    () ->
                                            start(
                                                    world,
                                                    "slow",
                                                    actor(
                                                            "handler",
                                                            () -> {
                                                                try {
                                                                    log.add("begins");
                                                                    Fiber.suspend();
                                                                } finally {
                                                                    log.add("ended");
                                                                }
                                                            })));
                    world.until(() -> !log.isEmpty());
                    caller.terminate();
                    assertThrows(FiberTerminatedException.class, caller::await);
                    world.until(() -> log.size() == 2);
                    assertEquals(List.of("begins", "ended"), log);
                    world.until(
                            () -> world.system.find("slow") == null); // it is let go behind that
                });
    }

    @Test
    void A5_startOnACordThatHasEnded() {
        World.remote(
                world -> {
                    Cord closed = Cord.start("closed");
                    closed.close();
                    StartFailedException failed =
                            assertThrows(
                                    StartFailedException.class,
                                    () ->
                                            world.system
                                                    .root()
                                                    .start(
                                                            closed,
                                                            "homeless",
                                                            actor("handler", () -> {})));
                    Errors.assertMentions(failed, "homeless", "closed");
                    assertInstanceOf(CordClosedException.class, failed.getCause());
                });
    }

    @Test
    void A5_startFromAPlainThread() {
        World.remote(
                world -> {
                    List<String> log = World.log();
                    Thread plain =
                            Thread.ofPlatform()
                                    .start(
                                            () -> {
                                                start(
                                                        world,
                                                        "actor",
                                                        actor("handler", () -> log.add("up")));
                                                log.add("started");
                                            });
                    world.until(() -> !plain.isAlive());
                    assertEquals(List.of("up", "started"), log);
                });
    }

    /** An instance with a state would go on with what the failed incarnation left. */
    @Test
    void A5_factoryThatReturnsTheSameInstanceAgain() {
        World.anywhere(
                world -> {
                    Behavior<String> shared =
                            new Behavior<>() {
                                private int count;

                                @Override
                                public Behavior<String> onMessage(String message) {
                                    count++;
                                    throw new Crash("crash " + count);
                                }
                            };
                    AtomicInteger starts = new AtomicInteger();
                    ActorRef<String> ref =
                            world.spin(
                                    "shared",
                                    Actor.handler(
                                            () ->
                                                    starts.incrementAndGet() < 3
                                                            ? shared
                                                            : _ -> Behavior.same()));
                    ref.tell("a");
                    world.until(() -> starts.get() == 3);
                    world.settle();
                    assertEquals("shared: crash 1", world.failures.getFirst());
                    assertTrue(
                            world.failures.get(1).contains("instance of the incarnation before"),
                            world.failures.toString());
                    assertEquals(2, world.failures.size());
                });
    }
}
