package dev.ropewalk.fibers.sync;

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
}
