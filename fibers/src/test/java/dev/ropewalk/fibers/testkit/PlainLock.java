package dev.ropewalk.fibers.testkit;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Hold;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A lock as users might build it, which says who holds it but not before a wait: circles of it
 * close, and stand in reports and dumps.
 */
public final class PlainLock extends Hold {
    private @Nullable Fiber<?> holder;
    private long wanted = -1;
    private @Nullable Fiber<?> waiting;

    public void run(Action action) throws Exception {
        lock();
        try {
            action.run();
        } finally {
            letGo(Fiber.current());
            holder = null;
            if (waiting != null) {
                Waits.resume(waiting, wanted, null);
            }
        }
    }

    public void lock() {
        Fiber<?> me = Fiber.current();
        while (holder != null) {
            wanted = Waits.nextNumber();
            waiting = me;
            Waits.park(this);
        }
        holder = me;
        hold(me);
    }

    public boolean isLocked() {
        return holder != null;
    }

    @Override
    protected void onHolderDead(Fiber<?> dead) {
        holder = null;
    }

    @Override
    protected List<?> awaitedAs() {
        return List.of(this);
    }

    @Override
    public String toString() {
        return "plain lock";
    }
}
