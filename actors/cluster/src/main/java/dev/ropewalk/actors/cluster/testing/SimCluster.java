package dev.ropewalk.actors.cluster.testing;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.Discovery;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.io.testing.MemoryNetwork;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCords;
import dev.ropewalk.fibers.testing.VirtualCords;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * A cluster in the thread of a test: each node runs the program's own code, on a virtual cord and a
 * host of its own, and a body does to them what befalls machines. A run is repeated exactly by its
 * seed (rule F14).
 *
 * {@snippet file="dev/ropewalk/actors/cluster/ClusterSnippetsTest.java" region="sim"}
 *
 * <p>The nodes are n1, n2 and so on, at 10.0.0.1:7400, 10.0.0.2:7400 and so on, and each is told
 * the addresses of all. Only the time, the scheduler and the network are others than in production:
 * time jumps when nothing can run, so a minute takes no time. The body runs on a cord of its own,
 * and on no host.
 *
 * <p>A run fails if the body does, if all fibers wait and no timer is armed, or if there was a
 * failure without a taker. Its {@link AssertionError} names the seed and the call that runs it
 * again; with {@code -Dropewalk.seed=42} only that seed runs. Choices of the body are repeatable if
 * they are drawn from {@link Cord#nextInt}.
 *
 * <p>When the body has returned, each node that runs leaves the cluster and its system is closed.
 * When the body has failed, the nodes are killed. All methods are for fibers of the run.
 */
public final class SimCluster {
    /** The port of each node. */
    public static final int PORT = 7_400;

    private static final long[] SEEDS = {1, 2, 3, 5, 8, 13};
    private static final int MAX_NODES = 250;
    private static final Duration PAUSE = Duration.ofMillis(10);

    /** The runs that go on now. */
    private static final Map<VirtualCords, SimCluster> RUNS = new ConcurrentHashMap<>();

    private final VirtualCords run = VirtualCords.current();
    private final MemoryNetwork network = MemoryNetwork.current();
    private final Map<String, Machine> machines = new LinkedHashMap<>();
    private final InstantSource clock;
    private @Nullable MemoryStore store;

    /** The program of a node: what its {@code main} does in production. */
    @FunctionalInterface
    public interface Program {
        /**
         * Starts an actor system with its actors, and its node. Called on the node's cord, in a
         * fiber that lives as long as the node: fibers that it spins end with the node.
         *
         * @param options name, address and {@link Discovery} of the node, without encryption, and
         *     with a clock for reminders that goes as time does here; the protocol is to be added
         * @return the node, started on the calling cord
         * @throws Exception whatever the program throws; it fails the start of the node
         */
        Node start(NodeOptions options) throws Exception;
    }

    /** The body of a test. */
    @FunctionalInterface
    public interface Body {
        /**
         * Runs the body, on a cord that is no node's.
         *
         * @param cluster whose nodes have been started, and need not be peers yet
         * @throws Exception whatever the body throws; it fails the run
         */
        void run(SimCluster cluster) throws Exception;
    }

    /** A node's host, and the process that runs there now. */
    private static final class Machine {
        private final String name;
        private final String address;
        private Program program;
        private double clockRate = 1;
        private @Nullable Cord cord;
        private @Nullable Node node;
        private @Nullable WaitCell starting;
        private @Nullable WaitCell end;
        private @Nullable Fiber<?> main;

        Machine(String name, String address, Program program) {
            this.name = name;
            this.address = address;
            this.program = program;
        }

        boolean isRunning() {
            return node != null;
        }

        Cord cord() {
            if (cord == null) {
                throw notRunning();
            }
            return cord;
        }

        Node node() {
            if (node == null) {
                throw notRunning();
            }
            return node;
        }

        IllegalStateException notRunning() {
            return new IllegalStateException(
                    "node " + name + " was killed; restart(\"" + name + "\") starts it again");
        }

        void forget() {
            cord = null;
            node = null;
            starting = null;
            end = null;
            main = null;
        }
    }

    private SimCluster(int nodes, Program program) {
        // Whole seconds, so that runs differ in no rounding.
        Instant begin = InstantSource.system().instant().truncatedTo(ChronoUnit.SECONDS);
        long beganNs = Waits.nanoTime();
        clock = () -> begin.plusNanos(Waits.nanoTime() - beganNs);
        for (int i = 1; i <= nodes; i++) {
            Machine made = new Machine("n" + i, "10.0.0." + i, program);
            machines.put(made.name, made);
            network.name(made.name, made.address);
        }
    }

    // ---------------------------------------------------------------- runs

    /**
     * Runs the body for each of several fixed seeds, each with the run queues in FIFO order and in
     * an order drawn from the seed. The program and the body must make their data anew each time.
     *
     * @param nodes how many nodes, from 1 to 250
     * @param program starts each of them
     * @param body what is done with them
     * @throws AssertionError if a run fails; the later ones are left out
     * @throws IllegalArgumentException if the number of nodes is another one
     */
    public static void run(int nodes, Program program, Body body) {
        for (long seed : TestCords.seedsOr(SEEDS)) {
            run(nodes, seed, false, program, body);
            run(nodes, seed, true, program, body);
        }
    }

    /**
     * Runs the body once.
     *
     * @param nodes how many nodes, from 1 to 250
     * @param seed of the turns, the network and the cords' random numbers
     * @param seededOrder whether the order of the run queues is drawn from the seed too, otherwise
     *     FIFO
     * @param program starts each of them
     * @param body what is done with them
     * @throws AssertionError if the run fails
     * @throws IllegalArgumentException if the number of nodes is another one
     */
    public static void run(int nodes, long seed, boolean seededOrder, Program program, Body body) {
        Objects.requireNonNull(program, "program");
        Objects.requireNonNull(body, "body");
        if (nodes < 1 || nodes > MAX_NODES) {
            throw new IllegalArgumentException("nodes=" + nodes + " is not from 1 to " + MAX_NODES);
        }
        try {
            TestCords.run(1, seed, seededOrder, _ -> new SimCluster(nodes, program).run(body));
        } catch (AssertionError failed) {
            String order = seed + "L, " + seededOrder;
            throw replayedBy(
                    failed,
                    "TestCords.run(1, " + order + ", body)",
                    "SimCluster.run(" + nodes + ", " + order + ", program, body)");
        }
    }

    private static AssertionError replayedBy(AssertionError failed, String inner, String call) {
        AssertionError made =
                new AssertionError(
                        String.valueOf(failed.getMessage()).replace(inner, call),
                        failed.getCause());
        made.setStackTrace(failed.getStackTrace());
        for (Throwable each : failed.getSuppressed()) {
            made.addSuppressed(each);
        }
        return made;
    }

    private void run(Body body) throws Exception {
        RUNS.put(run, this);
        try {
            startAndRun(body);
            closeAll();
        } finally {
            RUNS.remove(run);
        }
    }

    private void startAndRun(Body body) throws Exception {
        boolean isComplete = false;
        try {
            for (Machine each : machines.values()) {
                start(each);
            }
            body.run(this);
            isComplete = true;
        } finally {
            if (!isComplete) {
                Waits.cleanUp(this::killAll);
            }
        }
    }

    /** The store of the run that the caller is in; a program without one has no cord for it. */
    static MemoryStore store() {
        SimCluster found = RUNS.get(VirtualCords.current());
        if (found == null) {
            throw new IllegalStateException(
                    "no SimCluster runs here: call this in its program or its body");
        }
        if (found.store == null) {
            found.store = MemoryStore.on(found.run.start("store"));
        }
        return found.store;
    }

    private boolean killAll() {
        machines.keySet().forEach(this::kill);
        return true;
    }

    private void closeAll() {
        List<Fiber<?>> all = new ArrayList<>();
        for (Machine each : machines.values()) {
            if (each.isRunning()) {
                Objects.requireNonNull(each.end).give(true);
                all.add(Objects.requireNonNull(each.main));
            }
        }
        all.forEach(Fiber::await);
    }

    // ---------------------------------------------------------------- its nodes

    private void start(Machine machine) throws Exception {
        Cord cord = run.start(machine.name);
        run.clockRate(cord, machine.clockRate);
        machine.cord = cord;
        WaitCell started = new WaitCell();
        machine.starting = started;
        Fiber<?> main = cord.spin("main of " + machine.name, () -> main(machine, started));
        machine.main = main;
        switch (started.await("the start of node " + machine.name)) {
            case Node node -> machine.node = node;
            case Exception failure -> {
                kill(machine.name);
                throw failure;
            }
            case Error failure -> {
                kill(machine.name);
                throw failure;
            }
            case Object other -> throw new AssertionError(other);
            case null -> throw new AssertionError("null");
        }
    }

    /** On the node's cord, as long as it runs. */
    private void main(Machine machine, WaitCell started) {
        Fiber.current().detach(); // its end with the cord is no failure of the body
        Node node;
        try {
            MemoryNetwork.current().host(machine.address);
            node =
                    Objects.requireNonNull(
                            machine.program.start(
                                    NodeOptions.named(machine.name)
                                            .withAddress(machine.address, PORT)
                                            .withDiscovery(discovery())
                                            .withClock(clock)
                                            .withoutTls()),
                            () -> "the program of node " + machine.name + " gave no node");
        } catch (Throwable failure) {
            Waits.throwIfSignal(failure);
            started.give(failure);
            return;
        }
        try (ActorSystem _ = node.system();
                node) {
            WaitCell end = new WaitCell();
            machine.end = end;
            started.give(node);
            end.await("the end of the run");
        }
    }

    private Discovery discovery() {
        return Discovery.of(
                machines.values().stream()
                        .map(each -> each.address + ":" + PORT)
                        .toArray(String[]::new));
    }

    private Machine find(String name) {
        Machine found = machines.get(Objects.requireNonNull(name, "name"));
        if (found == null) {
            throw new IllegalArgumentException(
                    "there is no node " + name + "; the nodes are " + machines.keySet());
        }
        return found;
    }

    /** {@return the names of all nodes, in order, killed ones too} */
    public List<String> names() {
        return List.copyOf(machines.keySet());
    }

    /**
     * {@return whether a node runs} A frozen one does.
     *
     * @param name of the node
     * @throws IllegalArgumentException if there is none of that name
     */
    public boolean isRunning(String name) {
        return find(name).isRunning();
    }

    /**
     * {@return a node} Its methods work from the body too, as from another thread of its process.
     *
     * @param name of the node
     * @throws IllegalArgumentException if there is none of that name
     * @throws IllegalStateException if it was killed
     */
    public Node node(String name) {
        return find(name).node();
    }

    /**
     * {@return the system of a node}
     *
     * @param name of the node
     * @throws IllegalArgumentException if there is none of that name
     * @throws IllegalStateException if it was killed
     */
    public ActorSystem system(String name) {
        return find(name).node().system();
    }

    /**
     * Runs code on a node's cord, in a fiber of its own, and waits for its result. A switchpoint.
     *
     * @param <T> the type of the result
     * @param name of the node; a frozen one runs it when it has thawed
     * @param code what is run
     * @return the result
     * @throws Exception whatever the code throws
     * @throws IllegalArgumentException if there is no node of that name
     * @throws IllegalStateException if it was killed, before or meanwhile
     */
    @SuppressWarnings("NullAway") // the result is of T, whether null is of it or not
    public <T extends @Nullable Object> T on(String name, Callable<? extends T> code)
            throws Exception {
        Objects.requireNonNull(code, "code");
        Machine machine = find(name);
        Cord cord = machine.cord();
        if (cord.isCurrent()) {
            return code.call();
        }
        try {
            return cord.<T>spin("on " + name, code).await();
        } catch (FiberTerminatedException ended) {
            throw ended;
        } catch (FiberAbandonedException killed) {
            IllegalStateException made = machine.notRunning();
            made.initCause(killed);
            throw made;
        } catch (FiberFailedException failed) {
            switch (failed.getCause()) {
                case Exception cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw failed;
            }
        }
    }

    /**
     * Waits until each node that runs has a session with each other one that runs. A switchpoint.
     *
     * @param limit how long to wait at most
     * @return false if the limit passed
     */
    public boolean awaitPeers(Duration limit) {
        long limitNs = Waits.nanos(limit);
        long beganNs = Waits.nanoTime();
        while (!areAllPeers()) {
            if (Waits.nanoTime() - beganNs >= limitNs) {
                return false;
            }
            Fiber.sleep(PAUSE);
        }
        return true;
    }

    private boolean areAllPeers() {
        List<Machine> running = machines.values().stream().filter(Machine::isRunning).toList();
        return running.stream()
                .allMatch(
                        each ->
                                IntStream.range(0, running.size())
                                        .mapToObj(i -> running.get(i).name)
                                        .filter(other -> !other.equals(each.name))
                                        .allMatch(each.node().peers()::contains));
    }

    // ---------------------------------------------------------------- what befalls machines

    /**
     * Kills a node, as kill -9 does its process: no {@code finally} of it runs, and its connections
     * are reset; those that it had closed still send their rest. No effect if it was killed before.
     * A switchpoint. See {@link VirtualCords#kill}.
     *
     * @param name of the node
     * @throws IllegalArgumentException if there is none of that name, or it is the caller's
     */
    public void kill(String name) {
        Machine machine = find(name);
        Cord cord = machine.cord;
        if (cord != null) {
            run.kill(cord);
            if (store != null) {
                store.forget(cord);
            }
            WaitCell starting = machine.starting;
            machine.forget();
            if (starting != null) {
                starting.give(machine.notRunning()); // no effect if it has started
            }
        }
    }

    /**
     * Starts a node anew, by the program: another incarnation, with the name, the address and the
     * clock of the one before, which is killed if it runs. A switchpoint.
     *
     * @param name of the node
     * @return the node
     * @throws Exception whatever the program throws
     * @throws IllegalArgumentException as {@link #kill}
     */
    public Node restart(String name) throws Exception {
        Machine machine = find(name);
        kill(name);
        start(machine);
        return machine.node();
    }

    /**
     * The same by another program, as a new version is deployed; later restarts use that one.
     *
     * @param name of the node
     * @param program starts it from now on
     * @return the node
     * @throws Exception whatever the program throws
     * @throws IllegalArgumentException as {@link #kill}
     */
    public Node restart(String name, Program program) throws Exception {
        find(name).program = Objects.requireNonNull(program, "program");
        return restart(name);
    }

    /**
     * Freezes a node, as SIGSTOP or a long pause of its machine does: its clock goes on, and its
     * timers are overdue when it thaws. The sockets of its host go on too. See {@link
     * VirtualCords#freeze}.
     *
     * @param name of the node
     * @param time how long
     * @throws IllegalArgumentException if there is none of that name, or the time is negative
     * @throws IllegalStateException if it was killed
     */
    public void freeze(String name, Duration time) {
        run.freeze(find(name).cord(), time);
    }

    /**
     * Has a node's clock run faster or slower, from now on; its later incarnations have it too.
     *
     * @param name of the node
     * @param rate 1 at first; a clock of 1.01 gains 10 ms in a second
     * @throws IllegalArgumentException if there is none of that name, or the rate is not from 0.5
     *     to 2
     * @throws IllegalStateException if it was killed
     */
    public void clockRate(String name, double rate) {
        Machine machine = find(name);
        run.clockRate(machine.cord(), rate);
        machine.clockRate = rate;
    }

    // ---------------------------------------------------------------- and the network

    /**
     * Cuts the link between two nodes in both directions. Nothing is lost: bytes wait for the heal,
     * as long as the connection lives. See {@link MemoryNetwork#cut}.
     *
     * @param one the name of a node
     * @param other that of another
     * @throws IllegalArgumentException if one is unknown, or both are the same
     */
    public void cut(String one, String other) {
        network.cut(find(one).name, find(other).name);
    }

    /**
     * Cuts the link between two nodes in one direction.
     *
     * @param from the name of the node from which nothing arrives
     * @param to that of the node at which nothing arrives
     * @throws IllegalArgumentException if one is unknown, or both are the same
     */
    public void cutOneWay(String from, String to) {
        network.cutOneWay(find(from).name, find(to).name);
    }

    /**
     * Ends all cuts between two nodes.
     *
     * @param one the name of a node
     * @param other that of another
     * @throws IllegalArgumentException if one is unknown, or both are the same
     */
    public void heal(String one, String other) {
        network.heal(find(one).name, find(other).name);
    }

    /** Ends all cuts between all nodes. */
    public void heal() {
        List<String> all = names();
        for (int i = 0; i < all.size(); i++) {
            for (int k = 0; k < i; k++) {
                network.heal(all.get(i), all.get(k));
            }
        }
    }

    /**
     * Breaks off all connections between two nodes, as a firewall that forgets them does; bytes on
     * their way are lost. See {@link MemoryNetwork#reset}.
     *
     * @param one the name of a node
     * @param other that of another
     * @throws IllegalArgumentException if one is unknown, or both are the same
     */
    public void reset(String one, String other) {
        network.reset(find(one).name, find(other).name);
    }

    /**
     * Sets how long bytes are on their way between two nodes; 10 µs to 500 µs at first.
     *
     * @param one the name of a node
     * @param other that of another
     * @param min the shortest time
     * @param max the longest time, 2 s at most
     * @throws IllegalArgumentException if one is unknown, both are the same, or the times are in
     *     the wrong order or too long
     */
    public void delay(String one, String other, Duration min, Duration max) {
        network.delay(find(one).name, find(other).name, min, max);
    }

    @Override
    public String toString() {
        return "cluster of " + machines.keySet();
    }
}
