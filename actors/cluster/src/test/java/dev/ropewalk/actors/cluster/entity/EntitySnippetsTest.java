package dev.ropewalk.actors.cluster.entity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;

/** The code of the Javadoc and of the guide's page on entities. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EntitySnippetsTest {
    // @start region="kind"
    sealed interface Account {}

    record Deposit(long cents, Recipient<Long> replyTo) implements Account, Request<Long> {}

    record Fee(long cents) implements Account {}

    record Balance(long cents) {}

    static EntityKind<Account, Balance> account() {
        return EntityKind.durable("account", Account.class, Balance.class, self -> functions())
                .idle(Duration.ofMinutes(1));
    }

    static Server<Account, Balance> functions() {
        return Server.<Account, Balance>of(new Balance(0))
                .call(
                        Deposit.class,
                        (balance, deposit) -> {
                            long cents = balance.cents() + deposit.cents();
                            return Reply.of(cents, new Balance(cents));
                        })
                .cast(Fee.class, (balance, fee) -> new Balance(balance.cents() - fee.cents()));
    }

    // @end

    // @start region="deliver"
    sealed interface Purse {}

    record Pay(long cents, ActorRef<Purse> to, Recipient<Boolean> replyTo)
            implements Purse, Request<Boolean> {}

    record Receive(long cents) implements Purse {}

    static Server<Purse, Balance> purse(EntityContext<Purse> self) {
        return Server.<Purse, Balance>of(new Balance(100))
                .call(
                        Pay.class,
                        (balance, pay) -> {
                            if (pay.cents() > balance.cents()) {
                                return Reply.of(false, balance);
                            }
                            self.deliver(pay.to(), new Receive(pay.cents()));
                            return Reply.of(true, new Balance(balance.cents() - pay.cents()));
                        })
                .cast(
                        Receive.class,
                        (balance, receive) -> new Balance(balance.cents() + receive.cents()));
    }

    // @end

    @Test
    void aPaymentIsDelivered() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("shop");
                            EntityHost bank = EntityHost.start(system, "bank", new MemoryStore())) {
                        Entities<Purse> purses =
                                bank.entities(
                                        EntityKind.durable(
                                                "purse",
                                                Purse.class,
                                                Balance.class,
                                                EntitySnippetsTest::purse));
                        ActorRef<Purse> a = purses.ref("a");
                        ActorRef<Purse> b = purses.ref("b");
                        assertTrue(a.<Boolean>ask(to -> new Pay(100, b, to)));
                        Fiber.sleep(Duration.ofSeconds(1));
                        assertTrue(b.<Boolean>ask(to -> new Pay(200, a, to)));
                    }
                });
    }

    @Test
    void aStateOutlastsTheSystem() {
        TestCord.run(
                () -> {
                    Store store = new MemoryStore();
                    assertEquals(500, deposit(store));
                    assertEquals(1_000, deposit(store));
                });
    }

    private static long deposit(Store store) {
        // @start region="host"
        try (ActorSystem system = ActorSystem.start("shop");
                EntityHost bank = EntityHost.start(system, "bank", store)) {
            Entities<Account> accounts = bank.entities(account());
            ActorRef<Account> alice = accounts.ref("alice"); // valid for ever
            return alice.<Long>ask(to -> new Deposit(500, to)); // it is in the store now
        }
        // @end
    }
}
