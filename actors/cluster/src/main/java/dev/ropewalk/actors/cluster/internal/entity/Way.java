package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.internal.ref.Conversation;
import dev.ropewalk.actors.cluster.internal.ref.EntityWords;
import dev.ropewalk.actors.cluster.internal.ref.RoutedAsk;
import dev.ropewalk.actors.cluster.internal.session.Session.Sent;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The way of one node's messages to one shard of a kind, whose owner may change: to the entities of
 * this process, or to the session with the owner. The messages of one sender to one entity come in
 * the order in which they were told, also across a move, because of a fence: the way goes to
 * another place only after the place before has said of all that was sent to it whether it comes
 * back, and those that came back go first. A place that has sent one back sends all back that come
 * behind it, until the fence: it may own the shard by then, and they would overtake.
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
 * try, which one message makes alone.
 *
 * <p>Invariants: nothing waits in LOCAL and REMOTE. Only the node's cord changes HOLDING to
 * anything. Senders that wait for room in a session are counted, and a fence goes behind them. A
 * sender on the cord of the entities passes their inbox by only if nothing of this way is in it. No
 * code of the program runs under the lock.
 *
 * <p>Rejected: a message in the owner's hands that is passed on by it, because the owner leaves; a
 * copy of each message at the sender until the owner has it, because the session keeps one; a move
 * without a fence, because a later message would overtake those that come back.
 */
final class Way<M> implements EntityWords.Gate {
    /** Messages that wait for the owner of a shard. */
    static final int MAX_HELD = 10_000;

    /** Of the node's cord, which alone opens the way. */
    private static final EntityWords.Gate OPEN = (_, sending) -> sending.get();

    private final KindRoute<M> route;
    private final int shard;
    private final WayTiming timing;
    private final long firstPauseNs;
    private final long lastPauseNs;

    // ---- guarded by this object's monitor

    private volatile State state = State.HOLDING;

    /** Of REMOTE, null otherwise; a sender looks at it without the lock, and the gate again. */
    private volatile @Nullable Conversation remote;

    /** Where messages may be that nobody has told of; null if there are none. */
    private @Nullable Place sentTo;

    /** A message came back from there since the last fence. */
    private boolean hasReturned;

    /** And the node's cord has not heard of it. */
    private boolean isUntold;

    private boolean isFencing;

    /** Of the way's messages in the inbox of the entities' cord; without the lock. */
    private final AtomicInteger posted = new AtomicInteger();

    /** Senders that wait for room in the session. */
    private int waiters;

    private final List<Held> returned = new ArrayList<>();
    private final Deque<Held> held = new ArrayDeque<>();

    // ---- confined to the node's cord

    /** Run when the place is left. */
    private final List<Runnable> whenLeft = new ArrayList<>();

