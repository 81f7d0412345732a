package dev.ropewalk.fibers.coroutine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** The code that the Javadoc and the guide show of generators and coroutines. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class GeneratorSnippetsTest {
    private static String fetch(String what) {
        Fiber.sleep(Duration.ofSeconds(4));
        return what;
    }

    @Test
    void generators() {
        Runs.inAnyOrder(
                () -> {
                    int sum = 0;
                    // @start region="generator"
                    Generator<Integer> squares =
                            Generator.of(
                                    out -> {
                                        for (int i = 1; ; i++) {
                                            Fiber.sleep(Duration.ofMillis(1)); // it may wait
                                            out.yield(i * i);
                                        }
                                    });
                    try (squares) { // ends the body, whose finally blocks run
                        for (int square : squares.rest()) {
                            if (square > 50) {
                                break;
                            }
                            sum += square;
                        }
                    }
                    // @end
                    assertEquals(140, sum);
                });
    }

    @Test
    void timeLimits() {
        Runs.inAnyOrder(
                () -> {
                    // @start region="patience"
                    Generator<String> pages = Generator.of(out -> out.yield(fetch("page")));
                    // The limit ends the wait, not the generator: the page comes with the next
                    // call.
                    String early =
                            CancelScope.moveOnAfter(Duration.ofSeconds(1), "no page", pages::next);
                    String late = pages.next();
                    // @end
                    assertEquals("no page", early);
                    assertEquals("page", late);
                });
    }

    private record Tree(int value, List<Tree> below) {}

    // @start region="recursion"
    private static Generator<Integer> values(Tree tree) {
        return Generator.of(
                out -> {
                    out.yield(tree.value());
                    for (Tree each : tree.below()) {
                        for (int value : values(each).rest()) {
                            out.yield(value);
                        }
                    }
                });
    }

    // @end

    @Test
    void recursion() {
        Runs.inAnyOrder(
                () -> {
                    Tree leaf = new Tree(3, List.of());
                    Tree tree = new Tree(1, List.of(new Tree(2, List.of(leaf)), leaf));
                    assertEquals(List.of(1, 2, 3, 3), values(tree).stream().toList());
                });
    }

    @Test
    void coroutines() {
        Runs.inAnyOrder(
                () -> {
                    // @start region="coroutine"
                    // Adds up what it is given; each resume returns the sum so far.
                    Coroutine<Integer, Integer> adder =
                            Coroutine.of(
                                    (me, first) -> {
                                        int sum = first;
                                        while (sum < 100) {
                                            sum += me.yield(sum);
                                        }
                                        return sum;
                                    });
                    int first = adder.resume(40);
                    int second = adder.resume(2);
                    int last = adder.resume(58); // the result of the body
                    // @end
                    assertEquals(40, first);
                    assertEquals(42, second);
                    assertEquals(100, last);
                    assertFalse(adder.isAlive());
                });
    }
}
