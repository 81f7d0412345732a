package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.internal.ref.EntityWords.InContext;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.internal.store.LimitedStore;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.actors.spi.Handlers;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The entities of a kind whose keys belong to one cord, as far as they have an actor now. The actor
 * of a key is started by the first message, on this cord, and stopped when no message has come for
 * a while. All words to an entity pass here, on the cord, so to start, to stop and to tell cannot
 * overtake each other, and no lock is needed.
 *
 * <pre>
 *   RUNNING -> ENDING   it is idle for long, was told to end, or has ended by itself: what comes
 *                       from now on is held
 *   RUNNING, ENDING -> GONE     its actor has ended; held messages start the next one
 *   RUNNING, ENDING -> BROKEN   its start failed; what comes is refused for a while
 *   BROKEN  -> GONE     a message came after that while, and starts it again; or none came
 * </pre>
 *
 * Invariants: a key has one resident at most; one that is GONE is not in the map of its shard; one
 * that is BROKEN holds nothing. Each map is in the order of the last messages.
 *
 * <p>A shard has its map, and a state of its own because its entities may be elsewhere: {@link
 * ShardPlace}.
 *
 * <p>An idle actor has no message, owes no reply, and none has come for a while. One that works for
 * long is not idle, and neither is one that waits for its restart.
 *
 * <p>Rejected: a table for all threads in which a sender finds the actor. A message that is told
 * between its look and the actor's stop is lost, or each message takes a lock. And to let the
 * supervisor start again what never began: it would fail at once again, as often as it may.
 */
final class Residents<M> implements EntityHome.Keeper {
    /** Messages of one entity that wait for its next start. */
    static final int MAX_HELD = 10_000;

    private static final long FIRST_PAUSE_NS = Duration.ofMillis(100).toNanos();
    private static final int MAX_DOUBLINGS = 7;

    /** A permanent one that has ended is started again after 1.6 s. */
    private static final int MAX_PAUSE_OF_PERMANENT = 4;

    private static final long LONGEST_PAUSE_NS = FIRST_PAUSE_NS << MAX_DOUBLINGS; // 12.8 s

    /** After a tick that failed. */
    static final long RETRY_NS = Duration.ofSeconds(10).toNanos();

    /** A write that began before has come by then, or never comes. */
    private static final long LATE_WRITE_NS = LimitedStore.LIMIT.plusSeconds(2).toNanos();

    private static final long SHORTEST_SWEEP_NS = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_SWEEP_NS = Duration.ofSeconds(10).toNanos();

    private final EntityHome<M> home;
    private final Cord cord;
    private final EntityHome.Definitions<M> definitions;
    private final long idleNs;

    /** By number; all HERE in a process that owns all. */
    private final List<ShardPlace<Resident>> shards = new ArrayList<>();

    /** Keys whose actor is started as soon as there is none. */
    private final Set<String> permanent = new HashSet<>();

    /** Of durable ones that have something to do later, whether they run or not. */
    private final Ticks ticks = new Ticks();

    /** Null while there is nobody. */
    private @Nullable Alarm sweep;

    /** Null while it is open. */
    private @Nullable Runnable whenGone;

    private boolean isTold;

    /** Read from anywhere. */
    private volatile int size;

    private int count;

    /**
     * A message, a letter or a question that waits for the next start.
     *
     * @param isForeign whether another node has sent it
     */
    private record Held(Object item, boolean isForeign) {}

    private enum State {
        RUNNING,
        ENDING,
        BROKEN,
        GONE
    }

    Residents(EntityHome<M> home, Cord cord, Duration idle, EntityHome.ByCord<M> byCord) {
        this.home = home;
        this.cord = cord;
        this.definitions = byCord.on(cord, this);
        this.idleNs = Waits.nanos(idle);
        for (int i = 0; i < Shards.COUNT; i++) {
            shards.add(new ShardPlace<>(!home.ownership().isShared()));
        }
    }

    int size() {
        return size;
    }

    // ---------------------------------------------------------------- from any thread

