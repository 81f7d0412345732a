package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.scheduler.Scheduler;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** A report to a {@link WatchdogHandler}; its text is a whole message. */
public sealed interface WatchdogReport {
    /**
     * A cord is busy and has not come to a switchpoint for longer than its limit: its other fibers,
     * timers, messages and sockets wait. Told once; {@link Over} follows.
     *
     * @param cord the cord
     * @param fiber what it seems to run, found from another thread; null if it runs a message or
     *     another thing that is no fiber
     * @param time for how long, without what the ticker itself was late
     * @param cpuTime how much CPU time its thread has used meanwhile, not counting the first
     *     quarter of the limit; next to nothing says that it is blocked, nearly all of the time
     *     that it is in a loop. Null if the JVM cannot tell
     * @param stack what its thread was in, innermost call first; empty if it had moved on before
     *     that could be seen
     * @param monitor which monitor its thread waits to enter; null if it does not
     */
    record Stuck(
            Cord cord,
            @Nullable Fiber<?> fiber,
            Duration time,
            @Nullable Duration cpuTime,
            List<StackTraceElement> stack,
            @Nullable Monitor monitor)
            implements WatchdogReport {
        /** Where the thread of a portable stack waits for its turn. */
        private static final String BATON = "dev.ropewalk.fibers.internal.stack.Baton";

        /** Copies the stack. */
        public Stuck {
            Objects.requireNonNull(cord, "cord");
            Objects.requireNonNull(time, "time");
            stack = List.copyOf(stack);
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            text.append(cord).append(" has not yielded for ").append(time.toMillis());
            text.append(" ms, in ").append(fiber == null ? "no fiber" : fiber.lineage());
            if (cpuTime != null) {
                text.append(", with ").append(cpuTime.toMillis()).append(" ms of CPU time");
            }
            text.append("; ").append(remedy());
            for (StackTraceElement each : stack) {
                text.append("\n\tat ").append(each);
            }
            return text.toString();
        }

        /** A thread that has not begun has no stack. */
        private boolean mayWaitForACarrier() {
            return cord.stacks() == StackKind.PORTABLE
                    && (stack.isEmpty()
                            || stack.stream().anyMatch(it -> it.getClassName().equals(BATON)));
        }

        private String remedy() {
            if (monitor != null) {
                return "its thread is " + monitor;
            }
            return mayWaitForACarrier()
                    ? "its next thread seems to wait for a carrier of the JDK's scheduler, and"
                          + " virtual threads that compute, or wait in a class initialiser or below"
                          + " a native frame, keep them all; free these, or add"
                          + " -Djdk.virtualThreadScheduler.parallelism=n with a larger n"
                    : "put what blocks into Blocking.call, and Fiber.snooze into long loops";
        }
    }

    /**
     * A monitor that the thread of a stuck cord waits to enter: it is at the begin of a {@code
     * synchronized} block or method.
     *
     * @param name its class and identity hash code; null if the JVM does not tell
     * @param owner the name of the platform thread that holds it, or null. Without such a thread it
     *     is perhaps held by a fiber that waits inside {@code synchronized}; if that is a fiber of
     *     the same cord, the cord blocks itself for ever. It can be held by a virtual thread too
     */
    record Monitor(@Nullable String name, @Nullable String owner) {
        @Override
        public String toString() {
            return "BLOCKED on "
                    + (name == null ? "a monitor" : "the monitor of " + name)
                    + (owner == null
                            ? ", perhaps held by a fiber that waits inside synchronized; where a"
                                    + " fiber waits inside, use a Mutex of fibers.sync in place of"
                                    + " synchronized"
                            : ", held by thread "
                                    + owner
                                    + "; use a Mutex of fibers.sync in its place, which lets other"
                                    + " fibers run meanwhile");
        }
    }

    /**
     * The cord of an earlier {@link Stuck} has come to a switchpoint, or has ended.
     *
     * @param cord the cord
     * @param fiber that of the first report
     * @param time how long it took in all, to a tick of the watchdog, a millisecond
     * @param cpuTime how much CPU time its thread has used meanwhile, not counting the first
     *     quarter of the limit; null if the JVM cannot tell
     */
    record Over(Cord cord, @Nullable Fiber<?> fiber, Duration time, @Nullable Duration cpuTime)
            implements WatchdogReport {

        /** Checks the values. */
        public Over {
            Objects.requireNonNull(cord, "cord");
            Objects.requireNonNull(time, "time");
        }

        @Override
        public String toString() {
            return cord
                    + " goes on after "
                    + time.toMillis()
                    + " ms in "
                    + (fiber == null ? "no fiber" : fiber.lineage())
                    + (cpuTime == null ? "" : ", with " + cpuTime.toMillis() + " ms of CPU time");
        }
    }

