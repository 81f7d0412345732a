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
 */
public record SchedulerOptions(
        String name, int cords, CordOptions cord, Duration drainLimit, boolean isOneCpuEach) {
    private static final int MOST_CORDS = 1_024;
    private static final Duration DEFAULT_DRAIN_LIMIT = Duration.ofSeconds(30);

    /** Checks the values. */
    public SchedulerOptions {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(cord, "cord");
        if (cords < 0 || cords > MOST_CORDS) {
            throw new IllegalArgumentException(
                    "cords="
                            + cords
                            + " of scheduler "
                            + name
                            + " is not in 0.."
                            + MOST_CORDS
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
     * drain limit of 30 s}
     *
     * @param name the scheduler's name
     */
    public static SchedulerOptions named(String name) {
        return new SchedulerOptions(
                name,
                Math.min(Runtime.getRuntime().availableProcessors(), MOST_CORDS),
                CordOptions.named(name),
                DEFAULT_DRAIN_LIMIT,
                false);
    }

    /**
     * {@return these options with another number of cords}
     *
     * @param number how many cords are started
     */
    public SchedulerOptions withCords(int number) {
        return new SchedulerOptions(name, number, cord, drainLimit, isOneCpuEach);
    }

    /**
     * {@return these options with other options for each cord}
     *
     * @param options how a cord is made; its name is replaced
     */
    public SchedulerOptions withCord(CordOptions options) {
        return new SchedulerOptions(name, cords, options, drainLimit, isOneCpuEach);
    }

    /**
     * {@return these options with another drain limit}
     *
     * @param limit how long tasks may go on before they are terminated
     */
    public SchedulerOptions withDrainLimit(Duration limit) {
        return new SchedulerOptions(name, cords, cord, limit, isOneCpuEach);
    }

    /**
     * {@return these options with one CPU for each cord, in turn, instead of all for each} The CPUs
     * are those of {@link CordOptions#withCpus}, without which this has no effect.
     */
    public SchedulerOptions withOneCpuEach() {
        return new SchedulerOptions(name, cords, cord, drainLimit, true);
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
