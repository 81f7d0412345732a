package dev.ropewalk.fibers.internal.boot;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.LogProviders;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.MemoryReserve;
import dev.ropewalk.fibers.internal.watch.Alarms;

/**
 * The life of a cord that has its thread to itself: it runs, perhaps breaks, and ends.
 *
 * <p>Confined to the cord's thread.
 */
final class ThreadDriver implements Runnable {
    private static final Log LOG = Logs.logger(Cord.class);

    private final CordImpl cord;

    /** Made at once, because there is no memory for it when it is needed. */
    private final byte[] noMemory;

    ThreadDriver(CordImpl cord) {
        this.cord = cord;
        this.noMemory =
                MemoryReserve.line(
                        cord
                                + " broke: java.lang.OutOfMemoryError; its fibers are lost. Bound"
                                + " what they hold, or how many they are:"
                                + " CordOptions.withMaxFibers");
        MemoryReserve.refill();
        Abandonment.load();
    }

    /** Returns when the cord has ended. */
    @Override
    public void run() {
        try {
            cord.loop.run();
        } catch (OutOfMemoryError full) {
            breakWithoutMemory(full);
            if (cord.ownThread == null) {
                throw full; // to the caller of run
            }
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "{} broke; its fibers are lost", cord);
            try {
                Alarms.broke(cord, broken);
            } finally {
                cord.roster.loseAll("its cord broke: " + broken); // whatever a dump needs
            }
            throw broken;
        } finally {
            cord.end();
        }
    }

    /**
     * First what needs no memory: the line on stderr, and to give back what the fibers held on
     * their stacks. Then there is some again, but others of the process may take it.
     */
    private void breakWithoutMemory(OutOfMemoryError full) {
        MemoryReserve.tell(noMemory);
        cord.roster.dropAllStacks();
        MemoryReserve.release();
        boolean isTold = false;
        for (int i = 0; i < Abandonment.MAX_TRIES && !isTold; i++) {
            try {
                cord.roster.loseAll("its cord broke: " + full);
                isTold = true;
                tellLog(full);
                Alarms.broke(cord, full);
            } catch (Throwable again) { // the JVM may hide what failed in an error of its own
                Thread.onSpinWait(); // those that are lost already have given back theirs
            }
        }
        MemoryReserve.refill();
    }

    /** Not where the log is stderr too, which has its line. */
    private void tellLog(OutOfMemoryError full) {
        if (!LogProviders.areMissing()) {
            Logs.tellBroken(LOG, full, "{} broke; its fibers are lost", cord);
        }
    }
}
