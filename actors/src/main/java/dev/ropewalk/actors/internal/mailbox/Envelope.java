package dev.ropewalk.actors.internal.mailbox;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Function;

/**
 * An item of a mailbox that is not itself the message. One class above all of them, so that one
 * question tells the plain message, which nearly all are.
 */
public abstract class Envelope {
    /** {@return the message} On the actor's fiber, because it may run a function of the user's. */
    public abstract Object open();

    /** {@return the message, or what it is made of; for reports} */
    public abstract Object content();

    /** It took no permit of a bounded mailbox, and no policy drops it. */
    public boolean isExempt() {
        return false;
    }

    /** A taker of dead letters has sent it. */
    protected boolean isOfTaker() {
        return false;
    }

    /** {@return the context of its sender; null for none} */
    public @Nullable Object context() {
        return null;
    }

    public static @Nullable Object context(Object item) {
        return item instanceof Envelope envelope ? envelope.context() : null;
    }

    /** The message itself. */
    public static Object open(Object item) {
        return item instanceof Envelope envelope ? envelope.open() : item;
    }

    public static Object content(Object item) {
        return item instanceof Envelope envelope ? envelope.content() : item;
    }

    public static boolean isExempt(Object item) {
        return item instanceof Envelope envelope && envelope.isExempt();
    }

    /**
     * A reply address that is itself the message, and not the envelope of an ask; or any message,
     * if a taker of dead letters told it.
     */
    public static final class Told extends Envelope {
        private final Object message;
        private final boolean isOfTaker;

        public Told(Object message, boolean isOfTaker) {
            this.message = message;
            this.isOfTaker = isOfTaker;
        }

        @Override
        protected boolean isOfTaker() {
            return isOfTaker;
        }

        @Override
        public Object open() {
            return message;
        }

        @Override
        public Object content() {
            return message;
        }
    }

    /** No taker gets the dead letter that becomes of it. */
    public static boolean isOfTaker(Object item) {
        return item instanceof Envelope envelope && envelope.isOfTaker();
    }

    /** An item of which a function makes the message when the actor comes to it. */
    public static sealed class Adapted<R extends @Nullable Object> extends Envelope
            permits InContext.Adapted, Notice {
        private final Function<? super R, ?> function;
        private final R value;

        /** The completer of a piped stage may neither wait nor fail for want of room. */
        private final boolean isPiped;

        private final boolean isOfTaker;

        /** Which it was of all that came to a mailbox by priority. */
        long arrival = Long.MAX_VALUE;

        private @Nullable Object made;

        public Adapted(Function<? super R, ?> function, R value, boolean isPiped) {
            this(function, value, isPiped, false);
        }

        public Adapted(
                Function<? super R, ?> function, R value, boolean isPiped, boolean isOfTaker) {
            this.function = function;
            this.value = value;
            this.isPiped = isPiped;
            this.isOfTaker = isOfTaker;
        }

        @Override
        protected boolean isOfTaker() {
            return isOfTaker;
        }

        @Override
        public boolean isExempt() {
            return isPiped;
        }

        @Override
        public Object open() {
            if (made == null) {
                made =
                        Objects.requireNonNull(
                                function.apply(value),
                                "what the function of adapt or pipe returned");
            }
            return made;
        }

        @Override
        public Object content() {
            return made != null ? made : value != null ? value : "null";
        }
    }

    /**
     * An item that nobody told: DOWN, a trapped exit, a tick. It took no permit, no policy drops
     * it, and it is void when its source was revoked while it was queued.
     */
    public static sealed class Notice<R> extends Adapted<R> permits InContext.Notice {
        /** Where it comes from; confined to the actor's cord. */
        public interface Source {
            boolean isRevoked();

            /** Nothing moves across it: of an end, and not of a timer. */
            default boolean isBarrier() {
                return false;
            }

            /** The actor is done with the notice, or it is given up. */
            void done();
        }

        public final Source source;

        public Notice(Function<? super R, ?> function, R value, Source source) {
            super(function, value, true);
            this.source = source;
        }
    }

    /** No message moves across it, whatever its priority or key. */
    public static boolean isBarrier(Object item) {
        return item == Stop.STOP || (item instanceof Notice<?> notice && notice.source.isBarrier());
    }

    static boolean isVoid(Object item) {
        return inside(item) instanceof Notice<?> notice && notice.source.isRevoked();
    }

    /** Nobody told it, and no policy drops it. */
    public static boolean isNotice(Object item) {
        return inside(item) instanceof Notice;
    }

    /** The item that was put back, or else the item itself. */
    public static Object inside(Object item) {
        return item instanceof PutBack again ? again.item : item;
    }

    /** A message that was put back, and how often it has been tried, or postponed. */
    public static final class PutBack extends Envelope {
        public final Object item;
        public final int tries;
        public final int postponed;

        public PutBack(Object item, int tries) {
            this(item, tries, 0);
        }

        public PutBack(Object item, int tries, int postponed) {
            this.item = item;
            this.tries = tries;
            this.postponed = postponed;
        }

        @Override
        public Object open() {
            return Envelope.open(item);
        }

        @Override
        public Object content() {
            return Envelope.content(item);
        }

        /** Its permit was given back when it was taken out. */
        @Override
        public boolean isExempt() {
            return true;
        }
    }
}
