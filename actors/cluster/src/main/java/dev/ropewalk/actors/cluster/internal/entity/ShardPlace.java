package dev.ropewalk.actors.cluster.internal.entity;

import java.util.ArrayList;
import java.util.List;

/**
 * Whether the entities of a shard, as far as their keys belong to one cord, run here, and how many
 * do. Confined to that cord.
 *
 * <pre>
 *   AWAY   -> HERE     this node owns it from now on
 *   HERE   -> LEAVING  it is given away: each actor ends behind the messages that it has, and those
 *                      that are held then are handled too; what comes goes back to its sender's way
 *   HERE, LEAVING -> AWAY      none is left, or the node may not work for it any more: then all
 *                      end at once, and what was held goes back
 *   LEAVING -> HERE    it was not given away after all
 * </pre>
 */
final class ShardPlace {
    private State state;
    private int size;

    /** One has gone back, and so do all behind it until the fence of this process. */
    private boolean isReturning;

    /** Wait until nobody is left. */
    private List<Runnable> whenGone = List.of();

    private enum State {
        HERE,
        LEAVING,
        AWAY
    }

    ShardPlace(boolean isHere) {
        this.state = isHere ? State.HERE : State.AWAY;
    }

    private void state(State from, State to) {
        if (state != from || from == to || (from == State.AWAY && to == State.LEAVING)) {
            throw new IllegalStateException("a shard is " + state + ": " + from + " -> " + to);
        }
        state = to;
    }

    boolean isHere() {
        return state == State.HERE;
    }

    boolean isLeaving() {
        return state == State.LEAVING;
    }

    boolean isAway() {
        return state == State.AWAY;
    }

    /** It was not here. */
    void comes() {
        state(state, State.HERE);
    }

    /** The code runs when none is left; see {@link #endIfGone}. */
    void leaves(Runnable gone) {
        if (state == State.HERE) {
            state(State.HERE, State.LEAVING);
        }
        ending(gone);
    }

    /** The same, of one that this node may not work for. */
    void isLost(Runnable gone) {
        if (state != State.AWAY) {
            state(state, State.AWAY);
        }
        ending(gone);
    }

    private void ending(Runnable gone) {
        List<Runnable> all = new ArrayList<>(whenGone);
        all.add(gone);
        whenGone = all;
    }

    void endIfGone() {
        if (isHere() || size > 0) {
            return;
        }
        if (state == State.LEAVING) {
            state(State.LEAVING, State.AWAY);
        }
        List<Runnable> all = whenGone;
        whenGone = List.of();
        all.forEach(Runnable::run);
    }

    // ---------------------------------------------------------------- messages that go back

    boolean isReturning() {
        return isReturning;
    }

    void returns(boolean isOfThisProcess) {
        isReturning |= isOfThisProcess;
    }

    void fenced() {
        isReturning = false;
    }

    // ---------------------------------------------------------------- how many

    int size() {
        return size;
    }

    /** One more has an actor. */
    void begins() {
        size++;
    }

    void ends() {
        size--;
    }
}
