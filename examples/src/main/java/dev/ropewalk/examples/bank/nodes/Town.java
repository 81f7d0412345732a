package dev.ropewalk.examples.bank.nodes;

import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The processes of the bank, and the things that are done to them. It is no member of the cluster:
 * it starts processes, reads the lines that they print, and starts one again that has ended. For
 * one fiber, and the threads that read.
 */
final class Town implements AutoCloseable {
    private static final int CLOSED = 0;
    private static final int OPEN = 1;

    private static final long LIMIT_MS = 60_000;
    private static final Duration POLL = Duration.ofMillis(20);
    private static final int MIN_FAULTS = 3;
    private static final int MIN_STOP_MS = 1_000;
    private static final int MAX_STOP_MS = 8_000;
    private static final int MAX_REST_MS = 2_000;

    private final NodesOptions options;
    private final Output out;
    private final Path folder;
    private final Book book;
    private final Random random;

    /** Of this run alone, because a database keeps the entries of each one. */
    private final String cluster =
            "bank-" + Integer.toHexString(Cord.current().nextInt(Integer.MAX_VALUE));

    private final List<String> servers;

    /** Those that run, by their places; killed by another thread after Ctrl-C. */
    private final Map<Integer, NodeProcess> processes = new ConcurrentHashMap<>();

    /** Those that were killed, or told to leave. */
    private final Set<NodeProcess> told = new HashSet<>();

    private final int[] versions = new int[NodeSettings.NODES];
    private final long beganNs = Cord.current().nanoTime();

    /** Whether its customers give orders, for each process; written by those that read, too. */
    private final AtomicIntegerArray customers = new AtomicIntegerArray(NodeSettings.NODES);

    /** Which processes have said that they are ready. */
    private final AtomicIntegerArray ready = new AtomicIntegerArray(NodeSettings.NODES);

    /** Asks, before all customers had begun. */
    private long failedAtStart;

    private volatile boolean isOpen;
    private volatile boolean isOver;

    /** By those that read. */
    private final Queue<String> shown = new ConcurrentLinkedQueue<>();

    private final AtomicInteger left = new AtomicInteger();
    private final AtomicInteger counts = new AtomicInteger();

    /**
     * A town without a process.
     *
     * @param folder in which the processes have their files
     */
    Town(NodesOptions options, Output out, Path folder, Book book) throws IOException {
        this.options = options;
        this.out = out;
        this.folder = folder;
        this.book = book;
        this.random = new Random(options.seed());
        this.servers = freeAddresses();
        Arrays.fill(versions, 1);
    }

    private static List<String> freeAddresses() throws IOException {
        List<ServerSocket> free = new ArrayList<>();
        for (int i = 0; i < NodeSettings.NODES; i++) {
            free.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        }
        List<String> all = free.stream().map(each -> "127.0.0.1:" + each.getLocalPort()).toList();
        for (ServerSocket each : free) {
            each.close();
        }
        return all;
    }

    /** Plays the scenario, and counts the money. Waits for no more than a minute for anything. */
    void run() throws IOException {
        startEnded();
        if (!await("the three processes are ready", this::areReady)) {
            return;
        }
        isOpen = true;
        each(this::open);
        // Three processes that load their classes at once may take a lease's time on a slow
        // machine.
        if (!await("all customers have begun", book::haveAllBegun)) {
            return;
        }
        awaitTransfers();
        failedAtStart = book.failedAsks();
        long endNs = Cord.current().nanoTime() + options.seconds() * 1_000_000_000L;
        switch (options.scenario()) {
            case FAULTS -> playFaults(endNs);
            case EXCHANGE -> playExchange(endNs);
            case NONE -> rest(options.seconds() * 1_000L);
        }
        if (book.wrong().isEmpty()) {
            awaitTransfers();
        }
        isOpen = false;
        each(place -> say(place, BankNode.CLOSE));
        await(
                "all customers have ended",
                () ->
                        IntStream.range(0, NodeSettings.NODES)
                                .allMatch(place -> customers.get(place) == CLOSED));
        judgeAsks();
        count();
    }

