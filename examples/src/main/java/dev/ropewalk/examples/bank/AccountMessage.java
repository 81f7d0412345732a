package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.Recipient;

import org.jspecify.annotations.Nullable;

/** What an account is told. Customer and number are those of the transfer. */
sealed interface AccountMessage {
    /** Take the money out, if there is enough. */
    record Withdraw(int customer, long number, long amount, Recipient<AccountReply> replyTo)
            implements AccountMessage {}

    /**
     * Put the money in.
     *
     * @param cut the last one that the other account had taken before it gave the money
     */
    record Deposit(
            int customer,
            long number,
            long amount,
            @Nullable Cut cut,
            Recipient<AccountReply> replyTo)
            implements AccountMessage {}

    /**
     * Tell the checker of this audit what the account has now; an account does that once for each
     * number, and not for one below its last.
     */
    record Cut(long audit, Recipient<CheckerMessage> checker) implements AccountMessage {}
}
