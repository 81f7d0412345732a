package dev.ropewalk.fibers.testing;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.internal.boot.CallerCheck;
import dev.ropewalk.fibers.internal.boot.CordThread;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.CurrentCord;
import dev.ropewalk.fibers.internal.cord.StackChoice;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.platform.Checks;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.internal.platform.VirtualPlatform;
import dev.ropewalk.fibers.internal.platform.VirtualTime;
import dev.ropewalk.fibers.internal.report.DeadlockReport;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;

/**
 * Several cords that share the calling thread and one virtual clock: the same program and seed run
 * the same way twice, also where cords meet (rule F14).
 *
 * <p>Each is a cord like any other, with a run queue, timers and an inbox of its own, and messages
 * between cords go as between threads. The turns are drawn from the seed: which cord goes on, for
 * how long, and whether it runs a fiber, takes a message, or fires its timers. Time jumps to the
 * earliest timer of all when no cord has anything to do.
 *
 * <p>A cord may stand for a machine of its own. A fiber of the run can do to it what befalls
 * machines, by {@link #current}: {@link #freeze} it for a while, {@link #kill} it, {@link #start}
 * another one, and have its clock run faster or slower ({@link #clockRate}).
 *
 * {@snippet file="dev/ropewalk/fibers/testing/TestingSnippetsTest.java" region="machines"}
 *
 * <p>Out of the run, and not repeatable: cords, schedulers and threads that the body starts. Code
 * that blocks the thread blocks all cords; a {@code ReentrantLock} or monitor that is held at a
 * switchpoint admits the fibers of all of them. No other thread may reach the cords while they are
 * to be repeatable. For tests there is {@code TestCords}.
 */
public final class VirtualCords {
    /*
     * The driver (rule F14).
     *
     * One turn is the least that a cord with a thread of its own does between two moments at which
     * others could see it or reach it: a fiber until it yields, one message, the timers that are
     * due, or the end. So each run is one that threads could have had, with any of them stopped for
     * any time between two turns. A cord, once drawn, goes on for 1 to 32 turns: if every turn were
     * drawn by itself, no cord would ever be far behind the others, and defects show where a cord
     * is far behind.
     *
     * Between two turns no cord is current. A cord's end is carried out there too, so code that
     * refused messages call runs as on a plain thread. A wait in it is an error, because only the
     * thread itself could end it.
     *
     * Rejected: threads that hand a token around, which cost two switches of the system a turn and
     * make a run as long as a real one; turns inside a fiber, which would show states that no other
     * thread can see.
     */

    private static final double SLOWEST = 0.5;
    private static final double FASTEST = 2;
    private static final long FAR_NS = Long.MAX_VALUE / 8;

    /** The longest time that a cord goes on is the power of two below this. */
    private static final int BURST_BITS = 6;

    private final SplittableRandom random;
    private final VirtualTime time;
    private final List<DrivenCord> all = new ArrayList<>();

    /** The cords that have not ended. */
    private final List<DrivenCord> alive = new ArrayList<>();

    private final List<DrivenCord> ready = new ArrayList<>();
    private final List<Throwable> broken = new ArrayList<>();

    /** Killed in the turn that is taken now, at the end of which they are. */
    private final List<DrivenCord> dying = new ArrayList<>();

    private final CordOptions options;
    private final boolean seededOrder;
    private boolean isClosing;

    private VirtualCords(CordOptions options, CordOptions.VirtualClock clock) {
        this.options = options;
        this.seededOrder = clock.seededOrder();
        this.random = new SplittableRandom(clock.seed());
        this.time = new VirtualTime(random.nextLong());
    }

    /**
     * The body of the first cord.
     *
     * @param <T> the type of the result
     */
    @FunctionalInterface
    public interface Body<T extends @Nullable Object> {
        /**
         * Runs the body.
         *
         * @param cords all of the run; the first is the one that runs this
         * @return its result
         * @throws Exception whatever the body throws
         */
        T run(List<Cord> cords) throws Exception;
    }

