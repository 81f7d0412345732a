package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.examples.bank.ClerkMessage.Booked;
import dev.ropewalk.examples.bank.JournalMessage.Book;
import dev.ropewalk.examples.bank.JournalMessage.Close;
import dev.ropewalk.examples.bank.JournalMessage.Found;
import dev.ropewalk.examples.bank.JournalMessage.NextAudit;
import dev.ropewalk.examples.bank.Statement.Entry;

import org.jspecify.annotations.Nullable;

/**
 * The book of all transfers and audits, and the clock of the latter: one is due each time that a
 * share of the transfers is booked, and one more at the end.
 *
 * @param books the transfers
 * @param audits the audits
 */
record Journal(Rules rules, Books books, Audits audits) implements Behavior<JournalMessage> {
    /**
     * What does not change.
     *
     * @param money in all accounts together
     * @param transfers how many there will be
     * @param audits how many are due while they are made
     */
    record Rules(int accounts, long money, long transfers, long audits, Chaos chaos) {}

    /** The transfers, the last first. */
    record Books(@Nullable Entry entries, long moved, long refused, Seen seen) {
        Books with(Book told) {
            Seen seenNow = seen.with(told.customer(), told.number());
            if (told.amount() == 0) {
                return new Books(entries, moved, refused + 1, seenNow);
            }
            Entry entry = new Entry(told.from(), told.to(), told.amount(), entries);
            return new Books(entry, moved + 1, refused, seenNow);
        }

        long booked() {
            return moved + refused;
        }
    }

    /**
     * The audits.
     *
     * @param begun the last number that was given
     * @param finished how many were finished
     * @param last what the last of them found
     * @param reader waits for the next number
     * @param finalFrom the first number whose audit sees the bank at rest; above all while the bank
     *     is open
     * @param closing waits for the last audit
     */
    record Audits(
            long begun,
            long finished,
            long balanced,
            long withMoneyOnTheWay,
            @Nullable Finding last,
            @Nullable Finding firstBad,
            @Nullable Recipient<ReaderMessage.Begin> reader,
            long finalFrom,
            @Nullable Recipient<Statement> closing) {
        static final Audits NONE = new Audits(0, 0, 0, 0, null, null, null, Long.MAX_VALUE, null);

        Audits waiting(Recipient<ReaderMessage.Begin> next) {
            return new Audits(
                    begun,
                    finished,
                    balanced,
                    withMoneyOnTheWay,
                    last,
                    firstBad,
                    next,
                    finalFrom,
                    closing);
        }

        Audits begin() {
            return new Audits(
                    begun + 1,
                    finished,
                    balanced,
                    withMoneyOnTheWay,
                    last,
                    firstBad,
                    null,
                    finalFrom,
                    closing);
        }

        Audits with(Finding found, boolean isBalanced) {
            return new Audits(
                    begun,
                    finished + 1,
                    balanced + (isBalanced ? 1 : 0),
                    withMoneyOnTheWay + (found.transfersOnTheWay() > 0 ? 1 : 0),
                    found,
                    isBalanced || firstBad != null ? firstBad : found,
                    reader,
                    finalFrom,
                    closing);
        }

        Audits closing(@Nullable Recipient<Statement> replyTo) {
            return new Audits(
                    begun,
                    finished,
                    balanced,
                    withMoneyOnTheWay,
                    last,
                    firstBad,
                    reader,
                    Math.min(finalFrom, begun + 1),
                    replyTo);
        }
    }

    static Actor<JournalMessage> actor(Rules rules, Seen seen) {
        return Actor.<JournalMessage>handler(
                        () -> new Journal(rules, new Books(null, 0, 0, seen), Audits.NONE))
                .keepState()
                .onFailure(FailedMessage.retry(Integer.MAX_VALUE));
    }

    @Override
    public Behavior<JournalMessage> onMessage(JournalMessage message) {
        rules.chaos().begin();
        Journal next =
                switch (message) {
                    case Book told -> book(told);
                    case NextAudit asked ->
                            new Journal(rules, books, audits.waiting(asked.replyTo()));
                    case Found told -> found(told.finding());
                    case Close asked -> new Journal(rules, books, audits.closing(asked.replyTo()));
                };
        rules.chaos().halfWay();
        next = next.withNextAudit().withReplyIfOver();
        rules.chaos().end();
        return next;
    }

    private Journal book(Book told) {
        if (books.seen().has(told.customer(), told.number())) {
            return this;
        }
        told.replyTo().tell(new Booked(told.number()));
        return new Journal(rules, books.with(told), audits);
    }

    /** Only of the audit that was begun last: one before it was given up. */
    private Journal found(Finding finding) {
        Finding last = audits.last();
        boolean isKnown = last != null && last.audit() >= finding.audit();
        if (isKnown || finding.audit() != audits.begun()) {
            return this;
        }
        boolean isBalanced = finding.isBalanced(rules.accounts(), rules.money());
        return new Journal(rules, books, audits.with(finding, isBalanced));
    }

    private Journal withNextAudit() {
        Recipient<ReaderMessage.Begin> reader = audits.reader();
        if (reader == null || !isAuditDue()) {
            return this;
        }
        reader.tell(new ReaderMessage.Begin(audits.begun() + 1));
        return new Journal(rules, books, audits.begin());
    }

    private boolean isAuditDue() {
        if (audits.firstBad() != null) {
            return false; // the others would find the same
        }
        return audits.finished() < auditsByNow() || (audits.closing() != null && !isOver());
    }

    /** How many the transfers until now make. */
    private long auditsByNow() {
        return rules.transfers() == 0 ? 0 : rules.audits() * books.booked() / rules.transfers();
    }

    /** One more than those has been made, and it began when all was at rest; or one is bad. */
    private boolean isOver() {
        Finding last = audits.last();
        if (audits.firstBad() != null) {
            return true;
        }
        return last != null
                && last.audit() >= audits.finalFrom()
                && audits.finished() > auditsByNow();
    }

    private Journal withReplyIfOver() {
        Recipient<Statement> closing = audits.closing();
        Finding last = audits.last();
        if (closing == null || last == null || !isOver()) {
            return this;
        }
        closing.tell(
                new Statement(
                        books.moved(),
                        books.refused(),
                        audits.finished(),
                        audits.balanced(),
                        audits.withMoneyOnTheWay(),
                        last,
                        audits.firstBad(),
                        books.entries()));
        return new Journal(rules, books, audits.closing(null));
    }
}
