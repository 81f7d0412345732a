package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/** The ring itself; see {@link FifoTest} for what it means to fibers. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class RunQueueTest {
    private final RunQueue queue = new RunQueue();

    private record Entry(Fiber<?> fiber, @Nullable Object value) {}

    @Test
    void F1_emptyRingGivesNothing() {
        assertNull(queue.peek());
        assertNull(queue.take());
        assertNull(queue.takeValue());
        assertEquals(0, queue.size());
        assertThrows(IndexOutOfBoundsException.class, () -> queue.swapToHead(0));
        queue.checkInvariants();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 65, 128, 1_000})
    void F1_ringDoublesWhenFullAndKeepsOrder(int size) {
        List<Fiber<?>> fibers = tokens(size);
        for (int offset : new int[] {0, 1, 31, 63}) {
            turnRing(fibers.getFirst(), offset);
            for (int i = 0; i < size; i++) {
                queue.add(FiberImpl.of(fibers.get(i)), i);
                queue.checkInvariants();
            }
            assertEquals(size, queue.size());
            for (int i = 0; i < size; i++) {
                assertSame(fibers.get(i), queue.take());
                assertEquals(i, queue.takeValue());
            }
            assertNull(queue.take());
        }
    }

    /** Polyphony's ring lost the last entry when the head of a full one was taken out. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 62, 63, 64, 65, 127, 128})
    void F1_removeTakesOutTheRightEntryWhereverItLies(int size) {
        List<Fiber<?>> fibers = tokens(size);
        for (int offset : new int[] {0, 1, 40, 63}) {
            for (int removed : new int[] {0, size / 2, size - 1}) {
                turnRing(fibers.getFirst(), offset);
                fibers.forEach(fiber -> queue.add(FiberImpl.of(fiber), "value of " + fiber.name()));
                assertTrue(queue.remove(FiberImpl.of(fibers.get(removed))));
                assertFalse(queue.remove(FiberImpl.of(fibers.get(removed))));
                queue.checkInvariants();
                assertEquals(size - 1, queue.size());
                for (int i = 0; i < size; i++) {
                    if (i != removed) {
                        assertSame(fibers.get(i), queue.take());
                        assertEquals("value of " + fibers.get(i).name(), queue.takeValue());
                    }
                }
            }
        }
    }

    @Test
    void F1_valueIsThatOfTheEntryTakenLast() {
        List<Fiber<?>> fibers = tokens(2);
        queue.add(FiberImpl.of(fibers.get(0)), "value");
        queue.add(FiberImpl.of(fibers.get(1)), null);
        assertSame(fibers.get(0), queue.take());
        assertEquals("value", queue.takeValue());
        assertSame(fibers.get(1), queue.take());
        assertNull(queue.takeValue());
    }

    /** Also when more were taken than the ring has slots, and others lie in those now. */
    @ParameterizedTest
    @ValueSource(ints = {1, 62, 63, 64, 200})
    void F1_whatWasTakenIsForgottenAndNothingElse(int taken) {
        List<Fiber<?>> fibers = tokens(2);
        turnRing(fibers.getFirst(), taken);
        for (int i = 0; i < 40; i++) {
            queue.add(FiberImpl.of(fibers.getLast()), i);
        }
        queue.forgetTaken();
        queue.checkInvariants();
        for (int i = 0; i < 40; i++) {
            assertSame(fibers.getLast(), queue.take());
            assertEquals(i, queue.takeValue());
        }
        queue.forgetTaken();
        assertNull(queue.takeValue());
        queue.checkInvariants(); // every slot is empty
    }

    /** A queue whose order is drawn has no holes. */
    private boolean isSeeded;

    private int brought;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void F1_sameAsAnArrayDequeWhateverIsDone(long seed) {
        isSeeded = seed % 2 == 0;
        SplittableRandom random = new SplittableRandom(seed);
        List<Fiber<?>> free = new ArrayList<>(tokens(300));
        ArrayDeque<Entry> model = new ArrayDeque<>();
        for (int step = 0; step < 20_000; step++) {
            step(random, step, free, model);
            if (random.nextInt(100) == 0) {
                queue.forgetTaken();
            }
            queue.checkInvariants();
            assertEquals(model.size(), queue.size(), "seed=" + seed + " step=" + step);
            Entry head = model.peek();
            assertSame(head == null ? null : head.fiber(), queue.peek());
        }
        assertTrue(brought > 1_000, () -> "brought=" + brought);
    }

    private void step(
            SplittableRandom random, int step, List<Fiber<?>> free, ArrayDeque<Entry> model) {
        // The weights change, so that the ring is now nearly empty, now grows.
        int adds = step / 2_000 % 2 == 0 ? 5 : 2;
        int choice = random.nextInt(10);
        if (choice < adds && !free.isEmpty()) {
            Entry entry = new Entry(free.removeLast(), random.nextInt(5) == 0 ? null : step);
            model.add(entry);
            queue.add(FiberImpl.of(entry.fiber()), entry.value());
        } else if (choice < 7) {
            Entry taken = model.poll();
            assertSame(taken == null ? null : taken.fiber(), queue.take());
            if (taken != null) {
                assertSame(taken.value(), queue.takeValue());
                free.add(taken.fiber());
            }
        } else if (choice == 7 && !model.isEmpty()) {
            List<Entry> entries = new ArrayList<>(model);
            Entry removed = entries.remove(random.nextInt(entries.size()));
            assertTrue(queue.remove(FiberImpl.of(removed.fiber())));
            free.add(removed.fiber());
            refill(model, entries);
        } else if (choice == 8 && !model.isEmpty()) {
            bring(random, model);
        } else if (!model.isEmpty() && isSeeded) {
            List<Entry> entries = new ArrayList<>(model);
            int index = random.nextInt(entries.size());
            Collections.swap(entries, 0, index);
            queue.swapToHead(index);
            refill(model, entries);
        }
    }

    /** An entry near the tail, and from anywhere where the order is drawn. */
    private void bring(SplittableRandom random, ArrayDeque<Entry> model) {
        List<Entry> entries = new ArrayList<>(model);
        int index = random.nextInt(isSeeded ? 0 : Math.max(0, entries.size() - 32), entries.size());
        Entry brought = entries.get(index);
        if (isSeeded) {
            queue.bringToHead(FiberImpl.of(brought.fiber()));
        } else if (!queue.bringFromTail(FiberImpl.of(brought.fiber()))) {
            return; // there is no room, or too many holes lie behind it
        }
        this.brought++;
        entries.remove(index);
        entries.addFirst(brought);
        refill(model, entries);
    }

    private static void refill(ArrayDeque<Entry> model, List<Entry> entries) {
        model.clear();
        model.addAll(entries);
    }

    /** Moves head and tail on, so that the entries lie across the end of the ring. */
    private void turnRing(Fiber<?> token, int offset) {
        for (int i = 0; i < offset; i++) {
            queue.add(FiberImpl.of(token), null);
            assertSame(token, queue.take());
        }
    }

    /** Fibers that never run. */
    private static List<Fiber<?>> tokens(int count) {
        return Runs.<List<Fiber<?>>>virtual(
                new Reports(),
                () -> {
                    List<Fiber<?>> fibers = new ArrayList<>();
                    for (int i = 0; i < count; i++) {
                        fibers.add(
                                new FiberImpl<@Nullable Object>(
                                        CordImpl.current(), null, "token" + i, () -> null, null));
                    }
                    return fibers;
                });
    }
}
