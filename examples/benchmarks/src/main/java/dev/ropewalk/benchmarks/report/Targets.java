package dev.ropewalk.benchmarks.report;

import dev.ropewalk.benchmarks.result.Measured;
import dev.ropewalk.benchmarks.result.Results;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What the fibers are meant to cost at most, beside what was measured. */
final class Targets {
    /** One figure: a system in a scenario. */
    record Figure(String scenario, String system) {
        Optional<Measured> in(Results results, String collector) {
            return results.find(collector, scenario, system);
        }

        @Override
        public String toString() {
            return scenario + " " + system;
        }
    }

    /**
     * One target.
     *
     * @param what is to cost no more
     * @param figure that shows it
     * @param beside what it is divided by; null if the figure stands for itself
     * @param most the greatest value that meets the target
     * @param unit of it
     */
    record Target(String what, Figure figure, @Nullable Figure beside, double most, String unit) {
        private static Target of(
                String what, String scenario, String system, double most, String unit) {
            return new Target(what, new Figure(scenario, system), null, most, unit);
        }

        private static Target times(String what, Figure figure, Figure beside, double most) {
            return new Target(what, figure, beside, most, "x");
        }

        private Optional<Double> value(Results results, String collector) {
            Optional<Double> own = figure.in(results, collector).map(Measured::median);
            Figure other = beside;
            if (other == null) {
                return own;
            }
            return own.flatMap(
                    it ->
                            other.in(results, collector)
                                    .map(Measured::median)
                                    .map(divisor -> it / divisor));
        }

        private String row() {
            return beside == null ? figure.toString() : figure + " / " + beside;
        }
    }

    private static final String LOCAL = "ropewalk-local";
    private static final String HANDLER = "ropewalk-handler";
    private static final String PORTABLE = "ropewalk-portable";
    private static final String PEKKO = "pekko-tuned";
    private static final String KOTLIN = "kotlin-loop";
    private static final String VTHREADS = "vthreads-1";
    private static final String NETTY = "netty";
    private static final String TASKS = "ropewalk-tasks";
    private static final String SHARED = "ropewalk-shared";
    private static final String POOL = "forkjoin-pool";
    private static final String NODES = "ropewalk-nodes";
    private static final String REMOTE_PEKKO = "pekko-remote";
    private static final String SOCKETS = "sockets";
    private static final String DURABLE = "ropewalk-durable";
    private static final String WRITES = "writes";
    private static final Figure FEW = new Figure("snooze_10", LOCAL);

