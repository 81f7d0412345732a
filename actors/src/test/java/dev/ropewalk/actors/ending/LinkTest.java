package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule A4: links, exits and kills. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LinkTest {
    private static final Duration LONG = Duration.ofHours(1);

    private static ActorRef<Step> temporary(World world, String name) {
        return world.spin(name, Step.actor().restart(RestartRule.TEMPORARY));
    }

    private static void link(World world, ActorRef<Step> from, ActorRef<Step> to) {
        from.tell(Step.of(self -> self.link(to)));
        world.settle();
    }

    private static void trap(World world, ActorRef<Step> ref, List<String> log) {
        ref.tell(
                Step.of(
                        self ->
                                self.trapExits(
                                        exit ->
                                                Step.of(
                                                        _ ->
                                                                log.add(
                                                                        exit.from().name()
                                                                                + " "
                                                                                + exit
                                                                                        .reason())))));
        world.settle();
    }

    /** After all has settled: an actor of another cord needs a moment to say so. */
    private static boolean isOver(ActorRef<?> ref) {
        return ref.awaitEnd(Duration.ofMillis(50));
    }

    @Test
    void A4_aFailureEndsTheOtherForTheSameReason() {
        World.anywhere(
                world -> {
                    for (boolean isFirst : new boolean[] {true, false}) {
                        ActorRef<Step> one = temporary(world, "one");
                        ActorRef<Step> two = temporary(world, "two");
                        link(world, one, two);
                        (isFirst ? one : two).tell(Step.crash("no"));
                        world.settle();
                        assertTrue(isOver(one) && isOver(two));
                    }
                    assertEquals(
                            List.of("one: no", "two: no", "two: no", "one: no"), world.failures);
                });
    }

    /** Before what is queued, and in the middle of a message that waits. */
    @Test
    void A3_anExitOvertakesWhatIsQueued() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> one = temporary(world, "one");
                    ActorRef<Step> two = temporary(world, "two");
                    link(world, one, two);
                    two.tell(Step.of(_ -> Fiber.suspend()));
                    two.tell(Step.of(_ -> log.add("queued")));
                    world.settle();
                    one.kill();
                    world.settle();
                    assertTrue(isOver(two));
                    assertEquals(List.of(), log);
                    assertEquals(2, world.letters.size());
                });
    }

    @Test
    void A4_aNormalEndOnlyTakesTheLinkAway() {
        World.anywhere(
                world -> {
                    ActorRef<Step> one = temporary(world, "one");
                    ActorRef<Step> two = temporary(world, "two");
                    link(world, one, two);
                    one.stop();
                    world.settle();
                    assertTrue(isOver(one));
                    assertFalse(isOver(two));
                });
    }

    @Test
    void A4_aShutdownGoesOnAsAShutdown() {
        World.anywhere(
                world -> {
                    ActorRef<Step> one = world.spin("one", Step.actor());
                    ActorRef<Step> two = world.spin("two", Step.actor());
                    link(world, one, two);
                    one.terminate();
                    world.settle();
                    assertTrue(isOver(one));
                    assertTrue(isOver(two));
                    assertEquals(List.of(), world.failures);
                });
    }

    /** A link is the incarnation's: the next one has none. */
    @Test
    void A4_aRestartTakesTheLinksAway() {
        World.anywhere(
                world -> {
                    ActorRef<Step> one = world.spin("one", Step.actor());
                    ActorRef<Step> two = world.spin("two", Step.actor());
                    link(world, one, two);
                    one.tell(Step.crash("both"));
                    world.settle();
                    assertEquals(List.of("one: both", "two: both"), world.failures);
                    assertFalse(isOver(one) || isOver(two));
                    two.tell(Step.crash("alone"));
                    world.settle();
                    assertEquals(List.of("one: both", "two: both", "two: alone"), world.failures);
                });
    }

    @Test
    void A4_aTrappedExitIsAMessageInOrder() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> one = temporary(world, "one");
                    ActorRef<Step> two = temporary(world, "two");
                    trap(world, two, log);
                    link(world, two, one);
                    one.tell(
                            _ -> {
                                two.tell(Step.of(_ -> log.add("result")));
                                throw new Crash("then");
                            });
                    world.settle();
                    ActorRef<Step> three = temporary(world, "three");
                    link(world, three, two);
                    three.stop();
                    world.settle();
                    ActorRef<Step> four = temporary(world, "four");
                    link(world, two, four);
                    four.kill();
                    world.settle();
                    link(world, two, four);
                    assertEquals(
                            List.of(
                                    "result",
                                    "one Failed[cause=dev.ropewalk.actors.testkit.Crash: then]",
                                    "three Normal[]",
                                    "four Killed[]",
                                    "four NoActor[]"),
                            log);
                    assertFalse(isOver(two));
                });
    }

    @Test
    void A4_aKillCannotBeTrappedAndGoesOnAsKilled() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> one = temporary(world, "one");
                    ActorRef<Step> two = temporary(world, "two");
                    trap(world, one, log);
                    link(world, one, two);
                    one.kill();
                    world.settle();
                    assertTrue(isOver(one) && isOver(two));
                    assertEquals(List.of(), log);
                    assertEquals(
                            List.of(
                                    "one: one was killed, or linked to one that was",
                                    "two: two was killed, or linked to one that was"),
                            world.failures);
                });
    }

    @Test
    void A4_toOneThatIsOver() {
        World.anywhere(
                world -> {
                    ActorRef<Step> one = temporary(world, "one");
                    ActorRef<Step> two = temporary(world, "two");
                    one.stop();
                    world.settle();
                    link(world, two, one);
                    assertTrue(isOver(two));
                    assertEquals(
                            List.of("two: two was linked to an actor that had ended"),
                            world.failures);
                });
    }

    /** Also one whose first incarnation has not begun. */
    @Test
    void A4_toOneThatStartsLater() {
        World.anywhere(
                world -> {
                    ActorRef<Step> one = temporary(world, "one");
                    world.settle();
                    ActorRef<Step>[] two = twoOf();
                    one.tell(
                            Step.of(
                                    self -> {
                                        two[0] = temporary(world, "two");
                                        self.link(two[0]);
                                    }));
                    world.settle();
                    one.tell(Step.crash("no"));
                    world.settle();
                    assertTrue(isOver(two[0]));
                });
    }

    @SuppressWarnings("unchecked")
    private static ActorRef<Step>[] twoOf() {
        return (ActorRef<Step>[]) new ActorRef<?>[1];
    }

    @Test
    void A4_unlinkFromEitherSideAndInTheMailbox() {
        World.anywhere(
                world -> {
                    List<Fiber<?>> waiting = World.log();
                    List<String> log = World.log();
                    ActorRef<Step> one = temporary(world, "one");
                    ActorRef<Step> two = temporary(world, "two");
                    link(world, one, two);
                    two.tell(Step.of(self -> self.unlink(one)));
                    two.tell(Step.of(self -> self.unlink(one)));
                    world.settle();
                    one.tell(Step.crash("alone"));
                    world.settle();
                    assertFalse(isOver(two));
                    ActorRef<Step> three = temporary(world, "three");
                    trap(world, two, log);
                    link(world, two, three);
                    two.tell(
                            Step.of(
                                    self -> {
                                        waiting.add(Fiber.current());
                                        Fiber.suspend();
                                        self.unlink(three);
                                    }));
                    world.settle();
                    three.kill();
                    world.settle();
                    assertEquals(1, two.mailbox().queued());
                    world.on(
                            () -> {
                                waiting.getFirst().schedule(null);
                                return true;
                            });
                    world.settle();
                    assertEquals(List.of(), log);
                    assertEquals(0, two.mailbox().queued());
                });
    }

    /** Both link at once: one exit, and one unlink is enough. */
    @Test
    void A4_linkedFromBothSides() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> one = temporary(world, "one");
                    ActorRef<Step> two = temporary(world, "two");
                    trap(world, one, log);
                    one.tell(Step.of(self -> self.link(two)));
                    two.tell(Step.of(self -> self.link(one)));
                    world.settle();
                    two.tell(Step.crash("no"));
                    world.settle();
                    assertEquals(
                            List.of("two Failed[cause=dev.ropewalk.actors.testkit.Crash: no]"),
                            log);
                    ActorRef<Step> three = temporary(world, "three");
                    one.tell(Step.of(self -> self.link(three)));
                    three.tell(Step.of(self -> self.link(one)));
                    world.settle();
                    one.tell(Step.of(self -> self.unlink(three)));
                    world.settle();
                    three.kill();
                    world.settle();
                    assertEquals(1, log.size());
                });
    }

    @Test
    void A4_aChainOfLinksEndsAsOne() {
        World.anywhere(
                world -> {
                    List<ActorRef<Step>> all = World.log();
                    for (int i = 0; i < 20; i++) {
                        all.add(temporary(world, "actor-" + i));
                        if (i > 0) {
                            link(world, all.get(i), all.get(i - 1));
                        }
                    }
                    all.get(10).tell(Step.crash("all"));
                    world.until(() -> all.stream().allMatch(LinkTest::isOver));
                    assertEquals(20, world.failures.size());
                });
    }

    @Test
    void A4_toItselfIsAMistake() {
        World.anywhere(
                world -> {
                    ActorRef<Step> ref = temporary(world, "ref");
                    link(world, ref, ref);
                    assertTrue(isOver(ref));
                    assertTrue(
                            world.failures.getFirst().contains("was called by that actor itself"),
                            world.failures.toString());
                });
    }

    // ---------------------------------------------------------------- kill

    @Test
    void A5_aKilledActorIsStartedAgainAndGoesOnWithItsMailbox() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref = world.spin("ref", Step.actor(_ -> log.add("start")));
                    ref.tell(Step.of(_ -> Fiber.suspend()));
                    ref.tell(Step.of(_ -> log.add("queued")));
                    world.settle();
                    ref.kill();
                    world.settle();
                    assertEquals(List.of("start", "start", "queued"), log);
                    assertEquals(1, world.letters.size());
                });
    }

    @Test
    void A5_beforeItsFirstTurn() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    world.on(
                            () -> {
                                ActorRef<Step> ref =
                                        world.spin("ref", Step.actor(_ -> log.add("start")));
                                ref.kill();
                                return true;
                            });
                    world.settle();
                    assertTrue(log.size() <= 1, log.toString());
                    assertEquals(1, world.failures.size());
                });
    }

    /** The message in hand has the stop limit; then it is given up, and the next begins. */
    @Test
    void A5_aMessageThatDoesNotEndIsAbandoned() {
        World.local(
                Supervision.oneForOne().stopLimit(Duration.ofSeconds(2)),
                world -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    List<String> log = World.log();
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    ref.tell(Step.of(_ -> CancelScope.shielded(LONG, () -> Fiber.sleep(LONG))));
                    ref.tell(Step.of(_ -> log.add("next")));
                    world.settle();
                    ref.kill();
                    Fiber.sleep(Duration.ofMillis(1_999));
                    assertEquals(List.of(), log);
                    Fiber.sleep(Duration.ofMillis(2));
                    assertEquals(List.of("next"), log);
                    assertEquals(
                            List.of("ref: ref was killed, or linked to one that was"),
                            world.failures);
                });
    }
}
