package dev.ropewalk.actors.top;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.spi.Waits;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Shows the cords and actors of a running process in a terminal, by the address of its observer:
 *
 * <pre>
 *   java -jar ropewalk-top.jar "http://127.0.0.1:7090/#TOKEN"
 * </pre>
 *
 * <p>{@code --help} lists its options. It is a command, and no part of a program.
 */
public final class Main {
    private static final int DONE = 0;

    /** Without a byte of the observer, which sends one look each second. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** Without a terminal. */
    private static final int DEFAULT_ROWS = 20;

    private static final int DEFAULT_COLUMNS = 132;

    /** Rows that are asked for where the terminal decides how many are shown. */
    private static final int MANY_ROWS = 100;

    private final Options options;
    private final Address address;
    private final Map<String, String> environment;
    private final OutputStream out;
    private final Charset charset;

    private Main(
            Options options,
            Address address,
            Map<String, String> environment,
            OutputStream out,
            Charset charset) {
        this.options = options;
        this.address = address;
        this.environment = environment;
        this.out = out;
        this.charset = charset;
    }

    /**
     * Runs the command, and ends the process with its status.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(
                run(
                        List.of(arguments),
                        System.getenv(),
                        System.in,
                        new FileOutputStream(FileDescriptor.out),
                        System.out.charset(),
                        System.err,
                        Terminal.isThere(),
                        LIMIT));
    }

    /** Returns the status. */
    static int run(
            List<String> arguments,
            Map<String, String> environment,
            InputStream in,
            OutputStream out,
            Charset charset,
            PrintStream err,
            boolean isTerminal,
            Duration limit) {
        try {
            Options options = Options.parse(arguments, environment.get(Options.TOKEN_VARIABLE), in);
            Address address = options.address();
            if (address == null) {
                print(out, charset, Options.USAGE);
                return DONE;
            }
            Main command = new Main(options, address, environment, out, charset);
            Cord.run(
                    cordOptions(),
                    () -> {
                        command.show(isTerminal, limit);
                        return DONE;
                    });
            return DONE;
        } catch (Exception failed) {
            Stopped stopped = reason(failed);
            err.println("ropewalk-top: " + stopped.text());
            return stopped.status();
        }
    }

    /** Portable, which need no flag of the JVM; a terminal that does not take output blocks it. */
    private static CordOptions cordOptions() {
        return CordOptions.named("top")
                .withStacks(StackKind.PORTABLE)
                .withStuckLimit(Waits.FOREVER);
    }

    private static Stopped reason(Throwable failed) {
        for (Throwable each = failed; each != null; each = each.getCause()) {
            if (each instanceof Stopped stopped) {
                return stopped;
            }
        }
        return Stopped.notThere("failed: " + failed);
    }

    private void show(boolean isTerminal, Duration limit) throws Stopped {
        boolean isLive = isTerminal && !options.isOnce() && !options.isJson();
        int wanted =
                options.rows() != Options.AS_FITS
                        ? options.rows()
                        : isLive ? MANY_ROWS : DEFAULT_ROWS;
        try (Feed feed = Feed.open(address, options.token(), options.query(wanted), limit)) {
            if (isLive) {
                live(feed);
            } else if (options.isJson()) {
                json(feed, wanted);
            } else {
                once(feed, wanted);
            }
        }
    }

    /** The second look, because the first one knows no rates. */
    private static Look second(Feed feed) throws Stopped {
        feed.next();
        return feed.next();
    }

    private void once(Feed feed, int rows) throws Stopped {
        Look look = second(feed);
        int columns = Math.max(0, columnsOfTheEnvironment());
        List<String> lines =
                Screen.of(
                        look.sorted(options.sort(), rows),
                        options.withRows(rows),
                        address.toString(),
                        columns == 0 ? DEFAULT_COLUMNS : columns,
                        Integer.MAX_VALUE,
                        false);
        print(out, charset, String.join("\n", lines) + "\n");
    }

    private int columnsOfTheEnvironment() {
        String columns = environment.getOrDefault("COLUMNS", "0");
        return columns.matches("\\d{1,5}") ? Integer.parseInt(columns) : 0;
    }

    /** In UTF-8, as JSON is, whatever the terminal has. */
    private void json(Feed feed, int rows) throws Stopped {
        Look look = second(feed);
        print(out, UTF_8, look.sorted(options.sort(), rows).json() + "\n");
        while (!options.isOnce()) {
            print(out, UTF_8, feed.next().sorted(options.sort(), rows).json() + "\n");
        }
    }

    private void live(Feed feed) throws Stopped {
        boolean isEmphasised = environment.getOrDefault("NO_COLOR", "").isEmpty();
        Look look = feed.next(); // first, so that an error is told on the usual screen
        try (Terminal terminal = Terminal.open()) {
            terminal.onQuit(() -> System.exit(DONE));
            while (true) {
                int[] size = Terminal.size(environment);
                terminal.show(Screen.of(look, options, "q ends", size[0], size[1], isEmphasised));
                look = feed.next();
            }
        } catch (IOException gone) {
            throw Stopped.outputFailed("the terminal takes no output: " + gone.getMessage());
        }
    }

    private static void print(OutputStream out, Charset charset, String text) throws Stopped {
        try {
            out.write(text.getBytes(charset));
            out.flush();
        } catch (IOException full) {
            throw Stopped.outputFailed("the output cannot be written: " + full.getMessage());
        }
    }
}
