package dev.ropewalk.actors.internal.sending;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Placed;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Of the messages that wait and have the same class and key, an actor that conflates keeps the
 * newest. A sender, on any thread, replaces the one that waits where it stands: in the mailbox, or
 * on its way there. So the newer one needs neither room nor a place.
 *
 * <p>The newer one comes as early as the older one would have. So it may be put there only if all
 * that its sender told before, and has the same key, comes earlier still. Three rules see to it:
 *
 * <ul>
 *   <li>A message is found from the moment it is on its way, and not before: a sender that replaced
 *       one that is still with another sender would be overtaken by its own next message.
 *   <li>A sender looks, sends, and enters its message only if no other one has been entered since
 *       it looked. Otherwise two were sent at the same time, and neither sender knows which comes
 *       first: {@link #seal}.
 *   <li>After a seal nothing is found that was sent, or looked for a place, before it. A DOWN and a
 *       trapped exit seal when they come to the mailbox, a stop when it is on its way: nothing
 *       moves across them, so what is told behind one of them finds none of those before it.
 * </ul>
 *
 * <p>It is found until the actor begins it. Two of a key wait only if they were sent at the same
 * time, by two threads, or one of them before a seal.
 *
 * <p>Rejected: a lock around looking, sending and entering. What is displaced, or comes to an actor
 * that has ended, is told to the program's takers of dead letters while it is sent, and they may
 * send to another actor that conflates.
 *
 * <p>Rejected: to replace on the actor's cord. The sender would need a permit for a message that
 * needs no room, and a mailbox full of old prices would refuse the new ones.
 */
final class Conflation<M> {
    private static final Logger LOG = Logs.logger(Conflation.class);

    private record Key(Class<?> type, Object key) {}

    private final Gate.Host actor;
    private final Function<? super M, ? extends @Nullable Object> keyOf;

    /** Takes what was replaced; null if that becomes a dead letter. */
    private final @Nullable Consumer<? super M> undelivered;

    /** What may be replaced; another one after each seal. */
    private volatile ConcurrentMap<Object, Placed.Renewable> waiting = new ConcurrentHashMap<>();

    Conflation(
            Gate.Host actor,
            Function<? super M, ? extends @Nullable Object> keyOf,
            @Nullable Consumer<? super M> undelivered) {
        this.actor = actor;
        this.keyOf = keyOf;
        this.undelivered = undelivered;
    }

    /** Null if the message is kept beside all others. Runs the user's function. */
    @Nullable Object keyOf(M message) {
        Object key = keyOf.apply(message);
        return key == null ? null : new Key(message.getClass(), key);
    }

    /** Puts what it holds in the place of one that waits; false if none does. */
    boolean renews(Placed.Renewable newer) {
        ConcurrentMap<Object, Placed.Renewable> now = waiting;
        Placed.Renewable found = now.get(newer.key());
        Object older = found == null ? null : found.renew(newer.now());
        if (older == null) {
            newer.lookedIn(now, found);
            return false;
        }
        if (Objects.requireNonNull(found).isPassedOver()) {
            actor.renewed(found);
        }
        replaced(older);
        return true;
    }

    /** It is on its way, and has replaced none: from now on others may replace it. */
    void publish(Placed.Renewable message) {
        if (!message.publish()) {
            seal();
        }
    }

    /** What waits now, or is about to, is not replaced any more. From any thread. */
    void seal() {
        waiting = new ConcurrentHashMap<>();
    }

    @SuppressWarnings("unchecked") // only M, and what opens as M, are sent
    private void replaced(Object item) {
        if (undelivered == null) {
            actor.drop(item, DeadLetter.Reason.REPLACED);
            return;
        }
        actor.noReply(item, DeadLetter.Reason.REPLACED);
        M message = (M) Envelope.content(item);
        try {
            undelivered.accept(message);
        } catch (Throwable broken) {
            // Any failure: it is the sender of another message that comes here.
            Logs.tellBroken(
                    LOG, broken, "the undelivered hook of {} failed for {}", actor, message);
        }
    }
}
