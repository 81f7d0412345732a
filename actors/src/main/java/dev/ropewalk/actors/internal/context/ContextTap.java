package dev.ropewalk.actors.internal.context;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.actors.spi.ContextCarrier.Handling;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * The context of the message that one actor has in hand. Each actor of a system that carries
 * contexts has one, before all other taps. Confined to the actor's cord.
 */
public final class ContextTap implements Tap {
    private final Contexts contexts;
    private final ActorRef<?> actor;

    /** Tells the class under which it counts now. */
    private final Supplier<String> type;

    /** Of the message that the actor comes to. */
    private @Nullable Object context;

    /** The actor has come to a message, and has not begun it. */
    private boolean isComing;

    /** Of the message in hand; null if there is none. */
    private @Nullable Handling handling;

    public ContextTap(Contexts contexts, ActorRef<?> actor, Supplier<String> type) {
        this.contexts = contexts;
        this.actor = actor;
        this.type = type;
    }

    @Override
    public void comes(@Nullable Object ofSender) {
        if (handling == null) {
            context = ofSender;
            isComing = true;
        }
    }

    @Override
    public boolean in(Object message) {
        begin(message);
        return true;
    }

    private void begin(Object message) {
        Object ofSender = context;
        context = null;
        isComing = false;
        handling = contexts.begin(actor, type.get(), message, ofSender);
    }

    @Override
    public void failed(Object message, Throwable failure) {
        if (isComing) {
            begin(message); // the function of an adapter has failed
        }
    }

    @Override
    public void over(@Nullable Throwable failure) {
        Handling now = take();
        if (now != null) {
            contexts.end(now, failure);
        }
    }

    @Override
    public void abandoned() {
        Handling now = take();
        if (now != null) {
            contexts.abandon(now);
        }
    }

    /** An idle actor keeps no context. */
    private @Nullable Handling take() {
        Handling now = handling;
        handling = null;
        context = null;
        isComing = false;
        return now;
    }

    @Override
    public boolean hearsSends() {
        return false;
    }

    @Override
    public void out(Object message, String to) {}
}
