package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;

/**
 * Rules A1 and A3: the turn in which an actor starts handles what was queued, and an end that was
 * asked for in its factory comes before that.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EndedInFactoryTest {
    private static final Duration LONG = Duration.ofHours(1);

    @ParameterizedTest
    @ValueSource(strings = {"terminate", "kill", "link", "nothing"})
    void A3_anEndThatIsAskedForInTheFactoryOvertakesWhatIsQueued(String what) {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> gone = world.spin("gone", Step.actor());
                    gone.stop();
                    gone.awaitEnd(LONG);
                    ActorRef<String> ref =
                            world.spin(
                                    "ended",
                                    Actor.<String>handler(
                                                    self -> {
                                                        end(self, gone, what);
                                                        return message -> {
                                                            log.add(message);
                                                            return Behavior.same();
                                                        };
                                                    })
                                            .restart(RestartRule.TEMPORARY));
                    ref.tell("a");
                    ref.tell("b");
                    world.settle();
                    boolean goesOn = what.equals("nothing");
                    assertEquals(goesOn ? List.of("a", "b") : List.of(), log);
                    assertEquals(
                            goesOn ? List.of() : List.of("ended ENDED a", "ended ENDED b"),
                            world.deadLetters());
                    ref.stop();
                    ref.awaitEnd(LONG);
                });
    }

    private static void end(ActorContext<String> self, ActorRef<?> gone, String what) {
        switch (what) {
            case "terminate" -> self.self().terminate();
            case "kill" -> self.self().kill();
            case "link" -> self.link(gone);
            default -> {} // goes on
        }
    }
}