    /**
     * A message, or a {@link Question}.
     *
     * @param isForeign whether another node has sent it
     */
    void send(int shard, String key, Object item, boolean isForeign) {
        if (cord.isCurrent()) {
            // Nothing of it may wait for room.
            Waits.asNoFiber(() -> accept(shard, key, item, isForeign));
        } else {
            cord.post(new Sent<>(this, shard, key, item, isForeign));
        }
    }

    /** Over the inbox, also from this cord; the code runs there before it is taken. */
    void post(int shard, String key, Object item, Runnable arrived) {
        cord.post(
                new Sent<>(this, shard, key, item, false) {
                    @Override
                    public void onCord() {
                        arrived.run();
                        super.onCord();
                    }

                    @Override
                    public void onClosed() {
                        arrived.run();
                        super.onClosed();
                    }
                });
    }

    /** Whether a message is taken without a way over another cord. */
    boolean isOnCord() {
        return cord.isCurrent();
    }

    /**
     * Runs the code with the actor of a key, null if it has none.
     *
     * @param whenOver runs instead if the cord is over
     */
    void with(
            int shard,
            String key,
            Consumer<? super @Nullable ActorRef<?>> code,
            Runnable whenOver) {
        onCord(
                () -> {
                    Resident found = shards.get(shard).get(key);
                    code.accept(found == null ? null : found.actor);
                },
                whenOver);
    }

    /**
     * The actor of the key ends; what comes then starts the next one.
     *
     * @param how it is told, behind the messages that it has or at once
     */
    void end(int shard, String key, Consumer<ActorRef<?>> how) {
        onCord(
                () -> {
                    Resident found = shards.get(shard).get(key);
                    if (found != null) {
                        found.end(how);
                    }
                },
                () -> {});
    }

    /**
     * Nothing is started any more, and each actor ends behind the messages that it has.
     *
     * @param gone runs when the last one is gone
     */
    void close(Runnable gone) {
        onCord(
                () -> {
                    whenGone = gone;
                    ticks.close();
                    shards.forEach(each -> endAll(each, ActorRef::stop));
                    tellIfGone();
                },
                gone);
    }

    private void endAll(ShardPlace<Resident> shard, Consumer<ActorRef<?>> how) {
        for (Resident each : shard.all()) {
            if (shard.isAway()) {
                each.returnHeld(); // now, because later ones go elsewhere
            }
            each.end(how);
        }
    }

    // ---------------------------------------------------------------- shards that come and go

    /** It is here from now on. No effect if it is. */
    void take(int number) {
        onCord(
                () -> {
                    ShardPlace<Resident> shard = shards.get(number);
                    if (!shard.isHere() && whenGone == null) {
                        shard.comes();
                        permanent.stream()
                                .filter(each -> Shards.of(each) == number)
                                .toList()
                                .forEach(this::startPermanent);
                    }
                },
                () -> {});
    }

    /**
     * Its entities end, each behind its messages.
     *
     * @param gone runs when none is left
     */
    void giveAway(int number, Runnable gone) {
        onCord(
                () -> {
                    ShardPlace<Resident> shard = shards.get(number);
                    shard.leaves(gone);
                    ticks.disarmAll(number);
                    endAll(shard, ActorRef::stop);
                    shard.endIfGone();
                },
                gone);
    }

    /**
     * Its entities end now.
     *
     * @param gone runs when none is left
     */
    void lose(int number, Consumer<ActorRef<?>> how, Runnable gone) {
        onCord(
                () -> {
                    ShardPlace<Resident> shard = shards.get(number);
                    shard.isLost(gone);
                    lookAgainLater(number);
                    ticks.disarmAll(number);
                    endAll(shard, how);
                    shard.endIfGone();
                },
                gone);
    }

    /**
     * A write that is under way may come behind the look of the next owner, which would know
     * nothing of a message to deliver, or of a reminder, before somebody sends it something.
     */
    private void lookAgainLater(int number) {
        List<String> keys = ticks.writing(number);
        if (!keys.isEmpty()) {
            Alarm.after(LATE_WRITE_NS, () -> keys.forEach(home::wakeNextOwner));
        }
    }

