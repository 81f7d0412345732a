package dev.ropewalk.channels;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** A channel for any cord and thread: one short lock per operation (rule C3). */
final class SharedChannel<E> extends QueueChannel<E> {
    private final ReentrantLock lock = new ReentrantLock();

    SharedChannel(int capacity, @Nullable Consumer<? super E> undelivered) {
        super(capacity, undelivered);
    }

    @Override
    void enter() {
        lock.lock();
    }

    @Override
    void exit() {
        lock.unlock();
    }

    @Override
    Party<E> party(@Nullable E element) {
        return new Party.Shared<>(element);
    }

    @Override
    public String toString() {
        return describe("shared");
    }
}
