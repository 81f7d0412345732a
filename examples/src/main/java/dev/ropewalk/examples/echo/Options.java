package dev.ropewalk.examples.echo;

import dev.ropewalk.examples.cli.Arguments;
import dev.ropewalk.examples.cli.BadOption;

import java.util.List;

/**
 * What the command line asks for.
 *
 * @param cords how many, each with a listener of its own
 * @param connections how many are open at once on each cord
 */
record Options(int port, int cords, int connections, boolean help) {
    static final String USAGE =
            """
            usage: echo [option]...

            Listens on 127.0.0.1 and sends back each line, until Ctrl-C.

              --port N         the port, 0 to 65535; 0 takes a free one (default 7007)
              --cords N        serve on so many threads, 1 to 64, which share the port (default 1)
              --connections N  open at once on each of them, 1 to 1000000 (default 10000)
              --help           show this text

            Exit status: 1 if the port cannot be had, 2 for a bad option, 3 if the output cannot
            be written. After Ctrl-C and the like 128 plus the number of the signal.
            """;

    static Options parse(List<String> arguments) throws BadOption {
        return new Parser(new Arguments(arguments)).parse();
    }

    private static final class Parser {
        private final Arguments arguments;
        private int port = 7_007;
        private int cords = 1;
        private int connections = 10_000;
        private boolean help;

        Parser(Arguments arguments) {
            this.arguments = arguments;
        }

        Options parse() throws BadOption {
            List<String> others = arguments.readAll(this::option);
            if (!others.isEmpty() && !help) {
                throw new BadOption(others.getFirst() + " is no option; see --help");
            }
            return new Options(port, cords, connections, help);
        }

        private void option(String name) throws BadOption {
            switch (name) {
                case "--port" -> port = arguments.number("7007", 0, 65_535);
                case "--cords" -> cords = arguments.number("2", 1, 64);
                case "--connections" -> connections = arguments.number("100", 1, 1_000_000);
                case "--help" -> help = arguments.flag();
                default -> throw new BadOption(name + " is unknown; see --help");
            }
        }
    }
}
