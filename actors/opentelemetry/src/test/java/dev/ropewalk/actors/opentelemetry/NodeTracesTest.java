package dev.ropewalk.actors.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.cluster.ContextPropagator;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Rule A7: the context of a trace beside messages to other nodes. */
class NodeTracesTest {
    private final Recorded recorded = new Recorded();
    private final ContextPropagator nodes = NodeTraces.propagator(recorded.sdk());

    @AfterEach
    void nothingIsLeftOnTheThread() {
        assertSame(Context.root(), Context.current());
    }

    private static Context baggage(String value) {
        return Baggage.builder().put("user", value).build().storeInContext(Context.current());
    }

    @Test
    void A7_messageInNoSpanHasNoContext() {
        assertNull(nodes.inject());
    }

    @Test
    void A7_contextComesBackWithItsBaggage() throws Exception {
        String sent =
                recorded.in(
                        "sender",
                        () -> {
                            try (Scope _ = baggage("me").makeCurrent()) {
                                return nodes.inject();
                            }
                        });
        assertNotNull(sent);
        List<String> seen = new ArrayList<>();
        nodes.restore(
                sent,
                () -> {
                    seen.add(Span.current().getSpanContext().getSpanId());
                    seen.add(String.valueOf(Baggage.current().getEntryValue("user")));
                });
        assertEquals(List.of(recorded.the("sender").getSpanId(), "me"), seen);
    }

    @Test
    void A7_baggageThatDoesNotFitIsLeftAndTheTraceStays() throws Exception {
        String sent =
                recorded.in(
                        "sender",
                        () -> {
                            try (Scope _ = baggage("x".repeat(2_000)).makeCurrent()) {
                                return nodes.inject();
                            }
                        });
        assertNotNull(sent);
        assertTrue(sent.length() <= ContextPropagator.MAX_LENGTH, sent);
        assertTrue(sent.startsWith("traceparent=00-"), sent);
        assertFalse(sent.contains("baggage"), sent);
    }

    @Test
    void A7_textThatIsNoContextDeliversTheMessageAllTheSame() {
        int[] delivered = new int[1];
        for (String text :
                List.of("", "=", "traceparent", "traceparent=", "traceparent=00-1-2-3", "\n=\n")) {
            nodes.restore(
                    text,
                    () -> {
                        delivered[0]++;
                        assertFalse(Span.current().getSpanContext().isValid(), text);
                    });
        }
        assertEquals(6, delivered[0]);
    }

    @Test
    void A7_deliveryThatFailsLeavesNoContextBehind() {
        assertThrows(
                IllegalStateException.class,
                () ->
                        nodes.restore(
                                "traceparent=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                () -> {
                                    throw new IllegalStateException("no");
                                }));
    }
}
