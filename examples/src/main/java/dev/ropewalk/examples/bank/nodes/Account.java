package dev.ropewalk.examples.bank.nodes;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.Protocol;
import dev.ropewalk.actors.cluster.entity.EntityContext;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;

/**
 * An account: a durable entity. It takes a transfer's money from its state and delivers it in one
 * write, so there is no moment at which a process may not be killed. Only the owner of an account
 * transfers from it, one transfer at a time, so the number of the last one tells a repeated order.
 */
final class Account {
    /** The money of an account at first. */
    static final long FIRST_CENTS = 1_000;

    sealed interface Message {}

    /**
     * An order of the owner. To give it again is harmless.
     *
     * @param number one more than that of the transfer before
     */
    record Transfer(long number, ActorRef<Message> to, long cents, Recipient<Receipt> replyTo)
            implements Message, Request<Receipt> {}

    /** Money of another account. It is delivered, so it counts once. */
    record Receive(long cents) implements Message {}

    record Look(Recipient<Money> replyTo) implements Message, Request<Money> {}

    enum Receipt {
        PAID,
        TOO_POOR,
        OUT_OF_ORDER
    }

    /**
     * The state.
     *
     * @param transfers how many it has paid, which is the number of the last one
     * @param arrivals how many of others have arrived
     */
    record Money(long cents, long transfers, long arrivals) {
        private Money pays(Transfer order) {
            return new Money(cents - order.cents, order.number, arrivals);
        }

        private Money receives(Receive money) {
            return new Money(cents + money.cents, transfers, arrivals + 1);
        }
    }

    private Account() {}

    static EntityKind<Message, Money> kind() {
        return EntityKind.durable("account", Message.class, Money.class, Account::functions);
    }

    static Protocol protocol() {
        return Protocol.of(Message.class, Money.class, Receipt.class);
    }

    static String key(int number) {
        return "account-" + number;
    }

    private static Server<Message, Money> functions(EntityContext<Message> self) {
        return Server.<Message, Money>of(new Money(FIRST_CENTS, 0, 0))
                .call(Transfer.class, (now, order) -> transfer(self, now, order))
                .cast(Receive.class, Money::receives)
                .call(Look.class, (now, _) -> Reply.of(now, now));
    }

    private static Reply<Receipt, Money> transfer(
            EntityContext<Message> self, Money now, Transfer order) {
        if (order.number == now.transfers) {
            return Reply.of(Receipt.PAID, now); // the answer was lost
        }
        if (order.number != now.transfers + 1) {
            return Reply.of(Receipt.OUT_OF_ORDER, now);
        }
        if (order.cents > now.cents) {
            return Reply.of(Receipt.TOO_POOR, now);
        }
        self.deliver(order.to, new Receive(order.cents));
        return Reply.of(Receipt.PAID, now.pays(order));
    }
}
