package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.examples.bank.CustomerMessage.Impatient;
import dev.ropewalk.examples.bank.CustomerMessage.Received;
import dev.ropewalk.fibers.supervision.RestartRule;

import java.time.Duration;

/**
 * Those who give orders, one after the other. They do not belong to the bank, do not crash, and end
 * with their last receipt.
 */
final class Customers {
    /** Something was lost if a receipt takes so long. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** More failures than even the highest rate of chaos makes of one order. */
    private static final int MAX_TRIES = 100_000;

    private Customers() {}

    /**
     * A customer who asks, and waits for each receipt.
     *
     * <p>An ask fails at once when its clerk crashes after it took the order. That says nothing of
     * the transfer, which goes on: the customer gives the same order again.
     */
    static Actor<CustomerMessage> asking(Plan plan, ActorRef<ClerkMessage> clerk) {
        return Actor.<CustomerMessage>loop(
                        _ -> {
                            while (plan.next()) {
                                awaitReceipt(plan, clerk);
                            }
                        })
                .restart(RestartRule.TEMPORARY);
    }

    private static void awaitReceipt(Plan plan, ActorRef<ClerkMessage> clerk) {
        for (int tries = 1; ; tries++) {
            try {
                Receipt receipt = clerk.ask(plan::order, PATIENCE);
                if (plan.isFor(receipt)) {
                    return;
                }
            } catch (AskFailedException failed) {
                if (tries == MAX_TRIES) {
                    throw failed;
                }
            }
        }
    }

    /** A customer who tells, waits for nothing, and gets the receipts as messages. */
    static Actor<CustomerMessage> telling(Plan plan, ActorRef<ClerkMessage> clerk) {
        return Actor.handler(
                        (ActorContext<CustomerMessage> self) -> {
                            Teller teller = new Teller(self, plan, clerk);
                            if (!teller.ordersNext()) {
                                self.self().stop();
                            }
                            return teller;
                        })
                .restart(RestartRule.TEMPORARY);
    }

    private record Teller(
            ActorContext<CustomerMessage> self, Plan plan, ActorRef<ClerkMessage> clerk)
            implements Behavior<CustomerMessage> {
        boolean ordersNext() {
            if (!plan.next()) {
                return false;
            }
            clerk.tell(plan.order(self.adapt(Received::new)));
            self.timers().once("patience", PATIENCE, new Impatient());
            return true;
        }

        @Override
        public Behavior<CustomerMessage> onMessage(CustomerMessage message) {
            return switch (message) {
                // A clerk that crashes tells some of them twice.
                case Received told when !plan.isFor(told.receipt()) -> Behavior.same();
                case Received told -> ordersNext() ? Behavior.same() : Behavior.stopped();
                case Impatient late ->
                        throw new IllegalStateException(
                                "no receipt within " + PATIENCE.toSeconds() + " s");
            };
        }
    }
}
