package dev.ropewalk.actors.internal.mailbox;

import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/**
 * An actor's queued messages, confined to the actor's cord. Its growth is reported from {@value
 * #REPORT_FROM} messages on, once for each doubling. The order is that of the arrival, or that of
 * priorities.
 *
 * <p>Postponed messages are out of the order until they come again: then they are the oldest.
 */
public abstract sealed class Mailbox permits FifoMailbox, RankedMailbox {
    static final int REPORT_FROM = 1 << 20;

    private static final Log LOG = Logs.logger(Mailbox.class);

    private final Object owner;

    /** More than this are too many, not counting those that are exempt. */
    private final int maxQueued;

    /** How many of all cannot be dropped: a stop, and what was put back. */
    private int exempt;

    /** How many ever came to the end of it. */
    private long arrived;

    /** Of the cord, when the last mark was made. */
    private long lastTick = -1;

    /** When the oldest tick of those began whose items are here; some are here. */
    private long firstNs;

    /** Null until items of several ticks are here. */
    private @Nullable Ages ages;

    /** Oldest first; null until a message is postponed. */
    private @Nullable ArrayDeque<Object> postponed;

    Mailbox(Object owner, int maxQueued) {
        this.owner = owner;
        this.maxQueued = maxQueued;
    }

    /**
     * An empty one. This method decides which kind it is.
     *
     * @param owner what its reports call it
     * @param isRanked whether items come out by their priority
     * @param maxQueued more are too many
     */
    public static Mailbox of(Object owner, boolean isRanked, int maxQueued) {
        return isRanked ? new RankedMailbox(owner, maxQueued) : new FifoMailbox(owner, maxQueued);
    }

    /** Without those that are postponed. */
    public abstract int size();

    /** Holds more than it may; {@link #displaced} says which goes. */
    public final boolean isOverfull() {
        return size() - exempt > maxQueued;
    }

    /**
     * Puts an item at its place, which is the last one if the order is that of arrival.
     *
     * @param tick of the cord, by which the age of the item is told
     * @param tickNs when that began
     */
    public final void add(Object item, long tick, long tickNs) {
        if (tick != lastTick) {
            lastTick = tick;
            mark(tickNs);
        }
        add(item);
        arrived++;
    }

    /** The next item is the first one of its tick. */
    private void mark(long nowNs) {
        if (size() == 0) {
            firstNs = nowNs;
            ages = null;
            return;
        }
        if (ages == null) {
            ages = new Ages(firstNs);
        }
        ages.mark(nowNs, arrived, this::oldestNumber);
    }

    abstract void add(Object item);

    /** Puts an item back before the oldest. */
    public abstract void addFirst(Object item);

    /** Takes the one out that is next; null if there is none. */
    public abstract @Nullable Object poll();

    /** Takes the one out that is dropped when there are too many; one is there. */
    public abstract Object displaced();

    // ---------------------------------------------------------------- selective receive

    /** Takes out the first stop, or message of the type; null if there is none. */
    public abstract @Nullable Object poll(Class<?> type);

    /** Takes out the first stop, or message that passes; null if there is none. */
    public abstract @Nullable Object poll(Predicate<Object> wanted);

    /** For a receive that has seen all that was here: only what came after counts. */
    public abstract @Nullable Object pollNew(Predicate<Object> wanted);

    /** Takes out one that was passed over, and is wanted now. */
    public abstract void remove(Placed.Renewable item);

    // ---------------------------------------------------------------- postponing

    /** Keeps it until {@link #resumePostponed}. */
    public final void postpone(Envelope.PutBack item) {
        if (postponed == null) {
            postponed = new ArrayDeque<>();
        }
        postponed.addLast(item);
    }

    /** Takes the oldest one out that passes; null if none does. */
    public final @Nullable Object pollPostponed(Predicate<Object> isWanted) {
        if (postponed != null) {
            for (Iterator<Object> each = postponed.iterator(); each.hasNext(); ) {
                Object item = each.next();
                if (isWanted.test(item)) {
                    each.remove();
                    return item;
                }
            }
        }
        return null;
    }

    /** With those that were revoked since and have not been dropped yet. */
    public final int postponed() {
        return postponed == null ? 0 : postponed.size();
    }

    /** Drops the postponed ones whose source was revoked: they would never be seen. */
    public final void dropVoidPostponed() {
        if (postponed != null) {
            postponed.removeIf(Envelope::isVoid);
        }
    }

    /** They come next, oldest first. */
    public final void resumePostponed() {
        if (postponed != null) {
            for (Object last = postponed.pollLast(); last != null; last = postponed.pollLast()) {
                addFirst(last);
            }
        }
    }

    // ---------------------------------------------------------------- looking

    /** How many of them are messages, postponed ones included: a stop is none. */
    public final int messages() {
        dropVoidPostponed();
        return size() + postponed() - (exempt > 0 ? stops() : 0);
    }

    /**
     * For how long the oldest has waited, or somewhat longer; null if none does. Those that were
     * put back, or are postponed, are not looked at.
     */
    public final @Nullable Duration oldestAge() {
        if (size() == 0) {
            return null;
        }
        long cameNs = ages == null ? firstNs : ages.cameNs(oldestNumber());
        return Duration.ofNanos(Math.max(0, Waits.nanoTime() - cameNs));
    }

    /** The contents of those that are next, up to a number. */
    public final List<Object> oldest(int max) {
        List<Object> contents = new ArrayList<>();
        if (postponed != null) {
            postponed.stream().limit(max).map(Envelope::content).forEach(contents::add);
        }
        addContents(contents, max);
        return contents;
    }

    public final void checkInvariants() {
        int counted = checkAndCountExempt();
        if (counted != exempt) {
            throw new IllegalStateException("exempt=" + exempt + " != " + counted + " in " + this);
        }
    }

    @Override
    public String toString() {
        return "Mailbox[owner=" + owner + " size=" + size() + "]";
    }

    // ---------------------------------------------------------------- for the orders

    /** Which of all that came is the oldest one here; some are here. */
    abstract long oldestNumber();

    /** How many have come; the next one gets this number. */
    final long arrived() {
        return arrived;
    }

    /** How many of them are stops. */
    abstract int stops();

    /** Adds contents until the list has so many. */
    abstract void addContents(List<Object> contents, int max);

    abstract int checkAndCountExempt();

    final boolean hasExempt() {
        return exempt > 0;
    }

    /** It has come in. */
    final void noteAdded(Object item) {
        if (Envelope.isExempt(item)) {
            exempt++;
        }
    }

    /** It has been taken out. */
    final @Nullable Object noteTaken(@Nullable Object taken) {
        if (exempt > 0 && taken != null && Envelope.isExempt(taken)) {
            exempt--;
        }
        return taken;
    }

    /** Those that were void have gone. */
    final void noteVoid(int number) {
        exempt -= number;
    }

    final void reportGrowth(int number, String what) {
        LOG.warn("the mailbox of {} {} {} messages and grows", owner, what, number);
    }
}
