package dev.ropewalk.channels.broadcast;

import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.WaitNode;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The work that one guarded section leaves to be done outside the guard: to wake, and to tell
 * hooks.
 */
final class Deliveries {
    private static final Log LOG = Logs.logger(Deliveries.class);

    private final List<WaitNode<?>> toWake = new ArrayList<>();
    private final List<Runnable> toTell = new ArrayList<>();

    void wake(WaitNode<?> claimed) {
        toWake.add(claimed);
    }

    <E> void lost(E element, Consumer<? super E> hook) {
        toTell.add(() -> hook.accept(element));
    }

    void tell(Runnable watcher) {
        toTell.add(watcher);
    }

    /**
     * The same for a caller that has received: another caller's send displaced the element, so an
     * exception of its hook is reported, and the received element is not lost.
     */
    void carryOutBeside(Object received) {
        try {
            carryOut();
        } catch (RuntimeException | Error hook) {
            Logs.tellBroken(
                    LOG, hook, "an undelivered hook failed beside a receive of {}", received);
        }
    }

    /** All of it, even if a hook throws in between; the first failure is thrown. */
    void carryOut() {
        toWake.forEach(WaitNode::wake);
        Throwable first = null;
        for (Runnable each : toTell) {
            try {
                each.run();
            } catch (RuntimeException | Error e) {
                if (first == null) {
                    first = e;
                } else if (first != e) {
                    first.addSuppressed(e);
                }
            }
        }
        if (first instanceof RuntimeException e) {
            throw e;
        }
        if (first instanceof Error e) {
            throw e;
        }
    }
}
