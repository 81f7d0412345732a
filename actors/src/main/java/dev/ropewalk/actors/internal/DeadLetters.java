package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Where a system's dead letters go: counted, and logged unless the user takes them. */
public final class DeadLetters {
    private static final int MAX_LOGGED = 10;
    private static final Logger LOG = Logs.logger(DeadLetters.class);

    private final AtomicLong count = new AtomicLong();
    private final @Nullable Consumer<? super DeadLetter> taker;

    /** Without a taker they are logged. */
    public DeadLetters(@Nullable Consumer<? super DeadLetter> taker) {
        this.taker = taker;
    }

    /** Never throws. */
    public void report(DeadLetter letter) {
        long number = count.incrementAndGet();
        if (taker == null) {
            if (number <= MAX_LOGGED) {
                LOG.warn(
                        "dead letter {}{}",
                        letter,
                        number == MAX_LOGGED ? "; later ones are counted only" : "");
            }
            return;
        }
        try {
            taker.accept(letter);
        } catch (Throwable broken) {
            // Any failure: this may be the sender's fiber, or in the middle of an actor's end.
            Logs.tellBroken(LOG, broken, "the taker of dead letters failed for {}", letter);
        }
    }

    /** Of all so far. */
    public long count() {
        return count.get();
    }
}
