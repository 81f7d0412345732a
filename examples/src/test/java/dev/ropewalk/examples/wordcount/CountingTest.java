package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** The pipelines, cords and actors of a run, in this JVM. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class CountingTest {
    @TempDir private Path directory;

    private final Progress progress = new Progress();

    private Counting counting(Consumer<Problem> problems, List<String> paths) throws BadOption {
        return new Counting(
                Options.parse(Ran.wholeTable(List.of("--cords=2"), paths)),
                problems,
                progress,
                () -> {});
    }

    private static void noProblem(Problem problem) {
        throw new AssertionError(problem.line());
    }

    private String text(int bytes) throws IOException {
        Path file = directory.resolve("text");
        TextGenerator.write(file, bytes, 1);
        return file.toString();
    }

    private static long sum(Summary summary) {
        return summary.top().stream().mapToLong(WordCount::count).sum();
    }

    @Test
    void theProgressEndsWithTheSummary() throws Exception {
        List<String> paths = Collections.nCopies(200, text(50_000));
        Summary summary = Cord.run(() -> counting(CountingTest::noProblem, paths).run());
        assertEquals(200, summary.files());
        assertEquals(10_000_000, summary.bytes());
        assertEquals(200, progress.files());
        assertEquals(10_000_000, progress.bytes());
        assertEquals(summary.words(), progress.words());
        assertEquals(summary.words(), sum(summary));
    }

    @Test
    void anInterruptedRunIsConsistent() throws Exception {
        List<String> paths = Collections.nCopies(100_000, text(500_000));
        for (long wordsBefore : new long[] {0, 100_000, 1_000_000}) {
            Progress seen = new Progress();
            Options options = Options.parse(Ran.wholeTable(List.of("--chaos=0.1"), paths));
            Counting counting = new Counting(options, CountingTest::noProblem, seen, () -> {});
            Summary summary =
                    Cord.run(
                            () -> {
                                Fiber<Summary> run = Fiber.spin("run", counting::run);
                                while (seen.words() <= wordsBefore) {
                                    Fiber.sleep(Duration.ofMillis(1));
                                }
                                counting.interrupt();
                                return run.await();
                            });
            assertTrue(summary.interrupted(), "wordsBefore=" + wordsBefore);
            assertTrue(summary.words() > wordsBefore, "words=" + summary.words());
            assertEquals(summary.words(), sum(summary), "wordsBefore=" + wordsBefore);
            assertPartsFit(summary, 500_000);
        }
    }

    /**
     * A file is told as whole, as counted in part, or not at all. It is whole only when its end was
     * read, so one that an interrupt cuts off right before that has all its bytes counted.
     */
    private static void assertPartsFit(Summary summary, long fileBytes) {
        long inPart = summary.bytes() - summary.files() * fileBytes;
        String message = summary.toString();
        assertTrue(summary.partial() <= 2, message);
        assertTrue(inPart >= summary.partial(), message);
        assertTrue(inPart <= summary.partial() * fileBytes, message);
    }

    @Test
    void anInterruptedPipeIsCountedInPart() throws BadOption, InterruptedException {
        Path pipe = Tools.pipe(directory.resolve("pipe"));
        byte[] text = TextGenerator.text(300_000, 1);
        CountDownLatch over = new CountDownLatch(1);
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try (OutputStream out = Files.newOutputStream(pipe)) {
                                        out.write(text);
                                        over.await();
                                    } catch (IOException | InterruptedException e) {
                                        throw new AssertionError(e);
                                    }
                                });
        Counting counting = counting(CountingTest::noProblem, List.of(pipe.toString()));
        Summary summary =
                Cord.run(
                        () -> {
                            Fiber<Summary> run = Fiber.spin("run", counting::run);
                            while (progress.words() == 0) {
                                Fiber.sleep(Duration.ofMillis(1));
                            }
                            counting.interrupt();
                            return run.await();
                        });
        over.countDown();
        writer.join();
        assertTrue(summary.interrupted());
        assertEquals(0, summary.files());
        assertEquals(1, summary.partial());
        assertTrue(summary.bytes() > 0 && summary.bytes() <= 300_000, summary.toString());
        assertEquals(summary.words(), sum(summary));
    }

    @Test
    void anInterruptEndsTheWaitForAPipeThatNobodyWrites()
            throws BadOption, IOException, InterruptedException {
        Path pipe = Tools.pipe(directory.resolve("pipe"));
        List<String> paths = List.of(text(2_000), pipe.toString());
        Counting counting = counting(CountingTest::noProblem, paths);
        Summary summary =
                Cord.run(
                        () -> {
                            Fiber<Summary> run = Fiber.spin("run", counting::run);
                            while (progress.files() == 0) {
                                Fiber.sleep(Duration.ofMillis(1));
                            }
                            long startNs = Cord.current().nanoTime();
                            counting.interrupt();
                            run.awaitEnd(Duration.ofSeconds(60));
                            long tookMs = (Cord.current().nanoTime() - startNs) / 1_000_000;
                            assertTrue(tookMs < 10_000, "tookMs=" + tookMs);
                            return run.await();
                        });
        assertTrue(summary.interrupted());
        assertEquals(1, summary.files());
        assertEquals(0, summary.partial());
        assertEquals(2_000, summary.bytes());
    }

    /** Before the run, while its parts are made, while it counts, and while it sums up. */
    @Test
    void anInterruptMayComeAtAnyMoment() throws Exception {
        List<String> paths = Collections.nCopies(3, text(2_000));
        long words = 3 * TestText.sum(TestText.count(TextGenerator.text(2_000, 1)));
        int interrupted = 0;
        int complete = 0;
        // How often the cord turns until then: ever more often, until it comes too late.
        for (int turns = 0; complete < 3; turns += 1 + turns / 20) {
            Counting counting = counting(CountingTest::noProblem, paths);
            int wait = turns;
            Summary summary =
                    Cord.run(
                            () -> {
                                Fiber<?> other =
                                        Fiber.spin(
                                                "interrupter",
                                                () -> {
                                                    for (int i = 0; i < wait; i++) {
                                                        Fiber.snooze();
                                                    }
                                                    counting.interrupt();
                                                });
                                Fiber.snooze();
                                Summary counted = counting.run();
                                other.await();
                                return counted;
                            });
            String message = "turns=" + turns + ", summary=" + summary;
            assertEquals(summary.words(), sum(summary), message);
            assertTrue(summary.interrupted() || summary.words() == words, message);
            interrupted += summary.interrupted() ? 1 : 0;
            complete += summary.interrupted() ? 0 : 1;
        }
        assertTrue(interrupted > 0, "no run was interrupted");
    }

    /** A failure of the program itself ends the run and is thrown; nothing waits for ever. */
    @Test
    void aFailureInAStageEndsTheRun() throws Exception {
        // Empty files: what is still on its way to the counters would rightly be reported as lost.
        List<String> missing = new ArrayList<>(Collections.nCopies(500, text(0)));
        missing.add(directory.resolve("missing").toString());
        Consumer<Problem> broken =
                p -> {
                    throw new IllegalStateException("broken: " + p.line());
                };
        FiberFailedException inWalker =
                assertThrows(
                        FiberFailedException.class,
                        () -> Cord.run(() -> counting(broken, missing).run()));
        assertTrue(causes(inWalker).contains("broken: wordcount: "), causes(inWalker));

        Path binary = Files.write(directory.resolve("binary"), new byte[] {0});
        List<String> binaries = Collections.nCopies(500, binary.toString());
        FiberFailedException inReader =
                assertThrows(
                        FiberFailedException.class,
                        () -> Cord.run(() -> counting(broken, binaries).run()));
        assertTrue(causes(inReader).contains("binary file"), causes(inReader));
    }

    private static String causes(Throwable failure) {
        StringBuilder causes = new StringBuilder();
        for (Throwable at = failure; at != null; at = at.getCause()) {
            causes.append(at).append('\n');
        }
        return causes.toString();
    }
}
