package dev.ropewalk.actors.internal.behavior;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorTimer;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Timers;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;

/** Rule A6: timers die with their actor. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TimersTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static long seconds() {
        return Cord.current().nanoTime() / 1_000_000_000;
    }

    private static Step note(List<String> log, String what) {
        long setAt = seconds();
        return Step.of(_ -> log.add(what + " " + (seconds() - setAt)));
    }

    private static void local(World.Body body) {
        World.local(body);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void A6_once(boolean isLoop) {
        local(
                world -> {
                    List<String> log = World.log();
                    List<ActorTimer> timers = World.log();
                    Step.Code start =
                            self ->
                                    timers.add(
                                            self.timers()
                                                    .once(Duration.ofSeconds(3), note(log, "t")));
                    world.spin("actor", isLoop ? Step.loop(start) : Step.actor(start));
                    world.settle();
                    assertTrue(timers.getFirst().isActive());
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(List.of("t 3"), log);
                    assertFalse(timers.getFirst().isActive());
                });
    }

    @Test
    void A6_fixedRateDoesNotDriftAndMakesNoBursts() {
        local(
                world -> {
                    List<String> log = World.log();
                    world.spin(
                            "actor",
                            Step.actor(
                                    self -> {
                                        long setAt = seconds();
                                        self.timers()
                                                .fixedRate(
                                                        SECOND,
                                                        Step.of(
                                                                _ -> {
                                                                    log.add(
                                                                            ""
                                                                                    + (seconds()
                                                                                            - setAt));
                                                                    if (log.size() == 2) {
                                                                        Fiber.sleep(
                                                                                Duration.ofMillis(
                                                                                        3_500));
                                                                    }
                                                                }));
                                    }));
                    Fiber.sleep(Duration.ofMillis(8_500));
                    assertEquals(List.of("1", "2", "6", "7", "8"), log);
                });
    }

    @Test
    void A6_fixedDelayCountsFromTheEndOfTheMessage() {
        local(
                world -> {
                    List<String> log = World.log();
                    world.spin(
                            "actor",
                            Step.actor(
                                    self -> {
                                        long setAt = seconds();
                                        self.timers()
                                                .fixedDelay(
                                                        SECOND,
                                                        Step.of(
                                                                _ -> {
                                                                    log.add(
                                                                            ""
                                                                                    + (seconds()
                                                                                            - setAt));
                                                                    Fiber.sleep(SECOND);
                                                                }));
                                    }));
                    Fiber.sleep(Duration.ofMillis(7_500));
                    assertEquals(List.of("1", "3", "5", "7"), log);
                });
    }

    @Test
    void A6_aTimerOfTheSameNameTakesItsPlace() {
        local(
                world -> {
                    List<String> log = World.log();
                    world.spin(
                            "actor",
                            Step.actor(
                                    self -> {
                                        Timers<Step> timers = self.timers();
                                        timers.once("n", SECOND, note(log, "old"));
                                        timers.once("n", Duration.ofSeconds(2), note(log, "new"));
                                        assertTrue(timers.isActive("n"));
                                        assertFalse(timers.isActive("m"));
                                        assertFalse(timers.cancel("m"));
                                    }));
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(List.of("new 2"), log);
                });
    }

    /** A message of a timer that waits in the mailbox does not come once the timer is cancelled. */
    @ParameterizedTest
    @ValueSource(strings = {"handler", "loop", "type", "predicate"})
    void A6_whatIsCancelledDoesNotComeThoughItIsQueued(String style) {
        local(
                world -> {
                    List<String> log = World.log();
                    Step.Code start =
                            self -> {
                                ActorTimer timer =
                                        self.timers().once(SECOND, note(log, "cancelled"));
                                self.timers().once("kept", SECOND, note(log, "kept"));
                                self.self()
                                        .tell(
                                                Step.of(
                                                        _ -> {
                                                            Fiber.sleep(Duration.ofSeconds(3));
                                                            timer.cancel();
                                                            assertFalse(timer.isActive());
                                                        }));
                            };
                    Actor<Step> actor =
                            switch (style) {
                                case "handler" -> Step.actor(start);
                                case "loop" -> Step.loop(start);
                                default ->
                                        Actor.loop(
                                                (ActorContext<Step> self) -> {
                                                    start.run(self);
                                                    for (; ; ) {
                                                        Step step =
                                                                style.equals("type")
                                                                        ? self.receive(Step.class)
                                                                        : self.receive(
                                                                                (Step _) -> true);
                                                        step.run(self);
                                                    }
                                                });
                            };
                    ActorRef<Step> ref = world.spin("actor", actor);
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(List.of("kept 3"), log);
                    assertEquals(0, ref.mailbox().queued());
                });
    }

    /** At most one message of a timer is in the mailbox, and it needs no room. */
    @Test
    void A6_anActorIsNotFloodedByItsOwnTimers() {
        local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                                    self ->
                                                            self.timers()
                                                                    .fixedRate(
                                                                            SECOND,
                                                                            note(log, "tick")))
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(Overflow.FAIL)));
                    ref.tell(Step.of(_ -> Fiber.sleep(Duration.ofSeconds(100))));
                    world.settle();
                    ref.tell(Step.of(_ -> log.add("told")));
                    Fiber.sleep(Duration.ofSeconds(50));
                    assertEquals(2, ref.mailbox().queued());
                    assertThrows(
                            MailboxFullException.class,
                            () -> ref.tell(Step.of(_ -> log.add("no"))));
                    Fiber.sleep(Duration.ofMillis(50_500));
                    assertEquals(List.of("told", "tick 100"), log);
                });
    }

    @Test
    void A6_theyDieWithTheIncarnation() {
        local(
                world -> {
                    List<String> log = World.log();
                    List<String> starts = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                            self -> {
                                                starts.add("start");
                                                if (starts.size() == 1) {
                                                    self.timers().fixedRate(SECOND, note(log, "t"));
                                                    self.timers().once(SECOND, Step.crash("timer"));
                                                }
                                            }));
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(2, starts.size());
                    assertEquals(List.of("t 1"), log);
                    ref.stop();
                    world.settle();
                    assertEquals(1, world.letters.size()); // the one that it failed on
                });
    }

    @Test
    void A6_withKeepStateTheyGoOn() {
        local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                                    self ->
                                                            self.timers()
                                                                    .fixedRate(
                                                                            SECOND, note(log, "t")))
                                            .keepState());
                    Fiber.sleep(Duration.ofMillis(1_500));
                    ref.tell(Step.crash("keep"));
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(List.of("t 1", "t 2"), log);
                    ref.stop();
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(List.of("t 1", "t 2"), log);
                });
    }

    @Test
    void A6_cancelAll() {
        local(
                world -> {
                    List<String> log = World.log();
                    world.spin(
                            "actor",
                            Step.actor(
                                    self -> {
                                        self.timers().once(SECOND, note(log, "a"));
                                        self.timers().fixedRate("b", SECOND, note(log, "b"));
                                        self.timers().fixedDelay("c", SECOND, note(log, "c"));
                                        self.timers().cancelAll();
                                        self.timers().once(SECOND, note(log, "d"));
                                    }));
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(List.of("d 1"), log);
                });
    }

    @Test
    void A6_onAnotherCord() {
        World.remote(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                            self ->
                                                    self.timers()
                                                            .fixedRate(
                                                                    Duration.ofMillis(1),
                                                                    Step.of(_ -> log.add("t")))));
                    world.until(() -> log.size() >= 3);
                    ref.stop();
                    assertTrue(ref.awaitEnd(Duration.ofSeconds(30)));
                    int ticks = log.size();
                    world.settle();
                    assertEquals(ticks, log.size());
                });
    }

    @Test
    void A6_misuse() {
        local(
                world -> {
                    List<String> log = World.log();
                    world.spin(
                            "actor",
                            Step.actor(
                                    self -> {
                                        Timers<Step> timers = self.timers();
                                        for (Duration bad :
                                                List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
                                            assertThrows(
                                                    IllegalArgumentException.class,
                                                    () -> timers.fixedRate(bad, Step.stop()));
                                            assertThrows(
                                                    IllegalArgumentException.class,
                                                    () -> timers.fixedDelay(bad, Step.stop()));
                                        }
                                        assertThrows(
                                                IllegalArgumentException.class,
                                                () -> timers.once(SECOND.negated(), Step.stop()));
                                        timers.once(
                                                Duration.ZERO, Step.of(_ -> log.add("at once")));
                                    }));
                    world.settle();
                    assertEquals(List.of("at once"), log);
                    assertEquals(List.of(), world.failures);
                });
    }
}
