package dev.ropewalk.fibers.internal.platform;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Virtual time that jumps to the next timer when nothing is runnable, and a seeded order of the run
 * queue: the same program and seed run the same way twice.
 */
public final class VirtualPlatform implements Platform {
    private final SplittableRandom random;
    private final boolean orderSeeded;
    private final boolean inTurns;
    private final VirtualTime time;
    private final List<Runnable> atClose = new ArrayList<>();

    /** Starts the clock at a random instant near overflow or far from it, so that misuse shows. */
    public VirtualPlatform(long seed, boolean orderSeeded) {
        this.random = new SplittableRandom(seed);
        this.orderSeeded = orderSeeded;
        this.inTurns = false;
        this.time = new VirtualTime(random.nextLong());
    }

    /** Of a cord that shares its thread and its time with others. */
    public VirtualPlatform(SplittableRandom random, boolean orderSeeded, VirtualTime time) {
        this.random = random;
        this.orderSeeded = orderSeeded;
        this.inTurns = true;
        this.time = time;
    }

    @Override
    public long nanoTime() {
        return time.nanoTime();
    }

    @Override
    public int nextInt(int bound) {
        return random.nextInt(bound);
    }

    @Override
    public boolean isOrderSeeded() {
        return orderSeeded;
    }

    @Override
    public boolean isInTurns() {
        return inTurns;
    }

    @Override
    public boolean isVirtual() {
        return true;
    }

    @Override
    public void park(boolean timed, long deadlineNs, BooleanSupplier hasWork) {
        if (timed) {
            time.moveOnTo(deadlineNs);
        }
    }

    @Override
    public void wakeUp() {
        // Never parked.
    }

    /** The same object for all cords that share it: networks in memory between cords hang on it. */
    public VirtualTime time() {
        return time;
    }

    /** Runs when the cord has ended, as on a plain thread. */
    public void atClose(Runnable action) {
        atClose.add(action);
    }

    @Override
    public void close() {
        atClose.forEach(Runnable::run);
    }
}
