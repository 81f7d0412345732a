package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.TooManyFibersException;
import dev.ropewalk.fibers.internal.fiber.ChildPlace;
import dev.ropewalk.fibers.internal.fiber.Family;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.FiberMessages;
import dev.ropewalk.fibers.internal.fiber.Outcome;
import dev.ropewalk.fibers.internal.fiber.ScopeNode;
import dev.ropewalk.fibers.internal.fiber.WaitTimer;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.Callables;
import dev.ropewalk.fibers.internal.platform.Platform;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.report.CordDumps;
import dev.ropewalk.fibers.internal.stack.Stack;
import dev.ropewalk.fibers.internal.stack.StackOwner;
import dev.ropewalk.fibers.internal.timer.AlarmTimer;
import dev.ropewalk.fibers.internal.timer.Timer;
import dev.ropewalk.fibers.internal.timer.Timers;
import dev.ropewalk.fibers.internal.watch.Ticker;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.observe.CordStats;
import dev.ropewalk.fibers.observe.FiberTime;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;

/**
 * A cord: the wiring of its parts, its end, and the reports of its failures, which belong to no
 * part.
 *
 * <p>Confined to the cord's thread, except where a comment says otherwise.
 */
public final class CordImpl extends Cord implements StackOwner, ChildPlace {
    private static final Log LOG = Logs.logger(Cord.class);

    public final CordOptions options;
    public final Platform platform;

    /** Its order of runnable fibers is drawn from a seed. */
    final boolean orderSeeded;

    /** The kind that it has, which may be another than that of its options. */
    final StackKind stacks;

    /** It shares its thread with other cords, and yields to them after each switch. */
    final boolean inTurns;

    /** Of a cord of a scheduler. */
    public final @Nullable TaskSource tasks;

    public final Timers timers = new Timers();
    public final Mail mail;
    public final FiberLoop loop;
    public final StackMount mount;
    final IdleWait idle;
    public final Roster roster;
    public final CordEnd end = new CordEnd();
    public final Ids ids = new Ids();

    /** Null if it has none of its own. */
    public volatile @Nullable Thread ownThread;

    /** The root's outcome has a taker, so its failure is not reported elsewhere. */
    private volatile boolean isRootTaken;

    /** Without a body its root serves until the cord is closed. */
    public CordImpl(
            CordOptions options,
            Platform platform,
            @Nullable Callable<?> body,
            @Nullable CordGroup group) {
        this.options = options;
        this.stacks = StackChoice.of(options);
        this.platform = platform;
        this.orderSeeded = platform.isOrderSeeded();
        this.inTurns = platform.isInTurns();
        this.tasks = group == null ? null : group.newSource(this);
        this.mail = new Mail(platform);
        this.loop = new FiberLoop(this);
        this.mount = StackMount.of(this);
        this.idle = new IdleWait(this);
        this.roster = new Roster(this, body);
        roster.enterRoot(body == null);
        LivingCords.add(this);
    }

    public static CordImpl current() {
        CordImpl cord = currentOrNull();
        if (cord == null) {
            throw new IllegalStateException(
                    Thread.currentThread() + " is no cord: call this inside Cord.run(...)");
        }
        return cord;
    }

    public static @Nullable CordImpl currentOrNull() {
        CordImpl ofStack = CurrentCord.ofLightStack();
        return ofStack == null ? CurrentCord.ofThread() : ofStack;
    }

    /** {@return the machine behind what the user holds} */
    public static CordImpl of(Cord cord) {
        return (CordImpl) cord;
    }

    @Override
    public void close() {
        closeWithin(Waits.FOREVER);
    }

    @Override
    public boolean closeWithin(Duration limit) {
        long limitNs = Waits.nanos(limit);
        if (isCurrent()) {
            throw new IllegalStateException(
                    this + " cannot wait for its own end; close it from another thread or cord");
        }
        Thread thread = ownThread;
        if (thread == null) {
            throw new IllegalStateException(
                    this + " was made by Cord.run and ends when its body ends; end the body");
        }
        if (tasks != null) {
            throw new IllegalStateException(
                    this + " belongs to " + tasks.scheduler() + " and ends with it; close that");
        }
        root().terminate();
        // Closing is clean-up: a closer that is being ended must not leave a thread behind.
        long beganNs = Waits.nanoTime();
        return Waits.cleanUp(
                () -> end.await("the end of " + this, leftNs(limitNs, Waits.nanoTime() - beganNs)));
    }

    private static long leftNs(long limitNs, long tookNs) {
        return limitNs == Long.MAX_VALUE ? limitNs : Math.max(0, limitNs - tookNs);
    }

