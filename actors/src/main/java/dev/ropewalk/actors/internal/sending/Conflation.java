package dev.ropewalk.actors.internal.sending;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Placed;
import dev.ropewalk.actors.internal.mailbox.Stop;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Of the messages that wait and have the same class and key, an actor that conflates keeps the
 * newest. A sender, on any thread, replaces the one that waits where it stands: in the mailbox, or
 * on its way there. So the newer one needs neither room nor a place.
 *
 * <p>A message never comes behind what its own sender tells later, and comes before what that told
 * earlier only where it has another key. Four rules see to it:
 *
 * <ul>
 *   <li>To look for an older one, to send the newer one, and to enter it where senders find it, is
 *       one step, under the lock {@link #sending}. So one of a key waits.
 *   <li>A sender on the actor's own cord has no way to go: what it tells next is in the mailbox at
 *       once. An older one that is still on its way is taken out by it, with its permit, and the
 *       newer one goes into the mailbox.
 *   <li>Nothing moves across a DOWN or a trapped exit: when one comes to the mailbox, nothing that
 *       is there is found any more ({@link #seal}).
 *   <li>Nothing moves across a stop, on its way neither: nothing is found any more when it is sent,
 *       and nothing is entered until it has come to the mailbox, because what another thread sends
 *       meanwhile may be ahead of it.
 * </ul>
 *
 * <p>It is found until the actor begins it, which takes no lock: whatever takes a message closes
 * it, and one that is closed is not replaced.
 *
 * <p>The lock is not held while the program's code runs, but for the equals of its keys. A message
 * that is displaced, or comes to an actor that has ended, becomes a dead letter during the send; it
 * is told when the lock is free ({@link #putsOff}), because its taker may send to another actor
 * that conflates. The actions of other messages whose cord has ended wait until then, too ({@link
 * Waits#refusingLater}).
 *
 * <p>Rejected: to replace on the actor's cord. The sender would need a permit for a message that
 * needs no room, and a mailbox full of old prices would refuse the new ones. Rejected: no lock, and
 * a compare-and-set to enter. Of two threads that send the same key at the same time, one finds
 * that the other has been there, but not whose message comes first.
 */
final class Conflation<M> {
    private static final Log LOG = Logs.logger(Conflation.class);

    /** The result of sending a message. */
    enum Outcome {
        SENT,
        /** It stands in the place of an older one. */
        REPLACES,
        NO_ROOM
    }

    /** How a message leaves that replaces none. */
    @FunctionalInterface
    interface Way {
        /** False if there is no room for it. */
        boolean send(Object item, @Nullable String router);
    }

    /** The equals and hash code of what is in it are the program's code, and fail no sender. */
    private static final class Key {
        private final Class<?> type;
        private final Object key;
        private final int hash;

        Key(Class<?> type, Object key) {
            this.type = type;
            this.key = key;
            this.hash = 31 * type.hashCode() + key.hashCode();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other
                    || (other instanceof Key same
                            && hash == same.hash
                            && type == same.type
                            && isEqual(same.key));
        }

        private boolean isEqual(Object other) {
            try {
                return key.equals(other);
            } catch (Throwable broken) {
                Logs.tellBroken(LOG, broken, "the equals of the key {} failed", type.getName());
                return false;
            }
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    private final Gate.Host actor;
    private final Function<? super M, ? extends @Nullable Object> keyOf;

    /** Takes what was replaced; null if that becomes a dead letter. */
    private final @Nullable Consumer<? super M> undelivered;

    /** The callers inside the hook: a message that one of them replaces is a dead letter. */
    private final Inside hook = new Inside();

    private final Object sending = new Object();

    // Guarded by the lock.

    /** The messages that may be replaced; another map after each seal. */
    private ConcurrentMap<Object, Placed.Renewable> waiting = new ConcurrentHashMap<>();

    /** How many stops are on their way. */
    private int stops;

    private final Queue<Runnable> later = new ArrayDeque<>();

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

    // ---------------------------------------------------------------- sending

    /** Puts it in the place of one that waits, or sends it that way. */
    Outcome send(Placed.Renewable newer, @Nullable String router, Way way) {
        Sent sent = Waits.refusingLater(() -> lookAndSend(newer, router, way));
        if (sent.isPutOff()) {
            tellPutOff();
        }
        Object older = sent.older();
        if (older == null) {
            return sent.isSent() ? Outcome.SENT : Outcome.NO_ROOM;
        }
        if (sent.found() != null && sent.found().isPassedOver()) {
            actor.renewed(sent.found());
        }
        replaced(older);
        return Outcome.REPLACES;
    }

    /**
     * The result of one step.
     *
     * @param found where senders find messages of the key
     * @param older what was replaced; null if nothing was
     * @param isPutOff whether something is to be told that came up in it
     */
    private record Sent(
            Placed.@Nullable Renewable found,
            @Nullable Object older,
            boolean isSent,
            boolean isPutOff) {}

    private Sent lookAndSend(Placed.Renewable newer, @Nullable String router, Way way) {
        synchronized (sending) {
            Placed.Renewable found = waiting.get(newer.key());
            Object older;
            boolean isSent = true;
            if (found != null && actor.isHere() && found.isComing()) {
                older = found.take();
                actor.deliver(newer, router);
                enter(newer);
            } else {
                older = found == null ? null : found.renew(newer.now());
                isSent = older != null || way.send(newer, router);
                if (older == null && isSent) {
                    enter(newer);
                }
            }
            return new Sent(found, older, isSent, !later.isEmpty());
        }
    }

    private void enter(Placed.Renewable message) {
        if (stops == 0) {
            message.publish(waiting);
        }
    }

    /**
     * Whether the lock is held by this thread, so that the task, which runs the program's code, has
     * to wait; then it runs when the lock is free.
     */
    boolean putsOff(Runnable task) {
        if (!Thread.holdsLock(sending)) {
            return false;
        }
        later.add(task);
        return true;
    }

    private void tellPutOff() {
        for (Runnable next = nextPutOff(); next != null; next = nextPutOff()) {
            next.run();
        }
    }

    private @Nullable Runnable nextPutOff() {
        synchronized (sending) {
            return later.poll();
        }
    }

    @SuppressWarnings("unchecked") // only M, and what opens as M, are sent
    private void replaced(Object item) {
        if (undelivered == null || !hook.enter()) {
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
        } finally {
            hook.leave();
        }
    }

    // ---------------------------------------------------------------- what nothing moves across

    /** A stop is about to be sent. From any thread. */
    void stops() {
        synchronized (sending) {
            stops++;
            seal();
        }
    }

    /** An item has come; false if it is nothing, because it was replaced. On the actor's cord. */
    boolean comes(Object item) {
        if (item instanceof Placed.Renewable message) {
            return message.comes();
        }
        if (item == Stop.STOP) {
            synchronized (sending) {
                stops--;
            }
        } else if (Envelope.isBarrier(item)) {
            seal();
        }
        return true;
    }

    /** The messages that wait now are not replaced any more. */
    private void seal() {
        synchronized (sending) {
            waiting = new ConcurrentHashMap<>();
        }
    }

    /** How many keys may be found. */
    int keys() {
        synchronized (sending) {
            return waiting.size();
        }
    }

    void checkInvariants() {
        synchronized (sending) {
            if (stops < 0) {
                throw new IllegalStateException("stops=" + stops + " < 0 on their way to " + actor);
            }
        }
    }
}
