package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.internal.ref.Conversation;
import dev.ropewalk.actors.cluster.internal.ref.RoutedAsk;
import dev.ropewalk.actors.cluster.internal.session.Session.Sent;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The way of one node's messages to one shard of a kind, whose owner may change: to the entities of
 * this process, or to the session with the owner. The messages of one sender to one entity come in
 * the order in which they were told, also across a move, because of a fence: the way goes to
 * another place only after the place before has said of all that was sent to it whether it comes
 * back, and those that came back go first.
 *
 * <pre>
 *   HOLDING -> LOCAL, REMOTE   the owner is known and reached, nothing is fenced in, and all that
 *                              waited has been sent
 *   LOCAL, REMOTE -> HOLDING   the owner is another one, or a message came back, or the session is
 *                              over
 *   any     -> CLOSED          the node has left
 * </pre>
 *
 * <p>In HOLDING, the place at which messages may still be is fenced off first; a session that is
 * over needs no fence, because its messages are its own affair. Then what came back and what was
 * told meanwhile goes on. A message that comes back from a place that is the owner still, because
 * it is about to give the shard away or has not heard that it has it, waits a while before the next
 * try.
 *
 * <p>Invariants: nothing waits in LOCAL and REMOTE. Only the node's cord changes HOLDING to
 * anything. Senders that wait for room in a session are counted, and a fence goes behind them.
 *
 * <p>Rejected: a message in the owner's hands that is passed on by it, because the owner leaves; a
 * copy of each message at the sender until the owner has it, because the session keeps one; a move
 * without a fence, because a later message would overtake those that come back.
 */
final class Way<M> {
    /** Messages that wait for the owner of a shard. */
    static final int MAX_HELD = 10_000;

    private static final long FIRST_PAUSE_NS = Duration.ofMillis(10).toNanos();
    private static final long LAST_PAUSE_NS = Duration.ofMillis(500).toNanos();

    /** A session that is full is tried again after so long. */
    private static final long ROOM_PAUSE_NS = Duration.ofMillis(2).toNanos();

    private final KindRoute<M> route;
    private final int shard;

    // ---- guarded by this object's monitor

    private volatile State state = State.HOLDING;

    /** Where messages may be that nobody has told of; null if there are none. */
    private @Nullable Place sentTo;

    /** A message came back from there since the last fence. */
    private boolean hasReturned;

    private boolean isFencing;

    /** Senders that wait for room in the session. */
    private int waiters;

    private final List<Held> returned = new ArrayList<>();
    private final Deque<Held> held = new ArrayDeque<>();

    // ---- confined to the node's cord

    private long pauseNs = FIRST_PAUSE_NS;

    /** When that place is tried again; means nothing before a message has come back. */
    private long retryNs;

    private @Nullable String bouncedBy;
    private @Nullable Alarm retry;

    private enum State {
        LOCAL,
        REMOTE,
        HOLDING,
        CLOSED
    }

    /** Where the owner of a shard takes messages. */
    sealed interface Place {
        /** The name of the node. */
        String node();

        /** In this process. */
        record Here(String node) implements Place {}

        /** On another node. */
        record There(Conversation with) implements Place {
            @Override
            public String node() {
                return with.peer().id().name();
            }
        }
    }

    private record Held(EntityTarget<?> to, Object item) {
        boolean isOver() {
            return item instanceof Question<?, ?>(EntityAsk<?> ask, _) && !ask.isOpen();
        }
    }

    Way(KindRoute<M> route, int shard) {
        this.route = route;
        this.shard = shard;
    }

    private void state(State from, State to) {
        boolean isAllowed = from != to && from != State.CLOSED;
        if (state != from || !isAllowed) {
            throw new IllegalStateException(this + " cannot go from " + from + " to " + to);
        }
        state = to;
    }

    // ---------------------------------------------------------------- sending, from any thread

    /**
     * Sends a message, a letter or a question.
     *
     * @param mayWait for room in a session
     * @return FULL if there is none
     */
    Sent send(EntityTarget<M> to, Object item, boolean mayWait) {
        while (true) {
            if (state == State.LOCAL && route.isOnCordOf(shard)) {
                route.sendHere(to, item); // the cord itself says whether the shard is here
                return Sent.YES;
            }
            Conversation with;
            synchronized (this) {
                Sent sent = sendOrHold(to, item);
                if (sent == Sent.YES || (sent == Sent.FULL && !mayWait)) {
                    return sent;
                }
                if (sent == Sent.OVER) {
                    break;
                }
                with = ((Place.There) sentTo()).with();
                waiters++;
            }
            Sent sent = Sent.OVER;
            try {
                sent = await(with, to, item);
            } finally {
                waited();
            }
            if (sent != Sent.OVER) {
                return sent;
            }
        }
        refuse(to, item);
        return Sent.YES;
    }