    /**
     * Makes the calling thread several cords, runs the body as the root fiber of the first, and
     * returns when all have ended. The others are like started ones: they run fibers that are spun
     * on them, report failures without a taker, and can be closed. When the first has ended, with
     * all fibers below its root, they are closed.
     *
     * <p>If no cord can ever go on, the first one's root fiber fails with a {@link
     * DeadlockException} that lists the waits on all of them; if that is ending already, the run is
     * given up and throws it.
     *
     * @param <T> the type of the result
     * @param options how the cords are made; their names get a number from 0 on
     * @param cords how many, at least 1
     * @param body what the first cord's root fiber runs
     * @return what the body returned
     * @throws FiberFailedException if an initialiser or the body threw, or a fiber below it failed
     *     that no other awaited
     * @throws IllegalArgumentException if there are no cords, the clock is not virtual, or there is
     *     a thread factory, or this thread cannot have the CPUs
     * @throws IllegalStateException as {@link Cord#run}
     * @throws UnsupportedOperationException if CPUs are given, and the system is not Linux
     */
    @SuppressWarnings("unchecked") // the first root fiber runs the body
    public static <T extends @Nullable Object> T run(
            CordOptions options, int cords, Body<? extends T> body) {
        Objects.requireNonNull(body, "body");
        CordOptions.VirtualClock clock = check(options, cords);
        StackChoice.of(options);
        CallerCheck.check();
        VirtualCords run = new VirtualCords(options, clock);
        run.make(cords, body);
        CordThread.onCallersCpus(options, run::drive);
        run.throwBroken();
        return (T) run.all.getFirst().cord.root().await();
    }

    private static CordOptions.VirtualClock check(CordOptions options, int cords) {
        if (cords < 1) {
            throw new IllegalArgumentException("cords=" + cords + "; give at least 1");
        }
        if (options.thread().factory() != null) {
            throw new IllegalArgumentException(
                    "cord "
                            + options.name()
                            + " has a thread factory, but virtual cords share the calling thread;"
                            + " leave the factory out");
        }
        if (!(options.clock() instanceof CordOptions.VirtualClock clock)) {
            throw new IllegalArgumentException(
                    "clock="
                            + options.clock()
                            + " of cord "
                            + options.name()
                            + ": cords that share a thread need a virtual clock;"
                            + " withClock(new CordOptions.VirtualClock(seed, seededOrder))");
        }
        return clock;
    }

    private void make(int cords, Body<?> body) {
        for (int i = 0; i < cords; i++) {
            enter(options.name() + "-" + i, i == 0 ? () -> runChecked(body) : null);
        }
    }

    private DrivenCord enter(String name, @Nullable Callable<?> body) {
        VirtualPlatform platform = new VirtualPlatform(random.split(), seededOrder, time);
        DrivenCord made = new DrivenCord(options.withName(name), platform, body);
        all.add(made);
        alive.add(made);
        return made;
    }

    private @Nullable Object runChecked(Body<?> body) throws Exception {
        Object result = body.run(all.stream().<Cord>map(each -> each.cord).toList());
        if (Checks.ON) {
            CordImpl.current().checkInvariants();
        }
        return result;
    }

    // ---------------------------------------------------------------- the turns

    private void drive() {
        Object outer = CurrentCord.driver();
        CurrentCord.driver(this);
        try {
            while (!alive.isEmpty()) {
                closeOthersAfterFirst();
                DrivenCord next = draw();
                if (next != null) {
                    takeTurns(next);
                } else if (!jump()) {
                    reportDeadlock();
                }
            }
        } finally {
            CurrentCord.driver(outer);
        }
    }

    private @Nullable DrivenCord draw() {
        ready.clear();
        for (DrivenCord each : alive) {
            if (each.hasTurn()) {
                ready.add(each);
            }
        }
        return ready.isEmpty() ? null : ready.get(random.nextInt(ready.size()));
    }

    private void takeTurns(DrivenCord cord) {
        int turns = 1 << random.nextInt(1 + random.nextInt(BURST_BITS)); // short ones more often
        try {
            for (int i = 0; i < turns && cord.hasTurn(); i++) {
                boolean isOver = !cord.turns.takeTurn();
                killDying();
                if (isOver) {
                    alive.remove(cord);
                    cord.turns.end();
                    return;
                }
            }
        } catch (Throwable e) {
            giveUp(cord, e);
        }
    }

    private void killDying() {
        for (DrivenCord each : List.copyOf(dying)) {
            dying.remove(each);
            if (alive.remove(each)) {
                each.kill();
            }
        }
    }

