package dev.ropewalk.examples.logpipe;

import dev.ropewalk.channels.pipeline.PipelineFailedException;
import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.cli.Plain;
import dev.ropewalk.fibers.Cord;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Shows what the access logs of web servers say, while they are written.
 *
 * <p>Shows: a pipeline from files that are followed, merged with ticks, into tables of bounded
 * memory, and back pressure from a slow sink. Run: {@code java @ropewalk.args -cp
 * examples/target/wordcount.jar dev.ropewalk.examples.logpipe.Main --follow access.log}. Expect: a
 * table every 10 seconds, and one for all of it after Ctrl-C.
 */
public final class Main {
    static final int ALL_PARSED = 0;
    static final int SOMETHING_MISSING = 1;
    static final int BAD_OPTION = 2;
    static final int OUTPUT_FAILED = 3;

    /** How long a run may take to end in order after Ctrl-C. */
    private static final long LAST_WORDS_MS = 900;

    private Main() {}

    /**
     * Runs the program; the exit status is 0 if all lines were parsed, 1 if something is missing in
     * the tables, 2 for a bad option, 3 if the output could not be written, and the shell's status
     * for the signal after Ctrl-C.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), Output.standard(), System.err));
    }

    static int run(List<String> arguments, Output out, PrintStream err) {
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (BadOption bad) {
            err.println("logpipe: " + bad.getMessage());
            return BAD_OPTION;
        }
        if (options.help()) {
            return printed(() -> out.print(Options.USAGE), ALL_PARSED, err);
        }
        Complaints complaints = new Complaints(err);
        return onCord(new LogPipe(options, out, complaints), complaints, err);
    }

    /** Something that writes the output. */
    interface Printing {
        void run() throws IOException;
    }

    private static int printed(Printing printing, int status, PrintStream err) {
        try {
            printing.run();
            return status;
        } catch (IOException e) {
            err.println("logpipe: the output cannot be written: " + Plain.text(e.toString()));
            return OUTPUT_FAILED;
        }
    }

    private static int onCord(LogPipe pipe, Complaints complaints, PrintStream err) {
        CountDownLatch over = new CountDownLatch(1);
        Thread onCtrlC = endInOrder(pipe, over);
        Runtime.getRuntime().addShutdownHook(onCtrlC);
        try {
            return Cord.run(() -> ran(pipe, complaints, err));
        } finally {
            over.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(onCtrlC);
            } catch (IllegalStateException shuttingDown) {
                // Ctrl-C came: the hook runs, and need not wait any more.
            }
        }
    }

    private static int ran(LogPipe pipe, Complaints complaints, PrintStream err) {
        try {
            int status = printed(pipe::run, ALL_PARSED, err);
            return status == ALL_PARSED && complaints.isSomethingMissing()
                    ? SOMETHING_MISSING
                    : status;
        } catch (PipelineFailedException failed) {
            err.println("logpipe: " + Plain.text(String.valueOf(failed.getMessage())));
            return SOMETHING_MISSING;
        }
    }

    private static Thread endInOrder(LogPipe pipe, CountDownLatch over) {
        return new Thread(
                () -> {
                    pipe.interrupt();
                    try {
                        if (!over.await(LAST_WORDS_MS, TimeUnit.MILLISECONDS)) {
                            Runtime.getRuntime().halt(128 + 2);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "logpipe-ctrl-c");
    }
}
