package dev.ropewalk.actors.cluster.entity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.NotSendableException;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/** Rules A7 and A8: entities at the worst moment. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EntityCornerTest {
    private static final Duration IDLE = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final Duration MILLI = Duration.ofMillis(1);

    private final List<String> log = new ArrayList<>();
    private final List<DeadLetter> letters = new ArrayList<>();

    sealed interface Word {}

    record Say(String text) implements Word {}

    record Count(Recipient<Integer> replyTo) implements Word {}

    record Run(Consumer<ActorContext<Word>> code) implements Word {}

    record RunAsk(Function<ActorContext<Word>, Integer> code, Recipient<Integer> replyTo)
            implements Word {}

    private Actor<Word> listener(String key) {
        return Actor.handler(
                (ActorContext<Word> self) -> {
                    log.add(key + " begins");
                    self.atEnd(_ -> log.add(key + " ends"));
                    return listening(self, key, 0);
                });
    }

    private Behavior<Word> listening(ActorContext<Word> self, String key, int heard) {
        return word ->
                switch (word) {
                    case Say(String text) -> {
                        log.add(key + ": " + text);
                        yield listening(self, key, heard + 1);
                    }
                    case Count(var replyTo) -> {
                        replyTo.tell(heard);
                        yield Behavior.same();
                    }
                    case Run(var code) -> {
                        code.accept(self);
                        yield Behavior.same();
                    }
                    case RunAsk(var code, var replyTo) -> {
                        replyTo.tell(code.apply(self));
                        yield Behavior.same();
                    }
                };
    }

    private EntityKind<Word, Void> kind() {
        return EntityKind.of("listener", Word.class, this::listener).idle(IDLE);
    }

    private ActorSystem system(ActorSystemOptions options) {
        log.clear();
        letters.clear();
        return ActorSystem.start(Tree.oneForOne("system"), options.withDeadLetters(letters::add));
    }

    private record Here(ActorSystem system, EntityHost host, Entities<Word> all) {}

    private void run(EntityKind<Word, ?> kind, Consumer<Here> test) {
        TestCord.run(
                () -> {
                    try (ActorSystem system = system(ActorSystemOptions.defaults());
                            EntityHost host = EntityHost.start(system, "home")) {
                        Entities<Word> all = host.entities(kind);
                        test.accept(new Here(system, host, all));
                        all.home().checkInvariants();
                    }
                });
    }

    private void run(Consumer<Here> test) {
        run(kind(), test);
    }

    private static int count(ActorRef<Word> entity) {
        return entity.ask(Count::new, LONG);
    }

    private static String text(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    private static long nowMs() {
        return Cord.current().nanoTime() / 1_000_000;
    }

    private static boolean hasCircle(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof AskCycleException) {
                return true;
            }
        }
        return false;
    }

    private List<DeadLetter.Reason> reasons() {
        return letters.stream().map(DeadLetter::reason).toList();
    }

    // ---------------------------------------------------------------- circles

    @Test
    void A2_aCircleWithOneThatIsToEndFailsAtOnce() {
        run(
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    ActorRef<Word> bob = now.all().ref("bob");
                    long beganMs = nowMs();
                    AskException failed =
                            assertThrows(
                                    AskException.class,
                                    () ->
                                            alice.<Integer>ask(
                                                    to ->
                                                            new RunAsk(
                                                                    _ -> {
                                                                        Fiber.sleep(
                                                                                IDLE.multipliedBy(
                                                                                        2));
                                                                        return viaOther(bob, alice);
                                                                    },
                                                                    to),
                                                    Duration.ofHours(1)));
                    assertTrue(hasCircle(failed), failed::toString);
                    assertTrue(nowMs() - beganMs < 5_000, () -> "took ms " + (nowMs() - beganMs));
                });
    }

    private static int viaOther(ActorRef<Word> other, ActorRef<Word> last) {
        return other.<Integer>ask(
                to -> new RunAsk(_ -> last.<Integer>ask(Count::new, Duration.ofHours(1)), to),
                Duration.ofHours(1));
    }

    @Test
    void A2_anEntityThatAsksItselfAfterItWasToldToStopFailsAtOnce() {
        run(
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    AskException failed =
                            assertThrows(
                                    AskException.class,
                                    () ->
                                            alice.<Integer>ask(
                                                    to ->
                                                            new RunAsk(
                                                                    _ -> {
                                                                        alice.stop();
                                                                        return count(alice);
                                                                    },
                                                                    to),
                                                    LONG));
                    assertTrue(hasCircle(failed), failed::toString);
                });
    }

    @Test
    void A2_circlesOverCordsFailAtOnce() {
        TestCords.run(
                3,
                cords -> {
                    try (ActorSystem system = system(ActorSystemOptions.defaults().over(cords));
                            EntityHost host = EntityHost.start(system, "home")) {
                        Entities<Word> all = host.entities(kind().idle(Duration.ofHours(2)));
                        for (int i = 0; i < 10; i++) {
                            ActorRef<Word> a = all.ref("a" + i);
                            ActorRef<Word> b = all.ref("b" + i);
                            ActorRef<Word> c = all.ref("c" + i);
                            var first = circle(a, b);
                            var second = circle(b, c);
                            var third = circle(c, a);
                            long beganMs = nowMs();
                            while (!(first.isDone() && second.isDone() && third.isDone())) {
                                Fiber.sleep(MILLI);
                                assertTrue(nowMs() - beganMs < 60_000, "hangs");
                            }
                        }
                    }
                });
    }

    private static CompletableFuture<Integer> circle(ActorRef<Word> from, ActorRef<Word> to) {
        return from.<Integer>askLater(
                        reply ->
                                new RunAsk(
                                        _ -> to.<Integer>ask(Count::new, Duration.ofHours(1)),
                                        reply),
                        Duration.ofHours(1))
                .toCompletableFuture();
    }

    // ---------------------------------------------------------------- ends

    @Test
    void A7_whatIsToldBehindATerminateStartsTheNextOne() {
        run(
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    alice.tell(new Run(_ -> Fiber.sleep(IDLE)));
                    Fiber.sleep(MILLI);
                    alice.terminate();
                    alice.tell(new Say("2"));
                    Fiber.sleep(MILLI);
                    assertEquals(1, letters.size()); // the message in hand
                    assertEquals("alice: 2", log.getLast());
                });
    }

    @Test
    void A7_anAskBehindATerminateIsAnswered() {
        run(
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    assertEquals(0, count(alice));
                    alice.terminate();
                    assertEquals(0, count(alice));
                });
    }

    @Test
    void A7_aKillWhileItIsToEndLosesNothing() {
        run(
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    alice.tell(new Run(_ -> Fiber.sleep(IDLE.multipliedBy(4))));
                    alice.tell(new Say("1"));
                    Fiber.sleep(MILLI);
                    alice.stop();
                    alice.tell(new Say("2"));
                    alice.kill();
                    alice.tell(new Say("3"));
                    Fiber.sleep(LONG);
                    List<String> said = log.stream().filter(each -> each.contains(": ")).toList();
                    assertEquals(List.of("alice: 1", "alice: 2", "alice: 3"), said);
                });
    }

    @Test
    void A7_idlenessInABackOffLosesNothing() {
        run(
                kind().idle(Duration.ofMillis(50)),
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    for (int i = 0; i < 5; i++) {
                        alice.tell(
                                new Run(
                                        _ -> {
                                            throw new IllegalStateException("planted");
                                        }));
                    }
                    alice.tell(new Say("1"));
                    Fiber.sleep(Duration.ofMillis(120));
                    alice.tell(new Say("2"));
                    Fiber.sleep(LONG.multipliedBy(10));
                    alice.tell(new Say("3"));
                    Fiber.sleep(LONG);
                    List<String> said = log.stream().filter(each -> each.contains(": ")).toList();
                    assertEquals(List.of("alice: 1", "alice: 2", "alice: 3"), said);
                    assertEquals(5, letters.size());
                    assertEquals(0, now.all().running());
                });
    }

    @Test
    void A7_whoOnlyLooksAtOneDoesNotKeepItRunning() {
        run(
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    ActorRef<Word> bob = now.all().ref("bob");
                    alice.tell(new Say("1"));
                    Fiber.sleep(MILLI);
                    for (int i = 0; i < 50; i++) {
                        bob.tell(new Say("x"));
                        assertEquals(0, alice.mailbox().queued());
                        Fiber.sleep(IDLE.dividedBy(5));
                    }
                    assertEquals(1, now.all().running());
                });
    }

    @Test
    void A7_aRareFailureIsFollowedByAShortPause() {
        run(
                kind().idle(Duration.ofDays(100)),
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    for (int i = 0; i < 10; i++) {
                        alice.tell(
                                new Run(
                                        _ -> {
                                            throw new IllegalStateException("planted");
                                        }));
                        long beganMs = nowMs();
                        count(alice);
                        long tookMs = nowMs() - beganMs;
                        assertTrue(tookMs < 500, i + ": " + tookMs);
                        Fiber.sleep(Duration.ofHours(1));
                    }
                });
    }

    // ---------------------------------------------------------------- keys and definitions

    @Test
    void A7_aKeyOfWhiteSpaceIsRefusedOrWorks() {
        run(
                now -> {
                    for (String key : List.of("\t", "\n", "\u2003", "  ", " \t")) {
                        ActorRef<Word> entity;
                        try {
                            entity = now.all().ref(key);
                        } catch (IllegalArgumentException refused) {
                            continue;
                        }
                        assertEquals(0, count(entity));
                    }
                });
    }

    @Test
    void A7_aDefinitionThatTellsItsOwnKeySaysWhy() {
        List<@Nullable Entities<Word>> made = new ArrayList<>();
        run(
                EntityKind.of(
                        "listener",
                        Word.class,
                        key -> {
                            made.getLast().ref(key).tell(new Say("first"));
                            return listener(key);
                        }),
                now -> {
                    made.add(now.all());
                    ActorRef<Word> alice = now.all().ref("alice");
                    alice.tell(new Say("second"));
                    Fiber.sleep(MILLI);
                    boolean isHeard = log.contains("alice: first");
                    boolean isSaid =
                            letters.stream()
                                    .allMatch(
                                            each -> each.cause() != null && !hasNull(each.cause()));
                    assertTrue(isHeard || isSaid, () -> log + " " + letters);
                });
    }

    private static boolean hasNull(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof NullPointerException) {
                return true;
            }
        }
        return false;
    }

    @Test
    void A7_theFirstAskOfOneThatDoesNotStartHasTheReason() {
        run(
                EntityKind.of(
                        "listener",
                        Word.class,
                        _ ->
                                Actor.handler(
                                        (ActorContext<Word> _) -> {
                                            throw new IllegalStateException("planted");
                                        })),
                now -> {
                    AskFailedException why =
                            assertThrows(
                                    AskFailedException.class, () -> count(now.all().ref("alice")));
                    assertTrue(text(why).contains("planted"), why::toString);
                });
    }

    @Test
    void A7_nullIsRefusedWhereItIsTold() {
        run(
                now -> {
                    assertThrows(
                            NullPointerException.class,
                            () -> now.all().ref("alice").tell((Word) nothing()));
                    assertThrows(
                            NullPointerException.class,
                            () -> now.all().ref("alice").tryTell((Word) nothing()));
                });
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T nothing() {
        return null;
    }

    // ---------------------------------------------------------------- asks

    private CompletableFuture<Integer> cancelled(ActorRef<Word> entity) {
        var later =
                entity.<Integer>askLater(
                                to ->
                                        new RunAsk(
                                                _ -> {
                                                    Fiber.sleep(MILLI.multipliedBy(10));
                                                    return 7;
                                                },
                                                to),
                                LONG)
                        .toCompletableFuture();
        Fiber.sleep(MILLI);
        later.cancel(false);
        Fiber.sleep(MILLI.multipliedBy(50));
        return later;
    }

    @Test
    void A2_theReplyToACancelledAskIsALateOne() {
        run(
                now -> {
                    ActorRef<Word> plain = now.system().spin("plain", listener("plain"));
                    assertTrue(cancelled(plain).isCancelled());
                    assertEquals(List.of(DeadLetter.Reason.LATE_REPLY), reasons());
                    letters.clear();
                    assertTrue(cancelled(now.all().ref("alice")).isCancelled());
                    assertEquals(List.of(DeadLetter.Reason.LATE_REPLY), reasons());
                });
    }

    @Test
    void A2_theReplyToAnAskerThatIsGoneIsALateOne() {
        run(
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    for (ActorRef<Word> asked :
                            List.of(now.system().spin("plain", listener("plain")), alice)) {
                        letters.clear();
                        assertThrows(
                                Exception.class,
                                () ->
                                        CancelScope.cancelAfter(
                                                MILLI,
                                                () ->
                                                        asked.<Integer>ask(
                                                                to ->
                                                                        new RunAsk(
                                                                                _ -> {
                                                                                    Fiber.sleep(
                                                                                            IDLE);
                                                                                    return 7;
                                                                                },
                                                                                to),
                                                                LONG)));
                        Fiber.sleep(LONG);
                        assertEquals(
                                List.of(DeadLetter.Reason.LATE_REPLY), reasons(), asked::toString);
                    }
                });
    }

    @Test
    void A2_aReplyAfterTheLimitIsALateOne() {
        run(
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    assertThrows(
                            AskTimeoutException.class,
                            () ->
                                    alice.<Integer>ask(
                                            to ->
                                                    new RunAsk(
                                                            _ -> {
                                                                Fiber.sleep(IDLE);
                                                                return 7;
                                                            },
                                                            to),
                                            MILLI));
                    Fiber.sleep(LONG);
                    assertEquals(List.of(DeadLetter.Reason.LATE_REPLY), reasons());
                });
    }

    @Test
    void A2_anAskThatIsHeldBeyondItsLimitKeepsNoOtherBack() {
        run(
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    alice.tell(new Run(_ -> Fiber.sleep(IDLE)));
                    Fiber.sleep(MILLI);
                    alice.stop();
                    var late = alice.<Integer>askLater(Count::new, MILLI).toCompletableFuture();
                    var zero =
                            alice.<Integer>askLater(Count::new, Duration.ZERO)
                                    .toCompletableFuture();
                    alice.tell(new Say("2"));
                    assertEquals(1, count(alice));
                    assertTrue(late.isCompletedExceptionally());
                    assertTrue(zero.isCompletedExceptionally());
                });
    }

    @Test
    void A2_aFailureThatIsATimeoutIsNotSwallowed() {
        run(
                now -> {
                    ActorRef<Word> alice = now.all().ref("alice");
                    long beganMs = nowMs();
                    assertThrows(
                            AskFailedException.class,
                            () ->
                                    alice.<Integer>ask(
                                            to ->
                                                    new RunAsk(
                                                            _ -> {
                                                                throw new AskTimeoutException(
                                                                        "of another");
                                                            },
                                                            to),
                                            LONG));
                    assertTrue(nowMs() - beganMs < 1_000);
                });
    }

    @Test
    void A2_anAskThatFindsNoRoomFailsAtOnce() {
        for (MailboxOptions options : List.of(MailboxOptions.bounded(1))) {
            run(
                    EntityKind.of("listener", Word.class, key -> listener(key).mailbox(options)),
                    now -> {
                        ActorRef<Word> alice = now.all().ref("alice");
                        alice.tell(new Run(_ -> Fiber.sleep(LONG)));
                        Fiber.sleep(MILLI);
                        alice.tell(new Say("1"));
                        long beganMs = nowMs();
                        assertThrows(AskFailedException.class, () -> count(alice));
                        assertTrue(nowMs() - beganMs < 100);
                    });
        }
    }

    // ---------------------------------------------------------------- the host's end

    @Test
    void A7_anEntityThatClosesItsHostIsToldThatItCannot() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = system(ActorSystemOptions.defaults())) {
                        EntityHost host = EntityHost.start(system, "home");
                        Entities<Word> all = host.entities(kind());
                        ActorRef<Word> alice = all.ref("alice");
                        alice.tell(new Run(_ -> host.close()));
                        alice.tell(new Say("1"));
                        var later =
                                alice.<Integer>askLater(Count::new, Duration.ofDays(1))
                                        .toCompletableFuture();
                        long beganMs = nowMs();
                        while (!later.isDone()) {
                            Fiber.sleep(MILLI.multipliedBy(100));
                            assertTrue(nowMs() - beganMs < 120_000, "hangs");
                        }
                    }
                });
    }

    @Test
    void A7_whatIsHeldForOneThatNeverEndsIsReportedByTheClose() {
        AssertionError reported =
                assertThrows(
                        AssertionError.class,
                        () ->
                                run(
                                        now -> {
                                            ActorRef<Word> alice = now.all().ref("alice");
                                            alice.tell(new Run(_ -> hang()));
                                            Fiber.sleep(IDLE.multipliedBy(3));
                                            alice.tell(new Say("held"));
                                            var later =
                                                    alice.<Integer>askLater(
                                                                    Count::new, Duration.ofDays(9))
                                                            .toCompletableFuture();
                                            now.host().close();
                                            Fiber.sleep(LONG.multipliedBy(6));
                                            assertTrue(later.isDone(), "the ask hangs");
                                            assertFalse(letters.isEmpty());
                                        }));
        assertTrue(String.valueOf(reported.getMessage()).contains("abandoned"), reported::toString);
    }

    private static void hang() {
        CancelScope.shielded(Duration.ofDays(20), () -> Fiber.sleep(Duration.ofDays(20)));
    }

    @Test
    void A7_aMessageAfterTheSupervisorWasStoppedSaysWhy() {
        run(
                now -> {
                    now.system().root().stop("home");
                    AskFailedException why =
                            assertThrows(
                                    AskFailedException.class, () -> count(now.all().ref("alice")));
                    assertFalse(text(why).contains("null"), why::toString);
                });
    }

    @Test
    void A7_closeAndMessagesOfPlainThreadsAreAllAccounted() throws InterruptedException {
        ConcurrentLinkedQueue<Object> dead = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<String> heard = new ConcurrentLinkedQueue<>();
        int threads = 3;
        int each = 2_000;
        try (ActorSystem system =
                ActorSystem.start(
                        Tree.oneForOne("system"),
                        ActorSystemOptions.defaults()
                                .withCords(2)
                                .withDeadLetters(letter -> dead.add(letter.message())))) {
            EntityHost host = EntityHost.start(system, "home");
            Entities<Word> all =
                    host.entities(
                            EntityKind.of(
                                            "k",
                                            Word.class,
                                            key ->
                                                    Actor.handler(
                                                            (ActorContext<Word> _) ->
                                                                    word -> {
                                                                        heard.add(key + word);
                                                                        return Behavior.same();
                                                                    }))
                                    .idle(MILLI));
            CountDownLatch over = new CountDownLatch(threads);
            for (int t = 0; t < threads; t++) {
                String name = "t" + t;
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    for (int i = 0; i < each; i++) {
                                        all.ref("k" + i % 50).tell(new Say(name + " " + i));
                                        if (i % 10 == 0) {
                                            all.ref("k" + i % 50).stop();
                                        }
                                    }
                                    over.countDown();
                                });
            }
            while (heard.size() < each) {
                Thread.onSpinWait();
            }
            host.close();
            assertTrue(over.await(30, TimeUnit.SECONDS));
        }
        assertEquals(threads * each, heard.size() + dead.size());
    }

    // ---------------------------------------------------------------- durable

    sealed interface Order {}

    record Add(long number, Recipient<Long> replyTo) implements Order, Request<Long> {}

    record Get(Recipient<Long> replyTo) implements Order, Request<Long> {}

    record Do(Consumer<EntityContext<Order>> code, long number) implements Order {}

    record Later(Recipient<Long> replyTo) implements Order, Request<Long> {}

    record Fat(int size, Recipient<Long> replyTo) implements Order, Request<Long> {}

    record Sum(long sum, @Nullable String text) {}

    record OldSum(int sum) {}

    private static EntityKind<Order, Sum> sums(String name) {
        return EntityKind.durable(
                name,
                Order.class,
                Sum.class,
                self ->
                        Server.<Order, Sum>of(new Sum(0, null))
                                .call(
                                        Add.class,
                                        (state, add) -> {
                                            long next = state.sum() + add.number();
                                            return Reply.of(next, new Sum(next, null));
                                        })
                                .call(Get.class, (state, _) -> Reply.of(state.sum(), state))
                                .call(Later.class, (state, _) -> Reply.later(state))
                                .call(
                                        Fat.class,
                                        (state, fat) ->
                                                Reply.of(
                                                        1L,
                                                        new Sum(
                                                                state.sum(),
                                                                "x".repeat(fat.size()))))
                                .cast(
                                        Do.class,
                                        (state, what) -> {
                                            what.code().accept(self);
                                            return what.number() == 0
                                                    ? state
                                                    : new Sum(state.sum() + what.number(), null);
                                        })
                                .endsWhen(sum -> sum.sum() == 100));
    }

    private record Durable(
            ActorSystem system, EntityHost host, FaultyStore store, Entities<Order> all) {}

    private void durable(Consumer<Durable> test) {
        TestCord.run(() -> durable(new FaultyStore(), sums("sum"), test));
    }

    private void durable(FaultyStore store, EntityKind<Order, ?> kind, Consumer<Durable> test) {
        try (ActorSystem system = system(ActorSystemOptions.defaults());
                EntityHost host = EntityHost.start(system, "host", store)) {
            Entities<Order> all = host.entities(kind);
            test.accept(new Durable(system, host, store, all));
            all.home().checkInvariants();
        }
    }

    private static long add(ActorRef<Order> to, long number) {
        return to.<Long>ask(replyTo -> new Add(number, replyTo), Duration.ofMinutes(2));
    }

    private static long get(ActorRef<Order> of) {
        return of.<Long>ask(Get::new, Duration.ofMinutes(2));
    }

    @Test
    void A8_aFailureToldToAnEntityIsHeldToo() {
        durable(
                now -> {
                    ActorRef<Order> a = now.all().ref("a");
                    ActorRef<Order> b = now.all().ref("b");
                    ActorRef<Word> plain = now.system().spin("plain", listener("plain"));
                    for (ActorRef<?> other : List.of(plain, b)) {
                        a.tell(
                                new Do(
                                        _ -> {
                                            other.target().fail(new IllegalArgumentException("f"));
                                            throw new IllegalStateException("planted");
                                        },
                                        1));
                        assertEquals(0, get(a));
                        assertEquals(
                                List.of(),
                                letters.stream()
                                        .filter(each -> each.reason() == DeadLetter.Reason.FAILURE)
                                        .toList(),
                                other::toString);
                    }
                });
    }

    @Test
    void A8_heldTellsToItselfAndOthersComeInOrder() {
        durable(
                now -> {
                    ActorRef<Order> a = now.all().ref("a");
                    ActorRef<Order> b = now.all().ref("b");
                    a.tell(
                            new Do(
                                    self -> {
                                        for (int i = 1; i <= 3; i++) {
                                            int number = i;
                                            a.tell(new Do(_ -> log.add("a" + number), number));
                                            b.tell(new Do(_ -> log.add("b" + number), number));
                                        }
                                        self.actor().insert(new Do(_ -> log.add("inserted"), 10));
                                        self.actor()
                                                .timers()
                                                .once(
                                                        "t",
                                                        Duration.ofSeconds(1),
                                                        new Do(_ -> log.add("timer"), 20));
                                    },
                                    0));
                    Fiber.sleep(Duration.ofSeconds(3));
                    assertEquals(36, get(a));
                    assertEquals(6, get(b));
                    assertEquals(
                            List.of("inserted", "a1", "a2", "a3", "timer"),
                            log.stream().filter(each -> !each.startsWith("b")).toList());
                });
    }

    @Test
    void A8_endsWhenRemovesTheState() {
        durable(
                now -> {
                    ActorRef<Order> a = now.all().ref("a");
                    assertEquals(40, add(a, 40));
                    assertEquals(100, add(a, 60));
                    assertFalse(now.store().memory.peek("host/entity/sum/a").isPresent());
                    assertEquals(1, add(a, 1));
                });
    }

    @Test
    void A8_aStateThatIsTooLargeFailsTheAskAndNothingElse() {
        durable(
                now -> {
                    ActorRef<Order> a = now.all().ref("a");
                    add(a, 3);
                    AskFailedException why =
                            assertThrows(
                                    AskFailedException.class,
                                    () ->
                                            a.<Long>ask(
                                                    to -> new Fat(20_000_000, to),
                                                    Duration.ofHours(1)));
                    assertInstanceOf(NotSendableException.class, why.getCause());
                    assertEquals(4, add(a, 1));
                });
    }

    @Test
    void A8_oneThatWaitsForTheStoreMayBeTerminatedKilledOrStopped() {
        durable(
                now -> {
                    ActorRef<Order> a = now.all().ref("a");
                    add(a, 1);
                    now.store().delay = Duration.ofSeconds(5);
                    for (Runnable end : List.<Runnable>of(a::terminate, a::kill, a::stop)) {
                        var open =
                                a.<Long>askLater(to -> new Add(1, to), Duration.ofHours(1))
                                        .toCompletableFuture();
                        Fiber.sleep(Duration.ofSeconds(2));
                        end.run();
                        Fiber.sleep(Duration.ofSeconds(60));
                        assertTrue(open.isDone());
                        long sum = get(a);
                        if (!open.isCompletedExceptionally()) {
                            assertEquals(sum, open.join());
                        }
                    }
                });
    }

    @Test
    void A8_anUpgradeThatThrowsFailsTheAskWithTheReason() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    durable(
                            store,
                            olds().named(OldSum.class, "old"),
                            now -> add(now.all().ref("a"), 5));
                    durable(
                            store,
                            sums("sum")
                                    .upgrade(
                                            OldSum.class,
                                            _ -> {
                                                throw new IllegalStateException("upgrade");
                                            })
                                    .named(OldSum.class, "old"),
                            now -> {
                                AskFailedException why =
                                        assertThrows(
                                                AskFailedException.class,
                                                () -> get(now.all().ref("a")));
                                assertTrue(
                                        text(why).contains("host/entity/sum/a")
                                                || text(why).contains("host/sum/a"),
                                        why::getMessage);
                                assertTrue(text(why).contains("upgrade"), why::getMessage);
                            });
                    durable(
                            store,
                            sums("sum")
                                    .<OldSum>upgrade(OldSum.class, _ -> nothing())
                                    .named(OldSum.class, "old"),
                            now -> {
                                AskFailedException why =
                                        assertThrows(
                                                AskFailedException.class,
                                                () -> get(now.all().ref("a")));
                                assertTrue(text(why).contains("null"), why::getMessage);
                            });
                });
    }

    private static EntityKind<Order, OldSum> olds() {
        return EntityKind.durable(
                "sum",
                Order.class,
                OldSum.class,
                _ ->
                        Server.<Order, OldSum>of(new OldSum(0))
                                .call(
                                        Add.class,
                                        (state, add) ->
                                                Reply.of(
                                                        state.sum() + add.number(),
                                                        new OldSum(
                                                                (int)
                                                                        (state.sum()
                                                                                + add.number())))));
    }

    @Test
    void A8_aDescriptionThatIsMissingIsSaid() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    durable(
                            store,
                            olds().named(OldSum.class, "old"),
                            now -> add(now.all().ref("a"), 5));
                    store.list("host/schema/", "", 10)
                            .forEach(each -> store.replace(each.key(), each.revision(), null));
                    durable(
                            store,
                            sums("sum")
                                    .upgrade(OldSum.class, old -> new Sum(old.sum(), null))
                                    .named(OldSum.class, "old"),
                            now -> {
                                AskFailedException why =
                                        assertThrows(
                                                AskFailedException.class,
                                                () -> get(now.all().ref("a")));
                                assertTrue(text(why).contains("not whole"), why::getMessage);
                            });
                });
    }

    @Test
    void A8_twoKindsMayHaveOneTypeOfState() {
        durable(
                now -> {
                    Entities<Order> other = now.host().entities(sums("other"));
                    assertEquals(3, add(now.all().ref("a"), 3));
                    assertEquals(4, add(other.ref("a"), 4));
                    assertEquals(1, now.store().list("host/schema/", "", 10).size());
                    assertEquals(3, get(now.all().ref("a")));
                });
    }

    @Test
    void A8_aLateWriteThatWasGivenUpDoesNotUndoAnAcknowledgedOne() {
        durable(
                now -> {
                    ActorRef<Order> a = now.all().ref("a");
                    add(a, 1);
                    now.store().delay = Duration.ofSeconds(11);
                    assertThrows(
                            AskFailedException.class,
                            () -> a.<Long>ask(to -> new Add(2, to), Duration.ofMinutes(5)));
                    now.store().delay = Duration.ZERO;
                    long sum = add(a, 4);
                    assertTrue(sum == 5 || sum == 7, "" + sum);
                });
    }

    @Test
    void A8_manyThatFailAtOnceAllGoOn() {
        durable(
                now -> {
                    now.store().memory.crash();
                    List<CompletableFuture<Long>> open = new ArrayList<>();
                    for (int i = 0; i < 500; i++) {
                        open.add(
                                now.all()
                                        .ref("e" + i)
                                        .<Long>askLater(to -> new Add(1, to), Duration.ofHours(1))
                                        .toCompletableFuture());
                    }
                    Fiber.sleep(LONG);
                    for (var each : open) {
                        assertThrows(CompletionException.class, each::join);
                    }
                    now.store().memory.recover();
                    for (int i = 0; i < 500; i++) {
                        assertEquals(1, add(now.all().ref("e" + i), 1));
                    }
                });
    }

    // ---------------------------------------------------------------- second part

    @Test
    void A7_anEntityThatWaitsForItsOwnEndIsToldSo() {
        run(
                now -> {
                    ActorRef<Word> plain = now.system().spin("plain", listener("plain"));
                    ActorRef<Word> alice = now.all().ref("alice");
                    for (ActorRef<Word> each : List.of(plain, alice)) {
                        long beganMs = nowMs();
                        assertThrows(
                                AskFailedException.class,
                                () ->
                                        each.<Integer>ask(
                                                to ->
                                                        new RunAsk(
                                                                _ -> {
                                                                    each.awaitEnd(
                                                                            Duration.ofHours(1));
                                                                    return 1;
                                                                },
                                                                to),
                                                Duration.ofHours(2)));
                        assertTrue(nowMs() - beganMs < 1_000, each::toString);
                    }
                });
    }

    @Test
    void A7_theEndOfTheSystemWaitsForACloseThatHasBegun() {
        TestCord.run(
                () -> {
                    ActorSystem system = system(ActorSystemOptions.defaults());
                    EntityHost host = EntityHost.start(system, "home");
                    ActorRef<Word> alice = host.entities(kind()).ref("alice");
                    alice.tell(new Run(_ -> Fiber.sleep(Duration.ofMillis(500))));
                    alice.tell(new Say("1"));
                    Fiber<?> other = Fiber.spin("closer", host::close);
                    Fiber.sleep(MILLI);
                    system.close();
                    other.await();
                    assertEquals(List.of(), letters);
                    assertTrue(log.contains("alice: 1"), log::toString);
                });
    }

    @Test
    void A7_aSecondCloseWaitsForTheFirst() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = system(ActorSystemOptions.defaults())) {
                        EntityHost host = EntityHost.start(system, "home");
                        Entities<Word> all = host.entities(kind());
                        all.ref("alice").tell(new Run(_ -> Fiber.sleep(Duration.ofMillis(500))));
                        Fiber<?> other = Fiber.spin("closer", host::close);
                        Fiber.sleep(MILLI);
                        host.close();
                        assertEquals(0, all.running());
                        other.await();
                    }
                });
    }

    @Test
    void A7_whatAsksWhileTheLastOneEndsIsAnsweredByTheNext() {
        TestCord.run(
                () -> {
                    List<CompletableFuture<Integer>> asked = new ArrayList<>();
                    List<ActorRef<Word>> refs = new ArrayList<>();
                    log.clear();
                    ActorSystemOptions options =
                            ActorSystemOptions.defaults()
                                    .withDeadLetters(
                                            letter -> {
                                                if (letter.message().equals(new Say("queued"))) {
                                                    refs.getFirst().tell(new Say("next"));
                                                    asked.add(
                                                            refs.getFirst()
                                                                    .<Integer>askLater(
                                                                            Count::new, LONG)
                                                                    .toCompletableFuture());
                                                }
                                            });
                    try (ActorSystem system = ActorSystem.start(Tree.oneForOne("system"), options);
                            EntityHost host = EntityHost.start(system, "home")) {
                        refs.add(host.entities(kind()).ref("alice"));
                        refs.getFirst().tell(new Run(_ -> Fiber.sleep(IDLE)));
                        refs.getFirst().tell(new Say("queued"));
                        Fiber.sleep(MILLI);
                        refs.getFirst().terminate();
                        Fiber.sleep(IDLE.dividedBy(2));
                        assertTrue(log.contains("alice: next"), log::toString);
                        assertEquals(1, asked.getFirst().join());
                    }
                });
    }

    @Test
    void A7_whatIsHeldIsReportedWhenItsCordEnds() {
        TestCords.run(
                3,
                cords -> {
                    ConcurrentLinkedQueue<Object> dead = new ConcurrentLinkedQueue<>();
                    List<CompletableFuture<Integer>> asked = new ArrayList<>();
                    int told = 0;
                    try (ActorSystem system =
                            ActorSystem.start(
                                    Tree.oneForOne("system"),
                                    ActorSystemOptions.defaults()
                                            .over(cords)
                                            .withDeadLetters(
                                                    letter -> dead.add(letter.message())))) {
                        log.clear();
                        EntityHost host = EntityHost.start(system, "home");
                        Entities<Word> all = host.entities(kind());
                        for (int i = 0; i < 12; i++) {
                            all.ref("e" + i).tell(new Run(_ -> Fiber.sleep(Duration.ofHours(1))));
                        }
                        Fiber.sleep(IDLE.multipliedBy(3));
                        for (int i = 0; i < 12; i++) {
                            all.ref("e" + i).tell(new Say("held"));
                            asked.add(
                                    all.ref("e" + i)
                                            .<Integer>askLater(Count::new, Duration.ofDays(100_000))
                                            .toCompletableFuture());
                            told++;
                        }
                        Fiber.sleep(MILLI);
                        cords.get(1).close();
                        cords.get(2).close();
                        Fiber.sleep(LONG);
                        host.close();
                    }
                    Fiber.sleep(Duration.ofHours(2));
                    for (var each : asked) {
                        assertTrue(each.isDone(), "an ask hangs");
                    }
                    long held = dead.stream().filter(new Say("held")::equals).count();
                    long heard = log.stream().filter(each -> each.endsWith(": held")).count();
                    assertEquals(told, held + heard);
                });
    }

    @Test
    void A7_manyAtOnce() {
        run(
                kind(),
                now -> {
                    for (int i = 0; i < 100_000; i++) {
                        now.all().ref("k" + i).tell(new Run(_ -> {}));
                    }
                    Fiber.sleep(IDLE.dividedBy(2));
                    assertEquals(100_000, now.all().running());
                    Fiber.sleep(IDLE.multipliedBy(3));
                    assertEquals(0, now.all().running());
                    log.clear();
                });
    }

    @Test
    void A8_anAddressOfAnotherKindIsReadWhenThatIsOpen() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    durable(
                            store,
                            friends(),
                            now -> {
                                ActorRef<Order> other = now.host().entities(sums("sum")).ref("b");
                                now.all().ref("a").tell(new Befriend(other));
                                assertEquals(1, get(now.all().ref("a")));
                            });
                    durable(
                            store,
                            friends(),
                            now -> {
                                AskFailedException why =
                                        assertThrows(
                                                AskFailedException.class,
                                                () -> get(now.all().ref("a")));
                                assertTrue(text(why).contains("not open"), why::getMessage);
                                now.host().entities(sums("sum"));
                                assertEquals(1, get(now.all().ref("a")));
                            });
                });
    }

    record Befriend(ActorRef<Order> other) implements Order {}

    record Friend(@Nullable ActorRef<?> other) {}

    private static EntityKind<Order, Friend> friends() {
        return EntityKind.durable(
                "friends",
                Order.class,
                Friend.class,
                _ ->
                        Server.<Order, Friend>of(new Friend(null))
                                .cast(Befriend.class, (_, word) -> new Friend(word.other()))
                                .call(
                                        Get.class,
                                        (state, _) ->
                                                Reply.of(state.other() == null ? 0L : 1L, state)));
    }

    @Test
    void A8_aDropOfWhatIsThereOrOfAnotherRecordIsRefused() {
        durable(
                now -> {
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> now.host().entities(sums("x1").drop(Sum.class, "sum")));
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> now.host().entities(sums("x2").drop(OldSum.class, "y")));
                });
    }

    @Test
    void A8_twoNamesThatAreOneAreRefusedWithTheRemedy() {
        durable(
                now -> {
                    IllegalArgumentException why =
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () ->
                                            now.host()
                                                    .entities(
                                                            sums("x")
                                                                    .named(Sum.class, "n")
                                                                    .named(OldSum.class, "n")));
                    assertTrue(text(why).contains("EntityKind.named"), why::getMessage);
                });
    }

    @Test
    void A8_anUpgradeThatGivesNothingSaysSo() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    durable(
                            store,
                            olds().named(OldSum.class, "old"),
                            now -> add(now.all().ref("a"), 5));
                    durable(
                            store,
                            sums("sum")
                                    .<OldSum>upgrade(OldSum.class, _ -> nothing())
                                    .named(OldSum.class, "old"),
                            now -> {
                                AskFailedException why =
                                        assertThrows(
                                                AskFailedException.class,
                                                () -> get(now.all().ref("a")));
                                assertTrue(text(why).contains("null"), why::getMessage);
                            });
                });
    }

    @Test
    void A8_aTerminateOfAHostFiberWhileItOpensLeavesNothing() {
        durable(
                now -> {
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> EntityHost.start(now.system(), "a/b", now.store()));
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> EntityHost.start(now.system(), "a/b", now.store()));
                });
    }

    record TypedFriend(@Nullable ActorRef<Order> other) {}

    @Test
    void A2_circlesOfActorsAndEntitiesOverCordsFailAtOnce() {
        TestCords.run(
                3,
                cords -> {
                    try (ActorSystem system = system(ActorSystemOptions.defaults().over(cords));
                            EntityHost host = EntityHost.start(system, "home")) {
                        Entities<Word> all = host.entities(kind().idle(Duration.ofHours(2)));
                        var plain =
                                system.supervise(
                                        "plain",
                                        dev.ropewalk.actors.supervision.Supervision.dynamic()
                                                .intensity(1_000, Duration.ofSeconds(1)));
                        for (int i = 0; i < 10; i++) {
                            ActorRef<Word> a = all.ref("a" + i);
                            ActorRef<Word> b =
                                    plain.spin(cords.get(i % 3), "b" + i, listener("b" + i));
                            ActorRef<Word> c = all.ref("c" + i);
                            var first = circle(a, b);
                            var second = circle(b, c);
                            var third = circle(c, a);
                            long beganMs = nowMs();
                            while (!(first.isDone() && second.isDone() && third.isDone())) {
                                Fiber.sleep(MILLI);
                                assertTrue(nowMs() - beganMs < 60_000, "hangs");
                            }
                        }
                    }
                });
    }

    @Test
    void A7_aHostIsClosedAfterItsSupervisorWasStopped() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = system(ActorSystemOptions.defaults())) {
                        EntityHost host = EntityHost.start(system, "home");
                        host.entities(kind()).ref("alice").tell(new Say("1"));
                        system.root().stop("home");
                        host.close();
                    }
                });
    }

    @Test
    void A7_heldMessagesAreReportedWhenTheNextStartFails() {
        boolean[] isBroken = {false};
        run(
                EntityKind.of(
                                "listener",
                                Word.class,
                                key ->
                                        Actor.handler(
                                                (ActorContext<Word> self) -> {
                                                    Fiber.sleep(Duration.ofMillis(20));
                                                    if (isBroken[0]) {
                                                        throw new IllegalStateException("planted");
                                                    }
                                                    return listening(self, key, 0);
                                                }))
                        .idle(IDLE),
                now -> {
                    isBroken[0] = true;
                    ActorRef<Word> alice = now.all().ref("alice");
                    alice.tell(new Say("1"));
                    alice.stop();
                    alice.tell(new Say("2"));
                    var asked =
                            alice.<Integer>askLater(Count::new, Duration.ofHours(1))
                                    .toCompletableFuture();
                    Fiber.sleep(Duration.ofMillis(30));
                    assertEquals(
                            List.of(new Say("1"), new Say("2")),
                            letters.stream()
                                    .map(DeadLetter::message)
                                    .filter(each -> each instanceof Say)
                                    .toList());
                    assertTrue(asked.isCompletedExceptionally());
                });
    }

    record Msg1(int a) {}

    record Msg2(int a, int b) {}

    record Ref1(@Nullable ActorRef<Msg1> other) {}

    record Ref2(@Nullable ActorRef<Msg2> other) {}

    private static <S> EntityKind<Order, S> refs(Class<S> type, S first, S next) {
        return EntityKind.durable(
                        "refs",
                        Order.class,
                        type,
                        _ ->
                                Server.<Order, S>of(first)
                                        .call(Add.class, (_, _) -> Reply.of(1L, next))
                                        .call(Get.class, (state, _) -> Reply.of(1L, state)))
                .named(type, "refs");
    }

    @Test
    void A8_aNewerMessageOfAFriendDoesNotMakeAStateANewerOne() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    durable(
                            store,
                            refs(Ref2.class, new Ref2(null), new Ref2(null))
                                    .named(Msg2.class, "msg"),
                            now -> assertEquals(1, add(now.all().ref("a"), 3)));
                    durable(
                            store,
                            refs(Ref1.class, new Ref1(null), new Ref1(null))
                                    .named(Msg1.class, "msg"),
                            now -> assertEquals(1, get(now.all().ref("a"))));
                });
    }

    @Test
    void A7_aHostWhoseCloseFailsIsOpenNoMore() {
        TestCord.run(
                () -> {
                    FaultyStore store = new FaultyStore();
                    try (ActorSystem system = system(ActorSystemOptions.defaults())) {
                        EntityHost host = EntityHost.start(system, "host", store);
                        system.root().stop("host");
                        try {
                            host.close();
                        } catch (IllegalArgumentException seen) {
                            log.add(text(seen));
                        }
                        EntityHost.start(system, "host", store).close();
                    }
                });
    }

    @Test
    void A8_aPostponedMessageIsHandledOrReportedAndNotAcknowledgedTwice() {
        boolean[] isPostponed = {false};
        durable(
                now -> {
                    isPostponed[0] = false;
                    ActorRef<Order> a = now.all().ref("a");
                    a.tell(
                            new Do(
                                    self -> {
                                        if (!isPostponed[0]) {
                                            isPostponed[0] = true;
                                            self.actor().postpone();
                                        } else {
                                            log.add("again");
                                        }
                                    },
                                    1));
                    long sum = add(a, 0);
                    Fiber.sleep(Duration.ofMinutes(10));
                    assertTrue(log.contains("again") || !letters.isEmpty(), "neither");
                    boolean isReported =
                            letters.stream()
                                    .anyMatch(each -> each.reason() == DeadLetter.Reason.FAILED);
                    assertTrue(!isReported || sum == 0, () -> sum + " " + letters);
                });
    }

    @Test
    void A8_lastBehindQueuedOnesWhileTheStoreFails() {
        durable(
                now -> {
                    ActorRef<Order> a = now.all().ref("a");
                    add(a, 60);
                    now.store().losesReplies = true;
                    var last = a.<Long>askLater(to -> new Add(40, to), LONG).toCompletableFuture();
                    var next =
                            a.<Long>askLater(to -> new Add(3, to), Duration.ofHours(1))
                                    .toCompletableFuture();
                    Fiber.sleep(MILLI);
                    now.store().losesReplies = false;
                    while (!next.isDone()) {
                        Fiber.sleep(MILLI);
                    }
                    assertEquals(3, next.join());
                    assertTrue(last.isCompletedExceptionally());
                    assertEquals(3, get(a));
                });
    }

    @Test
    void A8_aRequestThatIsRefusedBehindTheFunctionLeavesTheStateAsItWas() {
        durable(
                now -> {
                    ActorRef<Order> a = now.all().ref("a");
                    add(a, 1);
                    a.tell(
                            new Do(
                                    self ->
                                            self.actor()
                                                    .stateTimeout(
                                                            Duration.ofSeconds(1),
                                                            new Do(_ -> {}, 0)),
                                    10));
                    long sum = get(a);
                    assertEquals(List.of(DeadLetter.Reason.FAILED), reasons());
                    assertEquals(1, sum, "the message failed, and its state is there");
                });
    }

    @Test
    void A8_aPostponedMessageChangesNoStateTwice() {
        int[] runs = {0};
        durable(
                now -> {
                    runs[0] = 0;
                    ActorRef<Order> a = now.all().ref("a");
                    a.tell(
                            new Do(
                                    self -> {
                                        runs[0]++;
                                        if (runs[0] < 3) {
                                            self.actor().postpone();
                                        }
                                    },
                                    1));
                    Fiber.sleep(Duration.ofMinutes(10));
                    long sum = get(a);
                    assertTrue(
                            sum <= 1 && (sum == 1 || !letters.isEmpty()),
                            () -> sum + " after " + runs[0] + " runs; " + letters);
                });
    }
}
