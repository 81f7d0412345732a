package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Where two rules meet: what is seldom, and must not lose a message or an actor. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CornerTest {
    private record Tagged(String text) {}

    // ---------------------------------------------------------------- pipes and mailboxes

    /** The completer neither waits nor fails, and the result is not lost. */
    @ParameterizedTest
    @EnumSource(Overflow.class)
    void A3_whatIsPipedNeedsNoRoom(Overflow overflow) {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    CompletableFuture<String> stage = new CompletableFuture<>();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                                    self ->
                                                            self.pipe(
                                                                    stage,
                                                                    text ->
                                                                            Step.of(
                                                                                    _ ->
                                                                                            log.add(
                                                                                                    text))))
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(overflow)));
                    List<Fiber<?>> waiting = World.log();
                    ref.tell(
                            Step.of(
                                    _ -> {
                                        waiting.add(Fiber.current());
                                        Fiber.suspend();
                                    }));
                    world.settle();
                    ref.tell(Step.of(_ -> log.add("told")));
                    world.settle();
                    assertTrue(stage.complete("piped"));
                    world.settle();
                    world.on(
                            () -> {
                                waiting.getFirst().schedule(null);
                                return true;
                            });
                    world.settle();
                    assertEquals(List.of("told", "piped"), log);
                });
    }

    /** The predicate tells its own actor, whose full mailbox drops what is old. */
    @Test
    void A3_whatIsLookedAtIsNotDisplaced() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "actor",
                                    Actor.loop(
                                                    (ActorContext<Object> self) -> {
                                                        self.receive(); // go
                                                        log.add(
                                                                self.receive(
                                                                        (Object message) -> {
                                                                            if (log.isEmpty()) {
                                                                                log.add("told");
                                                                                self.self()
                                                                                        .tell("q2");
                                                                            }
                                                                            return message
                                                                                    instanceof
                                                                                    Tagged;
                                                                        }));
                                                    })
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(Overflow.DROP_OLD)));
                    world.settle();
                    world.on(
                            () -> {
                                ref.tell("go");
                                ref.tell(new Tagged("p1"));
                                return true;
                            });
                    world.settle();
                    assertEquals(List.of("told", new Tagged("p1")), log);
                });
    }

    /** An Error of an adapt function is a failure on that message, and the next one is received. */
    @Test
    void A3_anAdaptFunctionThatThrowsAnErrorFailsOnceInASelectiveReceive() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    List<Recipient<String>> replies = World.log();
                    ActorRef<Tagged> ref =
                            world.spin(
                                    "actor",
                                    Actor.loop(
                                            (ActorContext<Tagged> self) -> {
                                                replies.add(
                                                        self.adapt(
                                                                _ -> {
                                                                    throw new AssertionError("bad");
                                                                }));
                                                for (; ; ) {
                                                    log.add(self.receive(Tagged.class).text());
                                                }
                                            }));
                    world.until(() -> replies.size() == 1);
                    replies.getFirst().tell("reply");
                    ref.tell(new Tagged("next"));
                    world.settle();
                    assertEquals(List.of("next"), log);
                    assertEquals(List.of("actor: bad"), world.failures);
                });
    }

    @Test
    void A3_aStopInABoundedMailboxIsNoDeadLetter() {
        World.anywhere(
                world -> {
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor()
                                            .restart(RestartRule.TEMPORARY)
                                            .mailbox(MailboxOptions.bounded(2)));
                    world.on(
                            () -> {
                                ref.stop();
                                ref.terminate();
                                return true;
                            });
                    world.settle();
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    // ---------------------------------------------------------------- ends that meet

    /** The failure came first, the termination stands all the same. */
    @Test
    void A5_aTerminationIsNotForgottenForAFailure() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref = world.spin("actor", Step.actor(_ -> log.add("start")));
                    ref.tell(
                            Step.of(
                                    self -> {
                                        self.self().terminate();
                                        throw new Crash("first");
                                    }));
                    ref.tell(Step.of(_ -> log.add("after")));
                    assertTrue(ref.awaitEnd(Duration.ofSeconds(30)));
                    world.settle();
                    assertEquals(List.of("start"), log);
                    assertEquals(List.of("actor: first"), world.failures);
                });
    }

    /** What was committed stays, though an incarnation ended before it was up. */
    @Test
    void A5_stateIsKeptThroughABackOffThatIsCutShort() {
        World.local(
                World.MANY_RESTARTS.backOff(
                        BackOff.doubling(Duration.ofSeconds(1), Duration.ofSeconds(1))
                                .withJitter(0)),
                world -> {
                    List<Integer> counts = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "actor",
                                    Actor.handler(() -> counting(counts, 0))
                                            .restart(RestartRule.PERMANENT)
                                            .keepState());
                    ref.tell("one");
                    ref.tell("two");
                    world.settle();
                    ref.tell("crash");
                    Fiber.sleep(Duration.ofMillis(500));
                    ref.terminate(); // in the back-off
                    Fiber.sleep(Duration.ofSeconds(5));
                    ref.tell("three");
                    world.settle();
                    assertEquals(List.of(1, 2, 3), counts);
                });
    }

    private static Behavior<String> counting(List<Integer> counts, int count) {
        return message -> {
            if (message.equals("crash")) {
                throw new Crash(message);
            }
            counts.add(count + 1);
            return counting(counts, count + 1);
        };
    }

    /** A first start that fails in the turn in which its supervisor gives up is told, and final. */
    @Test
    void A5_aFailureBehindAGiveUpIsTold() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Supervisor below =
                            world.system.supervise(
                                    "below",
                                    world.keepingFailures(
                                            Supervision.oneForOne()
                                                    .intensity(0, Duration.ofSeconds(1))));
                    ActorRef<Step> crashing = world.spin(below, "crashing", Step.actor());
                    world.settle();
                    crashing.tell(Step.crash("give up"));
                    ActorRef<Step> broken =
                            world.spin(
                                    below,
                                    "broken",
                                    Step.actor(
                                            _ -> {
                                                log.add("start");
                                                throw new Crash("at once");
                                            }));
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertTrue(broken.awaitEnd(Duration.ZERO));
                    assertTrue(
                            world.failures.contains("broken: at once"), world.failures.toString());
                    assertEquals(1, log.size());
                });
    }

    /** A cord without a place for another fiber fails the start, and nobody else. */
    @Test
    void A5_aStartWithoutAPlaceFailsAlone() {
        Cord.<Boolean>run(
                CordOptions.named("small").withMaxFibers(4),
                () -> {
                    List<String> failures = World.log();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "system",
                                    Supervision.oneForOne()
                                            .onFailure(report -> failures.add(report.actor())),
                                    _ -> {})) {
                        system.start("one", Step.actor());
                        system.start("two", Step.actor());
                        assertThrows(
                                StartFailedException.class,
                                () -> {
                                    for (int i = 0; i < 4; i++) {
                                        system.start("more-" + i, Step.actor());
                                    }
                                });
                        assertEquals(1, failures.size(), failures.toString());
                    }
                    return true;
                });
    }

    /** A message in hand that the actor has not seen goes to the next incarnation. */
    @Test
    void A3_aResultThatIsSetFromOutsideLosesNoMessage() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    List<Fiber<?>> fibers = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(_ -> fibers.add(Fiber.current()))
                                            .restart(RestartRule.PERMANENT));
                    world.settle();
                    ref.tell(Step.of(_ -> log.add("one")));
                    fibers.getFirst().terminate();
                    world.settle();
                    assertEquals(List.of("one"), log);
                });
    }
}
