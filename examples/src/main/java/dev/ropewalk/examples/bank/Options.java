package dev.ropewalk.examples.bank;

import dev.ropewalk.examples.cli.Arguments;
import dev.ropewalk.examples.cli.BadOption;

import java.util.List;

/**
 * What the command line asks for.
 *
 * @param audits how many are made while there are transfers
 * @param chaos the rate of messages that crash their actor
 * @param observer the port of a page that shows the process; {@link #NO_OBSERVER} for none
 */
record Options(
        int accounts,
        int customers,
        int transfers,
        int audits,
        int cords,
        double chaos,
        long seed,
        int observer,
        boolean tree,
        boolean help) {
    /** In place of the port of an observer. */
    static final int NO_OBSERVER = -1;

    static final int MAX_ACCOUNTS = 10_000;
    static final int MAX_CUSTOMERS = 256;
    static final int MAX_TRANSFERS = 1_000_000;
    static final int MAX_AUDITS = 1_000;
    static final int MAX_CORDS = 64;
    static final double MAX_CHAOS = 0.9;

    static final String USAGE =
            """
            usage: bank [option]...

            Customers transfer money between accounts, which crash on purpose in the middle of
            it, while audits check that no money is lost or made.

              --accounts N   2 to 10000 accounts with 1000 each at first (default 100)
              --customers N  1 to 256 customers, each with one transfer at a time; every second
                             one asks and waits, the others get their receipts as messages
                             (default 20)
              --transfers N  of all customers together, 0 to 1000000 (default 20000)
              --audits N     while there are transfers, 0 to 1000 (default 10), and one at the
                             end
              --cords N      over which the actors are spread, 1 to 64 (default: available
                             processors)
              --chaos RATE   of the messages to accounts and clerks that crash, 0 to 0.9
                             (default 0.01); of the journal's a thousandth of that, each of
                             which starts all others again, too; and of the audits
              --seed N       of the orders and the chaos (default 1)
              --observer N   show the process on a page at this port of 127.0.0.1, 0 to 65535; 0
                             takes a free one; the address is told on stderr
              --tree         show the supervision tree, and transfer nothing
              --node         another bank, on three processes that are killed; see --node --help
              --help         show this text

            Exit status: 0 if all audits balance, and each account has at the end what the
            journal says. 1 if not, or the run failed. 2 for a bad option. 3 if the output
            cannot be written. After Ctrl-C and the like 128 plus the number of the signal:
            transfers that were begun are ended, the last audit is made, and the report is
            printed.
            """;

    static Options parse(List<String> arguments) throws BadOption {
        return parse(arguments, Runtime.getRuntime().availableProcessors());
    }

    static Options parse(List<String> arguments, int processors) throws BadOption {
        return new Parser(new Arguments(arguments)).parse(processors);
    }

    private static final class Parser {
        private final Arguments arguments;
        private int accounts = 100;
        private int customers = 20;
        private int transfers = 20_000;
        private int audits = 10;
        private int cords;
        private double chaos = 0.01;
        private long seed = 1;
        private int observer = NO_OBSERVER;
        private boolean tree;
        private boolean help;

        Parser(Arguments arguments) {
            this.arguments = arguments;
        }

        Options parse(int processors) throws BadOption {
            List<String> others = arguments.readAll(this::option);
            if (!others.isEmpty()) {
                throw new BadOption(
                        others.getFirst() + " is not an option, and bank takes no names of files");
            }
            return new Options(
                    accounts,
                    customers,
                    transfers,
                    audits,
                    cords != 0 ? cords : Math.clamp(processors, 1, MAX_CORDS),
                    chaos,
                    seed,
                    observer,
                    tree,
                    help);
        }

        private void option(String name) throws BadOption {
            switch (name) {
                case "--accounts" -> accounts = arguments.number("100", 2, MAX_ACCOUNTS);
                case "--customers" -> customers = arguments.number("20", 1, MAX_CUSTOMERS);
                case "--transfers" -> transfers = arguments.number("20000", 0, MAX_TRANSFERS);
                case "--audits" -> audits = arguments.number("10", 0, MAX_AUDITS);
                case "--cords" -> cords = arguments.number("4", 1, MAX_CORDS);
                case "--chaos" -> chaos = arguments.rate("0.01", MAX_CHAOS);
                case "--seed" -> seed = arguments.wholeNumber("42");
                case "--observer" -> observer = arguments.number("7090", 0, 65_535);
                case "--tree" -> tree = arguments.flag();
                case "--help" -> help = arguments.flag();
                default -> throw new BadOption(name + " is not an option; --help lists them");
            }
        }
    }
}
