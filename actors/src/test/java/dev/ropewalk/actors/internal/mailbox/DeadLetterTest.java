package dev.ropewalk.actors.internal.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Rule A6: what a taker of dead letters tells may become a dead letter too, and that is the end.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class DeadLetterTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String OF_TAKER = "a taker of dead letters made another dead letter";

    private static ActorRef<Object> ended(ActorSystem system, Cord where, String name) {
        ActorRef<Object> ref =
                system.root().spin(where, name, Actor.handler(() -> _ -> Behavior.same()));
        ref.stop();
        assertTrue(ref.awaitEnd(HOUR));
        return ref;
    }

    private static void expectLogs(int lines) {
        for (int line = 0; line < lines; line++) {
            TestCord.expectLog(OF_TAKER);
        }
    }

    @Test
    void A6_aTakerThatTellsAnActorThatHasEnded() {
        TestCord.run(
                () -> {
                    expectLogs(5);
                    List<ActorRef<Object>> audit = new ArrayList<>();
                    List<Object> taken = new ArrayList<>();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "top",
                                    Supervision.oneForOne(),
                                    letter -> {
                                        taken.add(letter.message());
                                        audit.forEach(each -> each.tell(letter));
                                    })) {
                        audit.add(ended(system, Cord.current(), "audit"));
                        ActorRef<Object> gone = ended(system, Cord.current(), "gone");
                        for (int i = 0; i < 5; i++) {
                            gone.tell(i);
                        }
                        assertEquals(List.of(0, 1, 2, 3, 4), taken);
                        assertEquals(10, system.deadLetterCount());
                    }
                });
    }

    /** One is handed over, two wait. The displaced one may be another sender's. */
    @Test
    void A6_aTakerThatTellsAnActorWhoseMailboxDrops() {
        for (Overflow rule : List.of(Overflow.DROP_NEW, Overflow.DROP_OLD)) {
            TestCord.run(
                    () -> {
                        expectLogs(2);
                        List<ActorRef<Object>> audit = new ArrayList<>();
                        List<Object> taken = new ArrayList<>();
                        try (ActorSystem system =
                                ActorSystem.start(
                                        "top",
                                        Supervision.oneForOne(),
                                        letter -> {
                                            taken.add(letter.message());
                                            audit.forEach(each -> each.tell(letter.message()));
                                        })) {
                            audit.add(
                                    system.spin(
                                            "audit",
                                            Actor.handler(() -> _ -> Behavior.same())
                                                    .mailbox(
                                                            MailboxOptions.bounded(2)
                                                                    .withOverflow(rule))));
                            Fiber.sleep(HOUR); // it waits
                            ActorRef<Object> gone = ended(system, Cord.current(), "gone");
                            for (int i = 0; i < 5; i++) {
                                gone.tell(i);
                            }
                            assertEquals(List.of(0, 1, 2, 3, 4), taken, rule + "");
                            assertEquals(7, system.deadLetterCount(), rule + "");
                        }
                    });
        }
    }

    /** What comes to another cord is no more than what comes here. */
    @Test
    void A6_aTakerThatTellsActorsOfOtherCords() {
        TestCords.run(
                3,
                1,
                true,
                cords -> {
                    expectLogs(6);
                    List<ActorRef<Object>> audits = new ArrayList<>();
                    AtomicInteger taken = new AtomicInteger();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "top",
                                    Supervision.oneForOne(),
                                    letter -> {
                                        taken.incrementAndGet();
                                        audits.forEach(each -> each.tell(letter.message()));
                                    })) {
                        for (Cord each : cords) {
                            audits.add(ended(system, each, "audit on " + each.name()));
                        }
                        ActorRef<Object> gone = ended(system, cords.getLast(), "gone");
                        gone.tell("one");
                        gone.tell("two");
                        Fiber.sleep(HOUR);
                        assertEquals(2, taken.get());
                        assertEquals(8, system.deadLetterCount());
                    }
                });
    }

    private static final int MANY = 100;

    /** What it asks, or has an adapter make a message of, comes from it too. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void A6_aTakerThatAsksOrRepliesToActorsOfOtherCords(boolean asks) {
        TestCords.run(
                3,
                1,
                true,
                cords -> {
                    expectLogs(6);
                    List<Consumer<Object>> audits = World.log();
                    AtomicInteger taken = new AtomicInteger();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "top",
                                    Supervision.oneForOne(),
                                    letter -> {
                                        if (taken.incrementAndGet() < MANY) {
                                            audits.forEach(each -> each.accept(letter.message()));
                                        }
                                    })) {
                        List<Consumer<Object>> made = World.log();
                        for (Cord each : cords) {
                            made.add(endedAudit(system, each, asks));
                        }
                        audits.addAll(made);
                        ActorRef<Object> gone = ended(system, cords.getLast(), "gone");
                        gone.tell("one");
                        gone.tell("two");
                        Fiber.sleep(HOUR);
                        assertEquals(2, taken.get());
                        assertEquals(8, system.deadLetterCount());
                    }
                });
    }

    private static Consumer<Object> endedAudit(ActorSystem system, Cord where, boolean asks) {
        List<Recipient<Object>> adapters = World.log();
        ActorRef<Object> ref =
                system.root()
                        .spin(
                                where,
                                "audit on " + where.name(),
                                Actor.<Object>handler(
                                        (ActorContext<Object> self) -> {
                                            adapters.add(self.adapt((Object o) -> o));
                                            return _ -> Behavior.same();
                                        }));
        Fiber.sleep(Duration.ofSeconds(1));
        ref.stop();
        assertTrue(ref.awaitEnd(HOUR));
        return message -> {
            if (asks) {
                var _ = ref.<Object>askLater(_ -> message, HOUR);
            } else {
                adapters.getFirst().tell(message);
            }
        };
    }

    /** The reply is what its ask has led to. */
    @Test
    void A6_aTakerThatDoesNotWaitForTheReply() {
        TestCord.run(
                () -> {
                    expectLogs(2);
                    List<ActorRef<Recipient<String>>> audit = World.log();
                    List<Object> taken = World.log();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "top",
                                    Supervision.oneForOne(),
                                    letter -> {
                                        taken.add(letter.message());
                                        if (taken.size() < MANY) {
                                            var _ =
                                                    audit.getFirst()
                                                            .<String>askLater(
                                                                    to -> to, Duration.ofMillis(1));
                                        }
                                    })) {
                        audit.add(
                                system.spin(
                                        "audit",
                                        Actor.<Recipient<String>>handler(
                                                () ->
                                                        to -> {
                                                            Fiber.sleep(Duration.ofSeconds(1));
                                                            to.tell("late");
                                                            return Behavior.same();
                                                        })));
                        ActorRef<Object> gone = ended(system, Cord.current(), "gone");
                        gone.tell("one");
                        gone.tell("two");
                        Fiber.sleep(HOUR);
                        assertEquals(List.of("one", "two"), taken);
                        assertEquals(4, system.deadLetterCount());
                    }
                });
    }

    /** It bears its mark through the mailbox. */
    @Test
    void A6_aTakerThatTellsAnActorThatHasNoUseForIt() {
        TestCord.run(
                () -> {
                    expectLogs(2);
                    List<ActorRef<Object>> audit = new ArrayList<>();
                    List<Object> taken = new ArrayList<>();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "top",
                                    Supervision.oneForOne(),
                                    letter -> {
                                        taken.add(letter.message());
                                        audit.forEach(each -> each.tell(letter.message()));
                                    })) {
                        audit.add(
                                system.spin(
                                        "audit", Actor.handler(() -> _ -> Behavior.unhandled())));
                        ActorRef<Object> gone = ended(system, Cord.current(), "gone");
                        gone.tell("one");
                        gone.tell("two");
                        Fiber.sleep(HOUR);
                        assertEquals(List.of("one", "two"), taken);
                        assertEquals(4, system.deadLetterCount());
                    }
                });
    }

    @Test
    void A6_takersOfTwoSystemsThatTellEachOthersActors() {
        TestCord.run(
                () -> {
                    expectLogs(1);
                    List<ActorRef<Object>> ofOne = new ArrayList<>();
                    List<ActorRef<Object>> ofTwo = new ArrayList<>();
                    try (ActorSystem one =
                                    ActorSystem.start(
                                            "one",
                                            Supervision.oneForOne(),
                                            letter -> ofTwo.forEach(each -> each.tell(letter)));
                            ActorSystem two =
                                    ActorSystem.start(
                                            "two",
                                            Supervision.oneForOne(),
                                            letter -> ofOne.forEach(each -> each.tell(letter)))) {
                        ofOne.add(ended(one, Cord.current(), "gone"));
                        ofTwo.add(ended(two, Cord.current(), "gone"));
                        ofOne.getFirst().tell("lost");
                        assertEquals(1, one.deadLetterCount());
                        assertEquals(1, two.deadLetterCount());
                    }
                });
    }

    /** It must not wait; if it does, only its own fiber is inside it. */
    @Test
    void A6_aTakerThatWaitsKeepsNoLetterOfOthers() {
        TestCord.run(
                () -> {
                    List<Object> taken = new ArrayList<>();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "top",
                                    Supervision.oneForOne(),
                                    letter -> {
                                        taken.add(letter.message());
                                        Fiber.sleep(HOUR);
                                    })) {
                        ActorRef<Object> gone = ended(system, Cord.current(), "gone");
                        Fiber<?> one = Fiber.spin("one", () -> gone.tell("one"));
                        Fiber<?> two = Fiber.spin("two", () -> gone.tell("two"));
                        one.await();
                        two.await();
                        assertEquals(2, taken.size());
                    }
                });
    }

    /** The same kind: a hook that tells again what was replaced replaces what it was called for. */
    @Test
    void A3_aHookOfReplacedMessagesIsNotCalledFromWithinItself() {
        TestCord.run(
                () -> {
                    List<ActorRef<String>> ref = new ArrayList<>();
                    List<String> hooked = new ArrayList<>();
                    List<Object> lost = new ArrayList<>();
                    List<String> handled = new ArrayList<>();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "top",
                                    Supervision.oneForOne(),
                                    letter -> lost.add(letter.message()))) {
                        ref.add(
                                system.spin(
                                        "newest",
                                        Actor.<String>handler(
                                                        () ->
                                                                message -> {
                                                                    handled.add(message);
                                                                    return Behavior.same();
                                                                })
                                                .conflate(
                                                        _ -> "key",
                                                        old -> {
                                                            hooked.add(old);
                                                            ref.getFirst().tell(old);
                                                        })));
                        ref.getFirst().tell("1");
                        ref.getFirst().tell("2");
                        Fiber.sleep(HOUR);
                        assertEquals(List.of("1"), hooked);
                        assertEquals(List.of("2"), lost);
                        assertEquals(List.of("1"), handled);
                    }
                });
    }
}
