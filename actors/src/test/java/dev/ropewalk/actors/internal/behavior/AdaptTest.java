package dev.ropewalk.actors.internal.behavior;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Rule A2: replies, results and failures as messages, and failed asks. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AdaptTest {
    private sealed interface Shop {
        record Order(String item) implements Shop {}

        record Price(String item, int price) implements Shop {}

        record NoPrice(Throwable why) implements Shop {}
    }

    private record PriceOf(String item, Recipient<Integer> to) {}

    private static ActorRef<PriceOf> prices(World world) {
        return world.spin(
                "prices",
                Actor.handler(
                        () ->
                                question -> {
                                    if (question.item().equals("unknown")) {
                                        question.to().fail(new Crash("no such item"));
                                    } else {
                                        question.to().tell(question.item().length());
                                    }
                                    return Behavior.same();
                                }));
    }

    private static Actor<Shop> shop(ActorRef<PriceOf> prices, List<Object> log) {
        return Actor.handler(
                self ->
                        message -> {
                            log.add(message);
                            if (message instanceof Shop.Order(String item)) {
                                prices.tell(
                                        new PriceOf(
                                                item,
                                                self.adapt(
                                                        price -> new Shop.Price(item, price),
                                                        Shop.NoPrice::new)));
                            }
                            return Behavior.same();
                        });
    }

    @Test
    void A2_replyAndFailureComeAsMessages() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Shop> shop = world.spin("shop", shop(prices(world), log));
                    shop.tell(new Shop.Order("tea"));
                    world.until(() -> log.size() == 2);
                    assertEquals(new Shop.Price("tea", 3), log.get(1));
                    shop.tell(new Shop.Order("unknown"));
                    world.until(() -> log.size() == 4);
                    assertInstanceOf(
                            Crash.class, ((Shop.NoPrice) log.get(3)).why(), log.toString());
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    @Test
    void A2_failedAskHasTheFailureAsItsCause() {
        World.anywhere(
                world -> {
                    ActorRef<PriceOf> prices = prices(world);
                    AskFailedException failed =
                            assertThrows(
                                    AskFailedException.class,
                                    () -> prices.<Integer>ask(to -> new PriceOf("unknown", to)));
                    assertInstanceOf(Crash.class, failed.getCause());
                    Errors.assertMentions(failed, "prices", "no such item");
                    assertEquals(3, prices.<Integer>ask(to -> new PriceOf("tea", to)));
                });
    }

    @Test
    void A2_failureToldToAPlainRefOrASimpleAdapterIsADeadLetter() {
        World.anywhere(
                world -> {
                    List<Recipient<String>> adapter = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "plain",
                                    Actor.handler(
                                            self -> {
                                                adapter.add(self.adapt(s -> s));
                                                return _ -> Behavior.same();
                                            }));
                    world.until(() -> !adapter.isEmpty());
                    Crash failure = new Crash("told");
                    ref.fail(failure);
                    adapter.getFirst().fail(failure);
                    world.settle();
                    assertEquals(2, world.letters.size());
                    for (DeadLetter letter : world.letters) {
                        assertEquals(DeadLetter.Reason.FAILURE, letter.reason());
                        assertSame(failure, letter.cause());
                        assertEquals("plain", Errors.inShort(letter.recipient()));
                    }
                });
    }

    @Test
    void A2_secondReplyAndLateFailureAreDeadLetters() {
        World.anywhere(
                world -> {
                    List<Recipient<Integer>> kept = World.log();
                    ActorRef<PriceOf> twice =
                            world.spin(
                                    "twice",
                                    Actor.handler(
                                            () ->
                                                    question -> {
                                                        kept.add(question.to());
                                                        question.to().tell(1);
                                                        question.to().tell(2);
                                                        return Behavior.same();
                                                    }));
                    assertEquals(1, twice.<Integer>ask(to -> new PriceOf("x", to)));
                    world.settle(); // the second reply may still be on its way
                    kept.getFirst().fail(new Crash("late"));
                    world.settle();
                    assertEquals(
                            List.of(DeadLetter.Reason.LATE_REPLY, DeadLetter.Reason.FAILURE),
                            world.letters.stream().map(DeadLetter::reason).toList());
                });
    }

    /** The function is the actor's: if it throws, the actor fails on that message. */
    @Test
    void A2_functionThatThrowsFailsTheActorOnThatMessage() {
        World.anywhere(
                world -> {
                    List<Recipient<Integer>> adapters = World.log();
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "adapting",
                                    Actor.handler(
                                            self -> {
                                                adapters.add(
                                                        self.adapt(
                                                                n -> {
                                                                    if (n == 0) {
                                                                        throw new Crash("zero");
                                                                    }
                                                                    return "n" + n;
                                                                }));
                                                return message -> {
                                                    log.add(message);
                                                    return Behavior.same();
                                                };
                                            }));
                    world.until(() -> !adapters.isEmpty());
                    adapters.getFirst().tell(1);
                    adapters.getFirst().tell(0);
                    adapters.getFirst().tell(2);
                    ref.tell("plain");
                    world.until(() -> log.size() == 3);
                    assertEquals(List.of("n1", "n2", "plain"), log);
                    assertEquals(List.of("adapting: zero"), world.failures);
                    assertEquals(List.of("adapting FAILED 0"), world.deadLetters());
                });
    }

    /** In loop style the type that is waited for is that of the message that is made. */
    @Test
    void A2_selectiveReceiveTakesWhatAnAdapterMakes() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    List<Recipient<Integer>> adapters = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "selective",
                                    Actor.loop(
                                            self -> {
                                                adapters.add(self.adapt(n -> "n" + n));
                                                log.add(self.receive(String.class));
                                                log.add(self.receive(Long.class));
                                                log.add(
                                                        self.receive(
                                                                m -> m.toString().endsWith("9")));
                                                log.add(self.receive());
                                                self.receive();
                                            }));
                    world.until(() -> !adapters.isEmpty());
                    ref.tell(1.5);
                    adapters.getFirst().tell(7);
                    ref.tell(8L);
                    adapters.getFirst().tell(9);
                    world.until(() -> log.size() == 4);
                    assertEquals(List.of("n7", 8L, "n9", 1.5), log);
                    assertEquals(List.of(), world.failures);
                });
    }

    // ---------------------------------------------------------------- pipe

    private static ActorRef<Object> piping(
            World world, CompletableFuture<String> stage, boolean withFailure, List<Object> log) {
        return world.spin(
                "piping",
                Actor.handler(
                        self -> {
                            if (log.isEmpty()) {
                                log.add("start");
                                if (withFailure) {
                                    self.pipe(stage, s -> s, f -> f);
                                } else {
                                    self.pipe(stage, s -> s);
                                }
                            }
                            return message -> {
                                log.add(message);
                                return Behavior.same();
                            };
                        }));
    }

    @Test
    void A2_pipeTellsTheResultOfAStage() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    CompletableFuture<String> stage = new CompletableFuture<>();
                    piping(world, stage, false, log);
                    world.until(() -> !log.isEmpty());
                    stage.complete("result");
                    world.until(() -> log.size() == 2);
                    assertEquals(List.of("start", "result"), log);
                });
    }

    @Test
    void A2_pipeTellsTheFailureOfAStage() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    CompletableFuture<String> stage = new CompletableFuture<>();
                    piping(world, stage, true, log);
                    world.until(() -> !log.isEmpty());
                    Crash failure = new Crash("broken");
                    stage.completeExceptionally(failure);
                    world.until(() -> log.size() == 2);
                    assertSame(failure, log.get(1));
                });
    }

    @Test
    void A2_pipeWithoutAWayForFailuresFailsTheActor() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    CompletableFuture<String> stage = new CompletableFuture<>();
                    ActorRef<Object> ref = piping(world, stage, false, log);
                    world.until(() -> !log.isEmpty());
                    stage.completeExceptionally(new Crash("broken"));
                    world.until(() -> !world.failures.isEmpty());
                    assertTrue(world.failures.getFirst().contains("broken"));
                    ref.tell("goes on");
                    world.until(() -> log.size() == 2);
                    assertEquals("goes on", log.get(1));
                });
    }

    @Test
    void A2_pipeOfAFiberDoesNotHoldUpTheActor() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "piping",
                                    Actor.handler(
                                            self ->
                                                    message -> {
                                                        log.add(message);
                                                        if (message.equals("go")) {
                                                            Fiber<String> slow =
                                                                    Fiber.spin(
                                                                            () -> {
                                                                                Fiber.suspend();
                                                                                return "slow";
                                                                            });
                                                            self.pipe(slow, s -> s + " done");
                                                            log.add(slow);
                                                        }
                                                        return Behavior.same();
                                                    }));
                    ref.tell("go");
                    ref.tell("next");
                    world.until(() -> log.size() == 3);
                    ((Fiber<?>) log.get(1)).schedule(null);
                    world.until(() -> log.size() == 4);
                    assertEquals("go", log.get(0));
                    assertEquals("next", log.get(2));
                    assertEquals("slow done", log.get(3));
                });
    }

    // ---------------------------------------------------------------- asks and restarts

    /**
     * A question that an incarnation took fails with it, unless it is the one that is tried again;
     * one still queued survives.
     */
    @Test
    void A2_crashFailsTheAsksThatWereTakenAndNoOther() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<PriceOf> ref =
                            world.spin(
                                    "crashing",
                                    Actor.<PriceOf>handler(
                                                    self ->
                                                            question -> {
                                                                log.add(question.item());
                                                                switch (question.item()) {
                                                                    case "later" -> {}
                                                                    case "poison" -> {
                                                                        if (self.attempt() == 1) {
                                                                            throw new Crash("x");
                                                                        }
                                                                        question.to()
                                                                                .tell(
                                                                                        self
                                                                                                .attempt());
                                                                    }
                                                                    default ->
                                                                            question.to().tell(0);
                                                                }
                                                                return Behavior.same();
                                                            })
                                            .onFailure(FailedMessage.retry(3)));
                    Fiber<AskFailedException> taken =
                            Fiber.spin(
                                    () ->
                                            assertThrows(
                                                    AskFailedException.class,
                                                    () ->
                                                            ref.<Integer>ask(
                                                                    to ->
                                                                            new PriceOf(
                                                                                    "later", to))));
                    world.until(() -> log.size() == 1);
                    Fiber<Integer> retried =
                            Fiber.spin(() -> ref.<Integer>ask(to -> new PriceOf("poison", to)));
                    Fiber<Integer> queued =
                            Fiber.spin(() -> ref.<Integer>ask(to -> new PriceOf("queued", to)));
                    assertEquals(2, retried.await());
                    assertEquals(0, queued.await());
                    AskFailedException failed = taken.await();
                    assertInstanceOf(Crash.class, failed.getCause());
                    Errors.assertMentions(failed, "crashing", "has ended");
                });
    }
}
