package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Exit;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.internal.mailbox.Envelope;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * One of the two ends of a link between incarnations; confined to the cord of its own actor. The
 * other end is only a name here: messages to the other cord carry it.
 *
 * <pre>
 *   UP   -> OVER   unlinked, or one of the two incarnations is over
 *   OVER -> DOWN   it was the other one, and the exit is in the mailbox, trapped
 *   DOWN -> OVER   the actor is done with the exit, has unlinked, or is over
 * </pre>
 */
final class LinkEnd implements Envelope.Notice.Source {
    enum State {
        UP,
        DOWN,
        OVER
    }

    final ActorCell<?> own;
    private @Nullable LinkEnd other;
    private State state = State.UP;

    /** Where it stands by its peer while it is down; otherwise null. */
    private @Nullable Map<ActorCell<?>, LinkEnd> trapped;

    private LinkEnd(ActorCell<?> own) {
        this.own = own;
    }

    /** {@return this actor's end of a new link} */
    static LinkEnd between(ActorCell<?> own, ActorCell<?> peer) {
        LinkEnd here = new LinkEnd(own);
        LinkEnd there = new LinkEnd(peer);
        here.other = there;
        there.other = here;
        return here;
    }

    LinkEnd other() {
        LinkEnd end = other;
        if (end == null) {
            throw new IllegalStateException("half a link: " + this);
        }
        return end;
    }

    ActorCell<?> peer() {
        return other().own;
    }

    // ---------------------------------------------------------------- from any thread

    /** Another actor has linked to this one. */
    void arrive() {
        own.onCord(
                () -> {
                    if (own.isOver()) {
                        other().end(new ExitReason.NoActor());
                    } else if (own.incarnation != null) {
                        own.incarnation.belongings().links().add(this);
                    } else {
                        own.extras().addWaiting(this);
                    }
                });
    }

    /** The other actor has unlinked. */
    void remove() {
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

    /** The other actor's incarnation is over. */
    void end(ExitReason reason) {
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
        return new Exit(peer().ref(), reason);
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
    void trappedIn(Map<ActorCell<?>, LinkEnd> down) {
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
        return "link of " + own.ref() + " to " + peer().ref() + " " + state;
    }
}
