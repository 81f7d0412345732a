package dev.ropewalk.channels.http;

import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricSource;

import java.util.Objects;

/** The numbers of HTTP servers. */
public final class HttpMetrics {
    private static final Metric CONNECTIONS =
            Metric.gauge("ropewalk.http.connections", "Clients that are connected.");

    private HttpMetrics() {}

    /**
     * {@return the connections of a server}
     *
     * @param group which server it is
     * @param server open or closed
     */
    public static MetricSource server(String group, HttpServer server) {
        Objects.requireNonNull(server, "server");
        return MetricSource.of(CONNECTIONS, server::connections, "group", group);
    }
}