    static final List<Target> ALL =
            List.of(
                    Target.times(
                            "a tell through a router in turn, beside the same by hand",
                            new Figure("routed", "round-robin"),
                            new Figure("routed", "by-hand"),
                            1.5),
                    Target.times(
                            "a change of state, beside a new behavior",
                            new Figure("transition", "transition"),
                            new Figure("transition", "new-behavior"),
                            1.3),
                    Target.times(
                            "a publish to 1,000 subscribers, beside their tells by hand",
                            new Figure("publish", "event-bus"),
                            new Figure("publish", "by-hand"),
                            1.2),
                    Target.times(
                            "a snapshot of 1,000 idle actors, beside a dump of them",
                            new Figure("seen", "snapshot"),
                            new Figure("seen", "dump"),
                            0.02),
                    Target.times(
                            "a switch, beside one of bare continuations",
                            new Figure("switch", "ropewalk"),
                            new Figure("switch", "continuations"),
                            1.25),
                    Target.times(
                            "a switch on virtual threads, beside bare park and unpark",
                            new Figure("switch", "ropewalk-virtual"),
                            new Figure("switch", "vthreads1"),
                            1.25),
                    portable("a switch on portable stacks", "switch", "ropewalk", 3),
                    portable("spin and await there", "spin_await", "ropewalk", 2),
                    portable("an ask there", "ask", "ropewalk", 5),
                    portable("a tell there", "pingpong", HANDLER, 1.5),
                    portable("a rendezvous there", "chan_rendezvous", LOCAL, 3),
                    Target.times(
                            "a switch there, beside two virtual threads",
                            new Figure("switch", PORTABLE),
                            new Figure("switch", "vthreads"),
                            1.5),
                    Target.of("a hop by schedule and suspend", "schedule", "ropewalk", 100, "ns"),
                    Target.of("a hop with late unmount", "schedule", "ropewalk-late", 60, "ns"),
                    Target.of(
                            "start and end of a fiber that never waits",
                            "start_end",
                            "ropewalk",
                            40,
                            "ns"),
                    Target.of("spin and await", "spin_await", "ropewalk", 150, "ns"),
                    Target.of(
                            "spin and await with late unmount",
                            "spin_await",
                            "ropewalk-late",
                            150,
                            "ns"),
                    Target.times(
                            "a switch among 10,000 fibers, beside one among 10",
                            new Figure("snooze_10000", LOCAL),
                            FEW,
                            1.3),
                    Target.times(
                            "one among 10,000 right after a full collection, beside one among 10",
                            new Figure("snooze_gc", LOCAL),
                            FEW,
                            4),
                    Target.of(
                            "a round trip between two cords that spin",
                            "cords",
                            SHARED,
                            1_000,
                            "ns"),
                    Target.of("a time limit, armed and cancelled", "timeout", "ropewalk", 60, "ns"),
                    Target.of("processor time of a sleep", "timers", LOCAL, 500, "ns"),
                    Target.of(
                            "heap of a fiber that waits, three frames deep",
                            "parked",
                            LOCAL,
                            640,
                            "B"),
                    Target.of("a free mutex of one cord", "mutex", LOCAL, 4, "ns"),
                    Target.of("a free mutex of any cord", "mutex", SHARED, 15, "ns"),
                    besidePeer(
                            "two actors that answer each other, beside Pekko on one thread",
                            "pingpong",
                            HANDLER,
                            PEKKO,
                            0.4),
                    besidePeer(
                            "a ring of 1,000 actors, beside Pekko on one thread",
                            "ring",
                            HANDLER,
                            PEKKO,
                            0.4),
                    besidePeer(
                            "an actor that adds up, beside a JDK queue on one carrier",
                            "counting",
                            HANDLER,
                            VTHREADS,
                            0.5),
                    besidePeer("the same of 64 producers", "fanin", HANDLER, VTHREADS, 0.5),
                    Target.times(
                            "a mailbox with a limit, beside one without",
                            new Figure("counting_bounded", HANDLER),
                            new Figure("counting", HANDLER),
                            1.3),
                    besidePeer(
                            "an actor that is made, gets one message and ends, beside Kotlin's",
                            "forkjoin_create",
                            HANDLER,
                            KOTLIN,
                            0.45),
                    besidePeer(
                            "a transfer by asks, beside Pekko on one thread",
                            "bank",
                            HANDLER,
                            PEKKO,
                            0.9),
                    besidePeer(
                            "the same with replies as messages",
                            "bank_messages",
                            HANDLER,
                            PEKKO,
                            0.9),
                    besidePeer("an idle actor, beside Pekko's", "mem", HANDLER, PEKKO, 0.5),
                    besidePeer(
                            "a child of a dynamic supervisor, up and down, beside a bare fiber",
                            "children",
                            HANDLER,
                            LOCAL,
                            3),
                    besidePeer(
                            "an echo, 64 connections, beside Netty", "echo_64", LOCAL, NETTY, 1.11),
                    besidePeer("the same, 1,024 of them", "echo_1024", LOCAL, NETTY, 1.11),
                    besidePeer(
                            "the CPU of both sides, 64 connections",
                            "echo_64_cpu",
                            LOCAL,
                            NETTY,
                            1.11),
                    besidePeer("the same, 1,024 of them", "echo_1024_cpu", LOCAL, NETTY, 1.11),
                    besidePeer(
                            "an echo, 64 connections, beside virtual threads",
                            "echo_64",
                            LOCAL,
                            "vthreads",
                            1),
                    besidePeer(
                            "an echo by messages, 64 connections, beside Netty",
                            "echo_64",
                            HANDLER,
                            NETTY,
                            1 / 0.95),
                    besidePeer("the same, 1,024 of them", "echo_1024", HANDLER, NETTY, 1 / 0.95),
                    besidePeer(
                            "a tree of a million fibers, beside the fork-join pool",
                            "skynet",
                            LOCAL,
                            POOL,
                            5),
                    besidePeer("the same, beside Kotlin's", "skynet", LOCAL, KOTLIN, 0.6),
                    besidePeer(
                            "a task that is forked and joined, beside the fork-join pool",
                            "tasks",
                            TASKS,
                            POOL,
                            1.5),
                    besidePeer("the same, beside Kotlin's", "tasks", TASKS, KOTLIN, 0.7),
                    besidePeer(
                            "a round trip between two cords, beside virtual threads",
                            "cords",
                            SHARED,
                            "vthreads",
                            0.8),
                    besidePeer(
                            "a rendezvous between two cords, beside two threads that spin",
                            "chan_rendezvous_apart",
                            SHARED,
                            "spinning",
                            3),
                    besidePeer(
                            "a buffered channel between two cords, beside Jox",
                            "chan_buffered_apart",
                            SHARED,
                            "jox-apart",
                            1),
                    besidePeer(
                            "a rendezvous of one cord, beside Kotlin on one thread",
                            "chan_rendezvous",
                            LOCAL,
                            KOTLIN,
                            1),
                    besidePeer(
                            "the same with late unmount",
                            "chan_rendezvous",
                            "ropewalk-late",
                            KOTLIN,
                            0.7),
                    besidePeer(
                            "a buffered channel of one cord, beside a JDK queue on one carrier",
                            "chan_buffered",
                            LOCAL,
                            VTHREADS,
                            0.4),
                    besidePeer("the same for any cord", "chan_buffered", SHARED, VTHREADS, 0.9),
                    besidePeer(
                            "a select over four channels, beside Jox on one carrier",
                            "select_4",
                            LOCAL,
                            "jox-1",
                            0.6),
                    besidePeer(
                            "ten stages with channels, beside JDK queues on one carrier",
                            "pipeline",
                            LOCAL,
                            VTHREADS,
                            0.5),
                    besidePeer(
                            "ten fused stages, beside a loop that calls the same functions",
                            "fused",
                            LOCAL,
                            "loop",
                            1.5),
                    besidePeer(
                            "an idle channel, beside Kotlin's", "idle_channel", LOCAL, KOTLIN, 0.7),
                    besidePeer(
                            "a rendezvous between two threads, beside Kotlin's",
                            "chan_rendezvous_apart",
                            SHARED,
                            "kotlin-apart",
                            0.5),
                    besidePeer(
                            "a buffered channel between two threads, beside Kotlin's",
                            "chan_buffered_apart",
                            SHARED,
                            "kotlin-apart",
                            1),
                    besidePeer(
                            "a tell to another node, beside Pekko's",
                            "remote_tell",
                            NODES,
                            REMOTE_PEKKO,
                            1 / 3.0),
                    besidePeer(
                            "the same, beside a bare socket",
                            "remote_tell",
                            NODES,
                            SOCKETS,
                            1 / 0.6),
                    Target.times(
                            "the same encrypted, beside plain",
                            new Figure("remote_tell_tls", NODES),
                            new Figure("remote_tell", NODES),
                            2),
                    besidePeer(
                            "half of the asks of another node, beside Pekko's",
                            "remote_ask",
                            NODES,
                            REMOTE_PEKKO,
                            0.2),
                    besidePeer("the same, beside a bare socket", "remote_ask", NODES, SOCKETS, 2),
                    besidePeer(
                            "the asks of 64 askers, beside Pekko's",
                            "remote_ask_64",
                            NODES,
                            REMOTE_PEKKO,
                            0.25),
                    besidePeer(
                            "a tell between two processes, beside Pekko's",
                            "processes_tell",
                            NODES,
                            REMOTE_PEKKO,
                            1 / 3.0),
                    besidePeer(
                            "the same, beside a bare socket",
                            "processes_tell",
                            NODES,
                            SOCKETS,
                            1 / 0.6),
                    besidePeer(
                            "half of the asks between two processes, beside Pekko's",
                            "processes_ask",
                            NODES,
                            REMOTE_PEKKO,
                            0.2),
                    besidePeer(
                            "the asks of 64 askers there, beside Pekko's",
                            "processes_ask_64",
                            NODES,
                            REMOTE_PEKKO,
                            0.25),
                    besidePeer(
                            "a local tell of a node, beside one without a node",
                            "remote_local",
                            "ropewalk-beside",
                            "ropewalk-alone",
                            1.02),
                    besidePeer(
                            "the same, of a node whose peer reads nothing",
                            "remote_local",
                            "ropewalk-deaf",
                            "ropewalk-alone",
                            1 / 0.95),
                    besidePeer(
                            "a tell to an entity of another node, beside one to an actor there",
                            "remote_tell",
                            "ropewalk-entities",
                            NODES,
                            1.1),
                    besidePeer(
                            "a message to a durable entity on SQLite, beside the UPDATE by JDBC",
                            "durable_sqlite",
                            DURABLE,
                            WRITES,
                            1.5),
                    besidePeer(
                            "the same on PostgreSQL, with as many connections",
                            "durable_postgresql",
                            DURABLE,
                            WRITES,
                            1.5),
                    besidePeer(
                            "the same on Ratis, beside the store's own write",
                            "durable_ratis",
                            DURABLE,
                            WRITES,
                            1.5));

