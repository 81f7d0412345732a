package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.MailboxOptions;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * How an actor's messages wait.
 *
 * @param options how many, and what happens to those without room
 * @param priority the highest comes first; null if they wait in the order of arrival
 * @param key by which a newer message replaces an older one; null if none does
 * @param undelivered takes what was replaced; null if that becomes a dead letter
 */
record MailboxSpec<M>(
        MailboxOptions options,
        @Nullable ToIntFunction<? super M> priority,
        @Nullable Function<? super M, ?> key,
        @Nullable Consumer<? super M> undelivered) {
    /** In the order of arrival, and all are kept. */
    static <M> MailboxSpec<M> unbounded() {
        return new MailboxSpec<>(MailboxOptions.unbounded(), null, null, null);
    }

    MailboxSpec<M> with(MailboxOptions other) {
        return new MailboxSpec<>(
                Objects.requireNonNull(other, "options"), priority, key, undelivered);
    }

    MailboxSpec<M> byPriority(ToIntFunction<? super M> of) {
        return new MailboxSpec<>(options, Objects.requireNonNull(of, "priority"), key, undelivered);
    }

    MailboxSpec<M> conflating(Function<? super M, ?> keyOf, @Nullable Consumer<? super M> hook) {
        return new MailboxSpec<>(options, priority, Objects.requireNonNull(keyOf, "key"), hook);
    }

    @Override
    public String toString() {
        return options
                + (priority == null ? "" : ", by priority")
                + (key == null ? "" : ", conflating");
    }
}
