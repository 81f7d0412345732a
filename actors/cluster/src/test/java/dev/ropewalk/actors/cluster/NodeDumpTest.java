package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.metrics.MetricValue;
import dev.ropewalk.fibers.metrics.Metrics;
import dev.ropewalk.fibers.supervision.RestartRule;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Rule A7: a node tells of its sessions, what waits in them, and what it does not reach or read.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class NodeDumpTest {
    record Question(Recipient<String> replyTo) {}

    record Here(int count) {}

    record There(String count) {}

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir private Path folder;

    /** The two differ in one type, and the actor answers nothing. */
    private static Node start(NodeOptions options) {
        ActorSystem system = ActorSystem.start("system");
        system.spin("silent", silent());
        Class<?> counted = options.name().equals("n1") ? Here.class : There.class;
        return Node.start(
                system, options.withProtocol(Protocol.of(Question.class).named(counted, "count")));
    }

    private static Actor<Object> silent() {
        return Actor.handler(() -> _ -> Behavior.same());
    }

    private static ActorRef<Object> silent(SimCluster cluster) {
        return Objects.requireNonNull(cluster.node("n1").at("n2").find("silent", Object.class));
    }

    private static void run(SimCluster.Body body) {
        SimCluster.run(
                2,
                NodeDumpTest::start,
                cluster -> {
                    assertTrue(cluster.awaitPeers(LONG));
                    body.run(cluster);
                });
    }

    private static NodeDump.Peer peer(SimCluster cluster, String of) {
        return cluster.node(of).dump().peers().getFirst();
    }

    private static double metric(Metrics metrics, String name) {
        return metrics.read().stream()
                .filter(each -> each.metric().name().equals(name))
                .mapToDouble(MetricValue::value)
                .sum();
    }

    @Test
    void A7_metricsTellTheSumsOfAllSessions() {
        run(
                cluster -> {
                    Metrics metrics = Metrics.of(NodeMetrics.of(cluster.node("n1")));
                    assertEquals(1, metric(metrics, "ropewalk.node.sessions"));
                    double before = metric(metrics, "ropewalk.node.sent");
                    ActorRef<Object> silent = silent(cluster);
                    for (int i = 0; i < 5; i++) {
                        silent.tell("hello");
                    }
                    Fiber.sleep(SECOND);
                    double sent = metric(metrics, "ropewalk.node.sent");
                    assertTrue(sent >= before + 5, () -> before + " and then " + sent);
                    assertTrue(metric(metrics, "ropewalk.node.sent.bytes") > sent);
                    cluster.kill("n2");
                    Fiber.sleep(LONG);
                    assertEquals(0, metric(metrics, "ropewalk.node.sessions"));
                    assertTrue(metric(metrics, "ropewalk.node.sent") >= sent, "it never goes back");
                    assertEquals(0, metric(metrics, "ropewalk.metrics.failures"));
                    assertEquals(
                            -1,
                            metrics.read().stream()
                                    .filter(
                                            each ->
                                                    each.metric()
                                                            .name()
                                                            .equals("ropewalk.node.shards"))
                                    .mapToDouble(MetricValue::value)
                                    .findFirst()
                                    .orElse(-1),
                            "it has no store");
                });
    }

    @Test
    void A7_dumpTellsOfASessionAndWhatItKeeps() {
        run(
                cluster -> {
                    ActorRef<Object> silent = silent(cluster);
                    Fiber.sleep(SECOND.multipliedBy(2));
                    NodeDump.Peer before = peer(cluster, "n1");
                    assertEquals("n2", before.name());
                    assertEquals("10.0.0.2:7400", before.address());
                    assertTrue(before.up().compareTo(SECOND.multipliedBy(2)) > 0, before::toString);
                    assertTrue(before.up().compareTo(LONG) < 0, before::toString);
                    assertEquals(0, before.out().unacknowledged());
                    assertEquals(
                            new NodeDump.Entries(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), before.entries());
                    assertEquals(
                            List.of("count: its component count is String there, and int here"),
                            before.refusedTypes());

                    cluster.cut("n1", "n2");
                    silent.askLater(Question::new, LONG).exceptionally(_ -> "none");
                    silent.tell(new Here(1));
                    cluster.system("n1")
                            .spin(
                                    "watching",
                                    Actor.<Object>handler(
                                            context -> {
                                                context.monitor(silent, down -> down);
                                                return _ -> Behavior.same();
                                            }));
                    Fiber.sleep(SECOND);
                    NodeDump.Peer cut = peer(cluster, "n1");
                    assertEquals(3, cut.out().unacknowledged(), cut::toString);
                    assertEquals(before.out().messages() + 3, cut.out().messages());
                    assertTrue(cut.out().unacknowledgedBytes() > 10, cut::toString);
                    assertTrue(cut.out().bytes() > before.out().bytes(), cut::toString);
                    assertEquals(1, cut.entries().asks());
                    assertEquals(1, cut.entries().monitored());
                    assertEquals(before.in().messages(), cut.in().messages());

                    cluster.heal();
                    Fiber.sleep(SECOND);
                    NodeDump.Peer there = peer(cluster, "n2");
                    assertEquals(0, peer(cluster, "n1").out().unacknowledged());
                    assertEquals(1, there.entries().monitors());
                    assertEquals(cut.out().messages(), there.in().messages());
                    assertTrue(there.in().bytes() > 10, there::toString);
                    assertEquals(1, cluster.node("n2").dump().exports());
                });
    }

    @Test
    void A7_dumpTellsOfMembersLinksAndSizes() {
        run(
                cluster -> {
                    ActorRef<Object> silent = silent(cluster);
                    for (String each : List.of("n1", "n2")) {
                        cluster.on(
                                each,
                                () -> cluster.node(each).group("all", Object.class).members());
                    }
                    cluster.system("n1")
                            .spin(
                                    "linking",
                                    Actor.<Object>handler(
                                                    context -> {
                                                        context.link(silent);
                                                        return _ -> Behavior.same();
                                                    })
                                            .restart(RestartRule.TEMPORARY));
                    Fiber.sleep(SECOND);
                    assertEquals(1, peer(cluster, "n1").entries().links());
                    assertEquals(0, peer(cluster, "n1").entries().members());
                    cluster.on(
                            "n2",
                            () -> {
                                ActorRef<Object> member =
                                        cluster.system("n2").spin("member", silent());
                                return cluster.node("n2").group("all", Object.class).join(member);
                            });
                    Fiber.sleep(SECOND);
                    assertEquals(1, peer(cluster, "n1").entries().members());
                    assertEquals(0, peer(cluster, "n2").entries().members());
                    Routing.<Object>leastMailbox()
                            .over(cluster.node("n1").group("all", Object.class))
                            .tell(new Here(1));
                    assertEquals(1, peer(cluster, "n1").entries().sizes());
                    assertEquals(0, peer(cluster, "n2").entries().sizes());
                });
    }

    @Test
    void A7_dumpTellsOfSendersThatWaitForRoom() {
        SimCluster.run(
                2,
                options -> start(options.withQueue(1_024)),
                cluster -> {
                    assertTrue(cluster.awaitPeers(LONG));
                    ActorRef<Object> silent = silent(cluster);
                    cluster.freeze("n2", SECOND.multipliedBy(2));
                    Fiber<?> sender =
                            Fiber.spin(
                                    "sender",
                                    () -> {
                                        for (int i = 0; i < 1_000; i++) {
                                            silent.tell(new Here(i));
                                        }
                                    });
                    Fiber.sleep(SECOND);
                    NodeDump.Out out = peer(cluster, "n1").out();
                    assertEquals(1, out.waiting(), out::toString);
                    assertTrue(out.unacknowledgedBytes() >= 1_024, out::toString);
                    sender.await();
                    Fiber.sleep(SECOND);
                    assertEquals(0, peer(cluster, "n1").out().waiting());
                });
    }

    @Test
    void A7_dumpTellsWhatIsNotReachedAndWhy() {
        run(
                cluster -> {
                    assertEquals(List.of(), cluster.node("n1").dump().unreached());
                    assertEquals(List.of(), cluster.node("n2").dump().unreached());
                    cluster.kill("n2");
                    Fiber.sleep(SECOND.multipliedBy(10));
                    NodeDump dump = cluster.node("n1").dump();
                    assertEquals(List.of(), dump.peers());
                    NodeDump.Unreached lost = dump.unreached().getFirst();
                    assertEquals("10.0.0.2:7400", lost.address());
                    assertTrue(lost.tries() > 2, lost::toString);
                    assertTrue(lost.reason().contains("10.0.0.2"), lost::toString);
                    cluster.restart("n2");
                    assertTrue(cluster.awaitPeers(LONG));
                    Fiber.sleep(SECOND.multipliedBy(10)); // one may have been refused as a second
                    assertEquals(List.of(), cluster.node("n1").dump().unreached());
                    assertEquals(List.of(), cluster.node("n2").dump().unreached());
                });
    }

    @Test
    void A7_dumpIsTextAndJson() {
        NodeDump dump =
                new NodeDump(
                        "n1",
                        "a1",
                        "shop",
                        "10.0.0.1:7400",
                        3,
                        List.of(
                                new NodeDump.Peer(
                                        "n2",
                                        "b2",
                                        "10.0.0.2:7400",
                                        Duration.ofMillis(1_500),
                                        new NodeDump.Out(1, 2, 3, 4, 5, 6),
                                        new NodeDump.In(7, 8),
                                        new NodeDump.Entries(9, 10, 11, 12, 13, 14, 15, 16, 17, 18),
                                        List.of("order: why"))),
                        List.of(new NodeDump.Unreached("10.0.0.3:7400", 16, "refused")),
                        new NodeDump.Registration(
                                "c3",
                                Duration.ofMillis(2_500),
                                List.of("n1", "n2"),
                                "",
                                new NodeDump.StoreCalls("a store", 1, 2, 3, 4, 5)),
                        new NodeDump.Shards(
                                8,
                                List.of(new NodeDump.Share("n1", 2), new NodeDump.Share("n2", 254)),
                                List.of(
                                        new NodeDump.Shard(4, 6, "OWNED", SECOND),
                                        new NodeDump.Shard(5, 7, "GIVING", SECOND)),
                                List.of(new NodeDump.Kind("account", 3, 4)),
                                9,
                                10,
                                11,
                                "why"));
        assertEquals(
                """
                node n1@a1 at 10.0.0.1:7400 in cluster shop: peers=1, exports=3
                  registered as c3, lease left 2500 ms, beside [n1, n2]; engine=a store, \
                reads=1, written=2, refused=3, unknown=4, failed=5
                  shards at revision 8, n1=2, n2=254; taken=9, given=10, lost=11; it moves \
                none: why
                  kind account: running=3, held=4
                  shard 5 is GIVING, epoch=7
                  n2@b2 at 10.0.0.2:7400, up for 1500 ms; out: queuedBytes=1, unacknowledged=2, \
                unacknowledgedBytes=3, waiting=4, messages=5, bytes=6; in: messages=7, bytes=8; \
                asks=9, monitored=10, monitors=11, asked=12, addresses=13, windows=14, loans=15, \
                links=16, members=17, sizes=18
                    cannot read order: why
                  no session with 10.0.0.3:7400 after tries=16: refused
                """,
                dump.toString());
        assertEquals(
                "{'name':'n1','incarnation':'a1','cluster':'shop','address':'10.0.0.1:7400',"
                        + "'exports':3,'peers':[{'name':'n2','incarnation':'b2',"
                        + "'address':'10.0.0.2:7400','upNanos':1500000000,'queuedBytes':1,"
                        + "'unacknowledged':2,'unacknowledgedBytes':3,'waiting':4,"
                        + "'messagesOut':5,'bytesOut':6,'messagesIn':7,'bytesIn':8,'asks':9,"
                        + "'monitored':10,'monitors':11,'asked':12,'addresses':13,'windows':14,"
                        + "'loans':15,'links':16,'members':17,'sizes':18,"
                        + "'refusedTypes':['order: why']}],"
                        + "'unreached':[{'address':'10.0.0.3:7400','tries':16,"
                        + "'reason':'refused'}],'life':'c3','leaseLeftNanos':2500000000,"
                        + "'registered':['n1','n2'],'trouble':'','store':{'engine':'a store',"
                        + "'reads':1,'written':2,'refused':3,'unknown':4,'failed':5},"
                        + "'shards':{'revision':8,'owners':[{'node':'n1','shards':2},"
                        + "{'node':'n2','shards':254}],'own':[{'shard':4,'epoch':6,"
                        + "'state':'OWNED','sinceNanos':1000000000},{'shard':5,'epoch':7,"
                        + "'state':'GIVING','sinceNanos':1000000000}],'kinds':[{'name':'account',"
                        + "'running':3,'held':4}],'taken':9,'given':10,'lost':11,"
                        + "'trouble':'why'}}",
                dump.toJson().replace('"', '\''));
    }

    // ---------------------------------------------------------------- the flight recorder

    @Test
    void A7_recorderHasTheLifeOfASession() throws IOException {
        Path file = folder.resolve("nodes.jfr");
        try (Recording recording = new Recording()) {
            for (String event :
                    List.of(
                            "SessionBegin",
                            "SessionEnd",
                            "PeerRefused",
                            "TypeRefused",
                            "SessionStatistics")) {
                recording.enable("dev.ropewalk." + event);
            }
            recording.start();
            SimCluster.run(
                    2,
                    1,
                    true,
                    NodeDumpTest::start,
                    cluster -> {
                        assertTrue(cluster.awaitPeers(LONG));
                        ActorRef<Object> silent = silent(cluster);
                        Fiber.sleep(SECOND.multipliedBy(10));
                        cluster.cut("n1", "n2");
                        silent.tell(new Here(1));
                        Fiber.sleep(SECOND.multipliedBy(4));
                        cluster.heal();
                        cluster.restart(
                                "n2", options -> start(options.withCluster("another cluster")));
                        Fiber.sleep(SECOND.multipliedBy(4));
                    });
            recording.dump(file);
        }
        List<RecordedEvent> all = RecordingFile.readAllEvents(file);
        RecordedEvent begin = one(all, "SessionBegin", "n1", each -> true);
        assertEquals("10.0.0.2:7400", begin.getString("address"));
        assertTrue(begin.getString("peer").startsWith("n2@"), begin::toString);
        RecordedEvent end = one(all, "SessionEnd", "n1", each -> true);
        assertEquals("no byte came for 3000 ms", end.getString("reason"));
        assertEquals(1, end.getInt("lost"));
        assertIsAbout13(end.getDuration("lasted").toSeconds());
        RecordedEvent type = one(all, "TypeRefused", "n1", each -> true);
        assertEquals("count", type.getString("messageType"));
        assertEquals("its component count is String there, and int here", type.getString("reason"));
        long statistics = all.stream().filter(each -> is(each, "SessionStatistics", "n1")).count();
        assertIsAbout13(statistics); // one a second
        one(all, "SessionStatistics", "n1", each -> each.getInt("unacknowledged") == 1);
        assertTrue(
                all.stream()
                        .filter(each -> is(each, "PeerRefused", ""))
                        .anyMatch(each -> each.getString("reason").endsWith(": CLUSTER")),
                all::toString);
    }

    private static void assertIsAbout13(long seconds) {
        assertTrue(seconds >= 12 && seconds <= 14, () -> "seconds=" + seconds);
    }

    private static boolean is(RecordedEvent event, String name, String node) {
        return event.getEventType().getName().equals("dev.ropewalk." + name)
                && event.getString("node").startsWith(node);
    }

    /** The first one. */
    private static RecordedEvent one(
            List<RecordedEvent> all, String name, String node, Predicate<RecordedEvent> is) {
        return all.stream()
                .filter(each -> is(each, name, node) && is.test(each))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " in " + all));
    }
}
