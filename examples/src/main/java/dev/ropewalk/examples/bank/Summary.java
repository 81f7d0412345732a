package dev.ropewalk.examples.bank;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How a run ended.
 *
 * @param statement null if it was not closed, because of a problem
 * @param restarts of actors and groups of them
 * @param isWhole whether all orders were given
 * @param problem the first thing that happened and must not, if there is one
 */
record Summary(
        Options options,
        @Nullable Statement statement,
        Crashes crashes,
        long restarts,
        boolean isWhole,
        @Nullable String problem) {
    /** What is wrong, a line for each; empty if all is well. */
    List<String> complaints() {
        List<String> all = new ArrayList<>();
        if (problem != null) {
            all.add(problem);
        }
        Statement said = statement;
        if (said == null) {
            return all;
        }
        Finding bad = said.firstBad();
        if (bad != null) {
            all.add(bad.describe() + "; there were " + money() + " at first");
            return all; // and money still moved
        }
        List<Long> booked = said.balances(options.accounts(), Bank.FIRST_BALANCE);
        List<Long> found = said.last().balances();
        for (int i = 0; i < Math.min(booked.size(), found.size()); i++) {
            if (!booked.get(i).equals(found.get(i))) {
                all.add(
                        "account-"
                                + i
                                + " has "
                                + found.get(i)
                                + " and must have "
                                + booked.get(i)
                                + " by the journal");
                break;
            }
        }
        long orders = said.moved() + said.refused();
        if (isWhole && orders != options.transfers()) {
            all.add("the journal has " + orders + " transfers of " + options.transfers());
        }
        return all;
    }

    private long money() {
        return options.accounts() * Bank.FIRST_BALANCE;
    }

    /** The report for people. */
    String toText(double seconds) {
        Statement said = statement;
        if (said == null) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                """
                %,d transfers%s, of which %,d were refused, in %,.2f s
                crashes: %,d of accounts, %,d of clerks, %,d of the journal, %,d of audits; \
                %,d restarts
                audits: %,d of %,d balance, %,d of them with money on the way
                at the end: %,d in %,d accounts
                """,
                said.moved() + said.refused(),
                isWhole ? "" : " until the interrupt",
                said.refused(),
                seconds,
                crashes.accounts().get(),
                crashes.clerks().get(),
                crashes.journal().get(),
                crashes.audits().get(),
                restarts,
                said.balanced(),
                said.audits(),
                said.withMoneyOnTheWay(),
                said.last().total(),
                said.last().balances().size());
    }
}
