package dev.ropewalk.fibers.internal.cord;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers for fibers, unique in the process and never used again.
 *
 * <p>A cord takes them in blocks: one atomic addition for each fiber took nearly half of the time
 * in which a fiber is started and ends. Confined to the cord.
 */
public final class Ids {
    private static final int IDS_PER_BLOCK = 64;

    private static final AtomicLong NEXT = new AtomicLong(1);

    private long next;
    private long end;

    public long next() {
        if (next == end) {
            next = NEXT.getAndAdd(IDS_PER_BLOCK);
            end = next + IDS_PER_BLOCK;
        }
        return next++;
    }

    /** From any thread. */
    public static long nextOfAny() {
        return NEXT.getAndIncrement();
    }
}
