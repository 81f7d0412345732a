package dev.ropewalk.fibers.cancellation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * Random programs of scopes, calls and children, one inside the other, each behind something that
 * wraps what it throws, while they are cancelled, stopped, restarted and terminated (rule F6).
 * Nothing in them fails, so nothing but signals is ever thrown: each scope tells its own, each
 * fiber ends as it was asked to, and no handler hears of a failure.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class WrappedSignalGameTest {
    private static final int RUNS = 400;
    private static final int STRESS_RUNS = 20_000;
    private static final int MAX_DEPTH = 6;
    private static final Duration FAR = Duration.ofDays(1);
    private static final Wrapping[] WRAPPINGS = Wrapping.values();

    /** One random program. */
    private static final class Game {
        private final SplittableRandom random;
        int left;
        int ended;

        Game(SplittableRandom random) {
            this.random = random;
        }

        private Duration some() {
            return Duration.ofNanos(random.nextInt(6));
        }

        @Nullable Object level(int depth) throws Exception {
            Wrapping wrapping = WRAPPINGS[random.nextInt(WRAPPINGS.length)];
            return wrapping.call(() -> act(depth));
        }

        private @Nullable Object act(int depth) throws Exception {
            if (depth == MAX_DEPTH) {
                Fiber.sleep(some());
                return null;
            }
            switch (random.nextInt(6)) {
                case 0 -> moveOn(depth);
                case 1 -> cancel(depth);
                case 2 -> child(depth);
                case 3 -> Scope.run(scope -> scope.spin("member", () -> level(depth + 1)));
                case 4 -> {
                    level(depth + 1);
                    level(depth + 1);
                }
                default -> level(depth + 1);
            }
            return null;
        }

        private void moveOn(int depth) throws Exception {
            CancelScope scope = CancelScope.withLimit(some());
            @Nullable Object done =
                    scope.<@Nullable Object, Exception>callOrElse("left", () -> level(depth + 1));
            assertTrue(done == null || scope.isCancelled());
            left += done == null ? 0 : 1;
        }

        private void cancel(int depth) throws Exception {
            CancelScope scope = CancelScope.withoutLimit();
            Duration when = some();
            Fiber<?> canceller =
                    Fiber.spin(
                            "canceller",
                            () -> {
                                Fiber.sleep(when);
                                scope.cancel();
                            });
            try {
                scope.run(() -> level(depth + 1));
            } catch (CancelledException own) {
                left++;
            } finally {
                canceller.terminate();
            }
        }

        private void child(int depth) {
            Fiber<Object> kid = Fiber.spin("kid", () -> level(depth + 1));
            Fiber.sleep(some());
            switch (random.nextInt(3)) {
                case 0 -> {
                    kid.terminate();
                    assertTrue(kid.awaitEnd(FAR));
                    if (kid.failure() != null) {
                        assertEquals(
                                FiberTerminatedException.class,
                                kid.failure().getClass(),
                                () -> "" + kid.failure());
                        ended++;
                    }
                }
                case 1 -> {
                    kid.stop("stopped");
                    ended += kid.await() == null ? 0 : 1;
                }
                default -> {
                    if (kid.state() != FiberState.DEAD) {
                        kid.restart();
                        kid.await();
                        ended++;
                    }
                }
            }
        }
    }

    private static int run(long seed, boolean isOrderSeeded) {
        int[] signals = new int[1];
        TestCords.run(
                1,
                seed,
                isOrderSeeded,
                all -> {
                    Game game = new Game(new SplittableRandom(seed));
                    Fiber.spin("game", () -> game.level(0)).await();
                    all.getFirst()
                            .spin("check", () -> CordImpl.current().checkInvariants())
                            .await();
                    signals[0] = game.left + game.ended;
                });
        return signals[0];
    }

    private static void runs(int runs) {
        int signals = 0;
        for (int seed = 0; seed < runs; seed++) {
            signals += run(seed, seed % 2 == 0);
        }
        assertNotEquals(0, signals, "nothing was ever ended");
    }

    @Test
    void F6_wrappedSignalsEndWhatTheyAreMeantFor() {
        runs(RUNS);
    }

    @Tag("stress")
    @Test
    void F6_wrappedSignalsEndWhatTheyAreMeantFor_onManySeeds() {
        runs(STRESS_RUNS);
    }
}
