package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.spi.DownListener;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The actors of this node that other nodes have addresses of, by their numbers. One entry an actor,
 * for all nodes; it goes when the actor is over. An address that is no actor's, as that of a
 * router, has a number of its own below zero, and stays. For any thread.
 */
public final class Exports {
    /** Names of actors that are over. */
    private static final int MAX_ENDED = 1_024;

    private final Map<Long, ActorRef<?>> byNumber = new ConcurrentHashMap<>();

    /** Of those whose number here is not their own. */
    private final Map<ActorRef<?>, Long> numbers = new ConcurrentHashMap<>();

    /** The names of the last ones that are over; guarded by itself. */
    private final Map<Long, String> ended =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, String> oldest) {
                    return size() > MAX_ENDED;
                }
            };

    private final AtomicLong next = new AtomicLong(-1);

    /** The number by which other nodes know the actor from now on. */
    long numberOf(ActorRef<?> actor) {
        Long given = numbers.get(actor);
        if (given != null) {
            return given;
        }
        long own = actor.number();
        if (own > 0) {
            ActorRef<?> other = byNumber.putIfAbsent(own, actor);
            if (other == null) {
                actor.target().watch(new End(own), false);
                return own;
            }
            if (other.equals(actor)) {
                return own;
            }
        }
        return numbers.computeIfAbsent(
                actor,
                _ -> {
                    long made = next.getAndDecrement();
                    byNumber.put(made, actor);
                    return made;
                });
    }

    /** How an actor is called in a dead letter, which it may get when it is over. */
    String nameOf(long number) {
        ActorRef<?> actor = byNumber.get(number);
        if (actor != null) {
            return actor.toString();
        }
        synchronized (ended) {
            return ended.getOrDefault(number, "actor #" + number);
        }
    }

    public int size() {
        return byNumber.size();
    }

    /** Null if it is over, or was never exported. */
    @Nullable ActorRef<?> actor(long number) {
        return byNumber.get(number);
    }

    /** Takes the entry out. */
    private final class End implements DownListener {
        private final long number;

        End(long number) {
            this.number = number;
        }

        @Override
        public void down(Down down) {
            String name = down.actor().toString();
            synchronized (ended) {
                ended.put(number, name);
            }
            byNumber.remove(number);
        }
    }
}