    private static Target portable(String what, String scenario, String light, double most) {
        return Target.times(
                what + ", beside light ones",
                new Figure(scenario, PORTABLE),
                new Figure(scenario, light),
                most);
    }

    private static Target besidePeer(
            String what, String scenario, String system, String peer, double most) {
        return Target.times(what, new Figure(scenario, system), new Figure(scenario, peer), most);
    }

    /** The same measure without the library, for who asks what can be reached at all. */
    private static final List<Target> FLOORS =
            List.of(
                    Target.of("bare continuations in turn", "schedule", "continuations", 0, "ns"),
                    Target.of(
                            "one bare continuation on top of another",
                            "schedule",
                            "continuations-on-top",
                            0,
                            "ns"),
                    Target.times(
                            "10,000 bare continuations, beside 10",
                            new Figure("snooze_10000", "continuations"),
                            new Figure("snooze_10", "continuations"),
                            0),
                    Target.times(
                            "bare continuations right after a full collection",
                            new Figure("snooze_gc", "continuations"),
                            new Figure("snooze_10", "continuations"),
                            0),
                    Target.of("two threads that spin", "cords", "spinning", 0, "ns"),
                    Target.of(
                            "a bare continuation, three frames deep",
                            "parked",
                            "continuations",
                            0,
                            "B"));

