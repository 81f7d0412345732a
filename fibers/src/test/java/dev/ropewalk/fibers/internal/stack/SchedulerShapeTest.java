package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;

/** Rule F11: the scheduler that a later JDK may want in place of an executor. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SchedulerShapeTest {
    /** As the Loom repository has it. */
    interface Task extends Runnable {}

    /** Likewise. */
    interface Scheduler {
        void onStart(Task task);

        void onContinue(Task task);

        String other();
    }

    @Test
    void F11_eachTaskGoesToTheExecutor() {
        List<Runnable> given = new ArrayList<>();
        Scheduler scheduler = (Scheduler) SchedulerShape.adapted(Scheduler.class, given::add);
        Task task = () -> {};
        scheduler.onStart(task);
        scheduler.onContinue(task);
        assertEquals(List.of(task, task), given);
        assertEquals(scheduler, scheduler);
        assertNotEquals(scheduler, SchedulerShape.adapted(Scheduler.class, given::add));
        assertThrows(UnsupportedOperationException.class, scheduler::other);
    }
}
