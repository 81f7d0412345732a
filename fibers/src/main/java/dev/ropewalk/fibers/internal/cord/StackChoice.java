package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.JvmFlags;
import dev.ropewalk.fibers.internal.platform.JvmFlags.Tie;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Which stacks a cord gets: those of its options where this JVM has them, otherwise portable ones
 * in place of light ones, with one warning a process (rule F11).
 */
public final class StackChoice {
    /**
     * {@code light} makes the lack of light stacks an error, {@code portable} forces the others.
     */
    private static final String PROPERTY = "ropewalk.stacks";

    private static final Log LOG = Logs.logger(Cord.class);
    private static final AtomicBoolean IS_WARNED = new AtomicBoolean();

    private StackChoice() {}

    /**
     * The stacks that a cord with these options has.
     *
     * @throws IllegalStateException if the JVM lacks the flag for those that it must have
     * @throws IllegalArgumentException if the property has no meaning
     */
    public static StackKind of(CordOptions options) {
        return of(options, wish(System.getProperty(PROPERTY)), Tie.CONTINUATIONS.isThere());
    }

    /** Whether a cord can have the kind. */
    public static boolean isAvailable(StackKind kind) {
        boolean isForbidden = wish(System.getProperty(PROPERTY)) == StackKind.PORTABLE;
        return switch (kind) {
            case LIGHT -> !isForbidden && Tie.CONTINUATIONS.isThere();
            case VIRTUAL_THREAD -> !isForbidden && Tie.SCHEDULED_THREADS.isThere();
            case PORTABLE -> true;
        };
    }

    /** With what the property and the JVM say. */
    static StackKind of(CordOptions options, @Nullable StackKind wish, boolean hasLight) {
        return switch (options.stacks()) {
            case VIRTUAL_THREAD -> virtual(options, wish);
            case PORTABLE -> StackKind.PORTABLE;
            case LIGHT -> light(options, wish, hasLight);
        };
    }

    /** Null if the property is not set. */
    static @Nullable StackKind wish(@Nullable String value) {
        if (value == null) {
            return null;
        }
        return switch (value) {
            case "light" -> StackKind.LIGHT;
            case "portable" -> StackKind.PORTABLE;
            default ->
                    throw new IllegalArgumentException(
                            "-D"
                                    + PROPERTY
                                    + "="
                                    + value
                                    + " is neither light nor portable; leave it out to have light"
                                    + " stacks where this JVM allows them, and portable ones"
                                    + " elsewhere");
        };
    }

    private static StackKind virtual(CordOptions options, @Nullable StackKind wish) {
        String cord = "cord " + options.name();
        if (wish == StackKind.PORTABLE) {
            throw new IllegalStateException(
                    cord
                            + " has stacks=VIRTUAL_THREAD, and -D"
                            + PROPERTY
                            + "=portable forbids them; leave one of the two out");
        }
        if (!Tie.SCHEDULED_THREADS.isThere()) {
            throw JvmFlags.lack(
                    cord + " cannot have stacks=VIRTUAL_THREAD",
                    Tie.SCHEDULED_THREADS,
                    "leave withStacks out, and wrap calls that block into Blocking.call");
        }
        return StackKind.VIRTUAL_THREAD;
    }

    private static StackKind light(
            CordOptions options, @Nullable StackKind wish, boolean hasLight) {
        String cord = "cord " + options.name();
        boolean hasCpus = !options.thread().cpus().isEmpty();
        if (wish == StackKind.PORTABLE) {
            if (hasCpus) {
                throw new IllegalStateException(
                        cord
                                + " has cpus="
                                + options.thread().cpus()
                                + ", and -D"
                                + PROPERTY
                                + "=portable forbids the stacks that run on the cord's own thread;"
                                + " leave one of the two out");
            }
            if (options.lateUnmount()) {
                throw new IllegalStateException(
                        cord
                                + " has lateUnmount=true, and -D"
                                + PROPERTY
                                + "=portable forbids the light stacks that it needs; leave one of"
                                + " the two out");
            }
            return StackKind.PORTABLE;
        }
        if (hasLight) {
            return StackKind.LIGHT;
        }
        if (options.lateUnmount()) {
            throw JvmFlags.lack(
                    cord + " has lateUnmount=true and cannot have the light stacks that it needs",
                    Tie.CONTINUATIONS,
                    "leave late unmount out");
        }
        if (hasCpus) {
            throw JvmFlags.lack(
                    cord
                            + " has cpus="
                            + options.thread().cpus()
                            + " and cannot have light stacks, which run on its own thread",
                    Tie.CONTINUATIONS,
                    "leave withCpus out");
        }
        if (wish == StackKind.LIGHT) {
            throw JvmFlags.lack(
                    cord + " cannot have light stacks, and -D" + PROPERTY + "=light asks for them",
                    Tie.CONTINUATIONS,
                    "leave the property out, and run slower on portable stacks");
        }
        warnOnce();
        return StackKind.PORTABLE;
    }

    private static void warn() {
        LOG.warn(
                "fibers run on portable stacks, whose switches take several times as long as those"
                        + " of light ones; add {} for light stacks, or -D"
                        + PROPERTY
                        + "=portable to be told no more",
                Tie.CONTINUATIONS.flag());
    }

    private static void warnOnce() {
        if (IS_WARNED.compareAndSet(false, true)) {
            Logs.during(_ -> {}, StackChoice::warn); // of the process, and not of a test
        }
    }
}
