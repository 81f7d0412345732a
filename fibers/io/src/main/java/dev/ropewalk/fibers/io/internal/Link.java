package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.internal.io.CordIo.SharedTimer;

import java.util.ArrayList;
import java.util.List;

/**
 * The way from one host to another, or within one: how long things are on it, and whether it is
 * cut. The one owner of what is held up by a cut. Used between turns, and in any cord's turn.
 */
final class Link {
    private final Network network;
    private final SharedTimer timer;

    /** Sent again at the heal, as TCP does. */
    private final List<Runnable> held = new ArrayList<>();

    private boolean isCut;

    /** The times of this link alone. */
    private boolean hasDelay;

    private long minDelayNs;
    private long maxDelayNs;

    Link(Network network, SharedTimer timer) {
        this.network = network;
        this.timer = timer;
    }

    void delay(long minNs, long maxNs) {
        hasDelay = true;
        minDelayNs = minNs;
        maxDelayNs = maxNs;
    }

    long drawDelayNs() {
        return hasDelay ? network.draw(minDelayNs, maxDelayNs) : network.drawDelayNs();
    }

    /** Arrives some time later, after a cut if there is one. */
    void carry(Runnable arrival) {
        if (isCut) {
            held.add(arrival);
            return;
        }
        after(
                drawDelayNs(),
                () -> {
                    if (isCut) {
                        held.add(arrival);
                    } else {
                        arrival.run();
                    }
                });
    }

    /** Arrives at once, or after a cut. */
    void carryNow(Runnable arrival) {
        if (isCut) {
            held.add(arrival);
        } else {
            arrival.run();
        }
    }

    /** Arrives after that time, unless the link is cut now or then. */
    void carryOnce(long delayNs, Runnable arrival) {
        if (!isCut) {
            after(
                    delayNs,
                    () -> {
                        if (!isCut) {
                            arrival.run();
                        }
                    });
        }
    }

    private void after(long delayNs, Runnable action) {
        if (delayNs == 0) {
            action.run();
        } else {
            timer.after(delayNs, action);
        }
    }

    void cut() {
        isCut = true;
    }

    void heal() {
        isCut = false;
        List<Runnable> again = List.copyOf(held);
        held.clear();
        again.forEach(this::carry);
    }
}
