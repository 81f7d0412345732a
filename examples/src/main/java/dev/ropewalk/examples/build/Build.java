package dev.ropewalk.examples.build;

import dev.ropewalk.actors.routing.EventBus;
import dev.ropewalk.examples.build.BuildEvent.Ended;
import dev.ropewalk.examples.build.BuildEvent.Failed;
import dev.ropewalk.examples.build.BuildEvent.Finished;
import dev.ropewalk.examples.build.BuildEvent.Line;
import dev.ropewalk.examples.build.BuildEvent.Skipped;
import dev.ropewalk.examples.build.BuildEvent.Started;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.scheduler.Dag;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.sync.Loan;
import dev.ropewalk.fibers.sync.ResourceException;
import dev.ropewalk.fibers.sync.ResourcePool;
import dev.ropewalk.fibers.sync.Semaphore;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * One run of tasks as a graph. A node of the graph is there from when its needs are over, and waits
 * for a slot; so a task that fails is no failed node, which would end all others.
 */
final class Build {
    private static final String AFTER_FAILURE =
            "another task failed before it began; --keep-going builds it all the same";

    /** How a task stands; a task that has not begun has none. */
    private enum Status {
        RUNNING,
        BUILT,
        FAILED,
        SKIPPED
    }

    private final List<Task> tasks;
    private final Options options;
    private final Commands commands;
    private final Scratch scratch;
    private final EventBus<BuildEvent> bus;

    /** Lets as many tasks run at once as there are jobs; from any cord. */
    private final Semaphore slots;

    private final ResourcePool<Path> scratches;
    private final Map<String, Status> statuses = new ConcurrentHashMap<>();

    private volatile boolean isStopped;
    private volatile boolean isInterrupted;
    private volatile @Nullable CancelScope running;

    /**
     * Makes a run.
     *
     * @param tasks each behind what it needs
     */
    Build(
            List<Task> tasks,
            Options options,
            Commands commands,
            Scratch scratch,
            EventBus<BuildEvent> bus) {
        this.tasks = List.copyOf(tasks);
        this.options = options;
        this.commands = commands;
        this.scratch = scratch;
        this.bus = bus;
        this.slots = Semaphore.shared(options.jobs());
        this.scratches = ResourcePool.sharedBounded(options.jobs(), scratch);
    }

    /**
     * Builds what can be built; once. A switchpoint.
     *
     * @param scheduler whose cords serve the tasks; if null, this fiber's cord does
     */
    Summary run(@Nullable Scheduler scheduler) {
        Dag<Build> graph = graph();
        CancelScope scope = CancelScope.withoutLimit();
        running = scope;
        if (isInterrupted) {
            scope.cancel();
        }
        try {
            scope.runOrLeave(
                    () -> {
                        if (scheduler == null) {
                            graph.run(this);
                        } else {
                            graph.run(this, scheduler);
                        }
                    });
        } finally {
            scratches.close();
        }
        tasks.forEach(this::skipIfOpen);
        Summary summary =
                new Summary(
                        named(Status.BUILT),
                        named(Status.FAILED),
                        named(Status.SKIPPED),
                        isInterrupted);
        bus.publish(new Ended(summary));
        return summary;
    }

    /** Ends the commands that run, and begins no others. From any thread; does not wait. */
    void interrupt() {
        isInterrupted = true;
        CancelScope scope = running;
        if (scope != null) {
            scope.cancel();
        }
    }

    /**
     * With one job a chain: tasks that wait for the one slot come to it in no order that the user
     * sees, because an acquire may end the fiber's turn before it takes its place in the queue.
     */
    private Dag<Build> graph() {
        Dag.Builder<Build> builder = Dag.builder();
        Map<String, Dag.Node> nodes = new HashMap<>();
        Dag.Node last = null;
        for (Task task : tasks) {
            Set<Dag.Node> needs = new HashSet<>();
            task.needs().forEach(need -> needs.add(node(nodes, need)));
            if (last != null && options.jobs() == 1) {
                needs.add(last);
            }
            last =
                    builder.node(
                            task.name(), run -> run.build(task), needs.toArray(Dag.Node[]::new));
            nodes.put(task.name(), last);
        }
        return builder.build();
    }

    private static Dag.Node node(Map<String, Dag.Node> nodes, String name) {
        return Objects.requireNonNull(nodes.get(name), name);
    }

    // ---------------------------------------------------------------- one task, on its fiber

    private void build(Task task) {
        String whyNot = whyNot(task);
        if (whyNot == null) {
            slots.run(() -> buildIfNotStopped(task));
        } else {
            skip(task, whyNot);
        }
    }

    private @Nullable String whyNot(Task task) {
        for (String need : task.needs()) {
            Status status = statuses.get(need);
            if (status != Status.BUILT) {
                return "it needs "
                        + need
                        + (status == Status.FAILED ? ", which failed" : ", which is not built");
            }
        }
        return isStopped ? AFTER_FAILURE : null;
    }

    /** A failure may have come while it waited for its slot. */
    private void buildIfNotStopped(Task task) {
        if (isStopped) {
            skip(task, AFTER_FAILURE);
            return;
        }
        statuses.put(task.name(), Status.RUNNING);
        bus.publish(new Started(task.name()));
        long beganNs = Cord.current().nanoTime();
        OutputLimit output =
                new OutputLimit(
                        options.outputLimit(), text -> bus.publish(new Line(task.name(), text)));
        Failure failure = runAll(task, output);
        long ms = TimeUnit.NANOSECONDS.toMillis(Cord.current().nanoTime() - beganNs);
        if (failure == null) {
            statuses.put(task.name(), Status.BUILT);
            bus.publish(new Finished(task.name(), ms, output.cutLines()));
        } else {
            statuses.put(task.name(), Status.FAILED);
            isStopped |= !options.keepGoing();
            bus.publish(
                    new Failed(
                            task.name(), ms, output.cutLines(), failure.command(), failure.why()));
        }
    }

    private record Failure(String command, String why) {}

    private @Nullable Failure runAll(Task task, OutputLimit output) {
        try (Loan<Path> loan = scratches.borrow()) {
            if (scratch.empty(loan.get())) {
                return runAll(task, loan.get(), output);
            }
            loan.discard();
        } catch (ResourceException broken) {
            return new Failure("(a scratch directory)", broken.toString());
        }
        return runAll(task, output); // in a new one, which is empty
    }

    private @Nullable Failure runAll(Task task, Path directory, OutputLimit output) {
        for (String command : task.commands()) {
            try {
                int exit = commands.run(command, directory, output);
                if (exit != 0) {
                    return new Failure(command, "exit code " + exit);
                }
            } catch (IOException broken) {
                return new Failure(command, broken.toString());
            }
        }
        return null;
    }

    // ---------------------------------------------------------------- what is not built

    private void skip(Task task, String why) {
        statuses.put(task.name(), Status.SKIPPED);
        bus.publish(new Skipped(task.name(), why));
    }

    /** The interrupt ended its fiber, or came before there was one. */
    private void skipIfOpen(Task task) {
        Status status = statuses.get(task.name());
        if (status == null || status == Status.RUNNING) {
            skip(
                    task,
                    status == null
                            ? "the interrupt came before it began"
                            : "the interrupt came while it ran");
        }
    }

    private List<String> named(Status status) {
        return tasks.stream().map(Task::name).filter(each -> statuses.get(each) == status).toList();
    }
}
