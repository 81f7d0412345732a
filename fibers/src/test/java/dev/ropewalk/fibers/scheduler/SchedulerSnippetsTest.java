package dev.ropewalk.fibers.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The samples of the Javadoc and of the guide that need several cords. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SchedulerSnippetsTest {
    @Test
    void scheduler() {
        // @start region="scheduler"
        try (Scheduler scheduler = Scheduler.start("workers")) {
            List<Fiber<Integer>> tasks = new ArrayList<>();
            for (String word : List.of("hemp", "twine", "cord")) {
                tasks.add(scheduler.spin(() -> word.length()));
            }
            int letters = 0;
            for (Fiber<Integer> each : tasks) {
                letters += each.await();
            }
            assertEquals(13, letters);
        } // what still runs is awaited here
        // @end
    }

    @Test
    void parallel() {
        try (Scheduler scheduler = Scheduler.start("workers")) {
            scheduler
                    .spin(
                            "caller",
                            () -> {
                                long[] squares = new long[10_000];
                                // @start region="parallel"
                                Parallel.forEach(
                                        scheduler,
                                        0,
                                        squares.length,
                                        i -> squares[(int) i] = i * i);
                                // @end
                                assertEquals(99 * 99, squares[99]);
                            })
                    .await();
        }
    }

    @Test
    void map() {
        try (Scheduler scheduler = Scheduler.start("workers")) {
            scheduler
                    .spin(
                            "caller",
                            () -> {
                                // @start region="map"
                                List<Integer> lengths =
                                        Parallel.map(
                                                scheduler,
                                                List.of("hemp", "twine", "cord"),
                                                word -> word.length());
                                assertEquals(List.of(4, 5, 4), lengths);
                                // @end
                            })
                    .await();
        }
    }

    @Test
    void bind() {
        AtomicInteger rendered = new AtomicInteger();
        // @start region="bind"
        try (Scheduler scheduler = Scheduler.start("workers")) {
            // While its body waits, this thread runs tasks like any cord.
            scheduler.bind(
                    () -> {
                        Fiber<Integer> frame =
                                scheduler.spin("frame", () -> rendered.incrementAndGet());
                        frame.await();
                    });
        }
        // @end
        assertEquals(1, rendered.get());
    }
}
