package dev.ropewalk.benchmarks.system.ropewalk;

import dev.ropewalk.benchmarks.scenario.Guarded;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.sync.Semaphore;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Ropewalk's locks, in the form of one cord and in that of any. */
final class RopewalkLocks {
    private RopewalkLocks() {}

    static Map<String, Program> local() {
        return Map.of(
                "semaphore", n -> Cord.<Long>run(() -> semaphore(n, Semaphore.local(1))),
                "event", n -> Cord.<Long>run(() -> event(n, Event.local())),
                "mutex_busy", n -> Cord.<Long>run(() -> busy(n, Mutex.local())));
    }

    static Map<String, Program> shared() {
        return Map.of(
                "semaphore", n -> Cord.<Long>run(() -> semaphore(n, Semaphore.shared(1))),
                "event", n -> Cord.<Long>run(() -> event(n, Event.shared())),
                "mutex_busy", n -> Cord.<Long>run(() -> busy(n, Mutex.shared())));
    }

    private static long semaphore(long n, Semaphore semaphore) {
        Guarded guarded = new Guarded();
        for (long i = 0; i < n; i++) {
            semaphore.acquire();
            guarded.add();
            semaphore.release();
        }
        return guarded.count();
    }

    private static long event(long n, Event event) {
        Guarded guarded = new Guarded();
        for (long i = 0; i < n; i++) {
            event.signal();
            event.await();
            guarded.add();
        }
        return guarded.count();
    }

    /** The one that has it lets the others come to wait for it; from then on it is handed on. */
    private static long busy(long n, Mutex mutex) {
        Guarded guarded = new Guarded();
        List<Fiber<?>> fibers = new ArrayList<>();
        for (int i = 0; i < Sizes.FEW; i++) {
            fibers.add(
                    Fiber.spin(
                            () -> {
                                for (long k = 0; k < n / Sizes.FEW; k++) {
                                    mutex.lock();
                                    if (guarded.count() == 0) {
                                        Fiber.snooze();
                                    }
                                    guarded.add();
                                    mutex.unlock();
                                }
                            }));
        }
        fibers.forEach(Fiber::await);
        return guarded.count();
    }
}
