package dev.ropewalk.fibers.lifetimes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Random parents that await random children in every form, while limits pass, scopes are cancelled
 * and something is raised, by the children themselves too, in the middle of their turns (rules F4,
 * F6 and F7). A child does not fail any more when nobody awaits it, so no parent ever fails: a
 * failure is its awaiter's, or it is told in what left the await.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class LeftAwaitGameTest {
    private static final int RUNS = 400;
    private static final int STRESS_RUNS = 20_000;
    private static final int ROUNDS = 8;
    private static final int LAST_TURNS = 50;
    private static final Duration FAR = Duration.ofDays(1);

    /** What the game raises into a parent; passes for none of its children's failures. */
    private static final class Raised extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** One parent's rounds. */
    private static final class Game {
        private final SplittableRandom random;
        private final List<Cord> cords;

        int thrown;
        int taken;
        int told;

        /** Told to nobody, because a block was moved on from. */
        int dropped;

        int left;

        Game(SplittableRandom random, List<Cord> cords) {
            this.random = random;
            this.cords = cords;
        }

        Duration some() {
            return Duration.ofNanos(random.nextInt(4));
        }

        @Nullable Object play() {
            for (int i = 0; i < ROUNDS + LAST_TURNS; i++) {
                try {
                    if (i < ROUNDS) {
                        round();
                    } else {
                        Fiber.snooze(); // what was raised last may be on its way
                    }
                } catch (Raised raised) {
                    left++;
                    told(raised);
                }
            }
            return null;
        }

        private void told(Throwable outcome) {
            for (Throwable each : outcome.getSuppressed()) {
                told += each instanceof FiberFailedException ? 1 : 0;
            }
        }

        private void round() {
            CancelScope scope =
                    random.nextBoolean()
                            ? CancelScope.withLimit(some())
                            : CancelScope.withoutLimit();
            if (random.nextInt(3) == 0) {
                int before = thrown;
                int takenBefore = taken;
                if (!scope.runOrLeave(() -> awaitSeveral(scope))) {
                    left++;
                    dropped += (thrown - before) - (taken - takenBefore);
                }
                return;
            }
            try {
                scope.run(() -> awaitSeveral(scope));
            } catch (FiberTimeoutException | CancelledException cancelled) {
                left++;
                told(cancelled);
            }
        }

        private void awaitSeveral(CancelScope scope) {
            for (int i = 0; i < 3; i++) {
                AtomicBoolean isLeft = new AtomicBoolean();
                LeftAwaitTest.Form[] forms = LeftAwaitTest.Form.values();
                LeftAwaitTest.Form form = forms[random.nextInt(forms.length)];
                Fiber<?> kid = kid(Fiber.current(), scope, isLeft);
                if (random.nextInt(4) == 0) {
                    disturber(scope);
                }
                try {
                    form.failureOf(kid);
                    taken++;
                } catch (Throwable other) {
                    isLeft.set(true);
                    throw other;
                }
            }
        }

        private void disturber(CancelScope scope) {
            Duration when = some();
            Fiber.spin(
                    "disturber",
                    () -> {
                        Fiber.sleep(when);
                        scope.cancel();
                    });
        }

        /** Fails unless nobody awaits it; then it returns. */
        private Fiber<?> kid(Fiber<?> parent, CancelScope scope, AtomicBoolean isLeft) {
            int snoozes = random.nextInt(3);
            Duration sleep = some();
            int act = random.nextInt(5);
            Cord where = cords.get(random.nextInt(cords.size()));
            return where.spin(
                    "kid",
                    () -> {
                        for (int i = 0; i < snoozes; i++) {
                            Fiber.snooze();
                        }
                        if (sleep.toNanos() > 1) {
                            Fiber.sleep(sleep);
                        }
                        if (isLeft.get()) {
                            return;
                        }
                        switch (act) {
                            case 0 -> scope.cancel();
                            case 1 -> parent.raise(new Raised());
                            default -> {}
                        }
                        thrown++;
                        throw new IOException("kid");
                    });
        }
    }

    private static int run(int cords, long seed, boolean isOrderSeeded) {
        int[] left = new int[1];
        TestCords.run(
                cords,
                seed,
                isOrderSeeded,
                all -> {
                    Game game = new Game(new SplittableRandom(seed), all);
                    Fiber<?> parent = Fiber.spin("parent", game::play);
                    assertTrue(parent.awaitEnd(FAR));
                    assertNull(parent.failure(), "the parent failed by what it awaited");
                    assertEquals(game.thrown, game.taken + game.told + game.dropped, "failures");
                    for (Cord each : all) {
                        each.spin("check", () -> CordImpl.of(each).checkInvariants()).await();
                    }
                    left[0] = game.left;
                });
        return left[0];
    }

    private static void runs(int runs) {
        int left = 0;
        for (int seed = 0; seed < runs; seed++) {
            left += run(1 + seed % 3, seed, seed % 2 == 0);
        }
        assertNotEquals(0, left, "no await was ever left");
    }

    @Test
    void F7_noParentFailsByAChildThatItAwaits() {
        runs(RUNS);
    }

    @Tag("stress")
    @Test
    void F7_noParentFailsByAChildThatItAwaits_onManySeeds() {
        runs(STRESS_RUNS);
    }
}
