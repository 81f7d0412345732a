package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.DeadLetter;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** What all actors of a system share; for any thread. */
public final class SystemCore {
    final DeadLetters deadLetters;

    private final AtomicLong lastNumber = new AtomicLong();

    /** Without a taker dead letters are logged. */
    public SystemCore(@Nullable Consumer<? super DeadLetter> deadLetterTaker) {
        this.deadLetters = new DeadLetters(deadLetterTaker);
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