    private Place sentTo() {
        Place place = sentTo;
        if (place == null) {
            throw new IllegalStateException(this + " has sent nothing");
        }
        return place;
    }

    /** OVER if nobody takes it. Under the lock; runs no code of the program. */
    private Sent sendOrHold(EntityTarget<M> to, Object item) {
        switch (state) {
            case LOCAL -> {
                route.sendHere(to, item); // not its cord: it is posted there
                return Sent.YES;
            }
            case REMOTE -> {
                Sent sent = trySend(((Place.There) sentTo()).with(), to, item);
                if (sent != Sent.OVER) {
                    return sent;
                }
                state(State.REMOTE, State.HOLDING);
                return hold(to, item);
            }
            case HOLDING -> {
                return hold(to, item);
            }
            case CLOSED -> {
                return Sent.OVER;
            }
        }
        throw new IllegalStateException(this + " has no state");
    }

    private Sent hold(EntityTarget<M> to, Object item) {
        if (held.size() >= MAX_HELD) {
            return Sent.OVER;
        }
        held.add(new Held(to, item));
        if (held.size() == 1) {
            route.later(this::step);
        }
        return Sent.YES;
    }

    private void refuse(EntityTarget<?> to, Object item) {
        if (state == State.CLOSED) {
            route.refuse(to.key(), item, DeadLetter.Reason.ENDED, null);
        } else {
            route.refuse(
                    to.key(),
                    item,
                    DeadLetter.Reason.MOVING,
                    new EntityException(
                            MAX_HELD
                                    + " messages wait for the owner of shard "
                                    + shard
                                    + ", which holds "
                                    + route.nameOf(to.key())));
        }
    }

    @SuppressWarnings("unchecked") // a question of this kind
    private Sent trySend(Conversation with, EntityTarget<?> to, Object item) {
        return switch (item) {
            case Letter letter -> with.letter(to.name(), letter, letter::write, to.ref());
            case Question<?, ?> question ->
                    with.tryAskEntity(to.name(), routed(with, to, (Question<M, ?>) question));
            default -> with.tryTellEntity(to.name(), item, to.ref());
        };
    }

    /** A switchpoint. */
    @SuppressWarnings("unchecked") // a question of this kind
    private Sent await(Conversation with, EntityTarget<?> to, Object item) {
        return item instanceof Question<?, ?> question
                ? with.askEntity(to.name(), routed(with, to, (Question<M, ?>) question))
                : with.tellEntity(to.name(), item, to.ref());
    }

    private <R> RoutedAsk<R> routed(Conversation with, EntityTarget<?> to, Question<M, R> asked) {
        RoutedAsk<R> made = new RoutedAsk<>(with.home(), to.ref(), asked.ask(), asked.message());
        asked.ask().routed(made);
        return made;
    }

    private void waited() {
        boolean isLast;
        synchronized (this) {
            waiters--;
            isLast = waiters == 0 && state == State.HOLDING;
        }
        if (isLast) {
            route.later(this::step);
        }
    }

    // ---------------------------------------------------------------- what comes back

    /** From any thread: the process does not have the shard; or of a session, on the cord. */
    void returned(String by, EntityTarget<M> to, Object item) {
        boolean isMine;
        synchronized (this) {
            Place place = sentTo;
            isMine = state != State.CLOSED && place != null && place.node().equals(by);
            if (isMine) {
                returned.add(new Held(to, item));
                hasReturned = true;
                if (state != State.HOLDING) {
                    state(state, State.HOLDING);
                }
            }
        }
        if (isMine) {
            route.later(() -> bounced(by));
        } else {
            send(to, item, false); // from a place that the way has left: of a lost shard, for one
        }
    }

    private void bounced(String by) {
        long nowNs = Waits.nanoTime();
        if (bouncedBy == null || retryNs - nowNs <= 0) {
            boolean isLongAgo = bouncedBy == null || nowNs - retryNs > 2 * LAST_PAUSE_NS;
            pauseNs = isLongAgo ? FIRST_PAUSE_NS : Math.min(2 * pauseNs, LAST_PAUSE_NS);
            retryNs = nowNs + pauseNs;
        }
        bouncedBy = by;
        step();
    }

    // ---------------------------------------------------------------- on the node's cord

    /** The owner may be another one, or be reached now. */
    void look() {
        Place now = route.place(shard);
        synchronized (this) {
            boolean isOpen = state == State.LOCAL || state == State.REMOTE;
            if (isOpen && !sentTo().equals(now)) {
                state(state, State.HOLDING);
            }
        }
        step();
    }

