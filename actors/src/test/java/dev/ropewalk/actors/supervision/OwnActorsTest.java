package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule A5: actors that an actor starts itself. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class OwnActorsTest {
    private static final Duration LONG = Duration.ofHours(1);

    @Test
    void A5_theyEndWithTheIncarnation() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "parent",
                                    Step.actor(
                                            self ->
                                                    self.spin(
                                                            "child",
                                                            Step.actor(
                                                                    child -> {
                                                                        log.add("start");
                                                                        child.atEnd(
                                                                                r ->
                                                                                        log.add(
                                                                                                "end "
                                                                                                        + r));
                                                                    }))));
                    world.settle();
                    ref.tell(Step.crash("parent"));
                    world.settle();
                    String end = "end Shutdown[why=it was terminated]";
                    assertEquals(List.of("start", end, "start"), log);
                    ref.stop();
                    world.settle();
                    assertEquals(List.of("start", end, "start", "end Normal[]"), log);
                    assertTrue(ref.awaitEnd(LONG));
                });
    }

    @Test
    void A5_theyAreNotStartedAgainUnlessTheirDefinitionSaysSo() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    List<ActorRef<Step>> refs = World.log();
                    world.spin(
                            "parent",
                            Step.actor(
                                    self -> {
                                        refs.add(
                                                self.spin(
                                                        "once",
                                                        Step.actor(_ -> log.add("once")),
                                                        down ->
                                                                Step.of(
                                                                        _ ->
                                                                                log.add(
                                                                                        "down "
                                                                                                + down
                                                                                                        .reason()))));
                                        refs.add(
                                                self.spin(
                                                        "again",
                                                        Step.actor(_ -> log.add("again"))
                                                                .restart(RestartRule.TRANSIENT)));
                                    }));
                    world.until(() -> refs.size() == 2);
                    world.settle();
                    refs.get(0).tell(Step.crash("one"));
                    world.settle();
                    refs.get(1).tell(Step.crash("two"));
                    world.settle();
                    assertEquals(
                            List.of(
                                    "down Failed[cause=dev.ropewalk.actors.testkit.Crash: one]",
                                    "again"),
                            log.subList(2, 4));
                    assertEquals("system/parent/once", refs.getFirst().path());
                });
    }

    /** When their supervisor gives up, the actor fails. */
    @Test
    void A5_tooManyRestartsFailTheActor() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    List<ActorRef<Step>> children = World.log();
                    world.spin(
                            "parent",
                            Step.actor(
                                    self -> {
                                        log.add("start");
                                        children.add(
                                                self.spin(
                                                        "child",
                                                        Step.actor()
                                                                .restart(RestartRule.PERMANENT)));
                                    }));
                    world.until(() -> children.size() == 1);
                    for (int i = 0; i < 2; i++) {
                        children.getFirst().tell(Step.crash("no " + i));
                        world.settle();
                    }
                    world.until(() -> log.size() == 2);
                    assertEquals(1, world.failures.size());
                    assertTrue(
                            world.failures.getFirst().contains("gives up on child"),
                            world.failures.toString());
                });
    }

    @Test
    void A5_onAnotherCordAndAwaited() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "parent",
                                    Step.actor(
                                            self -> {
                                                ActorRef<Step> child =
                                                        self.children()
                                                                .start(
                                                                        "child",
                                                                        Step.actor(
                                                                                _ ->
                                                                                        log.add(
                                                                                                "child")));
                                                log.add("parent");
                                                child.tell(Step.of(_ -> log.add("told")));
                                            }));
                    world.until(() -> log.size() == 3);
                    assertEquals(List.of("child", "parent", "told"), log);
                    ref.stop();
                    world.settle();
                });
    }

    /** In a loop-style actor too, and deep. */
    @Test
    void A5_treesOfThem() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref = world.spin("0", nested(log, 0));
                    world.until(() -> log.size() == 6);
                    ref.kill();
                    world.until(() -> log.size() == 18);
                    assertEquals(
                            List.of("end 5", "end 4", "end 3", "end 2", "end 1", "end 0"),
                            log.subList(6, 12));
                });
    }

    private static Actor<Step> nested(List<String> log, int depth) {
        return Step.loop(
                self -> {
                    log.add("start " + depth);
                    self.atEnd(_ -> log.add("end " + depth));
                    if (depth < 5) {
                        self.spin("" + (depth + 1), nested(log, depth + 1));
                    }
                });
    }
}
