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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Rule A5: which ends of an actor are followed by a restart. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RestartRuleTest {
    /** How the actor ends. */
    enum End {
        NORMAL,
        STOP,
        FAILURE,
        FAILED_ERROR,
        /** What it awaited was terminated: its own failure, not its own termination. */
        FAILED_AWAIT,
        TERMINATE,
        TERMINATE_IN_MESSAGE;

        boolean isFailure() {
            return this == FAILURE || this == FAILED_ERROR || this == FAILED_AWAIT;
        }
    }

    static Stream<Arguments> everyCombination() {
        List<Arguments> all = new ArrayList<>();
        for (RestartRule rule : RestartRule.values()) {
            for (End end : End.values()) {
                all.add(Arguments.of(rule, end, "handler"));
                all.add(Arguments.of(rule, end, "loop"));
            }
        }
        return all.stream();
    }

    private static Actor<End> actor(String style, List<String> log) {
        return style.equals("handler")
                ? Actor.handler(
                        _ -> {
                            log.add("start");
                            return message ->
                                    goesOn(message) ? Behavior.same() : Behavior.stopped();
                        })
                : Actor.loop(
                        self -> {
                            log.add("start");
                            while (goesOn(self.receive())) {
                                Fiber.snooze();
                            }
                        });
    }

    private static boolean goesOn(End end) {
        switch (end) {
            case NORMAL -> {
                return false;
            }
            case FAILURE -> throw new Crash("failure");
            case FAILED_ERROR -> throw new AssertionError("an error is a failure too");
            case FAILED_AWAIT -> {
                Fiber<?> other = Fiber.spin(() -> Fiber.suspend());
                other.terminate();
                other.await();
            }
            case TERMINATE_IN_MESSAGE -> Fiber.suspend();
            case STOP, TERMINATE -> throw new IllegalArgumentException("no message: " + end);
        }
        return true;
    }

    @ParameterizedTest
    @MethodSource("everyCombination")
    void A5_eachRuleForEachEnd(RestartRule rule, End end, String style) {
        boolean again =
                rule == RestartRule.PERMANENT || (rule == RestartRule.TRANSIENT && end.isFailure());
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<End> ref = world.spin("actor", actor(style, log).restart(rule));
                    world.settle();
                    for (int round = 1; round <= 3; round++) {
                        switch (end) {
                            case STOP -> ref.stop();
                            case TERMINATE -> ref.terminate();
                            default -> ref.tell(end);
                        }
                        world.settle();
                        if (end == End.TERMINATE_IN_MESSAGE) {
                            ref.terminate();
                            world.settle();
                        }
                    }
                    int starts = again ? 4 : 1;
                    assertEquals(starts, log.size());
                    assertEquals(starts - 1, world.system.root().restarts());
                    assertEquals(
                            end.isFailure() ? (again ? 3 : 1) : 0,
                            world.failures.size(),
                            world.failures.toString());
                    world.letters.clear();
                    ref.tell(End.NORMAL);
                    world.settle();
                    assertEquals(
                            again ? List.of() : List.of("actor ENDED NORMAL"), world.deadLetters());
                });
    }

    @Test
    void A5_whereAnActorHasNoRuleItsSupervisorSays() {
        assertEquals(
                "handler, Drop[], unbounded", Actor.handler(_ -> Behavior.stopped()).toString());
        assertEquals("loop, Drop[], unbounded", Actor.loop(_ -> {}).toString());
    }

    @Test
    void A5_aSiblingOfAnEndedActorGoesOn() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<End> steady = world.spin("steady", actor("loop", log));
                    world.settle();
                    for (End end : List.of(End.NORMAL, End.FAILURE, End.TERMINATE_IN_MESSAGE)) {
                        world.spin("passing " + end, actor("handler", World.log())).tell(end);
                    }
                    world.settle();
                    steady.tell(End.TERMINATE_IN_MESSAGE);
                    world.settle();
                    assertEquals(List.of("start"), log);
                    assertEquals(1, world.system.root().restarts());
                });
    }
}
