package dev.ropewalk.fibers.scheduler;

import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.observe.WatchdogReport;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How a {@link Scheduler} is made; immutable. Start from {@link #named} and change what differs.
 */
public final class SchedulerOptions {
    private static final int MAX_CORDS = 1_024;

    private final Values values;

    private SchedulerOptions(Values values) {
        String name = Objects.requireNonNull(values.name, "name");
        Objects.requireNonNull(values.cord, "cord");
        if (values.cords < 0 || values.cords > MAX_CORDS) {
            throw new IllegalArgumentException(
                    "cords="
                            + values.cords
                            + " of scheduler "
                            + name
                            + " is not in 0.."
                            + MAX_CORDS
                            + "; one for each processor is the default");
        }
        if (values.cords > 0 && values.cord.clock() instanceof CordOptions.VirtualClock) {
            throw new IllegalArgumentException(
                    "cords="
                            + values.cords
                            + " of scheduler "
                            + name
                            + " cannot have threads of their own on clock="
                            + values.cord.clock()
                            + "; take 0 cords and bind the caller's thread");
        }
        if (values.maxPending < 1) {
            throw new IllegalArgumentException(
                    "maxPending="
                            + values.maxPending
                            + " of scheduler "
                            + name
                            + " < 1: no task could be spun; Integer.MAX_VALUE is no bound");
        }
        try {
            Waits.nanos(values.drainLimit);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "drainLimit="
                            + values.drainLimit
                            + " of scheduler "
                            + name
                            + ": "
                            + e.getMessage(),
                    e);
        }
        this.values = values;
    }

    /**
     * {@return the defaults: a cord for each processor, made by {@link CordOptions#named}, and a
     * drain limit of 30 s, and no bound on the tasks that wait}
     *
     * @param name the scheduler's name
     */
    public static SchedulerOptions named(String name) {
        return new SchedulerOptions(new Values(name));
    }

    /**
     * {@return the scheduler's name; its cords are called {@code name-0}, {@code name-1} and so on}
     */
    public String name() {
        return values.name;
    }

    /**
     * {@return how many cords it starts, 0 to 1,024; with 0 its tasks run on bound threads alone}
     */
    public int cords() {
        return values.cords;
    }

    /** {@return how each cord is made, those of bound threads too; the name is replaced} */
    public CordOptions cord() {
        return values.cord;
    }

    /**
     * {@return how long {@link Scheduler#close} waits for tasks before it terminates them, and how
     * long the end of a bound thread's body waits for those on that thread}
     */
    public Duration drainLimit() {
        return values.drainLimit;
    }

    /**
     * {@return whether each cord it starts gets one of the CPUs of the cord's options, in turn;
     * otherwise each may run on any of them}
     */
    public boolean isOneCpuEach() {
        return values.isOneCpuEach;
    }

    /**
     * {@return how many tasks may wait to be started, at least 1; {@link Integer#MAX_VALUE} for any
     * number}
     */
    public int maxPending() {
        return values.maxPending;
    }

    /**
     * {@return these options with another number of cords}
     *
     * @param number how many cords are started
     */
    public SchedulerOptions withCords(int number) {
        return with(copy -> copy.cords = number);
    }

    /**
     * {@return these options with other options for each cord}
     *
     * @param options how a cord is made; its name is replaced
     */
    public SchedulerOptions withCord(CordOptions options) {
        return with(copy -> copy.cord = options);
    }

    /**
     * {@return these options with another drain limit}
     *
     * @param limit how long tasks may go on before they are terminated
     */
    public SchedulerOptions withDrainLimit(Duration limit) {
        return with(copy -> copy.drainLimit = limit);
    }

    /**
     * {@return these options with one CPU for each cord, in turn, instead of all for each} The CPUs
     * are those of {@link CordOptions#withCpus}, without which this has no effect.
     */
    public SchedulerOptions withOneCpuEach() {
        return with(copy -> copy.isOneCpuEach = true);
    }

    /**
     * {@return these options with a bound on the tasks that wait to be started} Beyond it {@link
     * Scheduler#spin} and {@link Scheduler#execute} throw a {@link TaskRejectedException} to any
     * caller, so that the caller sees the pressure; they do not wait, because a fiber can do that
     * by itself, with a {@code Semaphore} of {@code fibers.sync}. {@link Parallel} goes on with
     * fewer fibers then; a {@link Dag} or {@link Scope} fails. Without a bound there is a {@link
     * WatchdogReport.Growing} when very many wait.
     *
     * @param tasks how many may wait, on all cords together; tasks that run do not count; {@link
     *     Integer#MAX_VALUE}, the default, for any number
     * @throws IllegalArgumentException if it is less than 1
     */
    public SchedulerOptions withMaxPending(int tasks) {
        return with(copy -> copy.maxPending = tasks);
    }

    private SchedulerOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new SchedulerOptions(copy);
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        final String name;
        int cords = Math.min(Runtime.getRuntime().availableProcessors(), MAX_CORDS);
        CordOptions cord;
        Duration drainLimit = Duration.ofSeconds(30);
        boolean isOneCpuEach;
        int maxPending = Integer.MAX_VALUE;

        Values(String name) {
            this.name = name;
            this.cord = CordOptions.named(name);
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
