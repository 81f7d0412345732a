package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.observe.Slice;
import dev.ropewalk.fibers.observe.SliceLimits;
import dev.ropewalk.fibers.observe.WatchOptions;
import dev.ropewalk.fibers.observe.WatchdogHandler;
import dev.ropewalk.fibers.observe.WatchdogReport;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/** How a cord is made; immutable. Start from {@link #named} and change what differs. */
public final class CordOptions {
    private static final Log LOG = Logs.logger("dev.ropewalk.fibers");

    /** {@code -Dropewalk.lateUnmount=true} tries it on all cords of a program. */
    private static final boolean LATE_UNMOUNT = Boolean.getBoolean("ropewalk.lateUnmount");

    /** Where a cord's time and randomness come from. */
    public sealed interface Clock {}

    /** The machine's monotonic clock. */
    public record RealClock() implements Clock {}

    /**
     * A clock that jumps to the next timer when nothing is runnable. Other threads must not
     * schedule the cord's fibers: when nothing is runnable and no timer is armed, the cord's root
     * fiber fails with {@link DeadlockException}. Time stands still while a fiber is runnable, so a
     * loop of {@code snooze} that waits for a timer never ends: sleep in it instead.
     *
     * @param seed of the cord's random numbers
     * @param seededOrder whether the run queue's order is drawn from the seed too
     */
    public record VirtualClock(long seed, boolean seededOrder) implements Clock {}

    private final Values values;

