package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A cord whose baton is lost ends, and one whose baton is only late goes on (rule F7). */
@Timeout(30)
class BatonWatchTest {
    private static final Thread NOBODY = Thread.ofVirtual().unstarted(() -> {});

    private final BatonWatch watch = new BatonWatch();
    private final Baton baton = new Baton();
    private long nowNs = 1L << 40;

    @Test
    void F7_batonThatIsLateWhileOtherThreadsRunIsLost() {
        baton.give(NOBODY);
        AtomicInteger asked = new AtomicInteger();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(1))
                .until(
                        () -> {
                            asked.incrementAndGet();
                            return watch.isLate(baton);
                        });
        assertTrue(asked.get() > BatonWatch.MAX + 1, "asked=" + asked);
        assertFalse(baton.takeBack(), "twice");
    }

    /** With a thread that gets it between two looks, it is given again and again. */
    @Test
    void F7_batonThatMovesIsNeverLate() {
        AtomicInteger passed = new AtomicInteger();
        Thread taker =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    while (baton.await()) {
                                        passed.incrementAndGet();
                                    }
                                });
        int rounds = 10 * BatonWatch.MAX;
        for (int i = 0; i < rounds; i++) {
            baton.give(taker);
            assertFalse(watch.isLate(baton));
            int expected = i + 1;
            Awaitility.await().until(() -> passed.get() == expected);
        }
        baton.dismiss(taker);
        assertFalse(watch.isLate(baton));
        assertEquals(rounds, passed.get());
    }

    @Test
    void F7_batonThatWasSeenLateComesToItsThread() {
        baton.give(NOBODY);
        assertFalse(watch.isLate(baton));
        assertFalse(watch.isLate(baton));
        assertTrue(baton.await());
        assertFalse(watch.isLate(baton));
        baton.dismiss(NOBODY);
        assertFalse(baton.await());
    }

    @Test
    void F7_nobodyHasIt_isLostAfterSomeLooks() {
        assertEquals(BatonWatch.MAX, looksUntilLost(null));
    }

    @Test
    void F7_itsThreadHasEnded_isLostAfterSomeLooks() throws InterruptedException {
        PortableStack ended =
                new PortableStack(
                        new PortableThreads("test"),
                        (stack, sent) -> {
                            // It ends with the baton.
                        });
        ended.give();
        ended.thread().join();
        assertEquals(BatonWatch.MAX, looksUntilLost(ended));
    }

    /** Each wait of a busy cord may look once while the baton is on its way. */
    @Test
    void F7_missingInManyWaitsIsNotLost() {
        for (int i = 0; i < 10 * BatonWatch.MAX; i++) {
            watch.begin();
            for (int looks = 0; looks < BatonWatch.MAX; looks++) {
                assertFalse(watch.isLost(null, nowNs));
                nowNs += BatonWatch.LOOK_NS;
            }
        }
    }

    private int looksUntilLost(@Nullable PortableStack given) {
        watch.begin();
        assertFalse(watch.isLost(given, nowNs), "asked first");
        for (int looks = 1; ; looks++) {
            nowNs += BatonWatch.LOOK_NS;
            if (watch.isLost(given, nowNs)) {
                return looks;
            }
            assertFalse(watch.isLost(given, nowNs + 1), "within the same look");
        }
    }

    @Test
    void F7_missingOnceAndThereAgainIsNotLost() {
        PortableStack there = new PortableStack(new PortableThreads("test"), (stack, sent) -> {});
        for (int i = 0; i < 10 * BatonWatch.MAX; i++) {
            nowNs += BatonWatch.LOOK_NS;
            assertFalse(watch.isLost(i % 2 == 0 ? null : there, nowNs));
        }
        there.dismiss();
    }
}
