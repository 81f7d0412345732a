package dev.ropewalk.examples.wordcount;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What the command line asks for.
 *
 * @param paths files and directories; none means the text files below the working directory
 * @param chaos the rate at which updates of counters crash
 * @param seed decides where the chaos strikes
 * @param top how many of the most frequent words to show
 * @param shards how many counters there are
 */
record Options(
        List<String> paths,
        double chaos,
        long seed,
        int top,
        boolean json,
        int cords,
        int shards,
        boolean help) {
    static final int MAX_TOP = 1_000_000;
    static final int MAX_CORDS = 64;
    static final int MAX_SHARDS = 1024;
    static final double MAX_CHAOS = 0.9;

    static final String USAGE =
            """
            usage: wordcount [option]... [--] [file or directory]...

            Counts the words of the files and of all files below the directories. With none
            given, of the text files below the working directory, except those whose path has
            a name that begins with a dot, or a directory named target. A - is the standard
            input. Pipes and devices are read if they are named, and skipped in a directory.

              --top N        show the N most frequent words (default 20)
              --json         print one JSON object instead of text
              --cords N      split on N cords, 1 to 64 (default: available processors)
              --shards N     count in N actors, 1 to 1024 (default: twice the cords)
              --chaos RATE   make counters crash at this rate, 0 to 0.9 (default 0)
              --seed N       where the chaos strikes (default 1)
              --help         show this text

            Exit status: 0 if everything was counted; malformed UTF-8 is counted as it is, with
            a warning. 1 if something was not counted, or the run failed. 2 if it does not start:
            for a bad option, or too small a heap. 3 if the output cannot be written. After
            Ctrl-C and the like 128 plus the number of the signal, with the counts until then.
            """;

    /** Not what Double.parseDouble takes: that knows NaN, hexadecimal and trailing letters. */
    private static final Pattern DECIMAL = Pattern.compile("\\d*\\.?\\d+([eE][-+]?\\d{1,3})?");

    Options {
        paths = List.copyOf(paths);
    }

    static Options parse(List<String> arguments) throws BadOption {
        return parse(arguments, Runtime.getRuntime().availableProcessors());
    }

    static Options parse(List<String> arguments, int processors) throws BadOption {
        return new Parser(arguments.iterator()).parse(processors);
    }

    private static final class Parser {
        private final Iterator<String> arguments;
        private final List<String> paths = new ArrayList<>();
        private double chaos;
        private long seed = 1;
        private int top = 20;
        private boolean json;
        private int cords;
        private int shards;
        private boolean help;

        Parser(Iterator<String> arguments) {
            this.arguments = arguments;
        }

        Options parse(int processors) throws BadOption {
            while (arguments.hasNext()) {
                String argument = arguments.next();
                if (argument.equals("--")) {
                    arguments.forEachRemaining(paths::add);
                } else if (argument.startsWith("-") && argument.length() > 1) {
                    option(argument);
                } else {
                    paths.add(argument);
                }
            }
            int usedCords = cords != 0 ? cords : Math.clamp(processors, 1, MAX_CORDS);
            int usedShards = shards != 0 ? shards : 2 * usedCords;
            return new Options(paths, chaos, seed, top, json, usedCords, usedShards, help);
        }

        private void option(String argument) throws BadOption {
            int equals = argument.indexOf('=');
            String name = equals < 0 ? argument : argument.substring(0, equals);
            switch (name) {
                case "--chaos" -> chaos = rate(name, value(argument, "0.001"));
                case "--seed" -> seed = wholeNumber(name, value(argument, "42"));
                case "--top" -> top = number(name, value(argument, "20"), 0, MAX_TOP);
                case "--cords" -> cords = number(name, value(argument, "4"), 1, MAX_CORDS);
                case "--shards" -> shards = number(name, value(argument, "8"), 1, MAX_SHARDS);
                case "--json" -> json = flag(argument);
                case "--help" -> help = flag(argument);
                default -> throw unknown(argument);
            }
        }

        /** What stands behind the equals sign or, without one, in the next argument. */
        private String value(String argument, String example) throws BadOption {
            int equals = argument.indexOf('=');
            String value =
                    equals >= 0
                            ? argument.substring(equals + 1)
                            : arguments.hasNext() ? arguments.next() : "";
            String name = equals >= 0 ? argument.substring(0, equals) : argument;
            if (value.isEmpty()) {
                throw new BadOption(
                        name + " has no value; write for instance " + name + " " + example);
            }
            return value;
        }

        private static boolean flag(String argument) throws BadOption {
            int equals = argument.indexOf('=');
            if (equals >= 0) {
                throw new BadOption(
                        argument
                                + " takes no value; write "
                                + argument.substring(0, equals)
                                + " alone");
            }
            return true;
        }

        private static double rate(String name, String value) throws BadOption {
            double rate = DECIMAL.matcher(value).matches() ? Double.parseDouble(value) : Double.NaN;
            // Written so that NaN is refused, too.
            if (!(rate >= 0 && rate <= MAX_CHAOS)) {
                throw new BadOption(
                        name
                                + " "
                                + value
                                + " is not a rate from 0 to "
                                + MAX_CHAOS
                                + "; write for instance "
                                + name
                                + " 0.001");
            }
            return rate;
        }

        private static int number(String name, String value, int least, int most) throws BadOption {
            long number;
            try {
                number = Long.parseLong(value);
            } catch (NumberFormatException e) {
                number = Long.MIN_VALUE;
            }
            if (number < least || number > most) {
                throw new BadOption(
                        name
                                + " "
                                + value
                                + " is not a whole number from "
                                + least
                                + " to "
                                + most
                                + "; write for instance "
                                + name
                                + " "
                                + Math.max(least, 4));
            }
            return (int) number;
        }

        private static long wholeNumber(String name, String value) throws BadOption {
            try {
                return Long.parseLong(value);
            } catch (NumberFormatException e) {
                throw new BadOption(
                        name
                                + " "
                                + value
                                + " is not a whole number of at most 64 bits; write for instance "
                                + name
                                + " 42");
            }
        }

        private static BadOption unknown(String argument) {
            return new BadOption(
                    argument
                            + " is not an option; --help lists them; for a file of that name write"
                            + " -- "
                            + argument);
        }
    }
}
