package dev.ropewalk.fibers.testing;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.internal.boot.CallerCheck;
import dev.ropewalk.fibers.internal.boot.CordStarter;
import dev.ropewalk.fibers.internal.boot.CordThread;
import dev.ropewalk.fibers.internal.boot.TurnDriver;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.CurrentCord;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.platform.Checks;
import dev.ropewalk.fibers.internal.platform.JvmFlags;
import dev.ropewalk.fibers.internal.platform.Platform;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.internal.platform.VirtualPlatform;
import dev.ropewalk.fibers.internal.platform.VirtualTime;
import dev.ropewalk.fibers.internal.report.DeadlockReport;
import dev.ropewalk.fibers.internal.timer.Timer;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Several cords that share the calling thread and one virtual clock: the same program and seed run
 * the same way twice, also where cords meet (rule F14).
 *
 * <p>Each is a cord like any other, with a run queue, timers and an inbox of its own, and messages
 * between cords go as between threads. The turns are drawn from the seed: which cord goes on, for
 * how long, and whether it runs a fiber, takes a message, or fires its timers. Time jumps to the
 * earliest timer of all when no cord has anything to do.
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

    /** The longest time that a cord goes on is the power of two below this. */
    private static final int BURST_BITS = 6;

    private final SplittableRandom random;
    private final VirtualTime time;
    private final List<TurnDriver> all = new ArrayList<>();

    /** The cords that have not ended. */
    private final List<TurnDriver> alive = new ArrayList<>();

    private final List<TurnDriver> ready = new ArrayList<>();
    private final List<Throwable> broken = new ArrayList<>();
    private boolean isClosing;

    private VirtualCords(long seed) {
        this.random = new SplittableRandom(seed);
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
        JvmFlags.check();
        CallerCheck.check();
        VirtualCords run = new VirtualCords(clock.seed());
        run.make(options, clock.seededOrder(), cords, body);
        CordThread.onCallersCpus(options, run::drive);
        run.throwBroken();
        return (T) CordImpl.of(run.all.getFirst().cord).root().await();
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

    private void make(CordOptions options, boolean seededOrder, int cords, Body<?> body) {
        for (int i = 0; i < cords; i++) {
            CordOptions own = options.withName(options.name() + "-" + i);
            Platform platform = new VirtualPlatform(random.split(), seededOrder, time);
            all.add(CordStarter.inTurns(own, platform, i == 0 ? () -> runChecked(body) : null));
        }
        alive.addAll(all);
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
                TurnDriver next = draw();
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

    private @Nullable TurnDriver draw() {
        ready.clear();
        for (TurnDriver each : alive) {
            if (each.hasTurn()) {
                ready.add(each);
            }
        }
        return ready.isEmpty() ? null : ready.get(random.nextInt(ready.size()));
    }

    private void takeTurns(TurnDriver cord) {
        int turns = 1 << random.nextInt(1 + random.nextInt(BURST_BITS)); // short ones more often
        try {
            for (int i = 0; i < turns && cord.hasTurn(); i++) {
                if (!cord.takeTurn()) {
                    alive.remove(cord);
                    cord.end();
                    return;
                }
            }
        } catch (Throwable e) {
            giveUp(cord, e);
        }
    }

    /** The others do not outlive the first. */
    private void closeOthersAfterFirst() {
        if (!isClosing && !alive.contains(all.getFirst())) {
            isClosing = true;
            for (TurnDriver each : alive) {
                CordImpl.of(each.cord).root().terminate();
            }
        }
    }

    private void giveUp(TurnDriver cord, Throwable why) {
        if (!broken.contains(why)) {
            broken.add(why);
        }
        if (alive.remove(cord)) {
            cord.giveUp(why);
        }
    }

    /** Time goes on to the earliest timer; false without one. */
    private boolean jump() {
        Timer earliest = null;
        for (TurnDriver each : alive) {
            Timer next = CordImpl.of(each.cord).timers.earliest();
            boolean isEarlier =
                    next != null && (earliest == null || next.deadlineNs - earliest.deadlineNs < 0);
            earliest = isEarlier ? next : earliest;
        }
        if (earliest == null) {
            return false;
        }
        time.moveOnTo(earliest.deadlineNs);
        return true;
    }

    private void reportDeadlock() {
        DeadlockException deadlock =
                new DeadlockException(
                        DeadlockReport.of(alive.stream().map(each -> each.cord).toList()));
        TurnDriver first = all.getFirst();
        boolean isTold = alive.contains(first) && !first.cord.root().isEnding();
        if (isTold) {
            first.asCurrent(() -> first.cord.root().raiseHere(deadlock));
        }
        if (!isTold || !first.hasTurn()) { // only the caller of run is left to be told
            for (TurnDriver each : List.copyOf(alive)) {
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

    // ---------------------------------------------------------------- for readers

    /**
     * {@return the fibers of this run that are alive, but the caller and the cords' root fibers}
     *
     * <p>For tests that must leave no fiber behind. A fiber without a parent below the roots, such
     * as that of {@link Cord#execute}, is among them from when its cord has taken the message.
     *
     * @throws IllegalStateException if no fiber of such a run is the caller
     */
    public static List<Fiber<?>> living() {
        Fiber<?> caller = Fiber.currentOrNull();
        if (!(CurrentCord.driver() instanceof VirtualCords run) || caller == null) {
            throw new IllegalStateException(
                    "no run on "
                            + Thread.currentThread()
                            + ": call this in a fiber, inside VirtualCords.run(...)");
        }
        Set<Fiber<?>> all = new LinkedHashSet<>();
        for (TurnDriver driver : run.alive) {
            for (Fiber<?> each : CordImpl.of(driver.cord).roster.fibers()) {
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
