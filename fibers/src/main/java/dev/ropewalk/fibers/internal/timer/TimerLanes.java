package dev.ropewalk.fibers.internal.timer;

import org.jspecify.annotations.Nullable;

/**
 * The last timer of each lane, so that a new one can stand behind it; confined to the cord.
 *
 * <p>A time limit hashes to a lane. Two limits may share a lane without harm: a timer that is
 * earlier than the last of its lane begins a new chain, in the heap, and later timers that are not
 * earlier than that one follow it.
 */
final class TimerLanes {
    /** Of 100 limits in use, five share a lane with another, at 4 KB for a cord. */
    private static final int BITS = 10;

    /** Spreads limits that are round numbers: the golden ratio, as Fibonacci hashing has it. */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    /** May hold one that is over, or one that could not be queued: no other is put behind it. */
    private final @Nullable Timer[] last = new @Nullable Timer[1 << BITS];

    /** Puts the timer behind the last one of its lane; false if it has to go into the heap. */
    boolean append(Timer timer, long limitNs) {
        int lane = (int) ((limitNs * SPREAD) >>> (Long.SIZE - BITS));
        Timer before = last[lane];
        last[lane] = timer;
        if (before == null || !before.isQueued || before.deadlineNs - timer.deadlineNs > 0) {
            return false;
        }
        before.next = timer;
        timer.isQueued = true;
        return true;
    }
}