    /** Runs when all that was sent before has come. */
    void fence(int number, Runnable passed) {
        Runnable code =
                () -> {
                    shards.get(number).fenced();
                    passed.run();
                };
        cord.post(new Word(code, code)); // also from the cord itself: others wait in its inbox
    }

    /** The key has an actor whenever its shard is here. */
    void keep(String key) {
        onCord(
                () -> {
                    permanent.add(key);
                    startPermanent(key);
                },
                () -> {});
    }

    private void startPermanent(String key) {
        int shard = Shards.of(key);
        if (whenGone != null || !shards.get(shard).isHere()) {
            return;
        }
        if (!home.ownership().mayWork(shard)) { // the lease may be renewed, and nothing be taken
            Alarm.after(FIRST_PAUSE_NS, () -> startPermanent(key));
            return;
        }
        Resident there = shards.get(shard).get(key);
        if (there == null || there.isPauseOver()) {
            begin(shard, key, there == null ? 0 : there.failures);
        } else if (there.state == State.BROKEN) {
            long leftNs = Math.max(0, there.pauseEndNs - Waits.nanoTime());
            Alarm.after(leftNs, () -> startPermanent(key));
        }
    }

    private void onCord(Runnable code, Runnable whenOver) {
        if (cord.isCurrent()) {
            Waits.asNoFiber(code);
        } else {
            cord.post(new Word(code, whenOver));
        }
    }

    /** A message on its way to the cord. */
    private static class Sent<M> extends CordMessage {
        private final Residents<M> to;
        private final int shard;
        private final String key;
        private final Object item;
        private final boolean isForeign;

        Sent(Residents<M> to, int shard, String key, Object item, boolean isForeign) {
            this.isForeign = isForeign;
            this.to = to;
            this.shard = shard;
            this.key = key;
            this.item = item;
        }

        @Override
        public void onCord() {
            to.accept(shard, key, item, isForeign);
        }

        @Override
        public void onClosed() {
            to.home.refuse(key, item, DeadLetter.Reason.ENDED, null);
        }
    }

    /** Anything else on its way to the cord. */
    private static final class Word extends CordMessage {
        private final Runnable code;
        private final Runnable whenOver;

        Word(Runnable code, Runnable whenOver) {
            this.code = code;
            this.whenOver = whenOver;
        }

        @Override
        public void onCord() {
            code.run();
        }

        @Override
        public void onClosed() {
            whenOver.run();
        }
    }

    // ---------------------------------------------------------------- on the cord

    @Override
    public void stop(String key) {
        end(Shards.of(key), key, ActorRef::stop);
    }

    @Override
    public void noTick(String key) {
        ticks.disarm(key);
    }

    @Override
    public void hasState(String key, boolean hasState) {
        Resident found = home.isRemembered() ? shards.get(Shards.of(key)).get(key) : null;
        if (found != null) {
            found.isKept = hasState;
        }
    }

    @Override
    public void writes(String key, boolean isUnderWay) {
        ticks.writes(key, isUnderWay);
    }

    @Override
    public void tick(String key, long afterNs) {
        int shard = Shards.of(key);
        if (whenGone == null && shards.get(shard).isHere()) {
            ticks.arm(shard, key, afterNs, () -> tick(shard, key));
        }
    }

    /** It comes again, unless its entity says otherwise: that may fail, or not even start. */
    private void tick(int shard, String key) {
        if (whenGone == null && shards.get(shard).isHere()) {
            tick(key, RETRY_NS);
            accept(shard, key, new Letter.Tick(), true);
        }
    }

    /** The entity has something to do: it is started for that. From any thread. */
    void wake(int shard, String key) {
        onCord(() -> tick(shard, key), () -> {});
    }

