package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.internal.ref.EntityName;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.actors.spi.LinkPeer;
import dev.ropewalk.actors.spi.Target;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Where the address of an entity leads to: to the actor that its key has, which the first message
 * starts. Immutable; two of one key are equal.
 */
final class EntityTarget<M> extends Target<M> {
    private final Route<M> route;
    private final String key;
    private final int shard;
    private final ActorRef<M> ref;

    /** Null until it is asked for. */
    private @Nullable EntityName name;

    EntityTarget(Route<M> route, String key) {
        this.route = route;
        this.key = key;
        this.shard = Shards.of(key);
        this.ref = ActorRef.to(route.path(), EntityNames.name(key), 0, this);
    }

    Route<M> route() {
        return route;
    }

    /** Always the same, because it keeps its form on the wire. */
    EntityName name() {
        EntityName made = name;
        if (made == null) {
            made = new EntityName(route.kind(), key, shard);
            name = made;
        }
        return made;
    }

    /** Whether it leads to an entity of the node's cluster. */
    boolean isOf(NodeEntities node) {
        return route instanceof KindRoute<?> shared
                ? shared.isOf(node)
                : route instanceof EntityHome<?> home && home.ownership() == node;
    }

    /** Whether the home is that of its kind. */
    boolean isIn(@Nullable EntityHome<?> home) {
        return home != null && (route == home || route == home.route());
    }

    String kind() {
        return route.kind();
    }

    String key() {
        return key;
    }

    int shard() {
        return shard;
    }

    ActorRef<M> ref() {
        return ref;
    }

    /** The watcher knows the entity; two for one watcher are equal, so that one takes it out. */
    private record Watch(DownListener of, ActorRef<?> entity) implements DownListener {
        @Override
        public void down(Down down) {
            of.down(new Down(entity, down.reason()));
        }
    }

    // ---------------------------------------------------------------- messages

    @Override
    public void tell(M message) {
        if (Calls.holds(ref, message)) {
            return;
        }
        route.tell(this, message);
        Calls.sentTo(ref, message);
    }

    /** Accepted: whether its mailbox has room is known on its cord alone. */
    @Override
    public TellResult tryTell(M message) {
        if (Calls.holds(ref, message)) {
            return TellResult.ACCEPTED;
        }
        TellResult result = route.tryTell(this, message);
        if (result == TellResult.ACCEPTED) {
            Calls.sentTo(ref, message);
        }
        return result;
    }

    @Override
    public void fail(Throwable failure) {
        if (!Calls.holdsFailure(ref, failure)) {
            report(new DeadLetter(failure, ref.toString(), DeadLetter.Reason.FAILURE, failure));
        }
    }

    @Override
    public <R> R ask(Function<Recipient<R>, ? extends M> message, Duration limit) {
        Objects.requireNonNull(message, "message");
        long limitNs = Waits.nanos(limit);
        Waits.switchpoint(); // before the message is made: an exception means that none was sent
        EntityAsk<R> ask = new EntityAsk<>(ref, Calls.inherited(limitNs));
        M made = made(ask, message);
        return ask.await(() -> send(ask, made, true));
    }

    @Override
    public <R> CompletionStage<R> askLater(
            Function<Recipient<R>, ? extends M> message, Duration limit) {
        Objects.requireNonNull(message, "message");
        EntityAsk<R> ask = new EntityAsk<>(ref, Calls.inherited(Waits.nanos(limit)));
        M made = made(ask, message);
        return ask.later(() -> send(ask, made, false));
    }

    private static <M, R> M made(EntityAsk<R> ask, Function<Recipient<R>, ? extends M> message) {
        M made = Objects.requireNonNull(message.apply(ask), "message");
        ask.made(made);
        return made;
    }

    private <R> void send(EntityAsk<R> ask, M message, boolean mayWait) {
        route.ask(this, new Question<>(ask, message), mayWait);
        Calls.sentTo(ref, message);
    }

    // ---------------------------------------------------------------- the actor that runs now

    @Override
    public void stop() {
        route.end(this, ActorRef::stop);
    }

    @Override
    public void terminate() {
        route.end(this, ActorRef::terminate);
    }

    @Override
    public void kill() {
        withActor(ActorRef::kill);
    }

    private void withActor(Consumer<ActorRef<?>> code) {
        route.with(
                this,
                actor -> {
                    if (actor != null) {
                        code.accept(actor);
                    }
                },
                () -> {});
    }

    @Override
    public boolean awaitEnd(Duration limit) {
        long limitNs = Waits.nanos(limit);
        if (Calls.isBelow(ref.path())) {
            throw new IllegalStateException(ref + " would wait for its own end");
        }
        Waits.switchpoint();
        WaitCell over = new WaitCell();
        DownListener listener = over::give;
        watch(listener, false);
        boolean isOver = false;
        try {
            isOver = over.await("the end of " + ref, limitNs) != Waits.TIMED_OUT;
        } finally {
            if (!isOver) {
                unwatch(listener);
            }
        }
        return isOver;
    }

    @Override
    public void watch(DownListener listener, boolean ofEach) {
        route.with(
                this,
                actor -> {
                    if (actor == null) {
                        none(listener);
                    } else {
                        actor.target().watch(new Watch(listener, ref), ofEach);
                    }
                },
                () -> none(listener));
    }

    private void none(DownListener listener) {
        listener.down(new Down(ref, new ExitReason.NoActor()));
    }

    @Override
    public void unwatch(DownListener listener) {
        withActor(actor -> actor.target().unwatch(new Watch(listener, ref)));
    }

    @Override
    public LinkPeer link(ActorRef<?> actor, LinkPeer end) {
        throw new UnsupportedOperationException(
                "a link of "
                        + actor
                        + " to "
                        + ref
                        + ": an entity ends when it is idle; monitor it, or tell it to end");
    }

    @Override
    public MailboxSnapshot mailbox() {
        Waits.switchpoint();
        WaitCell found = new WaitCell();
        route.with(this, actor -> found.give(actor == null ? this : actor), () -> found.give(this));
        return found.await("the actor of " + ref) instanceof ActorRef<?> actor
                ? actor.mailbox()
                : new MailboxSnapshot(0, Integer.MAX_VALUE, List.of());
    }

    @Override
    public boolean report(DeadLetter letter) {
        route.system().report(letter);
        return true;
    }

    // ---------------------------------------------------------------- the same entity

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof EntityTarget<?> target
                && route == target.route
                && key.equals(target.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    @Override
    public String toString() {
        return ref.toString();
    }
}
