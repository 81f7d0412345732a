package dev.ropewalk.examples.bank;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * What the journal has, after the last audit.
 *
 * @param moved transfers whose money was moved
 * @param refused transfers without enough money
 * @param audits how many were finished
 * @param balanced how many of them balanced
 * @param withMoneyOnTheWay how many of them found money on the way
 * @param last what the last one found
 * @param firstBad what the first one found that did not balance, if there is one
 * @param entries the transfers, the last first
 */
record Statement(
        long moved,
        long refused,
        long audits,
        long balanced,
        long withMoneyOnTheWay,
        Finding last,
        @Nullable Finding firstBad,
        @Nullable Entry entries) {
    /** A transfer. */
    record Entry(int from, int to, long amount, @Nullable Entry before) {}

    /** What each account must have by the journal, if each had so much at first. */
    List<Long> balances(int accounts, long first) {
        long[] sums = new long[accounts];
        for (Entry entry = entries; entry != null; entry = entry.before()) {
            sums[entry.from()] -= entry.amount();
            sums[entry.to()] += entry.amount();
        }
        List<Long> all = new ArrayList<>();
        for (long sum : sums) {
            all.add(first + sum);
        }
        return all;
    }
}
