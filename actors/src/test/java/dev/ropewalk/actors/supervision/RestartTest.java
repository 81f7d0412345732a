package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Rule A5: what survives a restart. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RestartTest {
    private static Actor<String> collecting(List<String> log) {
        return Actor.handler(
                _ -> {
                    log.add("factory");
                    return after(log, "");
                });
    }

    /** Its state is what it was told so far. */
    private static Behavior<String> after(List<String> log, String before) {
        return message -> {
            if (message.equals("crash")) {
                throw new Crash("after " + before);
            }
            if (message.equals("late crash")) {
                Fiber.snooze();
                throw new Crash("late, after " + before);
            }
            log.add(before + message);
            return after(log, before + message);
        };
    }

    @Test
    void A5_factoryBeginsAnew() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref = world.spin("forgetting", collecting(log));
                    for (String message : List.of("a", "b", "crash", "c", "late crash", "d", "e")) {
                        ref.tell(message);
                    }
                    world.settle();
                    assertEquals(
                            List.of("factory", "a", "ab", "factory", "c", "factory", "d", "de"),
                            log);
                    assertEquals(
                            List.of("forgetting: after ab", "forgetting: late, after c"),
                            world.failures);
                    assertEquals(
                            List.of("forgetting FAILED crash", "forgetting FAILED late crash"),
                            world.deadLetters());
                    assertEquals(2, world.system.root().restarts());
                });
    }

    @Test
    void A5_keepStateResumesTheBehaviorOfTheLastCompletedMessage() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref = world.spin("keeping", collecting(log).keepState());
                    for (String message : List.of("crash", "a", "b", "crash", "late crash", "c")) {
                        ref.tell(message);
                    }
                    world.settle();
                    assertEquals(List.of("factory", "a", "ab", "abc"), log);
                    assertEquals(
                            List.of(
                                    "keeping: after ",
                                    "keeping: after ab",
                                    "keeping: late, after ab"),
                            world.failures);
                });
    }

    @Test
    void A5_firstStartThatFailsIsNotTriedAgain() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "late starter",
                                    Actor.<String>handler(
                                                    _ -> {
                                                        log.add("try");
                                                        if (log.size() < 3) {
                                                            throw new Crash("cannot start");
                                                        }
                                                        return after(log, "");
                                                    })
                                            .keepState());
                    ref.tell("a");
                    world.settle();
                    assertEquals(List.of("try"), log);
                    assertEquals(List.of("late starter: cannot start"), world.failures);
                    assertEquals(List.of("late starter ENDED a"), world.deadLetters());
                    assertEquals(0, world.system.root().restarts());
                });
    }

    @Test
    void A5_keepStateOfAPermanentActorSurvivesTerminationAndStop() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "permanent",
                                    collecting(log).keepState().restart(RestartRule.PERMANENT));
                    ref.tell("a");
                    world.settle();
                    ref.terminate();
                    world.settle();
                    ref.tell("b");
                    ref.stop();
                    ref.tell("c");
                    world.settle();
                    assertEquals(List.of("factory", "a", "ab", "abc"), log);
                });
    }

    @Test
    void A5_aBehaviorThatStoppedIsNotResumed() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "stopping",
                                    Actor.<String>handler(
                                                    _ -> {
                                                        log.add("factory");
                                                        return message -> {
                                                            log.add(message);
                                                            return Behavior.stopped();
                                                        };
                                                    })
                                            .keepState()
                                            .restart(RestartRule.PERMANENT));
                    ref.tell("a");
                    ref.tell("b");
                    world.settle();
                    assertEquals(List.of("factory", "a", "factory", "b", "factory"), log);
                });
    }

    @Test
    void A5_aLoopBeginsAnew() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "loop",
                                    Actor.loop(
                                            self -> {
                                                log.add("start");
                                                for (; ; ) {
                                                    String message = self.receive();
                                                    if (message.equals("crash")) {
                                                        throw new Crash("x");
                                                    }
                                                    log.add(message);
                                                }
                                            }));
                    for (String message : List.of("a", "crash", "crash", "b")) {
                        ref.tell(message);
                    }
                    world.settle();
                    ref.tell("c");
                    world.settle();
                    assertEquals(List.of("start", "a", "start", "start", "b", "c"), log);
                });
    }

    /** The actor's own fibers are its children: theirs is its failure, and they end with it. */
    @Test
    void A5_aFailedFiberOfTheActorFailsIt() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "parent",
                                    Actor.handler(
                                            _ ->
                                                    message -> {
                                                        Fiber.spin(
                                                                "helper",
                                                                () -> {
                                                                    throw new Crash(message);
                                                                });
                                                        Fiber.spin(
                                                                "other helper",
                                                                () -> {
                                                                    try {
                                                                        Fiber.suspend();
                                                                    } finally {
                                                                        log.add("helper over");
                                                                    }
                                                                });
                                                        Fiber.suspend();
                                                        return Behavior.same();
                                                    }));
                    ref.tell("a");
                    world.settle();
                    assertEquals(1, world.failures.size());
                    assertEquals(List.of("parent FAILED a"), world.deadLetters());
                    assertEquals(1, world.system.root().restarts());
                    assertEquals(log.stream().map(_ -> "helper over").toList(), log);
                });
    }

    /** Against a list: random crashes take out what crashes, and nothing else. */
    @Test
    void A5_theMailboxSurvivesAnyNumberOfCrashes() {
        World.anywhere(
                world -> {
                    for (long seed = 1; seed <= 5; seed++) {
                        SplittableRandom random = new SplittableRandom(seed);
                        List<String> log = World.log();
                        List<String> expected = new ArrayList<>();
                        List<String> crashed = new ArrayList<>();
                        world.letters.clear();
                        ActorRef<String> ref =
                                world.spin(
                                        "crashing",
                                        Actor.handler(
                                                _ ->
                                                        message -> {
                                                            if (message.startsWith("crash")) {
                                                                if (message.endsWith("3")) {
                                                                    Fiber.snooze();
                                                                }
                                                                throw new Crash(message);
                                                            }
                                                            log.add(message);
                                                            return Behavior.same();
                                                        }));
                        for (int i = 0; i < 200; i++) {
                            boolean crash = random.nextInt(3) == 0;
                            (crash ? crashed : expected).add((crash ? "crash" : "m") + i);
                            ref.tell((crash ? "crash" : "m") + i);
                            if (random.nextInt(5) == 0) {
                                Fiber.snooze();
                            }
                        }
                        world.until(() -> log.size() == expected.size());
                        world.settle();
                        String at = "seed=" + seed;
                        assertEquals(expected, log, at);
                        assertEquals(
                                crashed.stream().map(m -> "crashing FAILED " + m).toList(),
                                world.deadLetters(),
                                at);
                    }
                });
    }
}
