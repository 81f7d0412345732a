package dev.ropewalk.fibers.internal.stack;

/**
 * Sees whether the stack has room for a hand-over of the baton, which must not end half way: then
 * two threads would be the cord, or none.
 *
 * <p>It goes down as far as the calls of a hand-over may, with those of the JDK that wake a thread,
 * start one and park, and comes back; so a stack that is full fails here, where nothing has
 * happened yet. Frames are made large without being written to: each has the place for the
 * arguments of a call that it makes one time in {@link #SELDOM}. To write that much would take 100
 * ns in place of 25.
 *
 * <p>Rejected: to undo what was done, because that takes calls too, and the thread that got the
 * baton cannot be asked to give it back.
 */
public final class StackRoom {
    /** Some 100 bytes each, 3 KiB in all, of compiled code. */
    private static final int LEVELS = 32;

    private static final int SELDOM = 1_024;

    /** Wrong counts do no harm, so it is shared by all threads. */
    private static int calls;

    private StackRoom() {}

    /**
     * Returns if there is room.
     *
     * @throws StackOverflowError if there is none
     */
    public static void check() {
        down(LEVELS);
    }

    private static long down(int level) {
        long below = level == 0 ? 0 : down(level - 1);
        if (++calls % SELDOM == 0) {
            long n = below;
            below =
                    wide(
                            n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n,
                            n, n);
        }
        return below;
    }

    private static long wide(
            long a,
            long b,
            long c,
            long d,
            long e,
            long f,
            long g,
            long h,
            long i,
            long j,
            long k,
            long l,
            long m,
            long n,
            long o,
            long p,
            long q,
            long r,
            long s,
            long t,
            long u,
            long v,
            long w,
            long x,
            long y,
            long z) {
        return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t + u + v
                + w + x + y + z;
    }
}