    private void accept(int shard, String key, Object item, boolean isForeign) {
        if (whenGone != null) {
            home.refuse(key, item, DeadLetter.Reason.ENDED, null);
            return;
        }
        ShardPlace<Resident> of = shards.get(shard);
        boolean isBehind = of.isReturning() && !isForeign;
        Resident resident = of.get(key);
        boolean isFirst = resident == null || resident.isPauseOver();
        if (isBehind || !of.isHere() || !mayEnter(shard, isFirst)) {
            of.returns(!isForeign && !(item instanceof Letter));
            home.returned(shard, key, item, isForeign);
            return;
        }
        if (resident == null || isFirst) {
            resident = begin(shard, key, resident == null ? 0 : resident.failures);
        }
        resident.take(item, isForeign, nowNs());
    }

    /** One that runs reads the clock before it begins the message. */
    private boolean mayEnter(int shard, boolean isFirst) {
        Ownership of = home.ownership();
        return isFirst ? of.mayWork(shard) : of.mayEnter(shard, nowNs());
    }

    /**
     * Of the cord's last look at the clock, a few milliseconds ago unless a fiber keeps the cord:
     * it costs next to nothing.
     */
    private long nowNs() {
        return Waits.tickTime(cord);
    }

    private Resident begin(int shard, String key, int failures) {
        Resident made = new Resident(shard, key, failures);
        put(made);
        if (sweep == null) {
            arm();
        }
        made.begin();
        return made;
    }

    /** One that is BROKEN goes for it. */
    private void put(Resident made) {
        if (shards.get(made.shard).put(made.key, made) == null) {
            count(1);
        }
    }

    private void count(int more) {
        count += more;
        size = count;
    }

    private void arm() {
        long afterNs = Math.clamp(idleNs / 4, SHORTEST_SWEEP_NS, LONGEST_SWEEP_NS);
        sweep = Alarm.after(afterNs, this::sweep);
    }

    /** Those that no message has come to for long. */
    private void sweep() {
        sweep = null;
        long nowNs = nowNs();
        for (ShardPlace<Resident> shard : shards) {
            shard.firstWhile(each -> nowNs - each.usedNs >= idleNs)
                    .forEach(each -> each.isUnused(nowNs));
        }
        if (count > 0 && sweep == null) {
            arm();
        }
    }

    private void remove(Resident gone) {
        if (shards.get(gone.shard).remove(gone.key, gone)) {
            count(-1);
        }
        tellIfGone();
    }

    private void tellIfGone() {
        if (whenGone != null && count == 0 && !isTold) {
            isTold = true;
            whenGone.run();
        }
    }

    void checkInvariants() {
        int sum = 0;
        for (int i = 0; i < Shards.COUNT; i++) {
            checkInvariants(i, shards.get(i));
            sum += shards.get(i).size();
        }
        if (sum != count) {
            throw new AssertionError("there are " + sum + ", not " + count);
        }
    }

    private void checkInvariants(int number, ShardPlace<Resident> shard) {
        shard.checkInvariants();
        long lastNs = Long.MIN_VALUE;
        for (Resident each : shard.all()) {
            if (each.shard != number || shard.get(each.key) != each || each.state == State.GONE) {
                throw new AssertionError(each + " is no resident of shard " + number);
            }
            if (each.state == State.BROKEN && !each.held.isEmpty()) {
                throw new AssertionError(each + " holds " + each.held.size());
            }
            if (each.usedNs < lastNs) {
                throw new AssertionError(each + " was used before the one ahead of it");
            }
            lastNs = each.usedNs;
        }
    }

    /** One key, from the start of its actor to the end. */
    private final class Resident implements DownListener {
        private final int shard;
        private final String key;
        private final Queue<Held> held = new ArrayDeque<>();
        private State state = State.RUNNING;

        /** Null before it is made, and if its start failed. */
        private @Nullable ActorRef<M> actor;

        private long usedNs = nowNs();

        /** Of the owner that has started it. */
        private final long epoch;

        /** It does not stop for idleness. */
        private boolean isKept;

        /** Starts that failed, one after the other. */
        private int failures;

        /** Of one that is BROKEN. */
        private long pauseEndNs;

        private @Nullable Throwable failure;

