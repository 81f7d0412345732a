package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.Recipient;

/** What the checker is told. */
sealed interface CheckerMessage {
    /** This audit begins, and the one before is given up. */
    record Expect(long audit, Recipient<Finding> replyTo) implements CheckerMessage {}

    /**
     * What an account had at its cut.
     *
     * @param withdrawals how often money was taken out until then
     * @param deposits how often money was put in until then
     */
    record Snapshot(long audit, int account, long balance, long withdrawals, long deposits)
            implements CheckerMessage {}

    /** This money left an account before its cut, and came to another one after its cut. */
    record Late(long audit, int customer, long number, long amount) implements CheckerMessage {}

    /** Reply with what is there. */
    record GiveUp(long audit) implements CheckerMessage {}
}
