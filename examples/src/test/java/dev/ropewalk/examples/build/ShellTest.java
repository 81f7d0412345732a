package dev.ropewalk.examples.build;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/** Commands of a real shell. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ShellTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir private Path directory;

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    private <T> T onCord(Callable<T> body) {
        return Cord.<T>run(CordOptions.named("test").withStopLimit(LONG), body);
    }

    private int run(String command) {
        return onCord(
                () -> {
                    try (Shell shell = new Shell(directory, LONG)) {
                        return shell.run(command, directory, lines::add);
                    }
                });
    }

    @Test
    void linesOfBothOutputsComeInOrderWithTheExitCode() {
        assertEquals(3, run("echo one; echo two >&2; printf 'three\\r\\n\\nfour'; exit 3"));
        assertEquals(List.of("one", "two", "three", "", "four"), lines);
    }

    @Test
    void aCommandRunsInTheDirectoryWithAScratchDirectoryAndNoInput() {
        assertEquals(0, run("pwd -P; echo $SCRATCH; echo $TMPDIR; cat"));
        assertEquals(3, lines.size());
        assertTrue(lines.getFirst().endsWith(directory.getFileName().toString()), lines.toString());
        assertEquals(directory.toString(), lines.get(1));
        assertEquals(directory.toString(), lines.get(2));
    }

    @Test
    void aMillionLinesComeInBoundedMemoryAndOneLineInPieces() {
        AtomicLong count = new AtomicLong();
        int exit =
                onCord(
                        () -> {
                            try (Shell shell = new Shell(directory, LONG)) {
                                return shell.run(
                                        "yes | head -n 1000000",
                                        directory,
                                        _ -> count.addAndGet(1));
                            }
                        });
        assertEquals(0, exit);
        assertEquals(1_000_000, count.get());
        assertEquals(0, run("head -c 20000 /dev/zero | tr '\\0' x"));
        assertEquals(
                List.of(LineReader.MAX_LINE, LineReader.MAX_LINE, 20_000 - 2 * LineReader.MAX_LINE),
                lines.stream().map(String::length).toList());
    }

    @Test
    void aDirectoryThatIsGoneIsAnErrorOfTheStart() {
        assertThrows(
                IOException.class,
                () -> {
                    try {
                        onCord(
                                () -> {
                                    Path gone = directory.resolve("gone");
                                    try (Shell shell = new Shell(gone, LONG)) {
                                        return shell.run("true", gone, lines::add);
                                    }
                                });
                    } catch (RuntimeException failed) {
                        throw failed.getCause();
                    }
                });
    }

    @Test
    void aSlowReaderOfTheOutputLosesNoLine() {
        int exit =
                onCord(
                        () -> {
                            Duration soon = Duration.ofMillis(100);
                            try (Shell shell = new Shell(directory, LONG, soon)) {
                                return shell.run(
                                        "seq 5000",
                                        directory,
                                        line -> {
                                            lines.add(line);
                                            if (lines.size() % 100 == 0) {
                                                Fiber.sleep(Duration.ofMillis(10));
                                            }
                                        });
                            }
                        });
        assertEquals(0, exit);
        assertEquals(5_000, lines.size());
    }

    @Test
    void whatOutlivesItsShellIsNotWaitedFor() {
        assertEquals(0, run("sleep 60 & echo $!"));
        assertEquals(1, lines.size(), lines.toString());
        ProcessHandle left = ProcessHandle.of(Long.parseLong(lines.getFirst())).orElseThrow();
        assertTrue(left.isAlive());
        left.destroyForcibly();
    }

    @Test
    void terminationEndsTheShellAndAllBelowIt() {
        end(Duration.ofSeconds(20), "sleep 60 & echo $$ $!; wait");
    }

    @Test
    void whatIgnoresTermIsKilledAfterTheGrace() {
        end(Duration.ofMillis(200), "trap '' TERM; sleep 60 & echo $$ $!; wait; wait");
    }

    /** Runs a command that says its processes, terminates its fiber, and awaits their end. */
    private void end(Duration grace, String command) {
        onCord(
                () -> {
                    try (Shell shell = new Shell(directory, grace)) {
                        Fiber<Integer> runs =
                                Fiber.spin("run", () -> shell.run(command, directory, lines::add));
                        while (lines.isEmpty()) {
                            Fiber.sleep(Duration.ofMillis(1));
                        }
                        runs.terminate();
                        assertThrows(FiberTerminatedException.class, runs::await);
                        return 0;
                    }
                });
        for (String pid : lines.getFirst().split(" ", -1)) {
            await().atMost(LONG).until(() -> !isAlive(Long.parseLong(pid)));
        }
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    @Test
    void outputBehindTheLimitIsCountedAndNotShown() {
        OutputLimit limit = new OutputLimit(8, lines::add);
        List.of("one", "two", "three", "").forEach(limit);
        assertEquals(List.of("one", "two"), lines);
        assertEquals(2, limit.cutLines());
        assertFalse(lines.contains(""), "a line behind a gap");
    }
}
