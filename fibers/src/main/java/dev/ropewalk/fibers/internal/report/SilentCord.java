package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.GuardedWait;
import dev.ropewalk.fibers.internal.fiber.WaitKind;
import dev.ropewalk.fibers.internal.watch.StuckEpisode;
import dev.ropewalk.fibers.internal.watch.Ticker;
import dev.ropewalk.fibers.observe.WatchdogHandler;
import dev.ropewalk.fibers.observe.WatchdogReport;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * Whether a cord on which nothing can run waits for itself: all its fibers, its root among them,
 * are in waits that only fibers of the cord can end (rule F9): the end of one of them, a channel,
 * lock or the like that is confined to the cord, the fibers of a scope.
 *
 * <p>Only a thread that spins a fiber here, or posts a message, can wake such a cord. It cannot be
 * known whether that will happen, so the cord is reported and not ended.
 *
 * <p>The check ends at the first wait that others can end, which for most cords is that of the
 * root, and gives up where there are very many, because the next message waits for it.
 */
public final class SilentCord {
    private static final int MAX_SEARCHED = 10_000;

    private SilentCord() {}

    /**
     * Whether it is worth a check later: not, for instance, for a cord that serves others. Asked
     * before each sleep, so it reads no other fiber.
     */
    public static boolean mayBeOn(CordImpl cord) {
        FiberImpl<?> root = cord.root();
        return root.awaited() != null
                || (root.waitReason() instanceof GuardedWait here && here.isLocal())
                || root.waitReason() instanceof WaitCycle.Several;
    }

    /** On the cord, when it has had nothing to do for a while. */
    public static void report(CordImpl cord, Duration time) {
        try {
            if (isClosed(cord)) {
                WatchdogReport report =
                        new WatchdogReport.AllWait(cord, time, DeadlockReport.waitsOn(cord));
                WatchdogHandler handler = cord.options.watch().stuckHandler();
                Ticker.INSTANCE.report(() -> StuckEpisode.tell(handler, report));
            }
        } catch (VirtualMachineError full) {
            // It was a check and no more; the cord goes on.
        }
    }

    private static boolean isClosed(CordImpl cord) {
        if (cord.roster.hasForeignChildrenOf(cord.root())) {
            return false; // their parents are elsewhere, and may end them
        }
        @Nullable FiberImpl<?> each = cord.root();
        for (int seen = 0; each != null; seen++) {
            if (seen == MAX_SEARCHED || !isClosed(each, cord)) {
                return false;
            }
            each = after(each);
        }
        return true;
    }

    /** The next one of the tree; null after the last. */
    private static @Nullable FiberImpl<?> after(FiberImpl<?> fiber) {
        FiberImpl<?> child = fiber.firstChild();
        if (child != null) {
            return child;
        }
        FiberImpl<?> up = fiber;
        while (up != null && up.nextSibling == null) {
            up = up.parentOrNull();
        }
        return up == null ? null : up.nextSibling;
    }

    private static boolean isClosed(FiberImpl<?> fiber, CordImpl cord) {
        boolean isHere = isHere(fiber, cord);
        if (!isHere
                || fiber.rawState() != FiberImpl.WAITING
                || fiber.waitKind() != WaitKind.LIBRARY) {
            return false;
        }
        FiberImpl<?> awaited = fiber.awaited();
        if (awaited != null) {
            return isHere(awaited, cord);
        }
        Object reason = fiber.waitReason();
        return (reason instanceof GuardedWait here && here.isLocal())
                || (reason instanceof WaitCycle.Several several
                        && several.fibers().stream()
                                .allMatch(each -> isHere(FiberImpl.of(each), cord)));
    }

    private static boolean isHere(FiberImpl<?> fiber, CordImpl cord) {
        return fiber.cordOrNull() == cord;
    }
}
