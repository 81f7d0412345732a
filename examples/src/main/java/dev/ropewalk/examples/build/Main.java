package dev.ropewalk.examples.build;

import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.cli.Plain;
import dev.ropewalk.fibers.Cord;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Builds the tasks of a file.
 *
 * <p>Shows: a graph of tasks on several cords, a semaphore and a pool between them, processes that
 * end with the fibers that wait for them, signals, and a bus of events with several readers. Run:
 * {@code java @ropewalk.args -cp examples/target/wordcount.jar dev.ropewalk.examples.build.Main
 * --help}. Expect: a line for each task as it begins, and a count of those that are built.
 */
public final class Main {
    static final int BUILT = 0;
    static final int FAILED = 1;
    static final int BAD_FILE = 2;
    static final int OUTPUT_FAILED = 3;

    private Main() {}

    /**
     * Runs the program; for the exit status see {@code --help}.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), Output.standard(), System.err));
    }

    static int run(List<String> arguments, Output out, PrintStream err) {
        try {
            Options options = Options.parse(arguments);
            if (options.help()) {
                out.print(Options.USAGE);
                return BUILT;
            }
            Session session = new Session(tasks(options), options, out, err);
            return Cord.run(session.cord(), session::run);
        } catch (BadOption | BadFile bad) {
            err.println("build: " + bad.getMessage());
            return BAD_FILE;
        } catch (IOException e) {
            return outputFailed(e, err);
        }
    }

    private static List<Task> tasks(Options options) throws BadFile {
        try {
            List<String> lines = Files.readAllLines(Path.of(options.file()));
            return BuildFile.parse(options.file(), lines).inOrder(options.wanted());
        } catch (IOException e) {
            throw new BadFile(
                    options.file()
                            + " cannot be read: "
                            + e
                            + "; name the file with the tasks, for instance --file build.tasks");
        }
    }

    static int outputFailed(IOException e, PrintStream err) {
        err.println("build: the output cannot be written: " + Plain.text(e.toString()));
        return OUTPUT_FAILED;
    }
}
