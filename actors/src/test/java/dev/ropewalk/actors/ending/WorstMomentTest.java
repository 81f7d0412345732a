package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.Monitor;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.Timers;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.RestartRule;
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

/** Rules A4 to A6: ends, links, monitors, timers and stops that meet. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class WorstMomentTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MILLI = Duration.ofMillis(1);

    /** Never ends by itself, and does not hear that it is to end. */
    private static void hang() {
        CancelScope.shielded(LONG.multipliedBy(24), () -> Fiber.sleep(LONG.multipliedBy(24)));
    }

    private static long now() {
        return Cord.current().nanoTime() / 1_000_000;
    }

    /** A run with an actor that is abandoned, which the run reports. */
    private static void withAbandoned(Supervision rules, World.Body body) {
        AssertionError reported =
                assertThrows(AssertionError.class, () -> World.local(rules, body));
        Errors.assertMentions(reported, "was abandoned because its stop limit");
    }

    // ---------------------------------------------------------------- reasons

    @Test
    void A4_theReasonIsFixedBeforeTheHooksRun() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                            self ->
                                                    self.atEnd(
                                                            reason -> {
                                                                log.add("hook " + reason);
                                                                Fiber.sleep(SECOND);
                                                            })));
                    world.spin(
                            "watcher",
                            Step.actor(
                                    self ->
                                            self.monitorEach(
                                                    ref,
                                                    down ->
                                                            Step.of(
                                                                    _ ->
                                                                            log.add(
                                                                                    "down "
                                                                                            + down
                                                                                                    .reason())))));
                    world.settle();
                    ref.terminate();
                    world.settle();
                    ref.kill(); // while its hook runs
                    assertTrue(ref.awaitEnd(LONG));
                    world.settle();
                    String reason = "Shutdown[why=it was terminated]";
                    assertEquals(List.of("hook " + reason, "down " + reason), log);
                    assertEquals(List.of(), world.failures);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"hook", "below"})
    void A4_aCrashStaysTheReasonThoughTheRestNeverEnds(String what) {
        List<String> log = World.log();
        withAbandoned(
                World.MANY_RESTARTS.stopLimit(Duration.ofSeconds(3)),
                world -> {
                    log.clear();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(self -> neverEnds(self, what))
                                            .restart(RestartRule.TEMPORARY));
                    ref.target().watch(down -> log.add(String.valueOf(down.reason())), false);
                    world.settle(); // the fiber below it runs
                    ref.tell(Step.crash("the cause"));
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("actor: the cause"), world.failures);
                });
        assertEquals(List.of("Failed[cause=dev.ropewalk.actors.testkit.Crash: the cause]"), log);
    }

    private static void neverEnds(ActorContext<Step> self, String what) {
        if (what.equals("hook")) {
            self.atEnd(_ -> Fiber.sleep(LONG));
        } else {
            Cord.current().spin("below", WorstMomentTest::hang);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stop", "crash", "crash beside a message"})
    void A5_anOwnActorThatHangsLeavesTimeForTheHooksAbove(String how) {
        List<String> log = World.log();
        withAbandoned(
                World.MANY_RESTARTS.stopLimit(Duration.ofSeconds(4)),
                world -> {
                    log.clear();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                                    self -> {
                                                        self.atEnd(
                                                                _ -> {
                                                                    Fiber.sleep(SECOND);
                                                                    log.add("hook done");
                                                                });
                                                        hangingOwnActor(self, how);
                                                    })
                                            .restart(RestartRule.TEMPORARY));
                    world.settle();
                    long beganMs = now();
                    if (how.equals("stop")) {
                        ref.stop();
                    } else {
                        ref.tell(Step.crash("parent"));
                    }
                    assertTrue(ref.awaitEnd(LONG));
                    log.add("after ms " + (now() - beganMs));
                });
        assertEquals(List.of("hook done", "after ms 3000"), log);
    }

    private static void hangingOwnActor(ActorContext<Step> self, String how) {
        if (how.endsWith("message")) {
            self.spin("own", Step.actor()).tell(Step.of(_ -> hang()));
        } else {
            self.spin("own", Step.actor(own -> own.atEnd(_ -> hang())));
        }
    }

    /** An orderly end has the same limit as every other one. */
    @Test
    void A5_theFibersBelowAnActorThatStoppedHaveItsStopLimit() {
        List<String> log = World.log();
        withAbandoned(
                World.MANY_RESTARTS.stopLimit(Duration.ofSeconds(4)),
                world -> {
                    log.clear();
                    ActorRef<Step> ref = world.spin("actor", Step.actor());
                    ref.tell(Step.of(_ -> Cord.current().spin("below", WorstMomentTest::hang)));
                    world.settle();
                    long beganMs = now();
                    ref.stop();
                    assertTrue(ref.awaitEnd(LONG));
                    log.add("after ms " + (now() - beganMs));
                });
        assertEquals(List.of("after ms 4000"), log);
    }

    @Test
    void A5_whatAnAbandonedActorHasLeftRunsInNoOtherFiber() {
        List<String> log = World.log();
        withAbandoned(
                World.MANY_RESTARTS,
                world -> {
                    log.clear();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                            self ->
                                                    self.atEnd(
                                                            _ -> {
                                                                log.add(
                                                                        "in "
                                                                                + Fiber
                                                                                        .currentOrNull());
                                                                try {
                                                                    world.system.close();
                                                                } catch (IllegalStateException e) {
                                                                    log.add("refused");
                                                                }
                                                            })));
                    ref.tell(Step.of(_ -> hang()));
                    world.settle();
                    ref.terminate();
                    assertTrue(ref.awaitEnd(LONG));
                    // The refused close has not begun to end anything.
                    assertEquals(
                            "still here",
                            world.spin("next", echo()).ask((Recipient<String> asker) -> asker));
                });
        assertEquals(List.of("in null", "refused"), log);
    }

    private static Actor<Recipient<String>> echo() {
        return Actor.handler(
                () ->
                        asker -> {
                            asker.tell("still here");
                            return Behavior.same();
                        });
    }

    // ---------------------------------------------------------------- monitors and links

    /** It was made after the incarnation's end, and before the supervisor had decided. */
    @Test
    void A4_aMonitorOfEachHearsOfTheEndAtLeastOnce() {
        TestCords.run(
                2,
                cords -> {
                    List<String> log = World.log();
                    ActorSystemOptions over = ActorSystemOptions.defaults().over(cords);
                    try (ActorSystem system = ActorSystem.start(Tree.oneForOne("top"), over)) {
                        ActorRef<Step> ref =
                                system.root().spin(cords.get(1), "actor", Step.actor());
                        ActorRef<Step> watcher =
                                system.root().spin(cords.get(1), "watcher", Step.actor());
                        Fiber.sleep(MILLI);
                        ref.stop();
                        watcher.tell(
                                Step.of(
                                        self ->
                                                self.monitorEach(
                                                        ref,
                                                        down -> Step.of(_ -> log.add("down")))));
                        Fiber.sleep(SECOND);
                        assertEquals(List.of("down"), log);
                    }
                });
    }

    /** The peer is over on its cord, and tells so; the monitor is cancelled before that comes. */
    @Test
    void A4_aCancelledMonitorIsSilentThoughItsDownIsOnItsWay() {
        World.remote(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref = world.spin("actor", Step.actor());
                    // On the test's cord, the other one is on its own.
                    ActorRef<Step> watcher = world.system.spin("watcher", Step.actor());
                    world.settle();
                    AtomicInteger over = new AtomicInteger();
                    watcher.tell(
                            Step.of(
                                    self -> {
                                        Monitor monitor =
                                                self.monitorEach(
                                                        ref, _ -> Step.of(_ -> log.add("down")));
                                        Fiber.sleep(MILLI); // the monitor has arrived
                                        ref.target().watch(_ -> over.incrementAndGet(), true);
                                        ref.stop();
                                        while (over.get() == 0) {
                                            Thread.onSpinWait(); // keeps its cord
                                        }
                                        monitor.cancel();
                                        log.add("cancelled");
                                    }));
                    world.until(() -> !log.isEmpty());
                    world.settle();
                    assertEquals(List.of("cancelled"), log);
                });
    }

    // ---------------------------------------------------------------- timers

    @Test
    void A6_aTickThatIsUnhandledIsDoneOnce() {
        World.local(
                world -> {
                    AtomicInteger ticks = new AtomicInteger();
                    ActorRef<String> ref =
                            world.spin(
                                    "actor",
                                    Actor.handler(
                                            (ActorContext<String> self) -> {
                                                self.timers().fixedDelay("tick", SECOND, "tick");
                                                return _ -> {
                                                    ticks.incrementAndGet();
                                                    return Behavior.unhandled();
                                                };
                                            }));
                    Fiber.sleep(SECOND.multipliedBy(20).plusMillis(1));
                    assertEquals(20, ticks.get());
                    assertFalse(ref.awaitEnd(Duration.ZERO));
                });
    }

    @Test
    void A6_timersOfAnEarlierIncarnationRefuse() {
        World.local(
                world -> {
                    List<Timers<Step>> first = new ArrayList<>();
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin("actor", Step.actor(self -> first.add(self.timers())));
                    ref.tell(Step.crash("once"));
                    ref.tell(
                            Step.of(
                                    _ -> {
                                        IllegalStateException over =
                                                assertThrows(
                                                        IllegalStateException.class,
                                                        () ->
                                                                first.getFirst()
                                                                        .once(SECOND, Step.stop()));
                                        Errors.assertMentions(over, "timers of actor have ended");
                                        log.add("refused");
                                    }));
                    world.settle();
                    assertEquals(List.of("refused"), log);
                    IllegalStateException other =
                            assertThrows(
                                    IllegalStateException.class, () -> first.getLast().cancelAll());
                    Errors.assertMentions(other, "fiber root", "only the actor's own fiber");
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void A6_aRevokedTickIsNotTriedAgain(boolean isKept) {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Actor<Step> actor =
                            Step.actor(
                                            self -> {
                                                if (!log.isEmpty()) {
                                                    return;
                                                }
                                                log.add("start");
                                                Step failing =
                                                        here -> {
                                                            log.add("tick");
                                                            here.timers().cancel("tick");
                                                            throw new Crash("tick");
                                                        };
                                                self.timers().once("tick", SECOND, failing);
                                            })
                                    .onFailure(FailedMessage.retry(5));
                    world.spin("actor", isKept ? actor.keepState() : actor);
                    Fiber.sleep(LONG);
                    assertEquals(List.of("start", "tick"), log);
                });
    }

    // ---------------------------------------------------------------- stops

    @Test
    @SuppressWarnings("Finally") // that is what fails
    void A6_anEndThatFailsOnceIsDrainedAgain() {
        World.local(
                world -> {
                    AtomicInteger ends = new AtomicInteger();
                    ActorRef<String> ref =
                            world.spin(
                                    "actor",
                                    Actor.loop(
                                            self -> {
                                                try {
                                                    while (true) {
                                                        self.receive();
                                                    }
                                                } finally {
                                                    if (ends.getAndIncrement() == 0) {
                                                        throw new Crash("clean-up");
                                                    }
                                                }
                                            }));
                    ref.tell("message");
                    long beganMs = now();
                    assertTrue(world.system.stop(LONG).isComplete());
                    assertEquals(0, now() - beganMs);
                    assertEquals(2, ends.get());
                });
    }

    @Test
    void A6_ownActorsComeToTheEndOfTheirMailboxesToo() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    List<ActorRef<Step>> own = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(self -> own.add(self.spin("own", Step.actor()))));
                    world.until(() -> !own.isEmpty());
                    for (int i = 0; i < 10; i++) {
                        own.getFirst()
                                .tell(
                                        Step.of(
                                                _ -> {
                                                    Fiber.sleep(MILLI);
                                                    // The one above still answers.
                                                    ref.ask(
                                                            (Recipient<String> asker) ->
                                                                    Step.of(_ -> asker.tell("ok")));
                                                    log.add("handled");
                                                }));
                    }
                    assertTrue(world.system.stop(LONG).isComplete());
                    assertEquals(10, log.size());
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    @Test
    void A6_loopStyleGoesOnReceivingWhileItsOwnActorsEnd() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.loop(
                                            self -> {
                                                ActorRef<Step> own = self.spin("own", Step.actor());
                                                own.tell(
                                                        Step.of(
                                                                _ -> {
                                                                    Fiber.sleep(SECOND);
                                                                    self.self()
                                                                            .tell(
                                                                                    Step.of(
                                                                                            _ ->
                                                                                                    log
                                                                                                            .add(
                                                                                                                    "result")));
                                                                }));
                                            }));
                    world.settle();
                    ref.stop();
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("result"), log);
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    /** It answers, and hears the stop, though nothing runs below it for an hour. */
    @Test
    void A5_aSupervisorInItsBackOffAnswersAndEnds() {
        Supervision slow = World.MANY_RESTARTS.backOff(BackOff.doubling(LONG, LONG));
        World.local(
                slow,
                world -> {
                    Supervision once = Supervision.oneForOne().intensity(0, LONG);
                    Supervisor sub = world.supervise("sub", world.keepingFailures(once));
                    world.spin(sub, "actor", Step.actor()).tell(Step.crash("once"));
                    world.settle();
                    assertEquals(1, sub.children().size());
                    long beganMs = now();
                    StopReport report = world.system.stop(SECOND);
                    assertEquals(1000, now() - beganMs);
                    assertEquals(
                            List.of("actor"),
                            report.left().stream().map(left -> left.actor().name()).toList());
                    assertEquals(List.of(), report.silent());
                });
    }

    /** The stop limit would end the wait; the answer comes at once. */
    @ParameterizedTest
    @ValueSource(strings = {"start", "add", "stop", "remove", "restart"})
    void A5_aHookThatNeedsItsSupervisorIsRefusedWhileThatStops(String call) {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Supervisor sub =
                            world.supervise("sub", world.keepingFailures(Supervision.oneForOne()));
                    world.spin(sub, "other", Step.actor());
                    world.spin(
                            sub,
                            "actor",
                            Step.actor(
                                    self ->
                                            self.atEnd(
                                                    _ -> {
                                                        try {
                                                            call(sub, call);
                                                        } catch (RuntimeException refused) {
                                                            log.add("refused");
                                                        }
                                                    })));
                    world.settle();
                    long beganMs = now();
                    world.system.close();
                    assertEquals(0, now() - beganMs);
                    assertEquals(List.of("refused"), log);
                });
    }

    private static void call(Supervisor supervisor, String call) {
        switch (call) {
            case "start" -> supervisor.start("late", Step.actor());
            case "add" -> supervisor.add(Tree.child("late", Step.actor()));
            case "stop" -> supervisor.stop("other");
            case "remove" -> supervisor.remove("other");
            default -> supervisor.restart("other");
        }
    }

    @Test
    void A6_aSnapshotDoesNotCountTheStop() {
        World.local(
                world -> {
                    ActorRef<Step> ref = world.spin("actor", Step.actor());
                    ref.tell(Step.of(_ -> Fiber.sleep(SECOND)));
                    world.settle();
                    ref.stop();
                    assertEquals(0, ref.mailbox().queued());
                });
    }

    /** A supervisor that was draining when it failed begins anew like any other. */
    @Test
    void A5_aSupervisorThatIsStartedAgainDoesNotGoOnDraining() {
        World.local(
                world -> {
                    Supervision once = Supervision.oneForOne().intensity(0, LONG);
                    Supervisor sub = world.supervise("sub", world.keepingFailures(once));
                    ActorRef<Step> ref = world.spin(sub, "actor", Step.actor());
                    ref.tell(Step.of(_ -> Fiber.sleep(SECOND)));
                    ref.tell(Step.crash("while it drains"));
                    world.settle();
                    ((SupervisorCell) sub).drain();
                    Fiber.sleep(SECOND.multipliedBy(2));
                    ref.tell(Step.stop());
                    world.settle();
                    assertTrue(ref.awaitEnd(LONG));
                    ActorRef<Step> next = world.spin(sub, "next", Step.actor());
                    next.tell(Step.crash("is started again or gives up"));
                    world.settle();
                    assertFalse(next.awaitEnd(MILLI));
                });
    }
}
