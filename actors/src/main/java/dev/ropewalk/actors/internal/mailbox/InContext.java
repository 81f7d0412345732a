package dev.ropewalk.actors.internal.mailbox;

import org.jspecify.annotations.Nullable;

import java.util.function.Function;

/**
 * Any message, with the context of its sender. Only where a system carries contexts, and the sender
 * has one: a message without one has no envelope for that.
 */
public final class InContext extends Envelope {
    private final Object message;
    private final boolean isOfTaker;
    private final Object context;

    public InContext(Object message, boolean isOfTaker, Object context) {
        this.message = message;
        this.isOfTaker = isOfTaker;
        this.context = context;
    }

    @Override
    protected boolean isOfTaker() {
        return isOfTaker;
    }

    @Override
    public Object context() {
        return context;
    }

    @Override
    public Object open() {
        return message;
    }

    @Override
    public Object content() {
        return message;
    }

    /** An adapted one, with the context of whoever sent it. */
    public static final class Adapted<R extends @Nullable Object> extends Envelope.Adapted<R> {
        private final Object context;

        public Adapted(
                Function<? super R, ?> function,
                R value,
                boolean isPiped,
                boolean isOfTaker,
                Object context) {
            super(function, value, isPiped, isOfTaker);
            this.context = context;
        }

        @Override
        public Object context() {
            return context;
        }
    }

    /** That of a timer, with the context in which it was set. */
    public static final class Notice<R> extends Envelope.Notice<R> {
        private final Object context;

        public Notice(Function<? super R, ?> function, R value, Source source, Object context) {
            super(function, value, source);
            this.context = context;
        }

        @Override
        public Object context() {
            return context;
        }
    }
}
