package dev.ropewalk.actors.supervision;

import static dev.ropewalk.actors.supervision.Tree.child;
import static dev.ropewalk.actors.supervision.Tree.oneForOne;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.routing.Pool;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.function.Executable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

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
                            "system/one is taken by actor system/one#1");
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

    /** One check for all that has a name, before anything is made. */
    @Test
    void A6_aNameIsNotBlankAndHasNoSlash() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("top")) {
                        for (String name : List.of("a/b", "/", "", " ", "\n")) {
                            List<Executable> all =
                                    List.of(
                                            () -> child(name, Step.actor()),
                                            () -> oneForOne(name),
                                            () -> ActorSystem.start(name),
                                            () -> system.spin(name, Step.actor()),
                                            () -> system.start(name, Step.actor()),
                                            () -> system.supervise(name, World.MANY_RESTARTS),
                                            () -> system.group(name, Step.class),
                                            () -> Pool.of(name, 1, Step.actor()),
                                            () ->
                                                    system.pool(
                                                            name,
                                                            1,
                                                            Step.actor(),
                                                            Routing.roundRobin()),
                                            () -> spinBelow(system, name));
                            for (Executable each : all) {
                                Errors.assertMentions(
                                        assertThrows(IllegalArgumentException.class, each),
                                        "name=\"" + name + "\" of a",
                                        name.isBlank() ? "is blank" : "has a /",
                                        "give it a name without a /");
                            }
                        }
                        assertEquals(List.of(), system.root().children());
                    }
                });
    }

    /** By an actor; throws what it gets. */
    private static void spinBelow(ActorSystem system, String name) throws Exception {
        List<Exception> thrown = new ArrayList<>();
        ActorRef<Step> parent =
                system.start(
                        "parent",
                        Step.actor(
                                self -> {
                                    try {
                                        self.spin(name, Step.actor());
                                    } catch (IllegalArgumentException refusal) {
                                        thrown.add(refusal);
                                    }
                                }));
        parent.stop();
        parent.awaitEnd(LONG);
        throw thrown.getFirst();
    }

    /** An actor without a name, and one that is called like another one elsewhere. */
    @Test
    void A6_listenersAndDeadLettersTellActorsApart() {
        TestCord.run(
                () -> {
                    List<String> failures = new ArrayList<>();
                    List<String> dead = new ArrayList<>();
                    Supervision rules =
                            World.MANY_RESTARTS.onFailure(report -> failures.add(report.actor()));
                    List<ActorRef<Step>> refs = new ArrayList<>();
                    try (ActorSystem system =
                            ActorSystem.start("top", rules, l -> dead.add(l.recipient()))) {
                        for (String below : List.of("one", "two")) {
                            Supervisor where = system.supervise(below, rules);
                            refs.add(where.spin("till", Step.actor()));
                            refs.add(where.spin(Step.actor()));
                            refs.add(where.spin(Step.actor()));
                        }
                        for (ActorRef<Step> ref : refs) {
                            ref.tell(Step.crash("x"));
                            ref.stop();
                            ref.awaitEnd(LONG);
                            ref.tell(Step.stop());
                        }
                    }
                    List<String> names = refs.stream().map(ActorRef::toString).toList();
                    assertEquals("top/one/till#1", names.getFirst());
                    String last = names.getLast();
                    assertTrue(last.matches("top/two/actor#[0-9]+"), last);
                    assertEquals(refs.size(), Set.copyOf(names).size(), names::toString);
                    assertEquals(names, failures);
                    assertEquals(
                            names.stream().flatMap(name -> Stream.of(name, name)).toList(), dead);
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
