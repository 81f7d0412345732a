package dev.ropewalk.channels;

import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** A channel confined to the cord that made it: nothing to lock, but the caller is checked. */
final class LocalChannel<E> extends QueueChannel<E> {
    private final Cord cord = Cord.current();

    LocalChannel(int capacity, @Nullable Consumer<? super E> undelivered) {
        super(capacity, undelivered);
    }

    @Override
    void enter() {
        if (!cord.isCurrent()) {
            throw new WrongThreadException(
                    this
                            + " belongs to "
                            + cord
                            + " but was used by "
                            + Thread.currentThread()
                            + "; make it with Channel.rendezvous() or Channel.buffered(n) to use it"
                            + " from other cords and threads");
        }
    }

    @Override
    void exit() {
        // Nothing was locked.
    }

    @Override
    Party<E> party(@Nullable E element) {
        return new Party.Local<>(element);
    }

    @Override
    public String toString() {
        return describe("local");
    }
}
