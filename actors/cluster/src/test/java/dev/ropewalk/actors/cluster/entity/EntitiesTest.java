package dev.ropewalk.actors.cluster.entity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Rule A7: entities of one process, whose state is in memory. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EntitiesTest {
    private static final Duration IDLE = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(10);

    private final List<String> log = new ArrayList<>();
    private final List<DeadLetter> letters = new ArrayList<>();

    sealed interface Word {}

    record Say(String text) implements Word {}

    record Count(Recipient<Integer> replyTo) implements Word {}

    record Work(Duration time) implements Word {}

    record Fail() implements Word {}

    record End() implements Word {}

    /** Asks the first of the way, which asks the next one; the last one replies. */
    record Walk(List<ActorRef<Word>> way, Recipient<Integer> replyTo) implements Word {}

    /** Its state is how many words it has heard since its start. */
    private Actor<Word> listener(String key) {
        return Actor.handler(
                (ActorContext<Word> self) -> {
                    log.add(key + " begins");
                    self.atEnd(_ -> log.add(key + " ends"));
                    return listening(key, 0);
                });
    }

    private Behavior<Word> listening(String key, int heard) {
        return word ->
                switch (word) {
                    case Say say -> {
                        log.add(key + ": " + say.text());
                        yield listening(key, heard + 1);
                    }
                    case Count count -> {
                        count.replyTo().tell(heard);
                        yield Behavior.same();
                    }
                    case Work work -> {
                        Fiber.sleep(work.time());
                        yield listening(key, heard + 1);
                    }
                    case Fail _ -> throw new IllegalStateException("planted");
                    case End _ -> Behavior.stopped();
                    case OwnAddress _ -> Behavior.unhandled();
                    case Walk walk -> {
                        walk.replyTo().tell(walk.way().isEmpty() ? heard : next(walk.way()));
                        yield Behavior.same();
                    }
                };
    }

    private static int next(List<ActorRef<Word>> way) {
        List<ActorRef<Word>> rest = way.subList(1, way.size());
        return way.getFirst().ask(to -> new Walk(rest, to), LONG);
    }

    private EntityKind<Word, Void> kind() {
        return EntityKind.of("listener", Word.class, this::listener).idle(IDLE);
    }

    private void run(Consumer<Entities<Word>> test) {
        run(kind(), test);
    }

    private void run(EntityKind<Word, ?> kind, Consumer<Entities<Word>> test) {
        TestCord.run(
                () -> {
                    try (ActorSystem system = system();
                            EntityHost host = EntityHost.start(system, "home")) {
                        Entities<Word> entities = host.entities(kind);
                        test.accept(entities);
                        entities.home().checkInvariants();
                    }
                });
    }

    /** A body runs in two orders. */
    private ActorSystem system() {
        log.clear();
        letters.clear();
        return ActorSystem.start(
                Tree.oneForOne("system"),
                ActorSystemOptions.defaults().withDeadLetters(letters::add));
    }

    private static int count(ActorRef<Word> entity) {
        return entity.ask(Count::new);
    }

    private List<Object> lost() {
        return letters.stream().map(DeadLetter::message).toList();
    }

    private static String text(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    // ---------------------------------------------------------------- start and end

    @Test
    void A7_theFirstMessageStartsAnEntity() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    Fiber.sleep(IDLE);
                    assertEquals(0, all.running());
                    alice.tell(new Say("hello"));
                    assertEquals(1, count(alice));
                    assertEquals(1, all.running());
                    assertEquals(List.of("alice begins", "alice: hello"), log);
                });
        assertEquals("alice ends", log.getLast());
    }

    @Test
    void A7_twoAddressesOfAKeyAreEqual() {
        run(
                all -> {
                    assertEquals(all.ref("a"), all.ref("a"));
                    assertEquals(all.ref("a").hashCode(), all.ref("a").hashCode());
                    assertNotEquals(all.ref("a"), all.ref("b"));
                });
    }

    @Test
    void A7_anIdleOneEndsAndTheNextMessageStartsIt() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    assertEquals(0, count(alice));
                    Fiber.sleep(IDLE.multipliedBy(2));
                    assertEquals(0, all.running());
                    alice.tell(new Say("again"));
                    assertEquals(1, count(alice));
                    assertEquals(
                            List.of("alice begins", "alice ends", "alice begins", "alice: again"),
                            log);
                });
    }

    @Test
    void A7_oneThatIsTalkedToDoesNotEnd() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    for (int i = 0; i < 10; i++) {
                        alice.tell(new Say("" + i));
                        all.ref("other" + i).tell(new Say("x"));
                        Fiber.sleep(IDLE.dividedBy(2));
                    }
                    assertEquals(10, count(alice));
                    assertTrue(all.running() <= 5, all.running() + " run");
                });
    }

    @Test
    void A7_theMessagesThatComeWhileOneEndsAreHeldInOrder() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    alice.tell(new Work(IDLE.multipliedBy(3)));
                    alice.stop();
                    Fiber.sleep(IDLE.multipliedBy(2)); // it is told to end, and works
                    alice.tell(new Say("1"));
                    alice.tell(new Say("2"));
                    assertEquals(2, count(alice));
                    assertEquals(
                            List.of(
                                    "alice begins",
                                    "alice ends",
                                    "alice begins",
                                    "alice: 1",
                                    "alice: 2"),
                            log);
                    assertEquals(List.of(), letters);
                });
    }

    @Test
    void A7_tooManyHeldMessagesAreDeadLetters() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    alice.tell(new Work(IDLE.multipliedBy(3)));
                    alice.stop();
                    for (int i = 0; i < 10_001; i++) {
                        alice.tell(new Say("" + i));
                    }
                    assertEquals(List.of(new Say("10000")), lost());
                    assertEquals(DeadLetter.Reason.REFUSED, letters.getFirst().reason());
                    AskFailedException refused =
                            assertThrows(AskFailedException.class, () -> count(alice));
                    assertTrue(text(refused).contains("10000 messages"), refused::getMessage);
                });
    }

    @Test
    void A7_aStopEndsItBehindItsMessages() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    alice.tell(new Say("1"));
                    alice.stop();
                    alice.tell(new Say("2"));
                    assertEquals(1, count(alice));
                    assertEquals(
                            List.of(
                                    "alice begins",
                                    "alice: 1",
                                    "alice ends",
                                    "alice begins",
                                    "alice: 2"),
                            log);
                });
    }

    @Test
    void A7_oneThatEndsItselfIsStartedByTheNextMessage() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    alice.tell(new End());
                    assertTrue(alice.awaitEnd(LONG));
                    assertEquals(0, all.running());
                    assertEquals(0, count(alice));
                });
    }

    @Test
    void A7_oneThatWorksOrOwesAReplyIsNotIdle() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    alice.tell(new Work(IDLE.multipliedBy(5)));
                    Fiber.sleep(IDLE.multipliedBy(3));
                    alice.tell(new Say("1"));
                    assertEquals(2, count(alice)); // it has heard both
                    assertEquals(1, all.running());
                });
    }

    @Test
    void A7_oneOwesNoReplyWhenItsAskerHasGivenUp() {
        EntityKind<Word, Void> deaf =
                EntityKind.of(
                        "deaf",
                        Word.class,
                        _ -> Actor.handler((ActorContext<Word> _) -> _ -> Behavior.same()));
        run(
                deaf.idle(IDLE),
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    Fiber<?> asker =
                            Fiber.spin(
                                    "asks",
                                    () ->
                                            assertThrows(
                                                    AskTimeoutException.class,
                                                    () ->
                                                            alice.<Integer>ask(
                                                                    Count::new,
                                                                    IDLE.multipliedBy(4))));
                    Fiber.sleep(IDLE.multipliedBy(3));
                    assertEquals(1, all.running(), "it may reply until then");
                    asker.await();
                    Fiber.sleep(IDLE.multipliedBy(4));
                    assertEquals(0, all.running());
                });
    }

    @Test
    void A7_theMessagesBehindATerminationStartTheNextOne() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    alice.tell(new Say("1"));
                    Fiber.sleep(Duration.ofMillis(1));
                    alice.terminate();
                    alice.tell(new Say("2"));
                    assertEquals(1, count(alice));
                    alice.kill();
                    alice.tell(new Say("3"));
                    assertEquals(1, count(alice));
                    assertEquals(List.of(), letters);
                });
    }

    @Test
    void A7_theNextQuestionOfOneThatSawTheLastReplyStartsTheNextOne() {
        EntityKind<Word, Void> once =
                EntityKind.of(
                        "listener",
                        Word.class,
                        _ ->
                                Actor.handler(
                                        (ActorContext<Word> _) ->
                                                word -> {
                                                    ((Count) word).replyTo().tell(1);
                                                    return Behavior.stopped();
                                                }));
        run(
                once,
                all -> {
                    for (int i = 0; i < 10; i++) {
                        assertEquals(1, count(all.ref("alice")));
                        Fiber.sleep(Duration.ofMillis(1));
                    }
                    assertEquals(List.of(), letters);
                });
    }

    @Test
    void A7_oneThatFailsInItsEndEndsAllTheSame() {
        int[] ends = {0};
        EntityKind<Word, Void> failing =
                EntityKind.of(
                                "listener",
                                Word.class,
                                _ ->
                                        Actor.<Word>loop(
                                                self -> {
                                                    try {
                                                        while (true) {
                                                            if (self.receive()
                                                                    instanceof Count ask) {
                                                                ask.replyTo().tell(ends[0]);
                                                            }
                                                        }
                                                    } finally {
                                                        if (ends[0]++ == 0) {
                                                            close();
                                                        }
                                                    }
                                                }))
                        .idle(IDLE);
        run(
                failing,
                all -> {
                    ends[0] = 0;
                    ActorRef<Word> alice = all.ref("alice");
                    assertEquals(0, count(alice));
                    alice.stop();
                    assertEquals(2, alice.<Integer>ask(Count::new, LONG));
                    Fiber.sleep(IDLE.multipliedBy(2));
                    assertEquals(0, all.running());
                });
    }

    private static void close() {
        throw new IllegalStateException("planted");
    }

    @Test
    void A7_oneThatWouldStartAgainAfterEachEndIsRefused() {
        run(
                EntityKind.of(
                        "listener",
                        Word.class,
                        key -> listener(key).restart(RestartRule.PERMANENT)),
                all -> {
                    AskFailedException refused =
                            assertThrows(AskFailedException.class, () -> count(all.ref("a")));
                    assertTrue(text(refused).contains("TRANSIENT"), refused::getMessage);
                });
    }

    // ---------------------------------------------------------------- failures

    @Test
    void A7_oneThatFailsStartsAgainAndKeepsItsMessages() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    ActorRef<Word> bob = all.ref("bob");
                    bob.tell(new Say("x"));
                    for (int i = 0; i < 20; i++) {
                        alice.tell(new Fail());
                    }
                    alice.tell(new Say("last"));
                    assertEquals(1, alice.<Integer>ask(Count::new, Duration.ofMinutes(10)));
                    assertEquals(20, letters.size());
                });
    }

    @Test
    void A7_aStartThatFailsIsTriedAgainAfterAPauseAndSaysWhy() {
        boolean[] isBroken = {true};
        EntityKind<Word, Void> broken =
                EntityKind.of(
                                "listener",
                                Word.class,
                                key ->
                                        Actor.handler(
                                                (ActorContext<Word> _) -> {
                                                    log.add(key + " begins");
                                                    if (isBroken[0]) {
                                                        throw new IllegalStateException("planted");
                                                    }
                                                    return listening(key, 0);
                                                }))
                        .idle(IDLE);
        run(
                broken,
                all -> {
                    isBroken[0] = true;
                    ActorRef<Word> alice = all.ref("alice");
                    for (int i = 0; i < 3; i++) {
                        AskFailedException why =
                                assertThrows(AskFailedException.class, () -> count(alice));
                        assertTrue(text(why).contains("planted"), why::getMessage);
                    }
                    assertEquals(1, log.size()); // it is not tried for each message
                    Fiber.sleep(Duration.ofMillis(110));
                    assertThrows(AskFailedException.class, () -> count(alice));
                    assertEquals(2, log.size());
                    isBroken[0] = false;
                    Fiber.sleep(Duration.ofMillis(110)); // the pause is longer now
                    assertThrows(AskFailedException.class, () -> count(alice));
                    Fiber.sleep(Duration.ofMillis(110));
                    assertEquals(0, count(alice));
                });
    }

    @Test
    void A7_aFirstStateWhoseEntryFailsIsAStartThatFails() {
        EntityKind<Word, Void> broken =
                EntityKind.of(
                        "listener",
                        Word.class,
                        key ->
                                Actor.handler(
                                        (ActorContext<Word> _) -> {
                                            log.add(key + " begins");
                                            return Behavior.state(
                                                    "first",
                                                    _ -> {
                                                        throw new IllegalStateException("planted");
                                                    },
                                                    listening(key, 0));
                                        }));
        run(
                broken,
                all -> {
                    for (int i = 0; i < 3; i++) {
                        AskFailedException why =
                                assertThrows(AskFailedException.class, () -> count(all.ref("a")));
                        assertTrue(text(why).contains("planted"), why::getMessage);
                    }
                    assertEquals(1, log.size());
                });
    }

    @Test
    void A7_aDefinitionThatTellsItsOwnKeyDoesNotLoseThat() {
        List<Entities<Word>> entities = new ArrayList<>();
        EntityKind<Word, Void> talking =
                EntityKind.of(
                        "listener",
                        Word.class,
                        key -> {
                            entities.getLast().ref(key).tell(new Say("inner"));
                            return listener(key);
                        });
        run(
                talking,
                all -> {
                    entities.add(all);
                    all.ref("a").tell(new Say("outer"));
                    assertEquals(2, count(all.ref("a")));
                });
    }

    @Test
    void A7_aDefinitionThatCannotBeMadeSaysWhy() {
        EntityKind<Word, Void> broken =
                EntityKind.of(
                        "listener",
                        Word.class,
                        key -> {
                            throw new IllegalStateException("no " + key);
                        });
        run(
                broken,
                all -> {
                    AskFailedException why =
                            assertThrows(AskFailedException.class, () -> count(all.ref("alice")));
                    assertTrue(text(why).contains("no alice"), why::getMessage);
                    all.ref("alice").tell(new Say("x"));
                    assertEquals(DeadLetter.Reason.FAILED, letters.getFirst().reason());
                });
    }

    // ---------------------------------------------------------------- asks

    @Test
    void A7_anAskHasItsLimit() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    alice.tell(new Work(LONG));
                    AskTimeoutException late =
                            assertThrows(
                                    AskTimeoutException.class,
                                    () -> alice.<Integer>ask(Count::new, Duration.ofMillis(100)));
                    assertTrue(text(late).contains("home/listener/alice"), late::getMessage);
                    var later =
                            alice.<Integer>askLater(Count::new, Duration.ofMillis(100))
                                    .toCompletableFuture();
                    Fiber.sleep(Duration.ofMillis(200));
                    assertTrue(later.isCompletedExceptionally());
                });
    }

    @Test
    void A7_anAskFailsWhenItsMessageDoes() {
        EntityKind<Word, Void> failing =
                EntityKind.of(
                        "listener",
                        Word.class,
                        _ ->
                                Actor.handler(
                                        (ActorContext<Word> _) ->
                                                _ -> {
                                                    throw new IllegalStateException("planted");
                                                }));
        run(
                failing,
                all -> {
                    AskFailedException why =
                            assertThrows(AskFailedException.class, () -> count(all.ref("alice")));
                    assertTrue(why.getCause() instanceof IllegalStateException, why::getMessage);
                });
    }

    @Test
    void A2_entitiesThatAskEachOtherInACircleFail() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    ActorRef<Word> bob = all.ref("bob");
                    AskFailedException failed =
                            assertThrows(
                                    AskFailedException.class,
                                    () -> next(List.of(alice, bob, alice)));
                    assertTrue(hasCircle(failed), failed::toString);
                    assertTrue(
                            hasCircle(
                                    assertThrows(
                                            AskFailedException.class,
                                            () -> next(List.of(bob, bob)))));
                    assertEquals(0, next(List.of(alice, bob)));
                });
    }

    private static boolean hasCircle(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof AskCycleException) {
                return true;
            }
        }
        return false;
    }

    // ---------------------------------------------------------------- as an address

    @Test
    void A4_aMonitorHearsOfTheEntityAndOfOneThatDoesNotRun() {
        run(
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    List<Down> downs = new ArrayList<>();
                    alice.target().watch(downs::add, false);
                    assertEquals(List.of(new Down(alice, new ExitReason.NoActor())), downs);
                    downs.clear();
                    assertEquals(0, count(alice));
                    alice.target().watch(downs::add, false);
                    Fiber.sleep(IDLE.multipliedBy(2));
                    assertEquals(List.of(new Down(alice, new ExitReason.Normal())), downs);
                });
    }

    @Test
    void A7_whatDoesNotFitIsADeadLetter() {
        EntityKind<Word, Void> small =
                EntityKind.of(
                        "listener",
                        Word.class,
                        key -> listener(key).mailbox(MailboxOptions.bounded(1)));
        run(
                small,
                all -> {
                    ActorRef<Word> alice = all.ref("alice");
                    alice.tell(new Work(IDLE));
                    Fiber.sleep(Duration.ofMillis(1));
                    assertEquals(TellResult.ACCEPTED, alice.tryTell(new Say("1")));
                    assertEquals(TellResult.ACCEPTED, alice.tryTell(new Say("2")));
                    assertEquals(List.of(new Say("2")), lost());
                    assertEquals(1, alice.mailbox().queued());
                });
    }

    @Test
    void A7_aKeyMayHaveAnyCharacters() {
        run(
                all -> {
                    for (String key :
                            List.of(
                                    "a/b", "a%2Fb", " ", "ä#1", "..", "x y", "\n", "\u2003",
                                    "\u2003 ")) {
                        all.ref(key).tell(new Say(key));
                        assertEquals(1, count(all.ref(key)), key);
                    }
                    assertEquals(9, all.running());
                    assertThrows(IllegalArgumentException.class, () -> all.ref(""));
                });
    }

    // ---------------------------------------------------------------- the host's end

    @Test
    void A7_aClosedHostRefusesAndSaysSo() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = system()) {
                        EntityHost host = EntityHost.start(system, "home");
                        Entities<Word> all = host.entities(kind());
                        all.ref("alice").tell(new Say("1"));
                        host.close();
                        assertEquals(List.of("alice begins", "alice: 1", "alice ends"), log);
                        all.ref("alice").tell(new Say("2"));
                        assertEquals(List.of(new Say("2")), lost());
                        AskFailedException why =
                                assertThrows(
                                        AskFailedException.class, () -> count(all.ref("alice")));
                        assertTrue(text(why).contains("closed"), why::getMessage);
                        assertThrows(IllegalStateException.class, () -> host.entities(kind()));
                        host.close();
                        try (EntityHost next = EntityHost.start(system, "home")) {
                            assertEquals(0, count(next.entities(kind()).ref("alice")));
                        }
                    }
                });
    }

    @Test
    void A7_aSecondCloseWaitsForTheFirst() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = system()) {
                        EntityHost host = EntityHost.start(system, "home");
                        Entities<Word> all = host.entities(kind());
                        EntityKind<Word, Void> other =
                                EntityKind.of("other", Word.class, this::listener);
                        Entities<Word> others = host.entities(other);
                        all.ref("alice").tell(new Work(IDLE));
                        others.ref("bob").tell(new Say("1"));
                        Fiber.spin("closes", host::close);
                        Fiber.sleep(Duration.ofMillis(1));
                        assertEquals(0, others.running()); // it does not wait for alice
                        assertEquals(1, all.running());
                        host.close();
                        assertEquals(0, all.running());
                    }
                });
    }

    @Test
    void A7_oneThatDoesNotEndIsEndedWithItsHost() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = system()) {
                        EntityHost host = EntityHost.start(system, "home");
                        Entities<Word> all = host.entities(kind());
                        all.ref("alice").tell(new Work(Duration.ofDays(1)));
                        all.ref("alice").tell(new Say("1"));
                        Fiber.sleep(Duration.ofMillis(1));
                        host.close();
                        assertEquals(0, all.running());
                        assertTrue(lost().contains(new Say("1")), () -> lost().toString());
                    }
                });
    }

    @Test
    void A7_anEntityThatWouldWaitForItselfIsRefused() {
        List<EntityHost> hosts = new ArrayList<>();
        EntityKind<Word, Void> closing =
                EntityKind.of(
                        "listener",
                        Word.class,
                        _ ->
                                Actor.handler(
                                        (ActorContext<Word> _) ->
                                                _ -> {
                                                    hosts.getLast().close();
                                                    return Behavior.same();
                                                }));
        TestCord.run(
                () -> {
                    try (ActorSystem system = system();
                            EntityHost host = EntityHost.start(system, "home")) {
                        hosts.add(host);
                        Entities<Word> all = host.entities(closing);
                        AskFailedException refused =
                                assertThrows(AskFailedException.class, () -> count(all.ref("a")));
                        assertTrue(text(refused).contains("from outside"), refused::getMessage);
                        assertEquals(1, all.running());
                        EntityKind<Word, Void> waiting =
                                EntityKind.of(
                                        "waiting", Word.class, key -> waitsForItself(hosts, key));
                        Entities<Word> others = host.entities(waiting);
                        others.ref("b").tell(new OwnAddress(others.ref("b")));
                        Fiber.sleep(Duration.ofMillis(1));
                        assertEquals(1, letters.size() - 1, letters::toString);
                    }
                });
    }

    record OwnAddress(ActorRef<Word> self) implements Word {}

    private static Actor<Word> waitsForItself(List<EntityHost> hosts, String key) {
        assertFalse(hosts.isEmpty(), key);
        return Actor.handler(
                (ActorContext<Word> _) ->
                        word -> {
                            ((OwnAddress) word).self().awaitEnd(LONG);
                            return Behavior.same();
                        });
    }

    @Test
    void A7_aKindIsOpenedOnceAndADurableOneNeedsAStore() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = system();
                            EntityHost host = EntityHost.start(system, "home")) {
                        host.entities(kind());
                        IllegalArgumentException twice =
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () -> host.entities(kind()));
                        assertTrue(text(twice).contains("already"), twice::getMessage);
                        IllegalArgumentException none =
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () -> host.entities(EntitySnippetsTest.account()));
                        assertTrue(text(none).contains("store"), none::getMessage);
                        assertFalse(kind().isDurable());
                    }
                });
    }

    @Test
    void A7_aSystemThatStopsEndsItsEntities() {
        TestCord.run(
                () -> {
                    ActorSystem system = system();
                    EntityHost host = EntityHost.start(system, "home");
                    Entities<Word> all = host.entities(kind());
                    all.ref("alice").tell(new Work(Duration.ofMillis(500)));
                    all.ref("alice").tell(new Say("1"));
                    Fiber.sleep(Duration.ofMillis(1));
                    assertTrue(system.stop(LONG).left().isEmpty());
                    assertEquals(List.of("alice begins", "alice: 1", "alice ends"), log);
                    assertEquals(List.of(), letters);
                });
    }
}
