package dev.ropewalk.actors.internal.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Rule A3: a mailbox that keeps the newest message of each key. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class ConflationTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private sealed interface Quote {
        record Price(@Nullable String symbol, int value) implements Quote {}

        record Trade(String symbol, int value) implements Quote {}

        record Ask(String symbol, Recipient<String> reply) implements Quote {}

        record Hold(AtomicBoolean go) implements Quote {}
    }

    private static @Nullable String symbol(Quote quote) {
        return switch (quote) {
            case Quote.Price(String symbol, int _) -> symbol;
            case Quote.Trade(String symbol, int _) -> symbol;
            case Quote.Ask(String symbol, Recipient<String> _) -> symbol;
            case Quote.Hold _ -> null;
        };
    }

    private static Behavior<Quote> reader(List<Object> log) {
        return quote -> {
            if (quote instanceof Quote.Hold(AtomicBoolean go)) {
                while (!go.get()) {
                    Fiber.sleep(Duration.ofMillis(1));
                }
                return Behavior.same();
            }
            if (quote instanceof Quote.Ask ask) {
                ask.reply().tell("answered " + ask.symbol());
            }
            log.add(quote instanceof Quote.Ask ask ? ask.symbol() : quote);
            return Behavior.same();
        };
    }

    private static Actor<Quote> conflating(List<Object> log) {
        return Actor.handler(() -> reader(log)).conflate(ConflationTest::symbol);
    }

    /** One that holds a message until it is let go. */
    private static ActorRef<Quote> held(World world, AtomicBoolean go, Actor<Quote> actor) {
        ActorRef<Quote> ref = world.spin("reader", actor);
        ref.tell(new Quote.Hold(go));
        world.settle();
        return ref;
    }

    private static void end(ActorRef<Quote> ref, AtomicBoolean go) {
        go.set(true);
        ref.stop();
        assertTrue(ref.awaitEnd(SECOND));
    }

    @Test
    void A3_theNewestOfAKeyTakesThePlaceOfTheOldest() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Quote> ref = held(world, go, conflating(log));
                    ref.tell(new Quote.Price("x", 1));
                    ref.tell(new Quote.Price("y", 2));
                    ref.tell(new Quote.Price("x", 3));
                    ref.tell(new Quote.Trade("x", 4)); // another class
                    ref.tell(new Quote.Price(null, 5)); // without a key
                    ref.tell(new Quote.Price(null, 6));
                    world.settle();
                    assertEquals(5, ref.mailbox().queued());
                    assertEquals(new Quote.Price("x", 3), ref.mailbox().oldest().getFirst());
                    end(ref, go);
                    assertEquals(
                            List.of(
                                    new Quote.Price("x", 3),
                                    new Quote.Price("y", 2),
                                    new Quote.Trade("x", 4),
                                    new Quote.Price(null, 5),
                                    new Quote.Price(null, 6)),
                            log);
                    assertEquals(
                            List.of("reader REPLACED " + new Quote.Price("x", 1)),
                            world.deadLetters());
                });
    }

    @Test
    void A3_theHookTakesWhatWasReplacedAndNoDeadLetterIsMade() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    List<Object> replaced = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Quote> ref =
                            held(
                                    world,
                                    go,
                                    Actor.handler(() -> reader(log))
                                            .conflate(
                                                    ConflationTest::symbol,
                                                    quote -> {
                                                        replaced.add(quote);
                                                        throw new Crash("the hook");
                                                    }));
                    ref.tell(new Quote.Price("x", 1));
                    ref.tell(new Quote.Price("x", 2));
                    ref.tell(new Quote.Price("x", 3));
                    end(ref, go);
                    assertEquals(List.of(new Quote.Price("x", 3)), log);
                    assertEquals(
                            List.of(new Quote.Price("x", 1), new Quote.Price("x", 2)), replaced);
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    private static String answer(ActorRef<Quote> ref) {
        try {
            return ref.<String>ask(reply -> new Quote.Ask("x", reply), SECOND);
        } catch (AskFailedException failed) {
            return String.valueOf(failed.getMessage());
        }
    }

    @Test
    void A3_anAskThatIsReplacedFailsAtOnce() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Quote> ref = held(world, go, conflating(log));
                    Fiber<String> first = Fiber.spin("first", () -> answer(ref));
                    world.settle();
                    Fiber<String> second = Fiber.spin("second", () -> answer(ref));
                    String failed = first.await(); // while the actor is held
                    assertTrue(failed.contains("a newer message with the same key"), failed);
                    go.set(true);
                    assertEquals("answered x", second.await());
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                });
    }

    @Test
    void A3_theNewerOneTakesThePermitAndNeedsNoRoom() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Quote> ref =
                            held(
                                    world,
                                    go,
                                    conflating(log)
                                            .mailbox(
                                                    MailboxOptions.bounded(2)
                                                            .withOverflow(Overflow.FAIL)));
                    ref.tell(new Quote.Price("x", 1));
                    ref.tell(new Quote.Price("y", 2));
                    assertThrows(
                            MailboxFullException.class, () -> ref.tell(new Quote.Price("z", 3)));
                    ref.tell(new Quote.Price("y", 4));
                    assertEquals(TellResult.ACCEPTED, ref.tryTell(new Quote.Price("x", 5)));
                    assertEquals(TellResult.FULL, ref.tryTell(new Quote.Price("z", 6)));
                    go.set(true);
                    world.until(() -> log.size() == 2);
                    ref.tell(new Quote.Price("x", 7));
                    ref.tell(new Quote.Price("z", 8));
                    end(ref, go);
                    assertEquals(
                            List.of(
                                    new Quote.Price("x", 5),
                                    new Quote.Price("y", 4),
                                    new Quote.Price("x", 7),
                                    new Quote.Price("z", 8)),
                            log);
                });
    }

    @Test
    void A3_nothingIsReplacedAcrossAStop() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Quote> ref = held(world, go, conflating(log));
                    ref.tell(new Quote.Price("x", 1));
                    ref.stop();
                    Quote late = new Quote.Price("x", 2);
                    ref.tell(late);
                    world.settle();
                    go.set(true);
                    assertTrue(ref.awaitEnd(SECOND));
                    world.settle(); // it is over before its dead letters are told
                    assertEquals(List.of(new Quote.Price("x", 1)), log);
                    assertEquals(List.of("reader ENDED " + late), world.deadLetters());
                });
    }

    @Test
    void A3_nothingIsReplacedAcrossADown() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Quote> mortal = world.spin("mortal", Actor.handler(() -> reader(log)));
                    ActorRef<Quote> ref =
                            held(
                                    world,
                                    go,
                                    Actor.handler(
                                                    (ActorContext<Quote> self) -> {
                                                        self.monitor(
                                                                mortal,
                                                                down -> new Quote.Trade("down", 0));
                                                        return reader(log);
                                                    })
                                            .conflate(ConflationTest::symbol));
                    ref.tell(new Quote.Price("x", 1));
                    mortal.stop();
                    assertTrue(mortal.awaitEnd(SECOND));
                    world.settle();
                    ref.tell(new Quote.Price("x", 2));
                    ref.tell(new Quote.Price("x", 3));
                    end(ref, go);
                    assertEquals(
                            List.of(
                                    new Quote.Price("x", 1),
                                    new Quote.Trade("down", 0),
                                    new Quote.Price("x", 3)),
                            log);
                });
    }

    @Test
    void A1_aReceiveByPredicateLooksAgainAtAMessageThatWasReplaced() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Quote> ref =
                            world.spin(
                                    "loop",
                                    Actor.<Quote>loop(
                                                    self -> {
                                                        log.add(
                                                                self.receive(
                                                                        quote ->
                                                                                quote
                                                                                                instanceof
                                                                                                Quote
                                                                                                        .Price(
                                                                                                        String
                                                                                                                _,
                                                                                                        int
                                                                                                                value)
                                                                                        && value
                                                                                                > 10));
                                                        for (; ; ) {
                                                            log.add(self.receive());
                                                        }
                                                    })
                                            .conflate(ConflationTest::symbol));
                    ref.tell(new Quote.Price("x", 1));
                    ref.tell(new Quote.Price("y", 2));
                    world.settle();
                    ref.tell(new Quote.Price("x", 3));
                    ref.tell(new Quote.Price("y", 4));
                    world.settle();
                    assertEquals(List.of(), log);
                    ref.tell(new Quote.Price("y", 11));
                    world.settle();
                    ref.tell(new Quote.Price("y", 12)); // beside, because that one is taken
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                    assertEquals(
                            List.of(
                                    new Quote.Price("y", 11),
                                    new Quote.Price("x", 3),
                                    new Quote.Price("y", 12)),
                            log);
                });
    }

    /** It was looked at for ever. */
    @Test
    void A1_aPredicateThatDisplacesTheMessageItLooksAtGoesOnToTheNext() {
        World.anywhere(
                world -> {
                    for (boolean isWanted : new boolean[] {false, true}) {
                        List<Object> log = World.log();
                        AtomicBoolean go = new AtomicBoolean();
                        AtomicBoolean isFirst = new AtomicBoolean(true);
                        ActorRef<Quote> ref =
                                world.spin(
                                        "loop",
                                        Actor.<Quote>loop(
                                                        self -> {
                                                            while (!go.get()) {
                                                                Fiber.sleep(Duration.ofMillis(1));
                                                            }
                                                            log.add(
                                                                    self.receive(
                                                                            quote ->
                                                                                    isFirst
                                                                                                    .getAndSet(
                                                                                                            false)
                                                                                            ? tells(
                                                                                                    self,
                                                                                                    isWanted)
                                                                                            : quote
                                                                                                    instanceof
                                                                                                    Quote
                                                                                                            .Trade));
                                                        })
                                                .byPriority(_ -> 0) // looked at where it stands
                                                .conflate(ConflationTest::symbol)
                                                .mailbox(
                                                        MailboxOptions.bounded(1)
                                                                .withOverflow(Overflow.DROP_OLD)));
                        ref.tell(new Quote.Price("x", 1));
                        world.settle();
                        go.set(true);
                        assertTrue(ref.awaitEnd(SECOND));
                        assertEquals(List.of(new Quote.Trade("z", 9)), log);
                    }
                });
    }

    private static boolean tells(ActorContext<Quote> self, boolean result) {
        self.self().tell(new Quote.Trade("z", 9)); // displaces what is looked at
        return result;
    }

    @Test
    void A3_aDisplacedOrLeftMessageIsNotFoundAnyMore() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Quote> ref =
                            held(
                                    world,
                                    go,
                                    conflating(log)
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(Overflow.DROP_OLD)));
                    ref.tell(new Quote.Price("x", 1));
                    ref.tell(new Quote.Price("y", 2)); // displaces it
                    world.settle();
                    ref.tell(new Quote.Price("x", 3)); // displaces that
                    world.settle();
                    ref.terminate();
                    go.set(true);
                    assertTrue(ref.awaitEnd(SECOND));
                    ref.tell(new Quote.Price("x", 4));
                    world.settle();
                    assertEquals(List.of(), log);
                    assertEquals(
                            List.of(
                                    "reader DISPLACED " + new Quote.Price("x", 1),
                                    "reader DISPLACED " + new Quote.Price("y", 2),
                                    "reader ENDED " + new Quote.Price("x", 3),
                                    "reader ENDED " + new Quote.Price("x", 4)),
                            world.deadLetters().stream()
                                    .filter(letter -> !letter.contains("Hold"))
                                    .toList());
                });
    }

    @Test
    void A8_aKeyThatThrowsIsNotTheSendersAffair() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Quote> ref =
                            world.spin(
                                    "reader",
                                    Actor.handler(() -> reader(log))
                                            .conflate(
                                                    quote -> {
                                                        throw new Crash("no key");
                                                    }));
                    List<Object> told = List.of(new Quote.Price("x", 1), new Quote.Price("x", 2));
                    world.on(
                            () -> {
                                told.forEach(each -> ref.tell((Quote) each));
                                return true;
                            });
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                    assertEquals(told, log);
                });
    }

    /** Otherwise two takers that send to two such actors could wait for each other. */
    @Test
    void A3_noLockIsHeldWhileADeadLetterIsTaken() {
        World.remote(
                world -> {
                    ActorRef<Quote> ref = world.spin("reader", conflating(World.log()));
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                    AtomicInteger taken = new AtomicInteger();
                    AtomicBoolean isFree = new AtomicBoolean();
                    world.system.onDeadLetter(
                            _ -> {
                                if (taken.incrementAndGet() == 1) {
                                    isFree.set(tellsFromAThread(ref));
                                }
                            });
                    world.home.spin("sender", () -> ref.tell(new Quote.Price("x", 1))).await();
                    assertTrue(isFree.get());
                    world.settle();
                    assertEquals(2, taken.get());
                });
    }

    private static boolean tellsFromAThread(ActorRef<Quote> ref) {
        Thread other = new Thread(() -> ref.tell(new Quote.Price("x", 2)));
        other.start();
        try {
            other.join(SECOND);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return !other.isAlive();
    }

    // ---------------------------------------------------------------- conservation

    /**
     * Told = processed + replaced. Of one sender, nothing overtakes what was told before with the
     * same key, nothing without a key overtakes anything, and nothing comes behind what was told
     * later without one. The last that is processed of a key is the last of a sender.
     *
     * @param areShared whether all senders have the same keys
     */
    private static void conserves(long seed, World world, int messages, boolean areShared) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Quote> log = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger replaced = new AtomicInteger();
        Actor<Quote> reader =
                Actor.<Quote>handler(
                                () ->
                                        quote -> {
                                            log.add(quote);
                                            return Behavior.same();
                                        })
                        .conflate(ConflationTest::symbol, _ -> replaced.incrementAndGet());
        ActorRef<Quote> ref = world.spin("reader", reader);
        List<Fiber<Integer>> senders = new ArrayList<>();
        for (Cord cord : world.cords) {
            long own = random.nextLong();
            int number = senders.size();
            String keys = areShared ? "k" : "k" + number + ".";
            senders.add(cord.spin("s" + number, () -> send(ref, keys, number, own, messages)));
        }
        int told = 0;
        for (Fiber<Integer> sender : senders) {
            told += sender.await();
        }
        ref.stop();
        assertTrue(ref.awaitEnd(SECOND), "seed=" + seed);
        assertEquals(told, log.size() + replaced.get(), "seed=" + seed);
        Map<String, Integer> lastOfSender = new HashMap<>();
        Map<String, Integer> lastOfKey = new HashMap<>();
        for (Quote each : log) {
            Quote.Price price = (Quote.Price) each;
            int number = price.value() >> 24;
            int value = price.value() & 0xffffff;
            Integer before = lastOfSender.put(number + "." + price.symbol(), value);
            Integer beforeAll = lastOfSender.get(number + ".null");
            assertTrue(
                    before == null || before < value,
                    () -> "seed=" + seed + " " + before + " before " + value + " of " + price);
            assertTrue(
                    price.symbol() == null || beforeAll == null || beforeAll < value,
                    () -> "seed=" + seed + " " + beforeAll + " before " + value + " of " + price);
            if (price.symbol() != null) {
                lastOfKey.put(price.symbol(), value);
            }
        }
        assertEquals(areShared ? 3 : 3 * senders.size(), lastOfKey.size(), "seed=" + seed);
        for (Map.Entry<String, Integer> entry : lastOfKey.entrySet()) {
            assertTrue(entry.getValue() >= messages, () -> "seed=" + seed + " " + entry);
        }
    }

    private static int send(ActorRef<Quote> ref, String keys, int number, long seed, int messages) {
        SplittableRandom random = new SplittableRandom(seed);
        int sender = number << 24;
        for (int i = 0; i < messages; i++) {
            int key = random.nextInt(4);
            ref.tell(new Quote.Price(key == 3 ? null : keys + key, sender | i));
            if (random.nextInt(10) == 0) {
                Fiber.snooze();
            }
        }
        for (int key = 0; key < 3; key++) {
            ref.tell(new Quote.Price(keys + key, sender | (messages + key)));
        }
        return messages + 3;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void A3_toldIsProcessedAndReplacedOverThreeCords(long seed) {
        World.overThreeCords(seed, true, world -> conserves(seed, world, 200, seed % 2 == 0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void A3_toldIsProcessedAndReplacedBetweenTwoThreads(boolean areShared) {
        World.remote(world -> conserves(11, world, 20_000, areShared));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("stress")
    void A3_stress_toldIsProcessedAndReplacedBetweenTwoThreads(boolean areShared) {
        for (long seed = 0; seed < 50; seed++) {
            long now = seed;
            World.remote(world -> conserves(now, world, 100_000, areShared));
        }
    }
}
