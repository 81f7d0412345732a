package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The code that the guide shows of pipelines. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class PipelineSnippetsTest {
    @TempDir private Path directory;

    private final List<Object> stored = new ArrayList<>();

    private record Request(String client, int status) {
        static Request parse(String line) {
            String[] words = line.split(" ", -1);
            return new Request(words[0], Integer.parseInt(words[1]));
        }
    }

    private static String lookUp(Request request) {
        Fiber.sleep(Duration.ofMillis(20)); // a call of another service
        return request.client() + "'s page";
    }

    private void store(Object element) {
        stored.add(element);
    }

    private Path log() throws IOException {
        return Files.writeString(
                directory.resolve("access.log"),
                IntStream.range(0, 1_000)
                        .mapToObj(i -> "client" + i % 7 + " " + (i % 10 == 0 ? 500 : 200))
                        .collect(Collectors.joining("\n")));
    }

    @Test
    void first() throws IOException {
        Path accessLog = log();
        // @start region="first"
        long count =
                Cord.<Long>run(
                        () ->
                                Pipeline.lines(accessLog)
                                        .map("parse", Request::parse)
                                        .filter("errors", request -> request.status() >= 500)
                                        .mapParallel("look up", 8, request -> lookUp(request))
                                        .batch(100, Duration.ofSeconds(1))
                                        .forEach("store", batch -> store(batch))
                                        .run()
                                        .count());
        // @end
        assertEquals(stored.size(), count);
        assertEquals(100, stored.stream().mapToInt(each -> ((List<?>) each).size()).sum());
    }

    @Test
    void failure() throws IOException {
        Path accessLog = Files.writeString(directory.resolve("bad"), "a 200\nb x\n");
        List<String> told = new ArrayList<>();
        // @start region="failure"
        PipelineRun<?> run =
                Pipeline.lines(accessLog)
                        .map("parse", Request::parse)
                        .forEach("store", request -> store(request));
        Cord.run(
                () -> {
                    try {
                        run.run();
                    } catch (PipelineFailedException failed) {
                        told.add(failed.stage() + ": " + failed.getCause());
                    }
                });
        // @end
        assertEquals(
                List.of("parse: java.lang.NumberFormatException: For input string: \"x\""), told);
    }

    @Test
    void limits() {
        TestCord.run(
                () -> {
                    // @start region="limits"
                    PipelineRun<?> run =
                            Pipeline.ticks(Duration.ofSeconds(1))
                                    .forEach("store", tick -> store(tick));

                    // For ten seconds, and not longer.
                    assertThrows(
                            FiberTimeoutException.class,
                            () -> CancelScope.cancelAfter(Duration.ofSeconds(10), run::run));

                    // From any fiber, cord or thread.
                    PipelineRun<?> other =
                            Pipeline.ticks(Duration.ofSeconds(1))
                                    .forEach("store", tick -> store(tick));
                    Fiber.spin(
                            () -> {
                                Fiber.sleep(Duration.ofSeconds(5));
                                other.cancel();
                            });
                    assertThrows(CancelledException.class, other::run);
                    // @end
                });
    }

    @Test
    void placement() {
        List<Integer> numbers = IntStream.range(0, 1_000).boxed().toList();
        // @start region="placement"
        try (Scheduler workers = Scheduler.start(SchedulerOptions.named("workers").withCords(2));
                Cord writer = Cord.start("writer")) {
            Cord.run(
                    () ->
                            Pipeline.from(numbers) // on this cord
                                    .on(workers)
                                    .mapParallel("compute", 4, i -> Math.sqrt(i)) // on workers
                                    .ordered()
                                    .on(writer)
                                    .forEach("store", root -> store(root)) // on writer
                                    .run());
        }
        // @end
        assertEquals(numbers.stream().<Object>map(i -> Math.sqrt(i)).toList(), stored);
    }

    @Test
    void joining() {
        TestCord.run(
                () -> {
                    List<String> all = new ArrayList<>();
                    // @start region="joining"
                    Pipeline<String> words = Pipeline.of("a", "b", "c");
                    Pipeline<Long> numbers = Pipeline.ticks(Duration.ofSeconds(1));

                    // Pairs, until the shorter side ends: a1, b2, c3.
                    words.zip(numbers, (word, number) -> word + number)
                            .forEach("print", pair -> all.add(pair))
                            .run();

                    // The elements of all, as they come.
                    words.merge(Pipeline.of("x", "y"), Pipeline.of("z"))
                            .forEach("print", word -> all.add(word))
                            .run();

                    // To others as well: each element goes to the channel before it goes on.
                    Channel<Object> copies = Channel.make(ChannelOptions.sliding(10));
                    words.alsoTo("copy", copies).forEach("print", word -> all.add(word)).run();
                    // @end
                    assertEquals(List.of("a1", "b2", "c3"), all.subList(0, 3));
                    assertEquals(
                            Set.of("a", "b", "c", "x", "y", "z"), new HashSet<>(all.subList(3, 9)));
                    assertEquals(List.of("a", "b", "c"), copies.drain());
                });
    }

    @Test
    void results() {
        TestCord.run(
                () -> {
                    // @start region="results"
                    Pipeline<String> words = Pipeline.of("fig", "apple", "date", "kiwi");

                    Map<Integer, List<String>> byLength =
                            words.collect(Collectors.groupingBy(String::length)).run().value();

                    int letters = words.reduce(0, (sum, word) -> sum + word.length()).run().value();

                    // A port that others receive from; to cancel it ends the pipeline.
                    ReceivePort<String> port = words.toPort(ChannelOptions.rendezvous());
                    String first = port.receive();
                    port.cancel();
                    // @end
                    assertEquals(List.of("date", "kiwi"), byLength.get(4));
                    assertEquals(16, letters);
                    assertEquals("fig", first);
                });
    }

    @Test
    void statistics() {
        TestCord.run(
                () -> {
                    // @start region="statistics"
                    PipelineStats stats =
                            Pipeline.of(1, 2, 3, 4, 5)
                                    .buffer(1)
                                    .map(
                                            "slow",
                                            i -> {
                                                Fiber.sleep(Duration.ofSeconds(1));
                                                return i;
                                            })
                                    .buffer(1)
                                    .forEach("store", i -> store(i))
                                    .run()
                                    .stats();
                    String name = stats.slowest().name(); // "slow"
                    // @end
                    assertEquals("slow", name);
                });
    }
}
