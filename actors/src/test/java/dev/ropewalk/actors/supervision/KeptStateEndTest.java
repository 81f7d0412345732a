package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule A5: the end hooks of a state that is kept run when it is over, in a fiber, once. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class KeptStateEndTest {
    private static final Duration LONG = Duration.ofHours(1);

    /** An actor whose hook needs a fiber, and a moment. */
    private static Actor<Step> keeping(List<String> log) {
        return keeping(log, _ -> {});
    }

    private static Actor<Step> keeping(List<String> log, Step.Code atStart) {
        return Step.actor(
                        self -> {
                            self.atEnd(
                                    reason -> {
                                        Fiber.sleep(Duration.ofMillis(1));
                                        log.add(self.self().name() + " " + kind(reason));
                                    });
                            atStart.run(self);
                        })
                .keepState();
    }

    private static String kind(ExitReason reason) {
        return reason.getClass().getSimpleName();
    }

    @Test
    void A5_aLinkEndedIt() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> peer = world.spin("peer", Step.actor());
                    ActorRef<Step> ref = world.spin("actor", keeping(log, self -> self.link(peer)));
                    world.settle();
                    peer.terminate();
                    world.settle();
                    assertEquals(0, msOfAStart(world)); // its hook is its own, not its supervisor's
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("actor Shutdown"), log);
                });
    }

    /** Rule A8: its last hook is the actor's, in whatever fiber it runs. */
    @Test
    void A8_aFullMailboxFailsNoLastHook() {
        Supervision slow = Supervision.oneForOne().backOff(BackOff.doubling(LONG, LONG));
        World.local(
                slow,
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> full =
                            world.spin(
                                    "full",
                                    Step.actor()
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(Overflow.FAIL)));
                    full.tell(Step.of(_ -> Fiber.sleep(LONG)));
                    world.settle();
                    full.tell(Step.stop());
                    Actor<Step> telling =
                            Step.actor(
                                            self ->
                                                    self.atEnd(
                                                            _ -> {
                                                                full.tell(Step.stop());
                                                                log.add("told");
                                                            }))
                                    .keepState();
                    Supervision once = Supervision.oneForOne().intensity(0, LONG);
                    Supervisor sub = world.supervise("sub", world.keepingFailures(once));
                    ActorRef<Step> ref = world.spin(sub, "actor", telling);
                    world.settle();
                    ref.tell(Step.crash("once")); // its supervisor gives up, and waits
                    world.settle();
                    assertEquals(List.of(), log);
                    world.system.root().stop("sub");
                    assertEquals(List.of("told"), log);
                    assertEquals(DeadLetter.Reason.REFUSED, world.letters.getLast().reason());
                    full.terminate();
                });
    }

    /** How long the supervisor takes to start something, on the virtual clock. */
    private static long msOfAStart(World world) {
        long beganNs = Cord.current().nanoTime();
        world.system.root().start(world.home, "quick", Step.actor());
        return world.remote ? 0 : (Cord.current().nanoTime() - beganNs) / 1_000_000;
    }

    @Test
    void A5_aPermanentOneComesToTheEndOfItsMailbox() {
        TestCord.run(
                () -> {
                    List<String> log = World.log();
                    ActorSystem system = ActorSystem.start("system");
                    system.spin("actor", keeping(log).restart(RestartRule.PERMANENT));
                    assertTrue(system.stop(LONG).isComplete());
                    assertEquals(List.of("actor Normal"), log);
                });
    }

    @Test
    void A5_itNeverCameUp() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Actor<Step> failing =
                            keeping(
                                    log,
                                    _ -> {
                                        throw new Crash("factory");
                                    });
                    assertThrows(
                            StartFailedException.class,
                            () -> world.system.root().start(world.home, "actor", failing));
                    assertEquals(List.of("actor Failed"), log);
                });
    }

    @Test
    void A5_aTemporaryOneEndsWithItsGroup() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Supervisor group =
                            world.supervise(
                                    "group", world.keepingFailures(Supervision.oneForAll()));
                    ActorRef<Step> other = world.spin(group, "other", Step.actor());
                    ActorRef<Step> ref =
                            world.spin(group, "actor", keeping(log).restart(RestartRule.TEMPORARY));
                    world.settle();
                    other.tell(Step.crash("group"));
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("actor Shutdown"), log);
                });
    }

    /** Its incarnation could not know: the failure that ends it comes from the window. */
    @Test
    void A5_itsSupervisorGivesUpAndIsStartedAgain() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Supervision once = Supervision.oneForOne().intensity(0, LONG);
                    Supervisor sub = world.supervise("sub", world.keepingFailures(once));
                    ActorRef<Step> ref = world.spin(sub, "actor", keeping(log));
                    ActorRef<Step> temporary =
                            world.spin(sub, "brief", keeping(log).restart(RestartRule.TEMPORARY));
                    world.settle();
                    ref.tell(Step.crash("once"));
                    assertTrue(temporary.awaitEnd(LONG));
                    ref.tell(Step.of(_ -> log.add("goes on")));
                    world.until(() -> log.contains("goes on"));
                    assertEquals(List.of("brief Shutdown", "goes on"), log);
                    ref.stop();
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("brief Shutdown", "goes on", "actor Normal"), log);
                });
    }

    /** The root's turn is the last that can wait: it ends what is left two levels below. */
    @Test
    void A5_allSupervisorsAboveGiveUp() {
        List<String> log = World.log();
        Supervision once = Supervision.oneForOne().intensity(0, LONG).onFailure(_ -> {});
        Throwable thrown =
                assertThrows(
                        AssertionError.class,
                        () ->
                                TestCord.run(
                                        1,
                                        false,
                                        () -> {
                                            ActorSystem system =
                                                    ActorSystem.start("top", once, _ -> {});
                                            Supervisor sub = system.supervise("sub", once);
                                            Supervisor low = sub.supervise("low", once);
                                            ActorRef<Step> ref = low.spin("actor", keeping(log));
                                            low.spin("other", keeping(log));
                                            Fiber.sleep(Duration.ofNanos(1));
                                            ref.tell(Step.crash("all"));
                                            system.awaitEnd(LONG);
                                        }));
        assertTrue(
                Errors.inShort(String.valueOf(thrown.getMessage()))
                        .contains("top gives up on sub"));
        assertEquals(List.of("other Shutdown", "actor Failed"), log);
    }

    @Test
    void A5_itsSystemIsEndedFromOutside() {
        TestCord.run(
                () -> {
                    List<String> log = World.log();
                    Fiber<?> owner =
                            Cord.current()
                                    .spin(
                                            "owner",
                                            () -> {
                                                ActorSystem system = ActorSystem.start("system");
                                                system.spin("actor", keeping(log));
                                                Fiber.sleep(Duration.ofMillis(1));
                                            });
                    owner.await(); // which ends the fibers below it, the system's root among them
                    assertEquals(List.of("actor Shutdown"), log);
                });
    }

    @Test
    void A5_itIsStoppedInItsBackOff() {
        TestCord.run(
                () -> {
                    List<String> log = World.log();
                    Supervision slow =
                            Supervision.oneForOne()
                                    .backOff(BackOff.doubling(LONG, LONG))
                                    .onFailure(_ -> {});
                    try (ActorSystem system = ActorSystem.start("system", slow, _ -> {})) {
                        system.spin("actor", keeping(log)).tell(Step.crash("once"));
                        Fiber.sleep(Duration.ofMillis(1));
                        assertEquals(List.of(), log);
                        system.root().stop("actor");
                        assertEquals(List.of("actor Shutdown"), log);
                    }
                });
    }

    /** The behavior that stopped is not gone on with, so neither is what it owned. */
    @Test
    void A5_thePermanentActorStoppedItself() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    keeping(log, _ -> log.add("factory"))
                                            .restart(RestartRule.PERMANENT));
                    ref.tell(Step.stop());
                    ref.tell(Step.of(_ -> log.add("message")));
                    world.until(() -> log.contains("message"));
                    assertEquals(List.of("factory", "actor Normal", "factory", "message"), log);
                });
    }

    /** Beyond its stop limit the fiber is given up; what is left runs where it cannot wait. */
    @Test
    void A5_itsLateHooksHaveTheStopLimit() {
        List<String> log = World.log();
        Supervision once =
                Supervision.oneForOne()
                        .intensity(0, LONG)
                        .stopLimit(Duration.ofSeconds(3))
                        .onFailure(_ -> {});
        Step.Code hooks =
                self -> {
                    self.atEnd(_ -> log.add("first in " + Fiber.currentOrNull()));
                    self.atEnd(_ -> Fiber.sleep(LONG));
                };
        assertThrows(
                AssertionError.class, // the fiber that was given up, and the root's failure
                () ->
                        TestCord.run(
                                1,
                                false,
                                () -> {
                                    ActorSystem system = ActorSystem.start("top", once, _ -> {});
                                    system.spin("actor", Step.actor(hooks).keepState())
                                            .tell(Step.crash("once"));
                                    Fiber.sleep(LONG);
                                }));
        assertEquals(List.of("first in null"), log);
    }
}
