package dev.ropewalk.fibers.internal.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.concurrent.atomic.AtomicBoolean;

/** The counts of a scheduler's tasks, by its cords and by other threads (rule F15). */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TaskCountsTest {
    private final TaskCounts counts = new TaskCounts(Integer.MAX_VALUE);
    private final FiberImpl<?> task = Runs.virtual(new Reports(), () -> FiberImpl.current());

    private void ends(int tasks, TaskCounts.@Nullable Stripe own) {
        for (int i = 0; i < tasks; i++) {
            counts.ended(own);
        }
    }

    private void places(int tasks, TaskCounts.@Nullable Stripe own) {
        for (int i = 0; i < tasks; i++) {
            counts.placing(task, own);
        }
    }

    private void are(int placed, int ended) {
        assertEquals(placed, counts.stats(1).placed());
        assertEquals(ended, counts.stats(1).ended());
        assertEquals(placed == ended, counts.isAllEnded());
    }

    @Test
    void F15_whoeverCountsTheSumIsTheSame() {
        TaskCounts.Stripe one = counts.newStripe();
        TaskCounts.Stripe other = counts.newStripe();
        places(3, one);
        places(2, null);
        are(5, 0);
        ends(4, other);
        are(5, 4);
        ends(1, null);
        are(5, 5);
    }

    @Test
    void F15_aCordThatEndsTakesNothingAlong() {
        TaskCounts.Stripe one = counts.newStripe();
        places(3, one);
        ends(2, one);
        counts.close(one);
        counts.close(one);
        are(3, 2);
        places(1, one);
        ends(2, one);
        are(4, 4);
    }

    /** One task never ends, so all is never quiet. */
    @Test
    void F15_noReaderSeesAllQuietBesideAClose() throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        counts.placing(task, null);
        Thread cord =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (int round = 0; round < 20_000; round++) {
                                        TaskCounts.Stripe own = counts.newStripe();
                                        places(3, own);
                                        ends(3, own);
                                        counts.close(own);
                                    }
                                    isOver.set(true);
                                });
        while (!isOver.get()) {
            assertFalse(counts.isAllEnded());
        }
        cord.join();
        assertTrue(counts.stats(0).placed() == 60_001 && counts.stats(0).ended() == 60_000);
    }
}
