package dev.ropewalk.actors.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.Discovery;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.actors.cluster.Protocol;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.channels.http.HttpBody;
import dev.ropewalk.channels.http.HttpClient;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.channels.http.HttpServer;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;

import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Rule A6: one request is one trace, wherever it goes. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class OneTraceTest {
    record Order(String goods, Recipient<String> replyTo) {}

    /** Has the order served by a server of HTTP. */
    private record Front(int port, HttpTraces http) implements Behavior<Order> {
        @Override
        public Behavior<Order> onMessage(Order order) {
            try (HttpClient client = HttpClient.connect("127.0.0.1", port)) {
                HttpRequest request = HttpRequest.post("/orders", HttpBody.of(order.goods()));
                order.replyTo().tell(http.send(client, request).body().text());
            }
            return Behavior.same();
        }
    }

    /** Asks the store, on the other node. */
    private record Desk(ActorRef<Order> store) implements Behavior<Order> {
        @Override
        public Behavior<Order> onMessage(Order order) {
            order.replyTo().tell(store.<String>ask(own -> new Order(order.goods(), own)));
            return Behavior.same();
        }
    }

    private static final class Store implements Behavior<Order> {
        @Override
        public Behavior<Order> onMessage(Order order) {
            order.replyTo().tell("one " + order.goods());
            return Behavior.same();
        }
    }

    private final Recorded recorded = new Recorded();

    private ActorSystem system(String name) {
        return ActorSystem.start(
                Tree.oneForOne(name),
                ActorSystemOptions.defaults().withContexts(Traces.spans(recorded.sdk())));
    }

    private NodeOptions node(String name) {
        return NodeOptions.named(name)
                .withProtocol(Protocol.of(Order.class))
                .withContext(NodeTraces.propagator(recorded.sdk()));
    }

    @Test
    void A6_threeActorsAnHttpCallAndTwoNodesAreOneTrace() {
        Cord.run(Recorded.cord(), (Action) this::serve);
        for (String name : List.of("POST", "process OneTraceTest.Front OneTraceTest.Order")) {
            assertTrue(recorded.names().contains(name), () -> name + " in " + recorded.names());
        }
        SpanData test = recorded.the("test");
        SpanData front = recorded.the("process OneTraceTest.Front OneTraceTest.Order");
        SpanData client = kind(SpanKind.CLIENT);
        SpanData server = kind(SpanKind.SERVER);
        SpanData desk = recorded.the("process OneTraceTest.Desk OneTraceTest.Order");
        SpanData store = recorded.the("process OneTraceTest.Store OneTraceTest.Order");
        List<SpanData> way = List.of(test, front, client, server, desk, store);
        assertEquals(way.size(), recorded.all().size(), recorded.names()::toString);
        for (int i = 1; i < way.size(); i++) {
            SpanData child = way.get(i);
            assertEquals(way.get(i - 1).getSpanId(), child.getParentSpanId(), child.getName());
            assertEquals(test.getTraceId(), child.getTraceId(), child.getName());
        }
        assertEquals("here/front", Recorded.text(front, "messaging.destination.name"));
        assertEquals("there/store", Recorded.text(store, "messaging.destination.name"));
    }

    private SpanData kind(SpanKind kind) {
        return recorded.all().stream().filter(s -> s.getKind() == kind).findFirst().orElseThrow();
    }

    private void serve() throws Exception {
        HttpTraces http = HttpTraces.of(recorded.sdk());
        try (ActorSystem here = system("here");
                ActorSystem there = system("there");
                Node far = Node.start(there, node("there"));
                Node near =
                        Node.start(
                                here,
                                node("here")
                                        .withDiscovery(Discovery.of("127.0.0.1:" + far.port())))) {
            ActorRef<Order> own = there.spin("store", Actor.handler(Store::new));
            assertTrue(near.awaitPeers(1, Duration.ofSeconds(10)), own::toString);
            ActorRef<Order> store =
                    Objects.requireNonNull(near.at("there").find("store", Order.class));
            ActorRef<Order> desk = here.spin("desk", Actor.handler(() -> new Desk(store)));
            try (HttpServer server =
                    HttpServer.start(
                            "127.0.0.1", 0, http.handler(request -> order(desk, request)))) {
                ActorRef<Order> front =
                        here.spin("front", Actor.handler(() -> new Front(server.port(), http)));
                String bought =
                        recorded.in("test", () -> front.<String>ask(r -> new Order("rope", r)));
                assertEquals("one rope", bought);
            }
        }
    }

    private static HttpResponse order(ActorRef<Order> desk, HttpRequest request) {
        String goods = request.body().text();
        return HttpResponse.text(desk.<String>ask(replyTo -> new Order(goods, replyTo)));
    }
}
