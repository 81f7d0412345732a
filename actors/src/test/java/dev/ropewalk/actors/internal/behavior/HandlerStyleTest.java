package dev.ropewalk.actors.internal.behavior;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Peek;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Rule A1: a behavior gets one message at a time and returns the next behavior. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HandlerStyleTest {
    private static <M> Actor<M> temporary(Function<ActorContext<M>, Behavior<M>> factory) {
        return Actor.handler(factory).restart(RestartRule.TEMPORARY);
    }

    @Test
    void A1_signFromTheFactoryThatThereIsNothingToGoOnWith() {
        World.anywhere(
                world -> {
                    ActorRef<String> ref = world.spin("new", temporary(_ -> Behavior.same()));
                    ref.tell("early");
                    world.settle();
                    assertEquals(
                            List.of(
                                    "new: new: the factory returned Behavior.same(), but there is"
                                            + " no behavior yet"),
                            world.failures);
                    assertEquals(List.of("new ENDED early"), world.deadLetters());
                });
    }

    @Test
    void A1_factoryThatReturnsNothing() {
        World.anywhere(
                world -> {
                    world.spin("none", temporary(_ -> nothing()));
                    world.settle();
                    assertEquals(
                            List.of(
                                    "none: none: the factory returned null; it returns the first"
                                            + " behavior"),
                            world.failures);
                });
    }

    @Test
    void A1_behaviorThatReturnsNothing() {
        World.anywhere(
                world -> {
                    ActorRef<String> ref = world.spin("none", temporary(_ -> _ -> nothing()));
                    ref.tell("message");
                    world.settle();
                    assertEquals(
                            List.of(
                                    "none: none: the behavior returned null for message; return"
                                            + " Behavior.same(), or the next behavior"),
                            world.failures);
                    assertEquals(List.of("none FAILED message"), world.deadLetters());
                });
    }

    @SuppressWarnings("NullAway") // what user code without null checks may return
    private static <M> Behavior<M> nothing() {
        return null;
    }

    @Test
    void A1_signHandlesNoMessage() {
        World.anywhere(
                world -> {
                    Behavior<String> same = Behavior.same();
                    ActorRef<String> ref =
                            world.spin(
                                    "misled", temporary(_ -> message -> same.onMessage(message)));
                    ref.tell("hello");
                    world.settle();
                    assertEquals(
                            List.of(
                                    "misled: Behavior.same() is a sign to return from onMessage or"
                                            + " a factory; it cannot handle hello"),
                            world.failures);
                    assertEquals("stopped", Behavior.stopped().toString());
                });
    }

    @Test
    void A1_factoryThatStopsEndsTheActorNormally() {
        World.anywhere(
                world -> {
                    ActorRef<String> ref =
                            world.spin("brief", Actor.handler(_ -> Behavior.stopped()));
                    ref.tell("early");
                    world.settle();
                    assertEquals(List.of(), world.failures);
                    assertEquals(List.of("brief ENDED early"), world.deadLetters());
                });
    }

    @Test
    void A1_oneMessageAtATimeEachByTheBehaviorOfTheLast() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref = world.spin("states", Actor.handler(_ -> odd(log)));
                    for (String message : List.of("a", "b", "c", "stop", "d")) {
                        ref.tell(message);
                    }
                    world.settle();
                    assertEquals(List.of("odd a", "even b", "odd c", "even stop"), log);
                    assertEquals(List.of("states ENDED d"), world.deadLetters());
                });
    }

    private static Behavior<String> odd(List<String> log) {
        return message -> {
            log.add("odd " + message);
            return even(log);
        };
    }

    private static Behavior<String> even(List<String> log) {
        return message -> {
            log.add("even " + message);
            return message.equals("stop") ? Behavior.stopped() : odd(log);
        };
    }

    @Test
    void A1_waitsInsideAMessageWhileLaterOnesQueue() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "waiting",
                                    Actor.handler(
                                            _ ->
                                                    message -> {
                                                        log.add("begin " + message);
                                                        Fiber.snooze();
                                                        Fiber.sleep(Duration.ofNanos(10));
                                                        log.add("end " + message);
                                                        return Behavior.same();
                                                    }));
                    ref.tell("a");
                    world.settle();
                    ref.tell("b");
                    ref.tell("c");
                    world.until(() -> log.size() == 6);
                    assertEquals(
                            List.of("begin a", "end a", "begin b", "end b", "begin c", "end c"),
                            log);
                });
    }

    @Test
    void A1_keepsNoStackExceptWhileItWaitsInsideAMessage() {
        World.anywhere(
                world -> {
                    List<@Nullable Fiber<?>> fibers = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "stackless",
                                    Actor.handler(
                                            _ -> {
                                                fibers.add(Fiber.current());
                                                return message -> {
                                                    if (message.equals("wait")) {
                                                        Fiber.suspend();
                                                    }
                                                    return Behavior.same();
                                                };
                                            }));
                    world.settle();
                    Fiber<?> fiber = java.util.Objects.requireNonNull(fibers.getFirst());
                    assertFalse(world.on(() -> Peek.hasStack(fiber)), "before the first message");
                    ref.tell("quick");
                    world.settle();
                    assertFalse(world.on(() -> Peek.hasStack(fiber)), "after a quick message");
                    ref.tell("wait");
                    world.settle();
                    assertTrue(world.on(() -> Peek.hasStack(fiber)), "while it waits");
                    fiber.schedule("go on");
                    world.settle();
                    assertFalse(world.on(() -> Peek.hasStack(fiber)), "after it waited");
                });
    }

    @Test
    void A1_turnHandlesWhatWasQueuedUpToABound() {
        inOrder(
                system -> {
                    List<String> log = World.log();
                    Actor<Integer> noting =
                            Actor.handler(
                                    self ->
                                            message -> {
                                                log.add(self.self().name() + message);
                                                return Behavior.same();
                                            });
                    ActorRef<Integer> a = system.start("a", noting);
                    ActorRef<Integer> b = system.start("b", noting);
                    for (int i = 0; i < 1_000; i++) {
                        a.tell(i);
                        b.tell(i);
                    }
                    Fiber.sleep(Duration.ofNanos(1));
                    int longest = longestRun(log);
                    // The one in hand, and what was queued: fewer where the cord is marked.
                    assertTrue(longest > 1 && longest <= 1 + 128, "longest=" + longest);
                    assertEquals(2_000, log.size());
                });
    }

    /** On one cord whose fibers run in the order in which they became runnable. */
    private static void inOrder(Consumer<ActorSystem> body) {
        TestCord.run(
                1,
                false,
                () -> {
                    try (ActorSystem system = ActorSystem.start("system")) {
                        body.accept(system);
                    }
                });
    }

    private static int longestRun(List<String> log) {
        int longest = 0;
        int run = 0;
        for (int i = 0; i < log.size(); i++) {
            run = i > 0 && log.get(i).charAt(0) == log.get(i - 1).charAt(0) ? run + 1 : 1;
            longest = Math.max(longest, run);
        }
        return longest;
    }

    /** Rule A1: an actor that ends itself at message 3 does not handle 20. */
    @Test
    void A1_turnEndsWhenASignalWaits() {
        World.anywhere(
                world -> {
                    List<Integer> log = World.log();
                    ActorRef<Integer> ref =
                            world.spin(
                                    "ending",
                                    Actor.handler(
                                            self ->
                                                    message -> {
                                                        log.add(message);
                                                        if (message == 3) {
                                                            self.self().terminate();
                                                        }
                                                        return Behavior.same();
                                                    }));
                    for (int i = 1; i <= 20; i++) {
                        ref.tell(i);
                    }
                    world.settle();
                    assertEquals(List.of(1, 2, 3), log);
                    assertEquals(17, world.letters.size());
                });
    }

    /** Rule A1: a turn does not handle what it sends to itself. */
    @Test
    void A1_turnHandlesWhatWasQueuedWhenItBegan() {
        inOrder(
                system -> {
                    List<String> log = World.log();
                    ActorRef<Integer> ref =
                            system.start(
                                    "counting",
                                    Actor.handler(
                                            self ->
                                                    left -> {
                                                        log.add("a");
                                                        if (left > 0) {
                                                            self.self().tell(left - 1);
                                                        }
                                                        return Behavior.same();
                                                    }));
                    Fiber.spin(
                            "other",
                            () -> {
                                for (int i = 0; i < 50; i++) {
                                    log.add("b");
                                    Fiber.snooze();
                                }
                            });
                    ref.tell(40);
                    Fiber.sleep(Duration.ofNanos(1));
                    int longest = longestRun(log.subList(0, 40));
                    assertTrue(longest <= 2, log.toString());
                });
    }

    /** Rule A1: what a behavior has no use for is told, and the actor goes on. */
    @Test
    void A1_unhandledMessageIsReportedAndTheActorGoesOn() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "picky",
                                    Actor.handler(
                                            _ ->
                                                    message -> {
                                                        if (!(message instanceof String)) {
                                                            return Behavior.unhandled();
                                                        }
                                                        log.add(message);
                                                        return Behavior.same();
                                                    }));
                    ref.tell("a");
                    ref.tell(1);
                    ref.tell("b");
                    AskFailedException failed =
                            assertThrows(AskFailedException.class, () -> ref.<String>ask(to -> to));
                    Errors.assertMentions(failed, "picky", "no use");
                    ref.tell("c");
                    world.settle();
                    assertEquals(List.of("a", "b", "c"), log);
                    assertEquals(2, world.letters.size());
                    assertEquals("picky UNHANDLED 1", world.deadLetters().getFirst());
                    assertEquals(2, world.system.deadLetterCount());
                    assertEquals(List.of(), world.failures);
                });
    }
}
