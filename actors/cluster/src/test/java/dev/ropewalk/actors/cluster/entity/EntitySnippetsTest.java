package dev.ropewalk.actors.cluster.entity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
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
