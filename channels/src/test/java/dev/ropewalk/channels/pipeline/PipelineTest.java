package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Errors;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Rule C5: what each stage makes of the elements. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PipelineTest {
    private static Pipeline<Integer> numbers(int n) {
        return Pipeline.from(() -> IntStream.range(0, n).iterator());
    }

    private static <E> List<E> listOf(Pipeline<E> pipeline) {
        return pipeline.toList().run().value();
    }

    private static List<Integer> range(int n) {
        return IntStream.range(0, n).boxed().toList();
    }

    // ---------------------------------------------------------------- one fiber

    @Test
    void C5_stagesFollowEachOther() {
        TestCord.run(
                () ->
                        assertEquals(
                                List.of("0", "0", "20", "20", "40", "40"),
                                listOf(
                                        numbers(5)
                                                .map("times ten", i -> i * 10)
                                                .filter("even tens", i -> i % 20 == 0)
                                                .map("text", String::valueOf)
                                                .flatMap("twice", text -> List.of(text, text)))));
    }

    @Test
    void C5_stagesWithoutABoundaryPassEachElementOnAtOnce() {
        TestCord.run(
                () -> {
                    List<String> order = new ArrayList<>();
                    numbers(2)
                            .peek("first", i -> order.add("first " + i))
                            .peek("second", i -> order.add("second " + i))
                            .forEach("last", i -> order.add("last " + i))
                            .run();
                    assertEquals(
                            List.of(
                                    "first 0",
                                    "second 0",
                                    "last 0",
                                    "first 1",
                                    "second 1",
                                    "last 1"),
                            order);
                });
    }

    @Test
    void C5_stagesWithoutABoundaryRunInTheCallersFiber() {
        TestCord.run(
                () -> {
                    Set<Fiber<?>> fibers = new HashSet<>();
                    numbers(10)
                            .<Fiber<?>>map("look", i -> Fiber.current())
                            .batch(3)
                            .forEach("keep", fibers::addAll)
                            .run();
                    assertEquals(Set.of(Fiber.current()), fibers);
                });
    }

    @Test
    void C5_nothingHappensBeforeTheRun() {
        TestCord.run(
                () -> {
                    List<Integer> seen = new ArrayList<>();
                    PipelineRun<?> run = numbers(3).forEach("see", seen::add);
                    assertEquals(List.of(), seen);
                    assertEquals(3, run.run().count());
                    assertEquals(List.of(0, 1, 2), seen);
                });
    }

    @Test
    void C5_descriptionsShareWhatTheyBeginWith() {
        TestCord.run(
                () -> {
                    Pipeline<Integer> both = numbers(6).filter("odd", i -> i % 2 == 1);
                    Pipeline<Integer> one = both.map("more", i -> i + 1);
                    Pipeline<Integer> other = both.take(1);
                    assertEquals(List.of(2, 4, 6), listOf(one));
                    assertEquals(List.of(1), listOf(other));
                    assertEquals(List.of(1, 3, 5), listOf(both));
                });
    }

    @Test
    void C5_batchesAndWindows() {
        TestCord.run(
                () -> {
                    assertEquals(
                            List.of(List.of(0, 1, 2), List.of(3, 4, 5), List.of(6)),
                            listOf(numbers(7).batch(3)));
                    assertEquals(List.of(), listOf(numbers(0).batch(3)));
                    assertEquals(
                            List.of(List.of(0, 1, 2), List.of(2, 3, 4), List.of(4, 5, 6)),
                            listOf(numbers(8).window(3, 2)));
                    assertEquals(
                            List.of(List.of(0, 1), List.of(3, 4), List.of(6, 7)),
                            listOf(numbers(9).window(2, 3)));
                });
    }

    @Test
    void C5_takeDropAndScan() {
        TestCord.run(
                () -> {
                    assertEquals(List.of(0, 1, 2), listOf(numbers(10).take(3)));
                    assertEquals(range(2), listOf(numbers(2).take(3)));
                    assertEquals(List.of(8, 9), listOf(numbers(10).drop(8)));
                    assertEquals(
                            List.of(0, 1, 2), listOf(numbers(10).takeWhile("small", i -> i < 3)));
                    assertEquals(
                            List.of(0, 1, 3, 6), listOf(numbers(4).scan("sum", 0, Integer::sum)));
                    assertEquals(
                            List.of(0, 0, 1),
                            listOf(numbers(10).flatMap("up to", i -> range(i + 1)).take(3)));
                    assertEquals(
                            List.of(List.of(0, 1), List.of(2)),
                            listOf(numbers(9).take(3).batch(2)));
                    assertEquals(List.of(List.of(0, 1)), listOf(numbers(9).batch(2).take(1)));
                    assertEquals(
                            List.of(0, 0, 1, 1),
                            listOf(numbers(9).take(2).flatMap("twice", i -> List.of(i, i))),
                            "what was taken goes on whole");
                });
    }

    @Test
    void C5_takeOfNothingEndsTheSource() {
        TestCord.run(
                () -> {
                    Channel<Integer> silent = Channel.localRendezvous();
                    assertEquals(List.of(), within(Pipeline.from(silent).take(0)));
                    assertTrue(silent.isClosed(), "a sender would wait on");
                    Channel<Integer> behind = Channel.localRendezvous();
                    assertEquals(
                            List.of(),
                            within(Pipeline.from(behind).buffer(1).take(0).batch(2).take(0)));
                    assertTrue(behind.isClosed(), "a sender would wait on");
                });
    }

    /** Its elements are as many as a fiber can take without a switchpoint, and more. */
    @Test
    void C5_flatMapOfManyElementsGivesWay() {
        TestCord.run(
                1,
                false,
                () -> {
                    int many = 1_000_000;
                    PipelineRun<?> run =
                            numbers(1).flatMap("many", i -> range(many)).forEach("see", i -> {});
                    Fiber.spin("canceller", run::cancel);
                    assertThrows(CancelledException.class, run::run);
                    long seen = run.stats().stages().getLast().elements();
                    assertTrue(seen < many, () -> seen + " elements before others had a turn");
                });
    }

    @Test
    void C5_takeAsksTheSourceForNoMore() {
        TestCord.run(
                () -> {
                    List<Long> made = new ArrayList<>();
                    Pipeline.from(LongStream.iterate(0, i -> i + 1).boxed())
                            .peek("made", made::add)
                            .take(3)
                            .toList()
                            .run();
                    assertEquals(List.of(0L, 1L, 2L), made);
                });
    }

    @Test
    void C5_collectAndReduce() {
        TestCord.run(
                () -> {
                    assertEquals(
                            "0,1,2",
                            numbers(3)
                                    .map("text", String::valueOf)
                                    .collect(Collectors.joining(","))
                                    .run()
                                    .value());
                    PipelineResult<Integer> sum = numbers(5).reduce(0, Integer::sum).run();
                    assertEquals(10, sum.value());
                    assertEquals(5, sum.count());
                    assertNull(numbers(5).forEach("nothing", i -> {}).run().value());
                });
    }

    /** After so many elements each stage gets a class of its own. */
    @Test
    void C5_longRunsGiveTheSameAsShortOnes() {
        int n = 3 * StageCopies.WORTH_IT_AFTER;
        TestCord.run(
                1,
                false,
                () -> {
                    PipelineResult<Integer> result =
                            numbers(n)
                                    .map("more", i -> i + 1)
                                    .filter("even", i -> i % 2 == 0)
                                    .flatMap("twice", i -> List.of(i, i))
                                    .batch(5)
                                    .map("size", List::size)
                                    .scan("sum", 0, Integer::sum)
                                    .reduce(0, (before, sum) -> sum)
                                    .run();
                    assertEquals(n, result.value());
                    assertEquals(n / 5, result.count());
                    assertEquals(
                            List.of((long) n, (long) n, (long) n, n / 2L, (long) n),
                            result.stats().stages().subList(0, 5).stream()
                                    .map(StageStats::elements)
                                    .toList());
                });
    }

    @Test
    void C5_failureInALongRunNamesItsStage() {
        int n = 3 * StageCopies.WORTH_IT_AFTER;
        TestCord.run(
                1,
                false,
                () -> {
                    PipelineFailedException failed =
                            assertThrows(
                                    PipelineFailedException.class,
                                    () ->
                                            numbers(n)
                                                    .map("good", i -> i)
                                                    .map("bad", i -> 1 / (n - 1 - i))
                                                    .forEach("last", i -> {})
                                                    .run());
                    assertEquals("bad", failed.stage());
                    assertInstanceOf(ArithmeticException.class, failed.getCause());
                });
    }

    // ---------------------------------------------------------------- several fibers

    @Test
    void C5_bufferLetsTwoFibersWork() {
        TestCord.run(
                () -> {
                    Set<Fiber<?>> before = new HashSet<>();
                    Set<Fiber<?>> after = new HashSet<>();
                    numbers(10)
                            .peek("before", i -> before.add(Fiber.current()))
                            .buffer(2)
                            .forEach("after", i -> after.add(Fiber.current()))
                            .run();
                    assertEquals(1, before.size());
                    assertEquals(Set.of(Fiber.current()), after);
                    assertFalse(before.contains(Fiber.current()));
                });
    }

    @Test
    void C5_boundariesKeepTheOrder() {
        TestCord.run(
                () -> {
                    for (int capacity : new int[] {0, 1, 7, 100}) {
                        assertEquals(
                                range(50),
                                listOf(
                                        numbers(50)
                                                .buffer(capacity)
                                                .map("same", i -> i)
                                                .buffer(capacity)));
                    }
                });
    }

    @Test
    void C5_parallelFibersWorkSideBySide() {
        TestCord.run(
                () -> {
                    long startNs = Cord.current().nanoTime();
                    List<Integer> made =
                            listOf(
                                    numbers(8)
                                            .mapParallel(
                                                    "slow",
                                                    4,
                                                    i -> {
                                                        Fiber.sleep(Duration.ofSeconds(8 - i));
                                                        return i;
                                                    }));
                    assertEquals(range(8), made.stream().sorted().toList());
                    assertEquals(3, made.getFirst(), "the first that was ready");
                    long seconds =
                            Duration.ofNanos(Cord.current().nanoTime() - startNs).toSeconds();
                    assertTrue(seconds < 36 / 2, () -> seconds + " s: one after the other is 36");
                });
    }

    @Test
    void C5_orderedParallelFibersKeepTheOrder() {
        TestCord.run(
                () -> {
                    long startNs = Cord.current().nanoTime();
                    List<Integer> made =
                            listOf(
                                    numbers(40)
                                            .mapParallel(
                                                    "slow",
                                                    4,
                                                    i -> {
                                                        Fiber.sleep(Duration.ofSeconds(1 + i % 3));
                                                        return i;
                                                    })
                                            .ordered()
                                            .map("same", i -> i));
                    assertEquals(range(40), made);
                    long seconds =
                            Duration.ofNanos(Cord.current().nanoTime() - startNs).toSeconds();
                    assertTrue(seconds < 40, () -> seconds + " s: one after the other is 79");
                });
    }

    @Test
    void C5_batchByTimeKeepsNoElementLonger() {
        TestCord.run(
                () -> {
                    Cord cord = Cord.current();
                    long startNs = cord.nanoTime();
                    List<String> seen = new ArrayList<>();
                    Channel<Integer> channel = Channel.localRendezvous();
                    Fiber.spin(
                            "source",
                            () -> {
                                for (int at : new int[] {0, 1, 2, 3, 10, 11, 25}) {
                                    long nowNs = cord.nanoTime() - startNs;
                                    Fiber.sleep(Duration.ofSeconds(at).minusNanos(nowNs));
                                    channel.send(at);
                                }
                                channel.close();
                            });
                    Pipeline.from(channel)
                            .batch(3, Duration.ofSeconds(5))
                            .forEach(
                                    "see",
                                    list ->
                                            seen.add(
                                                    Duration.ofNanos(cord.nanoTime() - startNs)
                                                                    .toSeconds()
                                                            + " s: "
                                                            + list))
                            .run();
                    assertEquals(
                            List.of("2 s: [0, 1, 2]", "8 s: [3]", "15 s: [10, 11]", "25 s: [25]"),
                            seen);
                });
    }

    /** What came while the list before was worked on has waited then, and goes on as it is due. */
    @Test
    void C5_batchByTimeCountsFromTheArrivalAlsoWhileItsListsAreWorkedOn() {
        TestCord.run(
                () -> {
                    Cord cord = Cord.current();
                    long startNs = cord.nanoTime();
                    List<String> seen = new ArrayList<>();
                    Channel<Integer> channel = Channel.localRendezvous();
                    Fiber.spin(
                            "source",
                            () -> {
                                for (int at : new int[] {0, 2, 3, 8, 10, 20, 23, 24}) {
                                    long nowNs = cord.nanoTime() - startNs;
                                    Fiber.sleep(Duration.ofSeconds(at).minusNanos(nowNs));
                                    channel.send(at);
                                }
                                channel.close();
                            });
                    Pipeline.from(channel)
                            .batch(3, Duration.ofSeconds(1))
                            .forEach(
                                    "work for 6 s",
                                    list -> {
                                        seen.add(
                                                Duration.ofNanos(cord.nanoTime() - startNs)
                                                                .toSeconds()
                                                        + " s: "
                                                        + list);
                                        Fiber.sleep(Duration.ofSeconds(6));
                                    })
                            .run();
                    assertEquals(
                            List.of(
                                    "1 s: [0]",
                                    "7 s: [2, 3]", // not 8 s: both are over the limit
                                    "13 s: [8, 10]",
                                    "21 s: [20]", // the source is silent in between
                                    "27 s: [23, 24]"),
                            seen);
                });
    }

    /** A limit that has passed does not make lists shorter than what is there. */
    @Test
    void C5_batchThatIsLateIsFullIfElementsAreThere() {
        TestCord.run(
                () -> {
                    List<Integer> sizes = new ArrayList<>();
                    numbers(100)
                            .batch(10, Duration.ofNanos(1))
                            .forEach(
                                    "slow",
                                    list -> {
                                        sizes.add(list.size());
                                        Fiber.sleep(Duration.ofSeconds(1));
                                    })
                            .run();
                    assertEquals(100, sizes.stream().mapToInt(size -> size).sum());
                    assertTrue(sizes.size() <= 12, sizes::toString);
                });
    }

    /** When each element came through a throttle, from the start on. */
    private static List<Long> through(Pipeline<Integer> throttled, int busyEach, Duration busy) {
        long startNs = Cord.current().nanoTime();
        List<Long> times = new ArrayList<>();
        throttled
                .forEach(
                        "see",
                        i -> {
                            times.add(Cord.current().nanoTime() - startNs);
                            if (i % busyEach == busyEach - 1) {
                                Fiber.sleep(busy);
                            }
                        })
                .run();
        return times;
    }

    /** In any stretch no more than the rate allows, and one burst. */
    private static void assertShape(List<Long> times, double ratePerNs, int burst) {
        double max = 0;
        for (int i = 0; i < times.size(); i++) {
            // Of all stretches that end here the fullest one; as a bucket that leaks.
            double leaked = i == 0 ? 0 : (times.get(i) - times.get(i - 1)) * ratePerNs;
            max = Math.max(0, max - leaked) + 1;
            int at = i;
            double full = max;
            assertTrue(
                    full <= burst + 1e-6,
                    () -> full + " at once with element " + at + ", burst " + burst);
        }
    }

    /** Timers are late by up to a millisecond: here each 20th element brings that. */
    @Test
    void C5_throttleKeepsAHighRateThoughItsWakeUpsAreLate() {
        TestCord.run(
                () -> {
                    for (int rate : new int[] {20_000, 100_000}) {
                        Duration late = Duration.ofMillis(1);
                        int n = rate / 5;
                        List<Long> times =
                                through(
                                        numbers(n).throttle(rate, Duration.ofSeconds(1)),
                                        rate / 1_000,
                                        late);
                        double perNs = rate / 1e9;
                        assertShape(times, perNs, rate / 100);
                        double perSecond = n / (times.getLast() / 1e9);
                        assertTrue(perSecond >= 0.99 * rate, () -> perSecond + " of " + rate);
                        assertTrue(perSecond <= 1.06 * rate, () -> perSecond + " of " + rate);
                    }
                });
    }

    @Test
    void C5_throttleIsExactWhereNothingIsLate() {
        TestCord.run(
                () -> {
                    for (int rate : new int[] {1, 50, 100, 250, 20_000}) {
                        int burst = Math.max(1, rate / 100);
                        int n = Math.min(3 * rate + 1, 2_000) + burst;
                        List<Long> times =
                                through(
                                        numbers(n).throttle(rate, Duration.ofSeconds(1)),
                                        Integer.MAX_VALUE,
                                        Duration.ZERO);
                        assertShape(times, rate / 1e9, burst);
                        long intervalNs = 1_000_000_000L / rate;
                        assertEquals((n - burst) * intervalNs, times.getLast(), "rate=" + rate);
                    }
                });
    }

    @Test
    void C5_throttleSpreadsTheElements() {
        TestCord.run(
                () -> {
                    Cord cord = Cord.current();
                    long startNs = cord.nanoTime();
                    List<Long> seconds = new ArrayList<>();
                    numbers(9)
                            .throttle(2, Duration.ofSeconds(1))
                            .forEach(
                                    "see",
                                    i ->
                                            seconds.add(
                                                    Duration.ofNanos(cord.nanoTime() - startNs)
                                                            .toSeconds()))
                            .run();
                    for (long second = 0; second < 4; second++) {
                        long own = second;
                        long count = seconds.stream().filter(each -> each == own).count();
                        assertTrue(
                                count <= 3, () -> count + " in second " + own + " of " + seconds);
                    }
                    assertTrue(seconds.getLast() >= 3, () -> "too fast: " + seconds);
                });
    }

    @Test
    void C5_mergeTakesAListOfAnyLength() {
        TestCord.run(
                () -> {
                    assertEquals(
                            List.of(1, 2, 3),
                            Pipeline.of(1)
                                    .merge(List.of(Pipeline.of(2), Pipeline.of(3)))
                                    .toList()
                                    .run()
                                    .value()
                                    .stream()
                                    .sorted()
                                    .toList());
                    assertEquals(
                            List.of(1),
                            Pipeline.of(1)
                                    .merge(List.<Pipeline<Integer>>of())
                                    .toList()
                                    .run()
                                    .value());
                });
    }

    @Test
    void C5_mergeGivesAllElements() {
        TestCord.run(
                () -> {
                    List<Integer> merged =
                            listOf(
                                    numbers(3)
                                            .merge(
                                                    Pipeline.of(10, 11).map("same", i -> i),
                                                    Pipeline.of(20)));
                    assertEquals(List.of(0, 1, 2, 10, 11, 20), merged.stream().sorted().toList());
                    assertTrue(merged.indexOf(0) < merged.indexOf(2), "its own order stays");
                });
    }

    @Test
    void C5_zipEndsWithTheShorterSide() {
        TestCord.run(
                () -> {
                    assertEquals(
                            List.of("0a", "1b"),
                            listOf(numbers(9).zip(Pipeline.of("a", "b"), (i, text) -> i + text)));
                    assertEquals(
                            List.of("0a"),
                            listOf(numbers(1).zip(Pipeline.of("a", "b"), (i, text) -> i + text)));
                    // the other side has no end
                    assertEquals(
                            List.of("0/1", "1/2"),
                            listOf(
                                    numbers(2)
                                            .zip(
                                                    Pipeline.ticks(Duration.ofDays(1)),
                                                    (i, tick) -> i + "/" + tick)));
                });
    }

    @Test
    void C5_zipEndsWithASideThatIsAtItsEndWhileTheOtherIsSilent() {
        TestCord.run(
                () -> {
                    Pipeline<String> silent = Pipeline.from(Channel.<String>localRendezvous());
                    Pipeline<String> none = Pipeline.of();
                    assertEquals(List.of(), within(silent.zip(none, (a, b) -> a + b)));
                    silent = Pipeline.from(Channel.<String>localRendezvous());
                    assertEquals(List.of(), within(none.zip(silent, (a, b) -> a + b)));
                    // it comes to its end while both are waited for
                    silent = Pipeline.from(Channel.<String>localRendezvous());
                    Pipeline<Long> late =
                            Pipeline.ticks(Duration.ofMinutes(1)).filter("no", i -> i > 3);
                    assertEquals(
                            List.of(),
                            within(silent.zip(late.takeWhile("no", i -> false), (a, b) -> a + b)));
                    // all pairs that there are
                    assertEquals(
                            List.of("1a", "2b"),
                            within(
                                    Pipeline.ticks(Duration.ofMinutes(9))
                                            .zip(Pipeline.of("a", "b"), (i, text) -> i + text)));
                });
    }

    /** An hour of virtual time is for ever. */
    private static <E> List<E> within(Pipeline<E> pipeline) {
        return CancelScope.cancelAfter(Duration.ofHours(1), () -> listOf(pipeline));
    }

    @Test
    void C5_takeLeavesThoseBeforeWhereTheyWait() {
        TestCord.run(
                () -> {
                    Channel<Integer> silent = Channel.localBuffered(5);
                    for (int i = 0; i < 5; i++) {
                        silent.send(i);
                    }
                    List<String> ends = new ArrayList<>();
                    List<Integer> taken =
                            listOf(
                                    Pipeline.from(silent)
                                            .mapParallel(
                                                    "wait",
                                                    2,
                                                    i -> {
                                                        try {
                                                            Fiber.sleep(
                                                                    Duration.ofDays(
                                                                            i == 0 ? 0 : 9));
                                                        } finally {
                                                            ends.add("left " + i);
                                                        }
                                                        return i;
                                                    })
                                            .ordered()
                                            .buffer(3)
                                            .take(1));
                    assertEquals(List.of(0), taken);
                    assertEquals(
                            List.of("left 0", "left 1"), ends.stream().sorted().limit(2).toList());
                    assertTrue(silent.isClosed(), "its reader is gone");
                });
    }

    @Test
    void C5_alsoToSendsEachElementToo() {
        TestCord.run(
                () -> {
                    Channel<Object> copies = Channel.make(ChannelOptions.unlimited());
                    assertEquals(
                            List.of(0, 2),
                            listOf(
                                    numbers(4)
                                            .alsoTo("copy", copies)
                                            .filter("even", i -> i % 2 == 0)));
                    copies.close();
                    assertEquals(List.of(0, 1, 2, 3), copies.stream().toList());
                });
    }

    // ---------------------------------------------------------------- ports

    @Test
    void C5_fromAndToChannels() {
        TestCord.run(
                () -> {
                    Channel<Integer> in = Channel.localRendezvous();
                    Channel<Integer> out = Channel.localRendezvous();
                    Fiber.spin(
                            "in",
                            () -> {
                                for (int i = 0; i < 5; i++) {
                                    in.send(i);
                                }
                                in.close();
                            });
                    Fiber.spin(
                            "pipeline",
                            () -> Pipeline.from(in).map("more", i -> i + 1).to("out", out).run());
                    assertEquals(List.of(1, 2, 3, 4, 5), out.stream().toList());
                });
    }

    @Test
    void C5_closedPortEndsTheRunEarly() {
        TestCord.run(
                () -> {
                    Channel<Long> out = Channel.localRendezvous();
                    Fiber<PipelineResult<?>> run =
                            Fiber.spin(
                                    "pipeline",
                                    () ->
                                            Pipeline.ticks(Duration.ofSeconds(1))
                                                    .to("out", out)
                                                    .run());
                    out.receive();
                    out.receive();
                    out.cancel();
                    run.await();
                });
    }

    @Test
    void C5_closedPortEndsTheRunOfASilentSource() {
        TestCord.run(
                () -> {
                    assertEndsWith(Channel.localRendezvous(), Channel::cancel);
                    assertEndsWith(Channel.localBuffered(3), Channel::close);
                    assertEndsWith(Channel.rendezvous(), Channel::cancel);
                    assertEndsWith(Channel.buffered(3), Channel::close);
                });
    }

    private static void assertEndsWith(Channel<String> out, Consumer<Channel<String>> end) {
        Channel<String> silent = Channel.localRendezvous();
        Fiber.spin(
                "end",
                () -> {
                    Fiber.sleep(Duration.ofMinutes(1));
                    end.accept(out);
                });
        PipelineRun<?> run = Pipeline.from(silent).buffer(1).map("a", i -> i).to("out", out);
        CancelScope.cancelAfter(Duration.ofHours(1), run::run);
        assertTrue(silent.isClosed(), "a sender would wait on");
    }

    @Test
    void C5_portOfAPipeline() {
        TestCord.run(
                () -> {
                    ReceivePort<Integer> port = numbers(3).toPort(ChannelOptions.rendezvous());
                    assertEquals(range(3), port.stream().toList());
                    ReceivePort<Long> endless =
                            Pipeline.ticks(Duration.ofSeconds(1))
                                    .toPort(ChannelOptions.rendezvous());
                    assertEquals(1, endless.receive());
                    endless.cancel();
                });
    }

    // ---------------------------------------------------------------- bad input

    @Test
    void C5_badInputIsRefusedAtOnce() {
        Pipeline<Integer> some = numbers(3);
        assertMentions("size=0 < 1", () -> some.batch(0));
        assertMentions("size=-1 < 1", () -> some.batch(-1, Duration.ofSeconds(1)));
        assertMentions("fibers=0 < 1", () -> some.mapParallel("none", 0, i -> i));
        assertMentions("every=0 < 1", () -> some.window(1, 0));
        assertMentions("n=-1 < 0", () -> some.take(-1));
        assertMentions("n=-1 < 0", () -> some.drop(-1));
        assertMentions("capacity=-1 < 0", () -> some.buffer(-1));
        assertMentions("period=PT0S", () -> Pipeline.ticks(Duration.ZERO));
        assertMentions("elements=0 < 1", () -> some.throttle(0, Duration.ofSeconds(1)));
        assertMentions("per=PT0S", () -> some.throttle(1, Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> some.batch(1, Duration.ofSeconds(-1)));
        assertThrows(IllegalArgumentException.class, some::merge);
        Errors.assertMentions(
                assertThrows(IllegalStateException.class, some::ordered), "mapParallel");
    }

    private static void assertMentions(String part, Runnable call) {
        Errors.assertMentions(assertThrows(IllegalArgumentException.class, call::run), part);
    }

    @Test
    @SuppressWarnings("NullAway") // the subject
    void C5_nullIsRefusedAtOnce() {
        Pipeline<Integer> some = numbers(3);
        Errors.assertMentions(
                assertThrows(NullPointerException.class, () -> Pipeline.of(1, null)),
                "elements[1]");
        Errors.assertMentions(
                assertThrows(
                        NullPointerException.class,
                        () -> some.reduce(null, (Integer a, Integer b) -> a)),
                "first");
        Errors.assertMentions(
                assertThrows(NullPointerException.class, () -> some.zip(null, (a, b) -> a)),
                "other");
        assertThrows(NullPointerException.class, () -> Pipeline.lines(null));
        assertThrows(NullPointerException.class, () -> some.map(null, i -> i));
        assertThrows(NullPointerException.class, () -> some.map("null", null));
        assertThrows(NullPointerException.class, () -> some.forEach("null", null));
        assertThrows(NullPointerException.class, () -> some.to("null", null));
        assertThrows(NullPointerException.class, () -> some.on(null));
    }

    @Test
    void C5_runsOnce() {
        TestCord.run(
                () -> {
                    PipelineRun<?> run = numbers(3).toList();
                    run.run();
                    Errors.assertMentions(
                            assertThrows(IllegalStateException.class, run::run), "DRAINED", "once");
                });
    }

    @Test
    void C5_runOutsideOfAFiberIsRefused() {
        PipelineRun<?> run = numbers(3).toList();
        Errors.assertMentions(assertThrows(IllegalStateException.class, run::run), "fiber");
        // the refused call was no run
        TestCord.run(1, false, () -> assertEquals(3, run.run().count()));
    }
}
