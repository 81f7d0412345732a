package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.measure.Sharing;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The floor of channels between two cores: two threads that spin. */
final class SpinningSlots {
    /** From whose thread it comes is for {@link Sharing}. */
    private record Item(long value, int from) {
        Item(long value) {
            this(value, Sharing.here());
        }
    }

    /** So that two slots share no cache line. */
    private static final int STRIDE = 32;

    private SpinningSlots() {}

    /**
     * With a buffer: one thread writes elements into slots, another takes them out, each spins on
     * the slot that is not ready.
     */
    static long buffered(int slots, long n) throws InterruptedException {
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
            Sharing.received(item.from());
            sum += item.value();
        }
        sender.join();
        return sum;
    }

    /**
     * The end that comes first, and waits: a sender with its element, or a receiver without one. It
     * has met the other end when the element was taken out, or put in.
     */
    private static final class First extends AtomicReference<@Nullable Item> {
        private static final long serialVersionUID = 1;

        private final boolean isSender;

        First(@Nullable Item brought) {
            super(brought);
            this.isSender = brought != null;
        }

        Item awaitItem() {
            Item item = getAcquire();
            while (item == null) {
                Thread.onSpinWait();
                item = getAcquire();
            }
            return item;
        }

        void awaitTaken() {
            while (getAcquire() != null) {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Without a buffer: the end that comes first waits for the other. So a receiver that waits has
     * its element after one crossing, and the next one may wait there already: two elements for
     * each way there and back, where a single slot that is filled and emptied lets one pass.
     */
    static long rendezvous(long n) throws InterruptedException {
        AtomicReference<@Nullable First> place = new AtomicReference<>();
        Thread sender =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (long value = 1; value <= n; value++) {
                                        put(place, new Item(value));
                                    }
                                });
        long sum = 0;
        for (long i = 0; i < n; i++) {
            Item item = take(place);
            Sharing.received(item.from());
            sum += item.value();
        }
        sender.join();
        return sum;
    }

    private static void put(AtomicReference<@Nullable First> place, Item item) {
        First receiver = place.getAcquire();
        if (receiver == null) {
            First me = new First(item);
            if (place.compareAndSet(null, me)) {
                me.awaitTaken();
                return;
            }
            receiver = place.getAcquire();
        }
        if (receiver == null || receiver.isSender) {
            throw new IllegalStateException("two senders met: " + item);
        }
        place.setRelease(null);
        receiver.setRelease(item);
    }

    private static Item take(AtomicReference<@Nullable First> place) {
        First sender = place.getAcquire();
        if (sender == null) {
            First me = new First(null);
            if (place.compareAndSet(null, me)) {
                return me.awaitItem();
            }
            sender = place.getAcquire();
        }
        if (sender == null || !sender.isSender) {
            throw new IllegalStateException("two receivers met");
        }
        Item item = sender.awaitItem();
        place.setRelease(null);
        sender.setRelease(null);
        return item;
    }
}
