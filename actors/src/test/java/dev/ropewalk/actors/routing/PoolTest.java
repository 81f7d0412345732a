package dev.ropewalk.actors.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Peek;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

/** Rule A6: pools of workers. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PoolTest {
    @Test
    void A6_workersMayBeLoops() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Object> pool =
                            world.system.pool(
                                    "loops",
                                    2,
                                    Actor.<Object>loop(
                                            self -> {
                                                for (; ; ) {
                                                    self.receive();
                                                    log.add(self.self().name());
                                                }
                                            }),
                                    Routing.roundRobin());
                    world.settle();
                    for (int i = 0; i < 4; i++) {
                        pool.tell(i);
                    }
                    world.settle();
                    assertEquals(List.of("1", "1", "2", "2"), log.stream().sorted().toList());
                });
    }

    /** Its place is free again when its supervisor has been removed. */
    @Test
    void A6_aPoolThatWasRemovedMayStandElsewhere() {
        World.local(
                world -> {
                    Pool<Object> pool = Pool.of("pool", 1, worker());
                    Supervisor root = world.system.root();
                    root.add(Tree.oneForOne("first", pool.tree()));
                    root.stop("first");
                    root.remove("first");
                    root.add(Tree.oneForOne("second", pool.tree()));
                    assertEquals(
                            List.of("system/second/pool"),
                            Peek.pool(world.system, "pool").stream()
                                    .map(
                                            ref ->
                                                    ref.path()
                                                            .substring(
                                                                    0, ref.path().lastIndexOf('/')))
                                    .toList());
                });
    }

    private record Where(Recipient<String> to, boolean isLast) {}

    /** Answers with its name and cord; ends or fails when it is told to. */
    private static Actor<Object> worker() {
        return Actor.handler(
                (ActorContext<Object> self) ->
                        message -> {
                            if (message instanceof Where where) {
                                where.to().tell(self.self().name() + "@" + Cord.current().name());
                                return where.isLast() ? Behavior.stopped() : Behavior.same();
                            }
                            throw new Crash("told to");
                        });
    }

    /** The name or the cord. */
    private static String part(String where, int index) {
        return List.of(where.split("@", 2)).get(index);
    }

    private static String where(ActorRef<Object> pool) {
        return pool.ask(to -> new Where(to, false));
    }

    @Test
    void A6_theWorkersAreSpreadOverTheCords() {
        TestCords.run(
                3,
                cords -> {
                    ActorSystemOptions options = ActorSystemOptions.defaults().over(cords);
                    try (ActorSystem system = ActorSystem.start(Tree.oneForOne("app"), options)) {
                        ActorRef<Object> pool =
                                system.pool("pool", 6, worker(), Routing.roundRobin());
                        TreeMap<String, Integer> byCord = new TreeMap<>();
                        for (int i = 0; i < 6; i++) {
                            byCord.merge(part(where(pool), 1), 1, Integer::sum);
                        }
                        assertEquals(
                                List.of(2, 2, 2), List.copyOf(byCord.values()), byCord::toString);
                        assertEquals(6, system.supervisor("pool").children().size());
                    }
                });
    }

    /** One for one: the others go on, and it is chosen again. */
    @Test
    void A6_aWorkerThatFailsStaysInThePool() {
        World.local(
                world -> {
                    ActorRef<Object> pool =
                            world.system.pool("pool", 2, worker(), Routing.roundRobin());
                    pool.tell("fail");
                    world.settle();
                    String one = where(pool);
                    String two = where(pool);
                    assertEquals(
                            List.of("1", "2"),
                            List.of(one, two).stream()
                                    .map(each -> part(each, 0))
                                    .sorted()
                                    .toList());
                });
    }

    @Test
    void A6_aWorkerThatEndsForGoodIsNotChosen() {
        World.local(
                world -> {
                    ActorRef<Object> pool =
                            world.system.pool("pool", 2, worker(), Routing.roundRobin());
                    String gone = pool.ask(to -> new Where(to, true));
                    world.settle();
                    for (int i = 0; i < 4; i++) {
                        assertTrue(!where(pool).equals(gone));
                    }
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    /** In a tree that is started with the system, and started again with its supervisor. */
    @Test
    void A6_aPoolInATree() {
        TestCords.run(
                2,
                cords -> {
                    Pool<Object> pool = Pool.of("pool", 3, worker());
                    Tree tree =
                            Tree.oneForAll(
                                    "app",
                                    Tree.child(
                                            "other", Step.actor().restart(RestartRule.PERMANENT)),
                                    Tree.oneForOne("part", pool.tree()));
                    ActorSystemOptions options = ActorSystemOptions.defaults().over(cords);
                    try (ActorSystem system = ActorSystem.start(tree, options)) {
                        ActorRef<Object> router = system.pool(pool, Routing.leastMailbox());
                        for (int i = 0; i < 6; i++) {
                            where(router);
                        }
                        Objects.requireNonNull(system.find("other"))
                                .stop(); // takes the others along
                        for (int i = 0; i < 20; i++) {
                            Fiber.sleep(Duration.ofMillis(1));
                        }
                        TreeMap<String, Integer> byName = new TreeMap<>();
                        ActorRef<Object> turns = system.pool(pool, Routing.roundRobin());
                        for (int i = 0; i < 6; i++) {
                            byName.merge(part(where(turns), 0), 1, Integer::sum);
                        }
                        assertEquals("{1=2, 2=2, 3=2}", byName.toString());
                    }
                });
    }

    /** As many restarts as its workers would have by themselves. */
    @Test
    void A6_theIntensityOfAPoolIsThatOfItsWorkersTogether() {
        Supervision ofOne = Supervision.oneForOne();
        Pool<Object> pool = Pool.of("pool", 8, worker());
        assertEquals(8 * ofOne.intensity(), pool.tree().rules().intensity());
        assertEquals(ofOne.period(), pool.tree().rules().period());
        assertEquals(1, pool.rules(ofOne).tree().rules().intensity());
    }

    @Test
    void misuse_noWorkers() {
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> Pool.of("p", 0, worker())),
                "pool p: workers=0 < 1");
    }

    @Test
    void misuse_twoPoolsOfOneName() {
        World.local(
                world -> {
                    Pool<Object> pool = Pool.of("pool", 1, worker());
                    world.system.root().add(Tree.oneForOne("a", pool.tree()));
                    StartFailedException failed =
                            assertThrows(
                                    StartFailedException.class,
                                    () ->
                                            world.system
                                                    .root()
                                                    .add(Tree.oneForOne("b", pool.tree())));
                    Errors.assertMentions(failed, "pool pool stands at", "one pool of a name");
                });
    }

    @Test
    void misuse_aWorkerThatDoesNotStart() {
        World.local(
                world -> {
                    Actor<Object> broken =
                            Actor.handler(
                                    _ -> {
                                        throw new Crash("no start");
                                    });
                    assertThrows(
                            StartFailedException.class,
                            () -> world.system.pool("p", 2, broken, Routing.roundRobin()));
                    assertEquals(List.of(), world.system.root().children());
                });
    }
}
