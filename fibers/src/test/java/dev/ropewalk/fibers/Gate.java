package dev.ropewalk.fibers;

import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Keeps threads blocked until it is opened: those of cords, or ones that are bound. */
final class Gate {
    private final CountDownLatch isOpen = new CountDownLatch(1);

    /** Blocks this thread, with a limit. */
    void await() {
        Runs.await(isOpen);
    }

    void open() {
        isOpen.countDown();
    }

    /** Returns when a fiber of the cord blocks its thread. */
    Fiber<?> block(Cord cord) {
        CountDownLatch isBlocked = new CountDownLatch(1);
        Fiber<?> blocker = cord.spin("blocker", () -> blockIn(isBlocked));
        Runs.await(isBlocked);
        return blocker;
    }

    void block(List<Cord> cords) {
        cords.forEach(this::block);
    }

    /** Returns when a task blocks the thread of the cord that took it. */
    void blockOneOf(Scheduler scheduler) {
        CountDownLatch isBlocked = new CountDownLatch(1);
        scheduler.spin("blocker", () -> blockIn(isBlocked));
        Runs.await(isBlocked);
    }

    /** Returns when the thread is bound; its body blocks it. */
    Thread bind(Scheduler scheduler) {
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
