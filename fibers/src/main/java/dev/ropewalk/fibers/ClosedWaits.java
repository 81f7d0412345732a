package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * Whether a cord on which nothing can run waits for itself: all its fibers, its root among them,
 * wait for what only fibers of the cord can end (rule F9): the end of one of them, a channel, lock
 * or the like that is confined to the cord, the fibers of a scope.
 *
 * <p>Only a thread that spins a fiber here, or posts a message, can wake such a cord. Whether there
 * will be one nobody knows, so it is reported and not ended.
 */
final class ClosedWaits {
    private ClosedWaits() {}

    /** On the cord, when it has had nothing to do for a while. */
    static void report(Cord cord, Duration time) {
        List<Fiber<?>> all = cord.fibers();
        for (Fiber<?> each : all) {
            if (each.outcome() == null && !isClosed(each, cord)) {
                return;
            }
        }
        StuckReport report = new StuckReport.AllWait(cord, time, DeadlockReport.waitsOn(cord));
        StuckHandler handler = cord.options.watch().stuckHandler();
        Ticker.INSTANCE.report(() -> StuckEpisode.tell(handler, report));
    }

    private static boolean isClosed(Fiber<?> fiber, Cord cord) {
        if (fiber.rawState() != FiberCore.WAITING || fiber.waitKind() != WaitKind.LIBRARY) {
            return false;
        }
        Fiber<?> awaited = fiber.awaited();
        if (awaited != null) {
            return isHere(awaited, cord);
        }
        @Nullable Object reason = fiber.waitReason();
        return reason instanceof Party.Local<?>
                || (reason instanceof WaitCycle.Several several
                        && several.fibers().stream().allMatch(each -> isHere(each, cord)));
    }

    private static boolean isHere(Fiber<?> fiber, Cord cord) {
        return fiber.cordOrNull() == cord;
    }
}
