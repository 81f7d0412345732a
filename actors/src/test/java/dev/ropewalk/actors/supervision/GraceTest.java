package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;

/** Rule A6: a system ends with grace. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class GraceTest {
    private static final Duration LONG = Duration.ofHours(1);

    @Test
    void A6_mailboxesAreEmptied() {
        World.anywhere(
                world -> {
                    List<Integer> handled = World.log();
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    for (int i = 0; i < 50; i++) {
                        int number = i;
                        ref.tell(Step.of(_ -> handled.add(number)));
                    }
                    StopReport report = world.system.stop(LONG);
                    assertTrue(report.isComplete(), report.toString());
                    assertEquals(50, handled.size());
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    /** The youngest first, so what it tells an older one is handled. */
    @Test
    void A6_whatAYoungerActorTellsAnOlderOneMeanwhileIsHandled() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> sink = world.spin("sink", Step.actor());
                    ActorRef<Step> source = world.spin("source", Step.actor());
                    for (int i = 0; i < 10; i++) {
                        source.tell(
                                Step.of(
                                        _ -> {
                                            Fiber.sleep(Duration.ofMillis(1));
                                            sink.tell(Step.of(_ -> log.add("handled")));
                                        }));
                    }
                    assertTrue(world.system.stop(LONG).isComplete());
                    assertEquals(10, log.size());
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    /** A crash is followed by a restart, which goes on with the mailbox. */
    @ParameterizedTest
    @ValueSource(strings = {"PERMANENT", "TRANSIENT"})
    void A6_aCrashOnTheWayLosesNothingElse(String rule) {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    var below = world.system.supervise("below", World.MANY_RESTARTS);
                    ActorRef<Step> ref =
                            world.spin(
                                    below, "ref", Step.actor().restart(RestartRule.valueOf(rule)));
                    for (int i = 0; i < 10; i++) {
                        ref.tell(i % 3 == 1 ? Step.crash("c") : Step.of(_ -> log.add("handled")));
                    }
                    assertTrue(world.system.stop(LONG).isComplete());
                    assertEquals(7, log.size());
                });
    }

    @Test
    void A6_whatDoesNotEndIsReportedAndEnded() {
        World.anywhere(
                world -> {
                    world.spin("quick", Step.actor());
                    ActorRef<Step> stuck = world.spin("stuck", Step.actor());
                    world.spin("young", Step.actor());
                    stuck.tell(Step.of(_ -> Fiber.suspend()));
                    stuck.tell(Step.stop());
                    StopReport report = world.system.stop(Duration.ofMillis(20));
                    assertFalse(report.isComplete());
                    assertEquals(
                            List.of("quick", "stuck"),
                            report.left().stream().map(left -> left.actor().name()).toList());
                    assertEquals(1, report.left().get(1).mailbox().queued());
                    assertTrue(stuck.awaitEnd(LONG));
                });
    }

    @Test
    void A6_noActorIsAddedMeanwhile() {
        World.local(
                world -> {
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    List<ActorRef<Step>> late = World.log();
                    ref.tell(
                            Step.of(
                                    _ -> {
                                        Fiber.sleep(Duration.ofSeconds(1));
                                        late.add(world.spin("late", Step.actor()));
                                    }));
                    assertTrue(world.system.stop(LONG).isComplete());
                    assertTrue(late.getFirst().awaitEnd(LONG));
                });
    }

    @Test
    void A6_anActorOfTheSystemCannotWaitForIt() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    ref.tell(
                            Step.of(
                                    _ ->
                                            log.add(
                                                    String.valueOf(
                                                            assertThrows(
                                                                            IllegalStateException
                                                                                    .class,
                                                                            () ->
                                                                                    world.system
                                                                                            .stop(
                                                                                                    LONG))
                                                                    .getMessage()))));
                    world.until(() -> log.size() == 1);
                    assertTrue(log.getFirst().endsWith("; stop it from outside"), log.toString());
                });
    }

    @Test
    void A6_twiceAndAfterTheEnd() {
        World.anywhere(
                world -> {
                    world.spin("ref", Step.actor());
                    assertTrue(world.system.stop(LONG).isComplete());
                    assertTrue(world.system.stop(Duration.ZERO).isComplete());
                });
    }
}
