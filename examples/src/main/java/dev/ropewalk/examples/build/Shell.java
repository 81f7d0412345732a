package dev.ropewalk.examples.build;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.BlockingOptions;
import dev.ropewalk.fibers.blocking.BlockingPool;
import dev.ropewalk.fibers.blocking.Processes;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Runs commands by {@code sh -c}, with an empty standard input. */
final class Shell implements Commands, AutoCloseable {
    /**
     * How long the output is read on when its command has ended: what it has left in the background
     * may hold it open, and then nothing says when that ends.
     */
    private static final Duration LEFT_LIMIT = Duration.ofSeconds(1);

    /** Between the thread that reads and the fiber that takes. */
    private static final int BATCHES = 16;

    private static final File NOTHING = new File("/dev/null");

    /** A process whose fiber was ended while it started does not stay behind. */
    private final BlockingPool starts =
            new BlockingPool(
                    BlockingOptions.named("process start")
                            .withUndelivered(started -> kill((Process) started)));

    private final File directory;
    private final Duration grace;
    private final Duration leftLimit;

    /**
     * Runs commands in a directory.
     *
     * @param grace how long a command may take to end after TERM, before KILL
     */
    Shell(Path directory, Duration grace) {
        this(directory, grace, LEFT_LIMIT);
    }

    Shell(Path directory, Duration grace, Duration leftLimit) {
        this.directory = directory.toFile();
        this.grace = grace;
        this.leftLimit = leftLimit;
    }

    @Override
    public int run(String command, Path scratch, Consumer<String> output) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder("sh", "-c", command)
                        .directory(directory)
                        .redirectInput(NOTHING)
                        .redirectErrorStream(true);
        builder.environment().put("SCRATCH", scratch.toString());
        builder.environment().put("TMPDIR", scratch.toString());
        Process process = starts.call(builder::start);
        Channel<List<String>> lines = Channel.buffered(BATCHES);
        try {
            LineReader reader = new LineReader(process.getInputStream(), lines);
            Thread.ofPlatform().daemon().name("output of " + process.pid()).start(reader);
            Fiber<?> taker = Fiber.spin("output", () -> lines.forEach(all -> all.forEach(output)));
            int exit = Processes.await(process, grace);
            awaitLines(taker, reader);
            lines.close();
            taker.await();
            return exit;
        } finally {
            lines.cancel();
        }
    }

    /** Until the last line, or until nothing has come for a while: lines may go out slowly. */
    private void awaitLines(Fiber<?> taker, LineReader reader) {
        int before = reader.pendingRead();
        while (!taker.awaitEnd(leftLimit)) {
            int now = reader.pendingRead();
            if (now != 0 && now == before) {
                return;
            }
            before = now;
        }
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() {
        starts.close();
    }
}
