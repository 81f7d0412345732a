package dev.ropewalk.actors.cluster.internal.ref;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The asks of one session that wait for replies, by numbers. For any thread. */
final class OpenAsks {
    private final Map<Long, RemoteAsk<?>> open = new ConcurrentHashMap<>();
    private final AtomicLong next = new AtomicLong();

    /** It fails at once if the session has ended. */
    long open(RemoteAsk<?> ask, Conversation of, Peer peer) {
        long id = next.incrementAndGet();
        ask.id(id);
        open.put(id, ask);
        if (of.isOver() && open.remove(id) != null) {
            ask.fails(ask.unreachable(peer));
        }
        return id;
    }

    /**
     * The same, but the end of the session fails it only if the session has taken it; before, the
     * caller is told OVER.
     */
    long openLater(RemoteAsk<?> ask) {
        long id = next.incrementAndGet();
        ask.id(id);
        open.put(id, ask);
        return id;
    }

    int size() {
        return open.size();
    }

    /** Null if it is over. */
    @Nullable RemoteAsk<?> close(long id) {
        return open.remove(id);
    }

    /** The session has ended. */
    void failAll(Peer peer) {
        for (Long id : List.copyOf(open.keySet())) {
            RemoteAsk<?> ask = open.get(id);
            if (ask != null && ask.failsWithSession() && open.remove(id) != null) {
                ask.fails(ask.unreachable(peer));
            }
        }
    }
}
