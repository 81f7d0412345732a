package dev.ropewalk.actors.cluster.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.actors.cluster.Protocol;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rules F14 and A7: nodes on virtual cords, and what befalls them. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SimClusterTest {
    sealed interface Word {}

    record WhoIsThere(Recipient<String> replyTo) implements Word {}

    private static final Protocol PROTOCOL = Protocol.of(Word.class);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(1);

    private static Node start(NodeOptions options) {
        ActorSystem system = ActorSystem.start("system");
        system.spin("porter", porter(options.name() + " at " + options.host()));
        return Node.start(system, options.withProtocol(PROTOCOL));
    }

    private static Actor<Word> porter(String name) {
        return Actor.handler(
                () ->
                        word -> {
                            if (word instanceof WhoIsThere(var replyTo)) {
                                replyTo.tell(name);
                            }
                            return Behavior.same();
                        });
    }

    private static void run(int nodes, SimCluster.Body body) {
        SimCluster.run(
                nodes,
                SimClusterTest::start,
                cluster -> {
                    assertTrue(cluster.awaitPeers(LONG));
                    body.run(cluster);
                });
    }

    private static ActorRef<Word> porter(SimCluster cluster, String from, String of)
            throws Exception {
        return Objects.requireNonNull(
                cluster.on(from, () -> cluster.node(from).at(of).find("porter", Word.class)));
    }

    private static String ask(SimCluster cluster, String from, ActorRef<Word> porter)
            throws Exception {
        return cluster.on(from, () -> porter.ask(WhoIsThere::new, SECOND));
    }

    /** The ends of the actor, as a monitor on that node hears of them. */
    private static List<ExitReason> endsOf(SimCluster cluster, String on, ActorRef<?> actor) {
        List<ExitReason> log = new ArrayList<>();
        cluster.system(on)
                .start(
                        "watcher",
                        Actor.<Object>handler(
                                context -> {
                                    context.monitor(actor, down -> down);
                                    return message -> {
                                        log.add(((Down) message).reason());
                                        return Behavior.same();
                                    };
                                }));
        return log;
    }

    @Test
    void F14_nodesMeetAndActorsTalk() {
        run(
                3,
                cluster -> {
                    assertEquals(List.of("n1", "n2", "n3"), cluster.names());
                    for (String from : cluster.names()) {
                        for (String of : cluster.names()) {
                            if (!from.equals(of)) {
                                assertEquals(
                                        of + " at 10.0.0." + of.charAt(1),
                                        ask(cluster, from, porter(cluster, from, of)));
                            }
                        }
                    }
                });
    }

    @Test
    void F14_cutEndsTheSessionAndHealBeginsAnother() {
        run(
                3,
                cluster -> {
                    ActorRef<Word> porter = porter(cluster, "n1", "n2");
                    List<ExitReason> ends = endsOf(cluster, "n1", porter);
                    cluster.cut("n1", "n2");
                    Fiber.sleep(SECOND.multipliedBy(4));
                    assertEquals(List.of(new ExitReason.Unreachable("n2")), ends);
                    assertEquals(List.of("n3"), cluster.node("n1").peers());
                    assertEquals(List.of("n1", "n2"), cluster.node("n3").peers());
                    assertThrows(AskFailedException.class, () -> ask(cluster, "n1", porter));
                    cluster.heal();
                    assertTrue(cluster.awaitPeers(LONG));
                    assertEquals("n2 at 10.0.0.2", ask(cluster, "n1", porter));
                });
    }

    @Test
    void F14_cutInOneDirectionEndsTheSessionOnBothSides() {
        run(
                2,
                cluster -> {
                    cluster.cutOneWay("n1", "n2");
                    Fiber.sleep(SECOND.multipliedBy(7));
                    assertEquals(List.of(), cluster.node("n1").peers());
                    assertEquals(List.of(), cluster.node("n2").peers());
                    cluster.heal("n2", "n1");
                    assertTrue(cluster.awaitPeers(LONG));
                });
    }

    @Test
    void F14_resetIsSeenAtOnce() {
        run(
                2,
                cluster -> {
                    List<ExitReason> ends = endsOf(cluster, "n1", porter(cluster, "n1", "n2"));
                    cluster.reset("n1", "n2");
                    Fiber.sleep(Duration.ofMillis(10));
                    assertEquals(List.of(new ExitReason.Unreachable("n2")), ends);
                    assertTrue(cluster.awaitPeers(LONG));
                });
    }

    @Test
    void F14_frozenNodeIsGivenUpAndComesBack() {
        run(
                2,
                cluster -> {
                    ActorRef<Word> porter = porter(cluster, "n1", "n2");
                    cluster.freeze("n2", SECOND.multipliedBy(2));
                    Fiber.sleep(SECOND.multipliedBy(3));
                    assertEquals(List.of("n2"), cluster.node("n1").peers()); // 2 s are no end
                    List<ExitReason> ends = endsOf(cluster, "n1", porter);
                    cluster.freeze("n2", SECOND.multipliedBy(5));
                    Fiber.sleep(SECOND.multipliedBy(4));
                    assertEquals(List.of(new ExitReason.Unreachable("n2")), ends);
                    assertTrue(cluster.isRunning("n2"));
                    assertTrue(cluster.awaitPeers(LONG));
                    assertEquals("n2 at 10.0.0.2", ask(cluster, "n1", porter));
                });
    }

    @Test
    void F14_killedNodeIsNamedUntilItIsRestarted() {
        run(
                2,
                cluster -> {
                    ActorRef<Word> porter = porter(cluster, "n1", "n2");
                    Node before = cluster.node("n2");
                    cluster.kill("n2");
                    cluster.kill("n2"); // no effect
                    assertFalse(cluster.isRunning("n2"));
                    assertEquals(List.of("n1", "n2"), cluster.names());
                    for (Runnable each :
                            List.<Runnable>of(
                                    () -> cluster.node("n2"),
                                    () -> cluster.system("n2"),
                                    () -> cluster.freeze("n2", SECOND),
                                    () -> cluster.clockRate("n2", 1.01))) {
                        assertNames("n2", assertThrows(IllegalStateException.class, each::run));
                    }
                    assertNames(
                            "n2",
                            assertThrows(
                                    IllegalStateException.class, () -> cluster.on("n2", () -> 1)));
                    assertNotSame(before, cluster.restart("n2"));
                    assertTrue(cluster.awaitPeers(LONG));
                    assertThrows(AskFailedException.class, () -> ask(cluster, "n1", porter));
                    ActorRef<Word> again = porter(cluster, "n1", "n2");
                    assertEquals("n2 at 10.0.0.2", ask(cluster, "n1", again));
                });
    }

    private static void assertNames(String name, Exception failure) {
        assertTrue(
                String.valueOf(failure.getMessage())
                        .contains("node " + name + " was killed; restart(\"" + name + "\")"),
                failure::toString);
    }

    @Test
    void F14_nodeIsRestartedByAnotherProgramFromThenOn() {
        run(
                2,
                cluster -> {
                    SimCluster.Program next =
                            options -> {
                                ActorSystem system = ActorSystem.start("next");
                                system.spin("porter", porter("the next version"));
                                return Node.start(system, options.withProtocol(PROTOCOL));
                            };
                    for (Node each : List.of(cluster.restart("n2", next), cluster.restart("n2"))) {
                        assertEquals("next", each.system().name());
                    }
                    assertEquals("system", cluster.restart("n1").system().name());
                    assertTrue(cluster.awaitPeers(LONG));
                    assertEquals(
                            "the next version", ask(cluster, "n1", porter(cluster, "n1", "n2")));
                });
    }

    @Test
    void F14_codeOnANodeThatIsKilledMeanwhileFailsAndNamesIt() {
        run(
                2,
                cluster -> {
                    Fiber<?> killer =
                            Fiber.spin(
                                    "kills",
                                    () -> {
                                        Fiber.sleep(SECOND);
                                        cluster.kill("n2");
                                    });
                    assertNames(
                            "n2",
                            assertThrows(
                                    IllegalStateException.class,
                                    () ->
                                            cluster.on(
                                                    "n2",
                                                    () -> {
                                                        Fiber.sleep(LONG);
                                                        return 1;
                                                    })));
                    killer.await();
                });
    }

    @Test
    void F14_codeOnANodeThrowsWhatItThrows() {
        run(
                1,
                cluster ->
                        assertEquals(
                                "no",
                                assertThrows(
                                                java.io.IOException.class,
                                                () ->
                                                        cluster.on(
                                                                "n1",
                                                                () -> {
                                                                    throw new java.io.IOException(
                                                                            "no");
                                                                }))
                                        .getMessage()));
    }

    @Test
    void F14_clockOfANodeHasARateThatARestartKeeps() {
        run(
                2,
                cluster -> {
                    cluster.clockRate("n2", 1.01);
                    assertEquals(1_010, elapsedMillis(cluster));
                    cluster.restart("n2");
                    assertEquals(1_010, elapsedMillis(cluster));
                });
    }

    private static long elapsedMillis(SimCluster cluster) throws Exception {
        Cord cord = cluster.on("n2", Cord::current);
        long beganNs = cord.nanoTime();
        Fiber.sleep(SECOND);
        return Math.round((cord.nanoTime() - beganNs) / 1e6);
    }

    @Test
    void F14_failingRunNamesTheSeedAndTheCall() {
        AssertionError failed =
                assertThrows(
                        AssertionError.class,
                        () ->
                                SimCluster.run(
                                        2,
                                        42,
                                        true,
                                        SimClusterTest::start,
                                        _ -> {
                                            throw new IllegalStateException("as asked");
                                        }));
        String message = String.valueOf(failed.getMessage());
        assertTrue(message.contains("as asked"), message);
        assertTrue(message.contains("SimCluster.run(2, 42L, true, program, body)"), message);
        assertInstanceOf(IllegalStateException.class, failed.getCause());
    }

    @Test
    void F14_programThatFailsFailsTheRun() {
        AssertionError failed =
                assertThrows(
                        AssertionError.class,
                        () ->
                                SimCluster.run(
                                        2,
                                        1,
                                        true,
                                        _ -> {
                                            throw new IllegalStateException("no disk");
                                        },
                                        _ -> {}));
        assertTrue(String.valueOf(failed.getMessage()).contains("no disk"), failed::toString);
    }

    @Test
    void F14_sameSeedRunsTheSameWay() {
        assertEquals(trace(7), trace(7));
        assertNotEquals(trace(7), trace(8));
    }

    private static String trace(long seed) {
        StringBuilder trace = new StringBuilder();
        SimCluster.run(
                3,
                seed,
                true,
                SimClusterTest::start,
                cluster -> {
                    assertTrue(cluster.awaitPeers(LONG));
                    cluster.reset("n1", "n3");
                    cluster.restart("n2");
                    assertTrue(cluster.awaitPeers(LONG));
                    ask(cluster, "n1", porter(cluster, "n1", "n2"));
                    trace.append(Cord.current().nanoTime());
                });
        return trace.toString();
    }

    @Test
    void F14_numberOfNodesIsChecked() {
        for (int wrong : new int[] {0, 251}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> SimCluster.run(wrong, 1, true, SimClusterTest::start, _ -> {}));
        }
    }
}
