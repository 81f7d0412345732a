package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.examples.bank.AccountMessage.Cut;
import dev.ropewalk.examples.bank.AccountMessage.Deposit;
import dev.ropewalk.examples.bank.AccountMessage.Withdraw;

import org.jspecify.annotations.Nullable;

/**
 * An account: the state of the actor is this record, and what a message changes is the record that
 * it returns, all at once.
 *
 * @param withdrawals how often money was taken out
 * @param deposits how often money was put in
 * @param seen the steps of transfers that are in this state
 * @param cut of the last audit for which it told what it has
 */
record Account(
        int index,
        long balance,
        long withdrawals,
        long deposits,
        Seen seen,
        @Nullable Cut cut,
        Chaos chaos)
        implements Behavior<AccountMessage> {
    static Actor<AccountMessage> actor(int index, long balance, Seen seen, Chaos chaos) {
        return Actor.<AccountMessage>handler(
                        () -> new Account(index, balance, 0, 0, seen, null, chaos))
                .keepState()
                .onFailure(FailedMessage.retry(Integer.MAX_VALUE));
    }

    @Override
    public Behavior<AccountMessage> onMessage(AccountMessage message) {
        chaos.begin();
        Behavior<AccountMessage> next =
                switch (message) {
                    case Withdraw withdraw -> withdraw(withdraw);
                    case Deposit deposit -> deposit(deposit);
                    case Cut told -> after(told);
                };
        chaos.end();
        return next;
    }

    private Behavior<AccountMessage> withdraw(Withdraw asked) {
        if (seen.has(asked.customer(), asked.number())) {
            return this; // it replied before it committed that
        }
        Seen seenNow = seen.with(asked.customer(), asked.number());
        if (asked.amount() > balance) {
            asked.replyTo().tell(new AccountReply.Refused(asked.number()));
            return new Account(index, balance, withdrawals, deposits, seenNow, cut, chaos);
        }
        asked.replyTo().tell(new AccountReply.Withdrawn(asked.number(), cut));
        return new Account(
                index, balance - asked.amount(), withdrawals + 1, deposits, seenNow, cut, chaos);
    }

    private Behavior<AccountMessage> deposit(Deposit told) {
        if (seen.has(told.customer(), told.number())) {
            return this;
        }
        // Money that was given after a cut is not part of what the account has at that cut.
        Cut given = told.cut();
        Account now = given == null ? this : after(given);
        Cut last = now.cut;
        if (last != null && (given == null || given.audit() < last.audit())) {
            last.checker()
                    .tell(
                            new CheckerMessage.Late(
                                    last.audit(), told.customer(), told.number(), told.amount()));
        }
        chaos.halfWay();
        told.replyTo().tell(new AccountReply.Deposited(told.number()));
        return new Account(
                index,
                Math.addExact(balance, told.amount()),
                withdrawals,
                deposits + 1,
                seen.with(told.customer(), told.number()),
                last,
                chaos);
    }

    /** The account after the cut; before its next change it tells what it has. */
    private Account after(Cut next) {
        if (cut != null && cut.audit() >= next.audit()) {
            return this;
        }
        next.checker()
                .tell(
                        new CheckerMessage.Snapshot(
                                next.audit(), index, balance, withdrawals, deposits));
        return new Account(index, balance, withdrawals, deposits, seen, next, chaos);
    }
}
