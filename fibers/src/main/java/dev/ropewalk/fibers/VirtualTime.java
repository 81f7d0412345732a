package dev.ropewalk.fibers;

/** A clock that stands still until it is moved on; one for all cords that share it. */
final class VirtualTime {
    private volatile long nowNs;

    VirtualTime(long nowNs) {
        this.nowNs = nowNs;
    }

    long nanoTime() {
        return nowNs;
    }

    /** No effect if it is that late already. */
    void moveOnTo(long instantNs) {
        if (instantNs - nowNs > 0) {
            nowNs = instantNs;
        }
    }
}