    private CordOptions(Values values) {
        String name = Objects.requireNonNull(values.name, "name");
        Objects.requireNonNull(values.thread, "thread");
        Objects.requireNonNull(values.stopLimit, "stopLimit");
        Objects.requireNonNull(values.uncaught, "uncaught");
        Objects.requireNonNull(values.clock, "clock");
        Objects.requireNonNull(values.stacks, "stacks");
        Objects.requireNonNull(values.watch, "watch");
        if (values.maxFibers < 1) {
            throw new IllegalArgumentException(
                    "maxFibers="
                            + values.maxFibers
                            + " < 1: cord "
                            + name
                            + " could run nothing but its root fiber; Integer.MAX_VALUE means no"
                            + " limit");
        }
        if (values.stacks == StackKind.VIRTUAL_THREAD && values.clock instanceof VirtualClock) {
            throw new IllegalArgumentException(
                    "stacks=VIRTUAL_THREAD of cord "
                            + name
                            + " cannot run on clock="
                            + values.clock
                            + ": a wait of the JDK takes real time; use StackKind.LIGHT");
        }
        if (values.stacks == StackKind.PORTABLE && values.lateUnmount) {
            throw new IllegalArgumentException(
                    "stacks=PORTABLE of cord "
                            + name
                            + " cannot have lateUnmount=true, which is for stacks that leave their"
                            + " thread; use StackKind.LIGHT, or leave late unmount out");
        }
        if (values.stacks == StackKind.PORTABLE && !values.thread.cpus().isEmpty()) {
            throw new IllegalArgumentException(
                    "stacks=PORTABLE of cord "
                            + name
                            + " cannot have cpus="
                            + values.thread.cpus()
                            + ", because its fibers run on threads of the JDK's scheduler; use"
                            + " StackKind.LIGHT, or leave withCpus out");
        }
        try {
            Waits.nanos(values.stopLimit);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "stopLimit=" + values.stopLimit + " of cord " + name + ": " + e.getMessage(),
                    e);
        }
        this.values = values;
    }

    /**
     * {@return the defaults: a stack of 16 MiB, a stop limit of 5 s, real time, failures logged,
     * light stacks, cords reported that are stuck for 500 ms}
     *
     * @param name the cord's name
     */
    public static CordOptions named(String name) {
        return new CordOptions(new Values(name));
    }

    // ---------------------------------------------------------------- the values

    /** {@return the cord's name, also its thread's when the cord has one of its own} */
    public String name() {
        return values.name;
    }

    /** {@return the cord's thread} */
    public ThreadOptions thread() {
        return values.thread;
    }

    /** {@return the size in bytes of the stack of a cord's own thread} */
    public long stackSize() {
        return values.thread.stackSize();
    }

    /** {@return how long a fiber that ends waits for its children before it abandons them} */
    public Duration stopLimit() {
        return values.stopLimit;
    }

    /** {@return the handler that is told failures which no other takes} */
    public UncaughtHandler uncaught() {
        return values.uncaught;
    }

    /** {@return real or virtual time} */
    public Clock clock() {
        return values.clock;
    }

    /** {@return what its fibers run on} */
    public StackKind stacks() {
        return values.stacks;
    }

    /** {@return what the cord's root fiber runs first; null for nothing} */
    public @Nullable Action initialiser() {
        return values.initialiser;
    }

    /**
     * {@return whether a light stack is left only when it must be; see {@link #withLateUnmount}}
     */
    public boolean lateUnmount() {
        return values.lateUnmount;
    }

    /** {@return how fibers that do not yield are seen} */
    public WatchOptions watch() {
        return values.watch;
    }

    /** {@return the hooks that carry context which is bound to the thread; empty by default} */
    public List<SwitchHook<?>> switchHooks() {
        return values.switchHooks;
    }

    /** {@return how many fibers it may have at once; see {@link #withMaxFibers}} */
    public int maxFibers() {
        return values.maxFibers;
    }

    // ---------------------------------------------------------------- the thread

    /**
     * {@return these options with another name}
     *
     * @param other the cord's name
     */
    public CordOptions withName(String other) {
        return with(copy -> copy.name = other);
    }

    /**
     * {@return these options with another stack size}
     *
     * @param bytes size of the thread's stack in bytes
     */
    public CordOptions withStackSize(long bytes) {
        return withThread(values.thread.withStackSize(bytes));
    }

    /**
     * {@return these options with a factory for the threads of started cords}
     *
     * <p>{@link Cord#start} calls it once. It must give a new, unstarted platform thread for the
     * Runnable that it is given; stack size, name, priority and whether it is a daemon are the
     * factory's choice. {@link Cord#run} has a thread already, and refuses a factory.
     *
     * @param factory makes the thread
     */
    public CordOptions withThreadFactory(ThreadFactory factory) {
        Objects.requireNonNull(factory, "factory");
        return withThread(values.thread.withFactory(factory));
    }

    /**
     * {@return these options with the CPUs that the cord's thread may run on}
     *
     * <p>The thread sets them itself before it runs anything of the cord, on Linux; elsewhere, and
     * where the system refuses one of them, {@link Cord#start} and {@link Cord#run} throw. {@code
     * Cord.run} gives the calling thread its own ones back at the end. A thread that is made by a
     * restricted one inherits its CPUs: mind that in the cord's fibers, and where they are the
     * first to use a pool.
     *
     * @param cpus their numbers, each once; empty for those of the thread that makes the cord's
     * @throws IllegalArgumentException if a number is negative, too large for any system, or there
     *     twice
     */
    public CordOptions withCpus(int... cpus) {
        Set<Integer> all = new TreeSet<>();
        for (int cpu : cpus) {
            if (!all.add(cpu)) {
                throw new IllegalArgumentException(
                        "cpus="
                                + Arrays.toString(cpus)
                                + " of cord "
                                + values.name
                                + " has "
                                + cpu
                                + " twice; name each once");
            }
        }
        return withThread(values.thread.withCpus(all));
    }

    private CordOptions withThread(ThreadOptions other) {
        return with(copy -> copy.thread = other);
    }

    // ---------------------------------------------------------------- the rest

    /**
     * {@return these options with another stop limit}
     *
     * @param limit how long an ending fiber waits for its children
     */
    public CordOptions withStopLimit(Duration limit) {
        return with(copy -> copy.stopLimit = limit);
    }

    /**
     * {@return these options with another uncaught handler}
     *
     * @param handler is told failures which no other takes
     */
    public CordOptions withUncaught(UncaughtHandler handler) {
        return with(copy -> copy.uncaught = handler);
    }

    /**
     * {@return these options with another clock}
     *
     * @param other real or virtual time
     */
    public CordOptions withClock(Clock other) {
        return with(copy -> copy.clock = other);
    }

    /**
     * {@return these options with another kind of stacks}
     *
     * @param kind what the cord's fibers run on
     */
    public CordOptions withStacks(StackKind kind) {
        return with(copy -> copy.stacks = kind);
    }

    /**
     * {@return these options with something that each cord runs first}
     *
     * <p>It runs as the cord's root fiber, before the body, and may wait and spin fibers, which
     * live on until the cord ends. Fibers that others spin on the cord meanwhile start when it is
     * done, so it must not wait for them; messages are taken, so it may wait for a message. If it
     * throws, the cord ends: its failure comes out of {@link Cord#run}, or of the root's {@link
     * Fiber#await}, or goes to the uncaught handler, and a fiber that has not started gets a {@link
     * CordClosedException}.
     *
     * @param action runs once on each cord, where {@link Cord#current} says which
     */
    public CordOptions withInitialiser(Action action) {
        Objects.requireNonNull(action, "action");
        return with(copy -> copy.initialiser = action);
    }

    /**
     * {@return these options, with late unmount or without it} A fiber that waits leaves its stack
     * only when it must, so that two fibers which wake each other cost two thirds. The price: a
     * monitor that a fiber holds while it waits is silently lost, and others enter it. So no fiber
     * of the cord may wait inside a {@code synchronized} block or method, nor below one of a
     * library. Nor may one wait in a class initialiser: the wait is not refused there, and other
     * fibers of the cord see the class half made, {@code null} in its constants. Stacks that are
     * mounted on each other share the thread's, so it is not for fibers that come close to its end.
     * Has no effect on virtual threads, in a seeded order, on bound threads, on cords that share a
     * thread, and beside switch hooks.
     *
     * @param on whether stacks are left late; the default is false
     */
    public CordOptions withLateUnmount(boolean on) {
        return with(copy -> copy.lateUnmount = on);
    }

    // ---------------------------------------------------------------- watching

    /**
     * {@return these options with another limit for the watchdog}
     *
     * <p>A cord that is busy, and has not come to a switchpoint for this long, is reported to the
     * {@linkplain #withStuckHandler handler}: its other fibers, timers and messages wait meanwhile.
     * There is no report of a cord that sleeps, unless all its fibers wait for each other (see
     * {@link WatchdogReport.AllWait}), nor of a cord whose fibers block in calls of the JDK on
     * virtual threads. The watchdog checks every millisecond, and allows for its own thread being
     * late; it costs the cord nothing. A reactor that has sockets and is not polled for as long is
     * reported too ({@link WatchdogReport.SilentReactor}). It does not watch over a cord on a
     * virtual clock, where no time passes in a fiber.
     *
     * @param limit 500 ms unless changed; {@link Waits#FOREVER} switches the watchdog off
     * @throws IllegalArgumentException if it is zero, negative or longer than 292 years
     */
    public CordOptions withStuckLimit(Duration limit) {
        return withWatch(values.watch.withStuckLimit(limit));
    }

    /**
     * {@return these options with another handler for the watchdog's reports}
     *
     * @param handler is told of it; unless changed, a warning is logged
     */
    public CordOptions withStuckHandler(WatchdogHandler handler) {
        return withWatch(values.watch.withStuckHandler(handler));
    }

    /**
     * {@return these options with other limits for {@link Slice#checkpoint}}
     *
     * @param limits of the fibers that set no limits for themselves; unless changed, a warning
     *     after 500 ms and an error after a second
     */
    public CordOptions withSliceLimits(SliceLimits limits) {
        return withWatch(values.watch.withSliceLimits(limits));
    }

    private CordOptions withWatch(WatchOptions other) {
        return with(copy -> copy.watch = other);
    }

    /**
     * {@return these options with hooks that carry context which is bound to the thread}
     *
     * @param hooks all of them, in the order in which they are asked; empty to remove them
     */
    public CordOptions withSwitchHooks(SwitchHook<?>... hooks) {
        return with(copy -> copy.switchHooks = List.of(hooks));
    }

    /**
     * {@return these options with a limit for the number of fibers} A guard against a program that
     * spins more than it ends, which would fill the memory otherwise; a {@code Semaphore} is the
     * means to hold callers back. All fibers of the cord count from when they are spun until they
     * have ended, wherever they were spun, but for the root; so do coroutines, generators,
     * handlers, and the fibers of the library itself. A fiber that is spun beyond the limit fails
     * with a {@link TooManyFibersException}, and all others go on.
     *
     * <p>A task of a {@link Scheduler} counts once a cord starts it. A cord that is full steals no
     * task, and passes its own tasks on to a cord that is not; if all are full, the task fails. So
     * the limit bounds the fibers that run, not the tasks that wait to be started.
     *
     * @param max at least 1; {@code Integer.MAX_VALUE}, the default, for no limit
     * @throws IllegalArgumentException if it is less than 1
     */
    public CordOptions withMaxFibers(int max) {
        return with(copy -> copy.maxFibers = max);
    }

    private CordOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new CordOptions(copy);
    }

    /** Logs an uncaught failure, the default. */
    private static final class Logged implements UncaughtHandler {
        @Override
        public void uncaught(Fiber<?> fiber, Throwable failure) {
            LOG.error("uncaught in {}", fiber.lineage(), failure);
        }
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        String name;
        ThreadOptions thread = ThreadOptions.DEFAULT;
        Duration stopLimit = Duration.ofSeconds(5);
        UncaughtHandler uncaught = new Logged();
        Clock clock = new RealClock();
        StackKind stacks = StackKind.LIGHT;
        @Nullable Action initialiser;
        boolean lateUnmount = LATE_UNMOUNT;
        WatchOptions watch = WatchOptions.DEFAULT;
        List<SwitchHook<?>> switchHooks = List.of();
        int maxFibers = Integer.MAX_VALUE;

        Values(String name) {
            this.name = name;
        }

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
