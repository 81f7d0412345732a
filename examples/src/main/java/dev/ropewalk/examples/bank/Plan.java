package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.Recipient;
import dev.ropewalk.examples.bank.ClerkMessage.Order;

import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** The orders of one customer, the same for the same seed; for the customer's cord only. */
final class Plan {
    private static final int MAX_AMOUNT = 500;

    private final SplittableRandom random;
    private final int accounts;
    private final long orders;
    private final BooleanSupplier isBankOpen;
    private long given;
    private int from;
    private int to;
    private long amount;

    /**
     * A plan.
     *
     * @param orders how many
     * @param isBankOpen otherwise there are no more orders
     */
    Plan(long seed, int accounts, long orders, BooleanSupplier isBankOpen) {
        this.random = new SplittableRandom(seed);
        this.accounts = accounts;
        this.orders = orders;
        this.isBankOpen = isBankOpen;
    }

    /** Goes on to the next order; false if there is none. */
    boolean next() {
        if (given == orders || !isBankOpen.getAsBoolean()) {
            return false;
        }
        given++;
        from = random.nextInt(accounts);
        to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
        amount = 1 + random.nextLong(MAX_AMOUNT);
        return true;
    }

    /** The present order, to be given as often as wanted. */
    Order order(Recipient<Receipt> replyTo) {
        return new Order(given, from, to, amount, replyTo);
    }

    /** Whether this is the receipt of the present order. */
    boolean isFor(Receipt receipt) {
        return receipt.number() == given;
    }
}