    private final Results results;

    Targets(Results results) {
        this.results = results;
    }

    /** {@return all figures that a target or a floor is read from} */
    static List<Figure> figures() {
        return Stream.concat(ALL.stream(), FLOORS.stream())
                .flatMap(
                        target ->
                                Stream.concat(
                                        Stream.of(target.figure()),
                                        Stream.ofNullable(target.beside())))
                .distinct()
                .toList();
    }

    /** {@return the section of the page; empty if no target was measured} */
    String section() {
        List<Target> measured = ALL.stream().filter(this::isMeasured).toList();
        if (measured.isEmpty()) {
            return "";
        }
        StringBuilder text =
                new StringBuilder(
                        """

                        ## Targets

                        What fibers and channels are meant to cost at most on this machine. A target is met if the median
                        meets it. To spin and await takes a switch and a new stack, unless the one that waits is
                        left late. That a sleeping cord is woken by one unpark of its thread is no figure;
                        see [wakeup](#wakeup) for what the wake-up takes.

                        Channels stand beside the best peer that is placed alike: one thread beside one thread. Two
                        threads beside one cord are in the tables below: there virtual threads take less for a
                        rendezvous than a cord does. A buffered channel makes a switchpoint at each call, so that a fiber
                        that never has to wait still gives way and can be ended; a queue of the JDK has none.
                        What passes between two cords takes one of two times, by where the host lets the two
                        processors run: a rendezvous 200 ns or 690, and two threads that spin 45 or 420
                        ([decision 56](adr/0056-waits-between-cords-spin-first.md)).
                        What ten fused stages cost beside the loop is taken apart in
                        [decision 18](adr/0018-fused-stages.md): the source, its boxed numbers and the switchpoint of each
                        element, and the loop has none of these.

                        An actor that adds up pays for what a bare queue has not: a switchpoint and a turn of its
                        own; with G1 a mailbox that grows to 1,000 messages costs more than one with a bound. To make
                        an actor is to make its incarnation and a record of its supervisor beside the fiber. An ask
                        arms a time limit, and reads the clock for it; with replies as messages the bank needs
                        neither. An echo in blocking style wakes a fiber with a stack of its own for each connection, where
                        Netty calls a handler; by messages Ropewalk calls one too, and its fiber has no stack.

                        Portable stacks are there to start without a flag, and not to be fast. A hand-over is an unpark
                        of another virtual thread: with more than one carrier the pool of the JDK wakes an idle one at
                        each, and two bare virtual threads pay the same; with one carrier (`ropewalk-portable-1`) nobody
                        is woken. More is in [decision 53](adr/0053-portable-stacks.md).

                        What a tell to another node costs beside a bare socket, and a local one beside a node, is in
                        [decision 52](adr/0052-what-a-tell-to-another-node-costs.md).

                        A message to an entity of another node has its name with it, and its receiver looks at the
                        lease before it begins the message: one reading of the clock, which is a sixth of a plain tell
                        by itself. The rest is in [decision 61](adr/0061-entities-of-several-nodes.md), with the time
                        from kill -9 to the first answer of the next owner. A store writes what came meanwhile in one
                        transaction, so many durable entities beside as many plain writes stay far below their target.

                        """);
        head(text, "| target | from | at most |", "|---|---|---:|");
        measured.forEach(target -> add(text, target, true));
        List<Target> floors = FLOORS.stream().filter(this::isMeasured).toList();
        if (!floors.isEmpty()) {
            text.append("\nThe floors of some of them, without the library:\n\n");
            head(text, "| floor | from |", "|---|---|");
            floors.forEach(floor -> add(text, floor, false));
        }
        return text.toString();
    }

