package dev.ropewalk.examples.wordcount;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Supervision;
import dev.ropewalk.actors.Supervisor;
import dev.ropewalk.channels.Channel;
import dev.ropewalk.examples.wordcount.SourceReader.Part;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.blocking.Blocking;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The channels, fibers and actors of one run.
 *
 * <pre>
 *   walker --batches--> readers --chunks--> splitters --ask--> counters
 *   one fiber           fibers              fibers on cords    actors on the same cords
 * </pre>
 *
 * The walker and the readers block away from their cord. What goes through the channels is files
 * and chunks of text, not words: a hand-over costs as much as splitting dozens of words. Splitters
 * wait for the counters' replies, so at most one table of each splitter is on its way to each
 * counter, and both channels are bounded: memory does not depend on the text.
 */
final class Pipeline {
    private static final int BATCHES_AHEAD = 4;
    private static final int READERS = 2;
    private static final int SPLITTERS_PER_CORD = 2;

    /** Counters never wait, so a reply that takes this long will not come. */
    private static final Duration REPLY_LIMIT = Duration.ofMinutes(1);

    /** After an interrupt, for each stage that may be in a blocking call. */
    private static final Duration BLOCKED_LIMIT = Duration.ofMillis(200);

    private final Options options;
    private final Consumer<Problem> problems;
    private final Progress progress;
    private final Channel<List<Source>> batches = Channel.buffered(BATCHES_AHEAD);
    private final Channel<Chunk> chunks;
    private final AtomicReference<@Nullable DeadLetter> firstLost = new AtomicReference<>();

    private boolean interrupted;

    /** Whether a counter found no room for its words. */
    private volatile boolean heapFull;

    /** The part of the run that an interrupt ends early; what follows it is short. */
    private @Nullable Fiber<Boolean> counting;

    /**
     * Makes a run.
     *
     * @param problems is told of problems, from any thread
     */
    Pipeline(Options options, Consumer<Problem> problems, Progress progress) {
        this.options = options;
        this.problems = problems;
        this.progress = progress;
        this.chunks = Channel.buffered(2 * options.cords());
    }

    /** Counts everything, or as much as it can until {@link #interrupt}; on a fiber. */
    Summary run() throws Exception {
        long startNs = Cord.current().nanoTime();
        List<Cord> cords = new ArrayList<>();
        try (ActorSystem system =
                ActorSystem.start(
                        "wordcount",
                        Supervision.oneForOne(),
                        letter -> firstLost.compareAndSet(null, letter))) {
            for (int i = 0; i < options.cords(); i++) {
                cords.add(Cord.start("split-" + i));
            }
            Supervisor supervisor = system.supervise("counters", supervision(Fiber.current()));
            List<ActorRef<CounterMessage>> counters = spinCounters(supervisor, cords);
            boolean cut = countUntilInterrupted(cords, counters);
            List<CounterMessage.Totals> totals = new ArrayList<>();
            for (ActorRef<CounterMessage> counter : counters) {
                totals.add(
                        counter.<CounterMessage.Totals>ask(
                                to -> new CounterMessage.Report(options.top(), to), REPLY_LIMIT));
            }
            reportLost();
            long elapsedNs = Cord.current().nanoTime() - startNs;
            return summary(totals, elapsedNs, supervisor.restarts(), cut);
        } finally {
            cords.forEach(Cord::close);
        }
    }

    /** Ends the run early but in order, at whatever moment; from any thread. */
    synchronized void interrupt() {
        if (!interrupted && counting != null) {
            counting.raise(new Interrupted());
        }
        interrupted = true;
    }

    /** A counter restarts for as long as the user's chaos goes on. */
    private Supervision supervision(Fiber<?> run) {
        return Supervision.oneForOne()
                .intensity(Integer.MAX_VALUE, Duration.ofSeconds(1))
                .onFailure((_, failure) -> failed(run, failure));
    }

    /** Trying again makes no room: then the run ends. */
    private void failed(Fiber<?> run, Throwable failure) {
        if (failure instanceof OutOfMemoryError && !heapFull) {
            heapFull = true;
            run.raise(failure);
        }
    }

    /** Said of a run that ends in order, where it must not happen; any other has a failure. */
    private void reportLost() {
        @Nullable DeadLetter letter = firstLost.get();
        if (letter != null) {
            problems.accept(new Problem("counters", "a message was lost: " + letter));
        }
    }

    private List<ActorRef<CounterMessage>> spinCounters(Supervisor supervisor, List<Cord> cords) {
        List<ActorRef<CounterMessage>> counters = new ArrayList<>();
        for (int i = 0; i < options.shards(); i++) {
            Cord cord = cords.get(i % cords.size());
            long seed = options.seed() + i;
            counters.add(
                    supervisor.spin(cord, "counter-" + i, Counter.actor(options.chaos(), seed)));
        }
        return counters;
    }

