package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.List;

/** Rule A3: stop is a message in order. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StopTest {
    private static Actor<String> handler(List<String> log) {
        return Actor.handler(
                _ -> {
                    log.add("start");
                    return message -> {
                        Fiber.snooze();
                        log.add(message);
                        return Behavior.same();
                    };
                });
    }

    private static Actor<String> loop(List<String> log) {
        return Actor.loop(
                self -> {
                    log.add("start");
                    for (; ; ) {
                        String message = self.receive();
                        Fiber.snooze();
                        log.add(message);
                    }
                });
    }

    private static List<Actor<String>> both(List<String> log) {
        return List.of(handler(log), loop(log));
    }

    @Test
    void A3_whatIsToldAfterIsADeadLetter() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (Actor<String> actor : both(log)) {
                        log.clear();
                        world.letters.clear();
                        ActorRef<String> ref = world.spin("transient", actor);
                        ref.tell("before");
                        ref.stop();
                        ref.tell("after");
                        world.settle();
                        ref.tell("much later");
                        ref.stop();
                        ref.terminate();
                        world.settle();
                        assertEquals(List.of("start", "before"), log);
                        assertEquals(
                                List.of("transient ENDED after", "transient ENDED much later"),
                                world.deadLetters());
                        assertEquals(List.of(), world.failures);
                    }
                });
    }

    @Test
    void A3_aPermanentActorGoesOnWithWhatIsToldAfter() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (Actor<String> actor : both(log)) {
                        log.clear();
                        ActorRef<String> ref =
                                world.spin("permanent", actor.restart(RestartRule.PERMANENT));
                        ref.tell("before");
                        ref.stop();
                        ref.tell("after");
                        ref.stop();
                        ref.stop();
                        world.settle();
                        assertEquals(
                                List.of("start", "before", "start", "after", "start", "start"),
                                log);
                        assertEquals(List.of(), world.deadLetters());
                    }
                });
    }

    @Test
    void A3_passesASelectiveReceive() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    List<Actor<Object>> selecting =
                            List.of(
                                    Actor.loop(self -> log.add(self.receive(String.class))),
                                    Actor.loop(
                                            self ->
                                                    log.add(
                                                            (String)
                                                                    self.receive(
                                                                            "wanted"::equals))));
                    for (Actor<Object> actor : selecting) {
                        for (boolean waiting : List.of(true, false)) {
                            world.letters.clear();
                            ActorRef<Object> ref = world.spin("selecting", actor);
                            ref.tell(1);
                            if (waiting) {
                                world.settle();
                            }
                            ref.stop();
                            ref.tell("wanted");
                            world.settle();
                            assertEquals(List.of(), log);
                            assertEquals(
                                    List.of("selecting ENDED 1", "selecting ENDED wanted"),
                                    world.deadLetters());
                        }
                    }
                });
    }

    @Test
    void A3_isNotSwallowedByACatchOfExceptions() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "careless",
                                    Actor.loop(
                                            self -> {
                                                try {
                                                    self.receive();
                                                } catch (Exception e) {
                                                    log.add("swallowed");
                                                } finally {
                                                    log.add("finally");
                                                }
                                            }));
                    world.settle();
                    ref.stop();
                    world.settle();
                    assertEquals(List.of("finally"), log);
                    assertEquals(List.of(), world.failures);
                });
    }

    @Test
    void A3_everyLaterReceiveRaisesAgain() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "stubborn",
                                    Actor.loop(
                                            self -> {
                                                for (int i = 0; i < 3; i++) {
                                                    try {
                                                        log.add(self.receive());
                                                    } catch (Error stop) {
                                                        log.add(
                                                                Errors.inShort(
                                                                        String.valueOf(
                                                                                stop
                                                                                        .getMessage())));
                                                    }
                                                }
                                            }));
                    ref.stop();
                    ref.tell("never");
                    world.settle();
                    String asked = "stubborn was asked to stop";
                    assertEquals(List.of(asked, asked, asked), log);
                    assertEquals(List.of("stubborn ENDED never"), world.deadLetters());
                    assertEquals(List.of(), world.failures);
                });
    }

    @Test
    void A3_anActorMayStopItself() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "self-stopping",
                                    Actor.handler(
                                            self ->
                                                    message -> {
                                                        log.add(message);
                                                        self.self().stop();
                                                        return Behavior.same();
                                                    }));
                    ref.tell("a");
                    world.settle();
                    ref.tell("b");
                    world.settle();
                    assertEquals(List.of("a"), log);
                    assertEquals(List.of("self-stopping ENDED b"), world.deadLetters());
                });
    }
}
