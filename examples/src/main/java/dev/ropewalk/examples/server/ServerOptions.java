package dev.ropewalk.examples.server;

import dev.ropewalk.examples.cli.Arguments;
import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.fibers.io.TcpOptions;

import java.util.List;

/**
 * What the command line of any server asks for.
 *
 * @param port 0 takes a free one
 * @param cords how many, each with a listener of its own
 * @param connections how many are open at once on each cord
 * @param observer the port of a page that shows the process, 0 for a free one; {@link #NO_OBSERVER}
 *     for none
 * @param help whether only the usage is to be shown
 */
public record ServerOptions(int port, int cords, int connections, int observer, boolean help) {
    /** In place of a port. */
    public static final int NO_OBSERVER = -1;

    /** The lines of the usage. */
    public static final String USAGE =
            """
              --port N         the port, 0 to 65535; 0 takes a free one (default %d)
              --cords N        serve on so many threads, 1 to 64, which share the port (default 1)
              --connections N  open at once on each of them, 1 to 1000000 (default 10000)
              --observer N     show the process on a page at this port of 127.0.0.1, 0 to 65535;
                               0 takes a free one; the address is told on stderr
              --help           show this text

            Exit status: 1 if it cannot start, 2 for a bad option, 3 if the output cannot be
            written. After Ctrl-C and the like 128 plus the number of the signal.
            """;

    /** Without an observer. */
    public ServerOptions(int port, int cords, int connections, boolean help) {
        this(port, cords, connections, NO_OBSERVER, help);
    }

    /** Reads an option that is not of every server; false if it has none of that name. */
    @FunctionalInterface
    public interface More {
        /**
         * Reads the value, if it has one.
         *
         * @param name the option, with its dashes
         * @param arguments has the value
         */
        boolean read(String name, Arguments arguments) throws BadOption;
    }

    /** Reads a command line. */
    public static ServerOptions parse(List<String> words, int defaultPort, More more)
            throws BadOption {
        return new Parser(new Arguments(words), defaultPort, more).parse();
    }

    /** How its listeners are made. */
    public TcpOptions tcp() {
        return TcpOptions.defaults().withMaxConnections(connections).withReusePort(cords > 1);
    }

    private static final class Parser {
        private final Arguments arguments;
        private final More more;
        private int port;
        private int cords = 1;
        private int connections = 10_000;
        private int observer = NO_OBSERVER;
        private boolean help;

        Parser(Arguments arguments, int port, More more) {
            this.arguments = arguments;
            this.port = port;
            this.more = more;
        }

        ServerOptions parse() throws BadOption {
            List<String> others = arguments.readAll(this::option);
            if (!others.isEmpty() && !help) {
                throw new BadOption(others.getFirst() + " is no option; see --help");
            }
            return new ServerOptions(port, cords, connections, observer, help);
        }

        private void option(String name) throws BadOption {
            switch (name) {
                case "--port" -> port = arguments.number("7007", 0, 65_535);
                case "--cords" -> cords = arguments.number("2", 1, 64);
                case "--connections" -> connections = arguments.number("100", 1, 1_000_000);
                case "--observer" -> observer = arguments.number("7090", 0, 65_535);
                case "--help" -> help = arguments.flag();
                default -> {
                    if (!more.read(name, arguments)) {
                        throw new BadOption(name + " is unknown; see --help");
                    }
                }
            }
        }
    }
}
