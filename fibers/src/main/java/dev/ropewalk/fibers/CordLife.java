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

    /** Made at once, because there is no memory for it when it is needed. */
    private final byte[] noMemory;

    /** Null if it has none of its own. */
    volatile @Nullable Thread ownThread;

    /** Somebody has the root's outcome, so its failure is told to nobody else. */
    private volatile boolean isRootTaken;

    CordLife(
            CordOptions options,
            Platform platform,
            @Nullable Callable<?> body,
            @Nullable Scheduler scheduler) {
        super(options, platform, body, scheduler);
        this.noMemory =
                MemoryReserve.line(
                        this
                                + " broke: java.lang.OutOfMemoryError; its fibers are lost. Bound"
                                + " what they hold, or how many they are:"
                                + " CordOptions.withMaxFibers");
        MemoryReserve.refill();
    }

    // ---------------------------------------------------------------- its life

    /** The whole life of a cord that has its thread for itself. */
    final void loop() {
        try {
            runFibers();
        } catch (OutOfMemoryError full) {
            breakWithoutMemory(full);
            if (ownThread == null) {
                throw full; // to the caller of run
            }
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "{} broke; its fibers are lost", this);
            loseAll("its cord broke: " + broken);
            throw broken;
        } finally {
            end();
        }
    }

    /**
     * First what needs no memory: the line on stderr, and to give back what the fibers held on
     * their stacks. Then there is some again, but others of the process may take it.
     */
    private void breakWithoutMemory(OutOfMemoryError full) {
        MemoryReserve.tell(noMemory);
        dropAllStacks();
        MemoryReserve.release();
        boolean isTold = false;
        for (int i = 0; i < FiberLife.MAX_TRIES && !isTold; i++) {
            try {
                loseAll("its cord broke: " + full);
                isTold = true;
                tellLog(full);
            } catch (Throwable again) { // the JVM may hide what failed in an error of its own
                Thread.onSpinWait(); // those that are lost already have given back theirs
            }
        }
        MemoryReserve.refill();
    }

    /** Not where the log is stderr too, which has its line. */
    private void tellLog(OutOfMemoryError full) {
        if (!LogProviders.areMissing()) {
            Logs.tellBroken(LOG, full, "{} broke; its fibers are lost", this);
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
                platform.close();
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
        Logs.tellBroken(LOG, why, "{} broke; its fibers are lost", this);
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
