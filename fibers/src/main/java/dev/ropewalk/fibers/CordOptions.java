package dev.ropewalk.fibers;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Objects;

/**
 * How a cord is made; immutable. Start from {@link #named} and change what differs.
 *
 * @param name the cord's name, also its thread's when the cord has one of its own
 * @param stackSize size in bytes of the stack of a cord's own thread
 * @param stopLimit how long a fiber that ends waits for its children before it abandons them
 * @param uncaught is told what nobody else takes
 * @param clock real or virtual time
 * @param stacks what its fibers run on
 */
public record CordOptions(
        String name,
        long stackSize,
        Duration stopLimit,
        UncaughtHandler uncaught,
        Clock clock,
        StackKind stacks) {

    private static final long DEFAULT_STACK_SIZE = 16L << 20;
    private static final Duration DEFAULT_STOP_LIMIT = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger("dev.ropewalk.fibers");

    /** Where a cord's time and randomness come from. */
    public sealed interface Clock {}

    /** The machine's monotonic clock. */
    public record RealClock() implements Clock {}

    /**
     * A clock that jumps to the next timer when nothing is runnable. Nothing else may schedule the
     * cord's fibers from other threads: when nothing is runnable and no timer is armed, the cord's
     * root fiber fails with {@link DeadlockException}. Time stands still while a fiber is runnable,
     * so a loop of {@code snooze} that waits for a timer never ends: sleep in it instead.
     *
     * @param seed of the cord's random numbers
     * @param seededOrder whether the run queue's order is drawn from the seed too
     */
    public record VirtualClock(long seed, boolean seededOrder) implements Clock {}

    /** Checks the values. */
    public CordOptions {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(stopLimit, "stopLimit");
        Objects.requireNonNull(uncaught, "uncaught");
        Objects.requireNonNull(clock, "clock");
        Objects.requireNonNull(stacks, "stacks");
        if (stacks == StackKind.VIRTUAL_THREAD && clock instanceof VirtualClock) {
            throw new IllegalArgumentException(
                    "stacks=VIRTUAL_THREAD of cord "
                            + name
                            + " cannot run on clock="
                            + clock
                            + ": what the JDK waits for takes real time; use StackKind.LIGHT");
        }
        if (stackSize < 0) {
            throw new IllegalArgumentException(
                    "stackSize=" + stackSize + " < 0 for cord " + name + "; 0 means the default");
        }
        try {
            Waits.nanos(stopLimit);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "stopLimit=" + stopLimit + " of cord " + name + ": " + e.getMessage(), e);
        }
    }

    /**
     * {@return the defaults: a stack of 16 MiB, a stop limit of 5 s, real time, failures logged,
     * light stacks}
     *
     * @param name the cord's name
     */
    public static CordOptions named(String name) {
        return new CordOptions(
                name,
                DEFAULT_STACK_SIZE,
                DEFAULT_STOP_LIMIT,
                CordOptions::log,
                new RealClock(),
                StackKind.LIGHT);
    }

    /**
     * {@return these options with another name}
     *
     * @param other the cord's name
     */
    public CordOptions withName(String other) {
        return new CordOptions(other, stackSize, stopLimit, uncaught, clock, stacks);
    }

    /**
     * {@return these options with another stack size}
     *
     * @param bytes size of the thread's stack in bytes
     */
    public CordOptions withStackSize(long bytes) {
        return new CordOptions(name, bytes, stopLimit, uncaught, clock, stacks);
    }

    /**
     * {@return these options with another stop limit}
     *
     * @param limit how long an ending fiber waits for its children
     */
    public CordOptions withStopLimit(Duration limit) {
        return new CordOptions(name, stackSize, limit, uncaught, clock, stacks);
    }

    /**
     * {@return these options with another uncaught handler}
     *
     * @param handler is told what nobody else takes
     */
    public CordOptions withUncaught(UncaughtHandler handler) {
        return new CordOptions(name, stackSize, stopLimit, handler, clock, stacks);
    }

    /**
     * {@return these options with another clock}
     *
     * @param other real or virtual time
     */
    public CordOptions withClock(Clock other) {
        return new CordOptions(name, stackSize, stopLimit, uncaught, other, stacks);
    }

    /**
     * {@return these options with another kind of stacks}
     *
     * @param kind what the cord's fibers run on
     */
    public CordOptions withStacks(StackKind kind) {
        return new CordOptions(name, stackSize, stopLimit, uncaught, clock, kind);
    }

    private static void log(Fiber<?> fiber, Throwable failure) {
        LOG.error("uncaught in {}", fiber.lineage(), failure);
    }
}
