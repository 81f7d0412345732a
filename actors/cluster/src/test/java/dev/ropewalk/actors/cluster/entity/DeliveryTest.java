package dev.ropewalk.actors.cluster.entity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.internal.entity.DurableDefinitions;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Rule A8: a delivered message is stored with the state, and counts once. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class DeliveryTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final long FIRST = 1_000;

    private final List<DeadLetter> letters = new ArrayList<>();

    /** Credits that fail, so many times, before one counts. */
    private int failures;

    sealed interface Account {}

    record Transfer(long cents, ActorRef<Account> to, Recipient<Long> replyTo)
            implements Account, Request<Long> {}

    /** To be stored, so without an address for a reply. */
    record Credit(long cents, long number) implements Account {}

    record Get(Recipient<Balance> replyTo) implements Account, Request<Balance> {}

    record Close(Recipient<Long> replyTo) implements Account, Request<Long> {}

    /**
     * The state.
     *
     * @param sent so many transfers
     * @param credits the numbers of those that came, the last ones
     */
    record Balance(long cents, long sent, List<Long> credits) {}

    private EntityKind<Account, Balance> account() {
        return EntityKind.durable("account", Account.class, Balance.class, self -> functions(self))
                .idle(Duration.ofSeconds(20));
    }

    private Server<Account, Balance> functions(EntityContext<Account> self) {
        return Server.<Account, Balance>of(new Balance(FIRST, 0, List.of()))
                .call(
                        Transfer.class,
                        (now, transfer) -> {
                            long number = now.sent() + 1;
                            self.deliver(transfer.to(), new Credit(transfer.cents(), number));
                            long left = now.cents() - transfer.cents();
                            return Reply.of(left, new Balance(left, number, now.credits()));
                        })
                .cast(
                        Credit.class,
                        (now, credit) -> {
                            if (failures > 0) {
                                failures--;
                                throw new IllegalStateException("planted");
                            }
                            if (credit.cents() == 0) {
                                return now;
                            }
                            List<Long> credits = new ArrayList<>(now.credits());
                            credits.add(credit.number());
                            return new Balance(
                                    now.cents() + credit.cents(), now.sent(), List.copyOf(credits));
                        })
                .call(Get.class, (now, _) -> Reply.of(now, now))
                .call(Close.class, (now, _) -> Reply.last(now.cents()));
    }

    /** A host on a store. */
    private record Running(ActorSystem system, FaultyStore store, Entities<Account> all) {
        ActorRef<Account> a() {
            return all.ref("a");
        }

        ActorRef<Account> b() {
            return all.ref("b");
        }

        StoreEntry entry(String key) {
            return store.memory.peek("bank/" + DurableDefinitions.stateKey("account", key));
        }
    }

    private void run(Consumer<Running> test) {
        TestCord.run(
                () -> {
                    failures = 0;
                    FaultyStore store = new FaultyStore();
                    run(store, test);
                    store.memory.checkInvariants();
                });
    }

    private void run(FaultyStore store, Consumer<Running> test) {
        letters.clear();
        try (ActorSystem system =
                        ActorSystem.start(
                                Tree.oneForOne("system"),
                                ActorSystemOptions.defaults().withDeadLetters(letters::add));
                EntityHost host = EntityHost.start(system, "bank", store)) {
            Entities<Account> all = host.entities(account());
            test.accept(new Running(system, store, all));
            all.home().checkInvariants();
        }
    }

    private static long transfer(ActorRef<Account> from, long cents, ActorRef<Account> to) {
        return from.<Long>ask(replyTo -> new Transfer(cents, to, replyTo), LONG);
    }

    private static Balance balance(ActorRef<Account> of) {
        return of.<Balance>ask(Get::new, LONG);
    }

    private static void settle() {
        Fiber.sleep(Duration.ofSeconds(10));
    }

    // ---------------------------------------------------------------- once, and in order

    @Test
    void A8_aDeliveredMessageCountsOnceAndInOrder() {
        run(
                now -> {
                    for (int i = 0; i < 20; i++) {
                        transfer(now.a(), 1, now.b());
                    }
                    settle();
                    assertEquals(FIRST - 20, balance(now.a()).cents());
                    assertEquals(FIRST + 20, balance(now.b()).cents());
                    List<Long> order = new ArrayList<>();
                    for (long i = 1; i <= 20; i++) {
                        order.add(i);
                    }
                    assertEquals(order, balance(now.b()).credits());
                    assertEquals(List.of(), letters);
                });
    }

    @Test
    void A8_whatWasConfirmedIsForgottenOnBothSides() {
        run(
                now -> {
                    transfer(now.a(), 1, now.b());
                    int full = now.entry("a").value().length;
                    Fiber.sleep(Duration.ofMillis(500));
                    int before = now.entry("b").value().length;
                    settle();
                    assertTrue(now.entry("a").value().length < full - 10, "a keeps it");
                    transfer(now.b(), 1, now.a()); // b writes, and forgets a
                    settle();
                    assertTrue(now.entry("b").value().length < before - 8, "b keeps a's number");
                });
    }

    @Test
    void A8_aReceiverThatWritesNothingElseForgetsToo() {
        run(
                now -> {
                    transfer(now.a(), 1, now.b());
                    Fiber.sleep(Duration.ofMillis(500));
                    int before = now.entry("b").value().length;
                    Fiber.sleep(Duration.ofSeconds(10));
                    int after = now.entry("b").value().length;
                    assertTrue(after < before - 8, () -> "b keeps a's number: " + after);
                    Fiber.sleep(Duration.ofMinutes(10)); // another incarnation
                    assertEquals(FIRST + 1, balance(now.b()).cents());
                    assertEquals(after, now.entry("b").value().length);
                });
    }

    @Test
    void A8_aReceiverThatFailsGetsItAgain() {
        run(
                now -> {
                    failures = 5;
                    transfer(now.a(), 1, now.b());
                    transfer(now.a(), 2, now.b());
                    Fiber.sleep(Duration.ofMinutes(5));
                    assertEquals(FIRST + 3, balance(now.b()).cents());
                    assertEquals(List.of(1L, 2L), balance(now.b()).credits());
                    assertEquals(5, letters.size());
                });
    }

    @Test
    void A8_aMessageThatChangesNothingIsKnownToHaveCome() {
        run(
                now -> {
                    transfer(now.a(), 0, now.b());
                    Fiber.sleep(Duration.ofMillis(500));
                    assertTrue(now.entry("b").isPresent(), "b does not know what it had");
                    settle();
                    assertEquals(List.of(), balance(now.b()).credits());
                    transfer(now.b(), 1, now.a());
                    transfer(now.a(), 0, now.b());
                    settle();
                    assertTrue(now.b().awaitEnd(Duration.ofMinutes(2)));
                    assertEquals(FIRST - 1, balance(now.b()).cents()); // what it had is written too
                });
    }

    @Test
    void A8_aMessageToItselfCountsOnce() {
        run(
                now -> {
                    assertEquals(FIRST - 5, transfer(now.a(), 5, now.a()));
                    settle();
                    assertEquals(FIRST, balance(now.a()).cents());
                });
    }

    @Test
    void A8_aSenderThatWasClosedStillDelivers() {
        run(
                now -> {
                    now.store().delay = Duration.ofSeconds(1);
                    transfer(now.a(), 5, now.b());
                    now.a().<Long>ask(Close::new, LONG);
                    now.store().delay = Duration.ZERO;
                    settle();
                    assertEquals(FIRST + 5, balance(now.b()).cents());
                    transfer(now.a(), 7, now.b()); // another life, whose numbers go on
                    settle();
                    assertEquals(FIRST + 12, balance(now.b()).cents());
                });
    }

    @Test
    void A8_aLostConfirmationIsAskedForAgainAndNothingCountsTwice() {
        run(
                now -> {
                    transfer(now.a(), 5, now.b());
                    now.a().kill(); // its confirmation meets the next incarnation, or none
                    settle();
                    assertEquals(FIRST + 5, balance(now.b()).cents());
                    assertEquals(FIRST - 5, balance(now.a()).cents());
                });
    }

    @Test
    void A8_aMessageWaitsForTheNextProcess() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    failures = Integer.MAX_VALUE;
                    run(store, now -> transfer(now.a(), 5, now.b()));
                    failures = 0;
                    run(
                            store,
                            now -> {
                                settle(); // nobody tells a or b anything
                                assertEquals(2, now.all().running());
                                assertEquals(FIRST + 5, balance(now.b()).cents());
                                settle();
                            });
                    run(
                            store,
                            now -> {
                                settle();
                                assertEquals(0, now.all().running());
                            });
                });
    }

    @Test
    void A8_aSenderThatWasStoppedTellsAgainAlsoIfItsFirstWordIsAnotherOne() {
        run(
                now -> {
                    failures = 3;
                    transfer(now.a(), 5, now.b());
                    now.a().stop();
                    balance(now.a()); // changes nothing, and must not take its alarm away
                    Fiber.sleep(Duration.ofMinutes(2));
                    assertEquals(FIRST + 5, balance(now.b()).cents());
                });
    }

    @Test
    void A8_aWriteOfUnknownOutcomeThatTookEffectIsDeliveredWithoutAnotherMessage() {
        run(
                now -> {
                    balance(now.a());
                    now.store().losesReplies = true;
                    assertThrows(AskFailedException.class, () -> transfer(now.a(), 5, now.b()));
                    now.store().losesReplies = false;
                    Fiber.sleep(Duration.ofSeconds(30));
                    assertEquals(FIRST + 5, balance(now.b()).cents());
                });
    }

    @Test
    void A8_aReceiverThatFailedIsNotKeptWaitingByOthers() {
        run(
                now -> {
                    failures = 1;
                    transfer(now.a(), 5, now.b());
                    Fiber.sleep(Duration.ofMillis(10));
                    assertEquals(0, failures);
                    ActorRef<Account> busy = now.all().ref("busy");
                    for (int i = 0; i < 20; i++) {
                        transfer(now.a(), 1, busy);
                        Fiber.sleep(Duration.ofMillis(300));
                    }
                    assertEquals(FIRST + 5, balance(now.b()).cents());
                });
    }

    @Test
    void A8_aMessageToAKindThatIsNotOpenWaitsAndKeepsNothingBack() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    failures = Integer.MAX_VALUE;
                    try (ActorSystem system = ActorSystem.start("system");
                            EntityHost host = EntityHost.start(system, "bank", store)) {
                        Entities<Account> all = host.entities(account());
                        Entities<Account> others = host.entities(other());
                        transfer(all.ref("a"), 5, others.ref("b"));
                    }
                    failures = 0;
                    try (ActorSystem system = ActorSystem.start("system");
                            EntityHost host = EntityHost.start(system, "bank", store)) {
                        Entities<Account> all = host.entities(account());
                        settle();
                        assertEquals(FIRST - 8, transfer(all.ref("a"), 3, all.ref("c")));
                        settle();
                        assertEquals(FIRST + 3, balance(all.ref("c")).cents());
                        Entities<Account> others = host.entities(other());
                        Fiber.sleep(Duration.ofMinutes(2));
                        assertEquals(FIRST + 5, balance(others.ref("b")).cents());
                    }
                });
    }

    private EntityKind<Account, Balance> other() {
        return EntityKind.durable("other", Account.class, Balance.class, self -> functions(self));
    }

    // ---------------------------------------------------------------- refused

    @Test
    void A8_onlyADurableEntityOfTheHostIsDeliveredTo() {
        run(
                now -> {
                    ActorRef<Account> plain =
                            now.system()
                                    .spin(
                                            Actor.handler(
                                                    (ActorContext<Account> _) ->
                                                            _ -> Behavior.same()));
                    AskFailedException refused =
                            assertThrows(
                                    AskFailedException.class, () -> transfer(now.a(), 5, plain));
                    assertTrue(
                            String.valueOf(refused.getMessage()).contains("no durable entity"),
                            refused::getMessage);
                    assertEquals(FIRST, balance(now.a()).cents());
                    assertFalse(now.entry("a").isPresent());
                });
    }

    @Test
    void A8_aContextDeliversOnlyWithinAMessage() {
        List<EntityContext<Account>> contexts = new ArrayList<>();
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    try (ActorSystem system = ActorSystem.start("system");
                            EntityHost host = EntityHost.start(system, "bank", store)) {
                        Entities<Account> all =
                                host.entities(
                                        EntityKind.durable(
                                                "account",
                                                Account.class,
                                                Balance.class,
                                                self -> {
                                                    contexts.add(self);
                                                    return functions(self);
                                                }));
                        balance(all.ref("a"));
                        assertThrows(
                                IllegalStateException.class,
                                () -> contexts.getLast().deliver(all.ref("b"), new Credit(1, 1)));
                        store.delay = Duration.ofSeconds(1);
                        var open =
                                all.ref("a")
                                        .<Long>askLater(
                                                to -> new Transfer(1, all.ref("b"), to), LONG)
                                        .toCompletableFuture();
                        Fiber.sleep(Duration.ofMillis(10)); // it is written
                        assertThrows(
                                IllegalStateException.class,
                                () -> contexts.getLast().deliver(all.ref("b"), new Credit(1, 1)));
                        assertFalse(open.isDone());
                        store.delay = Duration.ZERO;
                        settle();
                        assertEquals(FIRST + 1, balance(all.ref("b")).cents());
                    }
                });
    }

    // ---------------------------------------------------------------- a game

    @Test
    void A8_noCentIsLostOrMadeWhateverFails() {
        for (long seed = 1; seed <= 100; seed++) {
            play(seed);
        }
    }

    @Test
    @Tag("stress")
    @Timeout(value = 900, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_noCentIsLostOrMadeWhateverFailsInManyGames() {
        for (long seed = 1_000; seed < 11_000; seed++) {
            play(seed);
        }
    }

    private void play(long seed) {
        TestCord.run(
                seed,
                true,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    FaultyStore store = new FaultyStore();
                    failures = 0;
                    long[] acknowledged = new long[4];
                    for (int i = 0; i < 4; i++) {
                        run(store, now -> transferAround(now, random, acknowledged));
                    }
                    store.losesReplies = false;
                    store.losesWrites = false;
                    failures = 0;
                    run(store, now -> check(now, acknowledged, seed));
                });
    }

    private void transferAround(Running now, SplittableRandom random, long[] acknowledged) {
        Cord here = Cord.current();
        for (int i = 0; i < 4; i++) {
            int from = i;
            long seed = random.nextLong();
            here.spin("transfers " + i, () -> transferSome(now, from, seed, acknowledged));
        }
        for (int i = 0; i < 10; i++) {
            Fiber.sleep(Duration.ofMillis(random.nextInt(3_000)));
            now.store().losesReplies = random.nextInt(3) == 0;
            now.store().losesWrites = random.nextInt(4) == 0;
            now.store().delay = Duration.ofMillis(random.nextInt(3) == 0 ? random.nextInt(800) : 0);
            failures = random.nextInt(3);
            ActorRef<Account> other = now.all().ref("" + random.nextInt(4));
            switch (random.nextInt(4)) {
                case 0 -> other.kill();
                case 1 -> other.stop();
                case 2 -> other.terminate();
                default -> {}
            }
        }
        now.store().delay = Duration.ZERO;
    }

    private static void transferSome(Running now, int from, long seed, long[] acknowledged) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 10; i++) {
            Fiber.sleep(Duration.ofMillis(random.nextInt(1_000)));
            int to = random.nextInt(4);
            try {
                transfer(now.all().ref("" + from), 1 + random.nextInt(5), now.all().ref("" + to));
                acknowledged[from]++;
            } catch (AskException unknown) {
                // it may have been written
            }
        }
    }

    private static void check(Running now, long[] acknowledged, long seed) {
        Fiber.sleep(Duration.ofMinutes(10));
        long sum = 0;
        long sent = 0;
        long received = 0;
        for (int i = 0; i < 4; i++) {
            Balance balance = balance(now.all().ref("" + i));
            sum += balance.cents();
            sent += balance.sent();
            received += balance.credits().size();
            assertTrue(
                    balance.sent() >= acknowledged[i],
                    i + " sent " + balance.sent() + " < " + acknowledged[i] + ", seed=" + seed);
        }
        assertEquals(4 * FIRST, sum, "seed=" + seed);
        assertEquals(sent, received, "seed=" + seed);
        assertTrue(sent > 0, "nothing was played, seed=" + seed);
    }
}
