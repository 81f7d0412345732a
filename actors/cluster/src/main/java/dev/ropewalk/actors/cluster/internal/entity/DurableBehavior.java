package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.internal.entity.Ledger.Outgoing;
import dev.ropewalk.actors.cluster.internal.entity.Ledger.Reminder;
import dev.ropewalk.actors.cluster.internal.entity.Letter.Peer;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.spi.Handlers;
import dev.ropewalk.actors.spi.HasState;
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
 *
 * <p>Later work (a reminder, to tell again, to write what was confirmed) is done at a tick, which
 * comes also if the actor has ended meanwhile. One that fails comes again.
 *
 * <p>The state is read at the first message, so that what the store has against it is the failure
 * of an ask, and not of a start that nobody sees.
 */
final class DurableBehavior<M, S> implements Behavior<M>, HasState {
    private static final long FLUSH_NS = Duration.ofSeconds(1).toNanos();
    private static final long FIRST_RESEND_NS = Duration.ofSeconds(1).toNanos();
    private static final long LAST_RESEND_NS = Duration.ofMinutes(1).toNanos();

    /** After a tick that failed. */
    private static final long RETRY_NS = Duration.ofSeconds(10).toNanos();

    /** The time of the day is looked at so often, because it may be set. */
    private static final long LONGEST_TICK_NS = Duration.ofHours(1).toNanos();

    private static final long NEVER = Long.MAX_VALUE;

    /** Of reminders; the year 292,278,994. */
    private static final Instant LAST = Instant.ofEpochMilli(Long.MAX_VALUE);

    private final Parts<S> parts;
    private final ActorContext<M> self;
    private final Server<M, S> server;

    /** Null until the value was read. */
    private @Nullable Behavior<M> now;

    /** Whether the store has a state, and not only the server's first one. */
    private boolean hasState;

    private Ledger ledger = new Ledger();

    /** The changes of the message in hand; null while none is. */
    private @Nullable List<Runnable> pending;

    /** How many of them are deliveries. */
    private int pendingDeliveries;

    /** The numbers of those that are on their way, by receiver. */
    private final Map<Peer, Long> onTheirWay = new HashMap<>();

    /** Receivers that have confirmed, and the numbers, as far as that is not written. */
    private final Map<Peer, Long> confirmed = new HashMap<>();

