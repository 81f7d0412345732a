package dev.ropewalk.actors.internal.routing;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicInteger;

/** In turn, over all senders. */
public final class RoundRobin<M> implements Choice<M> {
    private final AtomicInteger next = new AtomicInteger();

    @Override
    public Member<M> choose(Roster<M> roster, @Nullable M message) {
        return roster.get(Integer.remainderUnsigned(next.getAndIncrement(), roster.size()));
    }
}