    private long pauseNs;

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
        this.timing = route.timing();
        this.firstPauseNs = timing.firstPause().toNanos();
        this.lastPauseNs = timing.lastPause().toNanos();
        this.pauseNs = firstPauseNs;
    }

    String kind() {
        return route.kind();
    }

    int shard() {
        return shard;
    }

    private void state(State from, State to) {
        boolean isAllowed =
                switch (from) {
                    case LOCAL, REMOTE -> to == State.HOLDING || to == State.CLOSED;
                    case HOLDING -> to != State.HOLDING;
                    case CLOSED -> false;
                };
        if (state != from || !isAllowed) {
            throw new IllegalStateException(this + " cannot go from " + from + " to " + to);
        }
        remote = to == State.REMOTE ? ((Place.There) sentTo()).with() : null;
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
        String context = item instanceof Letter ? null : route.context(); // code of the program
        Object sentItem = route.inContext(item, context);
        while (true) {
            Conversation with = remote;
            if (with == null && keep(to, sentItem)) {
                return Sent.YES;
            }
            if (with != null) {
                Sent sent = trySend(with, to, sentItem, this);
                if (sent == Sent.FULL && mayWait) {
                    sent = await(with, to, sentItem);
                }
                if (sent != Sent.OVER) {
                    return sent;
                }
            }
        }
    }

    /** In this process, wherever it goes. False if that has changed meanwhile. */
    private boolean keep(EntityTarget<M> to, Object item) {
        boolean isOnCord = route.isOnCordOf(shard);
        if (isOnCord && state == State.LOCAL && posted.get() == 0) {
            route.sendHere(to, item); // the cord itself says whether the shard is here
            return true;
        }
        synchronized (this) {
            switch (state) {
                case LOCAL -> {
                    post(to, item, isOnCord);
                    return true;
                }
                case REMOTE -> {
                    return false;
                }
                case HOLDING -> {
                    if (hold(to, item)) {
                        return true;
                    }
                }
                case CLOSED -> {}
            }
        }
        refuse(to, item);
        return true;
    }

    /**
     * Lets a message into a session while that is the way. One that is over, or is not the way any
     * more, is left; then the caller looks again.
     */
    @Override
    public synchronized Sent through(Conversation with, Supplier<Sent> sending) {
        if (remote != with) {
            return Sent.OVER;
        }
        Sent sent = sending.get();
        if (sent == Sent.OVER) {
            state(State.REMOTE, State.HOLDING);
        }
        return sent;
    }

    /**
     * To the entities of this process, over the inbox of their cord. A sender on that cord passes
     * it by otherwise, so it must know whether something of this way is there.
     */
    private void post(EntityTarget<?> to, Object item, boolean isCounted) {
        if (isCounted) {
            posted.incrementAndGet();
            route.postHere(to, item, posted::decrementAndGet);
        } else {
            route.postHere(to, item, () -> {});
        }
    }

    private Place sentTo() {
        Place place = sentTo;
        if (place == null) {
            throw new IllegalStateException(this + " has sent nothing");
        }
        return place;
    }

    /** False if there is no room. Under the lock. */
    private boolean hold(EntityTarget<M> to, Object item) {
        if (held.size() >= MAX_HELD) {
            held.removeIf(Held::isOver);
        }
        if (held.size() >= MAX_HELD) {
            return false;
        }
        held.add(new Held(to, item));
        if (held.size() == 1) {
            route.later(this::step);
        }
        return true;
    }

    private void refuse(EntityTarget<?> to, Object item) {
        if (state == State.CLOSED) {
            EntityException why = route.unusable();
            DeadLetter.Reason reason =
                    why == null ? DeadLetter.Reason.ENDED : DeadLetter.Reason.FAILED;
            route.refuse(to.key(), item, reason, why);
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

    /** Runs no code of the program in the gate: the message is encoded before. */
    @SuppressWarnings("unchecked") // a question of this kind
    private Sent trySend(
            Conversation with, EntityTarget<?> to, Object item, EntityWords.Gate gate) {
        return switch (item) {
            case Letter letter ->
                    with.entities().letter(to.name(), letter, letter::write, to.ref(), gate);
            case Question<?, ?> question ->
                    with.entities()
                            .tryAsk(to.name(), routed(with, to, (Question<M, ?>) question), gate);
            default -> with.entities().tryTell(to.name(), item, to.ref(), gate);
        };
    }

    /** Waits for room in the session, if it is the way still. A switchpoint. */
    @SuppressWarnings("unchecked") // a question of this kind
    private Sent await(Conversation with, EntityTarget<?> to, Object item) {
        synchronized (this) {
            if (remote != with) {
                return Sent.OVER;
            }
            waiters++;
        }
        try {
            return item instanceof Question<?, ?> question
                    ? with.entities()
                            .askAndWait(to.name(), routed(with, to, (Question<M, ?>) question))
                    : with.entities().tellAndWait(to.name(), item, to.ref());
        } finally {
            waited();
        }
    }

    private <R> RoutedAsk<R> routed(Conversation with, EntityTarget<?> to, Question<M, R> asked) {
        RoutedAsk<R> made =
                new RoutedAsk<>(with.entities().home(), to.ref(), asked.ask(), asked.message());
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
        boolean isTaken;
        synchronized (this) {
            Place place = sentTo;
            isMine = place != null && place.node().equals(by);
            isTaken = state != State.CLOSED;
            if (isTaken && state != State.HOLDING) {
                state(state, State.HOLDING);
            }
            if (isTaken && isMine) {
                returned.add(new Held(to, item));
                hasReturned = true;
                isUntold = true;
            } else if (isTaken) { // from a place that the way has left: of a lost shard, for one
                isTaken = hold(to, item);
            }
        }
        if (isMine) {
            route.later(() -> bounced(by));
        } else {
            route.later(this::step);
        }
        if (!isTaken) {
            refuse(to, item);
        }
    }

    private void bounced(String by) {
        boolean isFirst;
        synchronized (this) {
            isFirst = isUntold;
            isUntold = false;
        }
        if (isFirst) {
            backOff(by);
        }
        step();
    }

    /** That place is left alone for a while. */
    private void backOff(String by) {
        long nowNs = Waits.nanoTime();
        if (bouncedBy == null || retryNs - nowNs <= 0) {
            boolean isLongAgo = bouncedBy == null || nowNs - retryNs > 2 * lastPauseNs;
            pauseNs = isLongAgo ? firstPauseNs : Math.min(2 * pauseNs, lastPauseNs);
            retryNs = nowNs + pauseNs;
        }
        bouncedBy = by;
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
            String by = sentTo == null ? null : sentTo.node();
            if (isUntold && by != null) {
                isUntold = false;
                backOff(by);
            } else if (!hasReturned && by != null && by.equals(bouncedBy)) {
                bouncedBy = null; // it takes messages again
            }
            sentTo = null;
            hasReturned = false;
            if (timing.goesFirst()) {
                returned.reversed().forEach(held::addFirst);
            } else {
                held.addAll(returned);
            }
            returned.clear();
        }
        List<Runnable> told = List.copyOf(whenLeft);
        whenLeft.clear();
        told.forEach(Runnable::run);
        step();
    }

    /** Runs the code when nothing of the way goes into the session any more, which is retired. */
    void leave(Conversation with, Runnable left) {
        boolean isThere;
        synchronized (this) {
            isThere = sentTo instanceof Place.There(Conversation now) && now == with;
        }
        if (isThere) {
            whenLeft.add(left);
            look();
        } else {
            left.run();
        }
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
                fenced = before;
            }
        }
        if (fenced != null) {
            fence(fenced);
        } else if (now == null) {
            retryAfter(lastPauseNs);
        } else if (now.node().equals(bouncedBy) && retryNs - nowNs > 0) {
            retryAfter(retryNs - nowNs);
        } else {
            retryAfter(flush(now));
        }
    }

    /** Nothing is sent before the answer. */
    private void fence(Place place) {
        synchronized (this) {
            isFencing = true;
        }
        if (!timing.isFenced()) { // planted
            fenced();
            return;
        }
        switch (place) {
            case Place.Here _ -> route.fenceHere(shard, () -> route.later(this::fenced));
            case Place.There(Conversation with) -> route.fence(with, this);
        }
    }

    /**
     * How long until the next try; 0 if nothing is left, or a fence is on its way. Only the node's
     * cord takes from those that are held, so the first one is sent without the lock; it goes back
     * if it was not sent. Of a place that has sent some back one message shows whether it takes
     * them again, because thousands may wait.
     */
    private long flush(Place now) {
        boolean isTrial = now.node().equals(bouncedBy);
        while (true) {
            Held next;
            synchronized (this) {
                next = held.poll();
                if (next == null && hasReturned) {
                    return firstPauseNs; // from this cord, while it was sent
                }
                sentTo = now;
                if (next == null) {
                    state(State.HOLDING, now instanceof Place.Here ? State.LOCAL : State.REMOTE);
                    return 0;
                }
            }
            boolean isOpen = !next.isOver();
            Sent sent = isOpen ? send(now, next) : Sent.YES;
            if (sent != Sent.YES) {
                synchronized (this) {
                    held.addFirst(next);
                }
                return sent == Sent.FULL ? timing.roomPause().toNanos() : firstPauseNs;
            }
            if (isTrial && isOpen) {
                fence(now);
                return 0;
            }
        }
    }

    /** A message that no session takes fails as one that its sender hears of. */
    private Sent send(Place now, Held next) {
        if (now instanceof Place.There(Conversation with)) {
            try {
                return trySend(with, next.to(), next.item(), OPEN);
            } catch (RuntimeException | Error unsendable) {
                Waits.throwIfSignal(unsendable);
                route.refuse(next.to().key(), next.item(), DeadLetter.Reason.FAILED, unsendable);
                return Sent.YES;
            }
        }
        post(next.to(), next.item(), true);
        return Sent.YES;
    }

    /** No effect with 0. */
    private void retryAfter(long afterNs) {
        if (afterNs == 0) {
            return;
        }
        if (retry != null) {
            retry.cancel();
        }
        boolean isWanted;
        synchronized (this) {
            held.removeIf(Held::isOver);
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
        whenLeft.forEach(Runnable::run);
        whenLeft.clear();
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
        boolean isWrong = !held.isEmpty() || !returned.isEmpty() || isFencing || sentTo == null;
        if (isOpen && isWrong) {
            throw new AssertionError(this + " holds " + waiting());
        }
    }

    @Override
    public String toString() {
        return "way to shard " + shard + " of " + route.kind() + ", " + state;
    }
}
