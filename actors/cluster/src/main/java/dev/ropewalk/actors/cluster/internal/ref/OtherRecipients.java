package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.DownListener;

import org.jspecify.annotations.Nullable;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The recipients here that are no actors and are known to the other node of one session, by
 * numbers: adapters, and the addresses of asks that were handed on. Any thread exports; the cord
 * looks them up.
 *
 * <p>An adapter has one entry however often it is sent, and goes with its actor; an actor has
 * {@link #MAX_ADAPTERS} at most, otherwise its oldest goes. Of anything else the entry goes when it
 * is garbage here: an address of an ask, when its asker has stopped waiting.
 */
final class OtherRecipients {
    static final int MAX_ADAPTERS = 1_024;

    // ---- guarded by this object's monitor

    private final Map<Long, Reference<Recipient<?>>> weak = new HashMap<>();
    private final Map<Long, Recipient<?>> strong = new HashMap<>();
    private final IdentityHashMap<Recipient<?>, Long> adapters = new IdentityHashMap<>();
    private final Map<ActorRef<?>, Map<Long, Recipient<?>>> byActor = new HashMap<>();
    private final Map<ActorRef<?>, DownListener> ends = new HashMap<>();
    private final ReferenceQueue<Recipient<?>> garbage = new ReferenceQueue<>();
    private long last;

    private static final class Entry extends WeakReference<Recipient<?>> {
        private final long number;

        Entry(Recipient<?> recipient, long number, ReferenceQueue<Recipient<?>> garbage) {
            super(recipient, garbage);
            this.number = number;
        }
    }

    /** The number by which the other node knows it. */
    long numberOf(Recipient<?> recipient) {
        ActorRef<?> owner = Calls.ownerOf(recipient);
        DownListener end = null;
        long number;
        synchronized (this) {
            forgetGarbage();
            if (owner == null) {
                number = ++last;
                weak.put(number, new Entry(recipient, number, garbage));
                return number;
            }
            Long given = adapters.get(recipient);
            if (given != null) {
                return given;
            }
            number = ++last;
            Map<Long, Recipient<?>> own = byActor.get(owner);
            if (own == null) {
                end = _ -> ended(owner);
                ends.put(owner, end);
                own = new LinkedHashMap<>();
                byActor.put(owner, own);
            } else if (own.size() == MAX_ADAPTERS) {
                Map.Entry<Long, Recipient<?>> oldest = own.entrySet().iterator().next();
                forget(own, oldest.getKey(), oldest.getValue());
            }
            own.put(number, recipient);
            adapters.put(recipient, number);
            strong.put(number, recipient);
        }
        if (end != null) {
            owner.target().watch(end, false);
        }
        return number;
    }

    private void forget(Map<Long, Recipient<?>> own, Long number, Recipient<?> adapter) {
        own.remove(number);
        adapters.remove(adapter);
        strong.remove(number);
    }

    private synchronized void ended(ActorRef<?> owner) {
        ends.remove(owner);
        Map<Long, Recipient<?>> own = byActor.remove(owner);
        if (own != null) {
            own.forEach(
                    (number, adapter) -> {
                        adapters.remove(adapter);
                        strong.remove(number);
                    });
        }
    }

    private void forgetGarbage() {
        for (Reference<?> each = garbage.poll(); each != null; each = garbage.poll()) {
            if (each instanceof Entry entry) {
                weak.remove(entry.number);
            }
        }
    }

    synchronized int size() {
        forgetGarbage();
        return weak.size() + strong.size();
    }

    /** Null if it is over. */
    synchronized @Nullable Recipient<?> recipient(long number) {
        Recipient<?> kept = strong.get(number);
        if (kept != null) {
            return kept;
        }
        Reference<Recipient<?>> entry = weak.get(number);
        return entry == null ? null : entry.get();
    }

    /** The session has ended. */
    void over() {
        Map<ActorRef<?>, DownListener> left;
        synchronized (this) {
            weak.clear();
            strong.clear();
            adapters.clear();
            byActor.clear();
            left = Map.copyOf(ends);
            ends.clear();
        }
        left.forEach((owner, end) -> owner.target().unwatch(end));
    }
}
