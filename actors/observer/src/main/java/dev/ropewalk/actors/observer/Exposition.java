package dev.ropewalk.actors.observer;

import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.Metric.Kind;
import dev.ropewalk.fibers.metrics.MetricValue;
import dev.ropewalk.fibers.metrics.MetricValue.Tag;

import java.util.List;

/** Writes metrics in the text format of Prometheus, version 0.0.4. */
final class Exposition {
    static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private Exposition() {}

    /** Values of one metric stand side by side, as the format wants them. */
    static String of(List<MetricValue> values) {
        StringBuilder text = new StringBuilder();
        Metric last = null;
        for (MetricValue each : values) {
            if (!each.metric().equals(last)) {
                last = each.metric();
                head(text, last);
            }
            sample(text, each);
        }
        return text.toString();
    }

    private static void head(StringBuilder text, Metric metric) {
        String name = name(metric);
        String type = metric.kind() == Kind.COUNTER ? "counter" : "gauge";
        text.append("# HELP ").append(name).append(' ');
        escape(text, metric.help(), false);
        text.append("\n# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private static String name(Metric metric) {
        String name = metric.name().replace('.', '_');
        return metric.kind() == Kind.COUNTER ? name + "_total" : name;
    }

    private static void sample(StringBuilder text, MetricValue value) {
        text.append(name(value.metric()));
        char before = '{';
        for (Tag each : value.tags()) {
            text.append(before).append(each.name()).append("=\"");
            escape(text, each.value(), true);
            text.append('"');
            before = ',';
        }
        text.append(value.tags().isEmpty() ? " " : "} ").append(number(value.value())).append('\n');
    }

    private static String number(double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? String.valueOf((long) value)
                : String.valueOf(value);
    }

    private static void escape(StringBuilder text, String raw, boolean isQuoted) {
        for (int i = 0; i < raw.length(); i++) {
            char each = raw.charAt(i);
            switch (each) {
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '"' -> text.append(isQuoted ? "\\\"" : "\"");
                default -> text.append(each);
            }
        }
    }
}
