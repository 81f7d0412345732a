package dev.ropewalk.examples.echo;

import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.cli.Plain;
import dev.ropewalk.fibers.FiberFailedException;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Sends back each line.
 *
 * <p>Shows: a fiber for each connection, listeners of several cords on one port, and an end in
 * order. Run: {@code java @ropewalk.args -cp examples/target/wordcount.jar
 * dev.ropewalk.examples.echo.Main}. Expect: what you type into {@code nc 127.0.0.1 7007} comes
 * back.
 */
public final class Main {
    static final int NO_PORT = 1;
    static final int BAD_OPTION = 2;
    static final int OUTPUT_FAILED = 3;

    /** How long the end may take after Ctrl-C. */
    private static final long LAST_WORDS_MS = 5_000;

    private Main() {}

    /**
     * Runs the server until Ctrl-C; the exit status is 1 if it has no port, 2 for a bad option, 3
     * if the output cannot be written.
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
            err.println("echo: " + bad.getMessage());
            return BAD_OPTION;
        }
        try {
            if (options.help()) {
                out.print(Options.USAGE);
                return 0;
            }
            return serve(options, out, err);
        } catch (IOException e) {
            err.println("echo: the output cannot be written: " + Plain.text(e.toString()));
            return OUTPUT_FAILED;
        }
    }

    private static int serve(Options options, Output out, PrintStream err) throws IOException {
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        try (Echo echo = new Echo(options)) {
            out.print("echo listens on 127.0.0.1:" + echo.port() + "\n");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(stop, over), "echo-ctrl-c"));
            stop.await();
        } catch (FiberFailedException failed) {
            err.println("echo: " + Plain.text(String.valueOf(failed.getCause())));
            return NO_PORT;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            over.countDown();
        }
        return 0;
    }

    private static void end(CountDownLatch stop, CountDownLatch over) {
        stop.countDown();
        try {
            over.await(LAST_WORDS_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
