package dev.ropewalk.actors.internal.behavior;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.StateEntry;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;

/**
 * The steps that follow when a message of a state machine has returned, in this order (as in
 * Erlang's gen_statem):
 *
 * <ol>
 *   <li>the entry runs, if the name of the state is another one than before, or a repeat was
 *       returned;
 *   <li>the behavior is committed: up to here a failure leaves the actor in the state before, and
 *       is the failure of the message;
 *   <li>if the name is another one, the state timeout ends, and what was postponed, this message
 *       included, goes to the head of the mailbox;
 *   <li>what was inserted goes before that;
 *   <li>the timeouts are set that the message and the entry asked for;
 *   <li>the message is over, and what was to wait for that runs: replies.
 * </ol>
 *
 * <p>Rejected: to grant each request at once. A message that fails behind it would leave a timeout,
 * or a message of its own, to an actor that has never been in the state that they are for.
 */
public final class StateChange {
    private StateChange() {}

    /** The actor, or what stands for it in a test. On its fiber. */
    public interface Host<M> {
        /** For errors. */
        Object named();

        /** The requests of the message in hand; null if it has asked for nothing yet. */
        @Nullable Requests<M> requestsOrNull();

        Requests<M> requests();

        void becomes(Behavior<M> next);

        /** The message in hand is reported. */
        void unhandled();

        /**
         * The message in hand is to be postponed, and the state goes on.
         *
         * @throws IllegalStateException if there is no room, and the rule is to fail
         */
        void checkPostponed();

        /**
         * The message in hand goes behind those that are postponed; so often it was until now.
         *
         * @param isLasting whether the state goes on, so that it needs room
         */
        void postponed(int times, boolean isLasting);

        /** Another state: what was postponed goes to the head of the mailbox. */
        void changed();

        /** To the head of the mailbox. */
        void insert(List<M> messages);

        /** Takes the place of the one that is set. */
        void stateTimeout(Requests.Timeout<M> timeout);

        void idleTimeout(Requests.Timeout<M> timeout);

        /** The message in hand is over: what fails from now on is no failure of it. */
        void completed();
    }

    /**
     * A message has returned.
     *
     * @param now the behavior that handled it
     * @param next what it returned
     */
    public static <M> void apply(Host<M> host, Behavior<M> now, Behavior<M> next) throws Exception {
        Behavior<M> to = now;
        if (next instanceof Repeat<M> repeat) {
            to = enter(host, now, repeat.resolve(host.named(), now));
        } else if (next != BehaviorSigns.<M>same() && next != BehaviorSigns.<M>unhandled()) {
            to = isChange(now, next) ? enter(host, now, next) : next;
        }
        Requests<M> asked = host.requestsOrNull();
        if (asked != null) {
            asked.check(host.named(), now, next, to);
        }
        boolean isChange = isChange(now, to);
        boolean isPostponed = asked != null && asked.isPostponed();
        if (isPostponed && !isChange) {
            host.checkPostponed();
        }
        host.becomes(to);
        if (next == BehaviorSigns.<M>unhandled()) {
            host.unhandled();
        }
        if (isPostponed) {
            host.postponed(Objects.requireNonNull(asked).postponedBefore() + 1, !isChange);
        }
        if (isChange) {
            host.changed();
        }
        grant(host, asked);
    }

    /** Fails as {@link #apply} would, if a message asks for something and changes nothing. */
    public static <M> void check(Host<M> host, Behavior<M> now) {
        Requests<M> asked = host.requestsOrNull();
        if (asked != null) {
            asked.check(host.named(), now, BehaviorSigns.same(), now);
            if (asked.isPostponed()) {
                host.checkPostponed();
            }
        }
    }

    /** The factory has returned: the first state, of this life. */
    public static <M> void begin(Host<M> host, Behavior<M> first) throws Exception {
        Behavior<M> to = enter(host, null, first);
        Requests<M> asked = host.requestsOrNull();
        if (asked != null) {
            asked.check(host.named(), first, first, to);
        }
        host.becomes(to);
        host.changed(); // the life before may have postponed something
        grant(host, asked);
    }

    /** Whether it is another state; an end is none. */
    private static boolean isChange(Behavior<?> from, Behavior<?> to) {
        return to != BehaviorSigns.stopped()
                && !Objects.equals(StateBehavior.nameOf(from), StateBehavior.nameOf(to));
    }

    /** The behavior that is to be committed. */
    private static <M> Behavior<M> enter(Host<M> host, @Nullable Behavior<M> from, Behavior<M> to)
            throws Exception {
        StateEntry<M> entry = to instanceof StateBehavior<M> state ? state.entry() : null;
        if (entry == null) {
            return to;
        }
        Requests<M> asked = host.requests();
        asked.entering(true);
        try {
            return checked(host, to, entry.onEnter(StateBehavior.nameOf(from)));
        } finally {
            asked.entering(false);
        }
    }

    private static <M> Behavior<M> checked(
            Host<M> host, Behavior<M> state, @Nullable Behavior<M> entered) {
        if (entered == BehaviorSigns.<M>same()) {
            return state;
        }
        String name = StateBehavior.nameOf(entered);
        if (entered != null
                && (entered == BehaviorSigns.<M>stopped()
                        || Objects.equals(name, StateBehavior.nameOf(state)))) {
            return entered;
        }
        throw new IllegalStateException(
                host.named()
                        + ": the entry of "
                        + state
                        + " returned "
                        + (name != null || entered == null ? entered : "Behavior " + entered)
                        + "; it returns Behavior.same(), stopped(), or the same state with other"
                        + " data. To go on to another state, insert a message that leads there");
    }

    private static <M> void grant(Host<M> host, @Nullable Requests<M> asked) {
        if (asked == null || !asked.isAny()) {
            return;
        }
        host.insert(asked.inserted());
        Requests.Timeout<M> ofState = asked.stateTimeout();
        if (ofState != null) {
            host.stateTimeout(ofState);
        }
        Requests.Timeout<M> ofIdleness = asked.idleTimeout();
        if (ofIdleness != null) {
            host.idleTimeout(ofIdleness);
        }
        List<Runnable> afterwards = asked.afterwards();
        asked.clear();
        host.completed();
        runAll(afterwards);
    }

    /** The message has completed: what fails here keeps no other back. */
    private static void runAll(List<Runnable> actions) {
        Throwable first = null;
        for (Runnable each : actions) {
            try {
                each.run();
            } catch (RuntimeException | Error failure) {
                if (first == null) {
                    first = failure;
                } else if (first != failure) { // what ends a fiber is raised again and again
                    first.addSuppressed(failure);
                }
            }
        }
        if (first instanceof RuntimeException failure) {
            throw failure;
        }
        if (first instanceof Error failure) {
            throw failure;
        }
    }
}
