package dev.ropewalk.benchmarks.scenario;

import java.util.List;

/**
 * One operation by itself, which JMH times.
 *
 * @param name the name on the command line
 * @param operation what one operation is
 * @param unit of the figures
 * @param shape what is done
 */
public record SingleOperation(String name, String operation, String unit, String shape) {
    public static final List<SingleOperation> ALL =
            List.of(
                    ns("switch", "switch", "two stacks that yield to each other"),
                    ns("schedule", "hop", "two fibers that schedule each other and suspend"),
                    ns("ask", "ask", "a fiber asks an actor of its cord"),
                    ns("spin_await", "fiber", "a fiber is spun and awaited at once"),
                    ns("timeout", "limit", "a time limit armed and cancelled"),
                    ns("generator", "value", "a body yields values, taken one by one"),
                    ns("mutex", "lock", "a mutex that nobody else wants"),
                    ns("start_end", "fiber", "a fiber starts and ends and never waits"),
                    ns(
                            "message",
                            "message",
                            "a message around a ring of 2 or 100 actors of one cord"),
                    ns(
                            "routed",
                            "message",
                            "a tell through a router over 8 actors of one cord, or to them in turn"
                                    + " by hand"),
                    ns(
                            "transition",
                            "message",
                            "a message that changes the state of a state machine, or returns a new"
                                    + " behavior"),
                    ns(
                            "publish",
                            "tell",
                            "an event told to 1,000 subscribers of one cord by an event bus, or by"
                                    + " hand"),
                    ns(
                            "seen",
                            "look",
                            "a look at 1,000 idle actors of one cord, with their start and end: a"
                                    + " dump, or a snapshot"),
                    new SingleOperation(
                            "wordcount",
                            "100 MB of text",
                            "ms",
                            "the whole of the wordcount example beside plain parallel streams"));

    private static SingleOperation ns(String name, String operation, String shape) {
        return new SingleOperation(name, operation, "ns", shape);
    }
}