    /** Behind the end of all customers, because an ask of the last exchange may fail late. */
    private void judgeAsks() {
        long failed = book.failedAsks() - failedAtStart;
        if (options.scenario() == Scenario.EXCHANGE && failed > 0) {
            book.wrong(
                    failed
                            + " asks have failed while processes were exchanged, the last one with:"
                            + " "
                            + book.lastFailure());
        }
    }

    // ---------------------------------------------------------------- processes

    /** Starts those that do not run. */
    private void startEnded() throws IOException {
        tellShown();
        for (int place = 0; place < NodeSettings.NODES; place++) {
            NodeProcess before = processes.get(place);
            if (before != null && !before.isAlive()) {
                before.kill(); // reads the rest
                processes.remove(place);
                tell(before + " has ended");
                if (!told.contains(before) && options.scenario() != Scenario.NONE) {
                    book.wrong(before + " has ended by itself; see its log");
                }
            }
            if (processes.get(place) == null && !isOver) {
                start(place);
            }
        }
    }

    private void start(int place) throws IOException {
        customers.set(place, CLOSED);
        ready.set(place, 0);
        NodeSettings settings =
                new NodeSettings(
                        place,
                        String.valueOf(versions[place]),
                        cluster,
                        options.accounts(),
                        random.nextLong(),
                        options.store(),
                        folder,
                        options.observer() == NodesOptions.NO_OBSERVER
                                ? NodesOptions.NO_OBSERVER
                                : options.observer() + place,
                        servers);
        NodeProcess started = new NodeProcess(settings, (by, line) -> read(place, by, line));
        processes.put(place, started);
        tell(started + " is process " + started.pid());
    }

    /** On the thread that reads the process's lines. */
    private void read(int place, NodeProcess by, String line) {
        book.read(place, line);
        if (line.startsWith(Words.SHOWS + " ")) {
            shown.add(by + " is shown at " + line.substring(Words.SHOWS.length() + 1));
        }
        switch (line) {
            case Words.READY -> {
                ready.set(place, 1);
                if (isOpen) {
                    customers.set(place, OPEN);
                    by.say(BankNode.OPEN);
                }
            }
            case Words.CLOSED -> customers.set(place, CLOSED);
            case Words.COUNTED -> counts.incrementAndGet();
            case Words.LEFT + " true" -> left.incrementAndGet();
            default -> {}
        }
    }

    private void open(int place) {
        if (customers.compareAndSet(place, CLOSED, OPEN)) {
            say(place, BankNode.OPEN);
        }
    }

    private void say(int place, String line) {
        NodeProcess process = processes.get(place);
        if (process != null) {
            process.say(line);
        }
    }

    private boolean areReady() {
        return IntStream.range(0, NodeSettings.NODES).allMatch(place -> ready.get(place) == 1);
    }

    private interface Step {
        void at(int place) throws IOException;
    }

    private static void each(Step step) throws IOException {
        for (int place = 0; place < NodeSettings.NODES; place++) {
            step.at(place);
        }
    }

    // ---------------------------------------------------------------- scenarios

    private void playFaults(long endNs) throws IOException {
        List<Fault> next = new ArrayList<>();
        for (int count = 0; isToGoOn(count, MIN_FAULTS, endNs); count++) {
            if (next.isEmpty()) {
                next.addAll(List.of(Fault.values()));
                Collections.shuffle(next, random);
            }
            inject(next.removeLast());
            awaitTransfers();
            rest(random.nextInt(MAX_REST_MS));
        }
    }

