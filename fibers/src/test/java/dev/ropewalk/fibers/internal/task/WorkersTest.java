package dev.ropewalk.fibers.internal.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.Mail.Activity;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rule F15: a task goes to a cord that spins, else round. The cords are asleep in truth, so that
 * what they are said to do stands still; their queues are those of the test.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WorkersTest {
    private static final int CORDS = 4;

    /** More tasks than it takes to meet a cord asleep. */
    private static final int MANY = 100;

    private final Scheduler owner = Scheduler.start(SchedulerOptions.named("owner").withCords(1));
    private final List<TaskQueue> queues = new ArrayList<>();
    private final Workers workers = new Workers();

    private void start(Activity... activities) {
        for (Activity each : activities) {
            Cord cord = Cord.start("cord" + queues.size());
            Runs.until(() -> CordImpl.of(cord).mail.activity() == Activity.ASLEEP);
            CordImpl.of(cord).mail.activity(each);
            TaskQueue queue = new TaskQueue(SchedulerImpl.of(owner), CordImpl.of(cord));
            queues.add(queue);
            workers.join(queue);
        }
    }

    @AfterEach
    void close() {
        queues.forEach(each -> each.cord.close());
        owner.close();
    }

    private void place(int tasks) {
        for (int i = 0; i < tasks; i++) {
            assertTrue(workers.place(CordImpl.of(queues.getFirst().cord).root()));
        }
    }

    private List<Integer> sizes() {
        return queues.stream().map(TaskQueue::size).toList();
    }

    @Test
    void F15_spinningCordGetsTheTaskWhereverItStands() {
        for (int spinning = 0; spinning < CORDS; spinning++) {
            Activity[] all = new Activity[CORDS];
            Arrays.fill(all, spinning % 2 == 0 ? Activity.BUSY : Activity.ASLEEP);
            all[spinning] = Activity.SPINNING;
            WorkersTest each = new WorkersTest();
            each.start(all);
            try {
                each.place(3 * CORDS);
                for (int i = 0; i < CORDS; i++) {
                    assertEquals(i == spinning ? 3 * CORDS : 0, each.sizes().get(i), "cord " + i);
                }
            } finally {
                each.close();
            }
        }
    }

    @Test
    void F15_withNoneThatSpinsTasksGoRound() {
        start(Activity.BUSY, Activity.BUSY, Activity.BUSY);
        place(1);
        assertEquals(List.of(1, 0, 0), sizes());
        place(1);
        assertEquals(List.of(1, 1, 0), sizes());
        place(4);
        assertEquals(List.of(2, 2, 2), sizes());
    }

    @Test
    void F15_sleeperThatIsNextGetsTheTaskAndIsWoken() {
        start(Activity.ASLEEP);
        long before = queues.getFirst().cord.stats().slept().toNanos();
        place(1);
        assertEquals(List.of(1), sizes());
        Runs.until(
                () -> {
                    place(1); // the first may have come just before it lay down, for this is no
                    // task that it would look for
                    return queues.getFirst().cord.stats().slept().toNanos() > before;
                });
    }

    @Test
    void F15_cordThatTakesNoMoreIsLeftOutAlsoIfItSpins() {
        start(Activity.SPINNING, Activity.BUSY, Activity.BUSY);
        queues.getFirst().close();
        place(4);
        assertEquals(0, sizes().getFirst());
        assertEquals(4, sizes().get(1) + sizes().get(2));
    }

    /** To wake a thread that has not begun wakes nobody, and that cord takes one task, not all. */
    @Test
    void F15_sleeperIsWokenBesideACordThatHasNotBegun() {
        CordImpl unbegun =
                new CordImpl(
                        CordOptions.named("unbegun"),
                        new RealPlatform(new Thread(() -> {})),
                        null,
                        null);
        TaskQueue target = new TaskQueue(SchedulerImpl.of(owner), unbegun);
        for (int i = 0; i < MANY; i++) {
            workers.join(target); // so that each task is placed there, not on the one asleep
        }
        start(Activity.ASLEEP);
        workers.countSleeper(true);
        long before = queues.getFirst().cord.stats().slept().toNanos();
        AtomicInteger placed = new AtomicInteger();
        Runs.until(
                () -> {
                    place(1); // again, because the first may come just before it lies down
                    return placed.incrementAndGet() == MANY
                            || queues.getFirst().cord.stats().slept().toNanos() > before;
                });
        assertTrue(placed.get() < MANY, "nobody was woken for any of " + MANY + " tasks");
        assertEquals(List.of(0), sizes());
    }

    @Test
    void F15_withoutCordsThereIsNoPlace() {
        assertFalse(workers.place(CordImpl.of(owner.cords().getFirst()).root()));
    }
}
