package dev.ropewalk.actors.cluster.internal.entity;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Whether the entities of a shard, as far as their keys belong to one cord, run here, and those
 * that do, by key. Confined to that cord.
 *
 * <pre>
 *   AWAY   -> HERE     this node owns it from now on
 *   HERE   -> LEAVING  it is given away: each actor ends behind the messages that it has, and those
 *                      that are held then are handled too; what comes goes back to its sender's way
 *   HERE, LEAVING -> AWAY      none is left, or the node may not work for it any more: then all
 *                      end at once, and what was held goes back
 *   LEAVING -> HERE    it was not given away after all
 * </pre>
 *
 * <p>Rejected: one map for all shards of a cord. All shards of a node that leaves end one by one,
 * and each would look through the entities of all.
 */
final class ShardPlace<R> {
    private State state;

    /** In the order of their last messages; null until there is one. */
    private @Nullable LinkedHashMap<String, R> byKey;

    /** The last of them, if it is known, so that it need not be put there for each message. */
    private @Nullable R newest;

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
        if (isHere() || size() > 0) {
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

    // ---------------------------------------------------------------- those that have an actor

    int size() {
        return byKey == null ? 0 : byKey.size();
    }

    @Nullable R get(String key) {
        return byKey == null ? null : byKey.get(key);
    }

    /** The one before goes for it; null if there was none. */
    @Nullable R put(String key, R made) {
        if (byKey == null) {
            byKey = new LinkedHashMap<>();
        }
        R before = byKey.putLast(key, made);
        newest = made;
        return before;
    }

    /** False if it was not there. */
    boolean remove(String key, R gone) {
        boolean isGone = byKey != null && byKey.remove(key, gone);
        if (isGone) {
            newest = null;
        }
        return isGone;
    }

    /** A message has come for it. */
    void used(String key, R resident) {
        if (newest != resident) {
            Objects.requireNonNull(byKey).putLast(key, resident);
            newest = resident;
        }
    }

    /** A copy, because one that ends may go at once. The longest unused first. */
    List<R> all() {
        return byKey == null ? List.of() : List.copyOf(byKey.values());
    }

    /** The same, up to one that is not so. */
    List<R> firstWhile(Predicate<R> isSo) {
        return byKey == null ? List.of() : byKey.values().stream().takeWhile(isSo).toList();
    }

    void checkInvariants() {
        if (newest != null && Objects.requireNonNull(byKey).lastEntry().getValue() != newest) {
            throw new AssertionError(newest + " is not the newest");
        }
    }
}
