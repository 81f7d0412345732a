package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
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
                                            + " none yet"),
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
                    assertEquals(List.of("none: first behavior"), world.failures);
                });
    }

    @Test
    void A1_behaviorThatReturnsNothing() {
        World.anywhere(
                world -> {
                    ActorRef<String> ref = world.spin("none", temporary(_ -> _ -> nothing()));
                    ref.tell("message");
                    world.settle();
                    assertEquals(List.of("none: next behavior"), world.failures);
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
    void A1_onlyTheFirstMessageOfManyHasItsTurnBeforeTheOtherFibers() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Actor<Integer> noting =
                            Actor.handler(
                                    self ->
                                            message -> {
                                                log.add(self.self().name() + message);
                                                return Behavior.same();
                                            });
                    ActorRef<Integer> a = world.spin("a", noting);
                    ActorRef<Integer> b = world.spin("b", noting);
                    world.settle();
                    for (int i = 0; i < 100; i++) {
                        a.tell(i);
                        b.tell(i);
                    }
                    world.settle();
                    // Not all of one actor's messages come before the other's first.
                    assertTrue(log.indexOf("a99") > log.indexOf("b0"), log.toString());
                    assertTrue(log.indexOf("b99") > log.indexOf("a0"), log.toString());
                    assertEquals(200, log.size());
                });
    }
}
