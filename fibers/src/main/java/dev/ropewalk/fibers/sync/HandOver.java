package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Supplier;

/**
 * A permit or an entry that was taken for a fiber which is yet to be spun: it goes back when the
 * fiber is over, however it ended, even if it was ended before it began; or at once if there is no
 * fiber.
 */
final class HandOver {
    private final Runnable giveBack;

    /** Where it has to be given back; null for anywhere. */
    private final @Nullable Cord home;

    private HandOver(Runnable giveBack, @Nullable Cord home) {
        this.giveBack = giveBack;
        this.home = home;
    }

    static <F extends Fiber<?>> F toNew(
            Supplier<? extends F> spin, Runnable giveBack, boolean isLocal) {
        HandOver handOver = new HandOver(giveBack, isLocal ? Cord.current() : null);
        F fiber;
        try {
            fiber = Objects.requireNonNull(spin.get(), "spin returned no fiber");
        } catch (Throwable refused) {
            giveBack.run();
            throw refused;
        }
        fiber.onEnd(over -> handOver.ended());
        return fiber;
    }

    /** As no fiber, on the cord of the one that is over. */
    private void ended() {
        if (home == null || home.isCurrent()) {
            giveBack.run();
        } else {
            home.post(new GoHome(giveBack));
        }
    }

    private static final class GoHome extends CordMessage {
        private final Runnable giveBack;

        GoHome(Runnable giveBack) {
            this.giveBack = giveBack;
        }

        @Override
        public void onCord() {
            giveBack.run();
        }

        @Override
        public void onClosed() {
            // All that could wait for it ended with that cord.
        }
    }
}
