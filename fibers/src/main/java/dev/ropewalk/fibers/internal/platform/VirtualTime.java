package dev.ropewalk.fibers.internal.platform;

/** A clock that stands still until it is moved on; one for all cords that share it. */
public final class VirtualTime {
    private volatile long nowNs;

    public VirtualTime(long nowNs) {
        this.nowNs = nowNs;
    }

    long nanoTime() {
        return nowNs;
    }

    /** No effect if it is that late already. */
    public void moveOnTo(long instantNs) {
        if (instantNs - nowNs > 0) {
            nowNs = instantNs;
        }
    }
}
