package dev.ropewalk.channels.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.SplittableRandom;

/** The buffer against a model. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BufferTest {
    private static final int SEEDS = 30;
    private static final int STEPS = 1_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 100, 1_000})
    void isLikeADequeWithACapacity(int capacity) {
        for (long seed = 0; seed < SEEDS; seed++) {
            play(capacity, seed);
        }
    }

    private static void play(int capacity, long seed) {
        String replay = "capacity=" + capacity + " seed=" + seed;
        SplittableRandom random = new SplittableRandom(seed);
        Buffer<Integer> ring = new Buffer<>(capacity);
        ArrayDeque<Integer> model = new ArrayDeque<>();
        // Drifts up and down, so that it is full and empty again and again, at any head.
        int adds = 50;
        for (int step = 0; step < STEPS; step++) {
            if (step % 64 == 0) {
                adds = 20 + random.nextInt(61);
            }
            if (random.nextInt(100) < adds) {
                boolean hasRoom = model.size() < capacity;
                assertEquals(hasRoom, ring.add(step), replay);
                if (hasRoom) {
                    model.add(step);
                } else {
                    assertEquals(model.poll(), ring.displaceBy(step), replay);
                    model.add(step);
                }
            } else {
                assertEquals(model.poll(), ring.poll(), replay);
            }
            assertEquals(model.size(), ring.size(), replay);
            assertEquals(model.isEmpty(), ring.isEmpty(), replay);
            assertEquals(model.size() == capacity, ring.isFull(), replay);
            ring.checkInvariants();
        }
        while (!model.isEmpty()) {
            assertEquals(model.poll(), ring.poll(), replay);
        }
        assertNull(ring.poll(), replay);
    }

    @Test
    void ringOfNothingIsEmptyAndFull() {
        Buffer<Integer> ring = new Buffer<>(0);
        assertTrue(ring.isEmpty() && ring.isFull());
        assertNull(ring.poll());
        ring.checkInvariants();
        assertFalse(ring.add(1));
    }

    @Test
    void ringOfALargeCapacityStartsSmallAndIsSmallAgainWhenItIsEmpty() {
        Buffer<Integer> ring = new Buffer<>(Integer.MAX_VALUE);
        assertEquals(Buffer.FIRST_LENGTH, ring.length());
        for (int i = 0; i < 5_000; i++) {
            ring.add(i);
        }
        assertEquals(8_192, ring.length());
        for (int i = 0; i < 5_000; i++) {
            assertEquals(i, ring.poll());
        }
        assertEquals(Buffer.FIRST_LENGTH, ring.length());
        ring.checkInvariants();
        assertTrue(ring.add(1));
        assertEquals(1, ring.poll());
    }
}
