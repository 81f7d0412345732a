package dev.ropewalk.benchmarks.system.thread;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The floor of channels between two cores: one thread writes elements into slots, another takes
 * them out, each spins on the slot that is not ready. With one slot each element waits for the one
 * before.
 */
final class SpinningSlots {
    private record Item(long value) {}

    /** So that two slots share no cache line. */
    private static final int STRIDE = 32;

    private SpinningSlots() {}

    static long through(int slots, long n) throws InterruptedException {
        AtomicReferenceArray<Item> ring = new AtomicReferenceArray<>(slots * STRIDE);
        Thread sender =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (long i = 0; i < n; i++) {
                                        int slot = (int) (i % slots) * STRIDE;
                                        while (ring.getAcquire(slot) != null) {
                                            Thread.onSpinWait();
                                        }
                                        ring.setRelease(slot, new Item(i + 1));
                                    }
                                });
        long sum = 0;
        for (long i = 0; i < n; i++) {
            int slot = (int) (i % slots) * STRIDE;
            Item item = ring.getAcquire(slot);
            while (item == null) {
                Thread.onSpinWait();
                item = ring.getAcquire(slot);
            }
            ring.setRelease(slot, null);
            sum += item.value();
        }
        sender.join();
        return sum;
    }
}
