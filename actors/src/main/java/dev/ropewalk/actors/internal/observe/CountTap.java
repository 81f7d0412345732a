package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.observe.ActorStatistics;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Counts messages. Written on the actor's cord alone, read from anywhere. */
public final class CountTap implements Tap, ActorStatistics {
    private static final long OPEN = Long.MIN_VALUE;

    private final long beganNs = Waits.nanoTime();
    private final AtomicLong closedNs = new AtomicLong(OPEN);
    private final AtomicLong in = new AtomicLong();
    private final AtomicLong out = new AtomicLong();
    private final boolean hearsSends;
    private final Consumer<Tap> remove;

    /**
     * A tap that counts.
     *
     * @param hearsSends whether it counts them, too
     * @param remove takes it out of its actor
     */
    public CountTap(boolean hearsSends, Consumer<Tap> remove) {
        this.hearsSends = hearsSends;
        this.remove = remove;
    }

    @Override
    public boolean hearsSends() {
        return hearsSends;
    }

    @Override
    public boolean in(Object message) {
        in.setRelease(in.getPlain() + 1);
        return true;
    }

    @Override
    public void out(Object message, String to) {
        out.setRelease(out.getPlain() + 1);
    }

    @Override
    public long in() {
        return in.get();
    }

    @Override
    public long out() {
        return out.get();
    }

    @Override
    public Duration time() {
        long closed = closedNs.get();
        return Duration.ofNanos((closed == OPEN ? Waits.nanoTime() : closed) - beganNs);
    }

    @Override
    public void close() {
        closedNs.compareAndSet(OPEN, Waits.nanoTime());
        remove.accept(this);
    }
}