    private boolean isMeasured(Target target) {
        return Results.COLLECTORS.stream()
                .anyMatch(collector -> target.value(results, collector).isPresent());
    }

    private static void head(StringBuilder text, String names, String lines) {
        text.append(names);
        Results.COLLECTORS.forEach(collector -> text.append(' ').append(collector).append(" |"));
        text.append('\n')
                .append(lines)
                .append("---:|".repeat(Results.COLLECTORS.size()))
                .append('\n');
    }

    private void add(StringBuilder text, Target target, boolean isJudged) {
        text.append("| ").append(target.what()).append(" | ").append(target.row()).append(" |");
        if (isJudged) {
            text.append(' ').append(figure(target.most(), target.unit())).append(" |");
        }
        for (String collector : Results.COLLECTORS) {
            text.append(' ')
                    .append(
                            target.value(results, collector)
                                    .map(value -> cell(target, value, isJudged))
                                    .orElse("-"))
                    .append(" |");
        }
        text.append('\n');
    }

    private static String cell(Target target, double value, boolean isJudged) {
        String figure = figure(value, target.unit());
        if (!isJudged) {
            return figure;
        }
        return figure + (value <= target.most() ? ", met" : ", **not met**");
    }

    private static String figure(double value, String unit) {
        return unit.equals("x")
                ? String.format(Locale.ROOT, "%.2f x", value)
                : Chart.figure(value) + " " + unit;
    }
}