    /** All that was sent to the place of the last fence has come back, if it does at all. */
    void fenced() {
        synchronized (this) {
            isFencing = false;
            sentTo = null;
            hasReturned = false;
            for (Held each : returned.reversed()) {
                held.addFirst(each);
            }
            returned.clear();
        }
        step();
    }

    /** The session is over. */
    void over(Conversation ended) {
        boolean isAffected;
        synchronized (this) {
            isAffected =
                    state != State.CLOSED
                            && !isFencing // whose end comes too
                            && sentTo instanceof Place.There(Conversation with)
                            && with == ended;
            if (isAffected && state == State.REMOTE) {
                state(State.REMOTE, State.HOLDING);
            }
        }
        if (isAffected) {
            fenced();
        }
    }

    /** Goes on as far as it can. */
    private void step() {
        Place now = route.place(shard);
        long nowNs = Waits.nanoTime();
        Place fenced = null;
        synchronized (this) {
            if (state != State.HOLDING || isFencing || waiters > 0) {
                return;
            }
            Place before = sentTo;
            if (before != null && (hasReturned || !before.equals(now))) {
                isFencing = true;
                fenced = before;
            }
        }
        if (fenced != null) {
            fence(fenced);
        } else if (now == null) {
            retryAfter(LAST_PAUSE_NS);
        } else if (now.node().equals(bouncedBy) && retryNs - nowNs > 0) {
            retryAfter(retryNs - nowNs);
        } else {
            List<Runnable> failures = new ArrayList<>();
            long againNs = flush(now, failures);
            if (againNs > 0) {
                retryAfter(againNs);
            }
            failures.forEach(Runnable::run);
        }
    }

    private void fence(Place place) {
        switch (place) {
            case Place.Here _ -> route.fenceHere(shard, () -> route.later(this::fenced));
            case Place.There(Conversation with) -> route.fence(with, this);
        }
    }

    /**
     * How long until the next try; 0 if nothing is left.
     *
     * @param failures of messages that cannot be sent, to be told without the lock
     */
    private synchronized long flush(Place now, List<Runnable> failures) {
        for (Held next = held.peek(); next != null; next = held.peek()) {
            if (!next.isOver()) {
                sentTo = now;
                Sent sent = trySend(now, next, failures);
                if (sent == Sent.FULL) {
                    return ROOM_PAUSE_NS;
                }
                if (sent == Sent.OVER) {
                    return FIRST_PAUSE_NS; // its end is about to be told
                }
            }
            held.remove();
        }
        if (hasReturned) {
            return FIRST_PAUSE_NS; // from this cord, while it was sent
        }
        sentTo = now;
        state(State.HOLDING, now instanceof Place.Here ? State.LOCAL : State.REMOTE);
        return 0;
    }

    /** A message that no session takes fails as one that its sender hears of. */
    private Sent trySend(Place now, Held next, List<Runnable> failures) {
        try {
            return switch (now) {
                case Place.Here _ -> {
                    route.sendHere(next.to(), next.item());
                    yield Sent.YES;
                }
                case Place.There(Conversation with) -> trySend(with, next.to(), next.item());
            };
        } catch (RuntimeException unsendable) {
            failures.add(
                    () ->
                            route.refuse(
                                    next.to().key(),
                                    next.item(),
                                    DeadLetter.Reason.FAILED,
                                    unsendable));
            return Sent.YES;
        }
    }

    private void retryAfter(long afterNs) {
        if (retry != null) {
            retry.cancel();
        }
        boolean isWanted;
        synchronized (this) {
            isWanted = !held.isEmpty() || hasReturned;
        }
        if (isWanted) {
            retry = Alarm.after(afterNs, this::step);
        }
    }

    /** The node has left. */
    void close() {
        List<Held> left;
        synchronized (this) {
            if (state == State.CLOSED) {
                return;
            }
            state(state, State.CLOSED);
            left = new ArrayList<>(returned);
            left.addAll(held);
            returned.clear();
            held.clear();
        }
        if (retry != null) {
            retry.cancel();
        }
        left.forEach(each -> refuse(each.to(), each.item()));
    }

    /** How many messages wait. */
    synchronized int waiting() {
        return held.size() + returned.size();
    }

    synchronized void checkInvariants() {
        boolean isOpen = state == State.LOCAL || state == State.REMOTE;
        if (isOpen && (!held.isEmpty() || !returned.isEmpty() || isFencing)) {
            throw new AssertionError(this + " holds " + waiting());
        }
    }

    @Override
    public String toString() {
        return "way to shard " + shard + " of " + route.kind() + ", " + state;
    }
}
