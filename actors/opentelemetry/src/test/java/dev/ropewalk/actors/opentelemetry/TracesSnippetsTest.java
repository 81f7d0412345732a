package dev.ropewalk.actors.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.channels.http.HttpClient;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.channels.http.HttpServer;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.context.Context;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;

/** The examples of the page on traces. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TracesSnippetsTest {
    private final Recorded recorded = new Recorded();
    private final OpenTelemetry openTelemetry = recorded.sdk();

    @Test
    void system() {
        // @start region="system"
        ActorSystemOptions options =
                ActorSystemOptions.defaults().withContexts(Traces.spans(openTelemetry));
        try (ActorSystem shop = ActorSystem.start(Tree.oneForOne("shop"), options)) {
            // tells, asks, adapters and timers carry the context; each message has a span
            // @end
            assertEquals("shop", shop.name());
        }
    }

    @Test
    void cord() {
        // @start region="cord"
        Cord.run(
                CordOptions.named("requests").withSwitchHooks(Traces.hook()),
                () -> {
                    Context before = Context.current();
                    Fiber.sleep(Duration.ofMillis(1)); // others run meanwhile
                    assertEquals(before, Context.current());
                });
        // @end
    }

    @Test
    void http() {
        Cord.run(
                Recorded.cord(),
                (Action)
                        () -> {
                            // @start region="http"
                            HttpTraces traces = HttpTraces.of(openTelemetry);
                            HttpServer server =
                                    HttpServer.start(
                                            "127.0.0.1",
                                            0,
                                            traces.handler(_ -> HttpResponse.text("hello")));
                            HttpClient client = HttpClient.connect("127.0.0.1", server.port());
                            HttpResponse answer = traces.send(client, HttpRequest.get("/"));
                            // @end
                            assertEquals("hello", answer.body().text());
                            client.close();
                            server.close();
                        });
        assertEquals(2, recorded.all().size());
    }

    @Test
    void node() {
        // @start region="node"
        NodeOptions options =
                NodeOptions.named("n1").withContext(NodeTraces.propagator(openTelemetry));
        // @end
        assertNotNull(options);
    }
}
