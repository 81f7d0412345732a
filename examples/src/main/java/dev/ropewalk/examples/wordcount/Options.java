package dev.ropewalk.examples.wordcount;

import dev.ropewalk.examples.cli.Arguments;
import dev.ropewalk.examples.cli.BadOption;

import java.util.List;

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

    Options {
        paths = List.copyOf(paths);
    }

    static Options parse(List<String> arguments) throws BadOption {
        return parse(arguments, Runtime.getRuntime().availableProcessors());
    }

    static Options parse(List<String> arguments, int processors) throws BadOption {
        return new Parser(new Arguments(arguments)).parse(processors);
    }

    private static final class Parser {
        private final Arguments arguments;
        private double chaos;
        private long seed = 1;
        private int top = 20;
        private boolean json;
        private int cords;
        private int shards;
        private boolean help;

        Parser(Arguments arguments) {
            this.arguments = arguments;
        }

        Options parse(int processors) throws BadOption {
            List<String> paths = arguments.readAll(this::option);
            int usedCords = cords != 0 ? cords : Math.clamp(processors, 1, MAX_CORDS);
            int usedShards = shards != 0 ? shards : 2 * usedCords;
            return new Options(paths, chaos, seed, top, json, usedCords, usedShards, help);
        }

        private void option(String name) throws BadOption {
            switch (name) {
                case "--chaos" -> chaos = arguments.rate("0.001", MAX_CHAOS);
                case "--seed" -> seed = arguments.wholeNumber("42");
                case "--top" -> top = arguments.number("20", 0, MAX_TOP);
                case "--cords" -> cords = arguments.number("4", 1, MAX_CORDS);
                case "--shards" -> shards = arguments.number("8", 1, MAX_SHARDS);
                case "--json" -> json = arguments.flag();
                case "--help" -> help = arguments.flag();
                default -> throw arguments.unknown();
            }
        }
    }
}
