package dev.ropewalk.examples.wordcount;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.supervision.ActorSpec;
import dev.ropewalk.actors.supervision.ChildSpec;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.channels.pipeline.Pipeline;
import dev.ropewalk.channels.pipeline.PipelineRun;
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
import java.util.stream.Stream;

/**
 * The pipelines and actors of one run.
 *
 * <pre>
 *   walk --batches--> read --chunks--> split --ask--> counters
 *   one fiber         fibers           fibers on cords   actors on the same cords
 * </pre>
 *
 * Pipelines with a channel of chunks between them: an interrupt ends the first, which finds and
 * reads files, and those behind the channel, one for each splitter, count what they have. Walking
 * and reading block away from the cord. What goes through is files and chunks of text, not words: a
 * hand-over costs as much as splitting dozens of words. A splitter waits for the counters' replies,
 * so at most one table of each is on its way to each counter, and the channels are bounded: memory
 * does not depend on the text.
 */
final class Counting {
    private static final int READERS = 2;
    private static final int SPLITTERS_PER_CORD = 2;

    /** Counters never wait, so a reply that takes this long will not come. */
    private static final Duration REPLY_LIMIT = Duration.ofMinutes(1);

    /** After an interrupt, for the calls that block. */
    private static final Duration BLOCKED_LIMIT = Duration.ofMillis(200);

    private final Options options;
    private final Consumer<Problem> problems;
    private final Progress progress;

    /** Makes room when the heap is full, so that the run can end. */
    private final Runnable makeRoom;

    /** Hands over: those who take from it wait with one chunk for each splitter. */
    private final Channel<Chunk> chunks = Channel.rendezvous();

    private final AtomicReference<@Nullable DeadLetter> firstLost = new AtomicReference<>();

    private boolean interrupted;

    /** Whether a counter found no room for its words. */
    private volatile boolean heapFull;

    /** The part of the run that an interrupt ends early; what follows it is short. */
    private @Nullable Fiber<Boolean> reading;

    /**
     * Makes a run.
     *
     * @param problems is told of problems, from any thread
     * @param makeRoom is called when the heap is full, from any thread
     */
    Counting(Options options, Consumer<Problem> problems, Progress progress, Runnable makeRoom) {
        this.options = options;
        this.problems = problems;
        this.progress = progress;
        this.makeRoom = makeRoom;
    }

    /** Counts everything, or as much as it can until {@link #interrupt}; on a fiber. */
    Summary run() throws Exception {
        long startNs = Cord.current().nanoTime();
        List<Cord> cords = new ArrayList<>();
        try {
            for (int i = 0; i < options.cords(); i++) {
                cords.add(Cord.start("split-" + i));
            }
            return count(cords, startNs);
        } finally {
            cords.forEach(Cord::close);
        }
    }

    private Summary count(List<Cord> cords, long startNs) {
        List<ActorSpec<CounterMessage>> specs = counters();
        Tree tree =
                Tree.of(
                        "wordcount",
                        supervision(Fiber.current()),
                        specs.toArray(new ChildSpec<?>[0]));
        ActorSystemOptions overCords =
                ActorSystemOptions.defaults()
                        .over(cords)
                        .withDeadLetters(letter -> firstLost.compareAndSet(null, letter));
        try (ActorSystem system = ActorSystem.start(tree, overCords)) {
            Supervisor supervisor = system.root();
            List<ActorRef<CounterMessage>> counters =
                    specs.stream().map(supervisor::actor).toList();
            List<Fiber<?>> splitting = spinSplitters(cords, counters);
            boolean cut = readUntilInterrupted();
            chunks.close();
            splitting.forEach(Fiber::await);
            List<CounterMessage.Totals> totals = new ArrayList<>();
            for (ActorRef<CounterMessage> counter : counters) {
                totals.add(
                        counter.<CounterMessage.Totals>ask(
                                to -> new CounterMessage.Report(options.top(), to), REPLY_LIMIT));
            }
            reportLost();
            long elapsedNs = Cord.current().nanoTime() - startNs;
            return summary(totals, elapsedNs, supervisor.restarts(), cut);
        }
    }

    /** Ends the run early but in order, at whatever moment; from any thread. */
    synchronized void interrupt() {
        if (!interrupted && reading != null) {
            reading.raise(new Interrupted());
        }
        interrupted = true;
    }

