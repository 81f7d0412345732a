package dev.ropewalk.channels;

import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricSource;

import java.util.Objects;

/** The numbers of channels. */
public final class ChannelMetrics {
    private static final Metric ELEMENTS =
            Metric.gauge("ropewalk.channel.elements", "Elements that wait in channels.");
    private static final Metric SENDERS =
            Metric.gauge("ropewalk.channel.senders", "Senders that wait for room.");
    private static final Metric RECEIVERS =
            Metric.gauge("ropewalk.channel.receivers", "Receivers that wait for elements.");

    private ChannelMetrics() {}

    /**
     * {@return the queues of a channel} Those of several channels with one group are added. A
     * confined channel can be read on its own cord only.
     *
     * @param group which channels these are
     * @param channel open or closed
     */
    public static MetricSource of(String group, Channel<?> channel) {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(channel, "channel");
        return sink -> {
            ChannelSnapshot now = channel.snapshot();
            sink.add(ELEMENTS, now.elements(), "group", group);
            sink.add(SENDERS, now.waitingSenders(), "group", group);
            sink.add(RECEIVERS, now.waitingReceivers(), "group", group);
        };
    }
}
