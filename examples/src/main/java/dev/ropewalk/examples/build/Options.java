package dev.ropewalk.examples.build;

import dev.ropewalk.examples.cli.Arguments;
import dev.ropewalk.examples.cli.BadOption;

import java.time.Duration;
import java.util.List;

/**
 * What the command line asks for.
 *
 * @param outputLimit how many characters of the output of a task are shown
 * @param grace how long a command may take to end after TERM, before KILL
 * @param wanted the names of tasks; all if there are none
 */
record Options(
        String file,
        int jobs,
        boolean keepGoing,
        Progress progress,
        boolean json,
        int outputLimit,
        Duration grace,
        boolean help,
        List<String> wanted) {
    static final int MAX_JOBS = 256;
    static final int MAX_OUTPUT = 1_000_000_000;
    static final int MAX_GRACE = 3_600;

    static final String USAGE =
            """
            usage: build [option]... [task]...

            Runs the commands of tasks, each task when those that it needs are built. Without
            names it builds all tasks of the file.

              --file FILE        the file with the tasks (default build.tasks); commands run in
                                 its directory
              --jobs N           how many tasks run at once, 1 to 256 (default: available
                                 processors)
              --keep-going       after a failure build what does not need the failed task;
                                 without it tasks that run go on, and no others begin
              --progress WHEN    a line that says what runs: always, never, or auto, which is
                                 when the program talks to a terminal (default)
              --json             an object of JSON on a line for each event on stdout, and what
                                 is for people on stderr
              --output-limit N   how many characters of the output of a task are shown, 0 to
                                 1000000000 (default 1000000)
              --grace SECONDS    after Ctrl-C, how long a command may take to end before it is
                                 killed, 0 to 3600 (default 5)
              --help             this text

            Each task has an empty directory in $SCRATCH and $TMPDIR, which nobody keeps.

            exit status: 0 all is built, 1 a command failed, 2 the file or an option is wrong, 3
            the output cannot be written, 130 after Ctrl-C (128 + the signal after others)
            """;

    /** When there is a progress line. */
    enum Progress {
        AUTO,
        ALWAYS,
        NEVER
    }

    static Options parse(List<String> arguments) throws BadOption {
        return new Parser(new Arguments(arguments)).parse();
    }

    private static final class Parser {
        private final Arguments arguments;
        private String file = "build.tasks";
        private int jobs = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX_JOBS);
        private boolean keepGoing;
        private Progress progress = Progress.AUTO;
        private boolean json;
        private int outputLimit = 1_000_000;
        private int grace = 5;
        private boolean help;

        Parser(Arguments arguments) {
            this.arguments = arguments;
        }

        Options parse() throws BadOption {
            List<String> wanted = arguments.readAll(this::option);
            return new Options(
                    file,
                    jobs,
                    keepGoing,
                    progress,
                    json,
                    outputLimit,
                    Duration.ofSeconds(grace),
                    help,
                    wanted);
        }

        private void option(String name) throws BadOption {
            switch (name) {
                case "--file" -> file = arguments.value("build.tasks");
                case "--jobs" -> jobs = arguments.number("4", 1, MAX_JOBS);
                case "--keep-going" -> keepGoing = arguments.flag();
                case "--progress" -> progress = progress(arguments.value("always"));
                case "--json" -> json = arguments.flag();
                case "--output-limit" -> outputLimit = arguments.number("1000000", 0, MAX_OUTPUT);
                case "--grace" -> grace = arguments.number("5", 0, MAX_GRACE);
                case "--help" -> help = arguments.flag();
                default -> throw new BadOption(name + " is not an option; --help lists them");
            }
        }

        private static Progress progress(String value) throws BadOption {
            return switch (value) {
                case "auto" -> Progress.AUTO;
                case "always" -> Progress.ALWAYS;
                case "never" -> Progress.NEVER;
                default ->
                        throw new BadOption(
                                "--progress "
                                        + value
                                        + " is not auto, always or never; write for instance"
                                        + " --progress always");
            };
        }
    }
}
