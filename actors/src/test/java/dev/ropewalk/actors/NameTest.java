package dev.ropewalk.actors;

import static dev.ropewalk.actors.supervision.Tree.child;
import static dev.ropewalk.actors.supervision.Tree.oneForOne;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule A6: names and look-up. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class NameTest {
    private static final Duration LONG = Duration.ofHours(1);

    @Test
    void A6_aNameIsUniqueBelowItsSupervisor() {
        World.anywhere(
                world -> {
                    ActorRef<Step> ref = world.spin("one", Step.actor());
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> world.system.spin("one", Step.actor())),
                            "system/one is taken by actor one");
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> world.system.start("one", Step.actor()));
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> world.system.supervise("one", World.MANY_RESTARTS));
                    assertEquals(ref, world.system.find("one"));
                    world.system.supervise("two", World.MANY_RESTARTS).spin("one", Step.actor());
                    assertNotEquals(ref, world.system.find("two/one"));
                });
    }

    /** Rule A4: who hears of the end can use the name at once. */
    @Test
    void A4_aNameIsFreeBeforeTheEndIsTold() {
        World.anywhere(
                world -> {
                    ActorRef<Step> first = world.spin("name", Step.actor());
                    List<ActorRef<Step>> again = World.log();
                    world.spin(
                            "watcher",
                            Step.actor(
                                    self ->
                                            self.monitor(
                                                    first,
                                                    _ ->
                                                            Step.of(
                                                                    _ ->
                                                                            again.add(
                                                                                    world.system
                                                                                            .spin(
                                                                                                    "name",
                                                                                                    Step
                                                                                                            .actor()))))));
                    world.settle();
                    first.stop();
                    world.until(() -> again.size() == 1);
                    assertEquals(again.getFirst(), world.system.find("name"));
                    assertEquals(List.of(), world.failures);
                });
    }

    @Test
    void A6_aNameIsFreeAfterAStartThatFailed() {
        World.anywhere(
                world -> {
                    for (int i = 0; i < 3; i++) {
                        assertThrows(
                                StartFailedException.class,
                                () ->
                                        world.system.start(
                                                "name",
                                                Step.actor(
                                                        _ -> {
                                                            throw new Crash("no");
                                                        })));
                    }
                    world.system.start("name", Step.actor());
                });
    }

    @Test
    void A6_lookUpThroughTreesAndActors() {
        TestCord.run(
                () -> {
                    List<ActorRef<Step>> children = new ArrayList<>();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    oneForOne(
                                            "top",
                                            oneForOne(
                                                    "below",
                                                    child(
                                                            "parent",
                                                            Step.actor(
                                                                    self ->
                                                                            children.add(
                                                                                    self.spin(
                                                                                            "child",
                                                                                            Step
                                                                                                    .actor())))))))) {
                        ActorRef<?> parent = system.find("below/parent");
                        assertNotNull(parent);
                        assertEquals("top/below/parent", parent.path());
                        assertEquals(children.getFirst(), system.find("below/parent/child"));
                        assertNull(system.find("below"));
                        assertNull(system.find("below/none"));
                        assertNull(system.find("below/parent/none"));
                        assertNull(system.find("none/none"));
                        assertNull(system.find(""));
                        parent.stop();
                        parent.awaitEnd(LONG);
                        assertNull(system.find("below/parent/child"));
                    }
                });
    }

    @Test
    void A6_anActorNeedsNoName() {
        World.anywhere(
                world -> {
                    ActorRef<Step> one = world.system.spin(Step.actor());
                    ActorRef<Step> two = world.system.spin(Step.actor());
                    assertNotEquals(one, two);
                    assertNull(world.system.find(one.name()));
                });
    }
}
