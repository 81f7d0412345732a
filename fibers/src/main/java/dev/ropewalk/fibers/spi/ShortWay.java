package dev.ropewalk.fibers.spi;

import dev.ropewalk.fibers.internal.cord.FiberLoop;

/**
 * The short way of a call that may wait and need not, at an object of one cord: the call asks once
 * whether it may go on, and does one step if so, past {@link Exclusion#enterAtSwitchpoint}. A cord
 * has one; {@link Exclusion#shortWay} hands it out.
 */
public final class ShortWay {
    private final FiberLoop loop;

    ShortWay(FiberLoop loop) {
        this.loop = loop;
    }

    /**
     * {@return whether the calling thread is the cord, and a switchpoint would do nothing now} The
     * caller then takes or gives in one step, with no {@link Exclusion#enter} and no {@link
     * Exclusion#exit}. False says nothing: the call goes the long way, which begins with a
     * switchpoint, and throws what there is to throw.
     */
    public boolean isOpen() {
        return loop.isCurrent() && loop.isPastSwitchpoint();
    }
}
