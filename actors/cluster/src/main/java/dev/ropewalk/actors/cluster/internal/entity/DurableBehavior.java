package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.internal.entity.Ledger.Outgoing;
import dev.ropewalk.actors.cluster.internal.entity.Ledger.Reminder;
import dev.ropewalk.actors.cluster.internal.entity.Letter.Peer;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.spi.Handlers;
import dev.ropewalk.actors.spi.HasState;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A server whose state is in the store before anybody hears of it (rule A8): a message runs the
 * server's function, then the next state and the messages that it delivers are written, then the
 * message is complete, and the reply and all that the function told leave. A failure of any of
 * these is the failure of the message, and ends the incarnation; the next one reads again.
 *
 * <p>A delivered message is told to its receiver after the write, again and again until the
 * receiver confirms it, one at a time for each receiver. The receiver confirms after it has written
 * that the message counts, and confirms one that it has had without handling it. The confirmation
 * is written with the next state, or after a second, and then the receiver may forget the sender.
 * Words of one owner of the sender come in order. Those of an earlier owner come another way, and
 * may be late, so the receiver keeps which owner has let it forget, and takes nothing of those
 * before.
 *
 * <p>Later work (a reminder, to tell again, to write what was confirmed) is done at a tick, which
 * comes also if the actor has ended meanwhile. One that fails comes again.
 *
 * <p>The state is read at the first message, so that what the store has against it is the failure
 * of an ask, and not of a start that nobody sees.
 */
final class DurableBehavior<M, S> implements Behavior<M>, HasState {
    private static final Log LOG = Logs.logger(DurableBehavior.class);

    /** How often a lease that is not held is looked at. */
    private static final Duration UNOWNED = Duration.ofMillis(50);

    private static final long FLUSH_NS = Duration.ofSeconds(1).toNanos();
    private static final long FORGET_NS = Duration.ofSeconds(5).toNanos();
    private static final long FIRST_RESEND_NS = Duration.ofSeconds(1).toNanos();
    private static final long LAST_RESEND_NS = Duration.ofMinutes(1).toNanos();

    /** The time of the day is looked at so often, because it may be set. */
    private static final long LONGEST_TICK_NS = Duration.ofHours(1).toNanos();

    private static final long NEVER = Long.MAX_VALUE;

    /** A reminder that has not come by then may have failed. */
    private static final long LATE_MS = 5_000;

    /** Of reminders; the year 292,278,994. */
    private static final Instant LAST = Instant.ofEpochMilli(Long.MAX_VALUE);

    private final Parts<S> parts;
    private final ActorContext<M> self;
    private final Server<M, S> server;

    /** Null until the value was read. */
    private @Nullable Behavior<M> now;

    /** Of the owner under which it was read. */
    private long epoch;

    /** Whether the store has a state, and not only the server's first one. */
    private boolean hasState;

    private Ledger ledger = new Ledger();

    /** The changes of the message in hand; null while none is. */
    private @Nullable List<Runnable> pending;

    /** The fiber that handles it. */
    private @Nullable Fiber<?> handling;

    /** How many of them are deliveries. */
    private int pendingDeliveries;

    /** The names of the reminders as they will be; null while none is changed. */
    private @Nullable Set<String> pendingNames;

    /** Those that are on their way, by receiver. */
    private final Map<Peer, Told> onTheirWay = new HashMap<>();

    /** Receivers that have confirmed, and the numbers, as far as that is not written. */
    private final Map<Peer, Long> confirmed = new HashMap<>();

    /** On the clock of the cord, or NEVER. */
    private long flushNs = NEVER;

    /** One that was told, and has not come yet. */
    private boolean isReminderOnItsWay;

    /**
     * A message that was told.
     *
     * @param dueNs when it is told again
     * @param afterNs how long after the time before
     */
    private record Told(long dueNs, long afterNs) {}

    /**
     * The things around it.
     *
     * @param own its address
     * @param file its value
     * @param mail to others
     * @param keeper of its actor
     * @param clock the time of the day
     */
    record Parts<S>(
            Peer own,
            StateFile<S> file,
            Mail mail,
            EntityHome.Keeper keeper,
            InstantSource clock) {}

    DurableBehavior(Parts<S> parts, ActorContext<M> self, Server<M, S> server) {
        this.parts = parts;
        this.self = self;
        this.server = server;
    }