    /** True if the run was interrupted before everything was counted. */
    private boolean countUntilInterrupted(
            List<Cord> cords, List<ActorRef<CounterMessage>> counters) {
        Fiber<Boolean> fiber = spinCounting(cords, counters);
        try {
            return fiber.await();
        } catch (FiberFailedException failed) {
            if (failed.getCause() instanceof Interrupted) {
                // It came as the first or the last thing, when there was nothing to end.
                return true;
            }
            throw failed;
        }
    }

    /** A fiber of its own, so that an interrupt strikes neither before the count nor after it. */
    private synchronized Fiber<Boolean> spinCounting(
            List<Cord> cords, List<ActorRef<CounterMessage>> counters) {
        Fiber<Boolean> fiber = Fiber.spin("counting", () -> count(cords, counters));
        counting = fiber;
        if (interrupted) {
            fiber.raise(new Interrupted());
        }
        return fiber;
    }

    private boolean count(List<Cord> cords, List<ActorRef<CounterMessage>> counters) {
        Fiber<?> walker = Fiber.spin("walker", this::walk);
        Fiber<?> readers = Fiber.spin("readers", this::readAll);
        List<Fiber<?>> splitters = new ArrayList<>();
        for (Cord cord : cords) {
            for (int i = 0; i < SPLITTERS_PER_CORD; i++) {
                splitters.add(cord.spin("splitter-" + i, () -> split(counters)));
            }
        }
        try {
            walker.await();
            readers.await();
            splitters.forEach(Fiber::await);
            return false;
        } catch (Interrupted early) {
            end(walker);
            end(readers);
            chunks.close();
            splitters.forEach(Fiber::await);
            return true;
        }
    }

    private static void end(Fiber<?> stage) {
        stage.terminate();
        stage.awaitEnd(BLOCKED_LIMIT);
    }

    private void walk() throws Exception {
        TextFiles found =
                options.paths().isEmpty()
                        ? TextFiles.ownFiles("", problems)
                        : TextFiles.named(options.paths(), problems);
        for (; ; ) {
            List<Source> batch = Blocking.call(found::nextBatch);
            if (batch.isEmpty()) {
                batches.close();
                return;
            }
            batches.send(batch);
        }
    }

    private void readAll() {
        List<Fiber<?>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            readers.add(Fiber.spin("reader-" + i, this::read));
        }
        readers.forEach(Fiber::await);
        chunks.close();
    }

    private void read() throws Exception {
        for (List<Source> batch : batches) {
            try (SourceReader reader = new SourceReader(batch, problems)) {
                readBatch(reader);
            }
        }
    }

    private void readBatch(SourceReader reader) throws Exception {
        boolean begun = false;
        try {
            for (; ; ) {
                @Nullable Part part = Blocking.<@Nullable Part, Exception>call(reader::next);
                if (part == null) {
                    return;
                }
                if (part.chunk() != null) {
                    chunks.send(part.chunk());
                }
                begun = part.begun();
                progress.bytesRead(part.bytes());
                progress.filesCounted(part.whole());
                progress.filesCutOff(part.cut());
            }
        } finally {
            // No switchpoint here: this runs in fibers that are terminated, too.
            progress.filesCutOff(begun ? 1 : 0);
        }
    }

    private void split(List<ActorRef<CounterMessage>> counters) {
        WordTable[] shards = new WordTable[counters.size()];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = new WordTable();
        }
        for (Chunk chunk : chunks) {
            WordTable.splitInto(shards, chunk.bytes(), chunk.length());
            for (int i = 0; i < shards.length; i++) {
                WordTable words = shards[i];
                if (words.distinct() > 0) {
                    progress.wordsCounted(
                            counters.get(i)
                                    .<Long>ask(
                                            to -> new CounterMessage.Add(words, to), REPLY_LIMIT));
                    words.clear();
                }
            }
        }
    }

    private Summary summary(
            List<CounterMessage.Totals> totals, long elapsedNs, long restarts, boolean cut) {
        long words = 0;
        long distinct = 0;
        TopWords top = new TopWords(options.top());
        for (CounterMessage.Totals shard : totals) {
            words += shard.words();
            distinct += shard.distinct();
            top.addAll(shard.top());
        }
        return new Summary(
                progress.files(),
                progress.partial(),
                progress.bytes(),
                words,
                distinct,
                elapsedNs,
                restarts,
                progress.problems(),
                progress.warnings(),
                cut,
                top.toList());
    }
}
