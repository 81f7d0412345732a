package dev.ropewalk.examples.bank.nodes;

import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.cli.Plain;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.FiberFailedException;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Kills the processes of a bank, and counts its money.
 *
 * <p>Shows: durable entities of a cluster, deliveries between them, a store that the processes keep
 * themselves, and nodes that leave. Run: {@code java @ropewalk.args -cp
 * examples/target/wordcount.jar dev.ropewalk.examples.bank.Main --node}. Expect: the sum is exact,
 * and no transfer that was acknowledged is gone.
 */
public final class NodesMain {
    static final int EXACT = 0;
    static final int NOT_EXACT = 1;
    static final int BAD_OPTION = 2;
    static final int OUTPUT_FAILED = 3;

    private NodesMain() {}

    /**
     * Runs it until its scenario is over, and returns the exit status.
     *
     * @param arguments see {@code --node --help}
     */
    public static int run(List<String> arguments, Output out, PrintStream err) {
        try {
            NodesOptions options = NodesOptions.parse(arguments);
            if (options.help()) {
                out.print(NodesOptions.USAGE);
                return EXACT;
            }
            return run(options, out, err);
        } catch (BadOption bad) {
            err.println("bank: " + bad.getMessage());
            return BAD_OPTION;
        } catch (IOException e) {
            err.println("bank: the output cannot be written: " + Plain.text(e.toString()));
            return OUTPUT_FAILED;
        }
    }

    private static int run(NodesOptions options, Output out, PrintStream err) throws IOException {
        Path folder = Files.createTempDirectory("ropewalk-bank");
        Book book = new Book(options.accounts());
        try {
            Cord.run(() -> play(new Town(options, out, folder, book), options, book, out));
        } catch (FiberFailedException failed) {
            if (failed.getCause() instanceof IOException cannotWrite) {
                throw cannotWrite;
            }
            throw failed;
        }
        if (book.wrong().isEmpty()) {
            delete(folder);
            return EXACT;
        }
        book.wrong().forEach(each -> err.println("bank: " + Plain.text(each)));
        err.println("bank: the processes' logs and files are in " + folder);
        return NOT_EXACT;
    }

    private static void play(Town town, NodesOptions options, Book book, Output out)
            throws IOException {
        Thread onCtrlC = new Thread(town::close, "kills the processes");
        Runtime.getRuntime().addShutdownHook(onCtrlC);
        try (town) {
            town.run();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(onCtrlC);
        } catch (IllegalStateException shuttingDown) {
            return; // the processes were killed, and nothing is known
        }
        report(options, book, town.nowMs() / 1e3, out);
    }

    private static void report(NodesOptions options, Book book, double seconds, Output out)
            throws IOException {
        out.print(
                String.format(
                        Locale.ROOT,
                        "%,d transfers in %.1f s; %,d asks were given again; the longest wait was"
                                + " %,d ms%n",
                        book.transfers(),
                        seconds,
                        book.failedAsks(),
                        book.longestMs()));
        if (book.wrong().isEmpty()) {
            out.print(
                    String.format(
                            Locale.ROOT,
                            "the sum of %,d accounts is %,d, as at first; no acknowledged transfer"
                                    + " is gone%n",
                            options.accounts(),
                            book.sum()));
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(NodesMain::deleteOne);
        } catch (IOException | UncheckedIOException inUse) {
            // It is in the folder for temporary files.
        }
    }

    private static void deleteOne(Path file) {
        try {
            Files.delete(file);
        } catch (IOException inUse) {
            throw new UncheckedIOException(inUse);
        }
    }
}
