package dev.ropewalk.actors.supervision;

import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.RestartWindow;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How a supervisor works; immutable. Start from {@link #oneForOne}, {@link #oneForAll}, {@link
 * #restForOne} or {@link #dynamic} and change what differs.
 */
public final class Supervision {
    private static final Log LOG = Logs.logger(Supervisor.class);

    private final Values values;

    private Supervision(Values values) {
        Objects.requireNonNull(values.backOff, "backOff");
        Objects.requireNonNull(values.onFailure, "onFailure");
        new RestartWindow(values.intensity, values.period); // refuses what is none
        if (values.stopLimit.isNegative()) {
            throw new IllegalArgumentException("stopLimit=" + values.stopLimit + " is negative");
        }
        Waits.nanos(values.stopLimit);
        if (!values.startLimit.isPositive()) {
            throw new IllegalArgumentException(
                    "startLimit=" + values.startLimit + ": nothing starts in no time");
        }
        Waits.nanos(values.startLimit);
        this.values = values;
    }

    /**
     * {@return one restart in five seconds, at once, ten seconds for a child to start, five seconds
     * for each to stop, failures logged}
     */
    public static Supervision oneForOne() {
        return new Supervision(new Values());
    }

    /** {@return the same, where all children are started again when one fails} */
    public static Supervision oneForAll() {
        return oneForOne().strategy(Strategy.ONE_FOR_ALL);
    }

    /** {@return the same, but children started after the failed one are restarted with it} */
    public static Supervision restForOne() {
        return oneForOne().strategy(Strategy.REST_FOR_ONE);
    }

    /** {@return the same, for children that come and go and are stopped side by side} */
    public static Supervision dynamic() {
        return oneForOne().strategy(Strategy.DYNAMIC);
    }

    /** {@return which children are started again when one fails} */
    public Strategy strategy() {
        return values.strategy;
    }

    /** {@return whether the supervisor ends itself with its significant children} */
    public AutoShutdown autoShutdown() {
        return values.autoShutdown;
    }

    /** {@return whether its actors are spread over the cords of the system} */
    public boolean isSpread() {
        return values.isSpread;
    }

    /** {@return how many restarts of all children together are allowed within the period} */
    public int intensity() {
        return values.intensity;
    }

    /** {@return the length of the sliding window of restarts} */
    public Duration period() {
        return values.period;
    }

    /** {@return how long to wait before a restart} */
    public BackOff backOff() {
        return values.backOff;
    }

    /** {@return how long a start that is waited for may take} */
    public Duration startLimit() {
        return values.startLimit;
    }

    /** {@return how long a child may take to end when the supervisor is stopped} */
    public Duration stopLimit() {
        return values.stopLimit;
    }

    /** {@return the listener that is told each failure of a child, before it is decided on} */
    public Consumer<? super FailureReport> onFailure() {
        return values.onFailure;
    }

    /**
     * {@return these rules with another strategy}
     *
     * @param which which children are started again when one fails
     */
    public Supervision strategy(Strategy which) {
        return with(copy -> copy.strategy = Objects.requireNonNull(which, "which"));
    }

    /**
     * {@return these rules, by which the supervisor ends itself with its significant children} That
     * is an orderly end, after which it is not started again unless it is permanent.
     *
     * @param when with which of them
     */
    public Supervision autoShutdown(AutoShutdown when) {
        return with(copy -> copy.autoShutdown = Objects.requireNonNull(when, "when"));
    }

    /**
     * {@return these rules, by which its actors are spread over the cords of the system, in turn}
     * Otherwise they run on the supervisor's cord. An actor that names a cord stays on it.
     */
    public Supervision spread() {
        return with(copy -> copy.isSpread = true);
    }

    /**
     * {@return these rules with another intensity}
     *
     * @param restarts how many restarts are allowed
     * @param within the length of the sliding window
     */
    public Supervision intensity(int restarts, Duration within) {
        return with(
                copy -> {
                    copy.intensity = restarts;
                    copy.period = within;
                });
    }

    /**
     * {@return these rules with a back-off} An actor that waits for its restart keeps the messages
     * that it is told; {@link dev.ropewalk.actors.ActorRef#terminate} and the end of its supervisor
     * end it at once. A supervisor that is itself started again starts its children without a
     * delay.
     *
     * @param delays how long to wait before a restart
     */
    public Supervision backOff(BackOff delays) {
        return with(copy -> copy.backOff = delays);
    }

    /**
     * {@return these rules with another start limit}
     *
     * @param limit how long {@link Supervisor#start} waits for a child to be up
     */
    public Supervision startLimit(Duration limit) {
        return with(copy -> copy.startLimit = limit);
    }

    /**
     * {@return these rules with another stop limit}
     *
     * @param limit how long a child may take to end
     */
    public Supervision stopLimit(Duration limit) {
        return with(copy -> copy.stopLimit = limit);
    }

    /**
     * {@return these rules with another listener}
     *
     * @param listener is told each failure instead of the log, mostly on the supervisor's cord;
     *     must not wait. Its exceptions are logged
     */
    public Supervision onFailure(Consumer<? super FailureReport> listener) {
        return with(copy -> copy.onFailure = listener);
    }

    /** The strategy and the differences from the default, as a tree prints them. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(values.strategy.name().toLowerCase(Locale.ROOT).replace('_', ' '));
        text.append(", ").append(values.intensity).append(" in ").append(values.period);
        if (values.backOff != BackOff.NONE) {
            text.append(", ").append(values.backOff.toString());
        }
        if (values.isSpread) {
            text.append(", spread over cords");
        }
        if (values.autoShutdown != AutoShutdown.NEVER) {
            text.append(", auto-shutdown ").append(values.autoShutdown);
        }
        return text.toString();
    }

    private Supervision with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new Supervision(copy);
    }

    /** Changed only while it is a copy that no rules have yet. */
    private static final class Values implements Cloneable {
        Strategy strategy = Strategy.ONE_FOR_ONE;
        AutoShutdown autoShutdown = AutoShutdown.NEVER;
        boolean isSpread;
        int intensity = 1;
        Duration period = Duration.ofSeconds(5);
        BackOff backOff = BackOff.NONE;
        Duration startLimit = Duration.ofSeconds(10);
        Duration stopLimit = Duration.ofSeconds(5);
        Consumer<? super FailureReport> onFailure =
                report -> LOG.warn("{} failed", report.actor(), report.failure());

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
