package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.observe.ActorTrace;
import dev.ropewalk.actors.observe.TraceEvent;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;

/** Keeps the last events, up to a number. Written on the actor's cord, read from anywhere. */
public final class TraceTap implements Tap, ActorTrace {
    private final int max;
    private final long beganNs = Waits.nanoTime();
    private final Consumer<Tap> remove;

    // Guarded by this object's monitor, which is held for a few instructions.
    private final ArrayDeque<TraceEvent> events = new ArrayDeque<>();
    private long dropped;

    /** The consumer takes it out of its actor. */
    public TraceTap(int max, Consumer<Tap> remove) {
        this.max = max;
        this.remove = remove;
    }

    @Override
    public boolean in(Object message) {
        add(TraceEvent.Kind.IN, message, null);
        return true;
    }

    @Override
    public void out(Object message, String to) {
        add(TraceEvent.Kind.OUT, message, to);
    }

    private void add(TraceEvent.Kind kind, Object message, @Nullable String to) {
        Duration at = Duration.ofNanos(Waits.nanoTime() - beganNs);
        TraceEvent event = new TraceEvent(at, kind, message, to);
        synchronized (this) {
            if (events.size() == max) {
                events.removeFirst();
                dropped++;
            }
            events.addLast(event);
        }
    }

    @Override
    public synchronized List<TraceEvent> events() {
        return List.copyOf(events);
    }

    @Override
    public synchronized long dropped() {
        return dropped;
    }

    @Override
    public void close() {
        remove.accept(this);
    }
}
