package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.report.DumpJson;
import dev.ropewalk.fibers.internal.report.DumpText;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * A picture of a cord and its fibers at one moment; made by {@link Cord#dump()}, for people and
 * tools. {@link #toString} is a text of several lines, {@link #toJson} the same as JSON.
 *
 * <p>It is taken on the cord itself, between two fibers, so its parts do not contradict each other.
 *
 * @param cord the cord's name
 * @param state whether the cord has answered
 * @param stats its counters
 * @param nextTimer how long until the next timer is due; negative if it is overdue; null if no
 *     timer is armed, or the cord has not answered
 * @param timers those that are due next, the earliest first; 20 at most, and none if the cord has
 *     not answered
 * @param fibers the living fibers, each below its parent: the root's first, then each foreign
 *     child's; 2,000 at most, 200 of them with their stacks
 * @param moreFibers how many more there are
 * @param cycles a line for each circle of fibers that wait for each other, as far as that is known;
 *     some at most
 * @param running the name of the fiber that runs, or seemed to run if the cord has not answered;
 *     null without one
 * @param stack the stack of its thread if the cord has not answered; otherwise empty
 */
public record CordDump(
        String cord,
        State state,
        CordStats stats,
        @Nullable Duration nextTimer,
        List<TimerDump> timers,
        List<FiberDump> fibers,
        int moreFibers,
        List<String> cycles,
        @Nullable String running,
        List<StackTraceElement> stack) {

    /** Whether the cord has answered. */
    public enum State {
        /** It has: all of the dump is from one moment. */
        COMPLETE,
        /** Not within the limit: its thread is stuck in a fiber, or has not started. Hints only. */
        INCOMPLETE,
        /** It has ended, and there are no fibers. */
        ENDED
    }

    /** Copies the lists. */
    public CordDump {
        timers = List.copyOf(timers);
        fibers = List.copyOf(fibers);
        cycles = List.copyOf(cycles);
        stack = List.copyOf(stack);
    }

    /** {@return the dump as one JSON object} Its names are those of the components. */
    public String toJson() {
        return DumpJson.of(this);
    }

    /** {@return the dump as text: a line for the cord, and a tree with a line for each fiber} */
    @Override
    public String toString() {
        return DumpText.of(this);
    }
}
