package dev.ropewalk.actors.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.CordOptions;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.Callable;

/** An SDK of OpenTelemetry that keeps the spans that have ended. */
final class Recorded implements AutoCloseable {
    private final InMemorySpanExporter spans = InMemorySpanExporter.create();

    private final OpenTelemetrySdk sdk =
            OpenTelemetrySdk.builder()
                    .setTracerProvider(
                            SdkTracerProvider.builder()
                                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                                    .build())
                    .setPropagators(
                            ContextPropagators.create(
                                    TextMapPropagator.composite(
                                            W3CTraceContextPropagator.getInstance(),
                                            W3CBaggagePropagator.getInstance())))
                    .build();

    static CordOptions cord() {
        return CordOptions.named("test").withSwitchHooks(Traces.hook());
    }

    OpenTelemetry sdk() {
        return sdk;
    }

    private Tracer tracer() {
        return sdk.getTracer("test");
    }

    /** Runs the code in a span of the name. */
    <T extends @Nullable Object> T in(String name, Callable<T> code) throws Exception {
        Span span = tracer().spanBuilder(name).startSpan();
        try (Scope _ = span.makeCurrent()) {
            return code.call();
        } finally {
            span.end();
        }
    }

    void run(String name, Runnable code) {
        Span span = tracer().spanBuilder(name).startSpan();
        try (Scope _ = span.makeCurrent()) {
            code.run();
        } finally {
            span.end();
        }
    }

    List<SpanData> all() {
        return spans.getFinishedSpanItems();
    }

    /** The one of the name. */
    SpanData the(String name) {
        List<SpanData> found = all().stream().filter(s -> s.getName().equals(name)).toList();
        assertEquals(1, found.size(), () -> name + " in " + names());
        return found.getFirst();
    }

    List<String> names() {
        return all().stream().map(SpanData::getName).sorted().toList();
    }

    void assertParent(String parent, String child) {
        assertEquals(the(parent).getSpanId(), the(child).getParentSpanId(), child);
        assertEquals(the(parent).getTraceId(), the(child).getTraceId(), child);
    }

    static @Nullable String text(SpanData span, String attribute) {
        return span.getAttributes().get(AttributeKey.stringKey(attribute));
    }

    @Override
    public void close() {
        sdk.close();
    }
}
