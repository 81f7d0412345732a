package dev.ropewalk.actors.internal.mailbox;

import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * When the messages of a mailbox came, as reports tell it. The first message in each tick of the
 * cord, which is a millisecond while it is busy, makes a mark: its number and the time. So most
 * messages cost a comparison, and the age of one is that of the mark before it.
 *
 * <p>At most {@value #MAX_MARKS} marks are kept; beyond that each second one goes, so a message of
 * a long queue may be told as somewhat older than it is.
 */
final class Ages {
    private static final int MAX_MARKS = 64;
    private static final long[] NONE = {};

    /** Of the oldest mark; the later ones are in the arrays. */
    private long firstNs;

    private long[] numbers = NONE;
    private long[] times = NONE;
    private int later;

    /** Some messages are there, which came at that time. */
    Ages(long firstNs) {
        this.firstNs = firstNs;
    }

    /**
     * The next message gets the number, and comes now.
     *
     * @param oldest tells the number of the oldest that waits
     */
    void mark(long nowNs, long number, LongSupplier oldest) {
        if (later == numbers.length) {
            makeRoom(oldest.getAsLong());
        }
        numbers[later] = number;
        times[later] = nowNs;
        later++;
    }

    private void makeRoom(long oldest) {
        int over = 0;
        while (over < later && numbers[over] <= oldest) {
            firstNs = times[over];
            over++;
        }
        later -= over;
        System.arraycopy(numbers, over, numbers, 0, later);
        System.arraycopy(times, over, times, 0, later);
        if (later == MAX_MARKS) {
            thinOut();
        } else if (later == numbers.length) {
            int length = Math.max(4, 2 * later);
            numbers = Arrays.copyOf(numbers, length);
            times = Arrays.copyOf(times, length);
        }
    }

    private void thinOut() {
        later /= 2;
        for (int i = 0; i < later; i++) {
            numbers[i] = numbers[2 * i];
            times[i] = times[2 * i];
        }
    }

    /** When the message of the number came, or somewhat before. */
    long cameNs(long number) {
        long cameNs = firstNs;
        for (int i = 0; i < later; i++) {
            if (numbers[i] <= number) {
                cameNs = times[i];
            }
        }
        return cameNs;
    }
}
