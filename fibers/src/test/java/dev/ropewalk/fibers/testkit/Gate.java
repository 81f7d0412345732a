package dev.ropewalk.fibers.testkit;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.scheduler.Scheduler;

import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Keeps threads blocked until it is opened: those of cords, or ones that are bound. */
public final class Gate {
    private final CountDownLatch isOpen = new CountDownLatch(1);

    /** Blocks this thread, with a limit. */
    public void await() {
        Runs.await(isOpen);
    }

    public void open() {
        isOpen.countDown();
    }

    /** Returns when a fiber of the cord blocks its thread. */
    public Fiber<?> block(Cord cord) {
        CountDownLatch isBlocked = new CountDownLatch(1);
        Fiber<?> blocker = cord.spin("blocker", () -> blockIn(isBlocked));
        Runs.await(isBlocked);
        return blocker;
    }

    public void block(List<Cord> cords) {
        cords.forEach(this::block);
    }

    /** Returns when a task blocks the thread of the cord that took it. */
    public void blockOneOf(Scheduler scheduler) {
        CountDownLatch isBlocked = new CountDownLatch(1);
        scheduler.spin("blocker", () -> blockIn(isBlocked));
        Runs.await(isBlocked);
    }

    /** Returns when the thread is bound; its body blocks it. */
    public Thread bind(Scheduler scheduler) {
        CountDownLatch isBound = new CountDownLatch(1);
        Thread thread = new Thread(() -> scheduler.bind(() -> blockIn(isBound)));
        thread.start();
        Runs.await(isBound);
        return thread;
    }

    private void blockIn(CountDownLatch isThere) {
        isThere.countDown();
        await();
    }
}
