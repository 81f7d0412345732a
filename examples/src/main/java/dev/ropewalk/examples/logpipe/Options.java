package dev.ropewalk.examples.logpipe;

import dev.ropewalk.examples.cli.Arguments;
import dev.ropewalk.examples.cli.BadOption;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the command line asks for.
 *
 * @param files names of logs; a - is the standard input
 * @param every the length of a window, none for a single table at the end
 * @param sinkDelay how long the last stage waits for each request
 */
record Options(
        List<String> files,
        boolean follow,
        Optional<Duration> every,
        int top,
        Key by,
        Duration sinkDelay,
        boolean stats,
        boolean help) {
    /** What the requests of the top are counted by. */
    enum Key {
        PATH,
        CLIENT,
        STATUS;

        /** As on the command line. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static final String STDIN_NAME = "-";
    static final int MAX_TOP = 1_000;
    private static final int MAX_EVERY_S = 86_400;
    private static final int MAX_DELAY_MS = 60_000;
    private static final Duration EVERY_OF_FOLLOW = Duration.ofSeconds(10);

    static final String USAGE =
            """
            usage: logpipe [option]... [--] file...

            Reads access logs of web servers, in the Common or Combined Log Format, and shows
            rates, percentiles and the most frequent paths. A - is the standard input.

              --once           end at the end of the files (the default)
              --follow         go on with what is appended, through rotations, until Ctrl-C;
                               a file that is missing is waited for
              --every SECONDS  a table for each so many seconds, 1 to 86400; with --follow of
                               this machine's time (default 10), else of the time in the log,
                               for one file (default: none); at the end one for all of it
              --top N          show the N most frequent, 0 to 1000 (default 10)
              --by KEY         of path, client or status (default path)
              --sink-delay MS  let the last stage wait so long for each request, 0 to 60000
                               (default 0): it slows down all, and the memory stays the same
              --stats          show what each stage did, and the memory, at the end
              --help           show this text

            A path is shown without its query. Errors are answers of status 500 and above. If
            the last field of a line is a number, it is the time that the answer took: with a
            point in seconds, as nginx's $request_time, otherwise in microseconds, as Apache's
            %D. Percentiles are up to 1/64 too high. The most frequent are counted exactly up
            to 10000 different ones; with more, a count may be too high, and that is shown.

            Lines that cannot be parsed, and those that are no UTF-8, are counted; the first
            ones are named on stderr. The latter are parsed all the same.

            Exit status: 0 if all lines were parsed. 1 if some were not, a file could not be
            read, or the run failed. 2 for a bad option. 3 if the output cannot be written.
            After Ctrl-C and the like 128 plus the number of the signal, with the last table.
            """;

    Options {
        files = List.copyOf(files);
    }

    static Options parse(List<String> arguments) throws BadOption {
        return new Parser(new Arguments(arguments)).parse();
    }

    private static final class Parser {
        private final Arguments arguments;
        private boolean follow;
        private boolean once;
        private int every;
        private int top = 10;
        private Key by = Key.PATH;
        private int sinkDelay;
        private boolean stats;
        private boolean help;

        Parser(Arguments arguments) {
            this.arguments = arguments;
        }

        Options parse() throws BadOption {
            List<String> files = arguments.readAll(this::option);
            if (!help) {
                check(files);
            }
            Optional<Duration> window =
                    every > 0
                            ? Optional.of(Duration.ofSeconds(every))
                            : follow ? Optional.of(EVERY_OF_FOLLOW) : Optional.empty();
            Duration delay = Duration.ofMillis(sinkDelay);
            return new Options(files, follow, window, top, by, delay, stats, help);
        }

        private void option(String name) throws BadOption {
            switch (name) {
                case "--follow" -> follow = arguments.flag();
                case "--once" -> once = arguments.flag();
                case "--every" -> every = arguments.number("10", 1, MAX_EVERY_S);
                case "--top" -> top = arguments.number("20", 0, MAX_TOP);
                case "--by" -> by = key(name, arguments.value("client"));
                case "--sink-delay" -> sinkDelay = arguments.number("5", 0, MAX_DELAY_MS);
                case "--stats" -> stats = arguments.flag();
                case "--help" -> help = arguments.flag();
                default -> throw arguments.unknown();
            }
        }

        private static Key key(String name, String value) throws BadOption {
            for (Key each : Key.values()) {
                if (each.word().equals(value)) {
                    return each;
                }
            }
            throw new BadOption(
                    name
                            + " "
                            + value
                            + " is not path, client or status; write for instance "
                            + name
                            + " client");
        }

        private void check(List<String> files) throws BadOption {
            if (files.isEmpty()) {
                throw new BadOption(
                        "no log is named; write for instance logpipe /var/log/nginx/access.log");
            }
            if (follow && once) {
                throw new BadOption("--follow and --once exclude each other; write one of them");
            }
            if (follow && files.contains(STDIN_NAME)) {
                throw new BadOption(
                        "--follow needs files, and - is the standard input; without --follow it is"
                                + " read to its end");
            }
            if (!follow && every > 0 && files.size() > 1) {
                throw new BadOption(
                        "--every "
                                + every
                                + " goes by the time in the log, so it needs a single file, not "
                                + files.size()
                                + "; write --follow for several, or name one");
            }
        }
    }
}
