package dev.ropewalk.fibers.sync;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Callable;

/** The two forms of everything here: the same contract is tested for both. */
enum Form {
    LOCAL,
    SHARED;

    Semaphore semaphore(int permits, int bound) {
        return this == LOCAL ? Semaphore.local(permits, bound) : Semaphore.shared(permits, bound);
    }

    ReadWriteLock readWriteLock() {
        return this == LOCAL ? ReadWriteLock.local() : ReadWriteLock.shared();
    }

    Event event() {
        return this == LOCAL ? Event.local() : Event.shared();
    }

    Event manualEvent() {
        return this == LOCAL ? Event.localManual() : Event.sharedManual();
    }

    <T extends @Nullable Object> Once<T> once(Callable<? extends T> block) {
        return this == LOCAL ? Once.<T>local(block) : Once.<T>shared(block);
    }
}
