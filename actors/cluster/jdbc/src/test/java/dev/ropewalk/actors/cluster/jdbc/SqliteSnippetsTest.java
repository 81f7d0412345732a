package dev.ropewalk.actors.cluster.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityHost;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** The example of the guide's page on entities, on SQLite. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SqliteSnippetsTest {
    @TempDir private Path folder;

    sealed interface Account {}

    record Deposit(long cents, Recipient<Long> replyTo) implements Account, Request<Long> {}

    record Balance(long cents) {}

    private static EntityKind<Account, Balance> account() {
        return EntityKind.durable(
                "account",
                Account.class,
                Balance.class,
                _ ->
                        Server.<Account, Balance>of(new Balance(0))
                                .call(
                                        Deposit.class,
                                        (balance, deposit) -> {
                                            long cents = balance.cents() + deposit.cents();
                                            return Reply.of(cents, new Balance(cents));
                                        }));
    }

    @Test
    void A8_aStateOutlastsTheProgram() {
        assertEquals(500, deposit());
        assertEquals(1_000, deposit());
    }

    private long deposit() {
        // @start region="host"
        try (Store store = JdbcStore.open(JdbcOptions.sqlite(folder.resolve("bank.db")));
                ActorSystem system = ActorSystem.start("shop");
                EntityHost bank = EntityHost.start(system, "bank", store)) {
            Entities<Account> accounts = bank.entities(account());
            ActorRef<Account> alice = accounts.ref("alice"); // valid for ever
            return alice.<Long>ask(to -> new Deposit(500, to)); // it is on the disk now
        }
        // @end
    }
}
