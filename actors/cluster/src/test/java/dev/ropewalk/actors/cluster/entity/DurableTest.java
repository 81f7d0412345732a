package dev.ropewalk.actors.cluster.entity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.NotSendableException;
import dev.ropewalk.actors.cluster.internal.entity.DurableDefinitions;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Rules A7 and A8: the state of a durable entity is in the store before anybody hears of it. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class DurableTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<DeadLetter> letters = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    sealed interface Word {}

    record Add(long number, Recipient<Long> replyTo) implements Word, Request<Long> {}

    record Get(Recipient<Long> replyTo) implements Word, Request<Long> {}

    record Fail(Recipient<Long> replyTo) implements Word, Request<Long> {}

    record Close(Recipient<Long> replyTo) implements Word, Request<Long> {}

    /** Tells the listener and adds. */
    record TellAndAdd(ActorRef<String> listener, long number, boolean fails) implements Word {}

    record Befriend(ActorRef<?> other, Recipient<Long> replyTo) implements Word, Request<Long> {}

    record State(long sum, @Nullable ActorRef<?> friend) {}

    private static Server<Word, State> functions() {
        return Server.<Word, State>of(new State(0, null))
                .call(
                        Add.class,
                        (state, add) -> {
                            long sum = state.sum() + add.number();
                            return Reply.of(sum, new State(sum, state.friend()));
                        })
                .call(Get.class, (state, _) -> Reply.of(state.sum(), state))
                .call(
                        Fail.class,
                        (_, _) -> {
                            throw new IllegalStateException("planted");
                        })
                .call(Close.class, (state, _) -> Reply.last(state.sum()))
                .call(
                        Befriend.class,
                        (state, other) ->
                                Reply.of(state.sum(), new State(state.sum(), other.other())))
                .cast(
                        TellAndAdd.class,
                        (state, add) -> {
                            add.listener().tell("added " + add.number());
                            if (add.fails()) {
                                throw new IllegalStateException("planted");
                            }
                            return new State(state.sum() + add.number(), state.friend());
                        });
    }

    private static EntityKind<Word, State> kind() {
        return EntityKind.durable("sum", Word.class, State.class, _ -> functions());
    }

    /** A host on a store. */
    private record Running(
            ActorSystem system, EntityHost host, FaultyStore store, Entities<Word> all) {
        ActorRef<Word> a() {
            return all.ref("a");
        }

        StoreEntry entry() {
            return store.memory.peek(stored("a"));
        }
    }

    private static String stored(String key) {
        return "host/" + DurableDefinitions.stateKey("sum", key);
    }

    /** States are found by it after years. */
    @Test
    void A7_theKeyOfAStateNeverChanges() {
        assertEquals("host/entity/sum/30/a", stored("a"));
        assertEquals("host/entity/sum/01/ä/b", stored("ä/b"));
    }

    @Test
    void A7_aHostFindsNoStatesThatAreInOtherShards() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    run(store, kind(), now -> add(now.a(), 1));
                    StoreEntry table = store.memory.peek("host/shards");
                    String head = new String(table.value(), StandardCharsets.UTF_8);
                    assertTrue(head.startsWith("ropewalk shards: 256, hash: CRC-32C"), head);
                    byte[] other = head.replace("256", "512").getBytes(StandardCharsets.UTF_8);
                    store.memory.replace(table.key(), table.revision(), other);
                    run(
                            store,
                            kind(),
                            now -> {
                                String refused = text(failed(() -> add(now.a(), 2)));
                                assertTrue(refused.contains("ropewalk shards: 512"), refused);
                                assertTrue(refused.contains("the program that wrote it"), refused);
                            });
                    store.memory.replace(
                            table.key(), store.memory.peek(table.key()).revision(), table.value());
                    run(store, kind(), now -> assertEquals(3, add(now.a(), 2)));
                });
    }

    private void run(Consumer<Running> test) {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    run(store, kind(), test);
                    store.memory.checkInvariants();
                });
    }

    private void run(FaultyStore store, EntityKind<Word, ?> kind, Consumer<Running> test) {
        letters.clear();
        told.clear();
        try (ActorSystem system =
                        ActorSystem.start(
                                Tree.oneForOne("system"),
                                ActorSystemOptions.defaults().withDeadLetters(letters::add));
                EntityHost host = EntityHost.start(system, "host", store)) {
            Entities<Word> all = host.entities(kind);
            test.accept(new Running(system, host, store, all));
            all.home().checkInvariants();
        }
    }

    private static long add(ActorRef<Word> to, long number) {
        return to.<Long>ask(replyTo -> new Add(number, replyTo), LONG);
    }

    private static long get(ActorRef<Word> of) {
        return of.<Long>ask(Get::new, LONG);
    }

    private static EntityException failed(Runnable call) {
        AskFailedException failed = assertThrows(AskFailedException.class, call::run);
        return assertInstanceOf(EntityException.class, failed.getCause(), failed::toString);
    }

    private static String text(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    // ---------------------------------------------------------------- the state lasts

    @Test
    void A8_anAcknowledgedStateIsThereInTheNextProcess() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    run(store, kind(), now -> assertEquals(3, add(now.a(), 3)));
                    run(store, kind(), now -> assertEquals(5, add(now.a(), 2)));
                    run(store, kind(), now -> assertEquals(5, get(now.a())));
                });
    }

    @Test
    void A8_anIdleOneGoesOnWithItsState() {
        run(
                now -> {
                    assertEquals(3, add(now.a(), 3));
                    Fiber.sleep(EntityKind.IDLE.multipliedBy(2));
                    assertEquals(0, now.all().running());
                    assertEquals(4, add(now.a(), 1));
                });
    }

    @Test
    void A8_theReplyLeavesAfterTheWrite() {
        run(
                now -> {
                    assertEquals(3, add(now.a(), 3));
                    now.store().delay = Duration.ofSeconds(5);
                    long beganNs = Cord.current().nanoTime();
                    assertEquals(4, add(now.a(), 1));
                    long tookNs = Cord.current().nanoTime() - beganNs;
                    assertTrue(tookNs >= Duration.ofSeconds(5).toNanos(), "took " + tookNs);
                });
    }

    @Test
    void A8_anUnchangedStateIsNotWritten() {
        run(
                now -> {
                    assertEquals(0, get(now.a()));
                    assertFalse(now.entry().isPresent());
                    add(now.a(), 1);
                    long revision = now.entry().revision();
                    assertEquals(1, get(now.a()));
                    assertEquals(revision, now.entry().revision());
                });
    }

    @Test
    void A8_aServerThatEndsRemovesItsState() {
        run(
                now -> {
                    add(now.a(), 7);
                    assertEquals(7, now.a().<Long>ask(Close::new));
                    assertFalse(now.entry().isPresent());
                    assertEquals(0, get(now.a()));
                    assertEquals(2, add(now.a(), 2));
                    var closed = now.a().<Long>askLater(Close::new, LONG).toCompletableFuture();
                    var queued =
                            now.a()
                                    .<Long>askLater(to -> new Add(5, to), LONG)
                                    .toCompletableFuture();
                    assertEquals(5, get(now.a()));
                    assertEquals(2, closed.join());
                    assertEquals(5, queued.join());
                    assertEquals(List.of(), letters);
                });
    }

    // ---------------------------------------------------------------- failures

    @Test
    void A8_aFunctionThatThrowsChangesNothing() {
        run(
                now -> {
                    add(now.a(), 7);
                    AskFailedException failed =
                            assertThrows(
                                    AskFailedException.class,
                                    () -> now.a().<Long>ask(Fail::new, LONG));
                    assertInstanceOf(IllegalStateException.class, failed.getCause());
                    assertEquals(7, get(now.a()));
                });
    }

    @Test
    void A8_aLostReplyOfTheStoreIsUnknownAndTheStateIsReadAgain() {
        run(
                now -> {
                    add(now.a(), 1);
                    now.store().losesReplies = true;
                    EntityException unknown = failed(() -> add(now.a(), 2));
                    assertTrue(text(unknown).contains("unknown"), unknown::getMessage);
                    now.store().losesReplies = false;
                    assertEquals(7, add(now.a(), 4));
                    now.store().losesWrites = true;
                    failed(() -> add(now.a(), 8));
                    now.store().losesWrites = false;
                    assertEquals(7, get(now.a()));
                });
    }

    @Test
    void A7_aHostCountsTheCallsToItsStoreByTheirOutcome() {
        run(
                now -> {
                    add(now.a(), 1); // the table of shards, and the state
                    NodeDump.StoreCalls first = calls(now);
                    assertEquals("a store with faults", first.engine());
                    assertEquals(now.store().reads + now.store().lists, first.reads());
                    assertEquals(now.store().writes, first.written());
                    StoreEntry there = now.entry();
                    now.store().memory.replace(there.key(), there.revision(), there.value());
                    failed(() -> add(now.a(), 2));
                    assertEquals(1, calls(now).refused());
                    now.store().losesReplies = true;
                    failed(() -> add(now.a(), 4));
                    now.store().losesReplies = false;
                    assertEquals(1, calls(now).unknown());
                    now.store().memory.crash(); // the state is read again, in vain
                    assertThrows(AskFailedException.class, () -> add(now.a(), 8));
                    NodeDump.StoreCalls last = calls(now);
                    assertEquals(first.written(), last.written());
                    assertTrue(last.failed() > 0, last::toString);
                    assertEquals(1, last.unknown(), last::toString);
                });
    }

    private static NodeDump.StoreCalls calls(Running now) {
        return Objects.requireNonNull(now.host().storeCalls());
    }

    @Test
    void A7_aHostWithoutAStoreHasNoCalls() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("system");
                            EntityHost host = EntityHost.start(system, "host")) {
                        assertNull(host.storeCalls());
                    }
                });
    }

    @Test
    void A8_aFullDiskFailsTheMessageAndNothingElse() {
        run(
                now -> {
                    add(now.a(), 1);
                    now.store().memory.failWrites();
                    failed(() -> add(now.a(), 2));
                    assertEquals(1, get(now.a()));
                    now.store().memory.recover();
                    assertEquals(5, add(now.a(), 4));
                });
    }

    @Test
    void A8_aStateThatSomebodyElseWroteIsReadAgain() {
        run(
                now -> {
                    add(now.a(), 1);
                    byte[] one = now.entry().value();
                    add(now.a(), 2);
                    now.store().replace(stored("a"), now.entry().revision(), one);
                    List<String> lines = new ArrayList<>();
                    Logs.during(
                            line -> lines.add(line.toString()),
                            () -> {
                                EntityException refused = failed(() -> add(now.a(), 4));
                                assertTrue(text(refused).contains("somebody else"), text(refused));
                                assertEquals(9, add(now.a(), 8));
                            });
                    assertEquals(1, lines.size(), lines::toString);
                    assertTrue(lines.getFirst().contains("somebody else"), lines::toString);
                });
    }

    @Test
    void A8_aStoreThatIsDownFailsTheAskAndTheNextOneWorks() {
        run(
                now -> {
                    now.store().memory.crash();
                    AskFailedException failed =
                            assertThrows(AskFailedException.class, () -> add(now.a(), 1));
                    assertInstanceOf(StoreException.class, failed.getCause(), failed::toString);
                    now.store().memory.recover();
                    assertEquals(2, add(now.a(), 2));
                });
    }

    @Test
    void A8_aStoreThatDoesNotAnswerIsLeft() {
        run(
                now -> {
                    add(now.a(), 1);
                    now.store().delay = Duration.ofMinutes(10);
                    assertThrows(
                            AskTimeoutException.class,
                            () -> now.a().<Long>ask(to -> new Add(2, to), Duration.ofSeconds(2)));
                    EntityException left = failed(() -> add(now.a(), 2));
                    assertTrue(text(left).contains("no answer"), left::getMessage);
                    now.store().delay = Duration.ZERO;
                    assertEquals(4, add(now.a(), 3)); // nothing of those before
                });
    }

    @Test
    void A8_aStoreThatTakesFiveSecondsACallIsWaitedFor() {
        run(
                now -> {
                    add(now.a(), 1); // with the description of its types
                    now.store().delay = Duration.ofSeconds(5);
                    long began = seconds();
                    assertEquals(
                            3, now.a().<Long>ask(to -> new Add(2, to), Duration.ofSeconds(20)));
                    assertEquals(5, seconds() - began);
                });
    }

    // ---------------------------------------------------------------- tells

    @Test
    void A8_aTellLeavesAfterTheWriteAndNeverIfItFails() {
        run(
                now -> {
                    ActorRef<String> listener =
                            now.system()
                                    .spin(
                                            Actor.<String>handler(
                                                    () ->
                                                            word -> {
                                                                told.add(word + " at " + seconds());
                                                                return Behavior.same();
                                                            }));
                    add(now.a(), 1);
                    now.store().delay = Duration.ofSeconds(5);
                    long began = seconds();
                    now.a().tell(new TellAndAdd(listener, 2, false));
                    assertEquals(3, get(now.a()));
                    Fiber.sleep(Duration.ofMillis(1));
                    assertEquals(List.of("added 2 at " + (began + 5)), told);
                    now.a().tell(new TellAndAdd(listener, 2, true));
                    assertEquals(3, get(now.a()));
                    now.store().memory.failWrites();
                    now.a().tell(new TellAndAdd(listener, 2, false));
                    assertEquals(3, get(now.a()));
                    Fiber.sleep(Duration.ofMillis(1));
                    assertEquals(1, told.size());
                });
    }

    private static long seconds() {
        return Duration.ofNanos(Cord.current().nanoTime()).toSeconds();
    }

    // ---------------------------------------------------------------- addresses

    @Test
    void A8_aStateKeepsTheAddressOfAnEntityAndNoOther() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    run(
                            store,
                            kind(),
                            now -> {
                                ActorRef<Word> b = now.all().ref("b/x");
                                now.a().<Long>ask(to -> new Befriend(b, to));
                                ActorRef<Word> plain =
                                        now.system()
                                                .spin(
                                                        Actor.<Word>handler(
                                                                () -> _ -> Behavior.same()));
                                AskFailedException failed =
                                        assertThrows(
                                                AskFailedException.class,
                                                () ->
                                                        now.a()
                                                                .<Long>ask(
                                                                        to ->
                                                                                new Befriend(
                                                                                        plain,
                                                                                        to)));
                                assertInstanceOf(NotSendableException.class, failed.getCause());
                                assertTrue(text(failed).contains("outlasts"), failed::getMessage);
                            });
                    run(
                            store,
                            kind(),
                            now -> {
                                add(now.a(), 1);
                                add(now.all().ref("b/x"), 5);
                                EntityKind<Word, State> seen =
                                        EntityKind.durable(
                                                "seen", Word.class, State.class, _ -> functions());
                                assertEquals("seen", seen.name());
                                assertEquals(5, get(now.all().ref("b/x")));
                            });
                });
    }

    // ---------------------------------------------------------------- what is refused

    @Test
    void A7_aKeyThatDoesNotFitIsRefusedWhereItIsNamed() {
        run(
                now -> {
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> now.all().ref("x".repeat(Store.MAX_KEY)));
                    assertThrows(IllegalArgumentException.class, () -> now.all().ref("a\nb"));
                });
    }

    @Test
    void A7_damagedStatesAreRefusedAndNotRead() {
        run(
                now -> {
                    add(now.a(), 7);
                    byte[] whole = now.entry().value();
                    now.all().home().checkInvariants();
                    for (int i = 0; i < whole.length; i++) {
                        byte[] damaged = whole.clone();
                        damaged[i] ^= 0x55;
                        String key = stored("d" + i);
                        now.store().replace(key, 0, damaged);
                        ActorRef<Word> entity = now.all().ref("d" + i);
                        Object read = attempt(entity);
                        assertTrue(
                                read instanceof EntityException || read instanceof Long,
                                i + " gave " + read);
                    }
                    now.store().replace(stored("e"), 0, new byte[0]);
                    failed(() -> get(now.all().ref("e")));
                    now.store().replace(stored("f"), 0, new byte[] {9, 0});
                    EntityException form = failed(() -> get(now.all().ref("f")));
                    assertTrue(text(form).contains("form=9"), form::getMessage);
                });
    }

    /** Some damages make another number. */
    private static @Nullable Object attempt(ActorRef<Word> entity) {
        try {
            return get(entity);
        } catch (AskFailedException failed) {
            return failed.getCause();
        }
    }

    @Test
    void A7_aStoreThatOtherProcessesMayHaveIsRefused() {
        run(
                now -> {
                    FaultyStore shared = new FaultyStore();
                    shared.isOfOneProcess = false;
                    IllegalArgumentException refused =
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> EntityHost.start(now.system(), "shared", shared));
                    assertTrue(text(refused).contains("SQLite"), refused::getMessage);
                });
    }

    @Test
    void A7_twoHostsOfOneNameOnOneStoreAreRefused() {
        run(
                now -> {
                    IllegalStateException twice =
                            assertThrows(
                                    IllegalStateException.class,
                                    () -> EntityHost.start(now.system(), "host", now.store()));
                    assertTrue(text(twice).contains("another name"), twice::getMessage);
                    try (EntityHost other = EntityHost.start(now.system(), "other", now.store())) {
                        assertEquals(1, add(other.entities(kind()).ref("a"), 1));
                    }
                    assertFalse(now.entry().isPresent());
                });
    }

    // ---------------------------------------------------------------- other programs

    record Old(long sum) {}

    record WithCurrency(long sum, String currency) {}

    private static <S> EntityKind<Word, S> kindOf(Class<S> type, S first) {
        return EntityKind.durable(
                        "sum",
                        Word.class,
                        type,
                        _ ->
                                Server.<Word, S>of(first)
                                        .call(Get.class, (state, _) -> Reply.of(sum(state), state))
                                        .call(
                                                Add.class,
                                                (state, add) -> {
                                                    S next = plus(state, add.number());
                                                    return Reply.of(sum(next), next);
                                                }))
                .named(type, "state");
    }

    private static long sum(Object state) {
        return state instanceof Old(long sum) ? sum : ((WithCurrency) state).sum();
    }

    @SuppressWarnings("unchecked") // of the same type
    private static <S> S plus(S state, long number) {
        Object next =
                switch (state) {
                    case Old(long sum) -> new Old(sum + number);
                    case WithCurrency(long sum, String currency) ->
                            new WithCurrency(
                                    sum + number, Objects.requireNonNullElse(currency, "EUR"));
                    default -> throw new AssertionError(state);
                };
        return (S) next;
    }

    private static EntityKind<Word, Old> older() {
        return kindOf(Old.class, new Old(0));
    }

    private static EntityKind<Word, WithCurrency> newer() {
        return kindOf(WithCurrency.class, new WithCurrency(0, "EUR"));
    }

    @Test
    void A8_anOlderProgramsStateIsReadAndANewerOnesIsRefused() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    run(store, older(), now -> assertEquals(3, add(now.a(), 3)));
                    run(store, newer(), now -> assertEquals(5, add(now.a(), 2)));
                    run(
                            store,
                            older(),
                            now -> {
                                EntityException refused = failed(() -> get(now.a()));
                                assertTrue(text(refused).contains("currency"), refused::getMessage);
                                failed(() -> add(now.a(), 1));
                            });
                    run(store, newer(), now -> assertEquals(5, get(now.a())));
                    run(
                            store,
                            older().drop(Old.class, "currency"),
                            now -> assertEquals(6, add(now.a(), 1)));
                    run(store, older(), now -> assertEquals(6, get(now.a())));
                });
    }

    @Test
    void A8_aComponentOfNoTypeOrOneThatIsThereIsNotDropped() {
        assertThrows(IllegalArgumentException.class, () -> older().drop(Old.class, "sum"));
        assertThrows(IllegalArgumentException.class, () -> older().drop(String.class, "x"));
        run(
                now -> {
                    try (EntityHost other = EntityHost.start(now.system(), "other", now.store())) {
                        IllegalArgumentException none =
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () -> other.entities(newer().drop(Old.class, "currency")));
                        assertTrue(text(none).contains("Old"), none::getMessage);
                        other.entities(older()); // its name is free
                    }
                });
    }

    @Test
    void A8_anUpgradeThatFailsSaysOfWhat() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    run(store, older().named(Old.class, "old"), now -> add(now.a(), 3));
                    EntityKind<Word, WithCurrency> broken =
                            newer().upgrade(
                                            Old.class,
                                            _ -> {
                                                throw new IllegalStateException("planted");
                                            })
                                    .named(Old.class, "old");
                    run(
                            store,
                            broken,
                            now -> {
                                EntityException failed = failed(() -> get(now.a()));
                                assertTrue(
                                        text(failed).contains("the upgrade of host/entity/sum"),
                                        failed::getMessage);
                            });
                });
    }

    @Test
    void A8_aWrittenUpgradeReadsAnotherType() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    run(store, older().named(Old.class, "old"), now -> add(now.a(), 3));
                    run(
                            store,
                            newer(),
                            now -> {
                                EntityException refused = failed(() -> get(now.a()));
                                assertTrue(text(refused).contains("upgrade"), refused::getMessage);
                            });
                    EntityKind<Word, WithCurrency> upgraded =
                            newer().upgrade(Old.class, old -> new WithCurrency(old.sum(), "USD"))
                                    .named(Old.class, "old");
                    run(store, upgraded, now -> assertEquals(4, add(now.a(), 1)));
                    run(store, newer(), now -> assertEquals(4, get(now.a())));
                });
    }
}