    /**
     * A queue of a cord has grown beyond all measure: 1,048,576 entries or more, or twice as many
     * as when it was told last. These queues have no bound; a program in which they grow like that
     * produces faster than it consumes, and has no back-pressure. Checked about once a second, as
     * long as the cord is busy.
     *
     * @param cord the cord
     * @param queue which of its queues
     * @param length how many entries it has
     */
    record Growing(Cord cord, Queue queue, int length) implements WatchdogReport {
        /** The queues of a cord. */
        public enum Queue {
            /** Messages from other threads: {@link Cord#post}, sends, spins, wake-ups. */
            INBOX("messages in the inbox"),

            /** Fibers that are runnable. */
            RUN_QUEUE("fibers in the run queue"),

            /** Tasks of its {@link Scheduler} that no cord has started. */
            TASKS("tasks that wait to be started");

            private final String text;

            Queue(String text) {
                this.text = text;
            }
        }

        /** Checks the values. */
        public Growing {
            Objects.requireNonNull(cord, "cord");
            Objects.requireNonNull(queue, "queue");
        }

        @Override
        public String toString() {
            return cord
                    + " has "
                    + length
                    + " "
                    + queue.text
                    + ", and nothing bounds them; hold their makers back: by a channel or a"
                    + " semaphore, or, for tasks, by SchedulerOptions.withMaxPending";
        }
    }

    /**
     * A cord is busy and has not polled its reactor for longer than its limit, though it has
     * sockets: the other ends wait. A fiber that does not yield has a report of its own, {@link
     * Stuck}, with the stack; so has a handler of Netty that blocks. Told once, until the reactor
     * is polled again.
     *
     * @param cord the cord
     * @param fiber what it seems to run, found from another thread; null if it runs a handler or
     *     another thing that is no fiber
     * @param time since the last poll, without what the ticker itself was late
     * @param sockets how many are open: their input waits in the system
     * @param unsent how many of these have written what has not been given to the system
     */
    record SilentReactor(
            Cord cord, @Nullable Fiber<?> fiber, Duration time, int sockets, int unsent)
            implements WatchdogReport {
        /** Checks the values. */
        public SilentReactor {
            Objects.requireNonNull(cord, "cord");
            Objects.requireNonNull(time, "time");
        }

        @Override
        public String toString() {
            return cord
                    + " has not polled its reactor for "
                    + time.toMillis()
                    + " ms, in "
                    + (fiber == null ? "no fiber" : fiber.lineage())
                    + ": "
                    + (sockets == 1 ? "1 socket waits" : sockets + " sockets wait")
                    + (unsent == 0 ? "" : ", " + unsent + " of them with bytes to send")
                    + "; what does not yield is told with its stack";
        }
    }

    /**
     * All cords of this process that are watched, at least two, are stuck at once: no fiber that
     * waits for its turn runs on any of them. Told once, until one of them moves again.
     *
     * @param cords all of them
     */
    record AllStuck(List<Cord> cords) implements WatchdogReport {
        /** Copies the list. */
        public AllStuck {
            cords = List.copyOf(cords);
        }

        @Override
        public String toString() {
            return "all "
                    + cords.size()
                    + " cords of this process are stuck at once: "
                    + cords
                    + "; each has a report of its own, with its stack";
        }
    }

    /**
     * A cord has had nothing to do for longer than its limit, no timer is armed, and all its fibers
     * wait for each other: for the end of one of them, or at an object that is confined to the
     * cord. Only another thread that spins a fiber on it, or posts a message, can wake it. Told
     * once, until something runs there again.
     *
     * @param cord the cord
     * @param time for how long
     * @param waits what each fiber waits for, each on a line of its own
     */
    record AllWait(Cord cord, Duration time, String waits) implements WatchdogReport {
        /** Checks the values. */
        public AllWait {
            Objects.requireNonNull(cord, "cord");
            Objects.requireNonNull(time, "time");
            Objects.requireNonNull(waits, "waits");
        }

        @Override
        public String toString() {
            return "all fibers of "
                    + cord
                    + " have waited for each other for "
                    + time.toMillis()
                    + " ms, and only another thread can wake it:"
                    + waits;
        }
    }
}