    @Override
    public Object state() {
        return now instanceof HasState known ? known.state() : "not read yet";
    }

    @Override
    public Behavior<M> onMessage(M message) throws Exception {
        Behavior<M> current = now == null ? readWhenOwned() : now;
        while (!parts.file.isOwned()) { // also if that has taken long
            Fiber.sleep(UNOWNED);
        }
        Behavior<M> next =
                (Object) message instanceof Letter letter
                        ? take(letter, current)
                        : settle(handled(current, message), false);
        tellReceivers();
        setTick();
        return next;
    }

    /**
     * While its lease is not held, a node does nothing; it is ended if that does not come again.
     */
    private Behavior<M> readWhenOwned() {
        while (!parts.file.mayWork()) {
            Fiber.sleep(UNOWNED);
        }
        return read();
    }

    private Behavior<M> read() {
        StateFile.Content<S> content = parts.file.read();
        epoch = parts.file.epoch(); // of this incarnation: it does not outlast its owner
        S stored = content.state();
        hasState(stored != null);
        ledger = content.ledger();
        Behavior<M> first = (stored == null ? server : server.withState(stored)).behavior(self);
        now = first;
        return first;
    }

    private Behavior<M> handled(Behavior<M> current, M message) throws Exception {
        pending = new ArrayList<>();
        pendingDeliveries = 0;
        pendingNames = null;
        handling = Fiber.current();
        boolean isDone = false;
        try {
            Behavior<M> next =
                    parts.file.ownership().isHolding()
                            ? Handlers.holding(self, () -> current.onMessage(message))
                            : current.onMessage(message);
            Handlers.checkRequests(self); // before the write, because it may be a failure of it
            isDone = true;
            return next;
        } finally {
            handling = null;
            if (!isDone) {
                pending = null;
            }
        }
    }

    // ---------------------------------------------------------------- by a function

    private List<Runnable> pending(String what) {
        List<Runnable> all = pending;
        if (all == null || handling != Fiber.currentOrNull()) {
            throw new IllegalStateException(
                    what
                            + " of "
                            + parts.own
                            + " was called outside of a message, or by another fiber; call it where"
                            + " a function runs");
        }
        return all;
    }

    long fence() {
        return parts.file.epoch();
    }

    void deliver(ActorRef<?> to, Object message) {
        List<Runnable> all = pending("deliver");
        if (ledger.waiting() + pendingDeliveries >= Ledger.MAX_OUTGOING) {
            throw new IllegalStateException(
                    parts.own
                            + " has "
                            + Ledger.MAX_OUTGOING
                            + " messages that nobody has confirmed; let it wait for its receivers");
        }
        Peer receiver = parts.mail.peer(to);
        byte[] bytes = parts.mail.write(receiver, message);
        pendingDeliveries++;
        all.add(() -> ledger.add(receiver, bytes));
    }

    void remindAt(String name, Instant when, Object message) {
        List<Runnable> all = pending("remindAt");
        byte[] bytes = parts.mail.write(parts.own, message);
        long atMs = millis(when);
        Set<String> names = pendingNames();
        if (names.add(name) && names.size() > Ledger.MAX_REMINDERS) {
            throw new IllegalStateException(
                    parts.own + " has " + Ledger.MAX_REMINDERS + " reminders; forget some");
        }
        all.add(() -> ledger.remind(name, new Reminder(atMs, bytes)));
    }

    private Set<String> pendingNames() {
        Set<String> names = pendingNames;
        if (names == null) {
            names = ledger.reminders();
            pendingNames = names;
        }
        return names;
    }

    /** Of an instant that may be far away. */
    private static long millis(Instant when) {
        Instant bounded =
                when.isAfter(LAST) ? LAST : when.isBefore(Instant.EPOCH) ? Instant.EPOCH : when;
        return bounded.toEpochMilli();
    }

    void forgetReminder(String name) {
        pending("forgetReminder").add(() -> ledger.removeReminder(name));
        pendingNames().remove(name);
    }

    // ---------------------------------------------------------------- after a function

