package dev.ropewalk.actors.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The code of the guide's page on asks, and what its tables say. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AskingSnippetsTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Map<String, Integer> CENTS = Map.of("tea", 250, "cake", 400);

    // @start region="protocol"
    sealed interface Stock {}

    record Price(String item, Recipient<Integer> replyTo) implements Stock {}

    static Behavior<Stock> stock(Map<String, Integer> cents) {
        return message ->
                switch (message) {
                    case Price(var item, var replyTo) -> {
                        Integer price = cents.get(item);
                        if (price == null) {
                            replyTo.fail(new NoSuchElementException(item)); // and goes on
                        } else {
                            replyTo.tell(price);
                        }
                        yield Behavior.same();
                    }
                };
    }

    // @end

    private static ActorRef<Stock> stock(World world, String name) {
        return world.spin(name, Actor.handler(() -> stock(CENTS)));
    }

    /** Which answers when it is told to, or never. */
    private static ActorRef<Stock> slow(World world, Duration delay) {
        return world.spin(
                "slow",
                Actor.handler(
                        () ->
                                message -> {
                                    Fiber.sleep(delay);
                                    return stock(CENTS).onMessage(message);
                                }));
    }

    private static void buy(ActorRef<Stock> stock, String item, List<String> log) {
        // @start region="ask"
        try {
            int cents = stock.ask(to -> new Price(item, to), Duration.ofSeconds(1));
            log.add("pay " + cents);
        } catch (AskFailedException e) {
            log.add("no reply can come: " + e.getCause());
        } catch (AskTimeoutException e) {
            log.add("no reply within a second");
        }
        // @end
    }

    @Test
    void A2_theOutcomesOfAnAsk() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    buy(stock(world, "stock"), "tea", log);
                    buy(stock(world, "other"), "soap", log);
                    buy(slow(world, Duration.ofSeconds(2)), "tea", log);
                    Fiber<?> asker =
                            Fiber.spin(
                                    "asker",
                                    () -> buy(slow(world, Duration.ofSeconds(2)), "tea", log));
                    Fiber.sleep(Duration.ofMillis(500));
                    asker.terminate();
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(
                            List.of(
                                    "pay 250",
                                    "no reply can come: java.util.NoSuchElementException: soap",
                                    "no reply within a second"),
                            log);
                    assertEquals(
                            List.of(DeadLetter.Reason.LATE_REPLY, DeadLetter.Reason.LATE_REPLY),
                            world.letters.stream().map(DeadLetter::reason).toList());
                });
    }

    /** The page's table of asks that fail. */
    @ParameterizedTest
    @CsvSource({
        "ended, it has ended, ENDED",
        "failsAsk, it failed the ask, ''",
        "unhandled, no use for the message, UNHANDLED",
        "crash, it failed, FAILED",
        "stops, it stopped, ''",
        "terminated, it failed, FAILED",
        "queued, it has ended, ENDED",
    })
    void A2_asksThatFail(String how, String why, String letter) {
        World.local(
                world -> {
                    ActorRef<Step> ref =
                            world.spin("ref", Step.actor().restart(RestartRule.TEMPORARY));
                    world.settle();
                    if (how.equals("ended")) {
                        ref.stop();
                        world.settle();
                    } else if (how.equals("queued")) {
                        ref.tell(Step.of(_ -> Fiber.sleep(Duration.ofSeconds(1))));
                        ref.tell(Step.stop());
                    }
                    long beganNs = Cord.current().nanoTime();
                    AskFailedException thrown =
                            assertThrows(
                                    AskFailedException.class,
                                    () ->
                                            ref.<String>ask(
                                                    to -> self -> asked(how, self, to), LONG));
                    Errors.assertMentions(thrown, "ref", why);
                    assertTrue(Cord.current().nanoTime() - beganNs <= 2_000_000_000L);
                    assertEquals(
                            letter.isEmpty() ? List.of() : List.of(letter),
                            world.letters.stream().map(l -> l.reason().name()).toList());
                });
    }

    private static Behavior<Step> asked(
            String how, ActorContext<Step> self, Recipient<String> replyTo) {
        switch (how) {
            case "failsAsk" -> replyTo.fail(new Crash("no"));
            case "unhandled" -> {
                return Behavior.unhandled();
            }
            case "crash" -> throw new Crash("no");
            case "stops" -> {
                return Behavior.stopped();
            }
            default -> {
                self.self().terminate();
                Fiber.sleep(LONG);
            }
        }
        return Behavior.same();
    }

    // ---------------------------------------------------------------- without waiting

    sealed interface Shop {}

    record Quote(String item) implements Shop {}

    record Quoted(int cents) implements Shop {}

    record NoPrice(Throwable why) implements Shop {}

    private static Behavior<Shop> adapting(
            ActorContext<Shop> self, ActorRef<Stock> stock, List<String> log) {
        // @start region="adapt"
        Recipient<Integer> quotes = self.adapt(Quoted::new, NoPrice::new);
        return message -> {
            switch (message) {
                case Quote(var item) -> stock.tell(new Price(item, quotes)); // does not wait
                case Quoted(int cents) -> log.add("costs " + cents);
                case NoPrice(var why) -> log.add("no price: " + why.getMessage());
            }
            return Behavior.same();
        };
        // @end
    }

    private static Behavior<Shop> piping(
            ActorContext<Shop> self, ActorRef<Stock> stock, List<String> log) {
        return message -> {
            switch (message) {
                case Quote(var item) -> {
                    // @start region="pipe"
                    CompletionStage<Integer> price =
                            stock.askLater(to -> new Price(item, to), Duration.ofSeconds(1));
                    self.pipe(price, Quoted::new, NoPrice::new);
                    // @end
                }
                case Quoted(int cents) -> log.add("costs " + cents);
                case NoPrice(AskFailedException e) -> log.add("no price: " + cause(e));
                case NoPrice(var why) -> log.add("no price: " + why.getMessage());
            }
            return Behavior.same();
        };
    }

    private static String cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null ? "?" : "" + cause.getMessage();
    }

    private static Behavior<Shop> working(ActorContext<Shop> self, List<String> log) {
        return message -> {
            switch (message) {
                case Quote(var item) -> {
                    // @start region="pipeFiber"
                    Fiber<Integer> work =
                            Fiber.spin("price", () -> Blocking.call(() -> fromDisk(item)));
                    self.pipe(work, Quoted::new, NoPrice::new);
                    // @end
                }
                case Quoted(int cents) -> log.add("costs " + cents);
                case NoPrice(var why) -> log.add("no price: " + why.getMessage());
            }
            return Behavior.same();
        };
    }

    private static int fromDisk(String item) {
        Integer cents = CENTS.get(item);
        if (cents == null) {
            throw new NoSuchElementException(item);
        }
        return cents;
    }

    @Test
    void A2_repliesAsMessages() {
        World.anywhere(
                world -> {
                    ActorRef<Stock> stock = stock(world, "stock");
                    List<String> log = World.log();
                    ActorRef<Shop> adapting =
                            world.spin(
                                    "adapting",
                                    Actor.handler(
                                            (ActorContext<Shop> self) ->
                                                    adapting(self, stock, log)));
                    ActorRef<Shop> piping =
                            world.spin(
                                    "piping",
                                    Actor.handler(
                                            (ActorContext<Shop> self) -> piping(self, stock, log)));
                    int expected = 0;
                    for (ActorRef<Shop> shop : List.of(adapting, piping)) {
                        shop.tell(new Quote("tea"));
                        shop.tell(new Quote("soap"));
                        expected += 2;
                        int size = expected;
                        world.until(() -> log.size() == size);
                        assertEquals(
                                List.of("costs 250", "no price: soap"),
                                log.subList(size - 2, size));
                    }
                    assertEquals(List.of(), world.failures);
                });
    }

    /** The failure of a fiber that is piped is a message, and fails nobody. */
    @Test
    void A2_aFiberIsPiped() {
        World.remote(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Shop> shop =
                            world.spin(
                                    "shop",
                                    Actor.handler((ActorContext<Shop> self) -> working(self, log)));
                    shop.tell(new Quote("tea"));
                    world.until(() -> log.size() == 1);
                    shop.tell(new Quote("soap"));
                    world.until(() -> log.size() == 2);
                    assertEquals(List.of("costs 250", "no price: soap"), log);
                    assertEquals(List.of(), world.failures);
                });
    }

    /** What the page says of adapters: no limit, no news of an end, but valid after a restart. */
    @Test
    void A2_anAdapterHearsNothingOfAnEnd() {
        World.local(
                world -> {
                    ActorRef<Stock> stock = stock(world, "stock");
                    List<String> log = World.log();
                    ActorRef<Shop> shop =
                            world.spin(
                                    "shop",
                                    Actor.handler(
                                            (ActorContext<Shop> self) ->
                                                    adapting(self, stock, log)));
                    stock.stop();
                    assertTrue(stock.awaitEnd(LONG));
                    shop.tell(new Quote("tea"));
                    Fiber.sleep(LONG);
                    assertEquals(List.of(), log);
                    assertEquals(1, world.letters.size());
                });
    }

    /** The page's table of the ways that do not wait: a restart of the asking actor. */
    @Test
    void A2_whatComesAfterARestart() {
        World.local(
                world -> {
                    ActorRef<Stock> slow = slow(world, Duration.ofSeconds(1));
                    List<String> log = World.log();
                    ActorRef<Object> asking =
                            world.spin(
                                    "asking",
                                    Actor.handler(
                                            (ActorContext<Object> self) ->
                                                    message -> {
                                                        if (message.equals("ask")) {
                                                            slow.tell(
                                                                    new Price(
                                                                            "tea",
                                                                            self.adapt(
                                                                                    n ->
                                                                                            "adapted"
                                                                                                + " "
                                                                                                    + n)));
                                                            self.pipe(
                                                                    slow.askLater(
                                                                            AskingSnippetsTest::tea,
                                                                            LONG),
                                                                    n -> "piped " + n);
                                                            throw new Crash("asked");
                                                        }
                                                        log.add("" + message);
                                                        return Behavior.same();
                                                    }));
                    asking.tell("ask");
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(List.of("adapted 250", "piped 250"), log);
                });
    }

    /** A reply that goes to an adapter needs room, like a tell. */
    @Test
    void A2_anAdapterNeedsRoom() {
        World.local(
                world -> {
                    List<Recipient<Integer>> adapters = World.log();
                    MailboxOptions one = MailboxOptions.bounded(1).withOverflow(Overflow.FAIL);
                    ActorRef<Step> ref =
                            world.spin(
                                    "ref",
                                    Step.actor(
                                                    self ->
                                                            adapters.add(
                                                                    self.adapt(
                                                                            _ -> Step.of(_ -> {}))))
                                            .mailbox(one));
                    world.settle();
                    ref.tell(Step.of(_ -> Fiber.sleep(Duration.ofSeconds(1))));
                    world.settle();
                    Recipient<Integer> adapter = adapters.getFirst();
                    adapter.tell(1);
                    assertEquals(TellResult.FULL, adapter.tryTell(2));
                    adapter.tell(3);
                    assertEquals(List.of("ref REFUSED 3"), world.deadLetters());
                });
    }

    /** What the page says of a reply that comes when no reply could come any more. */
    @Test
    void A2_aReplyAfterTheAskHasFailed() {
        World.local(
                world -> {
                    List<Recipient<String>> kept = World.log();
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    assertThrows(
                            AskFailedException.class,
                            () ->
                                    ref.<String>ask(
                                            to ->
                                                    Step.of(
                                                            _ -> {
                                                                kept.add(to);
                                                                throw new Crash("no");
                                                            })));
                    kept.getFirst().tell("late");
                    assertEquals(DeadLetter.Reason.LATE_REPLY, world.letters.getLast().reason());
                });
    }

    /** The compiler finds the reply's type in a constructor, but not in a lambda. */
    @Test
    void A2_theTypeOfTheReply() {
        World.local(
                world -> {
                    ActorRef<Only> ref =
                            world.spin(
                                    "ref",
                                    Actor.handler(
                                            () ->
                                                    only -> {
                                                        only.replyTo().tell(7);
                                                        return Behavior.same();
                                                    }));
                    var reply = ref.ask(Only::new);
                    assertEquals(8, reply + 1);
                });
    }

    private record Only(Recipient<Integer> replyTo) {}

    // ---------------------------------------------------------------- from elsewhere

    @Test
    void A2_fromAPlainThread() {
        World.remote(
                world -> {
                    ActorRef<Stock> stock = stock(world, "stock");
                    List<String> log = World.log();
                    Thread plain =
                            Thread.ofPlatform()
                                    .start(
                                            () -> {
                                                // @start region="later"
                                                CompletionStage<Integer> price =
                                                        stock.askLater(
                                                                to -> new Price("tea", to),
                                                                Duration.ofSeconds(1));
                                                price.thenAccept(cents -> log.add("pay " + cents));
                                                // @end
                                                int cents = stock.ask(to -> new Price("cake", to));
                                                log.add("waited for " + cents);
                                            });
                    world.until(() -> !plain.isAlive() && log.size() == 2);
                    assertEquals(
                            List.of("pay 250", "waited for 400"), log.stream().sorted().toList());
                });
    }

    @Test
    void A2_inASelect() {
        World.anywhere(
                world -> {
                    ActorRef<Stock> stock = stock(world, "stock");
                    Fiber<?> bell = Fiber.spin("bell", () -> Fiber.sleep(LONG));
                    // @start region="select"
                    CompletionStage<Integer> price =
                            stock.askLater(to -> new Price("tea", to), Duration.ofSeconds(1));
                    Select<String> first =
                            Select.of(
                                    Futures.onResult(price, cents -> "costs " + cents),
                                    bell.onOutcome(_ -> "too late"));
                    // @end
                    assertEquals("costs 250", first.await());
                    bell.terminate();
                });
    }

    // ---------------------------------------------------------------- many

    @Test
    void A2_many() {
        World.local(
                world -> {
                    List<ActorRef<Stock>> shops =
                            List.of(slow(world, Duration.ofMillis(5)), stock(world, "b"));
                    // @start region="many"
                    Duration limit = Duration.ofSeconds(1);
                    List<Integer> all = ActorRef.askAll(shops, to -> new Price("tea", to), limit);
                    int fastest = ActorRef.askFirst(shops, to -> new Price("tea", to), limit);
                    // @end
                    assertEquals(List.of(250, 250), all);
                    assertEquals(250, fastest);
                    world.settle();
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    /** The page's table of asks to many, where one cannot reply. */
    @Test
    void A2_manyOfWhichOneIsFull() {
        World.local(
                world -> {
                    ActorRef<Stock> full =
                            world.spin(
                                    "full",
                                    Actor.<Stock>handler(
                                                    () ->
                                                            _ -> {
                                                                Fiber.sleep(LONG);
                                                                return Behavior.same();
                                                            })
                                            .mailbox(MailboxOptions.bounded(1)));
                    world.settle();
                    full.tell(new Price("in hand", full(world)));
                    full.tell(new Price("queued", full(world)));
                    List<ActorRef<Stock>> shops = List.of(stock(world, "stock"), full);
                    AskFailedException failed =
                            assertThrows(
                                    AskFailedException.class,
                                    () -> ActorRef.askAll(shops, AskingSnippetsTest::tea, LONG));
                    assertInstanceOf(MailboxFullException.class, failed.getCause());
                    int first = ActorRef.askFirst(shops, AskingSnippetsTest::tea, LONG);
                    assertEquals(250, first);
                });
    }

    private static Price tea(Recipient<Integer> to) {
        return new Price("tea", to);
    }

    private static Recipient<Integer> full(World world) {
        return world.spin("asker", Actor.handler(() -> _ -> Behavior.same()));
    }

    // ---------------------------------------------------------------- deadlines and circles

    /** What the page says of the limit: the actor's own fiber waits no longer than its asker. */
    @Test
    void A2_whoseLimitIsInherited() {
        World.local(
                world -> {
                    ActorRef<Stock> slow = slow(world, LONG);
                    List<String> log = World.log();
                    ActorRef<Step> front = world.spin("front", Step.actor());
                    long beganNs = Cord.current().nanoTime();
                    assertThrows(
                            AskTimeoutException.class,
                            () ->
                                    front.<String>ask(
                                            _ ->
                                                    Step.of(
                                                            _ -> {
                                                                Fiber<?> below =
                                                                        Fiber.spin(
                                                                                "below",
                                                                                () ->
                                                                                        impatient(
                                                                                                slow,
                                                                                                "below",
                                                                                                beganNs,
                                                                                                log));
                                                                impatient(
                                                                        slow, "own", beganNs, log);
                                                                assertThrows(
                                                                        AskTimeoutException.class,
                                                                        () ->
                                                                                ActorRef.askAll(
                                                                                        List.of(
                                                                                                slow),
                                                                                        AskingSnippetsTest
                                                                                                ::tea,
                                                                                        LONG));
                                                                log.add("all at once");
                                                                below.await();
                                                            }),
                                            Duration.ofSeconds(1)));
                    Fiber.sleep(Duration.ofMinutes(1));
                    assertEquals(List.of("own after 1 s", "all at once", "below after 30 s"), log);
                });
    }

    private static void impatient(
            ActorRef<Stock> slow, String name, long beganNs, List<String> log) {
        assertThrows(
                AskTimeoutException.class,
                () -> slow.<Integer>ask(to -> new Price("tea", to), Duration.ofSeconds(30)));
        long seconds = (Cord.current().nanoTime() - beganNs) / 1_000_000_000L;
        log.add(name + " after " + seconds + " s");
    }

    /** What the page says of circles: an ask sees them, an askAll sees itself. */
    @Test
    void A2_whichAsksSeeACircle() {
        World.local(
                world -> {
                    List<Throwable> thrown = World.log();
                    ActorRef<Step> ref = world.spin("self", Step.actor());
                    ref.tell(
                            Step.of(
                                    self ->
                                            thrown.add(
                                                    assertThrows(
                                                            AskCycleException.class,
                                                            () ->
                                                                    self.self()
                                                                            .ask(
                                                                                    _ ->
                                                                                            Step
                                                                                                    .stop())))));
                    ref.tell(
                            Step.of(
                                    self ->
                                            thrown.add(
                                                    assertThrows(
                                                            AskCycleException.class,
                                                            () ->
                                                                    ActorRef.askAll(
                                                                            List.of(self.self()),
                                                                            _ -> Step.of(_ -> {}),
                                                                            LONG)))));
                    world.until(() -> thrown.size() == 2);
                    for (Throwable each : thrown) {
                        Errors.assertMentions(each, "self -> self", "let one of them tell instead");
                    }
                });
    }

    // ---------------------------------------------------------------- wrong use

    @Test
    void A2_whatWrongUseGets() {
        World.local(
                world -> {
                    ActorRef<Step> ref =
                            world.spin("ref", Step.actor().restart(RestartRule.TEMPORARY));
                    AskFailedException noReply =
                            assertThrows(
                                    AskFailedException.class,
                                    () -> ref.<String>ask(to -> Step.of(_ -> tellNothing(to))));
                    NullPointerException cause =
                            assertInstanceOf(NullPointerException.class, noReply.getCause());
                    assertEquals("reply", String.valueOf(cause.getMessage()));
                    ActorRef<Stock> stock = stock(world, "stock");
                    assertThrows(
                            IllegalArgumentException.class,
                            () ->
                                    stock.<Integer>ask(
                                            to -> new Price("tea", to), Duration.ofSeconds(-1)));
                    CompletableFuture<String> twice = new CompletableFuture<>();
                    ActorRef<Step> eager = world.spin("eager", Step.actor());
                    assertEquals(
                            "first",
                            eager.<String>ask(
                                    to ->
                                            Step.of(
                                                    _ -> {
                                                        to.tell("first");
                                                        to.tell("second");
                                                        twice.complete("told");
                                                    })));
                    assertSame("told", twice.getNow(null));
                    assertEquals(DeadLetter.Reason.LATE_REPLY, world.letters.getLast().reason());
                    assertNull(world.letters.getLast().cause());
                });
    }

    @SuppressWarnings("NullAway") // what code without null checks may do
    private static void tellNothing(Recipient<String> to) {
        to.tell(null);
    }
}
