package dev.ropewalk.examples.ping;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.cli.Plain;
import dev.ropewalk.fibers.io.ConnectionException;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Asks an actor of another process once a second.
 *
 * <p>Shows: a node, an actor of another process that is found, asked and monitored, and TLS. Run:
 * {@code java @ropewalk.args -cp examples/target/wordcount.jar dev.ropewalk.examples.ping.Main
 * --name n1 --port 7401} and in another terminal the same with {@code --name n2 --peer
 * 127.0.0.1:7401}. Expect: a line a second in each; if one is killed, the other says so at once.
 */
public final class Main {
    static final int DONE = 0;
    static final int CANNOT_START = 1;
    static final int BAD_OPTION = 2;
    static final int OUTPUT_FAILED = 3;

    /** How long the end may take after Ctrl-C. */
    private static final long LAST_WORDS_MS = 8_000;

    private static final Duration FOREVER = Duration.ofDays(10_000);

    private Main() {}

    /**
     * Runs until all answers have come, or until Ctrl-C.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), Output.standard(), System.err));
    }

    static int run(List<String> arguments, Output out, PrintStream err) {
        try {
            Options options = Options.parse(arguments);
            if (options.help()) {
                out.print(Options.USAGE);
                return DONE;
            }
            return run(options, out, err);
        } catch (BadOption bad) {
            err.println("ping: " + bad.getMessage());
            return BAD_OPTION;
        } catch (IOException e) {
            err.println("ping: the output cannot be written: " + Plain.text(e.toString()));
            return OUTPUT_FAILED;
        }
    }

    private static int run(Options options, Output out, PrintStream err) throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        try (ActorSystem system = ActorSystem.start("ping")) {
            system.start(Pinger.ANSWERS, Pinger.answering(options.node().name()));
            try (Node node = Node.start(system, options.node())) {
                out.print(node + " listens on " + node.host() + ":" + node.port() + "\n");
                Pinger pinger = new Pinger(node, out, options.count());
                ActorRef<?> asking = system.spin("asking", pinger.asking());
                Runtime.getRuntime().addShutdownHook(new Thread(() -> end(asking, over), "ping"));
                asking.awaitEnd(FOREVER);
                IOException failure = pinger.failure();
                if (failure != null) {
                    throw failure;
                }
                return pinger.isDone() ? DONE : CANNOT_START;
            }
        } catch (ConnectionException | IllegalArgumentException cannotStart) {
            err.println("ping: " + Plain.text(String.valueOf(cannotStart.getMessage())));
            return CANNOT_START;
        } finally {
            over.countDown();
        }
    }

    /** On Ctrl-C: the main thread does the rest, in order. */
    private static void end(ActorRef<?> asking, CountDownLatch over) {
        asking.terminate();
        try {
            over.await(LAST_WORDS_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
