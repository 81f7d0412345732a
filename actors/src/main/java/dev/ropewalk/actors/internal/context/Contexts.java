package dev.ropewalk.actors.internal.context;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.spi.ContextCarrier;
import dev.ropewalk.actors.spi.ContextCarrier.Handling;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.SwitchHook;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** The carrier of a system: code of the program that may fail. For any thread. */
public final class Contexts {
    private static final Log LOG = Logs.logger(Contexts.class);

    /** The sender has no context. */
    private static final Object NONE = new Object();

    /** Of a message that goes on in place of its sender; null for the context of the caller. */
    private static final ThreadLocal<@Nullable Object> OF_SENDER = new ThreadLocal<>();

    private final ContextCarrier carrier;
    private final SwitchHook<?> hook;
    private final AtomicBoolean isWarned = new AtomicBoolean();

    public Contexts(ContextCarrier carrier) {
        this.carrier = carrier;
        this.hook = Objects.requireNonNull(carrier.switchHook(), "switchHook");
    }

    /** For cords of the system's own. */
    public SwitchHook<?> hook() {
        return hook;
    }

    /** Refuses a cord on which the fibers would have each other's contexts. */
    public void check(Cord cord, Object what) {
        if (!Waits.hasSwitchHook(cord, hook)) {
            throw new IllegalArgumentException(
                    what
                            + " carries contexts, and "
                            + cord
                            + " does not have the "
                            + hook
                            + "; start the cord with CordOptions.withSwitchHooks and that hook");
        }
    }

    /** Of the caller, or of the sender in whose place it sends; null for none. */
    public @Nullable Object current() {
        Object sender = OF_SENDER.get();
        if (sender != null) {
            return sender == NONE ? null : sender;
        }
        try {
            return carrier.current();
        } catch (RuntimeException | Error broken) {
            warn(broken);
            return null;
        }
    }

    /**
     * Sends a message in place of its sender. The code does that alone, and does not wait.
     *
     * @param context of that sender; null for none
     */
    public <T> T sendAs(@Nullable Object context, Supplier<T> sending) {
        Object outer = OF_SENDER.get(); // a taker of dead letters may send within a sending
        OF_SENDER.set(context == null ? NONE : context);
        try {
            return sending.get();
        } finally {
            if (outer == null) {
                OF_SENDER.remove();
            } else {
                OF_SENDER.set(outer);
            }
        }
    }

    /** Null if the carrier failed. */
    @Nullable Handling begin(
            ActorRef<?> actor, String type, Object message, @Nullable Object context) {
        try {
            return carrier.begin(actor, type, message, context);
        } catch (RuntimeException | Error broken) {
            warn(broken);
            return null;
        }
    }

    void end(Handling handling, @Nullable Throwable failure) {
        try {
            handling.end(failure);
        } catch (RuntimeException | Error broken) {
            warn(broken);
        }
    }

    void abandon(Handling handling) {
        try {
            handling.abandon();
        } catch (RuntimeException | Error broken) {
            warn(broken);
        }
    }

    /** No carrier fills the log. */
    private void warn(Throwable broken) {
        Waits.throwIfSignal(broken);
        if (isWarned.compareAndSet(false, true)) {
            Logs.tellBroken(
                    LOG, broken, "messages are handled without a context: {} failed", carrier);
        }
    }
}
