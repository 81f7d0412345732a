package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Exit;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.spi.LinkPeer;
import dev.ropewalk.actors.spi.Target;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * One of the two ends of a link between incarnations; confined to the cord of its own actor. The
 * other end is only a name here: messages to the other cord carry it, and that of an actor of
 * another process is the affair of its target.
 *
 * <pre>
 *   UP   -> OVER   unlinked, or one of the two incarnations is over
 *   OVER -> DOWN   it was the other one, and the exit is in the mailbox, trapped
 *   DOWN -> OVER   the actor is done with the exit, has unlinked, or is over
 * </pre>
 */
final class LinkEnd implements Envelope.Notice.Source, LinkPeer {
    enum State {
        UP,
        DOWN,
        OVER
    }

    final ActorCell<?> own;
    private final ActorRef<?> peer;

    /** Null until the link has begun. */
    private @Nullable LinkPeer other;

    private State state = State.UP;

    /** Where it stands by its peer while it is down; otherwise null. */
    private @Nullable Map<Target<?>, LinkEnd> trapped;

    /** This actor's end of a new link. */
    LinkEnd(ActorCell<?> own, ActorRef<?> peer) {
        this.own = own;
        this.peer = peer;
    }

    /** The end at an actor that another one, of this process or not, has linked to. */
    static LinkEnd from(ActorCell<?> own, ActorRef<?> peer, LinkPeer other) {
        LinkEnd here = new LinkEnd(own, peer);
        here.other = other;
        here.arrive();
        return here;
    }

    /**
     * The other side hears of it.
     *
     * @throws UnsupportedOperationException if the peer is no actor
     */
    void begin() {
        if (peer.target() instanceof ActorCell<?> cell) {
            other = from(cell, own.ref(), this);
        } else {
            other = peer.target().link(own.ref(), this);
        }
    }

    LinkPeer other() {
        LinkPeer end = other;
        if (end == null) {
            throw new IllegalStateException("half a link: " + this);
        }
        return end;
    }

    ActorRef<?> peerRef() {
        return peer;
    }

    Target<?> peer() {
        return peer.target();
    }

    // ---------------------------------------------------------------- from any thread

    /** Another actor has linked to this one. */
    private void arrive() {
        own.onCord(
                () -> {
                    if (own.isOver()) {
                        other().ended(new ExitReason.NoActor());
                    } else if (own.incarnation != null) {
                        own.incarnation.belongings().links().add(this);
                    } else {
                        own.extras().addWaiting(this);
                    }
                });
    }

    @Override
    public void unlinked() {
        own.onCord(
                () -> {
                    Belongings<?> has = own.belongings();
                    Links links = has == null ? null : has.linksOrNull();
                    if (links != null) {
                        links.unlinked(this);
                    }
                    stopWaiting();
                });
    }

    @Override
    public void ended(ExitReason reason) {
        own.onCord(
                () -> {
                    if (own.incarnation != null) {
                        own.incarnation.exited(this, reason);
                    }
                    stopWaiting();
                });
    }

    private void stopWaiting() {
        if (own.extras != null) {
            own.extras.removeWaiting(this);
        }
    }

    // ---------------------------------------------------------------- on the actor's cord

    Exit exit(ExitReason reason) {
        return new Exit(peer, reason);
    }

    State state() {
        return state;
    }

    void state(State from, State to) {
        if (state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = to;
    }

    @Override
    public boolean isBarrier() {
        return true;
    }

    @Override
    public boolean isRevoked() {
        return state == State.OVER;
    }

    /** Its exit is in the mailbox from now on. */
    void trappedIn(Map<Target<?>, LinkEnd> down) {
        state(State.OVER, State.DOWN);
        LinkEnd older = down.put(peer(), this);
        if (older != null) {
            older.trapped = null;
        }
        trapped = down;
    }

    @Override
    public void done() {
        if (state == State.DOWN) {
            state(State.DOWN, State.OVER);
        }
        if (trapped != null) {
            trapped.remove(peer());
            trapped = null;
        }
    }

    @Override
    public String toString() {
        return "link of " + own.ref() + " to " + peer + " " + state;
    }
}
