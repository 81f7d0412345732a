package dev.ropewalk.fibers.coroutine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** Rule F16: iterators whose values a body yields. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class GeneratorTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final int DEEP = 1_000;

    private static Generator<Integer> upTo(int end) {
        return Generator.of(
                "numbers",
                out -> {
                    for (int i = 0; i < end; i++) {
                        out.yield(i);
                    }
                });
    }

    private static <T> List<T> rest(Generator<T> generator) {
        List<T> all = new ArrayList<>();
        generator.forEachRemaining(all::add);
        return all;
    }

    @Test
    void F16_valuesComeInOrderAndThenNoMore() {
        Runs.inAnyOrder(
                () -> {
                    Generator<Integer> numbers = upTo(3);
                    assertTrue(numbers.hasNext());
                    assertTrue(numbers.hasNext());
                    assertEquals(0, numbers.next());
                    assertEquals(1, numbers.next());
                    assertEquals(2, numbers.next());
                    assertFalse(numbers.hasNext());
                    assertFalse(numbers.hasNext());
                    assertThrows(NoSuchElementException.class, numbers::next);
                    numbers.close();
                    assertFalse(numbers.hasNext());
                });
    }

    @Test
    void F16_bodyBeginsWithTheFirstQuestionAndIsNeverAhead() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Generator<String> lazy =
                            Generator.of(
                                    out -> {
                                        log.add("began");
                                        out.yield("one");
                                        log.add("went on");
                                        out.yield("two");
                                    });
                    Runs.settle();
                    assertEquals(List.of(), log);
                    assertEquals("one", lazy.next());
                    Runs.settle();
                    assertEquals(List.of("began"), log);
                    assertTrue(lazy.hasNext());
                    assertEquals(List.of("began", "went on"), log);
                });
    }

    @Test
    void F16_nullIsAValue() {
        Runs.inAnyOrder(
                () -> {
                    Generator<@Nullable String> nulls = Generator.of(out -> out.yield(null));
                    assertTrue(nulls.hasNext());
                    assertEquals(null, nulls.next());
                    assertFalse(nulls.hasNext());
                });
    }

    @Test
    void F16_loopsAndStreams() {
        Runs.inAnyOrder(
                () -> {
                    Generator<Integer> numbers = upTo(10);
                    int sum = 0;
                    for (int number : numbers.rest()) {
                        sum += number;
                        if (number == 4) {
                            break;
                        }
                    }
                    assertEquals(10, sum);
                    assertEquals(List.of(5, 6), numbers.stream().limit(2).toList());
                    assertEquals(List.of(7, 8, 9), rest(numbers));
                });
    }

    @Test
    void F16_closingTheStreamClosesTheGenerator() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Generator<Integer> endless = endless(log);
                    try (Stream<Integer> stream = endless.stream()) {
                        assertEquals(List.of(0, 1, 2), stream.limit(3).toList());
                    }
                    assertEquals(List.of("left"), log);
                });
    }

    private static Generator<Integer> endless(List<String> log) {
        return Generator.of(
                out -> {
                    try {
                        for (int i = 0; ; i++) {
                            out.yield(i);
                        }
                    } finally {
                        log.add("left");
                    }
                });
    }

    @Test
    void F16_bodyMayWaitWhileOthersGoOn() {
        Runs.inAnyOrder(
                () -> {
                    List<Object> log = new ArrayList<>();
                    Generator<Integer> slow =
                            Generator.of(
                                    out -> {
                                        for (int i = 0; i < 3; i++) {
                                            Fiber.sleep(SHORT);
                                            out.yield(i);
                                        }
                                    });
                    Fiber<?> other =
                            Fiber.spin(
                                    () -> {
                                        Fiber.sleep(SHORT.multipliedBy(3).dividedBy(2));
                                        log.add("other");
                                    });
                    slow.forEachRemaining(log::add);
                    other.await();
                    assertEquals(List.of(0, "other", 1, 2), log);
                });
    }

    @Test
    void F16_uncheckedFailureIsThrownAsItIsAndTheGeneratorIsDead() {
        Runs.inAnyOrder(
                () -> {
                    IllegalArgumentException own = new IllegalArgumentException("own");
                    Generator<Integer> bad =
                            Generator.of(
                                    "bad",
                                    out -> {
                                        out.yield(1);
                                        throw own;
                                    });
                    assertEquals(1, bad.next());
                    assertSame(own, Runs.failureOf(bad::next));
                    IllegalStateException dead =
                            assertThrows(
                                    IllegalStateException.class, () -> assertTrue(bad.hasNext()));
                    assertTrue(
                            String.valueOf(dead.getMessage())
                                    .contains("generator bad on cord test cannot be resumed"),
                            dead::toString);
                    assertTrue(String.valueOf(dead.getMessage()).contains("own"));
                });
    }

    @Test
    void F16_checkedFailureIsTheCause() {
        Runs.inAnyOrder(
                () -> {
                    IOException own = new IOException("own");
                    Generator<Integer> bad =
                            Generator.of(
                                    _ -> {
                                        throw own;
                                    });
                    assertSame(own, Runs.cause(Runs.failureOf(() -> assertTrue(bad.hasNext()))));
                });
    }

    @Test
    void F5_timeLimitAroundNextLosesNoValue() {
        Runs.inAnyOrder(
                () -> {
                    Generator<Integer> slow =
                            Generator.of(
                                    out -> {
                                        for (int i = 0; i < 3; i++) {
                                            Fiber.sleep(SHORT.multipliedBy(5).dividedBy(2));
                                            out.yield(i);
                                        }
                                    });
                    List<Integer> got = new ArrayList<>();
                    int misses = 0;
                    while (got.size() < 3) {
                        int next = CancelScope.moveOnAfter(SHORT, -1, slow::next);
                        if (next == -1) {
                            misses++;
                        } else {
                            got.add(next);
                        }
                    }
                    assertEquals(List.of(0, 1, 2), got);
                    assertEquals(6, misses);
                    assertFalse(slow.hasNext());
                });
    }

    @Test
    void F6_terminatedConsumerLeavesTheValueToTheNext() {
        Runs.inAnyOrder(
                () -> {
                    Generator<Integer> slow =
                            Generator.of(
                                    out -> {
                                        for (int i = 0; i < 2; i++) {
                                            Fiber.sleep(SHORT);
                                            out.yield(i);
                                        }
                                    });
                    Fiber<?> consumer = Fiber.spin(() -> slow.next());
                    Runs.settle();
                    consumer.terminate();
                    assertTrue(consumer.awaitEnd(SHORT));
                    Fiber.sleep(SHORT);
                    assertEquals(List.of(0, 1), rest(slow));
                });
    }

    @Test
    void F16_endThatNobodyWaitedForIsStillTheEnd() {
        Runs.inAnyOrder(
                () -> {
                    Generator<Integer> slow = Generator.of(_ -> Fiber.sleep(SHORT));
                    assertTrue(
                            CancelScope.moveOnAfter(
                                    SHORT.dividedBy(2), true, () -> slow.hasNext()));
                    Fiber.sleep(SHORT);
                    assertFalse(slow.hasNext());
                    assertFalse(slow.hasNext());
                });
    }

    @Test
    void F6_closeRunsFinallyAtTheYieldAndTwiceIsHarmless() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Generator<Integer> endless = endless(log);
                    try (endless) {
                        assertEquals(0, endless.next());
                        assertTrue(endless.hasNext());
                    }
                    assertEquals(List.of("left"), log);
                    endless.close();
                    assertThrows(IllegalStateException.class, () -> assertTrue(endless.hasNext()));
                    assertThrows(IllegalStateException.class, endless::next);
                });
    }

    @Test
    void F6_closeBeforeTheStartRunsNothing() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Generator<Integer> unborn = endless(log);
                    unborn.close();
                    assertThrows(IllegalStateException.class, () -> assertTrue(unborn.hasNext()));
                    assertEquals(List.of(), log);
                });
    }

    @Test
    void F6_droppedGeneratorEndsWithItsParent() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<Integer> parent = Fiber.spin(() -> endless(log).next());
                    assertEquals(0, parent.await());
                    assertEquals(List.of("left"), log);
                });
    }

    @Test
    void misuse_twoFibersAsk() {
        Runs.inAnyOrder(
                () -> {
                    Generator<Integer> slow =
                            Generator.of(
                                    out -> {
                                        Fiber.sleep(SHORT);
                                        out.yield(1);
                                    });
                    Fiber<Integer> first = Fiber.spin("first", slow::next);
                    Runs.settle();
                    IllegalStateException thrown =
                            assertThrows(IllegalStateException.class, slow::next);
                    assertTrue(String.valueOf(thrown.getMessage()).contains("fiber first"));
                    assertEquals(1, first.await());
                    assertFalse(slow.hasNext());
                });
    }

    @Test
    void misuse_yieldByAFiberOfTheBody() {
        Runs.inAnyOrder(
                () -> {
                    Generator<Integer> mixed =
                            Generator.of(
                                    out -> {
                                        Fiber<Throwable> child =
                                                Fiber.spin(
                                                        () -> Runs.failureOf(() -> out.yield(1)));
                                        Throwable thrown = child.await();
                                        assertTrue(
                                                String.valueOf(thrown.getMessage())
                                                        .contains("only its own body yields"));
                                        out.yield(2);
                                    });
                    assertEquals(List.of(2), rest(mixed));
                });
    }

    @Test
    void misuse_fromAnotherThreadAlsoWithAValueAtHand() {
        Runs.real(
                () -> {
                    Generator<Integer> numbers = upTo(2);
                    assertTrue(numbers.hasNext());
                    Blocking.run(
                            () -> {
                                assertThrows(
                                        WrongThreadException.class,
                                        () -> assertTrue(numbers.hasNext()));
                                assertThrows(WrongThreadException.class, numbers::next);
                                assertThrows(WrongThreadException.class, numbers::close);
                            });
                    assertEquals(List.of(0, 1), rest(numbers));
                });
    }

    @Test
    void F11_bodyMayBlockInTheJdkOnAVirtualThread() {
        Reports reports = new Reports();
        Runs.real(
                StackKind.VIRTUAL_THREAD,
                reports,
                () -> {
                    CountDownLatch latch = new CountDownLatch(1);
                    Generator<Integer> blocks =
                            Generator.of(
                                    out -> {
                                        Runs.await(latch);
                                        out.yield(1);
                                    });
                    Fiber.spin(latch::countDown);
                    assertEquals(List.of(1), rest(blocks));
                });
        reports.assertNone();
    }

    @Test
    void F16_chainOfAThousand() {
        Runs.real(
                () -> {
                    Generator<Integer> last = upTo(3);
                    for (int i = 0; i < DEEP; i++) {
                        last = plusOne(last);
                    }
                    assertEquals(List.of(DEEP, DEEP + 1, DEEP + 2), rest(last));
                });
    }

    private static Generator<Integer> plusOne(Generator<Integer> source) {
        return Generator.of(
                out -> {
                    while (source.hasNext()) {
                        out.yield(source.next() + 1);
                    }
                });
    }

    @Test
    void F16_generatorMadeInAGeneratorEachOfAThousand() {
        Runs.real(() -> assertEquals(List.of(DEEP), rest(nested(DEEP))));
    }

    /** Each is a child of the one that asks it. */
    private static Generator<Integer> nested(int depth) {
        return Generator.of(
                out -> {
                    if (depth == 0) {
                        out.yield(0);
                    } else {
                        for (int value : nested(depth - 1).rest()) {
                            out.yield(value + 1);
                        }
                    }
                });
    }

    @Test
    void F9_reportNamesTheGenerator() {
        Throwable thrown =
                Runs.failureOf(
                        () ->
                                Runs.virtual(
                                        new Reports(),
                                        () -> {
                                            Generator<Integer> stuck =
                                                    Generator.of("stuck", _ -> Fiber.suspend());
                                            return stuck.next();
                                        }));
        String report = String.valueOf(Runs.cause(thrown).getMessage());
        assertTrue(report.contains("the next value of generator stuck on cord virtual"), report);
    }

    @Test
    void F16_handlersAskToo() {
        Runs.inAnyOrder(
                () -> {
                    Generator<Integer> numbers = upTo(2);
                    List<Integer> got = new ArrayList<>();
                    Fiber<?> handler =
                            Cord.current()
                                    .spinHandler(
                                            "asks",
                                            _ -> {
                                                got.add(numbers.next());
                                                return numbers.hasNext() ? "more" : Handler.END;
                                            });
                    handler.await();
                    assertEquals(List.of(0, 1), got);
                });
    }
}