    /** On the cords in turn; a counter restarts for as long as the user's chaos goes on. */
    private Supervision supervision(Fiber<?> run) {
        return Supervision.oneForOne()
                .spread()
                .intensity(Integer.MAX_VALUE, Duration.ofSeconds(1))
                .onFailure(report -> failed(run, report.failure()));
    }

    /** Trying again makes no room: then the run ends. */
    private void failed(Fiber<?> run, Throwable failure) {
        if (failure instanceof OutOfMemoryError && !heapFull) {
            makeRoom.run();
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

    private List<ActorSpec<CounterMessage>> counters() {
        List<ActorSpec<CounterMessage>> all = new ArrayList<>();
        for (int i = 0; i < options.shards(); i++) {
            all.add(Tree.child("counter-" + i, Counter.actor(options.chaos(), options.seed() + i)));
        }
        return all;
    }

    /** True if the run was interrupted before everything was read. */
    private boolean readUntilInterrupted() {
        Fiber<Boolean> fiber = spinReading();
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

    /** A fiber of its own, so that an interrupt strikes neither before the reading nor after it. */
    private synchronized Fiber<Boolean> spinReading() {
        Fiber<Boolean> fiber = Fiber.spin("reading", this::readAll);
        reading = fiber;
        if (interrupted) {
            fiber.raise(new Interrupted());
        }
        return fiber;
    }

    private boolean readAll() {
        Fiber<?> files = Fiber.spin("files", () -> readers().run());
        try {
            files.await();
            return false;
        } catch (Interrupted early) {
            files.terminate();
            files.awaitEnd(BLOCKED_LIMIT);
            return true;
        }
    }

    // ---------------------------------------------------------------- from files to chunks

    private PipelineRun<?> readers() {
        TextFiles found =
                options.paths().isEmpty()
                        ? TextFiles.ownFiles("", problems)
                        : TextFiles.named(options.paths(), problems);
        return Pipeline.from(Stream.generate(() -> found))
                .map("walk", files -> Blocking.call(files::nextBatch))
                .takeWhile("to the last", batch -> !batch.isEmpty())
                .mapParallel("read", READERS, this::read)
                .forEach("done", _ -> {});
    }

    /** Sends the chunks itself: a batch may have more of them than fit into a list. */
    private List<Source> read(List<Source> batch) throws Exception {
        try (SourceReader reader = new SourceReader(batch, problems)) {
            readBatch(reader);
        }
        return batch;
    }

    private void readBatch(SourceReader reader) throws Exception {
        boolean begun = false;
        try {
            for (; ; ) {
                @Nullable Part part = Blocking.<@Nullable Part, Exception>call(reader::next);
                if (part == null) {
                    return;
                }
                if (part.chunk() != null && chunks.sendResult(part.chunk()) == SendResult.CLOSED) {
                    return; // nobody counts any more: the splitters failed, and tell why
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

    // ---------------------------------------------------------------- from chunks to counts

    /** Where the counters are: a chunk comes to the cord of a splitter in one step. */
    private List<Fiber<?>> spinSplitters(
            List<Cord> cords, List<ActorRef<CounterMessage>> counters) {
        List<Fiber<?>> all = new ArrayList<>();
        for (Cord cord : cords) {
            for (int i = 0; i < SPLITTERS_PER_CORD; i++) {
                all.add(cord.spin("splitting", () -> splitter(counters).run()));
            }
        }
        return all;
    }

    private PipelineRun<?> splitter(List<ActorRef<CounterMessage>> counters) {
        WordTable[] shards = new WordTable[counters.size()];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = new WordTable();
        }
        return Pipeline.from(chunks)
                .map("split", chunk -> split(chunk, shards, counters))
                .forEach("progress", progress::wordsCounted);
    }

    /** Returns how many words it has counted. */
    private static long split(
            Chunk chunk, WordTable[] shards, List<ActorRef<CounterMessage>> counters) {
        WordTable.splitInto(shards, chunk.bytes(), chunk.length());
        long counted = 0;
        for (int i = 0; i < shards.length; i++) {
            WordTable words = shards[i];
            if (words.distinct() > 0) {
                counted +=
                        counters.get(i)
                                .<Long>ask(to -> new CounterMessage.Add(words, to), REPLY_LIMIT);
                words.clear();
            }
        }
        return counted;
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
