package dev.ropewalk.fibers;

import java.util.concurrent.atomic.AtomicLong;

/** Numbers for fibers, unique in the process and never used again. */
final class Ids {
    private static final AtomicLong NEXT = new AtomicLong(1);

    private Ids() {}

    static long next() {
        return NEXT.getAndIncrement();
    }
}
