package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;

/** The examples of the guide, with entities of several nodes. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class NodeEntitySnippetsTest {
    sealed interface Account {}

    record Deposit(long cents, Recipient<Long> replyTo) implements Account, Request<Long> {}

    record Balance(long cents) {}

    private final List<Long> balances = new ArrayList<>();

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

    private Node start(NodeOptions options) {
        Store store = MemoryStore.current();
        ActorSystem system = ActorSystem.start("shop");
        // @start region="node"
        Node node =
                Node.start(
                        system,
                        options.withStore(store)
                                .withProtocol(Protocol.of(Account.class))
                                .withProgramVersion("1.7"));
        Entities<Account> accounts = node.entities(account());
        long cents = accounts.ref("alice").<Long>ask(to -> new Deposit(500, to));
        // @end
        balances.add(cents);
        return node;
    }

    @Test
    void A8_anEntityOfSeveralNodesHasOneState() {
        SimCluster.run(
                3,
                this::start,
                _ -> {
                    assertEquals(
                            List.of(500L, 1_000L, 1_500L), balances.stream().sorted().toList());
                    balances.clear();
                });
    }
}
