package dev.ropewalk.actors.opentelemetry;

import dev.ropewalk.actors.cluster.ContextPropagator;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The context of OpenTelemetry beside messages to other nodes. With {@link Traces#contexts} or
 * {@link Traces#spans} on both nodes it goes from the sender to the handler.
 *
 * {@snippet file="dev/ropewalk/actors/opentelemetry/TracesSnippetsTest.java" region="node"}
 */
public final class NodeTraces {
    private NodeTraces() {}

    /**
     * {@return a propagator for {@link dev.ropewalk.actors.cluster.NodeOptions#withContext}, in the
     * format of the program's OpenTelemetry} A message that is sent in no span, and without
     * baggage, is no byte longer. Of what is longer than {@link ContextPropagator#MAX_LENGTH} those
     * fields go that fit, the shortest first, so baggage cannot keep the trace away. Without a
     * propagator it passes no context on, and the log says so.
     *
     * @param openTelemetry of the program
     */
    public static ContextPropagator propagator(OpenTelemetry openTelemetry) {
        TextMapPropagator format = openTelemetry.getPropagators().getTextMapPropagator();
        Traces.checkPropagator(format, openTelemetry, "NodeTraces");
        return new OfNodes(format);
    }

    /** A line for each field: its name, an equals sign, its value. */
    private record OfNodes(TextMapPropagator format) implements ContextPropagator {
        private static final TextMapGetter<Map<String, String>> FIELDS =
                new TextMapGetter<>() {
                    @Override
                    public Iterable<String> keys(Map<String, String> fields) {
                        return fields.keySet();
                    }

                    @Override
                    public @Nullable String get(@Nullable Map<String, String> fields, String name) {
                        return fields == null ? null : fields.get(name);
                    }
                };

        @Override
        public @Nullable String inject() {
            Context here = Context.current();
            if (here == Context.root()) {
                return null;
            }
            List<String> lines = new ArrayList<>();
            format.inject(
                    here,
                    lines,
                    (to, name, value) -> {
                        boolean isLine = name.indexOf('=') < 0 && (name + value).indexOf('\n') < 0;
                        if (to != null && isLine) {
                            to.add(name + "=" + value + "\n");
                        }
                    });
            lines.sort(Comparator.comparingInt(String::length));
            StringBuilder text = new StringBuilder();
            for (String line : lines) {
                if (text.length() + line.length() <= MAX_LENGTH) {
                    text.append(line);
                }
            }
            return text.toString();
        }

        @Override
        public void restore(String context, Runnable delivery) {
            Map<String, String> fields = new LinkedHashMap<>();
            context.lines()
                    .forEach(
                            line -> {
                                int end = line.indexOf('=');
                                if (end > 0) {
                                    fields.put(line.substring(0, end), line.substring(end + 1));
                                }
                            });
            Context sent = format.extract(Context.root(), fields, FIELDS);
            try (Scope _ = sent.makeCurrent()) {
                delivery.run();
            }
        }

        @Override
        public String toString() {
            return "NodeTraces.propagator()";
        }
    }
}
