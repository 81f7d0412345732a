package dev.ropewalk.examples.bank;

import java.util.List;

/**
 * What an audit found.
 *
 * @param audit its number
 * @param balances of the accounts, each at its cut; fewer if some did not tell
 * @param transfersOnTheWay whose money had left an account before its cut and came to another one
 *     after its cut
 * @param moneyOnTheWay their money
 * @param missing how many more of them there must be by what the accounts have counted; below 0 if
 *     there must be fewer
 */
record Finding(
        long audit, List<Long> balances, long transfersOnTheWay, long moneyOnTheWay, long missing) {
    Finding {
        balances = List.copyOf(balances);
    }

    long total() {
        return balances.stream().mapToLong(each -> each).sum() + moneyOnTheWay;
    }

    boolean isBalanced(int accounts, long money) {
        return balances.size() == accounts && missing == 0 && total() == money;
    }

    /** In words. */
    String describe() {
        return "audit "
                + audit
                + " finds "
                + total()
                + ", of it "
                + moneyOnTheWay
                + " on the way, in "
                + balances.size()
                + " accounts; "
                + missing
                + " transfers are missing";
    }
}
