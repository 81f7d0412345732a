package dev.ropewalk.actors.internal.mailbox;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * When the messages of a mailbox came, for reports: a mark, its number and the time, where the
 * first message in {@value #PERIOD_NS} ns came. So a message costs a look at the coarse clock of
 * its cord, and no mark.
 *
 * <p>At most {@value #MAX_MARKS} marks are kept; beyond that each second one goes, so a message of
 * a long queue may be told as somewhat older than it is.
 */
final class Ages {
    private static final int MAX_MARKS = 64;
    private static final long PERIOD_NS = 1_000_000;

    /** Of the latest mark. */
    private long lastNs;

    /** Of the oldest mark; the later ones are in the arrays. */
    private long firstNs;

    private long @Nullable [] numbers;
    private long @Nullable [] times;
    private int later;

    /** None waits, and the next one comes now. */
    void begin(long nowNs) {
        firstNs = nowNs;
        lastNs = nowNs;
        later = 0;
    }

    boolean isToMark(long nowNs) {
        return nowNs - lastNs >= PERIOD_NS;
    }

    /**
     * The next message gets the number, and comes now.
     *
     * @param oldest tells the number of the oldest that waits
     */
    void mark(long nowNs, long number, LongSupplier oldest) {
        lastNs = nowNs;
        if (numbers != null && later == numbers.length) {
            forgetBefore(oldest.getAsLong());
        }
        if (numbers == null || times == null) {
            numbers = new long[4];
            times = new long[4];
        } else if (later == MAX_MARKS) {
            thinOut(numbers, times);
        } else if (later == numbers.length) {
            numbers = Arrays.copyOf(numbers, 2 * later);
            times = Arrays.copyOf(times, 2 * later);
        }
        numbers[later] = number;
        times[later] = nowNs;
        later++;
    }

    private void forgetBefore(long oldest) {
        int over = 0;
        while (over < later && numbers != null && times != null && numbers[over] <= oldest) {
            firstNs = times[over];
            over++;
        }
        if (over > 0 && numbers != null && times != null) {
            System.arraycopy(numbers, over, numbers, 0, later - over);
            System.arraycopy(times, over, times, 0, later - over);
            later -= over;
        }
    }

    private void thinOut(long[] ofNumbers, long[] ofTimes) {
        later /= 2;
        for (int i = 0; i < later; i++) {
            ofNumbers[i] = ofNumbers[2 * i];
            ofTimes[i] = ofTimes[2 * i];
        }
    }

    /** How long the message of the number has waited, or somewhat longer. */
    long ageNs(long number, long nowNs) {
        long cameNs = firstNs;
        for (int i = 0; i < later && numbers != null && times != null; i++) {
            if (numbers[i] <= number) {
                cameNs = times[i];
            }
        }
        return nowNs - cameNs;
    }
}
