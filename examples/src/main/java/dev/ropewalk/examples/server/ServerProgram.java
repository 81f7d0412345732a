package dev.ropewalk.examples.server;

import dev.ropewalk.actors.observer.Observer;
import dev.ropewalk.actors.observer.ObserverOptions;
import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.cli.Plain;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.io.ConnectionException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A program that serves until Ctrl-C. */
public abstract class ServerProgram {
    /** Exit status: the port cannot be had, for one. */
    public static final int CANNOT_START = 1;

    /** Exit status. */
    public static final int BAD_OPTION = 2;

    /** Exit status. */
    public static final int OUTPUT_FAILED = 3;

    /** How long the end may take after Ctrl-C. */
    private static final long LAST_WORDS_MS = 5_000;

    private final String name;
    private final int defaultPort;
    private final String usage;

    /**
     * A program.
     *
     * @param usage what it does, and the options of its own, a line each
     */
    protected ServerProgram(String name, int defaultPort, String usage) {
        this.name = name;
        this.defaultPort = defaultPort;
        this.usage = usage;
    }

    /** Something that serves. */
    public interface Server extends AutoCloseable {
        /** The port, which is a free one for 0. */
        int port();

        /** Where it listens, for people. */
        default String where() {
            return "127.0.0.1:" + port();
        }

        /** With numbers of its own. */
        default ObserverOptions shownBy(ObserverOptions observer) {
            return observer;
        }

        /** Ends in order; may wait for a while. */
        @Override
        void close();
    }

    /** Reads an option of its own; false if it has none of that name. */
    protected abstract ServerOptions.More options();

    /**
     * Serves from now on.
     *
     * @throws BadOption if the options do not go together
     * @throws IOException if it cannot
     */
    protected abstract Server start(ServerOptions options) throws BadOption, IOException;

    /** Runs it until Ctrl-C, and returns the exit status. */
    public final int run(List<String> arguments, Output out, PrintStream err) {
        try {
            ServerOptions options = ServerOptions.parse(arguments, defaultPort, options());
            if (options.help()) {
                out.print(usage + String.format(Locale.ROOT, ServerOptions.USAGE, defaultPort));
                return 0;
            }
            return serve(options, out, err);
        } catch (BadOption bad) {
            err.println(name + ": " + bad.getMessage());
            return BAD_OPTION;
        } catch (IOException e) {
            err.println(name + ": the output cannot be written: " + Plain.text(e.toString()));
            return OUTPUT_FAILED;
        }
    }

    private int serve(ServerOptions options, Output out, PrintStream err)
            throws BadOption, IOException {
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        try (Server server = startOrTell(err, options);
                Observer observer = server == null ? null : observeOrTell(err, options, server)) {
            boolean isWanted = options.observer() != ServerOptions.NO_OBSERVER;
            if (server == null || (isWanted && observer == null)) {
                return CANNOT_START;
            }
            out.print(name + " listens on " + server.where() + "\n");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(stop, over), name));
            stop.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            over.countDown();
        }
        return 0;
    }

    /** Null if nobody wants one, or it cannot. */
    private @Nullable Observer observeOrTell(
            PrintStream err, ServerOptions options, Server server) {
        if (options.observer() == ServerOptions.NO_OBSERVER) {
            return null;
        }
        try {
            ObserverOptions observer = ObserverOptions.loopback().withPort(options.observer());
            return Observer.start(server.shownBy(observer));
        } catch (ConnectionException failed) {
            err.println(name + ": the observer: " + Plain.text(failed.toString()));
            return null;
        }
    }

    /** Null if it cannot. */
    private @Nullable Server startOrTell(PrintStream err, ServerOptions options) throws BadOption {
        try {
            return start(options);
        } catch (FiberFailedException failed) {
            err.println(name + ": " + Plain.text(String.valueOf(failed.getCause())));
        } catch (ConnectionException | IOException failed) {
            err.println(name + ": " + Plain.text(failed.toString()));
        }
        return null;
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
