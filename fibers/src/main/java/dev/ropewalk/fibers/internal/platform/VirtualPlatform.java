package dev.ropewalk.fibers.internal.platform;

import org.jspecify.annotations.Nullable;

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

    /** Null while the clock of the cord is that of all. */
    private @Nullable ClockRate rate;

    private boolean isKilled;

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
        return rate == null ? time.nanoTime() : rate.ownAt(time.nanoTime());
    }

    /** From now on; 1,000,000 is the rate of the time that the cords share. */
    public void rate(long millionths) {
        rate = new ClockRate(time.nanoTime(), nanoTime(), millionths);
    }

    /** The shared time at which the clock of this cord shows that instant. */
    public long sharedTimeAt(long ownInstantNs) {
        return rate == null ? ownInstantNs : rate.sharedAt(ownInstantNs);
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
        Long event = time.nextEventNs();
        if (event != null && (!timed || event - sharedTimeAt(deadlineNs) <= 0)) {
            time.moveOnTo(event);
        } else if (timed) {
            time.moveOnTo(sharedTimeAt(deadlineNs));
        }
    }

    @Override
    public boolean isAnyEventToCome() {
        return time.nextEventNs() != null;
    }

    @Override
    public void wakeUp() {
        // Never parked.
    }

    /** The same object for all cords that share it. */
    public VirtualTime time() {
        return time;
    }

    /** Its cord takes no turn any more, and nothing of it is told. */
    public void kill() {
        isKilled = true;
    }

    public boolean isKilled() {
        return isKilled;
    }

    /** Runs when the cord has ended, as on a plain thread. */
    public void atClose(Runnable action) {
        atClose.add(action);
    }

    @Override
    public void close() {
        List<Runnable> actions = List.copyOf(atClose);
        atClose.clear();
        actions.forEach(Runnable::run);
    }
}