    /** Writes what the message has changed, and goes on. */
    private Behavior<M> settle(Behavior<M> next, boolean mustWrite) throws Exception {
        boolean isSame = next == Behavior.<M>same() || next == Behavior.<M>unhandled();
        boolean isLast = next == Behavior.<M>stopped();
        List<Runnable> all = Objects.requireNonNull(pending);
        pending = null;
        if (!isSame || mustWrite || !all.isEmpty()) {
            all.forEach(Runnable::run);
            if (isLast) {
                ledger.forgetReminders(); // they belong to the state
            }
            if (isSame) {
                write(hasState ? stateOf(Objects.requireNonNull(now)) : null);
            } else {
                write(isLast ? null : stateOf(next));
            }
        }
        if (isLast) {
            now = null;
            parts.keeper.stop(parts.own.key()); // by itself it would lose what is queued
        } else if (!isSame) {
            now = next;
        }
        return next == Behavior.<M>unhandled() ? next : Behavior.same();
    }

    @SuppressWarnings("unchecked") // a server returns itself in another state
    private S stateOf(Behavior<M> next) {
        return (S) ((HasState) next).state();
    }

    private void write(@Nullable S state) throws Exception {
        if (ledger.isWaiting()) {
            parts.keeper.tick(parts.own.key(), Residents.RETRY_NS); // if nobody knows the outcome
        }
        parts.keeper.writes(parts.own.key(), true);
        try {
            parts.file.write(state, ledger);
        } finally {
            parts.keeper.writes(parts.own.key(), false);
        }
        flushNs = NEVER;
        hasState(state != null);
        List<Peer> done =
                confirmed.keySet().stream().filter(each -> ledger.first(each) == null).toList();
        for (Peer each : done) {
            tell(
                    each,
                    new Letter.Forget(
                            parts.own, Objects.requireNonNull(confirmed.get(each)), epoch));
        }
        confirmed.clear();
    }

    private void hasState(boolean isThere) {
        hasState = isThere;
        parts.keeper.hasState(parts.own.key(), isThere);
    }

    // ---------------------------------------------------------------- deliveries

    private Behavior<M> take(Letter letter, Behavior<M> current) throws Exception {
        switch (letter) {
            case Letter.Delivery delivery -> {
                return take(delivery, current);
            }
            case Letter.Confirmed(Peer by, long number) -> confirmed(by, number);
            case Letter.Forget(Peer from, long number, long of) -> {
                if (!ledger.isOvertaken(from, of) && ledger.forget(from, number, of)) {
                    flushWithin(FORGET_NS); // otherwise the next incarnation knows it again
                }
            }
            case Letter.Look() -> tick(readAgain());
            case Letter.Tick() -> tick(current);
            case Letter.Due() -> {
                return remind(current);
            }
        }
        return Behavior.same();
    }

    /** All that is not written comes again: confirmations, and words to forget. */
    private Behavior<M> readAgain() {
        onTheirWay.clear();
        confirmed.clear();
        flushNs = NEVER;
        return read();
    }

    private void tick(Behavior<M> current) throws Exception {
        if (flushNs != NEVER && Waits.nanoTime() - flushNs >= 0) {
            write(hasState ? stateOf(current) : null);
        }
        isReminderOnItsWay = isReminderDue();
        if (isReminderOnItsWay) {
            tellItself(new Letter.Due());
        }
    }

    @SuppressWarnings("unchecked") // it takes letters
    private void tellItself(Letter letter) {
        TellResult result = ((Recipient<Object>) (Recipient<?>) self.self()).tryTell(letter);
        LOG.debug("{} is told {}: {}", parts.own, letter, result); // without room, at the next tick
    }

    private boolean isReminderDue() {
        String name = ledger.nextReminder();
        return name != null && ledger.dueMs(name) <= parts.clock.millis();
    }

    @SuppressWarnings("unchecked") // a function of this entity has set it
    private Behavior<M> remind(Behavior<M> current) throws Exception {
        isReminderOnItsWay = false;
        if (!isReminderDue()) {
            return Behavior.same();
        }
        Reminder due = Objects.requireNonNull(ledger.removeReminder(chosen()));
        M message = (M) parts.mail.read(parts.own, due.message());
        return settle(handled(current, message), true);
    }

    /** The first one; any of them if that is late, because it may have failed. */
    private String chosen() {
        String first = Objects.requireNonNull(ledger.nextReminder());
        long nowMs = parts.clock.millis();
        if (nowMs - ledger.dueMs(first) < LATE_MS) {
            return first;
        }
        List<String> due = ledger.remindersUntil(nowMs);
        return due.get(Cord.current().nextInt(due.size()));
    }

