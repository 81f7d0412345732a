package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.observer.Observer;
import dev.ropewalk.actors.observer.ObserverOptions;
import dev.ropewalk.examples.bank.nodes.NodesMain;
import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.cli.Plain;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.io.ConnectionException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Transfers money between accounts that crash.
 *
 * <p>Shows: a supervision tree, actors that keep their state and try their messages again, replies
 * as messages by adapters, and audits of a whole that never stands still. Run: {@code java
 * @ropewalk.args -cp examples/target/wordcount.jar dev.ropewalk.examples.bank.Main --chaos 0.1}.
 * Expect: as much money at the end as at the start, in each audit too.
 */
public final class Main {
    static final int BALANCED = 0;
    static final int NOT_BALANCED = 1;
    static final int BAD_OPTION = 2;
    static final int OUTPUT_FAILED = 3;

    /** How long a run may take to end in order after Ctrl-C. */
    private static final long LAST_WORDS_MS = 5_000;

    /** What came of a run, and how long it took. */
    private record Run(Summary summary, long elapsedNs) {}

    private Main() {}

    /**
     * Runs the program; the exit status is 0 if the bank balances, 1 if not, 2 for a bad option, 3
     * if the output could not be written, and the shell's status for the signal after Ctrl-C.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), Output.standard(), System.err));
    }

    static int run(List<String> arguments, Output out, PrintStream err) {
        if (arguments.contains("--node")) {
            return NodesMain.run(arguments, out, err);
        }
        Options options;
        try {
            options = Options.parse(arguments);
        } catch (BadOption bad) {
            err.println("bank: " + bad.getMessage());
            return BAD_OPTION;
        }
        try {
            if (options.help()) {
                out.print(Options.USAGE);
                return BALANCED;
            }
            Bank bank = new Bank(options);
            if (options.tree()) {
                out.print(bank.tree().toString());
                return BALANCED;
            }
            return run(bank, options, out, err);
        } catch (IOException e) {
            err.println("bank: the output cannot be written: " + Plain.text(e.toString()));
            return OUTPUT_FAILED;
        } catch (ConnectionException noObserver) {
            err.println("bank: the observer: " + Plain.text(noObserver.toString()));
            return NOT_BALANCED;
        }
    }

    private static int run(Bank bank, Options options, Output out, PrintStream err)
            throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        Thread onCtrlC = endInOrder(bank, over);
        Runtime.getRuntime().addShutdownHook(onCtrlC);
        try (Observer _ = observer(options)) {
            Run run = Cord.run(() -> timed(bank, options));
            out.print(run.summary().toText(run.elapsedNs() / 1e9));
            List<String> complaints = run.summary().complaints();
            complaints.forEach(each -> err.println("bank: " + Plain.text(each)));
            return complaints.isEmpty() ? BALANCED : NOT_BALANCED;
        } finally {
            over.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(onCtrlC);
            } catch (IllegalStateException shuttingDown) {
                // Ctrl-C came: the hook runs, and need not wait any more.
            }
        }
    }

    /** Null if nobody wants one. */
    private static @Nullable Observer observer(Options options) {
        return options.observer() == Options.NO_OBSERVER
                ? null
                : Observer.start(ObserverOptions.loopback().withPort(options.observer()));
    }

    /** Runs it on a fiber, because a fiber has a clock, over cords of its own. */
    private static Run timed(Bank bank, Options options) {
        long startNs = Cord.current().nanoTime();
        List<Cord> cords = new ArrayList<>();
        try {
            for (int i = 0; i < options.cords(); i++) {
                cords.add(Cord.start("town-" + i));
            }
            Summary summary = bank.run(ActorSystemOptions.defaults().over(cords));
            return new Run(summary, Cord.current().nanoTime() - startNs);
        } finally {
            cords.forEach(Cord::close);
        }
    }

    private static Thread endInOrder(Bank bank, CountDownLatch over) {
        return new Thread(
                () -> {
                    bank.interrupt();
                    try {
                        if (!over.await(LAST_WORDS_MS, TimeUnit.MILLISECONDS)) {
                            Runtime.getRuntime().halt(128 + 2);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "bank-ctrl-c");
    }
}