        Resident(int shard, String key, int failures) {
            this.shard = shard;
            this.key = key;
            this.failures = failures;
            this.epoch = home.ownership().epoch(shard);
        }

        private void state(State from, State to) {
            boolean isAllowed =
                    switch (from) {
                        case RUNNING -> to != State.RUNNING;
                        case ENDING -> to == State.GONE || to == State.BROKEN;
                        case BROKEN -> to == State.GONE;
                        case GONE -> false;
                    };
            if (state != from || !isAllowed) {
                throw new IllegalStateException(this + " cannot go from " + from + " to " + to);
            }
            state = to;
        }

        /** The function of the program may tell something to this key, which is held. */
        void begin() {
            try {
                Actor<M> definition = definitions.of(key);
                Handlers.checkEnds(definition);
                ActorRef<M> made = home.supervisor().spin(cord, EntityNames.name(key), definition);
                actor = made;
                made.target().watch(this::incarnationOver, true);
                made.target().watch(this, false);
                if (home.ownership().isShared() && home.messages() == null) {
                    Handlers.needsPermit(made, this::isOwned); // a durable one asks by itself
                }
            } catch (RuntimeException | Error broken) {
                ActorRef<M> running = actor;
                actor = null;
                try {
                    breaks(broken);
                } finally {
                    if (running != null) {
                        running.terminate(); // it has the name, which the next start needs
                    }
                }
                return;
            }
            while (state == State.RUNNING && !held.isEmpty()) {
                Held next = held.remove();
                give(next.item, next.isForeign);
            }
        }

        void take(Object item, boolean isForeign, long nowNs) {
            used(nowNs);
            switch (state) {
                case RUNNING -> {
                    if (actor == null) {
                        hold(item, isForeign);
                    } else {
                        give(item, isForeign);
                    }
                }
                case ENDING -> hold(item, isForeign);
                case BROKEN, GONE ->
                        home.refuse(key, item, DeadLetter.Reason.FAILED, startFailure());
            }
        }

        private void used(long nowNs) {
            usedNs = nowNs;
            if (state != State.GONE) {
                shards.get(shard).used(key, this);
            }
        }

        private void give(Object item, boolean isForeign) {
            ActorRef<M> to = Objects.requireNonNull(actor);
            if (item instanceof Question<?, ?>) {
                @SuppressWarnings("unchecked") // only questions of this kind are sent here
                Question<M, ?> question = (Question<M, ?>) item;
                question.ask(to, this::isOwned);
                return;
            }
            @SuppressWarnings("unchecked") // as above
            M message = (M) InContext.message(item);
            Object context = item instanceof InContext sent ? sent.ofSystem() : null;
            switch (Calls.inContext(to, context, () -> to.tryTell(message))) {
                case ACCEPTED -> {}
                case FULL -> home.refuse(key, item, DeadLetter.Reason.REFUSED, null);
                case ENDED -> hold(item, isForeign); // the word of its end is about to come
            }
        }

        /** By the owner that has started it: the shard may have come back meanwhile. */
        private boolean isOwned() {
            return home.ownership().mayReply(shard, epoch);
        }

        private void hold(Object item, boolean isForeign) {
            if (held.size() == MAX_HELD) {
                home.refuse(
                        key,
                        item,
                        DeadLetter.Reason.REFUSED,
                        new EntityException(
                                home.nameOf(key)
                                        + " has "
                                        + MAX_HELD
                                        + " messages that wait for the end of its last handler"));
            } else {
                held.add(new Held(item, isForeign));
                if (actor != null && item instanceof Question<?, ?>(EntityAsk<?> ask, _)) {
                    ask.held(actor);
                }
            }
        }

        /** No message came for long. */
        void isUnused(long nowNs) {
            switch (state) {
                case RUNNING -> {
                    if (actor != null && !isKept && Handlers.isIdle(actor)) {
                        end(ActorRef::stop);
                    } else {
                        used(nowNs);
                    }
                }
                case BROKEN -> {
                    if (nowNs - pauseEndNs
                            >= LONGEST_PAUSE_NS) { // before, its pause would begin anew
                        forget();
                    }
                }
                case ENDING, GONE -> {}
            }
        }

