package dev.ropewalk.examples.build;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.routing.EventBus;
import dev.ropewalk.examples.build.BuildEvent.Ended;
import dev.ropewalk.examples.build.BuildEvent.TaskEvent;
import dev.ropewalk.examples.build.BuildEvent.Tick;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.cli.Plain;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.blocking.Signals;
import dev.ropewalk.fibers.recurring.Timed;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A build with all that is around it: cords, readers of its events, and the signals that end it.
 */
final class Session {
    /** The status that a shell shows for a program that they ended. */
    private static final Map<String, Integer> SIGNALS = Map.of("HUP", 129, "INT", 130, "TERM", 143);

    /** Beyond the grace: what KILL, the end of the fibers, and the last output may take. */
    private static final Duration LAST_RITES = Duration.ofSeconds(10);

    /** So many events may wait to be written; then the tasks wait. */
    private static final int MAX_EVENTS = 1_000;

    private static final Duration TICK = Duration.ofMillis(100);

    private final List<Task> tasks;
    private final Options options;
    private final PrintStream err;
    private final EventBus<BuildEvent> bus = EventBus.make();
    private final Printer people;
    private final Printer programs;
    private final boolean hasProgress;

    /** What ended the build. */
    private @Nullable String signal;

    Session(List<Task> tasks, Options options, Output out, PrintStream err) {
        this.tasks = tasks;
        this.options = options;
        this.err = err;
        this.people = new Printer(options.json() ? new Output(err, err.charset()) : out);
        this.programs = new Printer(out);
        this.hasProgress = hasProgress(options);
    }

    /** The cord that it wants; a fiber there waits for tasks to end, which may take their grace. */
    CordOptions cord() {
        return CordOptions.named("build").withStopLimit(options.grace().plus(LAST_RITES));
    }

    /** Runs all of it; the exit status. */
    int run() {
        Path directory = Path.of(options.file()).toAbsolutePath().resolveSibling("");
        Summary summary;
        try (Signals signals = Signals.open(SIGNALS.keySet().toArray(String[]::new));
                ActorSystem system = ActorSystem.start("build");
                Shell shell = new Shell(directory, options.grace());
                Scratch scratch = new Scratch(Path.of(System.getProperty("java.io.tmpdir")))) {
            subscribeReaders(system);
            Build build = new Build(tasks, options, shell, scratch, bus);
            summary = Scope.call(scope -> run(build, signals, scope));
            system.stop(LAST_RITES);
            scratch.complaints().forEach(each -> err.println("build: " + Plain.text(each)));
        }
        IOException failure = programs.failure() == null ? people.failure() : programs.failure();
        return failure == null ? status(summary) : Main.outputFailed(failure, err);
    }

    private Summary run(Build build, Signals signals, Scope<@Nullable Object> scope) {
        scope.spinService(
                "signals",
                () -> {
                    signal = signals.await();
                    build.interrupt();
                });
        if (hasProgress) {
            scope.spinService("ticks", () -> Timed.every(TICK, () -> bus.publish(new Tick())));
        }
        return options.jobs() == 1 ? build.run(null) : onCords(build);
    }

    private int status(Summary summary) {
        if (summary.isInterrupted()) {
            return SIGNALS.getOrDefault(String.valueOf(signal), Main.FAILED);
        }
        return summary.failed().isEmpty() ? Main.BUILT : Main.FAILED;
    }

    private Summary onCords(Build build) {
        int cords = Math.min(options.jobs(), Runtime.getRuntime().availableProcessors());
        SchedulerOptions scheduling =
                SchedulerOptions.named("tasks").withCords(cords).withCord(cord());
        try (Scheduler scheduler = Scheduler.start(scheduling)) {
            return build.run(scheduler);
        }
    }

    // ---------------------------------------------------------------- readers

    private void subscribeReaders(ActorSystem system) {
        bus.subscribe(
                BuildEvent.class,
                reader(system, "screen", () -> new Screen(people, tasks.size(), hasProgress)));
        if (options.json()) {
            ActorRef<BuildEvent> json = reader(system, "json", () -> new JsonLines(programs));
            bus.subscribe(TaskEvent.class, json);
            bus.subscribe(Ended.class, json);
        }
    }

    private static ActorRef<BuildEvent> reader(
            ActorSystem system, String name, Supplier<Behavior<BuildEvent>> behavior) {
        return system.spin(
                name, Actor.handler(behavior).mailbox(MailboxOptions.bounded(MAX_EVENTS)));
    }

    @SuppressWarnings("SystemConsoleNull") // since JDK 25 it is null again without a terminal
    private static boolean hasProgress(Options options) {
        return switch (options.progress()) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO -> System.console() != null && System.console().isTerminal();
        };
    }
}
