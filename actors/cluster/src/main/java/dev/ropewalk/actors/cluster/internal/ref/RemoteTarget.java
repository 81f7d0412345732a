package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.KryoException;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.UnreachableException;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.session.Session.Sent;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.actors.spi.LinkPeer;
import dev.ropewalk.actors.spi.Load;
import dev.ropewalk.actors.spi.OpenAsk;
import dev.ropewalk.actors.spi.Room;
import dev.ropewalk.actors.spi.Target;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Where the address of an actor of another node leads to: to the session with that incarnation of
 * the node, if there is one now. Without one a message is a dead letter, an ask fails, and a
 * monitor hears that the node cannot be reached. Immutable; two of one actor are equal.
 */
final class RemoteTarget<M> extends Target<M> {
    private final Home home;
    private final Peer peer;
    private final long number;
    private final String parentPath;

    /** Whether a message needs room in its mailbox, and waits for it. */
    private final Rule rule;

    private final ActorRef<M> ref;

    /** The sender's part in the rule of a full mailbox. */
    enum Rule {
        NONE(0),
        WAIT(1),
        FAIL(2);

        /** On the wire. */
        private final int code;

        Rule(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }

        static Rule of(Target<?> actor) {
            Room room = Calls.roomOf(actor);
            if (room == null) {
                return NONE;
            }
            return room.isWaitedFor() ? WAIT : FAIL;
        }

        static Rule read(byte code) {
            return switch (code) {
                case 0 -> NONE;
                case 1 -> WAIT;
                case 2 -> FAIL;
                default ->
                        throw new KryoException("there is no rule " + code + " for a full mailbox");
            };
        }
    }

    RemoteTarget(Home home, Peer peer, long number, String parentPath, String name, Rule rule) {
        this.home = home;
        this.peer = peer;
        this.number = number;
        this.parentPath = parentPath;
        this.rule = rule;
        this.ref = ActorRef.to(peer.id() + "/" + parentPath, name, number, this);
    }

    Peer peer() {
        return peer;
    }

    long number() {
        return number;
    }

    String parentPath() {
        return parentPath;
    }

    Rule rule() {
        return rule;
    }

    boolean isBounded() {
        return rule != Rule.NONE;
    }

    ActorRef<M> ref() {
        return ref;
    }

    // ---------------------------------------------------------------- messages

    @Override
    public void tell(M message) {
        if (Calls.holds(ref, message)) {
            return;
        }
        Waits.switchpoint(); // there may be no room
        Conversation now = peer.now();
        if (now == null) {
            lost(message);
            return;
        }
        switch (now.tell(this, message)) {
            case YES -> Calls.sentTo(ref, message);
            case FULL -> {
                home.report(message, ref, DeadLetter.Reason.REFUSED, null);
            }
            case OVER -> lost(message);
        }
    }

    private void lost(Object message) {
        home.report(message, ref, DeadLetter.Reason.UNREACHABLE, null);
    }

    @Override
    public TellResult tryTell(M message) {
        if (Calls.holds(ref, message)) {
            return TellResult.ACCEPTED;
        }
        Conversation now = peer.now();
        Sent sent = now == null ? Sent.OVER : now.tryTell(this, message);
        return switch (sent) {
            case YES -> {
                Calls.sentTo(ref, message);
                yield TellResult.ACCEPTED;
            }
            case FULL -> TellResult.FULL;
            case OVER -> TellResult.ENDED;
        };
    }

    @Override
    public void fail(Throwable failure) {
        if (!Calls.holdsFailure(ref, failure)) {
            home.report(failure, ref, DeadLetter.Reason.FAILURE, failure);
        }
    }

    // ---------------------------------------------------------------- asking

    @Override
    public <R> R ask(Function<Recipient<R>, ? extends M> message, Duration limit) {
        Objects.requireNonNull(message, "message");
        long limitNs = Waits.nanos(limit);
        Waits.switchpoint(); // before the message is made: an exception means that none was sent
        AwaitedRemoteAsk<R> ask =
                new AwaitedRemoteAsk<>(home, peer.now(), this, Calls.inherited(limitNs));
        ask.made(Objects.requireNonNull(message.apply(ask), "message"));
        return ask.sendAndAwait();
    }

    @Override
    public <R> CompletionStage<R> askLater(
            Function<Recipient<R>, ? extends M> message, Duration limit) {
        Objects.requireNonNull(message, "message");
        LaterRemoteAsk<R> ask =
                new LaterRemoteAsk<>(home, ref, Calls.inherited(Waits.nanos(limit)));
        ask.made(Objects.requireNonNull(message.apply(ask), "message"));
        Conversation now = peer.now();
        if (now == null) {
            ask.fails(ask.unreachable(peer));
        } else {
            ask.send(now, this);
        }
        return ask.stage();
    }

    @Override
    public void seekCircle(ActorRef<?> asker, OpenAsk last) {
        if (last instanceof AwaitedRemoteAsk<?> leaves) {
            leaves.conversation().circles().seek(asker, leaves);
        }
    }

    // ---------------------------------------------------------------- its end

    @Override
    public void stop() {
        send(FrameType.STOP);
    }

    @Override
    public void terminate() {
        send(FrameType.TERMINATE);
    }

    @Override
    public void kill() {
        send(FrameType.KILL);
    }

    private void send(byte type) {
        Conversation now = peer.now();
        if (now != null) {
            now.sendAtOnce(frame -> frame.begin(type).signed(number));
        }
    }

    @Override
    public boolean awaitEnd(Duration limit) {
        long limitNs = Waits.nanos(limit);
        Waits.switchpoint();
        WaitCell over = new WaitCell();
        DownListener listener = over::give;
        boolean isOver = false;
        watch(listener, false);
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
        Watches watches = peer.watches();
        if (watches == null || !watches.add(this, listener, ofEach)) {
            listener.down(new Down(ref, new ExitReason.Unreachable(peer.id().name())));
        }
    }

    @Override
    public void unwatch(DownListener listener) {
        Watches watches = peer.watches();
        if (watches != null) {
            watches.remove(this, listener);
        }
    }

    @Override
    public LinkPeer link(ActorRef<?> actor, LinkPeer end) {
        Conversation now = peer.now();
        return now == null
                ? RemoteLinks.none(end, new ExitReason.Unreachable(peer.id().name()))
                : now.links().link(this, actor, end);
    }

    private int size() {
        Conversation now = peer.now();
        return now == null ? Sizes.UNREACHABLE : now.sizes().size(number);
    }

    /** Of the session of each moment: a router may last longer than one. */
    @Override
    public Load load() {
        size(); // it is asked for in good time
        return new Load() {
            @Override
            public int size() {
                return RemoteTarget.this.size();
            }

            @Override
            public void told() {
                // The session counts what leaves, also of other senders.
            }
        };
    }

    @Override
    public MailboxSnapshot mailbox() {
        Waits.switchpoint();
        Conversation now = peer.now();
        MailboxSnapshot seen = now == null ? null : now.questions().look(number);
        if (seen == null) {
            throw new UnreachableException(
                    "the mailbox of " + ref + " cannot be seen: no answer of " + peer);
        }
        return seen;
    }

    @Override
    public boolean report(DeadLetter letter) {
        home.system().report(letter);
        return true;
    }

    // ---------------------------------------------------------------- the same actor

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RemoteTarget<?> target
                && number == target.number
                && peer.id().equals(target.peer.id());
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    @Override
    public String toString() {
        return ref.toString();
    }
}
