package dev.ropewalk.examples.bank;

/**
 * Which steps of transfers an actor has committed; immutable. A clerk has one transfer at a time,
 * its numbers grow, and its messages arrive in order: so the last number of each customer is
 * enough, and what is not above it was told twice.
 */
interface Seen {
    boolean has(int customer, long number);

    Seen with(int customer, long number);

    static Seen nothing() {
        return LastNumbers.NONE;
    }
}
