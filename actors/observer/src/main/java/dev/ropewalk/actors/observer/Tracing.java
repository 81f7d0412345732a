package dev.ropewalk.actors.observer;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.observe.ActorInspector;
import dev.ropewalk.actors.observe.ActorTrace;
import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The actors that viewers trace. A trace that nobody has read for a while is ended, because it
 * holds messages, and while there is one each tell of the process looks for its sender. Confined to
 * the observer's cord.
 */
final class Tracing {
    /** At once. */
    static final int MAX = 8;

    /** Messages of one actor. */
    static final int EVENTS = 50;

    private static final Duration UNREAD = Duration.ofSeconds(30);

    private static final class Kept {
        final ActorTrace trace;
        private long readNs = Waits.nanoTime();

        Kept(ActorTrace trace) {
            this.trace = trace;
        }

        private long untilUnreadNs() {
            return readNs + UNREAD.toNanos() - Waits.nanoTime();
        }
    }

    private final Map<ActorRef<?>, Kept> all = new HashMap<>();

    /** A switchpoint. */
    void begin(ActorRef<?> ref, ActorInspector inspector) {
        if (all.containsKey(ref)) {
            return;
        }
        if (all.size() >= MAX) {
            throw new HttpException(503, MAX + " actors are traced, which is the max; end one");
        }
        Kept kept = new Kept(inspector.trace(EVENTS));
        if (all.size() >= MAX || all.putIfAbsent(ref, kept) != null) {
            kept.trace.close(); // other viewers were faster
        } else {
            endLater(ref, kept);
        }
    }

    /** Not with this request. */
    private void endLater(ActorRef<?> ref, Kept kept) {
        boolean isToEnd = false;
        try {
            Cord.current().execute(() -> endUnread(ref, kept));
            isToEnd = true;
        } finally {
            if (!isToEnd) {
                end(ref); // the observer is about to end
            }
        }
    }

    /** Also when the observer is closed. */
    private void endUnread(ActorRef<?> ref, Kept kept) {
        try {
            while (all.get(ref) == kept && kept.untilUnreadNs() > 0) {
                Fiber.sleep(Duration.ofNanos(kept.untilUnreadNs()));
            }
        } finally {
            if (all.get(ref) == kept) {
                end(ref);
            }
        }
    }

    /** Harmless where there is none. */
    void end(ActorRef<?> ref) {
        Kept kept = all.remove(ref);
        if (kept != null) {
            kept.trace.close();
        }
    }

    /** That of an actor; null if it is not traced. */
    @Nullable ActorTrace of(ActorRef<?> ref) {
        Kept kept = all.get(ref);
        if (kept == null) {
            return null;
        }
        kept.readNs = Waits.nanoTime();
        return kept.trace;
    }
}
