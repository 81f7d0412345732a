package dev.ropewalk.actors.internal.mailbox;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A message, or its envelope, whose place in the mailbox its sender has looked up: by its priority,
 * or by a key that a newer message may have too.
 */
public abstract sealed class Placed extends Envelope {
    final int priority;

    /** Which it was of all that came to the mailbox. */
    long arrival = Long.MAX_VALUE;

    private Placed(int priority) {
        this.priority = priority;
    }

    /** The actor begins it, or it is given up: it is the placed message from now on. */
    public abstract Object take();

    /** The item that is placed now. */
    abstract Object now();

    @Override
    public final Object open() {
        return Envelope.open(now());
    }

    @Override
    public final Object content() {
        return Envelope.content(now());
    }

    /** The placed item, or the item itself if it has no place of its own. */
    public static Object taken(Object item) {
        return item instanceof Placed placed ? placed.take() : item;
    }

    /**
     * The item that is placed now, and may be another one soon; or the item itself. From any
     * thread.
     */
    public static Object now(Object item) {
        return item instanceof Placed placed ? placed.now() : item;
    }

    /** False if what is placed is another one by now; otherwise it stays that. */
    public static boolean closeAs(Object item, Object seen) {
        return !(item instanceof Renewable renewable) || renewable.closeAs(seen);
    }

    /** Of an item without a place of its own it is 0. */
    static int priority(Object item) {
        return item instanceof Placed placed ? placed.priority : 0;
    }

    /** One that stays what it is. */
    public static final class Ranked extends Placed {
        private final Object item;

        public Ranked(Object item, int priority) {
            super(priority);
            this.item = item;
        }

        @Override
        public Object take() {
            return item;
        }

        @Override
        Object now() {
            return item;
        }
    }

    /**
     * One that a newer message may replace, from any thread, until it is taken. The class of the
     * messages stays the same, because it is part of the key.
     */
    public static final class Renewable extends Placed {
        private static final Object CLOSED = new Object();

        private final Object key;
        private final AtomicReference<Object> item;

        /** Where senders find it; null until it is on its way. */
        private volatile @Nullable ConcurrentMap<Object, Renewable> published;

        /** It is no longer on its way to the actor; of the actor's cord. */
        private boolean hasCome;

        /** Its item when it was closed; written by its last owner. */
        private @Nullable Object last;

        /** The item that a selective receive did not want; null if none has looked at it. */
        private volatile @Nullable Object passedOver;

        public Renewable(Object item, int priority, Object key) {
            super(priority);
            this.item = new AtomicReference<>(item);
            this.key = key;
        }

        /** It is on its way: from now on senders find it there, and may replace it. */
        public void publish(ConcurrentMap<Object, Renewable> where) {
            published = where;
            where.put(key, this);
            if (isTaken()) {
                where.remove(key, this);
            }
        }

        /** On the actor's cord: whether it is still on its way there. */
        public boolean isComing() {
            return !hasCome;
        }

        /**
         * It has come to the actor, on whose cord this is called.
         *
         * @return false if a sender on that cord has put another one before it; it is nothing then
         */
        public boolean comes() {
            hasCome = true;
            return !isTaken();
        }

        /** Returns what was replaced; null if it has been taken already. From any thread. */
        public @Nullable Object renew(Object newer) {
            Object now = item.get();
            while (now != CLOSED) {
                Object seen = item.compareAndExchange(now, newer);
                if (seen == now) {
                    return now;
                }
                now = seen;
            }
            return null;
        }

        /** Whether a selective receive has to hear that it was replaced. From any thread. */
        public boolean isPassedOver() {
            return passedOver != null;
        }

        /**
         * The receiver does not want what it has seen; false if it is another one by now. From here
         * on the sender that replaces it tells the receiver.
         */
        public boolean passOver(Object seen) {
            passedOver = seen;
            return item.get() == seen;
        }

        /** The actor has begun it, or it was given up. */
        public boolean isTaken() {
            return item.get() == CLOSED;
        }

        @Override
        public Object now() {
            Object now = item.get();
            return now == CLOSED ? Objects.requireNonNull(last) : now;
        }

        public Object key() {
            return key;
        }

        /** Closes it if it still is what the receiver has looked at. */
        public boolean closeAs(Object seen) {
            if (!item.compareAndSet(seen, CLOSED)) {
                return false;
            }
            closed(seen);
            return true;
        }

        @Override
        public Object take() {
            Object now = item.getAndSet(CLOSED);
            if (now != CLOSED) {
                closed(now);
            }
            return Objects.requireNonNull(last, "last");
        }

        private void closed(Object now) {
            last = now;
            ConcurrentMap<Object, Renewable> where = published;
            if (where != null) {
                where.remove(key, this);
            }
        }
    }
}