    private void inject(Fault fault) throws IOException {
        List<Integer> places = new ArrayList<>(List.of(0, 1, 2));
        Collections.shuffle(places, random);
        List<NodeProcess> hit = new ArrayList<>();
        for (int place : places.subList(0, fault.count())) {
            NodeProcess process = processes.get(place);
            if (process != null) {
                hit.add(process);
            }
        }
        String names =
                hit.stream().map(NodeProcess::toString).sorted().collect(Collectors.joining(", "));
        if (fault.isKill()) {
            tell(names + (hit.size() == 1 ? " is" : " are") + " killed");
            told.addAll(hit);
            hit.forEach(NodeProcess::strike); // all, before any is waited for
            hit.forEach(NodeProcess::kill);
            return;
        }
        int stopMs = MIN_STOP_MS + random.nextInt(MAX_STOP_MS - MIN_STOP_MS);
        tell(names + (hit.size() == 1 ? " stops" : " stop") + " for " + stopMs + " ms");
        for (NodeProcess each : hit) {
            each.signal("STOP");
        }
        rest(stopMs);
        for (NodeProcess each : hit) {
            each.signal("CONT");
        }
    }

    /** Until the end, and until so many were played. */
    private boolean isToGoOn(int played, int min, long endNs) {
        boolean isTime = played < min || Cord.current().nanoTime() - endNs < 0;
        return isTime && book.wrong().isEmpty();
    }

    /** At least once for each process. */
    private void playExchange(long endNs) throws IOException {
        for (int version = 2; isToGoOn(version - 2, 1, endNs); version++) {
            for (int place = 0; place < NodeSettings.NODES && book.wrong().isEmpty(); place++) {
                exchange(place, version);
            }
        }
    }

    private void exchange(int place, int version) throws IOException {
        NodeProcess old = processes.get(place);
        if (old == null) {
            return;
        }
        versions[place] = version;
        int before = left.get();
        tell(old + " leaves for version " + version);
        told.add(old);
        old.terminate();
        await(old + " has left", () -> processes.get(place) != old);
        if (left.get() == before) {
            book.wrong(old + " did not leave in order");
        }
        awaitTransfers();
    }

    // ---------------------------------------------------------------- the count

    private void count() throws IOException {
        long endMs = nowMs() + LIMIT_MS;
        while (!book.isSettled() && nowMs() < endMs && book.wrong().isEmpty()) {
            book.forgetMoney();
            int before = counts.get();
            NodeProcess asked = processes.get(0);
            say(0, BankNode.COUNT);
            await(
                    "the accounts are counted",
                    () -> counts.get() > before || processes.get(0) != asked);
        }
        isOver = true;
        book.judge();
    }

    // ---------------------------------------------------------------- waiting

    /** Until customers of each process have been answered. */
    private void awaitTransfers() throws IOException {
        long[] before = book.byPlace();
        boolean isDone =
                await(
                        "customers of each process transfer",
                        () -> {
                            long[] now = book.byPlace();
                            return IntStream.range(0, NodeSettings.NODES)
                                    .allMatch(place -> now[place] > before[place]);
                        });
        if (isDone) {
            tell(String.format(Locale.ROOT, "%,d transfers", book.transfers()));
        }
    }

    private void tellShown() throws IOException {
        for (String each = shown.poll(); each != null; each = shown.poll()) {
            tell(each);
        }
    }

    private boolean await(String what, BooleanSupplier isDone) throws IOException {
        long endMs = nowMs() + LIMIT_MS;
        while (!isDone.getAsBoolean()) {
            if (nowMs() > endMs) {
                book.wrong("this has not come within " + LIMIT_MS / 1_000 + " s: " + what);
                return false;
            }
            startEnded();
            pause();
        }
        return true;
    }

    private void rest(long forMs) throws IOException {
        long endMs = nowMs() + forMs;
        while (nowMs() < endMs) {
            startEnded();
            pause();
        }
    }

    private static void pause() {
        Fiber.sleep(POLL);
    }

    /** Since it began. */
    long nowMs() {
        return (Cord.current().nanoTime() - beganNs) / 1_000_000;
    }

    private void tell(String what) throws IOException {
        out.print(String.format(Locale.ROOT, "%6.1f s  %s%n", nowMs() / 1e3, what));
    }

    /** Kills all. */
    @Override
    public void close() {
        isOver = true;
        processes.values().forEach(NodeProcess::kill);
    }
}
