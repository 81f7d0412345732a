package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.JvmFlags;
import dev.ropewalk.fibers.internal.platform.JvmFlags.Tie;
import dev.ropewalk.fibers.internal.stack.Stacks;

import org.jspecify.annotations.Nullable;

import java.util.Set;
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

    /** Read once, as each property is. */
    private static final @Nullable String VALUE = System.getProperty(PROPERTY);

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
        StackKind wish = wish();
        return switch (options.stacks()) {
            case VIRTUAL_THREAD -> virtual(options, wish);
            case PORTABLE -> StackKind.PORTABLE;
            case LIGHT -> light(options, wish);
        };
    }

    /** Whether a cord can have the kind. */
    public static boolean isAvailable(StackKind kind) {
        boolean isForbidden = wish() == StackKind.PORTABLE;
        return switch (kind) {
            case LIGHT -> !isForbidden && Stacks.hasLight();
            case VIRTUAL_THREAD -> !isForbidden && Tie.SCHEDULED_THREADS.isThere();
            case PORTABLE -> true;
        };
    }

    /** Null if the property is not set. */
    private static @Nullable StackKind wish() {
        if (VALUE == null) {
            return null;
        }
        return switch (VALUE) {
            case "light" -> StackKind.LIGHT;
            case "portable" -> StackKind.PORTABLE;
            default ->
                    throw new IllegalArgumentException(
                            "-D"
                                    + PROPERTY
                                    + "="
                                    + VALUE
                                    + " is neither light nor portable; leave it out to have light"
                                    + " stacks where this JVM allows them, and portable ones"
                                    + " elsewhere");
        };
    }

    private static StackKind virtual(CordOptions options, @Nullable StackKind wish) {
        if (wish == StackKind.PORTABLE) {
            throw forbidden(options, "stacks=VIRTUAL_THREAD");
        }
        if (!Tie.SCHEDULED_THREADS.isThere()) {
            throw JvmFlags.lack(
                    "cord " + options.name() + " cannot have stacks=VIRTUAL_THREAD",
                    Tie.SCHEDULED_THREADS,
                    "leave withStacks out, and wrap calls that block into Blocking.call");
        }
        return StackKind.VIRTUAL_THREAD;
    }

    private static StackKind light(CordOptions options, @Nullable StackKind wish) {
        String needing = needingLight(options);
        if (wish == StackKind.PORTABLE) {
            if (needing != null) {
                throw forbidden(options, needing);
            }
            return StackKind.PORTABLE;
        }
        if (Stacks.hasLight()) {
            return StackKind.LIGHT;
        }
        if (needing != null) {
            throw JvmFlags.lack(
                    "cord "
                            + options.name()
                            + " has "
                            + needing
                            + " and cannot have the light stacks that it needs",
                    Tie.CONTINUATIONS,
                    "leave that option out");
        }
        if (wish == StackKind.LIGHT) {
            throw JvmFlags.lack(
                    "cord "
                            + options.name()
                            + " cannot have light stacks, and -D"
                            + PROPERTY
                            + "=light asks for them",
                    Tie.CONTINUATIONS,
                    "leave the property out, and run slower on portable stacks");
        }
        warnOnce();
        return StackKind.PORTABLE;
    }

    /** The option that portable stacks cannot have; null if there is none. */
    private static @Nullable String needingLight(CordOptions options) {
        if (options.lateUnmount()) {
            return "lateUnmount=true";
        }
        Set<Integer> cpus = options.thread().cpus();
        return cpus.isEmpty() ? null : "cpus=" + cpus;
    }

    private static IllegalStateException forbidden(CordOptions options, String asked) {
        return new IllegalStateException(
                "cord "
                        + options.name()
                        + " has "
                        + asked
                        + ", and -D"
                        + PROPERTY
                        + "=portable forbids the stacks that it needs; leave one of the two out");
    }

    private static void warn() {
        LOG.warn(
                "fibers run on portable stacks, whose switches take several times as long as those"
                        + " of light ones; {} for light stacks, or -D"
                        + PROPERTY
                        + "=portable to be told no more",
                JvmFlags.wayToLightStacks());
    }

    private static void warnOnce() {
        if (IS_WARNED.compareAndSet(false, true)) {
            Logs.during(_ -> {}, StackChoice::warn); // of the process, and not of a test
        }
    }
}
