package dev.ropewalk.actors.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The code of the Javadoc and of the guide's page on state machines. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StateMachineSnippetsTest {
    /** What the door shows. */
    private static final List<String> LIGHT = new ArrayList<>();

    // @start region="door"
    sealed interface Door {}

    record Open() implements Door {}

    record Close() implements Door {}

    record Paint(String color) implements Door {}

    static Behavior<Door> closed(ActorContext<Door> self) {
        return Behavior.state(
                "closed",
                message ->
                        switch (message) {
                            case Open _ -> open(self);
                            case Close _ -> Behavior.same();
                            case Paint paint -> {
                                LIGHT.add("painted " + paint.color());
                                yield Behavior.same();
                            }
                        });
    }

    static Behavior<Door> open(ActorContext<Door> self) {
        return Behavior.state(
                "open",
                from -> {
                    LIGHT.add("green, was " + from);
                    self.stateTimeout(Duration.ofSeconds(5), new Close());
                    return Behavior.same();
                },
                message ->
                        switch (message) {
                            case Open _ -> Behavior.repeat(); // five seconds more
                            case Close _ -> closed(self);
                            case Paint _ -> {
                                self.postpone(); // until it is closed
                                yield Behavior.same();
                            }
                        });
    }

    static Actor<Door> door() {
        return Actor.handler(StateMachineSnippetsTest::closed);
    }

    // @end

    @Test
    void aDoor() {
        TestCord.run(
                () -> {
                    LIGHT.clear();
                    try (ActorSystem system = ActorSystem.start("house")) {
                        ActorRef<Door> door = system.spin("door", door());
                        door.tell(new Open());
                        door.tell(new Paint("blue"));
                        Fiber.sleep(Duration.ofSeconds(4));
                        door.tell(new Open());
                        Fiber.sleep(Duration.ofSeconds(4));
                        assertEquals(List.of("green, was closed", "green, was open"), LIGHT);
                        Fiber.sleep(Duration.ofSeconds(2));
                        assertEquals("painted blue", LIGHT.getLast());
                    }
                });
    }

    @Test
    void steps() throws Exception {
        LIGHT.clear();
        // @start region="steps"
        BehaviorSteps<Door> door = BehaviorSteps.of(door());
        door.run(new Open());
        door.run(new Paint("blue"));
        assertEquals("open", door.state());
        assertEquals(List.of(new Paint("blue")), door.postponed());

        door.fireNext(); // the state timeout
        assertEquals("closed", door.state());
        assertEquals(1, door.runQueued()); // the paint comes again
        // @end
        door.expectEffect(
                new Effect.TimerSet(
                        null, Effect.TimerKind.STATE, Duration.ofSeconds(5), new Close()));
        door.expectEffect(new Effect.Postponed(new Paint("blue")));
        assertEquals("painted blue", LIGHT.getLast());
    }

    /** Of three that come while it is open the first makes room for the third. */
    @Test
    void A1_aBoundOfWhatIsPostponed() {
        List<DeadLetter> letters = new ArrayList<>();
        TestCord.run(
                () -> {
                    LIGHT.clear();
                    letters.clear();
                    // @start region="bounded"
                    Actor<Door> door =
                            door().mailbox(
                                            MailboxOptions.unbounded()
                                                    .withPostponed(2, Overflow.DROP_OLD));
                    // @end
                    try (ActorSystem system =
                            ActorSystem.start("house", Supervision.oneForOne(), letters::add)) {
                        ActorRef<Door> ref = system.spin("door", door);
                        ref.tell(new Open());
                        for (String each : List.of("red", "green", "blue")) {
                            ref.tell(new Paint(each));
                        }
                        ref.tell(new Close());
                        Fiber.sleep(Duration.ofMillis(1));
                    }
                    assertEquals(
                            List.of("painted green", "painted blue"),
                            LIGHT.subList(LIGHT.size() - 2, LIGHT.size()));
                    assertEquals(1, letters.size(), letters::toString);
                    assertEquals(new Paint("red"), letters.getFirst().message());
                    assertEquals(DeadLetter.Reason.DISPLACED, letters.getFirst().reason());
                });
    }
}
