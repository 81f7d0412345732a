package dev.ropewalk.examples.wordcount;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Supervision;
import dev.ropewalk.actors.Supervisor;
import dev.ropewalk.channels.Channel;
import dev.ropewalk.fibers.Blocking;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The channels, fibers and actors of one run.
 *
 * <pre>
 *   walker --files--> readers --chunks--> splitters --ask--> counters
 *   one fiber         fibers              fibers on cords    actors on the same cords
 * </pre>
 *
 * The walker and the readers block away from their cord. What goes through the channels is files
 * and chunks of text, not words: a hand-over costs as much as splitting dozens of words. Splitters
 * wait for the counters' replies, so at most one table of each splitter is on its way to each
 * counter, and both channels are bounded: memory does not depend on the text.
 */
final class Pipeline {
    private static final int FILES_AHEAD = 64;
    private static final int READERS = 2;
    private static final int SPLITTERS_PER_CORD = 2;

    /** A counter restarts for as long as the user's chaos goes on. */
    private static final Supervision COUNTERS =
            Supervision.oneForOne()
                    .intensity(Integer.MAX_VALUE, Duration.ofSeconds(1))
                    .onFailure((_, _) -> {});

    /** Counters never wait, so a reply that takes this long will not come. */
    private static final Duration REPLY_LIMIT = Duration.ofMinutes(1);

    /** After an interrupt, for each stage that may be in a blocking call. */
    private static final Duration BLOCKED_LIMIT = Duration.ofMillis(200);

    private final Options options;
    private final Consumer<Problem> problems;
    private final Progress progress;
    private final Channel<Path> files = Channel.buffered(FILES_AHEAD);
    private final Channel<Chunk> chunks;

    private boolean interrupted;

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
        try (ActorSystem system = ActorSystem.start("wordcount")) {
            for (int i = 0; i < options.cords(); i++) {
                cords.add(Cord.start("split-" + i));
            }
            Supervisor supervisor = system.supervise("counters", COUNTERS);
            List<ActorRef<CounterMessage>> counters = spinCounters(supervisor, cords);
            boolean cut = countUntilInterrupted(cords, counters);
            List<CounterMessage.Totals> totals = new ArrayList<>();
            for (ActorRef<CounterMessage> counter : counters) {
                totals.add(
                        counter.<CounterMessage.Totals>ask(
                                to -> new CounterMessage.Report(options.top(), to), REPLY_LIMIT));
            }
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
            @Nullable Path file = Blocking.<@Nullable Path, Exception>call(found::next);
            if (file == null) {
                files.close();
                return;
            }
            files.send(file);
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
        for (Path file : files) {
            try (ChunkReader reader = new ChunkReader(file, problems)) {
                long before = 0;
                for (; ; ) {
                    @Nullable Chunk chunk = Blocking.<@Nullable Chunk, Exception>call(reader::next);
                    if (chunk == null) {
                        break;
                    }
                    chunks.send(chunk);
                    progress.bytesRead(reader.bytesRead() - before);
                    before = reader.bytesRead();
                }
                if (!reader.skipped()) {
                    progress.bytesRead(reader.bytesRead() - before);
                    progress.fileDone();
                }
            }
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
                progress.bytes(),
                words,
                distinct,
                elapsedNs,
                restarts,
                progress.problems(),
                cut,
                top.toList());
    }
}