    @Override
    public boolean awaitEnd(Duration limit) {
        long limitNanos = Waits.nanos(limit);
        if (isCurrent()) {
            throw new DeadlockException(
                    this
                            + " would wait for its own end, which comes after that of all its"
                            + " fibers; wait on another thread or cord");
        }
        Waits.switchpoint();
        return end.await("the end of " + this, limitNanos);
    }

    /** By its driver: the cord has run for the last time. */
    public void end() {
        LivingCords.remove(this);
        try {
            loop.stop();
        } finally {
            try {
                if (!platform.isVirtual()) {
                    timers.leaveAll(); // no time passes any more where the clock was virtual
                }
                if (tasks != null) {
                    tasks.cordEnded();
                }
            } finally {
                tellEnd();
            }
        }
    }

    private void tellEnd() {
        try {
            roster.refuseHeld();
            mail.inbox.close();
        } finally {
            try {
                platform.close();
            } finally {
                reportRoot();
                end.tell();
            }
        }
    }

    /** The last moment at which an await could have begun of a root that no fiber spun. */
    private void reportRoot() {
        FiberImpl<?> root = root();
        Outcome<?> outcome = FiberImpl.of(root).outcome();
        if (ownThread != null && outcome != null && !isRootTaken) {
            FiberFailedException untaken = outcome.untaken(root);
            if (untaken != null) {
                reportUntaken(root, untaken);
            }
        }
    }

    /** The outcome of the fiber has a taker; from any thread. */
    public void noteTaken(FiberImpl<?> fiber) {
        if (fiber == root()) {
            isRootTaken = true;
        }
    }

    public long stopLimitNs() {
        return Waits.nanos(options.stopLimit());
    }

    /** Failures that neither awaiter nor parent takes; an abandonment has been reported by then. */
    public void reportUntaken(FiberImpl<?> fiber, FiberFailedException untaken) {
        if (!(untaken instanceof FiberAbandonedException)) {
            reportUncaught(fiber, untaken);
        }
    }

