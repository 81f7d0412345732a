package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Monitor;
import dev.ropewalk.actors.internal.behavior.BehaviorSigns;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Mailbox;
import dev.ropewalk.actors.internal.observe.ObservedActor;
import dev.ropewalk.actors.internal.observe.Redaction;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.internal.observe.TimerKind;
import dev.ropewalk.actors.internal.supervision.Child;
import dev.ropewalk.actors.internal.supervision.Start;
import dev.ropewalk.actors.internal.supervision.Supervising;
import dev.ropewalk.actors.internal.supervision.SupervisorEvent;
import dev.ropewalk.actors.internal.supervision.SupervisorHost;
import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.internal.boot.ManualCord;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * One actor that its owner drives message by message, in place of its supervisor and of the loop of
 * its cord. All of it is real: the cell, its incarnations, the mailbox, the timers, the cord. One
 * thing differs: the actor does not go on by itself.
 *
 * <p>The actor is suspended between two steps, so what it is told waits in its mailbox. A step puts
 * one item at the head of the mailbox and resumes the actor; a tap suspends it again when it begins
 * that item. The step is over when the actor waits for a message, or its end has been told to its
 * supervisor, which is this. While the actor waits for something else, time goes on.
 *
 * <p>A failure is no end yet: {@link #start} begins it again, and {@link #endFor} gives it up.
 *
 * <p>For one thread at a time.
 */
public final class SteppedActor<M> implements Supervising {
    private static final long SEED = 1;

    /** A step waits for so many timers; its own may be among them, which repeat for ever. */
    private static final int MAX_JUMPS = 1_000_000;

    private final String path;
    private final ManualCord cord;
    private final SystemCore core;
    private final ActorCell<M> cell;
    private final Tap ending = new Ending();
    private final long beganNs;

    /** The actors that stand for those that it is linked to. */
    private final Map<ActorRef<?>, ActorCell<Object>> peers = new HashMap<>();

    /** The failures of end hooks, if the actor had not failed itself. */
    private final List<Throwable> broken = new ArrayList<>();

    /** The last that was seen; null before the first. */
    private @Nullable Behavior<M> behavior;

    /** The behavior returned for the message of this step; null if none was. */
    private @Nullable Behavior<M> returned;

    /** The failure of the message of this step, or of a start; null if none failed. */
    private @Nullable Throwable failure;

    /** Null while it runs. */
    private @Nullable ExitReason reason;

    /** A failed one has end hooks to run, unless it is started again. */
    private boolean isStateLeft;

    /** A fiber runs the end hooks of a kept state. */
    private boolean isStateEnding;

    /** It is not started again. */
    private boolean isGivenUp;

    /** The cord runs, so what the actor does is its own doing. */
    private volatile boolean isRunning;

    /**
     * An actor that has not begun.
     *
     * @param path of its supervisor
     * @param tap hears of what it does, in the steps
     */
    public SteppedActor(String path, String name, Actor<M> actor, Tap tap) {
        this.path = path;
        this.cord = new ManualCord(path, SEED);
        this.beganNs = cord.nanoTime();
        Redaction none = new Redaction(UnaryOperator.identity());
        this.core = new SystemCore(List.of(cord.cord()), _ -> {}, none);
        this.cell = core.actor(name, cord.cord(), Definition.of(actor).bare(), this, null);
        cell.addTap(ending);
        cell.addTap(tap);
    }

    // ---------------------------------------------------------------- looking

    public ActorRef<M> ref() {
        return cell.ref();
    }

    public ObservedActor observed() {
        return cell;
    }

    /** Whether the caller runs in a step, as the actor or on its account. */
    public boolean isInStep() {
        return isRunning && isHere();
    }

    public @Nullable ExitReason reason() {
        return reason;
    }

    /** It did fail, and may be started again. */
    public boolean mayRestart() {
        return reason != null && reason.isFailure() && !isGivenUp;
    }

    /** It is not started again. */
    public boolean isOver() {
        return isGivenUp;
    }

    /**
     * The behavior that handles the next message; null if the actor has never been up. From a step
     * too.
     */
    public @Nullable Behavior<M> behavior() {
        Incarnation<M> running = cell.running();
        Behavior<M> now = running == null ? null : running.behavior();
        return now == null ? behavior : now;
    }

    /** The failures of end hooks since the last call, if the actor itself had not failed. */
    public List<Throwable> takeBroken() {
        List<Throwable> all = List.copyOf(broken);
        broken.clear();
        return all;
    }

    /** How many messages wait, without those that are postponed. */
    public int queued() {
        return drive(this::queuedNow);
    }

    /** From within a step, or {@link #queued}. */
    private int queuedNow() {
        cord.runReady();
        Mailbox mailbox = cell.mailboxNow();
        mailbox.poll(_ -> false); // takes out what is void
        return mailbox.size();
    }

    /** Oldest first. */
    @SuppressWarnings("unchecked") // told as M
    public List<M> postponed() {
        return drive(
                () -> {
                    Mailbox mailbox = cell.mailboxNow();
                    mailbox.dropVoidPostponed();
                    return (List<M>) mailbox.oldest(mailbox.postponed());
                });
    }

    /** From a step too. */
    public MailboxSnapshot mailbox(int capacity) {
        return isHere() ? snapshot(capacity) : drive(() -> snapshot(capacity));
    }

    private MailboxSnapshot snapshot(int capacity) {
        if (!isHere()) {
            cord.runReady();
        }
        MailboxSnapshot now = CellView.snapshot(cell);
        return new MailboxSnapshot(now.queued(), capacity, now.oldest());
    }

    private boolean isHere() {
        return cord.cord().isCurrent();
    }

    // ---------------------------------------------------------------- from any thread

    /** Puts it behind what is queued; false if more than so many would be. */
    public boolean tell(M message, int max) {
        if (isHere() && cell.mailboxNow().size() >= max) {
            return false;
        }
        cell.tell(message);
        return true;
    }

    /** A normal end comes in its turn, others at once, or at the actor's next switchpoint. */
    public void endAs(ExitReason how) {
        switch (how) {
            case ExitReason.Normal _ -> cell.stop();
            case ExitReason.Killed _ -> cell.kill();
            default -> cell.terminate();
        }
        if (!(how instanceof ExitReason.Normal) && !isHere()) {
            cord.tryDrive(() -> run(() -> {})); // otherwise the step that runs sees it
        }
    }

    // ---------------------------------------------------------------- steps

    /** Begins the first incarnation, or the next one. Its failure is thrown. */
    public void start() {
        drive(
                () -> {
                    reason = null;
                    isStateLeft = false;
                    run(() -> spin(cell));
                    return throwFailure();
                });
    }

    private void spin(ActorCell<?> actor) {
        Start start = Start.toldTo(this, actor.ref());
        cord.cord().spinHandler(actor.name(), actor.incarnation(start));
    }

    /**
     * Has it handle a message before all that is queued.
     *
     * @param tries how often it is tried, this time included
     * @return what the behavior returned
     */
    public Behavior<M> handle(M message, int tries) {
        return drive(() -> handleFirst(new Envelope.PutBack(ActorCell.told(message), tries - 1)));
    }

    /** Has it handle what is queued first; false if nothing is. */
    public boolean handleNext() {
        return drive(this::handleNextNow);
    }

    /**
     * Has it handle what is queued until nothing is, or it is over.
     *
     * @param max more are too many
     * @return how many; more than the max if there was no end
     */
    public int handleAll(int max) {
        return drive(
                () -> {
                    int count = 0;
                    while (reason == null && count <= max && handleNextNow()) {
                        count++;
                    }
                    return count;
                });
    }

    private boolean handleNextNow() {
        if (queuedNow() == 0) {
            return false;
        }
        run(cell::resume);
        throwFailure();
        return true;
    }

    private Behavior<M> handleFirst(Object item) {
        run(
                () -> {
                    cell.ownMailbox().addFirst(item);
                    cell.resume();
                });
        throwFailure();
        return returned == null ? BehaviorSigns.same() : returned;
    }

    // ---------------------------------------------------------------- timers

    /** One timer that is set. */
    public record SetTimer(
            @Nullable String name,
            TimerKind kind,
            Duration due,
            Object message,
            boolean isPending) {
        @Override
        public String toString() {
            return (name == null ? "a timer" : name)
                    + " "
                    + kind
                    + " at "
                    + due
                    + " with "
                    + message;
        }
    }

    /** Those that are set, in the order in which they were set. */
    public List<SetTimer> timers() {
        return drive(
                () ->
                        entries().stream()
                                .map(
                                        each ->
                                                new SetTimer(
                                                        each.name(),
                                                        each.kind(),
                                                        Duration.ofNanos(each.dueNs() - beganNs),
                                                        each.message(),
                                                        each.isPending()))
                                .toList());
    }

    private List<CellTimers<M>.Entry> entries() {
        Belongings<M> own = cell.belongings();
        CellTimers<M> timers = own == null ? null : own.timersOrNull();
        return timers == null ? List.of() : timers.active();
    }

    /** The message of the timer of the name, now. */
    public Behavior<M> fire(String name) {
        return drive(
                () ->
                        handleFirst(
                                notice(
                                        () ->
                                                entries().stream()
                                                        .filter(each -> name.equals(each.name()))
                                                        .forEach(CellTimers.Entry::goOffEarly))));
    }

    /** The message of the timer that goes off first; null if none is set that will. */
    public @Nullable Behavior<M> fireNext() {
        return drive(
                () -> {
                    Object due = dueTimer();
                    if (due == null) {
                        CellTimers<M>.Entry first = first();
                        if (first == null) {
                            return null;
                        }
                        cord.moveTo(first.dueNs());
                        due = Objects.requireNonNull(dueTimer(), "the message of a due timer");
                    }
                    return handleFirst(due);
                });
    }

    private CellTimers<M>.@Nullable Entry first() {
        long nowNs = cord.nanoTime();
        return entries().stream()
                .filter(each -> !each.isPending())
                .min(Comparator.comparingLong(each -> each.dueNs() - nowNs))
                .orElse(null);
    }

    /**
     * Lets time go on, and has the messages of the timers that go off handled.
     *
     * @return how many
     */
    public int pass(long nanos) {
        return drive(
                () -> {
                    long untilNs = cord.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 2);
                    int count = 0;
                    while (reason == null) {
                        Object due = dueTimer();
                        if (due != null) {
                            handleFirst(due);
                            count++;
                            continue;
                        }
                        Long next = cord.nextTimerNs();
                        if (next == null || next - untilNs > 0) {
                            break;
                        }
                        cord.moveTo(next);
                    }
                    cord.moveTo(untilNs);
                    return count;
                });
    }

    /** Takes the message of a timer out of the mailbox; null if there is none. */
    private @Nullable Object dueTimer() {
        cord.runReady();
        return take(
                item ->
                        item instanceof Envelope.Notice<?> notice
                                && notice.source instanceof CellTimers<?>.Entry);
    }

    private @Nullable Object take(Predicate<Object> wanted) {
        return cord.getAsCord(() -> cell.mailboxNow().poll(wanted));
    }

    // ---------------------------------------------------------------- the ends of others

    /** Has it handle the end of an actor that it monitors; false if it has cancelled that. */
    public boolean down(DownListener monitor, Down down) {
        return drive(() -> handleNotice(noticeOrNull(() -> monitor.down(down))));
    }

    private boolean handleNotice(@Nullable Object notice) {
        if (notice != null) {
            handleFirst(notice);
        }
        return notice != null;
    }

    /** Null if it was revoked. */
    private @Nullable Object noticeOrNull(Runnable cause) {
        cord.asCord(cause);
        cord.runReady();
        return take(
                item ->
                        item instanceof Envelope.Notice<?> notice
                                && !(notice.source instanceof CellTimers<?>.Entry));
    }

    private Object notice(Runnable cause) {
        cord.asCord(cause);
        return Objects.requireNonNull(dueTimer(), "the message of a timer");
    }

    /** On the cord: what stands for an actor that it links itself to. */
    public ActorRef<?> peer(ActorRef<?> of) {
        Actor<Object> waiting = Actor.handler(() -> _ -> Behavior.same());
        ActorCell<Object> peer =
                peers.computeIfAbsent(
                        of, _ -> core.actor(of.name(), cord.cord(), waiting, this, null));
        if (peer.running() == null) {
            Waits.asNoFiber(() -> spin(peer)); // it is no child of the actor
        }
        return peer.ref();
    }

    /** In place of which actor it stands. */
    public ActorRef<?> linkedAs(ActorRef<?> peer) {
        for (Map.Entry<ActorRef<?>, ActorCell<Object>> each : peers.entrySet()) {
            if (each.getValue().ref().equals(peer)) {
                return each.getKey();
            }
        }
        return peer;
    }

    /** Whether it has the end of what it monitors still to come, or in hand. */
    public boolean isPending(Monitor monitor) {
        Belongings<M> own = cell.belongings();
        return own != null
                && monitor instanceof MonitorEntry<?> entry
                && own.monitors().contains(entry);
    }

    /** Null if there was none. */
    public @Nullable ActorRef<?> peerOrNull(ActorRef<?> of) {
        ActorCell<Object> known = peers.get(of);
        return known == null ? null : known.ref();
    }

    /** Those that it is linked to. */
    public List<ActorRef<?>> linked() {
        List<ActorRef<?>> all = new ArrayList<>();
        peers.forEach(
                (of, peer) -> {
                    Belongings<M> own = cell.belongings();
                    Links links = own == null ? null : own.linksOrNull();
                    if (links != null && links.isUp(peer)) {
                        all.add(of);
                    }
                });
        return all;
    }

    /** The actor that it is linked to ends; false if it handles no message of that. */
    public boolean exit(ActorRef<?> of, ExitReason why) {
        ActorCell<Object> peer = Objects.requireNonNull(peers.get(of), "peer");
        Incarnation<Object> linked = Objects.requireNonNull(peer.running(), "incarnation");
        return drive(
                () -> {
                    run(() -> linked.endFor(why));
                    return reason == null && handleNotice(noticeOrNull(() -> {}));
                });
    }

    // ---------------------------------------------------------------- its own end

    /** Ends it from outside, or gives it up after a failure. */
    public void endFor(ExitReason why) {
        drive(
                () -> {
                    Incarnation<M> running = cell.running();
                    if (running != null) {
                        run(() -> running.endFor(why));
                    }
                    giveUp();
                    return null;
                });
    }

    /** It is not started again; what its kept state has left to do is done. */
    private void giveUp() {
        ExitReason last = reason;
        if (last == null || isGivenUp) {
            return;
        }
        isGivenUp = true;
        if (isStateLeft) {
            isStateLeft = false;
            isStateEnding = true;
            int before = broken.size();
            run(() -> cord.cord().spinHandler("end of " + cell.name(), cell.stateEnd(last)));
            Throwable cause = last.failure();
            if (cause != null) {
                List<Throwable> late = broken.subList(before, broken.size());
                late.forEach(cause::addSuppressed);
                late.clear();
            }
        }
        cord.asCord(() -> cell.end(last));
        cord.runReady();
    }

    // ---------------------------------------------------------------- driving

    private <T extends @Nullable Object> T drive(Callable<T> code) {
        return cord.drive(code);
    }

    /** Does it on the cord, and runs until the actor waits for a message or is over. */
    private void run(Runnable code) {
        returned = null;
        failure = null;
        Taps.opened(ending);
        isRunning = true;
        try {
            cord.asCord(code);
            cord.runReady();
            for (int jumps = 0; !cord.getAsCord(this::isSettled); jumps++) {
                if (jumps >= MAX_JUMPS || !cord.moveToNextTimer()) {
                    raiseDeadlock();
                }
                cord.runReady();
            }
        } finally {
            isRunning = false;
            Taps.closed(ending);
            cord.asCord(cell::suspend);
        }
        behavior = behavior();
        ExitReason last = reason;
        if (last != null && !last.isFailure()) {
            giveUp();
        }
    }

    private boolean isSettled() {
        Incarnation<M> running = cell.running();
        return !isStateEnding && (running == null || running.isIdle());
    }

    /** It waits for what no step can bring. */
    private void raiseDeadlock() {
        Incarnation<M> running = Objects.requireNonNull(cell.running(), "incarnation");
        DeadlockException deadlock =
                new DeadlockException(
                        cell.ref()
                                + " waits for "
                                + cord.getAsCord(running::waitsNowFor)
                                + ", which nothing in its steps can bring; let a probe answer it,"
                                + " or test it in an ActorSystem");
        if (failure instanceof DeadlockException) {
            throw deadlock; // it waits again in spite of that
        }
        failure = deadlock;
        cord.asCord(() -> running.raise(deadlock));
    }

    private @Nullable Object throwFailure() {
        Throwable thrown = failure;
        boolean isFailed = reason instanceof ExitReason.Failed;
        if (thrown != null && (isFailed || thrown instanceof DeadlockException)) {
            throw Receiver.<RuntimeException>unchecked(thrown);
        }
        return null;
    }

    // ---------------------------------------------------------------- as its supervisor

    @Override
    public void post(SupervisorEvent event) {
        switch (event) {
            case SupervisorEvent.Started(Start _) -> cell.suspend(); // before its first message
            case SupervisorEvent.Ended ended when ended.child() == cell.child() -> ended(ended);
            default -> {}
        }
    }

    private void ended(SupervisorEvent.Ended ended) {
        if (ended.phase() == SupervisorEvent.Phase.STATE_ENDED) {
            isStateEnding = false;
            return;
        }
        reason = ended.reason();
        isStateLeft = ended.isStateLeft();
        if (ended.start() != null && failure == null) {
            failure = reason.failure();
        }
    }

    @Override
    public void report(FailureReport report) {
        broken.add(report.failure());
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public SupervisorHost host() {
        return core;
    }

    @Override
    public Supervision rules() {
        return Supervision.oneForOne();
    }

    @Override
    public long nextNumber() {
        return core.nextNumbers(1);
    }

    @Override
    public RestartRule restartRuleOfActors() {
        return RestartRule.TRANSIENT;
    }

    @Override
    public void releaseName(Child child) {}

    @Override
    public boolean endsForGood() {
        return false;
    }

    @Override
    public boolean isGone() {
        return false;
    }

    @Override
    public boolean awaitsEndOf(Child child) {
        return false;
    }

    @Override
    public @Nullable Supervising above() {
        return null;
    }

    @Override
    public String toString() {
        return "steps of " + cell.ref();
    }

    /** Ends the step, and keeps its result. */
    private final class Ending implements Tap {
        @Override
        public boolean in(Object message) {
            cell.suspend(); // behind this message
            return true;
        }

        @Override
        public void out(Object message, String to) {}

        @Override
        @SuppressWarnings("unchecked") // by the behavior of this actor
        public void returned(@Nullable Object next) {
            returned = (Behavior<M>) next;
        }

        @Override
        public void failed(Object message, Throwable thrown) {
            failure = thrown;
        }
    }
}
