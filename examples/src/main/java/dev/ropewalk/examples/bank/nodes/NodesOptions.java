package dev.ropewalk.examples.bank.nodes;

import dev.ropewalk.actors.cluster.jdbc.JdbcOptions;
import dev.ropewalk.examples.cli.Arguments;
import dev.ropewalk.examples.cli.BadOption;

import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * What the command line asks for.
 *
 * @param store {@link #RATIS}, or the address of a database
 * @param observer the port of a page that shows the first process, with those of the others behind
 *     it; {@link #NO_OBSERVER}
 */
record NodesOptions(
        int accounts,
        int seconds,
        Scenario scenario,
        String store,
        long seed,
        int observer,
        boolean help) {
    static final String RATIS = "ratis";
    static final int NO_OBSERVER = -1;
    private static final int MAX_PORT = 65_535;

    static final int MAX_ACCOUNTS = 256;
    static final int MAX_SECONDS = 3_600;

    static final String USAGE =
            """
            usage: bank --node [option]...

            Three processes on this machine keep the accounts of a bank, and the state of each
            account is in a store. Customers transfer money while processes are killed, stopped
            for a while, or exchanged; the sum must be exact at the end, and no transfer that was
            acknowledged may be gone.

              --scenario S   faults: processes are killed and stopped, one, two or all at once;
                             exchange: one after the other leaves, and a newer version of the
                             program takes its place; none: do it by hand, with kill -9 and
                             kill -STOP; a process that has ended is started again (default
                             faults)
              --seconds N    how long, 1 to 3600; three faults, or an exchange of each process,
                             at least (default 60)
              --store S      ratis: the three processes keep it themselves, in files below the
                             folder for temporary ones; or the address of a database, as
                             jdbc:postgresql://127.0.0.1/bank?user=me, in which the table
                             ropewalk_store is made, and the entries of the run stay (default
                             ratis)
              --accounts N   3 to 256 accounts with 1000 each at first, each of which has an
                             owner with one transfer at a time (default 30)
              --seed N       of the orders and the faults (default 1)
              --observer N   show the processes on pages at this port of 127.0.0.1 and the two
                             behind it; their addresses are printed (default: no pages)
              --help         show this text

            Exit status: 0 if the sum is exact, no acknowledged transfer is gone, each process
            came back, and in an exchange each ask was answered. 1 if not. 2 for a bad option. 3
            if the output cannot be written. Ctrl-C kills the processes, and nothing is checked.
            """;

    static NodesOptions parse(List<String> arguments) throws BadOption {
        return new Parser(new Arguments(arguments)).parse();
    }

    private static final class Parser {
        private final Arguments arguments;
        private int accounts = 30;
        private int seconds = 60;
        private Scenario scenario = Scenario.FAULTS;
        private String store = RATIS;
        private long seed = 1;
        private int observer = NO_OBSERVER;
        private boolean help;

        Parser(Arguments arguments) {
            this.arguments = arguments;
        }

        NodesOptions parse() throws BadOption {
            List<String> others = arguments.readAll(this::option);
            if (!others.isEmpty()) {
                throw new BadOption(
                        others.getFirst() + " is not an option, and bank takes no names of files");
            }
            return new NodesOptions(accounts, seconds, scenario, store, seed, observer, help);
        }

        private void option(String name) throws BadOption {
            switch (name) {
                case "--node" -> arguments.flag();
                case "--scenario" -> scenario = scenario(arguments.value("exchange"));
                case "--seconds" -> seconds = arguments.number("60", 1, MAX_SECONDS);
                case "--store" ->
                        store = store(arguments.value("jdbc:postgresql://127.0.0.1/bank"));
                case "--accounts" ->
                        accounts = arguments.number("30", NodeSettings.NODES, MAX_ACCOUNTS);
                case "--seed" -> seed = arguments.wholeNumber("42");
                case "--observer" ->
                        observer = arguments.number("7090", 1, MAX_PORT - NodeSettings.NODES + 1);
                case "--help" -> help = arguments.flag();
                default ->
                        throw new BadOption(
                                name + " is not an option of bank --node; --help lists them");
            }
        }

        private static Scenario scenario(String word) throws BadOption {
            for (Scenario each : Scenario.values()) {
                if (each.name().toLowerCase(Locale.ROOT).equals(word)) {
                    return each;
                }
            }
            throw new BadOption("--scenario " + word + " is not faults, exchange or none");
        }

        private static String store(String word) throws BadOption {
            if (word.equals(RATIS)) {
                return word;
            }
            try {
                Objects.requireNonNull(JdbcOptions.postgresql(word));
                return word;
            } catch (IllegalArgumentException bad) {
                throw new BadOption(
                        "--store "
                                + word
                                + " is neither ratis nor a database: "
                                + bad.getMessage());
            }
        }
    }
}
