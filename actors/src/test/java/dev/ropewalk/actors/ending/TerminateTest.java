package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.List;
import java.util.function.Consumer;

/** Rule A3: terminate overtakes what is queued, and loses no message. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TerminateTest {
    /** All ways in which an actor takes its next message; "wait" makes it wait inside it. */
    private static List<Actor<String>> allStyles(List<String> log) {
        Consumer<String> take =
                message -> {
                    log.add(message);
                    if (message.equals("wait")) {
                        Fiber.suspend();
                    }
                };
        return List.of(
                Actor.handler(
                        _ -> {
                            log.add("start");
                            return message -> {
                                take.accept(message);
                                return Behavior.same();
                            };
                        }),
                loop(log, self -> take.accept(self.receive())),
                loop(log, self -> take.accept(self.receive(String.class))),
                loop(log, self -> take.accept(self.receive((String _) -> true))));
    }

    private static Actor<String> loop(List<String> log, Consumer<ActorContext<String>> turn) {
        return Actor.loop(
                self -> {
                    log.add("start");
                    for (; ; ) {
                        turn.accept(self);
                    }
                });
    }

    @Test
    void A3_overtakesTheQueue() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (Actor<String> actor : allStyles(log)) {
                        log.clear();
                        world.letters.clear();
                        ActorRef<String> ref = world.spin("transient", actor);
                        ref.tell("wait");
                        ref.tell("a");
                        world.settle();
                        ref.tell("b");
                        ref.terminate();
                        ref.terminate();
                        world.settle();
                        ref.tell("c");
                        world.settle();
                        assertEquals(List.of("start", "wait"), log);
                        assertEquals(
                                List.of(
                                        "transient FAILED wait",
                                        "transient ENDED a",
                                        "transient ENDED b",
                                        "transient ENDED c"),
                                world.deadLetters());
                        assertEquals(List.of(), world.failures);
                    }
                });
    }

    @Test
    void A3_aPermanentActorGoesOnWithItsMailbox() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (Actor<String> actor : allStyles(log)) {
                        log.clear();
                        world.letters.clear();
                        ActorRef<String> ref =
                                world.spin("permanent", actor.restart(RestartRule.PERMANENT));
                        ref.tell("wait");
                        ref.tell("a");
                        ref.tell("b");
                        world.settle();
                        ref.terminate();
                        world.settle();
                        ref.tell("c");
                        world.settle();
                        assertEquals(List.of("start", "wait", "start", "a", "b", "c"), log);
                        assertEquals(List.of("permanent FAILED wait"), world.deadLetters());
                        assertEquals(List.of(), world.failures);
                    }
                });
    }

    /** Also while it never waits: taking the next message is where a terminated actor ends. */
    @Test
    void A3_overtakesTheQueueOfAnActorThatNeverWaits() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (Actor<String> actor : allStyles(log)) {
                        log.clear();
                        world.letters.clear();
                        ActorRef<String> ref = world.spin("busy", actor);
                        world.settle();
                        world.on(
                                () -> {
                                    for (String message : List.of("a", "b", "c", "d")) {
                                        ref.tell(message);
                                    }
                                    ref.terminate();
                                    return true;
                                });
                        world.settle();
                        // What was handed over may still be processed.
                        if (!log.equals(List.of("start", "a"))) {
                            assertEquals(List.of("start"), log);
                        }
                        assertEquals(4, log.size() - 1 + world.letters.size());
                    }
                });
    }

    /** Handed to the waiting fiber, which is terminated before it runs: processed now or later. */
    @Test
    void A3_aMessageHandedOverButNotSeenIsNotLost() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (Actor<String> actor : allStyles(log)) {
                        log.clear();
                        world.letters.clear();
                        ActorRef<String> ref =
                                world.spin("waiting", actor.restart(RestartRule.PERMANENT));
                        world.settle();
                        world.on(
                                () -> {
                                    ref.tell("a");
                                    ref.tell("b");
                                    ref.terminate();
                                    ref.tell("c");
                                    return true;
                                });
                        world.settle();
                        if (!log.equals(List.of("start", "a", "start", "b", "c"))) {
                            assertEquals(List.of("start", "start", "a", "b", "c"), log);
                        }
                        assertEquals(List.of(), world.deadLetters());
                    }
                });
    }

    @Test
    void A3_aMessageHandedOverToAnActorThatEndsIsProcessedOrADeadLetter() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (Actor<String> actor : allStyles(log)) {
                        log.clear();
                        world.letters.clear();
                        ActorRef<String> ref = world.spin("waiting", actor);
                        world.settle();
                        world.on(
                                () -> {
                                    ref.tell("a");
                                    ref.terminate();
                                    return true;
                                });
                        world.settle();
                        boolean processed = log.equals(List.of("start", "a"));
                        assertEquals(
                                processed ? List.of() : List.of("waiting ENDED a"),
                                world.deadLetters());
                    }
                });
    }

    @Test
    void A3_aHandedOverStopIsNotLostToo() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (Actor<String> actor : allStyles(log)) {
                        log.clear();
                        ActorRef<String> ref =
                                world.spin("waiting", actor.restart(RestartRule.PERMANENT));
                        world.settle();
                        world.on(
                                () -> {
                                    ref.stop();
                                    ref.tell("a");
                                    ref.terminate();
                                    return true;
                                });
                        world.settle();
                        // One end may answer both.
                        if (!log.equals(List.of("start", "start", "a"))) {
                            assertEquals(List.of("start", "start", "start", "a"), log);
                        }
                    }
                });
    }

    @Test
    void A3_beforeTheFirstTurnTheActorNeverStarts() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (Actor<String> actor : allStyles(log)) {
                        world.letters.clear();
                        ActorRef<String> ref = world.spin("unstarted", actor);
                        ref.tell("a");
                        ref.terminate();
                        world.settle();
                        ref.tell("b");
                        world.settle();
                        assertEquals(List.of(), log);
                        assertEquals(
                                List.of("unstarted ENDED a", "unstarted ENDED b"),
                                world.deadLetters());
                    }
                });
    }

    /** The actor has failed, and its supervisor has not yet started it again. */
    @Test
    void A3_betweenFailureAndRestartEndsTheActor() {
        World.local(
                world -> {
                    List<ActorRef<String>> refs = World.log();
                    Supervision rules =
                            World.MANY_RESTARTS.onFailure(_ -> refs.getFirst().terminate());
                    List<String> log = World.log();
                    Supervisor supervisor = world.system.supervise("below", rules);
                    ActorRef<String> ref =
                            world.spin(
                                    supervisor,
                                    "failing",
                                    Actor.handler(
                                            _ ->
                                                    message -> {
                                                        log.add(message);
                                                        throw new IllegalStateException(message);
                                                    }));
                    refs.add(ref);
                    ref.tell("a");
                    ref.tell("b");
                    world.settle();
                    assertEquals(List.of("a"), log);
                    assertEquals(
                            List.of("failing FAILED a", "failing ENDED b"), world.deadLetters());
                });
    }

    @Test
    void A3_anActorMayTerminateItself() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "self-ending",
                                    Actor.handler(
                                            self ->
                                                    message -> {
                                                        log.add(message);
                                                        self.self().terminate();
                                                        if (message.equals("late")) {
                                                            Fiber.snooze();
                                                            log.add("not reached");
                                                        }
                                                        return Behavior.same();
                                                    }));
                    ref.tell("late");
                    ref.tell("queued");
                    world.settle();
                    assertEquals(List.of("late"), log);
                    assertEquals(
                            List.of("self-ending FAILED late", "self-ending ENDED queued"),
                            world.deadLetters());
                });
    }

    /** Each wait is in something that wraps what it throws. */
    private static List<Actor<String>> wrappingStyles() {
        return List.of(
                Actor.handler(
                        _ ->
                                message -> {
                                    wrapping(() -> Fiber.suspend());
                                    return Behavior.same();
                                }),
                Actor.loop(
                        self -> {
                            for (; ; ) {
                                wrapping(self::receive);
                            }
                        }));
    }

    private static void wrapping(Runnable wait) {
        try {
            wait.run();
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }

    /** The actor ends as it was asked to, and is not started again (rule F6). */
    @Test
    void F6_wrappedTerminationIsNoFailure() {
        World.anywhere(
                world -> {
                    for (Actor<String> actor : wrappingStyles()) {
                        ActorRef<String> ref = world.spin("transient", actor);
                        ref.tell("wait");
                        world.settle();
                        ref.terminate();
                        world.settle();
                        assertEquals(List.of(), world.failures);
                    }
                });
    }

    @Test
    void F6_wrappedStopIsNoFailure() {
        World.anywhere(
                world -> {
                    ActorRef<String> ref = world.spin("transient", wrappingStyles().getLast());
                    ref.tell("message");
                    ref.stop();
                    world.settle();
                    assertEquals(List.of(), world.failures);
                });
    }
}
