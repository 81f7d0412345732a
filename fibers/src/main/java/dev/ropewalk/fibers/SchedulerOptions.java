package dev.ropewalk.fibers;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * How a {@link Scheduler} is made; immutable. Start from {@link #named} and change what differs.
 *
 * @param name the scheduler's name; its cords are called {@code name-0}, {@code name-1} and so on
 * @param cords how many cords it starts, 0 to 1,024; with 0 its tasks run on bound threads alone
 * @param cord how each cord is made, those of bound threads too; the name is replaced
 * @param drainLimit how long {@link Scheduler#close} waits for tasks before it terminates them, and
 *     how long the end of a bound thread's body waits for those on that thread
 * @param isOneCpuEach whether each cord it starts gets one of the CPUs of the cord's options, in
 *     turn; else each may run on any of them
 * @param maxPending how many tasks may wait to be started, at least 1; {@link Integer#MAX_VALUE}
 *     for any number
 */
public record SchedulerOptions(
        String name,
        int cords,
        CordOptions cord,
        Duration drainLimit,
        boolean isOneCpuEach,
        int maxPending) {
    private static final int MAX_CORDS = 1_024;
    private static final Duration DEFAULT_DRAIN_LIMIT = Duration.ofSeconds(30);

    /** Checks the values. */
    public SchedulerOptions {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(cord, "cord");
        if (cords < 0 || cords > MAX_CORDS) {
            throw new IllegalArgumentException(
                    "cords="
                            + cords
                            + " of scheduler "
                            + name
                            + " is not in 0.."
                            + MAX_CORDS
                            + "; one for each processor is the default");
        }
        if (cords > 0 && cord.clock() instanceof CordOptions.VirtualClock) {
            throw new IllegalArgumentException(
                    "cords="
                            + cords
                            + " of scheduler "
                            + name
                            + " cannot have threads of their own on clock="
                            + cord.clock()
                            + "; take 0 cords and bind the caller's thread");
        }
        if (maxPending < 1) {
            throw new IllegalArgumentException(
                    "maxPending="
                            + maxPending
                            + " of scheduler "
                            + name
                            + " < 1: no task could be spun; Integer.MAX_VALUE is no bound");
        }
        try {
            Waits.nanos(drainLimit);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "drainLimit=" + drainLimit + " of scheduler " + name + ": " + e.getMessage(),
                    e);
        }
    }

    /**
     * {@return the defaults: a cord for each processor, made by {@link CordOptions#named}, and a
     * drain limit of 30 s, and no bound on the tasks that wait}
     *
     * @param name the scheduler's name
     */
    public static SchedulerOptions named(String name) {
        return new SchedulerOptions(
                name,
                Math.min(Runtime.getRuntime().availableProcessors(), MAX_CORDS),
                CordOptions.named(name),
                DEFAULT_DRAIN_LIMIT,
                false,
                Integer.MAX_VALUE);
    }

    /**
     * {@return these options with another number of cords}
     *
     * @param number how many cords are started
     */
    public SchedulerOptions withCords(int number) {
        return new SchedulerOptions(name, number, cord, drainLimit, isOneCpuEach, maxPending);
    }

    /**
     * {@return these options with other options for each cord}
     *
     * @param options how a cord is made; its name is replaced
     */
    public SchedulerOptions withCord(CordOptions options) {
        return new SchedulerOptions(name, cords, options, drainLimit, isOneCpuEach, maxPending);
    }

    /**
     * {@return these options with another drain limit}
     *
     * @param limit how long tasks may go on before they are terminated
     */
    public SchedulerOptions withDrainLimit(Duration limit) {
        return new SchedulerOptions(name, cords, cord, limit, isOneCpuEach, maxPending);
    }

    /**
     * {@return these options with one CPU for each cord, in turn, instead of all for each} The CPUs
     * are those of {@link CordOptions#withCpus}, without which this has no effect.
     */
    public SchedulerOptions withOneCpuEach() {
        return new SchedulerOptions(name, cords, cord, drainLimit, true, maxPending);
    }

    /**
     * {@return these options with a bound on the tasks that wait to be started} Beyond it {@link
     * Scheduler#spin} and {@link Scheduler#execute} throw a {@link TaskRejectedException}, whoever
     * calls, so that the caller sees the pressure; they do not wait, for a fiber can do that by
     * itself, with a {@code Semaphore} of {@code fibers.sync}. {@link Parallel} goes on with fewer
     * fibers then; a {@link Dag} or {@link Scope} fails. Without a bound there is a {@link
     * WatchdogReport.Growing} when very many wait.
     *
     * @param tasks how many may wait, on all cords together; those that run do not count; {@link
     *     Integer#MAX_VALUE}, the default, for any number
     * @throws IllegalArgumentException if it is less than 1
     */
    public SchedulerOptions withMaxPending(int tasks) {
        return new SchedulerOptions(name, cords, cord, drainLimit, isOneCpuEach, tasks);
    }

    /** How one of the cords is made that the scheduler starts. */
    CordOptions cord(int index) {
        CordOptions named = cord.withName(name + "-" + index);
        List<Integer> cpus = cord.thread().cpus().stream().sorted().toList();
        return isOneCpuEach && !cpus.isEmpty()
                ? named.withCpus(cpus.get(index % cpus.size()))
                : named;
    }
}
