package dev.ropewalk.examples.logpipe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Whole runs: with files in this JVM, and on virtual time where files are followed. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LogPipeTest {
    @TempDir private Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private String file(String name, List<String> lines) throws IOException {
        return Files.write(directory.resolve(name), lines).toString();
    }

    private void append(String name, List<String> lines) throws IOException {
        Files.write(
                directory.resolve(name),
                lines,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private static String line(int second, String client, String path, int status, int bytes) {
        return client
                + " - - ["
                + LogGenerator.time(LogGenerator.FIRST_SECOND + second)
                + "] \"GET "
                + path
                + " HTTP/1.1\" "
                + status
                + " "
                + bytes;
    }

    private int run(String... arguments) {
        return Main.run(
                List.of(arguments), new Output(out, UTF_8), new PrintStream(err, true, UTF_8));
    }

    private LogPipe pipe(String... arguments) throws BadOption {
        return new LogPipe(
                Options.parse(List.of(arguments)),
                new Output(out, UTF_8),
                new Complaints(new PrintStream(err, true, UTF_8)));
    }

    private String said() {
        return err.toString(UTF_8).replace(directory + "/", "");
    }

    private String printed() {
        return out.toString(UTF_8);
    }

    // ---------------------------------------------------------------- fixed input

    private List<String> small() {
        return List.of(
                line(0, "::1", "/a?1", 200, 100) + " \"-\" \"x\" 0.010",
                line(1, "::1", "/b", 200, 50) + " \"-\" \"x\" 0.020",
                line(9, "10.0.0.1", "/a?2", 500, 0),
                line(11, "10.0.0.2", "/a", 503, 70),
                line(9, "10.0.0.2", "/c", 404, 10),
                line(35, "::1", "/b", 200, 1000));
    }

    @Test
    void theTableOfAFixedInput() throws IOException {
        assertEquals(0, run(file("log", small())));
        assertEquals(
                """
                all, 36 s
                  requests                   6             0.2/s
                  bytes                  1,230            34.2/s
                  errors                     2             0.1/s
                  bytes of one p50 50 p90 1,000 p99 1,000 max 1,000
                  ms of one    p50 10.1 p90 20.0 p99 20.0 max 20.0
                         count  path
                             3  /a
                             2  /b
                             1  /c

                """,
                printed());
        assertEquals("", said());
    }

    @Test
    void windowsGoByTheTimeInTheLog() throws IOException {
        assertEquals(0, run("--every=10", "--by=client", "--top=1", file("log", small())));
        assertEquals(
                """
                2026-01-31T23:59:00Z, 10 s
                  requests                   3             0.3/s
                  bytes                    150            15.0/s
                  errors                     1             0.1/s
                  bytes of one p50 50 p90 100 p99 100 max 100
                  ms of one    p50 10.1 p90 20.0 p99 20.0 max 20.0
                         count  client
                             2  ::1

                2026-01-31T23:59:10Z, 10 s
                  requests                   2             0.2/s
                  bytes                     80             8.0/s
                  errors                     1             0.1/s
                  bytes of one p50 10 p90 70 p99 70 max 70
                         count  client
                             2  10.0.0.2

                2026-01-31T23:59:30Z, 1 s
                  requests                   1             1.0/s
                  bytes                  1,000         1,000.0/s
                  errors                     0             0.0/s
                  bytes of one p50 1,000 p90 1,000 p99 1,000 max 1,000
                         count  client
                             1  ::1

                all, 36 s
                  requests                   6             0.2/s
                  bytes                  1,230            34.2/s
                  errors                     2             0.1/s
                  bytes of one p50 50 p90 1,000 p99 1,000 max 1,000
                  ms of one    p50 10.1 p90 20.0 p99 20.0 max 20.0
                         count  client
                             3  ::1

                """,
                printed());
    }

    /** However they come in between each other. */
    @Test
    void severalFilesMakeTheTableOfAllTheirLines() throws IOException {
        List<String> lines = new LogGenerator(1).lines(3_000);
        assertEquals(0, run("--by=status", file("whole", lines)));
        String ofOne = printed();
        out.reset();
        String first = file("first", lines.subList(0, 1_000));
        String second = file("second", lines.subList(1_000, 2_500));
        String third = file("third", lines.subList(2_500, 3_000));
        assertEquals(0, run("--by=status", third, first, second));
        assertEquals(ofOne, printed());
        assertTrue(ofOne.contains("  requests               3,000 "), ofOne);
    }

    // ---------------------------------------------------------------- bad input

    @Test
    void badLinesAreNamedCountedAndLeftOut() throws IOException {
        List<String> lines = new ArrayList<>(small());
        lines.add(2, "no request");
        lines.add(4, "");
        Path log = Path.of(file("log", lines));
        Files.write(log, new byte[] {'\n', (byte) 0xff, '\n'}, StandardOpenOption.APPEND);
        assertEquals(Main.SOMETHING_MISSING, run(log.toString()));
        assertEquals(
                """
                logpipe: log: line 10: no UTF-8; it is parsed with U+FFFD in its place
                logpipe: log: line 3: the time is missing; it stands in brackets: [10/Oct/2000:13:55:36 -0700]
                logpipe: log: line 5: the client is missing
                logpipe: log: line 9: the client is missing
                logpipe: log: line 10: the time is missing; it stands in brackets: [10/Oct/2000:13:55:36 -0700]
                """,
                said());
        assertTrue(
                printed().startsWith("all, 36 s, 4 lines not parsed, 1 lines no UTF-8\n"),
                printed());
        assertTrue(printed().contains("  requests                   6 "), printed());
    }

    @Test
    void undecodableBytesInARequestAreNoLoss() throws IOException {
        Path log = directory.resolve("log");
        byte[] line = line(0, "c", "/caf?", 200, 1).getBytes(UTF_8);
        for (int i = 0; i < line.length; i++) {
            line[i] = line[i] == '?' ? (byte) 0xe9 : line[i];
        }
        Files.write(log, line);
        assertEquals(0, run(log.toString()));
        assertTrue(printed().contains("  1  /caf\ufffd\n"), printed());
        assertTrue(said().startsWith("logpipe: log: line 1: no UTF-8"), said());
    }

    @Test
    void onlyTheFirstBadLinesAreNamed() throws IOException {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            lines.add("bad " + i);
        }
        assertEquals(Main.SOMETHING_MISSING, run(file("log", lines)));
        assertEquals(Complaints.NAMED + 1, said().lines().count(), said());
        assertTrue(said().endsWith("further lines of this kind are counted, and not named\n"));
        assertTrue(printed().startsWith("all, 0 s, 10,000 lines not parsed\n"), printed());
    }

    @Test
    void aFileThatCannotBeReadIsNamedAndTheOthersAreRead() throws IOException {
        String log = file("log", small());
        String missing = directory.resolve("missing").toString();
        assertEquals(Main.SOMETHING_MISSING, run(missing, log, directory.toString()));
        assertTrue(printed().contains("  requests                   6 "), printed());
        assertEquals(
                "logpipe: missing: no such file\n"
                        + "logpipe: "
                        + directory
                        + ": a directory; name the files in it\n",
                said());
        out.reset();
        assertEquals(Main.SOMETHING_MISSING, run(missing));
        assertTrue(printed().startsWith("all, 0 s\n"), printed());
    }

    @Test
    void badOptionsAndHelp() {
        assertEquals(Main.BAD_OPTION, run());
        assertTrue(said().startsWith("logpipe: no log is named"), said());
        assertEquals("", printed());
        assertEquals(0, run("--help"));
        assertEquals(Options.USAGE, printed());
    }

    @Test
    void anOutputThatIsFullIsSaidInOneLine() throws IOException {
        OutputStream full =
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("No space left on device");
                    }
                };
        for (List<String> options : List.of(List.<String>of(), List.of("--every=1"))) {
            err.reset();
            List<String> arguments = new ArrayList<>(options);
            arguments.add(file("log", small()));
            int status =
                    Main.run(arguments, new Output(full, UTF_8), new PrintStream(err, true, UTF_8));
            assertEquals(Main.OUTPUT_FAILED, status, options::toString);
            assertEquals(
                    "logpipe: the output cannot be written: java.io.IOException: No space left on"
                            + " device\n",
                    said());
        }
    }

    // ---------------------------------------------------------------- following

    private static void sleep(int seconds) {
        Fiber.sleep(Duration.ofSeconds(seconds));
    }

    private List<String> requestsOfTheTables() {
        return printed()
                .lines()
                .filter(each -> each.startsWith("  requests"))
                .map(each -> each.strip().replaceAll(" +", " "))
                .toList();
    }

    /** The body runs several times, in several orders. */
    private void onTestCord(Action body) {
        TestCord.run(
                () -> {
                    out.reset();
                    err.reset();
                    for (String name : List.of("log", "log.1", "late")) {
                        Files.deleteIfExists(directory.resolve(name));
                    }
                    body.run();
                });
    }

    @Test
    void filesAreFollowedThroughRotations() {
        onTestCord(
                () -> {
                    LogGenerator log = new LogGenerator(1);
                    append("log", log.lines(30));
                    LogPipe pipe =
                            pipe(
                                    "--follow",
                                    directory.resolve("log").toString(),
                                    directory.resolve("late").toString());
                    assertEquals("logpipe: late: not there yet, it is waited for\n", said());
                    Fiber<?> run = Fiber.spin("run", pipe::run);
                    sleep(5);
                    append("log", log.lines(10));
                    sleep(10);
                    // Rotated: what is still written to the old file counts, too.
                    Files.move(directory.resolve("log"), directory.resolve("log.1"));
                    append("log.1", log.lines(2));
                    sleep(1);
                    append("log", log.lines(5));
                    append("late", log.lines(1));
                    sleep(10);
                    // Cut off, as copytruncate of logrotate does.
                    Files.write(directory.resolve("log"), List.of());
                    sleep(1);
                    append("log", log.lines(3));
                    sleep(8);
                    pipe.interrupt();
                    run.await();
                    assertEquals(
                            List.of(
                                    "requests 40 4.0/s",
                                    "requests 8 0.8/s",
                                    "requests 3 0.3/s",
                                    "requests 51 1.5/s"),
                            requestsOfTheTables());
                    assertTrue(
                            printed().contains("the last 10 s, 20 s after the start\n"), printed());
                    assertTrue(printed().contains("all, 35 s, interrupted\n"), printed());
                });
    }

    /** The third line of all, in a file that has replaced another, is no UTF-8 and no request. */
    @Test
    void aLineOfAReplacedFileHasOneNumber() {
        onTestCord(
                () -> {
                    append("log", new LogGenerator(1).lines(2));
                    LogPipe pipe = pipe("--follow", directory.resolve("log").toString());
                    Fiber<?> run = Fiber.spin("run", pipe::run);
                    sleep(1);
                    Files.move(directory.resolve("log"), directory.resolve("log.1"));
                    Files.write(directory.resolve("log"), new byte[] {(byte) 0xff, '\n'});
                    sleep(1);
                    pipe.interrupt();
                    run.await();
                    List<String> said = said().lines().toList();
                    assertEquals(2, said.size(), said());
                    assertTrue(
                            said.getFirst().startsWith("logpipe: log: line 3: no UTF-8"), said());
                    assertTrue(said.getLast().startsWith("logpipe: log: line 3: "), said());
                });
    }

    /** The window that the interrupt cuts off has its table. */
    @Test
    void anInterruptPrintsTheLastTable() {
        onTestCord(
                () -> {
                    append("log", new LogGenerator(1).lines(20));
                    LogPipe pipe = pipe("--follow", directory.resolve("log").toString());
                    Fiber<?> run = Fiber.spin("run", pipe::run);
                    sleep(4);
                    assertEquals("", printed());
                    pipe.interrupt();
                    run.await();
                    assertEquals(
                            List.of("requests 20 5.0/s", "requests 20 5.0/s"),
                            requestsOfTheTables());
                    assertTrue(
                            printed().startsWith("the last 4 s, 4 s after the start\n"), printed());
                });
    }

    // ---------------------------------------------------------------- back pressure

    private long inFlightOf(int lines, String... options) throws IOException {
        LogGenerator log = new LogGenerator(lines);
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.add(file("one", log.lines(lines)));
        arguments.add(file("two", log.lines(lines)));
        arguments.add(file("three", log.lines(lines)));
        List<Long> max = new ArrayList<>();
        onTestCord(
                () -> {
                    LogPipe pipe = pipe(arguments.toArray(String[]::new));
                    long startNs = Cord.current().nanoTime();
                    Fiber<?> run = Fiber.spin("run", pipe::run);
                    if (options[0].equals("--follow")) {
                        Fiber.sleep(Duration.ofMillis(3L * lines * 10 + 500));
                        pipe.interrupt();
                    }
                    run.await();
                    long tookMs = (Cord.current().nanoTime() - startNs) / 1_000_000;
                    assertTrue(tookMs >= 3L * lines * 10, "tookMs=" + tookMs);
                    String all = requestsOfTheTables().getLast();
                    assertTrue(
                            all.startsWith(String.format(Locale.ROOT, "requests %,d ", 3 * lines)),
                            printed());
                    max.add(pipe.inFlightMax());
                });
        return Collections.max(max);
    }

    @Test
    void aSlowSinkMakesItSlowAndNotLarge() throws IOException {
        for (String mode : List.of("--once", "--follow")) {
            long few = inFlightOf(300, mode, "--sink-delay=10");
            long many = inFlightOf(3_000, mode, "--sink-delay=10");
            assertEquals(few, many, mode + ": not more with ten times the lines");
            assertTrue(many > 64 && many <= 2 * 64 + 8, mode + " inFlight=" + many);
        }
    }

    @Test
    void statisticsShowTheSlowStage() throws IOException {
        assertEquals(
                0, run("--stats", "--sink-delay=2", file("log", new LogGenerator(1).lines(200))));
        String stats = printed().substring(printed().indexOf("\n\n"));
        assertTrue(stats.contains("parse                         200 elements"), stats);
        assertTrue(stats.contains("max lines on their way at once: "), stats);
        assertTrue(
                stats.matches(
                        "(?s).*parsed +200 elements, busy \\d+ ms, waited for input 0 ms, for room"
                                + " [1-9].*"),
                stats);
    }
}
