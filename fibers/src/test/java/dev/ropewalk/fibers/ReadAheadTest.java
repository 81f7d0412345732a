package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What is read ahead is found, in whatever state a fiber is, and does it no harm. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ReadAheadTest {
    private static final int DEPTH = 300;

    private final ReadAhead readAhead = new ReadAhead(4);

    private void read(@Nullable Fiber<?>... fibers) {
        @Nullable Timer[] timers = new @Nullable Timer[fibers.length];
        for (int i = 0; i < fibers.length; i++) {
            Fiber<?> fiber = fibers[i];
            timers[i] = fiber == null ? null : new Timer.OfWait(0, i, FiberImpl.of(fiber), 0);
        }
        readAhead.read(timers, timers.length);
    }

    @Test
    void F2_thisJdkKeepsFramesWhereTheyAreLookedFor() {
        assertTrue(ReadAhead.knowsChunks());
    }

    @Test
    void F2_framesOfAFiberThatWaitsAreRead() {
        Cord.run(
                () -> {
                    Fiber<?> fiber = Fiber.spin("waits", () -> Fiber.suspend());
                    read(fiber);
                    assertEquals(FiberImpl.of(fiber).readAhead(), readAhead.sum, "no stack yet");
                    Fiber.snooze();
                    read(fiber);
                    assertNotEquals(FiberImpl.of(fiber).readAhead(), readAhead.sum, "no frames");
                    fiber.schedule(null);
                    fiber.await();
                });
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F2_isHarmlessInEveryState(StackKind stacks) {
        int sum =
                Cord.<Integer>run(
                        CordOptions.named("reads").withStacks(stacks),
                        () -> {
                            List<Fiber<Integer>> deep = new ArrayList<>();
                            for (int i = 0; i < 4; i++) {
                                int depth = 1 + i * DEPTH / 3;
                                deep.add(Fiber.<Integer>spin(() -> waitBelow(depth)));
                            }
                            read(deep.toArray(Fiber<?>[]::new)); // not started
                            Fiber.snooze();
                            read(deep.toArray(Fiber<?>[]::new)); // waiting
                            read(Fiber.current(), null, deep.getFirst(), deep.getFirst());
                            deep.forEach(fiber -> fiber.schedule(1));
                            int all = 0;
                            for (Fiber<Integer> fiber : deep) {
                                all += fiber.await();
                            }
                            read(deep.toArray(Fiber<?>[]::new)); // dead
                            return all;
                        });
        assertEquals(4, sum);
    }

    private static int waitBelow(int depth) {
        return depth == 0
                ? (Integer) Objects.requireNonNull(Fiber.suspend())
                : waitBelow(depth - 1);
    }
}
