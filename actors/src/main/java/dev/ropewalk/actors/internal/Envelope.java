package dev.ropewalk.actors.internal;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Function;

/**
 * What lies in a mailbox and is not itself the message. One class above all of them, so that one
 * question tells the plain message, which nearly all are.
 */
abstract sealed class Envelope
        permits Ask, Envelope.Told, Envelope.Adapted, Envelope.PutBack, Stop {
    /** {@return the message} On the actor's fiber, because it may run a function of the user's. */
    abstract Object open();

    /** {@return the message, or what it is made of; for reports} */
    abstract Object content();

    /** It took no permit of a bounded mailbox, and no policy drops it. */
    boolean isExempt() {
        return false;
    }

    /** The message itself. */
    static Object open(Object item) {
        return item instanceof Envelope envelope ? envelope.open() : item;
    }

    static Object content(Object item) {
        return item instanceof Envelope envelope ? envelope.content() : item;
    }

    static boolean isExempt(Object item) {
        return item instanceof Envelope envelope && envelope.isExempt();
    }

    /** A reply address that is itself the message, and not the envelope of an ask. */
    static final class Told extends Envelope {
        private final Envelope message;

        Told(Envelope message) {
            this.message = message;
        }

        @Override
        Object open() {
            return message;
        }

        @Override
        Object content() {
            return message;
        }
    }

    /** What another function makes the message of, when the actor comes to it. */
    static sealed class Adapted<R extends @Nullable Object> extends Envelope permits Notice {
        private final Function<? super R, ?> function;
        private final R value;

        /** Whatever completes what is piped may neither wait nor fail for want of room. */
        private final boolean isPiped;

        private @Nullable Object made;

        Adapted(Function<? super R, ?> function, R value, boolean isPiped) {
            this.function = function;
            this.value = value;
            this.isPiped = isPiped;
        }

        @Override
        boolean isExempt() {
            return isPiped;
        }

        @Override
        Object open() {
            if (made == null) {
                made =
                        Objects.requireNonNull(
                                function.apply(value),
                                "what the function of adapt or pipe returned");
            }
            return made;
        }

        @Override
        Object content() {
            return made != null ? made : value != null ? value : "null";
        }
    }

    /**
     * What nobody told: DOWN, a trapped exit, a tick. It took no permit, no policy drops it, and it
     * is void when its source was revoked while it was queued.
     */
    static final class Notice<R> extends Adapted<R> {
        /** Where it comes from; confined to the actor's cord. */
        interface Source {
            boolean isRevoked();

            /** The actor is done with the notice, or it is given up. */
            void done();
        }

        final Source source;

        Notice(Function<? super R, ?> function, R value, Source source) {
            super(function, value, true);
            this.source = source;
        }
    }

    static boolean isVoid(Object item) {
        return item instanceof Notice<?> notice && notice.source.isRevoked();
    }

    /** A message that was put back, and how often it has been tried. */
    static final class PutBack extends Envelope {
        final Object item;
        final int tries;

        PutBack(Object item, int tries) {
            this.item = item;
            this.tries = tries;
        }

        @Override
        Object open() {
            return Envelope.open(item);
        }

        @Override
        Object content() {
            return Envelope.content(item);
        }

        /** Its permit was given back when it was taken out. */
        @Override
        boolean isExempt() {
            return true;
        }
    }
}
