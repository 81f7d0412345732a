package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.examples.cli.Output;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a run of the program has left behind. */
record Ran(int status, String out, String err) {
    /** Runs it in this JVM, not on a terminal. */
    static Ran here(String... arguments) {
        return here(false, List.of(arguments));
    }

    static Ran here(boolean terminal, List<String> arguments) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        return here(terminal, arguments, new PrintStream(err, true, StandardCharsets.UTF_8), err);
    }

    /**
     * Runs it with a stream of the test's own.
     *
     * @param err where the program writes its problems
     * @param written what comes out of {@code err}
     */
    static Ran here(
            boolean terminal,
            List<String> arguments,
            PrintStream err,
            ByteArrayOutputStream written) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Output output = new Output(out, StandardCharsets.UTF_8);
        int status = Main.run(arguments, output, err, terminal);
        return new Ran(
                status,
                out.toString(StandardCharsets.UTF_8),
                written.toString(StandardCharsets.UTF_8));
    }

    /** The options for the whole table as JSON, then the arguments. */
    static List<String> wholeTable(List<String> options, List<String> paths) {
        List<String> arguments = new ArrayList<>();
        arguments.addAll(List.of("--json", "--top", Integer.toString(Options.MAX_TOP)));
        arguments.addAll(options);
        arguments.add("--");
        arguments.addAll(paths);
        return arguments;
    }

    /** The counts of a run that must have had no problem. */
    Counted allCounted() {
        assertEquals("", err);
        Counted counted = counted();
        assertEquals(0, status, out.length() < 10_000 ? out : "out.length=" + out.length());
        assertEquals(0, counted.problems());
        assertEquals(0, counted.partial());
        return counted;
    }

    /** What was counted, from {@code --json}. */
    Counted counted() {
        return Counted.of(out);
    }

    List<String> problems() {
        return err.lines().toList();
    }
}