    /** The next thing that is to be done. */
    private void setTick() {
        String name = ledger.nextReminder();
        if (name == null && flushNs == NEVER && onTheirWay.isEmpty()) {
            parts.keeper.noTick(parts.own.key());
            return;
        }
        long nowNs = Waits.nanoTime();
        long afterNs = LONGEST_TICK_NS;
        if (flushNs != NEVER) {
            afterNs = Math.min(afterNs, flushNs - nowNs);
        }
        for (Told each : onTheirWay.values()) {
            afterNs = Math.min(afterNs, each.dueNs - nowNs);
        }
        if (isReminderOnItsWay) {
            afterNs = Math.min(afterNs, Residents.RETRY_NS); // it may fail
        } else if (name != null) {
            long leftMs = Math.max(0, ledger.dueMs(name) - parts.clock.millis());
            afterNs = Math.min(afterNs, TimeUnit.MILLISECONDS.toNanos(leftMs));
        }
        parts.keeper.tick(parts.own.key(), Math.max(0, afterNs));
    }

    @SuppressWarnings("unchecked") // the sender had an address that takes it
    private Behavior<M> take(Letter.Delivery delivery, Behavior<M> current) throws Exception {
        Behavior<M> next = Behavior.same();
        if (ledger.isOvertaken(delivery.from(), delivery.epoch())) {
            return next; // the present owner tells it again, if it is one that counts
        }
        boolean isNew = ledger.isNew(delivery.from(), delivery.number());
        if (isNew || parts.file.ownership().countsAgain()) {
            Object message = readOrNull(parts.own, delivery.message());
            if (message == null) {
                return Behavior.same(); // it comes again
            }
            Behavior<M> answer = handled(current, (M) message);
            ledger.received(delivery.from(), delivery.number());
            next = settle(answer, true);
        }
        tell(delivery.from(), new Letter.Confirmed(parts.own, delivery.number()));
        return next;
    }

    private void confirmed(Peer by, long number) throws Exception {
        if (!ledger.confirmed(by, number)) {
            return;
        }
        onTheirWay.remove(by);
        confirmed.put(by, number);
        flushWithin(FLUSH_NS);
    }

    private void flushWithin(long limitNs) {
        long byNs = Waits.nanoTime() + limitNs;
        if (flushNs == NEVER || byNs - flushNs < 0) {
            flushNs = byNs;
        }
    }

    /**
     * The oldest message of each receiver that none is on its way to, or for too long. The message
     * in hand has been written, so nothing here may fail it.
     */
    private void tellReceivers() throws Exception {
        if (ledger.waiting() == 0) {
            return; // nearly always
        }
        long nowNs = Waits.nanoTime();
        for (Peer to : ledger.receivers()) {
            Outgoing first = Objects.requireNonNull(ledger.first(to));
            Told before = onTheirWay.get(to);
            if (before == null || nowNs - before.dueNs >= 0) {
                long afterNs =
                        before == null
                                ? FIRST_RESEND_NS
                                : Math.min(2 * before.afterNs, LAST_RESEND_NS);
                onTheirWay.put(to, new Told(nowNs + afterNs, afterNs));
                if (parts.mail.ref(to) == null) {
                    LOG.warn(
                            "{} has a message to {}, which waits: the kind is not open",
                            parts.own,
                            to);
                } else {
                    tell(to, new Letter.Delivery(parts.own, first, epoch));
                }
            }
        }
    }

    /** Null if it cannot be read; it comes again, perhaps to a program that can. */
    private @Nullable Object readOrNull(Peer own, Outgoing message) {
        try {
            return parts.mail.read(own, message.message());
        } catch (RuntimeException failure) {
            Waits.throwIfSignal(failure);
            LOG.warn("{} cannot read a message, which comes again: {}", own, failure.toString());
            return null;
        }
    }

    /** When the message in hand is complete. */
    @SuppressWarnings("unchecked") // each durable entity takes letters
    private void tell(Peer to, Letter letter) throws Exception {
        ActorRef<?> address = parts.mail.ref(to);
        if (address != null) {
            Handlers.holding(
                    self,
                    () -> {
                        ((Recipient<Object>) (Recipient<?>) address).tell(letter);
                        return to;
                    });
        }
    }

    @Override
    public String toString() {
        return now == null ? "a durable server, not read yet" : "durable: " + now;
    }
}