    public void reportUncaught(FiberImpl<?> fiber, Throwable failure) {
        if (tasks != null && failure instanceof FiberAbandonedException) {
            tasks.noteAbandoned(fiber);
        }
        try {
            options.uncaught().uncaught(fiber, failure);
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "the uncaught handler of {} failed for {}", this, fiber);
        }
    }

    @Override
    public boolean isAlive() {
        return !mail.inbox.isClosed();
    }

    @Override
    public boolean isCurrent() {
        return loop.isCurrent();
    }

    @Override
    public long nanoTime() {
        return platform.nanoTime();
    }

    @Override
    public int nextInt(int bound) {
        return platform.nextInt(bound);
    }

    public boolean isVirtual() {
        return platform.isVirtual();
    }

    public Timer armTimer(FiberImpl<?> fiber, long number, long timeoutNanos) {
        return armTimer(fiber, number, deadline(timeoutNanos), timeoutNanos);
    }

    public Timer armTimer(FiberImpl<?> fiber, long number, long deadlineNs, long limitNs) {
        return timers.arm(new WaitTimer(deadlineNs, fiber, number), limitNs);
    }

    public Timer armScope(ScopeNode scope, long limitNanos) {
        return timers.arm(new ScopeNode.Limit(deadline(limitNanos), scope), limitNanos);
    }

    public Timer armAlarm(long delayNanos, Runnable action, @Nullable Runnable whenLeft) {
        return timers.arm(new AlarmTimer(deadline(delayNanos), action, whenLeft), delayNanos);
    }

    private long deadline(long timeoutNanos) {
        return platform.nanoTime() + Math.min(Math.max(timeoutNanos, 0), Long.MAX_VALUE / 2);
    }

    public void cancelTimer(Timer timer) {
        timers.cancel(timer);
    }

    /** On the cord. */
    public List<Timer> nextTimers(int max) {
        return timers.next(max);
    }

    @Override
    public <T extends @Nullable Object> FiberImpl<T> spin(String name, Callable<? extends T> body) {
        Objects.requireNonNull(body, "body");
        return spinHere(name, body, null);
    }

    @Override
    public FiberImpl<@Nullable Void> spin(String name, Action body) {
        return spinHere(name, Callables.of(body), null);
    }

    @Override
    public FiberImpl<@Nullable Void> spinHandler(String name, Handler handler) {
        Objects.requireNonNull(handler, "handler");
        return spinHere(name, null, handler);
    }

    private <T extends @Nullable Object> FiberImpl<T> spinHere(
            String name, @Nullable Callable<? extends T> body, @Nullable Handler handler) {
        Objects.requireNonNull(name, "name");
        FiberImpl<?> spinner = isCurrent() ? loop.running() : FiberImpl.currentOrNull();
        FiberImpl<T> fiber =
                new FiberImpl<>(this, spinner == null ? root() : spinner, name, body, handler);
        spinBelow(spinner, fiber);
        if (spinner != null && handler == null) { // a handler's fiber is its library's to end
            Family.keepSpun(spinner, fiber);
        }
        return fiber;
    }

    @Override
    public void execute(Runnable task) {
        FiberImpl<?> fiber = new FiberImpl<>(this, root(), "task", new CordTask(task), null);
        boolean isHere = isCurrent();
        if (isHere && roster.isFull()) {
            TooManyFibersException full = roster.tooMany(fiber);
            throw new RejectedExecutionException(full.getMessage(), full);
        }
        if (mail.inbox.isClosed() || (isHere && FiberImpl.of(root()).isEnding())) {
            throw new RejectedExecutionException(
                    this
                            + (isHere ? " is ending" : " has ended")
                            + " and cannot run "
                            + SafeText.of(task));
        }
        if (isHere) {
            roster.start(fiber, true);
        } else {
            send(FiberMessages.start(fiber, true));
        }
    }

    /** Starts a new fiber of this cord; called by its parent, or with null by a plain thread. */
    @Override
    public void spinBelow(@Nullable FiberImpl<?> spinner, FiberImpl<?> fiber) {
        boolean isParentHere = spinner == null || FiberImpl.of(spinner).cord == this;
        if (spinner != null && isParentHere && FiberImpl.of(spinner).rawState() != FiberImpl.SPUN) {
            Family.adopt(FiberImpl.of(spinner), fiber);
            return;
        }
        if (mail.inbox.isClosed()) {
            throw new CordClosedException(this + " has ended and cannot run " + fiber);
        }
        if (spinner != null && !isParentHere) {
            Family.childList(FiberImpl.of(spinner)).add(fiber);
        }
        send(FiberMessages.start(fiber, isParentHere));
    }

    @Override
    public <T extends @Nullable Object> FiberImpl<T> newChild(
            FiberImpl<?> parent, String name, Callable<? extends T> body) {
        return new FiberImpl<>(this, parent, name, body, null);
    }

    @Override
    public void post(CordMessage message) {
        send(message);
    }

    /** Busy, though {@link IdleWait} says so only when it is back: handlers may take long. */
    @Override
    public void wakesForIo() {
        mail.activity(Mail.Activity.BUSY);
        loop.tick(platform.nanoTime()); // it slept until now
        Ticker.INSTANCE.cordBecameBusy();
    }

    @Override
    public void post(Runnable onCord, Runnable onClosed) {
        send(FiberMessages.of(onCord, onClosed));
    }

    @Override
    public void stackReady(Stack stack, @Nullable Object blocked) {
        mount.stackReady(stack, blocked);
    }

    public void send(CordMessage message) {
        mail.send(message);
    }

    @Override
    public int maxFibers() {
        return roster.maxFibers();
    }

    @Override
    public @Nullable FiberImpl<?> find(long id) {
        FiberImpl.of(root()).checkCord("find among the fibers of");
        for (FiberImpl<?> each : roster.fibers()) {
            if (each.id() == id && FiberImpl.of(each).outcome() == null) {
                return each;
            }
        }
        return null;
    }

    @Override
    public List<String> cycles(Duration limit) {
        return CordDumps.cycles(this, limit);
    }

    @Override
    public CordDump dump() {
        return dump(CordDumps.LIMIT);
    }

    @Override
    public CordDump dump(Duration limit) {
        return CordDumps.of(List.of(this), limit).getFirst();
    }

    @Override
    public CordStats stats() {
        CordStats stats = readStats();
        if (isCurrent()) {
            loop.forgetMaxRunnable();
        }
        return stats;
    }

    @Override
    public List<FiberTime> top(int most) {
        return CordDumps.top(this, most, CordDumps.LIMIT);
    }

    /** On any thread; on another than the cord's each number is a hint. */
    public CordStats readStats() {
        return new CordStats(
                stacks,
                loop.switches(),
                loop.polls(),
                loop.messages(),
                roster.started(),
                roster.ended(),
                idle.sleeps(),
                idle.slept(),
                loop.runQueue.size(),
                loop.maxRunnable(),
                timers.size(),
                mail.inbox.size(),
                mount.idleStacks(),
                tasks == null ? 0 : tasks.size());
    }

    public void checkInvariants() {
        loop.runQueue.checkInvariants();
        loop.order.checkInvariants();
        timers.checkInvariants();
        roster.checkInvariants();
    }

    public FiberImpl<?> root() {
        return roster.root;
    }

    @Override
    public StackKind stacks() {
        return stacks;
    }

    @Override
    public String name() {
        return options.name();
    }

    @Override
    public String toString() {
        return "cord " + options.name();
    }
}
