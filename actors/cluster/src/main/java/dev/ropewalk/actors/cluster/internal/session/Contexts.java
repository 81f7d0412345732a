package dev.ropewalk.actors.cluster.internal.session;

import dev.ropewalk.actors.cluster.ContextPropagator;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicBoolean;

/** The contexts beside messages, by code of the program that may fail. For any thread. */
public final class Contexts {
    private static final Log LOG = Logs.logger(Contexts.class);

    private final @Nullable ContextPropagator propagator;
    private final AtomicBoolean isWarned = new AtomicBoolean();

    public Contexts(@Nullable ContextPropagator propagator) {
        this.propagator = propagator;
    }

    /** The sender's; null if there is none. */
    public @Nullable String current() {
        return propagator == null ? null : injected(propagator);
    }

    private @Nullable String injected(ContextPropagator from) {
        try {
            String context = from.inject();
            if (context == null || context.isEmpty()) {
                return null;
            }
            if (context.length() <= ContextPropagator.MAX_LENGTH) {
                return context;
            }
            warn("length=" + context.length() + " > " + ContextPropagator.MAX_LENGTH, null);
        } catch (RuntimeException | Error broken) {
            warn("it failed", broken);
        }
        return null;
    }

    /** Runs the delivery once, in that context if this node has contexts. */
    public void restore(String context, Runnable delivery) {
        if (propagator == null) {
            delivery.run();
            return;
        }
        Once once = new Once(delivery);
        try {
            propagator.restore(context, once);
        } catch (RuntimeException | Error broken) {
            if (broken != once.failure) {
                warn("a context was not restored", broken);
            }
        }
        once.run();
        once.throwFailure();
    }

    private void warn(String why, @Nullable Throwable broken) {
        if (isWarned.compareAndSet(false, true)) {
            LOG.warn("messages go without a context of {}: {}", propagator, why, broken);
        }
    }

    /** It runs once, by whichever code is first, and its failure is not lost. */
    private static final class Once implements Runnable {
        private final Runnable delivery;
        private @Nullable Throwable failure;
        private boolean hasRun;

        Once(Runnable delivery) {
            this.delivery = delivery;
        }

        @Override
        public void run() {
            if (hasRun) {
                return;
            }
            hasRun = true;
            try {
                delivery.run();
            } catch (RuntimeException | Error broken) {
                failure = broken;
                throw broken;
            }
        }

        /** The session has to know of it, also if the program's code has caught it. */
        void throwFailure() {
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure instanceof RuntimeException broken) {
                throw broken;
            }
        }
    }
}
