package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.actors.spi.Target;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** An actor that is monitored step by step: the test says when it ends. */
final class WatchedTarget<M> extends Target<M> {
    private final ActorRef<M> actor;
    private final boolean ofEach;

    /** Null while nothing watches; on the cord of the steps. */
    private @Nullable DownListener listener;

    WatchedTarget(ActorRef<M> actor, boolean ofEach) {
        this.actor = actor;
        this.ofEach = ofEach;
    }

    ActorRef<M> actor() {
        return actor;
    }

    boolean isOfEach() {
        return ofEach;
    }

    /** The address to be watched. */
    ActorRef<M> ref() {
        String path = actor.path();
        String parent = path.substring(0, Math.max(0, path.lastIndexOf('/')));
        return ActorRef.to(parent, actor.name(), actor.number(), this);
    }

    @Nullable DownListener listener() {
        return listener;
    }

    /** It has ended for the last time. */
    void over() {
        listener = null;
    }

    @Override
    public void watch(DownListener told, boolean each) {
        listener = told;
    }

    @Override
    public void unwatch(DownListener told) {
        listener = null;
    }

    // ---------------------------------------------------------------- the actor's own

    @Override
    public void tell(M message) {
        actor.tell(message);
    }

    @Override
    public TellResult tryTell(M message) {
        return actor.tryTell(message);
    }

    @Override
    public void fail(Throwable failure) {
        actor.fail(failure);
    }

    @Override
    public <R> R ask(Function<Recipient<R>, ? extends M> message, Duration limit) {
        return actor.ask(message, limit);
    }

    @Override
    public <R> CompletionStage<R> askLater(
            Function<Recipient<R>, ? extends M> message, Duration limit) {
        return actor.askLater(message, limit);
    }

    @Override
    public void stop() {
        actor.stop();
    }

    @Override
    public void terminate() {
        actor.terminate();
    }

    @Override
    public void kill() {
        actor.kill();
    }

    @Override
    public boolean awaitEnd(Duration limit) {
        return actor.awaitEnd(limit);
    }

    @Override
    public MailboxSnapshot mailbox() {
        return actor.mailbox();
    }

    @Override
    public String toString() {
        return actor.toString();
    }
}
