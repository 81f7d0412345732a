package dev.ropewalk.actors.cluster.entity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Rule A7: entities that run without a message, as far as they have a state. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class RememberedTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    sealed interface Word {}

    record Add(long number, Recipient<Long> replyTo) implements Word, Request<Long> {}

    record Close(Recipient<Long> replyTo) implements Word, Request<Long> {}

    /** Sets a reminder that is far away. */
    record Remind(Recipient<Long> replyTo) implements Word, Request<Long> {}

    record Reminded() implements Word {}

    record Fail(Recipient<Long> replyTo) implements Word, Request<Long> {}

    record Get(Recipient<Long> replyTo) implements Word, Request<Long> {}

    record Sum(long value) {}

    /** Keys whose functions cannot be made. */
    private final Set<String> broken = new HashSet<>();

    private int made;

    private EntityKind<Word, Sum> kind() {
        return EntityKind.durable(
                "sum",
                Word.class,
                Sum.class,
                self -> {
                    made++;
                    if (broken.contains(self.key())) {
                        throw new IllegalStateException("planted");
                    }
                    return Server.<Word, Sum>of(new Sum(0))
                            .call(
                                    Add.class,
                                    (now, add) -> {
                                        long sum = now.value + add.number;
                                        return Reply.of(sum, new Sum(sum));
                                    })
                            .call(Get.class, (now, _) -> Reply.of(now.value, now))
                            .call(
                                    Remind.class,
                                    (now, _) -> {
                                        Instant far = Instant.parse("9999-01-01T00:00:00Z");
                                        self.remindAt("far", far, new Reminded());
                                        return Reply.of(now.value, now);
                                    })
                            .cast(Reminded.class, (now, _) -> now)
                            .call(
                                    Fail.class,
                                    (_, _) -> {
                                        throw new IllegalStateException("planted");
                                    })
                            .call(Close.class, (now, _) -> Reply.last(now.value));
                });
    }

    private void run(Store store, EntityKind<Word, ?> kind, Consumer<Entities<Word>> test) {
        made = 0;
        try (ActorSystem system = ActorSystem.start("system");
                EntityHost host = EntityHost.start(system, "host", store)) {
            Entities<Word> all = host.entities(kind);
            test.accept(all);
            all.home().checkInvariants();
        }
    }

    private static long add(Entities<Word> all, String key, long number) {
        return all.ref(key).<Long>ask(to -> new Add(number, to), LONG);
    }

    /** So many have a state. */
    private void fill(MemoryStore store, int count) {
        run(
                store,
                kind(),
                all -> {
                    List<CompletionStage<Long>> added = new ArrayList<>();
                    for (int i = 0; i < count; i++) {
                        added.add(all.ref("k" + i).askLater(to -> new Add(1, to), LONG));
                    }
                    for (CompletionStage<Long> each : added) {
                        while (!each.toCompletableFuture().isDone()) {
                            Fiber.sleep(Duration.ofMillis(10));
                        }
                        assertEquals(1, each.toCompletableFuture().join());
                    }
                });
    }

    @Test
    void A7_thoseWithAStateRunWithoutAMessageAndForEver() {
        TestCord.run(
                () -> {
                    MemoryStore store = new MemoryStore();
                    run(
                            store,
                            kind().remembered(),
                            all -> {
                                add(all, "a", 1);
                                add(all, "b", 2);
                                add(all, "c", 3);
                                all.ref("c").<Long>ask(Close::new);
                                Fiber.sleep(Duration.ofDays(1));
                                assertEquals(2, all.running());
                            });
                    run(
                            store,
                            kind().remembered(),
                            all -> {
                                Fiber.sleep(Duration.ofSeconds(1));
                                assertEquals(2, all.running());
                                assertEquals(2, made);
                                Fiber.sleep(Duration.ofDays(1));
                                assertEquals(2, all.running());
                                assertEquals(2, made);
                                assertEquals(11, add(all, "a", 10));
                            });
                    run(
                            store,
                            kind(),
                            all -> {
                                Fiber.sleep(Duration.ofSeconds(1));
                                assertEquals(0, all.running());
                            });
                });
    }

    @Test
    void A7_oneThatFailsReadsItsStateAgainWithoutAMessage() {
        for (boolean hasReminder : new boolean[] {false, true}) {
            TestCord.run(() -> failOnce(hasReminder));
        }
    }

    private void failOnce(boolean hasReminder) {
        FaultyStore store = new FaultyStore();
        run(
                store,
                kind().remembered(),
                all -> {
                    add(all, "a", 1);
                    if (hasReminder) {
                        all.ref("a").<Long>ask(Remind::new, LONG);
                    }
                    Fiber.sleep(Duration.ofMinutes(1));
                    store.reads = 0;
                    assertThrows(
                            AskFailedException.class,
                            () -> all.ref("a").<Long>ask(Fail::new, LONG));
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(0, store.reads);
                    Fiber.sleep(Duration.ofSeconds(15));
                    assertEquals(1, store.reads);
                    Fiber.sleep(Duration.ofMinutes(30));
                    assertEquals(1, store.reads);
                });
    }

    @Test
    void A7_oneWithoutAStateStopsForIdleness() {
        TestCord.run(
                () ->
                        run(
                                new MemoryStore(),
                                kind().remembered().idle(Duration.ofMinutes(1)),
                                all -> {
                                    add(all, "a", 1);
                                    add(all, "c", 1);
                                    for (int i = 0; i < 10; i++) {
                                        all.ref("x" + i).<Long>ask(Get::new, LONG);
                                    }
                                    all.ref("c").<Long>ask(Close::new, LONG);
                                    all.ref("c").<Long>ask(Get::new, LONG);
                                    assertEquals(12, all.running());
                                    Fiber.sleep(Duration.ofMinutes(3));
                                    assertEquals(1, all.running());
                                }));
    }

    @Test
    void A7_oneThatWasToldToStopRunsAgainByAMessageOrWithTheNextProcess() {
        TestCord.run(
                () -> {
                    MemoryStore store = new MemoryStore();
                    run(
                            store,
                            kind().remembered(),
                            all -> {
                                Fiber.sleep(Duration.ofSeconds(1)); // all shards were looked at
                                add(all, "a", 1);
                                all.ref("a").stop();
                                Fiber.sleep(Duration.ofHours(1));
                                assertEquals(0, all.running());
                                add(all, "a", 1);
                                all.ref("a").stop();
                                Fiber.sleep(Duration.ofSeconds(1));
                            });
                    run(
                            store,
                            kind().remembered(),
                            all -> {
                                Fiber.sleep(Duration.ofSeconds(1));
                                assertEquals(1, all.running());
                            });
                });
    }

    @Test
    void A7_oneThatThrowsAtEachStartKeepsNoOtherBackAndIsTriedAgain() {
        TestCord.run(
                () -> {
                    MemoryStore store = new MemoryStore();
                    fill(store, 20);
                    broken.addAll(Set.of("k1", "k7"));
                    run(
                            store,
                            kind().remembered(),
                            all -> {
                                Fiber.sleep(Duration.ofMinutes(1));
                                assertTrue(made > 24 && made < 60, "made=" + made);
                                broken.clear();
                                Fiber.sleep(Duration.ofSeconds(30));
                                int before = made;
                                Fiber.sleep(Duration.ofHours(1));
                                assertEquals(before, made);
                                assertEquals(20, all.running());
                            });
                });
    }

    @Test
    void A7_theyAreStartedAHundredASecondAndOthersDoNotWait() {
        startMany(10_000);
    }

    @Test
    @Tag("stress")
    void A7_aHundredThousandAreStartedAHundredASecond() {
        startMany(100_000);
    }

    private void startMany(int count) {
        TestCord.run(
                1,
                true,
                () -> {
                    MemoryStore store = new MemoryStore();
                    fill(store, count);
                    run(
                            store,
                            kind().remembered(),
                            all -> {
                                Fiber.sleep(Duration.ofSeconds(10));
                                int soon = all.running();
                                assertTrue(soon > 700 && soon <= 1_001, "running=" + soon);
                                assertEquals(2, add(all, "k" + (count - 1), 1));
                                Fiber.sleep(Duration.ofSeconds(count / 66));
                                assertEquals(count, all.running());
                                assertEquals(count, made);
                            });
                });
    }

    @Test
    void A7_aKindInMemoryIsNotRemembered() {
        var inMemory =
                EntityKind.of("x", String.class, _ -> Actor.handler(() -> _ -> Behavior.same()));
        assertThrows(IllegalStateException.class, inMemory::remembered);
    }
}
