package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.util.concurrent.Callable;

/**
 * How a cord ends, and whom it tells.
 *
 * <p>Confined to the cord, but for what says otherwise.
 */
abstract sealed class CordLife extends CordFibers permits Cord {
    private static final Logger LOG = Logs.logger(Cord.class);

    final CordEnd end = new CordEnd();

    /** Null if it has none of its own. */
    volatile @Nullable Thread ownThread;

    /** Somebody has the root's outcome, so its failure is told to nobody else. */
    private volatile boolean isRootTaken;

    CordLife(
            CordOptions options,
            Seam seam,
            @Nullable Callable<?> body,
            @Nullable Scheduler scheduler) {
        super(options, seam, body, scheduler);
    }

    // ---------------------------------------------------------------- its life

    /** The whole life of a cord that has its thread for itself. */
    final void loop() {
        try {
            runFibers();
        } catch (Throwable broken) {
            LOG.error("{} broke; its fibers are lost", this, broken);
            loseAll("its cord broke: " + broken);
            throw broken;
        } finally {
            end();
        }
    }

    private void end() {
        try {
            stopRunning();
        } finally {
            try {
                if (tasks != null) {
                    tasks.scheduler.leave(tasks);
                }
            } finally {
                tellEnd();
            }
        }
    }

    private void tellEnd() {
        try {
            refuseHeld();
            inbox.close();
        } finally {
            try {
                seam.close();
            } finally {
                reportRoot();
                end.tell();
            }
        }
    }

    /** The last moment at which somebody could have begun to await a root that no fiber spun. */
    private void reportRoot() {
        Outcome<?> outcome = root.outcome();
        if (ownThread != null && outcome != null && !isRootTaken) {
            FiberFailedException untaken = outcome.untaken(root);
            if (untaken != null) {
                reportUntaken(root, untaken);
            }
        }
    }

    /** Somebody has the outcome of the fiber; from any thread. */
    void noteTaken(Fiber<?> fiber) {
        if (fiber == root) {
            isRootTaken = true;
        }
    }

    /** It has come to its end, and nobody is current. */
    void endInTurns() {
        try {
            if (Checks.ON) {
                checkInvariants();
            }
        } finally {
            end();
        }
    }

    /** It broke, or nothing on it can ever run again. */
    void breakInTurns(Throwable why) {
        LOG.error("{} broke; its fibers are lost", this, why);
        try {
            asCurrent(() -> loseAll("its cord broke: " + why));
        } finally {
            end();
        }
    }

    // ---------------------------------------------------------------- reports

    long stopLimitNs() {
        return Waits.nanos(options.stopLimit());
    }

    /** What neither awaiter nor parent takes; that a fiber was abandoned has been reported then. */
    void reportUntaken(Fiber<?> fiber, FiberFailedException untaken) {
        if (!(untaken instanceof FiberAbandonedException)) {
            reportUncaught(fiber, untaken);
        }
    }

    void reportUncaught(Fiber<?> fiber, Throwable failure) {
        if (tasks != null && failure instanceof FiberAbandonedException) {
            tasks.scheduler.noteAbandoned(fiber);
        }
        try {
            options.uncaught().uncaught(fiber, failure);
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "the uncaught handler of {} failed for {}", this, fiber);
        }
    }

    final void checkInvariants() {
        checkFibers();
    }
}
