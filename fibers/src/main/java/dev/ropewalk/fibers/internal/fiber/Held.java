package dev.ropewalk.fibers.internal.fiber;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * One thing that a fiber holds, in the list of that fiber: a lock, a ticket, a loan.
 *
 * <p>Confined to the holder's cord.
 */
public interface Held {
    @Nullable Held next();

    void next(@Nullable Held other);

    /** False if it stands in the list and counts for nothing now. */
    boolean isHeld();

    /** The reason for which fibers that wait for the holder are parked. */
    List<?> awaitedAs();

    /** The holder is dead: reports it, and gives the thing back. */
    void holderDied(FiberImpl<?> dead);

    /** Takes all that the dead fiber held out of its list, and gives it back. */
    static void giveBackAll(FiberImpl<?> dead) {
        for (Held each = dead.held; each != null; each = dead.held) {
            dead.held = each.next();
            each.next(null);
            try {
                each.holderDied(dead);
            } catch (Throwable broken) {
                dead.cord.reportUncaught(dead, broken);
            }
        }
    }
}
