package dev.ropewalk.actors.supervision;

import dev.ropewalk.actors.internal.supervision.Names;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/**
 * The description of a child for its supervisor, before it is started: an actor ({@link ActorSpec})
 * or a supervisor with children of its own ({@link Tree}). Immutable.
 *
 * @param <S> the type itself
 */
public abstract sealed class ChildSpec<S extends ChildSpec<S>> permits ActorSpec, Tree {
    private final String id;
    private final Options options;

    ChildSpec(String id, Options options) {
        this.id = Names.checked("a child", id);
        this.options = options;
    }

    /** {@return the child's name, which no other child of its supervisor has} */
    public final String id() {
        return id;
    }

    /** {@return when it is started again; null if its definition or supervisor says} */
    public final @Nullable RestartRule restartRule() {
        return options.restart;
    }

    /** {@return whether its end counts for {@link AutoShutdown}} */
    public final boolean isSignificant() {
        return options.significant;
    }

    /** {@return whether it is killed when it is to stop} */
    public final boolean isKilled() {
        return options.killed;
    }

    /** {@return how long it may take to stop; null if its supervisor says} */
    public final @Nullable Duration stopLimit() {
        return options.stopLimit;
    }

    /**
     * {@return this child with another restart rule}
     *
     * @param rule when it is started again
     */
    public final S restart(RestartRule rule) {
        Objects.requireNonNull(rule, "rule");
        return with(new Options(rule, options.significant, options.killed, options.stopLimit));
    }

    /** {@return this child, started again after every end} */
    public final S permanent() {
        return restart(RestartRule.PERMANENT);
    }

    /** {@return this child, never started again} */
    public final S temporary() {
        return restart(RestartRule.TEMPORARY);
    }

    /** {@return this child, whose end counts for the {@link AutoShutdown} of its supervisor} */
    public final S significant() {
        return with(new Options(options.restart, true, options.killed, options.stopLimit));
    }

    /**
     * {@return this child with a stop limit of its own}
     *
     * @param limit how long it may take to stop; then it is abandoned
     * @throws IllegalArgumentException if it is negative
     */
    public final S stopLimit(Duration limit) {
        Waits.nanos(limit);
        return with(new Options(options.restart, options.significant, false, limit));
    }

    /** {@return this child, which may take as long to stop as it likes} */
    public final S noStopLimit() {
        return stopLimit(Waits.FOREVER);
    }

    /**
     * {@return this child, which is {@linkplain dev.ropewalk.actors.ActorRef#kill killed} when it
     * is to stop}
     */
    public final S killedAtStop() {
        return with(new Options(options.restart, options.significant, true, options.stopLimit));
    }

    abstract S with(Options changed);

    final Options options() {
        return options;
    }

    /** The options in words, for a tree that prints itself. */
    final String describeOptions() {
        StringBuilder text = new StringBuilder();
        if (options.restart != null) {
            text.append(", ").append(options.restart);
        }
        if (options.significant) {
            text.append(", significant");
        }
        if (options.killed) {
            text.append(", killed at stop");
        } else if (options.stopLimit != null) {
            boolean isEndless = options.stopLimit.equals(Waits.FOREVER);
            text.append(isEndless ? ", no stop limit" : ", stop limit " + options.stopLimit);
        }
        return text.toString();
    }

    record Options(
            @Nullable RestartRule restart,
            boolean significant,
            boolean killed,
            @Nullable Duration stopLimit) {
        static final Options DEFAULT = new Options(null, false, false, null);
    }
}
