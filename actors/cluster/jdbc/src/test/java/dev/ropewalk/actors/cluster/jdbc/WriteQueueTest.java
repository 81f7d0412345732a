package dev.ropewalk.actors.cluster.jdbc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;

/** Rule A7: the writes that wait together are written together. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class WriteQueueTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final List<Integer> begun = new CopyOnWriteArrayList<>();

    /** A batch takes one of them before it ends. */
    private final Semaphore ends = new Semaphore(0);

    private WriteQueue queue = new WriteQueue("queue", 1, this::write);

    private void write(List<PendingWrite> batch) {
        begun.add(batch.size());
        ends.acquireUninterruptibly();
        if (batch.getFirst().key.equals("fails")) {
            throw new IllegalStateException("as asked");
        }
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).give(new WriteResult.Written(i + 1));
        }
    }

    @AfterEach
    void checkInvariants() {
        queue.checkInvariants();
    }

    private Fiber<WriteResult> write(Cord cord, String key, int bytes) {
        return cord.spin(
                "writes " + key, () -> queue.write(new PendingWrite(key, 0, new byte[bytes])));
    }

    private void awaitBegun(int batches) {
        await().atMost(LIMIT).until(() -> begun.size() == batches);
    }

    /** The writes of a turn wait; they are not under way before it is over. */
    private void awaitWaiting(int writes) {
        await().atMost(LIMIT).until(() -> queue.waiting() == writes);
    }

    @Test
    void A7_writesThatWaitTogetherAreOneTransaction() {
        try (Cord cord = Cord.start("writes")) {
            List<Fiber<WriteResult>> all = new ArrayList<>();
            all.add(write(cord, "first", 1));
            awaitBegun(1);
            for (int i = 0; i < 50; i++) {
                all.add(write(cord, "k" + i, 1));
            }
            awaitWaiting(50);
            ends.release(2);
            all.forEach(each -> assertInstanceOf(WriteResult.Written.class, each.await()));
            assertEquals(List.of(1, 50), begun);
        }
    }

    @Test
    void A7_aSecondThreadStartsWhenABatchWaitsOrTheFirstIsLate() {
        try (Cord cord = Cord.start("writes")) {
            queue = new WriteQueue("queue", 2, this::write);
            List<Fiber<WriteResult>> all = new ArrayList<>();
            all.add(write(cord, "first", 1));
            awaitBegun(1);
            for (int i = 0; i < WriteQueue.BATCH; i++) {
                all.add(write(cord, "k" + i, 1));
            }
            awaitBegun(2);
            assertEquals(1, begun.getFirst());
            ends.release(1_000);
            all.forEach(each -> assertInstanceOf(WriteResult.Written.class, each.await()));
            await().atMost(LIMIT).until(() -> queue.writers() == 0);
            ends.drainPermits();
            begun.clear();

            all.add(write(cord, "stuck", 1));
            awaitBegun(1);
            // At some moment it is late, and the next write goes past it.
            await().atMost(LIMIT)
                    .until(
                            () -> {
                                all.add(write(cord, "after", 1));
                                return begun.size() > 1;
                            });
            ends.release(1_000);
            all.forEach(each -> assertInstanceOf(WriteResult.Written.class, each.await()));
        }
    }

    @Test
    void A7_aTransactionIsBoundedInBytesAndSoIsTheQueue() {
        try (Cord cord = Cord.start("writes")) {
            List<Fiber<WriteResult>> all = new ArrayList<>();
            all.add(write(cord, "first", 1));
            awaitBegun(1);
            for (int i = 0; i < 10; i++) {
                all.add(write(cord, "k" + i, WriteQueue.BATCH_BYTES / 2));
            }
            awaitWaiting(10);
            ends.release(100);
            all.forEach(each -> assertInstanceOf(WriteResult.Written.class, each.await()));
            assertTrue(begun.stream().allMatch(each -> each <= 2), begun::toString);
            await().atMost(LIMIT).until(() -> queue.writers() == 0);
            ends.drainPermits();
            begun.clear();

            all.clear();
            all.add(write(cord, "first", 1));
            awaitBegun(1);
            int many = (int) (WriteQueue.MAX_BYTES / WriteQueue.BATCH_BYTES) + 3;
            for (int i = 0; i < many; i++) {
                all.add(write(cord, "m" + i, WriteQueue.BATCH_BYTES));
            }
            await().atMost(LIMIT)
                    .until(() -> all.stream().anyMatch(each -> each.awaitEnd(Duration.ZERO)));
            ends.release(1_000);
            long refused =
                    all.stream()
                            .filter(each -> each.await() instanceof WriteResult.Unknown)
                            .count();
            assertTrue(refused > 0 && refused < many / 2, () -> "refused=" + refused);
        }
    }

    @Test
    void A7_aCallerThatLeavesTakesItsWriteOut() {
        try (Cord cord = Cord.start("writes")) {
            Fiber<WriteResult> first = write(cord, "first", 1);
            awaitBegun(1);
            Fiber<WriteResult> leaves = write(cord, "leaves", 1);
            awaitWaiting(1);
            leaves.terminate();
            awaitWaiting(0);
            ends.release(2);
            assertInstanceOf(WriteResult.Written.class, first.await());
            await().atMost(LIMIT).until(() -> queue.writers() == 0);
            assertEquals(List.of(1), begun);
        }
    }

    @Test
    void A7_aBatchThatThrowsIsUnknownAndTheNextOneIsWritten() {
        try (Cord cord = Cord.start("writes")) {
            Fiber<WriteResult> fails = write(cord, "fails", 1);
            awaitBegun(1);
            Fiber<WriteResult> next = write(cord, "next", 1);
            awaitWaiting(1);
            ends.release(2);
            assertInstanceOf(WriteResult.Unknown.class, fails.await());
            assertInstanceOf(WriteResult.Written.class, next.await());
        }
    }

    @Test
    void A7_closeGivesUpThoseThatWaitAndAwaitsThoseUnderWay() throws InterruptedException {
        try (Cord cord = Cord.start("writes")) {
            Fiber<WriteResult> first = write(cord, "first", 1);
            awaitBegun(1);
            Fiber<WriteResult> waits = write(cord, "waits", 1);
            awaitWaiting(1);
            Thread closer = Thread.ofPlatform().start(() -> close(LIMIT.toMillis()));
            assertInstanceOf(WriteResult.Unknown.class, waits.await());
            assertTrue(closer.isAlive(), "a batch is under way");
            assertInstanceOf(WriteResult.Unknown.class, write(cord, "late", 1).await());
            ends.release();
            closer.join();
            assertInstanceOf(WriteResult.Written.class, first.await());
        }
    }

    @Test
    void A7_closeWaitsNoLongerThanItsLimit() {
        try (Cord cord = Cord.start("writes")) {
            Fiber<WriteResult> stuck = write(cord, "stuck", 1);
            awaitBegun(1);
            close(50);
            ends.release();
            assertInstanceOf(WriteResult.Written.class, stuck.await());
        }
        await().atMost(LIMIT).until(() -> queue.writers() == 0);
    }

    private void close(long limitMs) {
        try {
            queue.close(limitMs);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
