package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.Recipient;
import dev.ropewalk.examples.bank.ClerkMessage.Booked;

/** What the journal is told. */
sealed interface JournalMessage {
    /**
     * Keep this transfer, then reply.
     *
     * @param amount what was moved; 0 if it was refused
     */
    record Book(int customer, long number, int from, int to, long amount, Recipient<Booked> replyTo)
            implements JournalMessage {}

    /** Reply with the number of the next audit, once one is due. */
    record NextAudit(Recipient<ReaderMessage.Begin> replyTo) implements JournalMessage {}

    /** Keep what an audit found. */
    record Found(Finding finding) implements JournalMessage {}

    /** There are no more orders: reply once one more audit has been made. */
    record Close(Recipient<Statement> replyTo) implements JournalMessage {}
}
