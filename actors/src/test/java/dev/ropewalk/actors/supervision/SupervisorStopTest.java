package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberTerminatedException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** Rule A5: stopping a tree of actors. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SupervisorStopTest {
    /** Notes its end, which takes several turns. */
    private static Actor<String> ending(List<String> log) {
        return Actor.loop(
                self -> {
                    try {
                        for (; ; ) {
                            self.receive();
                        }
                    } finally {
                        try {
                            Fiber.snooze();
                        } catch (Error stillTerminated) {
                            log.add(self.self().name());
                        }
                    }
                });
    }

    @Test
    void A5_childrenEndInReverseOrderOneByOne() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (int i = 0; i < 10; i++) {
                        world.spin("actor " + i, ending(log));
                    }
                    world.settle();
                    world.system.close();
                    assertEquals(
                            List.of(
                                    "actor 9", "actor 8", "actor 7", "actor 6", "actor 5",
                                    "actor 4", "actor 3", "actor 2", "actor 1", "actor 0"),
                            log);
                });
    }

    @Test
    void A5_theTreesBelowEndInReverseOrderToo() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    world.spin("first", ending(log));
                    Supervisor below = world.system.supervise("below", World.MANY_RESTARTS);
                    world.spin(below, "below 1", ending(log));
                    Supervisor deeper = below.supervise("deeper", World.MANY_RESTARTS);
                    world.spin(deeper, "deeper 1", ending(log));
                    world.spin(deeper, "deeper 2", ending(log));
                    world.spin(below, "below 2", ending(log));
                    world.spin("last", ending(log));
                    world.settle();
                    world.system.close();
                    assertEquals(
                            List.of("last", "below 2", "deeper 2", "deeper 1", "below 1", "first"),
                            log);
                });
    }

    @Test
    void A5_closingTwiceOrByManyIsHarmless() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref = world.spin("actor", ending(log));
                    world.settle();
                    Fiber<?> other = Fiber.spin(() -> world.system.close());
                    world.system.close();
                    world.system.close();
                    other.await();
                    ref.tell("late");
                    world.settle();
                    assertEquals(List.of("actor"), log);
                    assertEquals(List.of("actor ENDED late"), world.deadLetters());
                });
    }

    @Test
    void A5_closingFromAPlainThread() {
        World.remote(
                world -> {
                    List<String> log = World.log();
                    world.spin("actor", ending(log));
                    world.settle();
                    Thread plain = Thread.ofPlatform().start(world.system::close);
                    world.until(() -> !plain.isAlive());
                    assertEquals(List.of("actor"), log);
                });
    }

    /** Like a cord: it cannot wait for its own end. Nobody else suffers from the mistake. */
    @Test
    void A5_anActorCannotCloseItsOwnSystem() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "closing",
                                    Actor.handler(
                                            _ ->
                                                    message -> {
                                                        IllegalStateException thrown =
                                                                assertThrows(
                                                                        IllegalStateException.class,
                                                                        world.system::close);
                                                        log.add(
                                                                message
                                                                        + ": "
                                                                        + thrown.getMessage());
                                                        return Behavior.same();
                                                    }));
                    ref.tell("a");
                    world.settle();
                    ref.tell("b");
                    world.settle();
                    assertEquals(2, log.size());
                    assertTrue(log.getFirst().contains("system"), log.getFirst());
                    assertTrue(log.getFirst().contains("closing"), log.getFirst());
                    assertEquals(List.of(), world.failures);
                });
    }

    @Test
    void A5_queuedMessagesAndAsksOfAClosedSystemAreAccountedFor() {
        World.anywhere(
                world -> {
                    ActorRef<Recipient<String>> ref =
                            world.spin(
                                    "busy",
                                    Actor.handler(
                                            _ ->
                                                    _ -> {
                                                        Fiber.suspend();
                                                        return Behavior.same();
                                                    }));
                    List<Fiber<AskFailedException>> askers = World.log();
                    for (int i = 0; i < 5; i++) {
                        askers.add(
                                Fiber.spin(
                                        () ->
                                                assertThrows(
                                                        AskFailedException.class,
                                                        () -> ref.<String>ask(to -> to))));
                    }
                    world.settle();
                    world.system.close();
                    askers.forEach(Fiber::await);
                    world.settle();
                    assertEquals(5, world.letters.size());
                });
    }

    /** Each retry comes through the supervisor's mailbox, so a stop comes in between. */
    @Test
    void A5_stopGetsThroughBetweenEndlessRestarts() {
        Supervision endless =
                Supervision.oneForOne().intensity(Integer.MAX_VALUE - 1, Duration.ofNanos(1));
        World.local(
                endless,
                world -> {
                    List<String> log = World.log();
                    for (int i = 0; i < 3; i++) {
                        world.spin(
                                "crashing",
                                Actor.<String>handler(
                                        self -> {
                                            log.add("again");
                                            if (log.size() <= 3) {
                                                self.self().tell("crash");
                                                return _ -> {
                                                    throw new Crash("crash");
                                                };
                                            }
                                            throw new Crash("no start");
                                        }));
                    }
                    for (int i = 0; i < 100; i++) {
                        Fiber.snooze();
                    }
                    world.system.close();
                    assertTrue(log.size() > 3, log.toString());
                    int afterClose = log.size();
                    world.settle();
                    assertEquals(afterClose, log.size());
                });
    }

    /** Each of them ends before what started it, whatever ends that. */
    @Test
    void A5_childrenEndWithTheFiberThatStartedTheSystem() {
        World.anywhere(
                world -> {
                    for (boolean terminated : List.of(true, false)) {
                        List<String> log = World.log();
                        List<ActorRef<String>> refs = World.log();
                        world.letters.clear();
                        Fiber<String> starter =
                                Fiber.spin(
                                        "starter",
                                        () -> {
                                            ActorSystem system =
                                                    ActorSystem.start(
                                                            "inner",
                                                            World.MANY_RESTARTS,
                                                            world.letters::add);
                                            Supervisor below =
                                                    system.supervise("below", World.MANY_RESTARTS);
                                            refs.add(below.spin(world.home, "actor", ending(log)));
                                            refs.add(
                                                    system.root()
                                                            .spin(
                                                                    world.home,
                                                                    "actor",
                                                                    ending(log)));
                                            Fiber.suspend();
                                            return "over";
                                        });
                        world.settle();
                        if (terminated) {
                            starter.terminate();
                            assertThrows(FiberTerminatedException.class, starter::await);
                        } else {
                            starter.schedule("go on");
                            assertEquals("over", starter.await());
                        }
                        assertEquals(List.of("actor", "actor"), log);
                        refs.forEach(ref -> ref.tell("late"));
                        world.settle();
                        assertEquals(
                                List.of("actor ENDED late", "actor ENDED late"),
                                world.deadLetters());
                    }
                });
    }

    /**
     * An actor that will not end is abandoned after the limits, reported, and outlives nobody's
     * wait.
     */
    @Test
    void A5_anActorThatDoesNotEndIsAbandonedAndReported() {
        List<String> uncaught = World.log();
        CountDownLatch stuck = new CountDownLatch(1);
        AtomicBoolean release = new AtomicBoolean();
        CordOptions options =
                CordOptions.named("stuck")
                        .withUncaught(
                                (fiber, failure) -> uncaught.add(fiber.name() + ": " + failure));
        CordOptions here = CordOptions.named("here").withStopLimit(Duration.ofMillis(20));
        try (Cord other = Cord.start(options)) {
            Cord.<@Nullable Object>run(
                    here,
                    () -> {
                        Supervision rules =
                                Supervision.oneForOne().stopLimit(Duration.ofMillis(20));
                        ActorSystem system = ActorSystem.start("system", rules, _ -> {});
                        ActorRef<String> ref =
                                system.root()
                                        .spin(
                                                other,
                                                "stubborn",
                                                Actor.handler(
                                                        _ ->
                                                                _ -> {
                                                                    stuck.countDown();
                                                                    while (!release.get()) {
                                                                        Thread.onSpinWait();
                                                                    }
                                                                    Fiber.suspend();
                                                                    return Behavior.same();
                                                                }));
                        ref.tell("never ends");
                        while (stuck.getCount() > 0) {
                            Fiber.snooze();
                        }
                        system.close();
                        return null;
                    });
            release.set(true);
            other.spin("after", () -> {}).await();
            assertEquals(1, uncaught.size(), uncaught.toString());
            String report = uncaught.getFirst();
            assertTrue(
                    report.startsWith("stubborn: " + FiberAbandonedException.class.getName()),
                    report);
            assertTrue(report.contains("cord stuck"), report);
        }
    }

    /**
     * Time is virtual: what swallows its termination holds its system no longer than the limits.
     */
    @Test
    void A5_anActorThatSwallowsItsTerminationIsAbandoned() {
        List<String> uncaught = World.log();
        CordOptions options =
                CordOptions.named("virtual")
                        .withClock(new CordOptions.VirtualClock(1, false))
                        .withUncaught((fiber, failure) -> uncaught.add(fiber.name()));
        Cord.<@Nullable Object>run(
                options,
                () -> {
                    List<DeadLetter> letters = World.log();
                    ActorSystem system =
                            ActorSystem.start("system", World.MANY_RESTARTS, letters::add);
                    ActorRef<String> ref =
                            system.spin(
                                    "swallowing",
                                    Actor.handler(
                                            _ ->
                                                    _ -> {
                                                        for (; ; ) {
                                                            try {
                                                                Fiber.sleep(Duration.ofDays(1));
                                                            } catch (Error swallowed) {
                                                                assertTrue(true);
                                                            }
                                                        }
                                                    }));
                    ref.tell("a");
                    ref.tell("b");
                    Fiber.sleep(Duration.ofNanos(1));
                    long before = Cord.current().nanoTime();
                    system.close();
                    assertTrue(Cord.current().nanoTime() - before <= 10_000_000_000L);
                    assertEquals(List.of("swallowing"), uncaught);
                    assertEquals(2, letters.size());
                    return null;
                });
    }
}
