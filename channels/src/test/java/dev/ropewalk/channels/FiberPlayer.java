package dev.ropewalk.channels;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;

import java.util.concurrent.Callable;

/** A player that is a fiber. */
final class FiberPlayer<T> extends Player<T> {
    private final Fiber<?> fiber;

    FiberPlayer(Cord cord, String name, Callable<T> body) {
        super(body);
        this.fiber = cord.spin(name, this::play);
    }

    @Override
    void terminate() {
        fiber.terminate();
    }

    @Override
    boolean awaitEnd() {
        try {
            fiber.await();
            return false;
        } catch (FiberTerminatedException e) {
            return true;
        }
    }

    @Override
    public String toString() {
        return fiber.toString();
    }
}