    /** The others do not outlive the first. */
    private void closeOthersAfterFirst() {
        if (!isClosing && !alive.contains(all.getFirst())) {
            isClosing = true;
            for (DrivenCord each : alive) {
                each.cord.root().terminate();
            }
        }
    }

    private void giveUp(DrivenCord cord, Throwable why) {
        if (!broken.contains(why)) {
            broken.add(why);
        }
        if (alive.remove(cord)) {
            cord.turns.giveUp(why);
        }
    }

    /** Time goes on to the earliest timer, thaw or event; false without one. */
    private boolean jump() {
        Long earliest = time.nextEventNs();
        for (DrivenCord each : alive) {
            Long next = each.nextNs();
            if (next != null && (earliest == null || next - earliest < 0)) {
                earliest = next;
            }
        }
        if (earliest == null) {
            return false;
        }
        time.moveOnTo(earliest);
        for (DrivenCord each : alive) {
            each.thawIfDue(earliest);
        }
        return true;
    }

    private void reportDeadlock() {
        DeadlockException deadlock =
                new DeadlockException(
                        DeadlockReport.of(alive.stream().map(each -> each.cord).toList()));
        DrivenCord first = all.getFirst();
        boolean isTold = alive.contains(first) && !first.cord.root().isEnding();
        if (isTold) {
            first.turns.asCurrent(() -> first.cord.root().raiseHere(deadlock));
        }
        if (!isTold || !first.hasTurn()) { // only the caller of run is left to be told
            for (DrivenCord each : List.copyOf(alive)) {
                giveUp(each, deadlock);
            }
        }
    }

    private void throwBroken() {
        if (broken.isEmpty()) {
            return;
        }
        Throwable first = broken.getFirst();
        for (Throwable each : broken) {
            if (each != first) {
                first.addSuppressed(each);
            }
        }
        throw Unchecked.<RuntimeException>sneaky(first);
    }

    // ---------------------------------------------------------------- for fibers of the run

    /**
     * {@return the run that the calling fiber is in, of this class, {@link TestCords} or
     * {@code @FiberTest}}
     *
     * @throws IllegalStateException if no fiber of such a run is the caller
     */
    public static VirtualCords current() {
        if (!(CurrentCord.driver() instanceof VirtualCords run) || Fiber.currentOrNull() == null) {
            throw new IllegalStateException(
                    "no run on "
                            + Thread.currentThread()
                            + ": call this in a fiber, inside VirtualCords.run(...)");
        }
        return run;
    }

    /**
     * Freezes a cord, as SIGSTOP or a long pause of the machine does: it takes no turn until the
     * time is over, while its clock goes on. Then its overdue timers are due. Messages wait in its
     * inbox; the other cords go on, and the first may be frozen too. The calling cord ends its turn
     * before. A cord that is frozen already thaws at the later of the two times.
     *
     * @param cord one of the run, alive
     * @param time how long
     * @throws IllegalArgumentException if the time is negative, or the cord is no living one of
     *     this run
     * @throws IllegalStateException if no fiber of this run is the caller
     */
    public void freeze(Cord cord, Duration time) {
        Objects.requireNonNull(time, "time");
        DrivenCord frozen = find(cord);
        if (time.isNegative()) {
            throw new IllegalArgumentException(
                    "time=" + time + " < 0; give the time for which " + cord + " is frozen");
        }
        frozen.freezeUntil(this.time.nanoTime() + Math.min(Waits.nanos(time), FAR_NS));
    }

    /**
     * Kills a cord, as kill -9 does a process: it takes no turn any more, not even for a {@code
     * finally}; no timer of it fires, and no hook and uncaught handler of it is told. Messages to
     * it are refused as by an ended cord. A fiber of another cord that waits for one of its fibers,
     * or comes to it later, gets a {@link dev.ropewalk.fibers.FiberAbandonedException} that says
     * which cord was killed. Locks that its fibers held go to others, and their children on other
     * cords are terminated. The network in memory closes its sockets with a reset and frees its
     * ports, unless its host is cut off; a connection that was closed before still sends its rest.
     *
     * <p>A switchpoint: returns when the cord is over.
     *
     * @param cord one of the run, perhaps frozen; no effect on one that is over
     * @throws IllegalArgumentException if it is no cord of this run, the first one, or the calling
     *     one
     * @throws IllegalStateException if no fiber of this run is the caller
     */
    public void kill(Cord cord) {
        checkCaller();
        DrivenCord killed = findAny(cord);
        if (killed == all.getFirst() || cord.isCurrent()) {
            throw new IllegalArgumentException(
                    cord
                            + (cord.isCurrent() ? " calls this itself" : " runs the body")
                            + "; kill one of the others, from a fiber of the first cord for"
                            + " example");
        }
        if (alive.contains(killed) && !dying.contains(killed)) {
            dying.add(killed);
        }
        cord.awaitEnd(Waits.FOREVER);
    }

