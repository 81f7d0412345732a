package dev.ropewalk.actors.internal.sending;

import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;

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
public record MailboxSpec<M>(
        MailboxOptions options,
        @Nullable ToIntFunction<? super M> priority,
        @Nullable Function<? super M, ? extends @Nullable Object> key,
        @Nullable Consumer<? super M> undelivered) {
    /** In the order of arrival, and all are kept. */
    public static <M> MailboxSpec<M> unbounded() {
        return new MailboxSpec<>(MailboxOptions.unbounded(), null, null, null);
    }

    public MailboxSpec<M> with(MailboxOptions other) {
        return new MailboxSpec<>(
                Objects.requireNonNull(other, "options"), priority, key, undelivered);
    }

    public MailboxSpec<M> byPriority(ToIntFunction<? super M> of) {
        return new MailboxSpec<>(options, Objects.requireNonNull(of, "priority"), key, undelivered);
    }

    public MailboxSpec<M> conflating(
            Function<? super M, ? extends @Nullable Object> keyOf,
            @Nullable Consumer<? super M> hook) {
        return new MailboxSpec<>(options, priority, Objects.requireNonNull(keyOf, "key"), hook);
    }

    /** They wait by their priority. */
    public boolean isRanked() {
        return priority != null;
    }

    /** More than this are too many in the mailbox itself: the oldest goes. */
    public int maxQueued() {
        return options.overflow() == Overflow.DROP_OLD ? options.capacity() : Integer.MAX_VALUE;
    }

    /** Whether messages pass a gate; otherwise they leave as they are. */
    public boolean hasGate() {
        return priority != null || key != null || hasRoom();
    }

    /** The gate that messages to the actor pass. */
    public Gate<M> gate(Gate.Host actor) {
        return new Gate<>(actor, this);
    }

    /** Senders take permits. */
    boolean hasRoom() {
        return options.isBounded() && options.overflow() != Overflow.DROP_OLD;
    }

    @Override
    public String toString() {
        return options
                + (priority == null ? "" : ", by priority")
                + (key == null ? "" : ", conflating");
    }
}
