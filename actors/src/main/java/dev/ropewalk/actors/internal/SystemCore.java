package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.DeadLetter;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** What all actors of a system share; for any thread. */
public final class SystemCore {
    final DeadLetters deadLetters;

    private final AtomicLong lastNumber = new AtomicLong();

    /** The supervisors of those actors that have actors of their own. */
    private final ConcurrentHashMap<ActorCell<?>, SupervisorCell> ownChildren =
            new ConcurrentHashMap<>();

    /** Without a taker dead letters are logged. */
    public SystemCore(@Nullable Consumer<? super DeadLetter> deadLetterTaker) {
        this.deadLetters = new DeadLetters(deadLetterTaker);
    }

    void addChildrenOf(ActorCell<?> actor, SupervisorCell below) {
        ownChildren.put(actor, below);
    }

    /** Null if it has none. */
    @Nullable SupervisorCell childrenOf(ActorCell<?> actor) {
        return ownChildren.get(actor);
    }

    /** The incarnation that had them is over. */
    void removeChildrenOf(ActorCell<?> actor, SupervisorCell below) {
        ownChildren.remove(actor, below);
    }

    /** A number that no other actor of the system has. */
    long nextNumber() {
        return lastNumber.incrementAndGet();
    }

    /** How many dead letters there were. */
    public long deadLetterCount() {
        return deadLetters.count();
    }
}