        void end(Consumer<ActorRef<?>> how) {
            if (state == State.RUNNING) {
                state(State.RUNNING, State.ENDING);
            }
            if (state == State.ENDING && actor != null) {
                how.accept(actor);
            } else if (state == State.BROKEN && isLeaving()) {
                forget();
            }
        }

        /** To the way of their sender. */
        private void returnHeld() {
            for (Held each = held.poll(); each != null; each = held.poll()) {
                home.returned(shard, key, each.item, each.isForeign);
            }
        }

        /** Nothing of it is started any more. */
        private boolean isLeaving() {
            return whenGone != null || !shards.get(shard).isHere();
        }

        private void forget() {
            state(State.BROKEN, State.GONE);
            remove(this);
            shards.get(shard).endIfGone();
        }

        /**
         * On the cord, before its supervisor decides. A failure in its end may start it again; it
         * has taken its stop then, and needs another one.
         */
        private void incarnationOver(Down down) {
            boolean mayStartAgain =
                    down.reason() instanceof ExitReason.Failed
                            || down.reason() instanceof ExitReason.Killed;
            if (!mayStartAgain && state == State.RUNNING) {
                state(State.RUNNING, State.ENDING);
            } else if (mayStartAgain && state == State.ENDING) {
                Objects.requireNonNull(actor).stop();
            } else if (mayStartAgain && isKept) {
                tick(key, RETRY_NS); // the next one reads its state by a message
            }
        }

        /** On the cord, behind the last message. */
        @Override
        public void down(Down down) {
            if (state == State.BROKEN || state == State.GONE) {
                return; // it ran when its start failed, and was ended for that
            }
            if (down.reason() instanceof ExitReason.Failed(Throwable cause)
                    && !Handlers.wasUp(Objects.requireNonNull(actor))) {
                breaks(cause);
                return;
            }
            state(state, State.GONE);
            remove(this);
            ShardPlace<Resident> place = shards.get(shard);
            if (whenGone != null || !cord.isCurrent()) {
                held.forEach(each -> home.refuse(key, each.item, DeadLetter.Reason.ENDED, null));
            } else if (place.isAway()) {
                returnHeld();
            } else if (!held.isEmpty()) {
                Resident next = Residents.this.begin(shard, key, 0);
                held.forEach(each -> next.take(each.item, each.isForeign, nowNs()));
                if (place.isLeaving()) {
                    next.end(ActorRef::stop);
                }
            } else if (permanent.contains(key)) {
                againLater();
            }
            place.endIfGone();
        }

        /** One that is to run always. */
        private void againLater() {
            Alarm.after(FIRST_PAUSE_NS << MAX_PAUSE_OF_PERMANENT, () -> startPermanent(key));
        }

        private void breaks(Throwable cause) {
            state(state, State.BROKEN);
            failure = cause;
            failures++;
            int doublings = Math.min(failures - 1, MAX_DOUBLINGS);
            pauseEndNs = Waits.nanoTime() + (FIRST_PAUSE_NS << doublings);
            home.tellBroken(key, cause);
            held.forEach(
                    each -> home.refuse(key, each.item, DeadLetter.Reason.FAILED, startFailure()));
            held.clear();
            if (isLeaving()) {
                forget();
            } else if (permanent.contains(key)) {
                Alarm.after(FIRST_PAUSE_NS << doublings, () -> startPermanent(key));
            }
        }

        private EntityException startFailure() {
            long leftMs = Math.max(0, (pauseEndNs - Waits.nanoTime()) / 1_000_000);
            return new EntityException(
                    home.nameOf(key)
                            + " did not start, and is not tried for "
                            + leftMs
                            + " ms: "
                            + (failure == null ? "its supervisor has ended" : failure),
                    failure);
        }

        boolean isPauseOver() {
            return state == State.BROKEN && Waits.nanoTime() - pauseEndNs >= 0;
        }

        @Override
        public String toString() {
            return home.nameOf(key) + ", " + state;
        }
    }
}
