package dev.ropewalk.examples.bank;

import dev.ropewalk.examples.bank.AccountMessage.Cut;

import org.jspecify.annotations.Nullable;

/** What an account replies, with the number of the transfer. */
sealed interface AccountReply {
    long number();

    /**
     * The money was taken out.
     *
     * @param cut the account's last one
     */
    record Withdrawn(long number, @Nullable Cut cut) implements AccountReply {}

    /** There is not enough money. */
    record Refused(long number) implements AccountReply {}

    /** The money was put in. */
    record Deposited(long number) implements AccountReply {}
}
