package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.spi.DownListener;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The monitors that this node has of the other node's actors: one WATCH for all of an actor. For
 * any thread; the lock also keeps WATCH and UNWATCH in the order of the calls.
 */
final class Watches {
    /** A word of the other node: the actor is over. */
    static final int LAST = 0;

    /** One of its incarnations is over. */
    static final int EACH = 1;

    /** The actor is over; those that hear of each incarnation have heard of all. */
    static final int NO_MORE = 2;

    private final Conversation of;

    // ---- guarded by this object's monitor

    private final Map<Key, Watched> all = new HashMap<>();
    private boolean isOver;

    private record Key(long number, boolean ofEach) {}

    /** The listeners of one actor, and the address that they are told. */
    private record Watched(ActorRef<?> actor, Map<DownListener, Boolean> listeners) {}

    Watches(Conversation of) {
        this.of = of;
    }

    /** False if the session has ended. */
    boolean add(RemoteTarget<?> actor, DownListener listener, boolean ofEach) {
        Key key = new Key(actor.number(), ofEach);
        synchronized (this) {
            if (isOver) {
                return false;
            }
            Watched watched =
                    all.computeIfAbsent(key, _ -> new Watched(actor.ref(), new LinkedHashMap<>()));
            boolean isFirst = watched.listeners.isEmpty();
            watched.listeners.put(listener, true);
            if (isFirst) {
                send(FrameType.WATCH, key);
            }
        }
        return true;
    }

    void remove(RemoteTarget<?> actor, DownListener listener) {
        synchronized (this) {
            remove(new Key(actor.number(), false), listener);
            remove(new Key(actor.number(), true), listener);
        }
    }

    private void remove(Key key, DownListener listener) {
        Watched watched = all.get(key);
        if (watched != null
                && watched.listeners.remove(listener) != null
                && watched.listeners.isEmpty()) {
            all.remove(key);
            send(FrameType.UNWATCH, key);
        }
    }

    private void send(byte type, Key key) {
        of.sendAtOnce(frame -> frame.begin(type).signed(key.number).flag(key.ofEach));
    }

    /**
     * The other node says so.
     *
     * @param what LAST, EACH or NO_MORE
     */
    void down(long number, int what, ExitReason reason) {
        Key key = new Key(number, what != LAST);
        Watched watched;
        List<DownListener> told;
        synchronized (this) {
            watched = what == EACH ? all.get(key) : all.remove(key);
            told =
                    watched == null || what == NO_MORE
                            ? List.of()
                            : new ArrayList<>(watched.listeners.keySet());
        }
        tell(watched, told, reason);
    }

    synchronized int size() {
        return all.size();
    }

    private static void tell(
            @Nullable Watched watched, List<DownListener> told, ExitReason reason) {
        if (watched != null) {
            Down down = new Down(watched.actor, reason);
            told.forEach(each -> each.down(down));
        }
    }

    /** The session has ended: all hear of it, once. */
    void over(ExitReason reason) {
        List<Watched> left;
        synchronized (this) {
            isOver = true;
            left = new ArrayList<>(all.values());
            all.clear();
        }
        for (Watched each : left) {
            tell(each, new ArrayList<>(each.listeners.keySet()), reason);
        }
    }
}
