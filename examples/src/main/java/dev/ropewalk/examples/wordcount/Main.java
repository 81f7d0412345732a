package dev.ropewalk.examples.wordcount;

import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Counts words in text files.
 *
 * <p>Shows: pipelines over several cords, blocking reads away from the cord, and counters that are
 * actors of a supervision tree. Run: {@code java -jar examples/target/wordcount.jar docs}. Expect:
 * the most frequent words, totals and throughput; the same with {@code --chaos 0.1}, where the
 * counters crash and are started again.
 */
public final class Main {
    static final int ALL_COUNTED = 0;
    static final int SOMETHING_NOT_COUNTED = 1;
    static final int CANNOT_START = 2;
    static final int OUTPUT_FAILED = 3;

    /** How long a run may take to end in order after Ctrl-C. */
    private static final long LAST_WORDS_MS = 900;

    private static final int RESERVE_BYTES = 512 * 1024;
    private static final Duration PROGRESS_EVERY = Duration.ofMillis(200);
    private static final String CLEAR_LINE = "\r\033[K";

    private final Options options;
    private final Output out;
    private final PrintStream err;
    private final boolean live;
    private final Progress progress = new Progress();

    /** Given up when the heap is full, so that there is room to say so and to end. */
    private final AtomicReference<byte @Nullable []> reserve =
            new AtomicReference<>(new byte[RESERVE_BYTES]);

    Main(Options options, Output out, PrintStream err, boolean live) {
        this.options = options;
        this.out = out;
        this.err = err;
        this.live = live;
    }

    /**
     * Runs the program; the exit status is 0 if all was counted, 1 if something was not, 2 for a
     * bad option or too small a heap, 3 if the output could not be written, and the shell's status
     * for the signal after Ctrl-C.
     *
     * @param arguments see {@code --help}
     */
    @SuppressWarnings("SystemConsoleNull") // since JDK 25 it is null again without a terminal
    public static void main(String[] arguments) {
        boolean terminal = System.console() != null && System.console().isTerminal();
        System.exit(run(List.of(arguments), Output.standard(), System.err, terminal));
    }

    static int run(List<String> arguments, Output out, PrintStream err, boolean terminal) {
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (BadOption bad) {
            err.println("wordcount: " + bad.getMessage());
            return CANNOT_START;
        }
        try {
            if (options.help()) {
                out.print(Options.USAGE);
                return ALL_COUNTED;
            }
            @Nullable String complaint =
                    HeapNeed.complaint(options, Runtime.getRuntime().maxMemory());
            if (complaint != null) {
                err.println("wordcount: " + complaint);
                return CANNOT_START;
            }
            return new Main(options, out, err, terminal && !options.json()).run();
        } catch (IOException e) {
            err.println("wordcount: the output cannot be written: " + Problem.reason(e));
            return OUTPUT_FAILED;
        }
    }

    private int run() throws IOException {
        Counting counting = new Counting(options, this::report, progress, () -> reserve.set(null));
        CountDownLatch over = new CountDownLatch(1);
        Thread onCtrlC = endInOrder(counting, over);
        Runtime.getRuntime().addShutdownHook(onCtrlC);
        try {
            return print(Cord.run(() -> count(counting)));
        } catch (FiberFailedException | OutOfMemoryError failed) {
            if (HeapNeed.isFull(failed)) {
                reserve.set(null);
                err.println("wordcount: " + HeapNeed.full(Runtime.getRuntime().maxMemory()));
                return SOMETHING_NOT_COUNTED;
            }
            err.println("wordcount: the run failed: " + failed.getMessage());
            failed.printStackTrace(err);
            return SOMETHING_NOT_COUNTED;
        } finally {
            over.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(onCtrlC);
            } catch (IllegalStateException shuttingDown) {
                // Ctrl-C came: the hook runs, and need not wait any more.
            }
        }
    }

    private int print(Summary summary) throws IOException {
        if (options.json()) {
            // Programs expect UTF-8, whatever the terminal has.
            out.write(summary.toJson(), StandardCharsets.UTF_8);
        } else {
            out.print(summary.toText());
        }
        boolean complete = summary.problems() == 0 && !summary.interrupted();
        return complete ? ALL_COUNTED : SOMETHING_NOT_COUNTED;
    }

    private Summary count(Counting counting) throws Exception {
        @Nullable Fiber<?> line = live ? Fiber.spin("progress", this::showProgress) : null;
        try {
            return counting.run();
        } finally {
            if (line != null) {
                line.terminate();
                err.print(CLEAR_LINE);
            }
        }
    }

    private static Thread endInOrder(Counting counting, CountDownLatch over) {
        return new Thread(
                () -> {
                    counting.interrupt();
                    try {
                        if (!over.await(LAST_WORDS_MS, TimeUnit.MILLISECONDS)) {
                            Runtime.getRuntime().halt(128 + 2);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "wordcount-ctrl-c");
    }

    private void showProgress() {
        Cord here = Cord.current();
        long startNs = here.nanoTime();
        for (; ; ) {
            Fiber.sleep(PROGRESS_EVERY);
            err.print(CLEAR_LINE + progress.line((here.nanoTime() - startNs) / 1e9));
            err.flush();
        }
    }

    private void report(Problem problem) {
        progress.problem(problem);
        err.println((live ? CLEAR_LINE : "") + problem.line());
    }
}
