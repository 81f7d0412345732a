package dev.ropewalk.fibers.testing;

import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.UncaughtHandler;
import dev.ropewalk.fibers.internal.boot.CordStarter;
import dev.ropewalk.fibers.internal.boot.TurnDriver;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.platform.VirtualPlatform;
import dev.ropewalk.fibers.internal.timer.Timer;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Callable;

/** One cord of a run as its driver sees it: whether it may have a turn, and when the next. */
final class DrivenCord {
    final CordImpl cord;
    final TurnDriver turns;
    private final VirtualPlatform platform;

    /** It is frozen until the thaw, in the time of the driver. */
    private boolean isFrozen;

    private long thawNs;

    DrivenCord(CordOptions options, VirtualPlatform platform, @Nullable Callable<?> body) {
        UncaughtHandler uncaught = options.uncaught();
        CordOptions own =
                options.withUncaught(
                        (fiber, failure) -> {
                            if (!platform.isKilled()) { // otherwise no code of it runs
                                uncaught.uncaught(fiber, failure);
                            }
                        });
        this.platform = platform;
        this.turns = CordStarter.inTurns(own, platform, body);
        this.cord = turns.cord;
    }

    boolean hasTurn() {
        return !isFrozen && turns.hasTurn();
    }

    /** The shared time at which it has something to do; null without a timer. */
    @Nullable Long nextNs() {
        if (isFrozen) {
            return thawNs;
        }
        Timer next = cord.timers.earliest();
        return next == null ? null : (Long) platform.sharedTimeAt(next.deadlineNs);
    }

    /** A thaw that is later already stays. */
    void freezeUntil(long instantNs) {
        if (!isFrozen || instantNs - thawNs > 0) {
            isFrozen = true;
            thawNs = instantNs;
        }
    }

    void thawIfDue(long nowNs) {
        isFrozen &= thawNs - nowNs > 0;
    }

    void rate(long millionths) {
        platform.rate(millionths);
    }

    void kill() {
        platform.kill();
        turns.kill();
    }
}
