package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricSource;

import java.util.Objects;

/** The numbers of listeners. */
public final class IoMetrics {
    private static final Metric CONNECTIONS =
            Metric.gauge("ropewalk.tcp.connections", "Connections that are open.");

    private IoMetrics() {}

    /**
     * {@return the connections that a listener has accepted and that are open} Several listeners of
     * a group are added up.
     *
     * @param group which server it is
     * @param listener open or closed
     */
    public static MetricSource listener(String group, TcpListener listener) {
        Objects.requireNonNull(listener, "listener");
        return MetricSource.of(CONNECTIONS, listener::open, "group", group);
    }
}
