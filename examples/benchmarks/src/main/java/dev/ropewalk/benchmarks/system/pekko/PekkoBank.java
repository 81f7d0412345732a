package dev.ropewalk.benchmarks.system.pekko;

import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.pekko.PekkoGuardian.Answer;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.StashBuffer;

import java.util.ArrayList;
import java.util.List;

/** The Pekko program bank: the teller. */
final class PekkoBank {
    /** What the teller gets. */
    private sealed interface Reply {}

    /** A transfer is done. */
    private record Transferred() implements Reply {}

    /** The state of an account. */
    private record Audited(long balance, long credited) implements Reply {}

    private final List<ActorRef<Account.Message>> accounts;
    private final ActorRef<Reply> self;
    private final long operations;
    private final ActorRef<Answer> caller;
    private long sent;
    private long missing;
    private long balances;
    private long credited;

    private PekkoBank(ActorContext<Reply> context, long operations, ActorRef<Answer> caller) {
        this.self = context.getSelf();
        this.operations = operations;
        this.caller = caller;
        List<ActorRef<Account.Message>> made = new ArrayList<>();
        for (int i = 0; i < Sizes.ACCOUNTS; i++) {
            made.add(context.spawnAnonymous(Account.create()));
        }
        this.accounts = List.copyOf(made);
    }

    static Behavior<?> program(long operations, ActorRef<Answer> caller) {
        return Behaviors.<Reply>setup(
                context -> {
                    PekkoBank bank = new PekkoBank(context, operations, caller);
                    bank.sendBurst();
                    return Behaviors.receiveMessage(bank::onReply);
                });
    }

    private Behavior<Reply> onReply(Reply reply) {
        missing--;
        switch (reply) {
            case Transferred() -> {
                if (missing == 0) {
                    sendBurst();
                }
            }
            case Audited(long balance, long got) -> {
                balances += balance;
                credited += got;
                if (missing == 0) {
                    finish();
                }
            }
        }
        return Behaviors.same();
    }

    private void sendBurst() {
        long end = Math.min(sent + Sizes.BURST, operations);
        missing = end - sent;
        for (; sent < end; sent++) {
            ActorRef<Account.Message> source = accounts.get(Sizes.source(sent));
            ActorRef<Account.Message> destination = accounts.get(Sizes.destination(sent));
            source.tell(new Account.Transfer(destination, Sizes.amount(sent), self));
        }
        if (missing == 0) {
            missing = accounts.size();
            accounts.forEach(account -> account.tell(new Account.Audit(self)));
        }
    }

    private void finish() {
        if (balances != 0) {
            throw new IllegalStateException("balances=" + balances + ", expected: 0");
        }
        caller.tell(new Answer(credited));
    }

    /** An account; while it waits for a credit it keeps other transfers for later. */
    private static final class Account {
        /** What an account gets. */
        private sealed interface Message {}

        /** Takes from this account and gives to another. */
        private record Transfer(ActorRef<Message> destination, long amount, ActorRef<Reply> replyTo)
                implements Message {}

        /** Gives to this account. */
        private record Credit(long amount, ActorRef<Message> replyTo) implements Message {}

        /** Replies to {@link Credit}. */
        private record Credited() implements Message {}

        /** Asks for the state. */
        private record Audit(ActorRef<Reply> replyTo) implements Message {}

        private final ActorRef<Message> self;
        private final StashBuffer<Message> later;
        private final Behavior<Message> ready = Behaviors.receiveMessage(this::onReady);
        private long balance;
        private long credited;

        private Account(ActorRef<Message> self, StashBuffer<Message> later) {
            this.self = self;
            this.later = later;
        }

        static Behavior<Message> create() {
            return Behaviors.setup(
                    context ->
                            Behaviors.withStash(
                                    Sizes.BURST,
                                    stash -> new Account(context.getSelf(), stash).ready));
        }

        private Behavior<Message> onReady(Message message) {
            return switch (message) {
                case Transfer transfer -> pay(transfer);
                case Credit credit -> credit(credit);
                case Audit(ActorRef<Reply> replyTo) -> {
                    replyTo.tell(new Audited(balance, credited));
                    yield Behaviors.same();
                }
                case Credited() -> Behaviors.unhandled();
            };
        }

        private Behavior<Message> pay(Transfer transfer) {
            balance -= transfer.amount();
            transfer.destination().tell(new Credit(transfer.amount(), self));
            return Behaviors.receiveMessage(message -> onWaiting(transfer, message));
        }

        private Behavior<Message> onWaiting(Transfer transfer, Message message) {
            return switch (message) {
                case Credited() -> {
                    transfer.replyTo().tell(new Transferred());
                    yield later.unstash(ready, 1, kept -> kept);
                }
                case Credit credit -> credit(credit);
                case Transfer _, Audit _ -> {
                    later.stash(message);
                    yield Behaviors.same();
                }
            };
        }

        private Behavior<Message> credit(Credit credit) {
            balance += credit.amount();
            credited += credit.amount();
            credit.replyTo().tell(new Credited());
            return Behaviors.same();
        }
    }
}
