package dev.ropewalk.actors.internal.routing;

import dev.ropewalk.actors.spi.Load;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * An actor of this process, as one sender knows it: the number that the actor says after each
 * message, and what this sender has told it since.
 */
public final class GaugeLoad implements Load {
    private final AtomicInteger told = new AtomicInteger();

    /** Null until the actor has given it. */
    private volatile @Nullable Gauge gauge;

    private int count;

    private GaugeLoad() {}

    /** Asks the actor for its gauge, by a message. */
    public static GaugeLoad of(Routee<?> actor) {
        GaugeLoad made = new GaugeLoad();
        actor.onCord(() -> made.gauge = actor.gauge());
        return made;
    }

    @Override
    public int size() {
        Gauge now = gauge;
        if (now == null) {
            return told.get();
        }
        long read = now.read();
        if (Gauge.count(read) != count) {
            count = Gauge.count(read);
            told.set(0);
        }
        return Gauge.size(read) + told.get();
    }

    @Override
    public void told() {
        told.incrementAndGet();
    }
}
