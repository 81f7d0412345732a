package dev.ropewalk.examples.bank.nodes;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.examples.bank.nodes.Account.Look;
import dev.ropewalk.examples.bank.nodes.Account.Message;
import dev.ropewalk.examples.bank.nodes.Account.Money;
import dev.ropewalk.examples.bank.nodes.Account.Receipt;
import dev.ropewalk.examples.bank.nodes.Account.Transfer;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The owner of an account, a fiber. It gives one order at a time, and the same order again until it
 * is answered. After the death of its process it asks the account for the number to go on with.
 */
final class Customer {
    private static final Duration ASK_LIMIT = Duration.ofSeconds(5);
    private static final Duration BEFORE_AGAIN = Duration.ofMillis(100);
    private static final int MAX_CENTS = 100;

    private final int account;
    private final int accounts;
    private final Entities<Message> all;
    private final SplittableRandom random;
    private final BooleanSupplier isOpen;
    private final Words words;

    /**
     * A customer.
     *
     * @param account the number of its account
     * @param accounts how many there are
     * @param isOpen false ends it behind its present order
     * @param words hears of each answer
     */
    Customer(
            int account,
            int accounts,
            Entities<Message> all,
            long seed,
            BooleanSupplier isOpen,
            Words words) {
        this.account = account;
        this.accounts = accounts;
        this.all = all;
        this.random = new SplittableRandom(seed + account);
        this.isOpen = isOpen;
        this.words = words;
    }

    /** Transfers until the bank closes. A switchpoint. */
    void run() {
        long next = this.<Money>ask(Look::new).transfers() + 1;
        words.begins(account, next - 1);
        while (isOpen.getAsBoolean()) {
            long beganNs = Cord.current().nanoTime();
            switch (order(next)) {
                case PAID -> {
                    words.paid(account, next, Cord.current().nanoTime() - beganNs);
                    next++;
                }
                case TOO_POOR -> Fiber.sleep(BEFORE_AGAIN); // others pay it
                case OUT_OF_ORDER -> {
                    words.wrong("order " + next + " is refused by " + Account.key(account));
                    return;
                }
            }
        }
    }

    private Receipt order(long number) {
        int other = random.nextInt(accounts - 1);
        ActorRef<Message> to = all.ref(Account.key(other < account ? other : other + 1));
        long cents = random.nextLong(1, MAX_CENTS + 1L);
        return ask(replyTo -> new Transfer(number, to, cents, replyTo));
    }

    private <R> R ask(Function<Recipient<R>, Message> question) {
        ActorRef<Message> own = all.ref(Account.key(account));
        for (; ; ) {
            try {
                return own.ask(question, ASK_LIMIT);
            } catch (AskException none) {
                words.failed(account, none); // it may have been done
                Fiber.sleep(BEFORE_AGAIN);
            }
        }
    }
}