    /**
     * Starts another cord in this run, for example in place of one that was killed. It is like the
     * others but the first: it serves until it is closed, and is closed when the first has ended.
     *
     * @param name of the cord
     * @return the cord
     * @throws IllegalStateException if no fiber of this run is the caller, or the first cord has
     *     ended
     */
    public Cord start(String name) {
        Objects.requireNonNull(name, "name");
        checkCaller();
        if (isClosing || !alive.contains(all.getFirst())) {
            throw new IllegalStateException(
                    "cannot start cord "
                            + name
                            + ": "
                            + all.getFirst().cord
                            + " has ended, and the run with it; start it in the body");
        }
        return enter(name, null).cord;
    }

    /**
     * Has a cord's clock run faster or slower than the time that the cords share, from now on:
     * {@link Cord#nanoTime}, and so its timers and limits. For cords that stand for machines: two
     * cords of one process have one clock.
     *
     * @param cord one of the run, alive
     * @param rate 1 at first; a clock of 1.01 gains 10 ms in a second
     * @throws IllegalArgumentException if the rate is not from 0.5 to 2, or the cord is no living
     *     one of this run
     * @throws IllegalStateException if no fiber of this run is the caller
     */
    public void clockRate(Cord cord, double rate) {
        DrivenCord changed = find(cord);
        if (!(rate >= SLOWEST && rate <= FASTEST)) {
            throw new IllegalArgumentException(
                    "rate=" + rate + " of " + cord + " is not from " + SLOWEST + " to " + FASTEST);
        }
        changed.rate(Math.round(rate * 1_000_000));
    }

    private void checkCaller() {
        if (current() != this) {
            throw new IllegalStateException(
                    Fiber.current() + " is in another run; ask VirtualCords.current() for its own");
        }
    }

    private DrivenCord find(Cord cord) {
        checkCaller();
        DrivenCord found = findAny(cord);
        if (!alive.contains(found) || dying.contains(found)) {
            throw new IllegalArgumentException(cord + " has ended; start(name) makes another one");
        }
        return found;
    }

    private DrivenCord findAny(Cord cord) {
        Objects.requireNonNull(cord, "cord");
        for (DrivenCord each : all) {
            if (each.cord == cord) {
                return each;
            }
        }
        throw new IllegalArgumentException(
                cord
                        + " is none of this run, which has "
                        + all.stream().map(each -> each.cord).toList()
                        + "; give one of those");
    }

    /**
     * {@return the fibers of this run that are alive, but the caller and the cords' root fibers}
     *
     * <p>For tests that must leave no fiber behind. A fiber without a parent below the roots, such
     * as that of {@link Cord#execute}, is among them from when its cord has taken the message.
     *
     * @throws IllegalStateException if no fiber of such a run is the caller
     */
    public static List<Fiber<?>> living() {
        VirtualCords run = current();
        Fiber<?> caller = Fiber.current();
        Set<Fiber<?>> all = new LinkedHashSet<>();
        for (DrivenCord driven : run.alive) {
            for (Fiber<?> each : driven.cord.roster.fibers()) {
                all.add(each);
                Fiber<?> child =
                        FiberImpl.of(each).firstChild(); // perhaps on its way to another cord still
                for (; child != null; child = FiberImpl.of(child).nextSibling) {
                    all.add(child);
                }
            }
        }
        return all.stream()
                .filter(
                        each ->
                                each != caller
                                        && !FiberImpl.of(each).isRoot()
                                        && FiberImpl.of(each).outcome() == null)
                .<Fiber<?>>map(each -> each)
                .toList();
    }
}