    // on the clock of the cord, or NEVER
    private long flushNs = NEVER;
    private long resendNs = NEVER;
    private long nextResendAfterNs = FIRST_RESEND_NS;

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
        if ((Object) message instanceof Letter.Tick) {
            parts.keeper.tick(parts.own.key(), RETRY_NS); // if it fails
        }
        Behavior<M> current = now == null ? read() : now;
        Behavior<M> next =
                (Object) message instanceof Letter letter
                        ? take(letter, current)
                        : settle(handled(current, message), false);
        setTick();
        return next;
    }

    private Behavior<M> read() {
        StateFile.Content<S> content = parts.file.read();
        S stored = content.state();
        hasState = stored != null;
        ledger = content.ledger();
        Behavior<M> first = (stored == null ? server : server.withState(stored)).behavior(self);
        now = first;
        return first;
    }

    private Behavior<M> handled(Behavior<M> current, M message) throws Exception {
        pending = new ArrayList<>();
        pendingDeliveries = 0;
        Behavior<M> next = Handlers.holding(self, () -> current.onMessage(message));
        Handlers.checkRequests(self); // before the write, because it may be the message's failure
        return next;
    }

    // ---------------------------------------------------------------- by a function

    private List<Runnable> pending(String what) {
        List<Runnable> all = pending;
        if (all == null) {
            throw new IllegalStateException(
                    what
                            + " of "
                            + parts.own
                            + " was called outside of a message; call it where a function runs");
        }
        return all;
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
        if (ledger.reminders() + all.size() >= Ledger.MAX_REMINDERS) {
            throw new IllegalStateException(
                    parts.own + " has " + Ledger.MAX_REMINDERS + " reminders; forget some");
        }
        byte[] bytes = parts.mail.write(parts.own, message);
        long atMs = millis(when);
        all.add(() -> ledger.remind(name, new Reminder(atMs, bytes)));
    }

    /** Of an instant that may be far away. */
    private static long millis(Instant when) {
        Instant bounded =
                when.isAfter(LAST) ? LAST : when.isBefore(Instant.EPOCH) ? Instant.EPOCH : when;
        return bounded.toEpochMilli();
    }

    void forgetReminder(String name) {
        pending("forgetReminder").add(() -> ledger.removeReminder(name));
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
        tellReceivers();
        return next == Behavior.<M>unhandled() ? next : Behavior.same();
    }

    @SuppressWarnings("unchecked") // a server returns itself in another state
    private S stateOf(Behavior<M> next) {
        return (S) ((HasState) next).state();
    }

    private void write(@Nullable S state) throws Exception {
        parts.file.write(state, ledger);
        flushNs = NEVER;
        hasState = state != null;
        List<Peer> done =
                confirmed.keySet().stream().filter(each -> ledger.first(each) == null).toList();
        for (Peer each : done) {
            tell(each, new Letter.Forget(parts.own, Objects.requireNonNull(confirmed.get(each))));
        }
        confirmed.clear();
    }

    // ---------------------------------------------------------------- deliveries

    private Behavior<M> take(Letter letter, Behavior<M> current) throws Exception {
        switch (letter) {
            case Letter.Delivery delivery -> {
                return take(delivery, current);
            }
            case Letter.Confirmed(Peer by, long number) -> confirmed(by, number);
            case Letter.Forget(Peer from, long number) -> ledger.forget(from, number);
            case Letter.Tick() -> {
                return tick(current);
            }
        }
        return Behavior.same();
    }

    private Behavior<M> tick(Behavior<M> current) throws Exception {
        long nowNs = Waits.nanoTime();
        if (isDue(resendNs, nowNs)) {
            onTheirWay.clear();
            resendNs = NEVER;
            nextResendAfterNs = Math.min(2 * nextResendAfterNs, LAST_RESEND_NS);
        }
        String name = ledger.nextReminder();
        if (name != null && ledger.dueMs(name) <= parts.clock.millis()) {
            return remind(name, current);
        }
        if (isDue(flushNs, nowNs)) {
            write(hasState ? stateOf(current) : null);
        }
        tellReceivers();
        return Behavior.same();
    }

    private static boolean isDue(long atNs, long nowNs) {
        return atNs != NEVER && nowNs - atNs >= 0;
    }

    /** Another one that is due comes at the next tick. */
    @SuppressWarnings("unchecked") // a function of this entity has set it
    private Behavior<M> remind(String name, Behavior<M> current) throws Exception {
        Reminder due = Objects.requireNonNull(ledger.removeReminder(name));
        M message = (M) parts.mail.read(parts.own, due.message());
        return settle(handled(current, message), true);
    }

    /** The next thing that is to be done. */
    private void setTick() {
        long nowNs = Waits.nanoTime();
        String name = ledger.nextReminder();
        if (name == null && flushNs == NEVER && resendNs == NEVER) {
            parts.keeper.noTick(parts.own.key());
            return;
        }
        long afterNs = Math.min(left(flushNs, nowNs), left(resendNs, nowNs));
        if (name != null) {
            long leftMs = Math.max(0, ledger.dueMs(name) - parts.clock.millis());
            afterNs = Math.min(afterNs, TimeUnit.MILLISECONDS.toNanos(leftMs));
        }
        parts.keeper.tick(parts.own.key(), afterNs);
    }

    private static long left(long atNs, long nowNs) {
        return atNs == NEVER ? LONGEST_TICK_NS : Math.clamp(atNs - nowNs, 0, LONGEST_TICK_NS);
    }

    @SuppressWarnings("unchecked") // the sender had an address that takes it
    private Behavior<M> take(Letter.Delivery delivery, Behavior<M> current) throws Exception {
        Behavior<M> next = Behavior.same();
        if (ledger.isNew(delivery.from(), delivery.number())) {
            Behavior<M> answer = handled(current, (M) delivery.message());
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
        nextResendAfterNs = FIRST_RESEND_NS;
        resendNs = NEVER;
        tellReceivers();
        if (flushNs == NEVER) {
            flushNs = Waits.nanoTime() + FLUSH_NS;
        }
    }

    /** The oldest message of each receiver that none is on its way to. */
    private void tellReceivers() throws Exception {
        for (Peer to : ledger.receivers()) {
            Outgoing first = Objects.requireNonNull(ledger.first(to));
            if (!onTheirWay.containsKey(to) && parts.mail.ref(to) != null) {
                onTheirWay.put(to, first.number());
                Object message = parts.mail.read(to, first.message());
                tell(to, new Letter.Delivery(parts.own, first.number(), message));
            }
        }
        if (ledger.waiting() > 0 && resendNs == NEVER) {
            resendNs = Waits.nanoTime() + nextResendAfterNs;
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
