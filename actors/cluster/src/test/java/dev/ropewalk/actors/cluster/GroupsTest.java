package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.DeadLetterSubscription;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.internal.ref.Counts;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.GroupChange;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.LongStream;

/** Rule A7: groups over nodes, and routers over them. */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class GroupsTest {
    /** Work: its worker takes some time for it, and answers with its name. */
    sealed interface Work {}

    record Job(String key, int millis, Recipient<String> replyTo) implements Work {}

    record Crash(String why) implements Work {}

    private static final class ToldToException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final Protocol PROTOCOL = Protocol.of(Work.class);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(1);

    private static Actor<Work> worker(String node) {
        return Actor.handler(
                (ActorContext<Work> self) ->
                        work -> {
                            switch (work) {
                                case Job(var _, var millis, var replyTo) -> {
                                    if (millis > 0) {
                                        Fiber.sleep(Duration.ofMillis(millis));
                                    }
                                    replyTo.tell(node + "/" + self.self().name());
                                }
                                case Crash(var _) -> throw new ToldToException();
                            }
                            return Behavior.same();
                        });
    }

    /** Each node has workers w1, w2 and so on in the group. */
    private static SimCluster.Program program(int workers) {
        return options -> {
            ActorSystem system = ActorSystem.start("system");
            Node node = Node.start(system, options.withProtocol(PROTOCOL));
            Group<Work> group = node.group("workers", Work.class);
            for (int i = 1; i <= workers; i++) {
                group.join(system.spin("w" + i, worker(options.name())));
            }
            return node;
        };
    }

    private static Group<Work> group(SimCluster cluster, String node) {
        return cluster.node(node).group("workers", Work.class);
    }

    /** The members as a node sees them: their node's name, and their own. */
    private static Set<String> seen(SimCluster cluster, String node) {
        Set<String> all = new TreeSet<>();
        for (ActorRef<Work> each : group(cluster, node).members()) {
            String path = each.path();
            int end = path.indexOf('@');
            all.add((end < 0 ? node : path.substring(0, end)) + "/" + each.name());
        }
        return all;
    }

    private static void until(BooleanSupplier condition, String what) {
        for (int i = 0; i < 2_000; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            Fiber.sleep(Duration.ofMillis(10));
        }
        throw new AssertionError("not in time: " + what);
    }

    private static void awaitMembers(SimCluster cluster, String... all) {
        Set<String> expected = new TreeSet<>(List.of(all));
        for (String node : cluster.names()) {
            if (cluster.isRunning(node)) {
                for (int i = 0; i < 1_000 && !seen(cluster, node).equals(expected); i++) {
                    Fiber.sleep(Duration.ofMillis(20));
                }
                assertEquals(expected, seen(cluster, node), "seen by " + node);
            }
        }
    }

    private static String ask(SimCluster cluster, String from, ActorRef<Work> router, String key)
            throws Exception {
        return Objects.requireNonNull(
                cluster.on(from, () -> router.ask(replyTo -> new Job(key, 0, replyTo), LONG)));
    }

    // ---------------------------------------------------------------- members

    @Test
    void A7_eachNodeSeesTheMembersOfAll() {
        SimCluster.run(
                3,
                program(2),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n1/w2", "n2/w1", "n2/w2", "n3/w1", "n3/w2");
                    ActorRef<Work> late =
                            Objects.requireNonNull(
                                    cluster.on(
                                            "n2",
                                            () -> cluster.system("n2").spin("w3", worker("n2"))));
                    assertTrue(cluster.on("n2", () -> group(cluster, "n2").join(late)));
                    awaitMembers(
                            cluster, "n1/w1", "n1/w2", "n2/w1", "n2/w2", "n2/w3", "n3/w1", "n3/w2");
                    Objects.requireNonNull(cluster.system("n3").find("w1")).stop();
                    cluster.on(
                            "n2",
                            () -> {
                                group(cluster, "n2").leave(late);
                                return true;
                            });
                    awaitMembers(cluster, "n1/w1", "n1/w2", "n2/w1", "n2/w2", "n3/w2");
                });
    }

    @Test
    void A7_theMembersOfALostNodeLeave() {
        SimCluster.run(
                3,
                program(1),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n2/w1", "n3/w1");
                    cluster.kill("n3");
                    awaitMembers(cluster, "n1/w1", "n2/w1");
                    cluster.restart("n3");
                    awaitMembers(cluster, "n1/w1", "n2/w1", "n3/w1");
                    cluster.cut("n1", "n2");
                    until(() -> seen(cluster, "n1").size() == 2, "n2 is lost");
                    assertEquals(Set.of("n1/w1", "n3/w1"), seen(cluster, "n1"));
                    assertEquals(Set.of("n1/w1", "n2/w1", "n3/w1"), seen(cluster, "n3"));
                    cluster.heal();
                    awaitMembers(cluster, "n1/w1", "n2/w1", "n3/w1");
                    cluster.node("n2").leave(SECOND);
                    until(() -> seen(cluster, "n1").size() == 2, "n2 has left");
                    assertEquals(Set.of("n2/w1"), seen(cluster, "n2"), "its own stay");
                });
    }

    /** A restart keeps it in its groups, here and elsewhere. */
    @Test
    void A7_aRestartedActorStaysAMember() {
        SimCluster.run(
                2,
                program(1),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n2/w1");
                    List<String> changes = changes(cluster, "n1");
                    ActorRef<Work> worker = cluster.node("n1").at("n2").find("w1", Work.class);
                    Objects.requireNonNull(worker).tell(new Crash("once"));
                    ActorRef<Work> router = Routing.<Work>roundRobin().over(group(cluster, "n1"));
                    assertEquals(
                            Set.of("n1/w1", "n2/w1"),
                            Set.of(
                                    ask(cluster, "n1", router, "a"),
                                    ask(cluster, "n1", router, "b")));
                    assertEquals(List.of(), changes);
                });
    }

    /** An actor of the node writes down the changes of the group. */
    private static List<String> changes(SimCluster cluster, String node) throws Exception {
        List<String> seen = new ArrayList<>();
        cluster.on(
                node,
                () ->
                        cluster.system(node)
                                .spin(
                                        "watcher",
                                        Actor.<GroupChange<Work>>handler(
                                                self -> {
                                                    self.<Work>watch(
                                                            group(cluster, node), change -> change);
                                                    return change -> {
                                                        seen.add(text(change));
                                                        return Behavior.same();
                                                    };
                                                })));
        Fiber.sleep(SECOND);
        return seen;
    }

    private static String text(GroupChange<Work> change) {
        return switch (change) {
            case GroupChange.Joined<Work> joined -> "+" + joined.actor().name();
            case GroupChange.Left<Work> left -> "-" + left.actor().name();
        };
    }

    @Test
    void A7_aWatchHearsOfMembersOfOtherNodes() {
        SimCluster.run(
                2,
                program(1),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n2/w1");
                    List<String> changes = changes(cluster, "n1");
                    ActorRef<Work> more =
                            Objects.requireNonNull(
                                    cluster.on(
                                            "n2",
                                            () -> cluster.system("n2").spin("w2", worker("n2"))));
                    cluster.on("n2", () -> group(cluster, "n2").join(more));
                    until(() -> changes.size() == 1, "joined");
                    more.stop();
                    until(() -> changes.size() == 2, "left");
                    cluster.kill("n2");
                    until(() -> changes.size() == 3, "lost");
                    assertEquals(List.of("+w2", "-w2", "-w1"), changes);
                });
    }

    /** The group belongs to another cord than the session does. */
    @Test
    void A7_aMemberHasLeftBeforeItsEndIsHeardOf() {
        for (long seed : TestCords.seedsOr(LongStream.range(0, 40).toArray())) {
            TestCords.run(3, seed, true, cords -> leavesBeforeDown(cords, seed % 2 == 0));
        }
    }

    private static void leavesBeforeDown(List<Cord> cords, boolean isLost) throws Exception {
        // Some of the names belong to the one cord of the system, some to the other.
        List<String> names = List.of("a", "b", "c", "d");
        List<WaitCell> end = new ArrayList<>();
        Fiber<?> other =
                cords.get(2)
                        .spin(
                                "there",
                                () -> {
                                    ActorSystem system = ActorSystem.start("there");
                                    try (Node node = start(system, "there", 7_002)) {
                                        ActorRef<Work> worker = system.spin("w", worker("there"));
                                        names.forEach(
                                                each -> node.group(each, Work.class).join(worker));
                                        WaitCell asked = new WaitCell();
                                        end.add(asked);
                                        asked.await("the end of the node");
                                    }
                                    system.close();
                                });
        ActorSystem system =
                ActorSystem.start(
                        Tree.oneForOne("here"),
                        ActorSystemOptions.defaults().over(List.of(cords.get(0), cords.get(1))));
        Node node = start(system, "here", 7_001);
        List<Group<Work>> groups =
                names.stream().map(each -> node.group(each, Work.class)).toList();
        until(() -> groups.stream().allMatch(each -> each.members().size() == 1), "joined");
        ActorRef<Work> worker = groups.getFirst().members().getFirst();
        List<Integer> left = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            system.spin(
                    "watcher-" + i,
                    Actor.<Down>handler(
                            self -> {
                                self.monitor(worker, down -> down);
                                return _ -> {
                                    groups.forEach(each -> left.add(each.members().size()));
                                    return Behavior.same();
                                };
                            }));
        }
        for (int i = 0; i < 4; i++) {
            system.spin(
                    "linked-" + i,
                    monitorsLate(
                            worker, () -> groups.forEach(each -> left.add(each.members().size()))));
        }
        Fiber.sleep(SECOND);
        if (isLost) {
            end.getFirst().give(true);
        } else {
            worker.stop();
        }
        until(() -> left.size() == 32, "all have heard");
        assertEquals(List.of(0), left.stream().distinct().toList(), "members at the news");
        end.getFirst().give(true);
        other.await();
        node.close();
        system.close();
    }

    /** An exit does not wait for groups, so a monitor that begins then is in time for the rest. */
    private static Actor<Object> monitorsLate(ActorRef<Work> worker, Runnable heard) {
        return Actor.handler(
                self -> {
                    self.trapExits(exit -> exit);
                    self.link(worker);
                    return _ -> {
                        assertTrue(worker.awaitEnd(SECOND));
                        heard.run();
                        return Behavior.same();
                    };
                });
    }

    private static Node start(ActorSystem system, String name, int port) {
        return Node.start(
                system,
                NodeOptions.named(name)
                        .withAddress("127.0.0.1", port)
                        .withDiscovery(Discovery.of("127.0.0.1:7001", "127.0.0.1:7002"))
                        .withProtocol(PROTOCOL));
    }

    // ---------------------------------------------------------------- routers

    @Test
    void A7_aRouterSendsToAllNodes() {
        SimCluster.run(
                3,
                program(1),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n2/w1", "n3/w1");
                    Group<Work> group = group(cluster, "n1");
                    ActorRef<Work> inTurn = Routing.<Work>roundRobin().over(group);
                    Map<String, Integer> counts = new TreeMap<>();
                    for (int i = 0; i < 30; i++) {
                        counts.merge(ask(cluster, "n1", inTurn, "" + i), 1, Integer::sum);
                    }
                    assertEquals(Map.of("n1/w1", 10, "n2/w1", 10, "n3/w1", 10), counts);
                    ActorRef<Work> toAll = Routing.<Work>broadcast().over(group);
                    Set<String> heard = new HashSet<>();
                    cluster.on(
                            "n1",
                            () ->
                                    cluster.system("n1")
                                            .spin(
                                                    "ear",
                                                    Actor.<String>handler(
                                                            self -> {
                                                                toAll.tell(
                                                                        new Job(
                                                                                "all",
                                                                                0,
                                                                                self.self()));
                                                                return name -> {
                                                                    heard.add(name);
                                                                    return Behavior.same();
                                                                };
                                                            })));
                    until(() -> heard.equals(Set.of("n1/w1", "n2/w1", "n3/w1")), "all");
                    ActorRef<Work> first = Routing.<Work>first().over(group);
                    cluster.delay("n1", "n2", Duration.ofMillis(20), Duration.ofMillis(30));
                    cluster.delay("n1", "n3", Duration.ofMillis(20), Duration.ofMillis(30));
                    assertEquals("n1/w1", ask(cluster, "n1", first, "x"));
                });
    }

    /** Each node gives a key to the same member, also when one has come back. */
    @Test
    void A7_aKeyHasOneMemberOnAllNodes() {
        SimCluster.run(
                3,
                program(4),
                cluster -> {
                    until(() -> seen(cluster, "n1").size() == 12, "all");
                    until(() -> seen(cluster, "n2").size() == 12, "all");
                    until(() -> seen(cluster, "n3").size() == 12, "all");
                    Map<String, String> owners = owners(cluster, "n1");
                    assertTrue(new HashSet<>(owners.values()).size() >= 10, owners.toString());
                    assertEquals(owners, owners(cluster, "n2"));
                    assertEquals(owners, owners(cluster, "n3"));
                    cluster.kill("n2");
                    until(() -> seen(cluster, "n1").size() == 8, "n2 is lost");
                    Map<String, String> less = owners(cluster, "n1");
                    owners.forEach(
                            (key, owner) -> {
                                if (!owner.startsWith("n2")) {
                                    assertEquals(owner, less.get(key), "only its keys move");
                                }
                            });
                    cluster.restart("n2");
                    until(() -> seen(cluster, "n1").size() == 12, "n2 is back");
                    until(() -> seen(cluster, "n2").size() == 12, "n2 knows all");
                    assertEquals(owners, owners(cluster, "n1"));
                    assertEquals(owners, owners(cluster, "n2"));
                });
    }

    private static Map<String, String> owners(SimCluster cluster, String node) throws Exception {
        return owners(cluster, node, Job::key);
    }

    private static Map<String, String> owners(SimCluster cluster, String node, Function<Job, ?> key)
            throws Exception {
        ActorRef<Work> router =
                Routing.<Work>hash(work -> work instanceof Job job ? key.apply(job) : "crash")
                        .over(group(cluster, node));
        Map<String, String> owners = new TreeMap<>();
        for (int i = 0; i < 60; i++) {
            owners.put("key " + i, ask(cluster, node, router, "key " + i));
        }
        return owners;
    }

    enum Colour {
        RED,
        GREEN
    }

    @SuppressWarnings("ArrayRecordComponent") // its content is what counts here
    record Key(String text, int number, @Nullable UUID id, byte[] bytes, Colour colour, Sub sub) {}

    record Sub(long number, boolean truth, double part, char letter) {}

    @Test
    void A7_keysAreTextNumbersAndRecordsOfThem() {
        List<Function<Job, ?>> keys =
                List.of(
                        job -> job.key().hashCode(),
                        job -> (long) job.key().hashCode(),
                        job -> UUID.nameUUIDFromBytes(bytes(job)),
                        GroupsTest::bytes,
                        job ->
                                new Key(
                                        job.key(),
                                        1,
                                        null,
                                        bytes(job),
                                        Colour.GREEN,
                                        new Sub(1, true, 0.5, 'c')));
        SimCluster.run(
                2,
                7,
                false,
                program(3),
                cluster -> {
                    until(() -> seen(cluster, "n1").size() == 6, "all");
                    until(() -> seen(cluster, "n2").size() == 6, "all");
                    for (Function<Job, ?> each : keys) {
                        Map<String, String> owners = owners(cluster, "n1", each);
                        assertTrue(new HashSet<>(owners.values()).size() > 3, owners.toString());
                        assertEquals(owners, owners(cluster, "n2", each));
                    }
                    Colour[] last = {Colour.RED};
                    Set<String> ofOne = new HashSet<>(owners(cluster, "n1", _ -> last[0]).values());
                    assertEquals(1, ofOne.size());
                });
    }

    private static byte[] bytes(Job job) {
        return job.key().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void misuse_aKeyOfAnotherTypeIsRefusedByName() {
        SimCluster.run(
                2,
                program(1),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n2/w1");
                    for (Object key : List.of(new Object(), List.of("a"), new Holder(List.of()))) {
                        ActorRef<Work> router =
                                Routing.<Work>hash(_ -> key).over(group(cluster, "n1"));
                        IllegalArgumentException failed =
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () -> router.tell(new Crash("never")));
                        String text = String.valueOf(failed.getMessage());
                        assertTrue(text.contains(key.getClass().getName()), text);
                        assertTrue(text.contains("text, a number"), text);
                    }
                });
    }

    record Holder(List<String> list) {}

    /** A node that is slow, or has much to do, gets less. */
    @Test
    void A7_theLeastMailboxIsKnownOfOtherNodes() {
        SimCluster.run(
                3,
                program(1),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n2/w1", "n3/w1");
                    // The worker of n2 is held up by others than the router.
                    ActorRef<Work> busy =
                            Objects.requireNonNull(
                                    cluster.node("n3").at("n2").find("w1", Work.class));
                    cluster.on(
                            "n3",
                            () -> {
                                for (int i = 0; i < 50; i++) {
                                    busy.tell(new Job("other", 200, ignored()));
                                }
                                return true;
                            });
                    ActorRef<Work> router = Routing.<Work>leastMailbox().over(group(cluster, "n1"));
                    cluster.on(
                            "n1",
                            () -> {
                                router.tell(new Job("asks for the numbers", 0, ignored()));
                                return true;
                            });
                    Fiber.sleep(SECOND);
                    Map<String, Integer> counts = new TreeMap<>();
                    cluster.on(
                            "n1",
                            () ->
                                    cluster.system("n1")
                                            .spin("asker", asker(router, 60, 10, counts)));
                    until(() -> sum(counts) == 60, "all answered");
                    assertTrue(counts.getOrDefault("n2/w1", 0) <= 6, counts.toString());
                    assertTrue(counts.getOrDefault("n3/w1", 0) >= 15, counts.toString());
                    assertTrue(counts.getOrDefault("n1/w1", 0) >= 15, counts.toString());
                });
    }

    private static Recipient<String> ignored() {
        return new Recipient<>() {
            @Override
            public void tell(String message) {
                // Nobody wants it.
            }

            @Override
            public TellResult tryTell(String message) {
                return TellResult.ACCEPTED;
            }

            @Override
            public void fail(Throwable failure) {
                // Nobody wants it.
            }
        };
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(each -> each).sum();
    }

    private static Actor<String> asker(
            ActorRef<Work> router, int jobs, int millis, Map<String, Integer> counts) {
        return Actor.handler(
                self -> {
                    for (int i = 0; i < jobs; i++) {
                        router.tell(new Job("" + i, millis, self.self()));
                    }
                    return name -> {
                        counts.merge(name, 1, Integer::sum);
                        return Behavior.same();
                    };
                });
    }

    /** A reply address that a router has made is that of the ask: nothing is left of one. */
    @Test
    void A7_anAskByKeyLeavesNothingAtTheOtherNode() {
        SimCluster.run(
                2,
                program(2),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n1/w2", "n2/w1", "n2/w2");
                    Map<String, String> owners = owners(cluster, "n1");
                    assertTrue(owners.containsValue("n2/w1"), owners.toString());
                    Counts counts = Objects.requireNonNull(cluster.node("n1").counts("n2"));
                    assertEquals(0, counts.addresses());
                    assertEquals(0, counts.asks());
                });
    }

    /** The first reply is taken; those that come later are dropped, within the limit or not. */
    @Test
    void A7_aReplyThatLosesIsNoDeadLetter() {
        List<DeadLetter> letters = new ArrayList<>();
        SimCluster.run(
                2,
                program(1),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n2/w1");
                    letters.clear();
                    ActorRef<Work> first = Routing.<Work>first().over(group(cluster, "n1"));
                    try (DeadLetterSubscription _ =
                            cluster.system("n1").onDeadLetter(letters::add)) {
                        cluster.delay("n1", "n2", Duration.ofMillis(200), Duration.ofMillis(300));
                        for (int i = 0; i < 3; i++) {
                            assertEquals("n1/w1", ask(cluster, "n1", first, "x"));
                        }
                        assertEquals(
                                3,
                                Objects.requireNonNull(cluster.node("n1").counts("n2")).asks(),
                                "until they reply");
                        Fiber.sleep(SECOND);
                    }
                    assertEquals(List.of(), letters);
                    Counts left = Objects.requireNonNull(cluster.node("n1").counts("n2"));
                    assertEquals(0, left.asks());
                });
    }

    /** The addresses outlive the session, so a router over them does too. */
    @Test
    void A7_theLeastMailboxOfAListIsKnownAgainAfterAReconnect() {
        SimCluster.run(
                2,
                program(1),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n2/w1");
                    ActorRef<Work> router =
                            Routing.<Work>leastMailbox().over(group(cluster, "n1").members());
                    Set<String> before = new HashSet<>();
                    for (int i = 0; i < 4; i++) {
                        before.add(ask(cluster, "n1", router, "" + i));
                    }
                    assertEquals(Set.of("n1/w1", "n2/w1"), before);
                    cluster.reset("n1", "n2");
                    Fiber.sleep(SECOND);
                    assertTrue(cluster.awaitPeers(LONG));
                    Set<String> after = new HashSet<>();
                    for (int i = 0; i < 4; i++) {
                        after.add(ask(cluster, "n1", router, "" + i));
                    }
                    assertEquals(Set.of("n1/w1", "n2/w1"), after);
                });
    }

    /** One that refuses keeps no other from it, also on another node. */
    @Test
    void A7_aRefusedMessageToAllIsADeadLetter() {
        List<DeadLetter> letters = new ArrayList<>();
        SimCluster.run(
                2,
                options -> {
                    ActorSystem system = ActorSystem.start("system");
                    Node node = Node.start(system, options.withProtocol(PROTOCOL));
                    node.group("workers", Work.class)
                            .join(
                                    system.spin(
                                            "w1",
                                            worker(options.name())
                                                    .mailbox(
                                                            MailboxOptions.bounded(1)
                                                                    .withOverflow(Overflow.FAIL))));
                    return node;
                },
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n2/w1");
                    letters.clear();
                    ActorRef<Work> toAll = Routing.<Work>broadcast().over(group(cluster, "n1"));
                    try (DeadLetterSubscription _ =
                            cluster.system("n1").onDeadLetter(letters::add)) {
                        cluster.on(
                                "n1",
                                () -> {
                                    for (int i = 0; i < 4; i++) {
                                        toAll.tell(new Job("slow", 500, ignored()));
                                    }
                                    return true;
                                });
                    }
                    assertTrue(
                            letters.stream()
                                    .anyMatch(
                                            each ->
                                                    each.recipient().startsWith("n2@")
                                                            && each.recipient().contains(" by ")),
                            letters.toString());
                });
    }

    /** The node that has left shares nothing more; its system keeps the group. */
    @Test
    void A7_aGroupOfANodeThatHasLeftIsTheSystems() {
        SimCluster.run(
                2,
                program(1),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n2/w1");
                    cluster.node("n2").leave(SECOND);
                    assertEquals(
                            cluster.system("n2").group("other", Work.class),
                            cluster.node("n2").group("other", Work.class));
                    ActorRef<Work> late =
                            Objects.requireNonNull(
                                    cluster.on(
                                            "n2",
                                            () -> cluster.system("n2").spin("w2", worker("n2"))));
                    assertTrue(cluster.on("n2", () -> group(cluster, "n2").join(late)));
                    assertEquals(Set.of("n2/w1", "n2/w2"), seen(cluster, "n2"));
                    // Keys of any type are allowed where nothing is shared.
                    Group<Work> other = cluster.node("n2").group("other", Work.class);
                    assertTrue(cluster.on("n2", () -> other.join(late)));
                    ActorRef<Work> byKey = Routing.<Work>hash(_ -> List.of("any")).over(other);
                    assertEquals("n2/w2", ask(cluster, "n2", byKey, "any"));
                });
    }

    // ---------------------------------------------------------------- wrong use

    sealed interface Other {}

    record Question(String text) implements Other {}

    @Test
    void misuse_groupsOfTwoTypesAreNotShared() {
        SimCluster.run(
                2,
                options -> {
                    ActorSystem system = ActorSystem.start("system");
                    Node node = Node.start(system, options.withProtocol(PROTOCOL));
                    if (options.name().equals("n1")) {
                        node.group("workers", Work.class)
                                .join(system.spin("w1", worker(options.name())));
                    } else {
                        node.group("workers", Other.class);
                    }
                    return node;
                },
                cluster -> {
                    assertTrue(cluster.awaitPeers(LONG));
                    Fiber.sleep(SECOND);
                    assertEquals(
                            List.of(), cluster.node("n2").group("workers", Other.class).members());
                    assertEquals(List.of("n1", "n2"), cluster.names());
                    assertTrue(cluster.node("n1").peers().contains("n2"), "they are peers");
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> cluster.node("n2").group("workers", Work.class));
                });
    }

    @Test
    void misuse_anActorOfAnotherNodeIsJoinedThere() {
        SimCluster.run(
                2,
                program(1),
                cluster -> {
                    awaitMembers(cluster, "n1/w1", "n2/w1");
                    ActorRef<Work> foreign =
                            Objects.requireNonNull(
                                    cluster.node("n1").at("n2").find("w1", Work.class));
                    IllegalArgumentException failed =
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> group(cluster, "n1").join(foreign));
                    assertTrue(String.valueOf(failed.getMessage()).contains("of this process"));
                });
    }

    // ---------------------------------------------------------------- games

    /** Whatever befalls the nodes: in a calm, each sees the members that there are. */
    private static void game(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int nodes = 2 + random.nextInt(4);
        SimCluster.run(
                nodes,
                seed,
                true,
                program(1),
                cluster -> {
                    Map<String, Integer> names = new TreeMap<>();
                    for (int step = 0; step < 25; step++) {
                        disturb(cluster, random, names);
                        Fiber.sleep(Duration.ofMillis(random.nextInt(400)));
                    }
                    cluster.heal();
                    for (String each : cluster.names()) {
                        if (!cluster.isRunning(each)) {
                            cluster.restart(each);
                        }
                    }
                    until(() -> areEqual(cluster), "all see the same");
                });
    }

    /** A stop may be on its way, so it is not known which members there are to be. */
    private static boolean areEqual(SimCluster cluster) {
        Set<String> all = new TreeSet<>();
        for (String each : cluster.names()) {
            all.addAll(own(cluster, each));
        }
        return cluster.names().stream().allMatch(each -> seen(cluster, each).equals(all));
    }

    /** Those that are alive on the node itself. */
    private static Set<String> own(SimCluster cluster, String node) {
        Set<String> all = new TreeSet<>(seen(cluster, node));
        all.removeIf(each -> !each.startsWith(node + "/"));
        return all;
    }

    private static void disturb(
            SimCluster cluster, SplittableRandom random, Map<String, Integer> names)
            throws Exception {
        List<String> all = cluster.names();
        String one = all.get(random.nextInt(all.size()));
        String other = all.get(random.nextInt(all.size()));
        boolean isTwo = !one.equals(other);
        if (!cluster.isRunning(one)) {
            cluster.restart(one);
            return;
        }
        switch (random.nextInt(9)) {
            case 0 -> cluster.kill(one);
            case 1 -> cluster.freeze(one, Duration.ofMillis(random.nextInt(4_000)));
            case 2 -> {
                if (isTwo) {
                    cluster.cut(one, other);
                }
            }
            case 3 -> {
                if (isTwo) {
                    cluster.cutOneWay(one, other);
                }
            }
            case 4 -> {
                if (isTwo) {
                    cluster.reset(one, other);
                }
            }
            case 5 -> cluster.heal();
            case 6, 7 -> {
                int number = names.merge(one, 1, Integer::sum);
                cluster.on(
                        one,
                        () ->
                                group(cluster, one)
                                        .join(cluster.system(one).spin("x" + number, worker(one))));
            }
            default -> {
                List<ActorRef<Work>> members = group(cluster, one).members();
                if (!members.isEmpty()) {
                    members.get(random.nextInt(members.size())).stop(); // of whichever node
                }
            }
        }
    }

    @Test
    void A7_allNodesSeeTheSameMembersInACalm() {
        for (long seed : TestCords.seedsOr(LongStream.range(0, 60).toArray())) {
            game(seed);
        }
    }

    @Test
    @Tag("stress")
    void A7_allNodesSeeTheSameMembersInACalmManySeeds() {
        long endNs = Waits.nanoTime() + 300_000_000_000L;
        for (long seed = 1_000; seed < 11_000 && Waits.nanoTime() - endNs < 0; seed++) {
            game(seed);
        }
    }
}
