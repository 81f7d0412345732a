package dev.ropewalk.fibers.blocking;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Rule F12: fibers await processes, and leave none behind. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ProcessesTest {
    private static final int ENOUGH = 1_000;
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration FAR = Duration.ofDays(1);

    /** Writes its process number and that of its child, and would then run for long. */
    private static final String FAMILY = "sleep 1000 & echo $! $$ > pids; wait; echo went on > on";

    @TempDir private Path directory;
    private final Reports reports = new Reports();
    private final Cord cord = Runs.started("processes", reports);

    @AfterEach
    void close() {
        Runs.checkAndClose(cord);
    }

    private ProcessBuilder shell(String script) {
        return new ProcessBuilder("/bin/sh", "-c", script).directory(directory.toFile());
    }

    private Fiber<Integer> running(String script, Duration stopLimit) {
        return cord.spin(
                "running", () -> Processes.output(shell(script), ENOUGH, stopLimit).exitCode());
    }

    private List<ProcessHandle> family() {
        Path pids = directory.resolve("pids");
        Runs.until(() -> Files.exists(pids) && Files.readString(pids).endsWith("\n"));
        List<ProcessHandle> all = new ArrayList<>();
        for (String pid : Runs.onCord(cord, () -> Files.readString(pids)).strip().split(" ", -1)) {
            ProcessHandle.of(Long.parseLong(pid)).ifPresent(all::add);
        }
        return all;
    }

    private void assertAllGone(List<ProcessHandle> all) {
        for (ProcessHandle each : all) {
            Runs.until(() -> !each.isAlive()); // a dead orphan is there until init takes note
        }
        assertFalse(Files.exists(directory.resolve("on")), "the shell went on");
    }

    // ---------------------------------------------------------------- the bad cases first

    @Test
    void F12_terminatedFiberEndsTheProcessAndItsChildrenBeforeItEnds() {
        Fiber<Integer> fiber = running(FAMILY, FAR);
        List<ProcessHandle> family = family();
        fiber.terminate();
        assertThrows(FiberTerminatedException.class, fiber::await);
        assertAllGone(family);
        reports.assertNone();
    }

    @Test
    void F12_processThatIgnoresTermIsKilledAfterTheLimit() {
        Fiber<Integer> fiber = running("trap '' TERM; " + FAMILY, SHORT);
        List<ProcessHandle> family = family();
        fiber.terminate();
        assertThrows(FiberTerminatedException.class, fiber::await);
        assertAllGone(family);
        reports.assertNone();
    }

    /** The cord's stop limit and that of a process are both 5 s unless set. */
    @Test
    void F12_processIsKilledAlsoIfItsFiberIsAbandonedBefore() {
        Cord impatient =
                Cord.start(
                        CordOptions.named("impatient")
                                .withStopLimit(SHORT)
                                .withUncaught((_, _) -> {}));
        Fiber<?> parent =
                impatient.spin(
                        "parent",
                        () -> {
                            Fiber.spin(
                                    "child",
                                    () -> {
                                        String script = "trap '' TERM; " + FAMILY;
                                        Processes.output(shell(script), ENOUGH, SHORT);
                                    });
                            Fiber.suspend();
                        });
        List<ProcessHandle> family = family();
        parent.terminate();
        try {
            assertAllGone(family);
        } finally {
            family.forEach(ProcessHandle::destroyForcibly);
            impatient.close();
        }
    }

    @Test
    void F12_timeLimitEndsTheProcess() {
        Fiber<Boolean> fiber =
                cord.spin(
                        "limited",
                        () ->
                                CancelScope.moveOnAfter(
                                        SHORT, () -> Processes.run(shell("sleep 1000"))));
        assertFalse(fiber.await());
        assertEquals(List.of(), children());
        reports.assertNone();
    }

    private static List<ProcessHandle> children() {
        return ProcessHandle.current()
                .children()
                .filter(ProcessHandle::isAlive)
                .filter(each -> each.info().command().orElse("").endsWith("sh"))
                .toList();
    }

    @Test
    void F12_interruptedPlainThreadEndsTheProcess() throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread thread =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        thrown.set(
                                                Runs.failureOf(
                                                        () -> Processes.run(shell(FAMILY)))));
        List<ProcessHandle> family = family();
        thread.interrupt();
        thread.join();
        assertTrue(thrown.get() instanceof WaitInterruptedException, () -> "" + thrown.get());
        assertAllGone(family);
    }

    @Test
    void F12_awaitOfAProcessOwnsItToo() {
        AtomicReference<Process> process = new AtomicReference<>();
        Fiber<Integer> fiber =
                cord.spin(
                        "await",
                        () -> {
                            Process started = shell("sleep 1000").start();
                            process.set(started);
                            return Processes.await(started);
                        });
        Runs.until(() -> process.get() != null && fiber.state() == FiberState.WAITING);
        fiber.terminate();
        assertThrows(FiberTerminatedException.class, fiber::await);
        assertFalse(process.get().isAlive());
    }

    /** Somebody else's process is awaited as the future it is. */
    @Test
    void F12_endTakesTheWholeFamilyAlsoIfItIgnoresTerm() throws IOException {
        Process process = shell("trap '' TERM; " + FAMILY).start();
        List<ProcessHandle> family = family();
        Fiber<?> fiber = cord.spin("ends", () -> Processes.end(process, SHORT));
        fiber.await();
        assertFalse(process.isAlive(), "it returned before the process had ended");
        assertAllGone(family);
        Processes.end(process, FAR); // on a plain thread, of one that has exited
        reports.assertNone();
    }

    /** What is to be ended is ended, also by a fiber that is itself. */
    @Test
    void F12_endIsNotLeftByATermination() throws IOException {
        Process process = shell("trap '' TERM; " + FAMILY).start();
        List<ProcessHandle> family = family();
        Fiber<?> fiber = cord.spin("ends", () -> Processes.end(process, SHORT));
        Runs.until(() -> fiber.state() == FiberState.WAITING);
        fiber.terminate();
        fiber.awaitEnd(FAR);
        assertFalse(process.isAlive(), "the termination left it running");
        assertAllGone(family);
        reports.assertNone();
    }

    @Test
    void F12_futureOfAProcessLeavesItAlone() throws IOException {
        Process process = shell("read line").start();
        Fiber<Boolean> fiber =
                cord.spin(
                        "watch",
                        () ->
                                CancelScope.moveOnAfter(
                                        SHORT, () -> Futures.<Process>await(process.onExit())));
        assertFalse(fiber.await());
        assertTrue(process.isAlive());
        process.getOutputStream().close();
        assertEquals(1, cord.spin("await", () -> Processes.await(process)).await());
    }

    @Test
    void F12_programThatDoesNotExistIsAnIOException() {
        ProcessBuilder missing = new ProcessBuilder("/no/such/program");
        Fiber<Integer> fiber = cord.spin("missing", () -> Processes.run(missing));
        assertTrue(Runs.cause(Runs.failureOf(fiber::await)) instanceof IOException);
        assertThrows(IOException.class, () -> Processes.run(missing));
    }

    @Test
    void misuse_argumentsAreChecked() {
        ProcessBuilder builder = shell("true");
        assertThrows(IllegalArgumentException.class, () -> Processes.output(builder, -1));
        Duration negative = Duration.ofNanos(-1);
        assertThrows(IllegalArgumentException.class, () -> Processes.output(builder, 1, negative));
    }

    // ---------------------------------------------------------------- what it collects

    /** More than a pipe holds, to both: reading one after the other would wait for ever. */
    private static final String BOTH =
            "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789;"
                    + " echo e123456789012345678901234567890123456789 >&2; i=$((i+1)); done;"
                    + " exit 7";

    private static void assertBoth(ProcessOutput output) {
        assertEquals(7, output.exitCode());
        assertEquals(41 * 3_000, output.outBytes().length);
        assertEquals(41 * 3_000, output.errBytes().length);
        assertTrue(output.err().startsWith("e123"));
        assertFalse(output.isOutTruncated() || output.isErrTruncated());
    }

    @Test
    void F12_bothOutputsAreReadAtOnce() {
        Fiber<ProcessOutput> fiber =
                cord.spin("both", () -> Processes.output(shell(BOTH), 1_000_000));
        assertBoth(fiber.await());
    }

    /** The JDK's own stream ends with the process that it was made for. */
    @Disabled("the JDK closes its end of the pipe when the process exits, whoever writes on")
    @Test
    void F12_outputOfWhatIsLeftInTheBackgroundIsAwaited() {
        String script = "(sleep 0.1; echo late) & echo early";
        for (int i = 0; i < 10; i++) {
            assertEquals(
                    "early\nlate\n",
                    Runs.onCord(cord, () -> Processes.output(shell(script), ENOUGH)).out());
        }
    }

    @Test
    void F12_onPlainThreadsAndVirtualClocksTheSame() throws IOException {
        assertBoth(Processes.output(shell(BOTH), 1_000_000));
        Runs.virtual(
                reports,
                () -> {
                    assertBoth(Processes.output(shell(BOTH), 1_000_000));
                    assertEquals(3, Processes.run(shell("exit 3")));
                    return true;
                });
        reports.assertNone();
    }

    @Test
    void F12_whatIsBeyondTheBoundIsDroppedAndToldSo() {
        Fiber<ProcessOutput> fiber =
                cord.spin(
                        "bounded", () -> Processes.output(shell("printf 12345; printf ab >&2"), 4));
        ProcessOutput output = fiber.await();
        assertEquals("1234", output.out());
        assertTrue(output.isOutTruncated());
        assertArrayEquals("ab".getBytes(StandardCharsets.US_ASCII), output.errBytes());
        assertFalse(output.isErrTruncated());
        assertEquals("exit code 0, stdout: 4 bytes, truncated, stderr: 2 bytes", output.toString());
    }

    @Test
    void F12_inputIsEmptyAndOthersRunMeanwhile() {
        Fiber<String> fiber =
                cord.spin(
                        "cat",
                        () -> {
                            Fiber<?> other =
                                    Fiber.spin(() -> Files.createFile(directory.resolve("go")));
                            String out =
                                    Processes.output(
                                                    shell(
                                                            "cat; while [ ! -f go ]; do sleep 0.01;"
                                                                    + " done; echo gone"),
                                                    ENOUGH)
                                            .out();
                            other.await();
                            return out;
                        });
        assertEquals("gone\n", fiber.await());
    }

    @Test
    void F12_manyProcessesAtOnceLeaveNothingBehind() {
        List<Fiber<Integer>> fibers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int code = i;
            fibers.add(cord.spin("p" + i, () -> Processes.run(shell("exit " + code))));
        }
        fibers.get(3).terminate();
        fibers.get(7).terminate();
        int sum = 0;
        for (Fiber<Integer> each : fibers) {
            assertTrue(each.awaitEnd(Duration.ofSeconds(10)));
            sum += each.failure() == null ? each.await() : 0;
        }
        assertTrue(sum >= 190 - 3 - 7, "sum=" + sum);
        Runs.until(() -> children().isEmpty());
        reports.assertNone();
    }
}
