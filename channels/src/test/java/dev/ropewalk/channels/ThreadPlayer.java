package dev.ropewalk.channels;

import dev.ropewalk.fibers.WaitInterruptedException;

import java.util.concurrent.Callable;

/** A player that is a plain thread. */
final class ThreadPlayer<T> extends Player<T> {
    private final Thread thread;

    ThreadPlayer(String name, Callable<T> body) {
        super(body);
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::play);
    }

    void start() {
        thread.start();
    }

    @Override
    void terminate() {
        thread.interrupt();
    }

    @Override
    boolean awaitEnd() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(this + " did not end in time", e);
        }
        return thrown() instanceof WaitInterruptedException;
    }

    @Override
    public String toString() {
        return thread.toString();
    }
}
