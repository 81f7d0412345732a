package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.Recipient;

/** What a clerk is told. */
sealed interface ClerkMessage {
    /**
     * Transfer money and reply with a receipt. Who has no receipt may give the order again, with
     * the same number: the money is moved once, and the receipt is the same.
     *
     * @param number above those of the customer's earlier orders
     */
    record Order(long number, int from, int to, long amount, Recipient<Receipt> replyTo)
            implements ClerkMessage {}

    /** An account has replied. */
    record Replied(AccountReply reply) implements ClerkMessage {}

    /** The journal has the transfer with this number. */
    record Booked(long number) implements ClerkMessage {}
}
