package dev.ropewalk.examples.bank.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.channels.http.HttpClient;
import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.channels.http.HttpServer;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;

/** The code of the guide that a platform asks whether a node can work. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ReadinessSnippetsTest {
    // @start region="probe"
    static HttpResponse probe(Node node, HttpRequest request) {
        return switch (request.path()) {
            case "/live" -> HttpResponse.text("live\n");
            case "/ready" -> node.isReady() ? HttpResponse.text("ready\n") : HttpResponse.of(503);
            default -> throw new HttpException(404, "no such page");
        };
    }

    // @end

    @Test
    void A7_aNodeIsReadyOnceTheStoreHasAnsweredAndNotWhileItLeaves() {
        Cord.run(
                () -> {
                    MemoryStore store = new MemoryStore();
                    NodeOptions options = NodeOptions.named("a").withStore(store);
                    try (ActorSystem system = ActorSystem.start("shop")) {
                        Node node = Node.start(system, options);
                        int port = 0;
                        // @start region="server"
                        HttpServer probes =
                                HttpServer.start(
                                        "127.0.0.1", port, request -> probe(node, request));
                        // @end
                        while (!node.isReady()) {
                            Fiber.sleep(Duration.ofMillis(1));
                        }
                        assertEquals(200, status(probes, "/ready"));
                        assertEquals(200, status(probes, "/live"));
                        assertEquals(404, status(probes, "/other"));
                        node.leave(Duration.ofSeconds(5));
                        assertEquals(503, status(probes, "/ready"));
                        assertEquals(200, status(probes, "/live"));
                        probes.close();
                    }
                });
    }

    private static int status(HttpServer server, String path) {
        try (HttpClient client = HttpClient.connect("127.0.0.1", server.port())) {
            return client.send(HttpRequest.get(path)).status();
        }
    }
}
