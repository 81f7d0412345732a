package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.examples.bank.AccountMessage.Cut;
import dev.ropewalk.examples.bank.AccountMessage.Deposit;
import dev.ropewalk.examples.bank.AccountMessage.Withdraw;
import dev.ropewalk.examples.bank.ClerkMessage.Booked;
import dev.ropewalk.examples.bank.ClerkMessage.Order;
import dev.ropewalk.examples.bank.ClerkMessage.Replied;

import org.jspecify.annotations.Nullable;

/**
 * Carries out the transfers of one customer, one after the other, and waits for nobody: what it
 * asks for comes as a message, by {@link ActorContext#adapt}.
 *
 * <p>What it tells again after a crash has the same number, so it is done once. What it is told
 * again belongs to a step that is over, and changes nothing.
 *
 * @param order the present one, or the last one
 * @param isMoved whether the money of that left its account
 */
record Clerk(Office office, Step step, @Nullable Order order, boolean isMoved)
        implements Behavior<ClerkMessage> {
    /** What the present order waits for. */
    enum Step {
        WITHDRAWAL,
        DEPOSIT,
        BOOKING,
        DONE
    }

    /**
     * What does not change.
     *
     * @param replies takes what accounts reply
     * @param booked takes what the journal replies
     */
    record Office(
            int customer,
            Directory bank,
            Recipient<AccountReply> replies,
            Recipient<Booked> booked,
            Chaos chaos) {}

    static Actor<ClerkMessage> actor(int customer, Directory bank, Chaos chaos) {
        return Actor.handler((ActorContext<ClerkMessage> self) -> idle(self, customer, bank, chaos))
                .keepState()
                .onFailure(FailedMessage.retry(Integer.MAX_VALUE));
    }

    private static Clerk idle(
            ActorContext<ClerkMessage> self, int customer, Directory bank, Chaos chaos) {
        Recipient<AccountReply> replies = self.adapt(Replied::new);
        Recipient<Booked> booked = self.adapt(reply -> reply);
        return new Clerk(
                new Office(customer, bank, replies, booked, chaos), Step.DONE, null, false);
    }

    @Override
    public Behavior<ClerkMessage> onMessage(ClerkMessage message) {
        office.chaos().begin();
        Behavior<ClerkMessage> next =
                switch (message) {
                    case Order given -> ordered(given);
                    case Replied replied -> replied(replied.reply());
                    case Booked booked -> booked(booked);
                };
        office.chaos().end();
        return next;
    }

    private Behavior<ClerkMessage> ordered(Order given) {
        if (order != null && given.number() <= order.number()) {
            return again(order, given);
        }
        if (step != Step.DONE) {
            given.replyTo()
                    .fail(new IllegalStateException(order + " is not done; await its receipt"));
            return this;
        }
        account(given.from())
                .tell(
                        new Withdraw(
                                office.customer(),
                                given.number(),
                                given.amount(),
                                office.replies()));
        return new Clerk(office, Step.WITHDRAWAL, given, false);
    }

    /** The customer has heard nothing of its order, and gave it again. */
    private Behavior<ClerkMessage> again(Order present, Order given) {
        if (given.number() < present.number()) {
            return this;
        }
        if (step == Step.DONE) {
            given.replyTo().tell(new Receipt(given.number(), isMoved));
        }
        return new Clerk(office, step, given, isMoved);
    }

    private Behavior<ClerkMessage> replied(AccountReply reply) {
        Order present = order;
        if (present == null || reply.number() != present.number()) {
            return this;
        }
        return switch (reply) {
            case AccountReply.Withdrawn withdrawn when step == Step.WITHDRAWAL ->
                    deposit(present, withdrawn.cut());
            case AccountReply.Refused refused when step == Step.WITHDRAWAL -> book(present, false);
            case AccountReply.Deposited deposited when step == Step.DEPOSIT -> book(present, true);
            default -> this;
        };
    }

    private Clerk deposit(Order present, @Nullable Cut cut) {
        account(present.to())
                .tell(
                        new Deposit(
                                office.customer(),
                                present.number(),
                                present.amount(),
                                cut,
                                office.replies()));
        return new Clerk(office, Step.DEPOSIT, present, true);
    }

    private Clerk book(Order present, boolean moved) {
        office.bank()
                .journal()
                .tell(
                        new JournalMessage.Book(
                                office.customer(),
                                present.number(),
                                present.from(),
                                present.to(),
                                moved ? present.amount() : 0,
                                office.booked()));
        return new Clerk(office, Step.BOOKING, present, moved);
    }

    private Behavior<ClerkMessage> booked(Booked booked) {
        Order present = order;
        if (present == null || step != Step.BOOKING || booked.number() != present.number()) {
            return this;
        }
        present.replyTo().tell(new Receipt(present.number(), isMoved));
        return new Clerk(office, Step.DONE, present, isMoved);
    }

    private Recipient<AccountMessage> account(int index) {
        return office.bank().accounts().get(index);
    }
}
