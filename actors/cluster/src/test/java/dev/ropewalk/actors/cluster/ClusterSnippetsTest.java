package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.actors.routing.WhenEmpty;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** The snippets of the Javadoc and of the guide. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ClusterSnippetsTest {
    // @start region="messages"
    sealed interface Greeting {}

    record Hello(String name, Recipient<String> replyTo) implements Greeting {}

    // @end

    // @start region="protocol"
    static final Protocol PROTOCOL = Protocol.of(Greeting.class);

    // @end

    // @start region="default"
    record Order(String article, int count, @Default("PT30S") Duration patience) {}

    // @end

    // @start region="renamed"
    static final Protocol RENAMED = Protocol.of().named(Order.class, "shop.Order");

    // @end

    /** The same, of a program that is older. */
    record OldOrder(String article, int count) {}

    private final List<String> log = new ArrayList<>();

    private void log(String line) {
        log.add(line);
    }

    private void seen(Node node) {
        // @start region="dump"
        NodeDump dump = node.dump();
        log(dump.toString()); // for people
        log(dump.toJson()); // for tools
        for (NodeDump.Peer peer : dump.peers()) {
            if (peer.out().unacknowledged() > 1_000 || !peer.refusedTypes().isEmpty()) {
                log(peer.toString());
            }
        }
        // @end
    }

    private static Actor<Greeting> greeter() {
        return Actor.handler(
                () ->
                        greeting -> {
                            switch (greeting) {
                                case Hello(String name, var replyTo) ->
                                        replyTo.tell("Hello, " + name);
                            }
                            return Behavior.same();
                        });
    }

    @Test
    void orderOfAnOlderProgramHasTheDefault() {
        try (ActorSystem one = ActorSystem.start("one");
                ActorSystem two = ActorSystem.start("two");
                Node first = Node.start(one, NodeOptions.named("n1").withProtocol(RENAMED));
                Node second =
                        Node.start(
                                two,
                                NodeOptions.named("n2")
                                        .withProtocol(
                                                Protocol.of().named(OldOrder.class, "shop.Order"))
                                        .withDiscovery(
                                                Discovery.of("127.0.0.1:" + first.port())))) {
            CompletableFuture<Order> arrived = new CompletableFuture<>();
            one.spin(
                    "stock",
                    Actor.<Order>handler(
                            () ->
                                    order -> {
                                        arrived.complete(order);
                                        return Behavior.same();
                                    }));
            assertTrue(second.awaitPeers(1, Duration.ofSeconds(10)));
            Objects.requireNonNull(second.at("n1").find("stock", Object.class))
                    .tell(new OldOrder("nut", 3));
            assertEquals(new Order("nut", 3, Duration.ofSeconds(30)), arrived.join());
            seen(first);
            assertTrue(log.getFirst().contains("\n  n2@"), log::toString);
            assertEquals(2, log.size(), log::toString);
        }
    }

    @Test
    void two() {
        try (ActorSystem one = ActorSystem.start("one");
                ActorSystem two = ActorSystem.start("two")) {
            // @start region="two"
            Node first = Node.start(one, NodeOptions.named("n1").withProtocol(PROTOCOL));
            one.spin("greeter", greeter());

            // In another process:
            Node second =
                    Node.start(
                            two,
                            NodeOptions.named("n2")
                                    .withProtocol(PROTOCOL)
                                    .withDiscovery(Discovery.of("127.0.0.1:" + first.port())));
            second.awaitPeers(1, Duration.ofSeconds(10));
            ActorRef<Greeting> greeter =
                    Objects.requireNonNull(second.at("n1").find("greeter", Greeting.class));
            String reply = greeter.ask(replyTo -> new Hello("you", replyTo));
            // @end
            assertEquals("Hello, you", reply);
            first.group("greeters", Greeting.class).join(one.spin("member", greeter()));
            group(second);
            second.close();
            first.close();
        }
    }

    private static void group(Node second) {
        // @start region="group"
        Group<Greeting> greeters = second.group("greeters", Greeting.class);
        ActorRef<Greeting> anyGreeter =
                Routing.<Greeting>leastMailbox()
                        .whenEmpty(WhenEmpty.await(Duration.ofSeconds(10)))
                        .over(greeters);
        String answer = anyGreeter.ask(replyTo -> new Hello("all", replyTo));
        // @end
        assertEquals("Hello, all", answer);
    }

    @Test
    void sim() {
        // @start region="sim"
        SimCluster.run(
                3,
                options -> {
                    ActorSystem system = ActorSystem.start("greetings");
                    system.spin("greeter", greeter());
                    return Node.start(system, options.withProtocol(PROTOCOL));
                },
                cluster -> {
                    assertTrue(cluster.awaitPeers(Duration.ofMinutes(1)));
                    ActorRef<Greeting> greeter =
                            Objects.requireNonNull(
                                    cluster.node("n1").at("n2").find("greeter", Greeting.class));
                    Callable<String> ask = () -> greeter.ask(replyTo -> new Hello("you", replyTo));

                    cluster.cut("n1", "n2");
                    Fiber.sleep(Duration.ofSeconds(4)); // takes no time
                    assertThrows(AskFailedException.class, () -> cluster.on("n1", ask));

                    cluster.heal("n1", "n2");
                    cluster.restart("n3"); // is killed first
                    assertTrue(cluster.awaitPeers(Duration.ofMinutes(1)));
                    assertEquals("Hello, you", cluster.on("n1", ask));
                });
        // @end
    }
}
