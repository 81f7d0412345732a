package dev.ropewalk.examples.build;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Signals end the program, in a process of its own, and leave no process behind. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class InterruptTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /**
     * Two that run, of which one ignores TERM; two that want the slot of a third, which ends when
     * they run, in no order; one that needs another.
     */
    private static final String TASKS =
            """
            meek:
              echo $$ > meek.pid; echo begun; sleep 300; echo not reached
            stubborn:
              trap '' TERM INT; echo $$ > stubborn.pid; sleep 300; sleep 300; sleep 300
            third:
              until test -s meek.pid && test -s stubborn.pid; do sleep 0.02; done
            one: third
              echo $$ > fourth.pid; sleep 300; echo not reached
            other: third
              echo $$ > fourth.pid; sleep 300; echo not reached
            needing: meek
              echo not reached
            """;

    private static final String SUMMARY =
            """
            build: 1 of 6 built until the interrupt
            not built: meek, stubborn, one, other, needing
            """;

    private static final Pattern NOT_BEGUN =
            Pattern.compile("(one|other) is not built: the interrupt came before it began");

    private static final Pattern IGNORED = Pattern.compile("SigIgn:\\s*([0-9a-f]+)");

    @TempDir private Path directory;

    @Test
    void ctrlCEndsWhatRunsAndSaysWhatIsNotBuilt() throws IOException, InterruptedException {
        assertEquals(130, interrupted("INT"));
    }

    @Test
    void termDoesTheSame() throws IOException, InterruptedException {
        assertEquals(143, interrupted("TERM"));
    }

    private int interrupted(String signal) throws IOException, InterruptedException {
        Path file = Files.writeString(directory.resolve("build.tasks"), TASKS);
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "@" + System.getProperty("ropewalk.args.file"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "--file=" + file,
                                "--jobs=3",
                                "--grace=1")
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        List<ProcessHandle> children = List.of();
        try {
            assumeFalse(signal.equals("INT") && ignoresInt(process), "INT is ignored here");
            ProcessHandle meek = begun(process, "meek.pid");
            ProcessHandle stubborn = begun(process, "stubborn.pid");
            ProcessHandle fourth = begun(process, "fourth.pid");
            children =
                    Stream.concat(Stream.of(meek, stubborn, fourth), process.descendants())
                            .toList();
            assertTrue(children.size() >= 6, children.toString());
            new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            assertTrue(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS), "it did not end");
            assertEquals("", Files.readString(err));
            String text = Files.readString(out);
            assertTrue(text.contains("meek is not built: the interrupt came while it ran"), text);
            assertEquals(1, NOT_BEGUN.matcher(text).results().count(), text);
            assertTrue(text.endsWith(SUMMARY), text);
            for (ProcessHandle child : children) {
                await().atMost(LIMIT).until(() -> !child.isAlive());
            }
            return process.exitValue();
        } finally {
            children.forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** The shell that wrote its number, once it has a child. */
    private ProcessHandle begun(Process process, String name) {
        Path pid = directory.resolve(name);
        await().atMost(LIMIT)
                .until(
                        () -> {
                            assertTrue(process.isAlive(), "it ended before " + name + " was there");
                            return Files.exists(pid)
                                    && Files.readString(pid).endsWith("\n")
                                    && shell(pid).children().findAny().isPresent();
                        });
        try {
            return shell(pid);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static ProcessHandle shell(Path pid) throws IOException {
        return ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
    }

    /** So it is below a shell that started the tests in the background. */
    private static boolean ignoresInt(Process process) throws IOException {
        Path status = Path.of("/proc/" + process.pid() + "/status");
        assumeTrue(Files.isReadable(status), "no /proc");
        return IGNORED.matcher(Files.readString(status))
                .results()
                .anyMatch(found -> (Long.parseUnsignedLong(found.group(1), 16) & 2) != 0);
    }
}
