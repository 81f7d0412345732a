package dev.ropewalk.actors.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.routing.NoMembersException;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.actors.routing.WhenEmpty;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Alarm;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** Rule A8: what a receiver has set never fails the sender that did not choose it. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RefusedReplyTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private record Get(Recipient<String> replyTo) {}

    /** How the client wants its replies. */
    enum Way {
        ADAPTER,
        REF
    }

    /** How the server answers. */
    private enum Answer {
        ITSELF,
        FIBER
    }

    private static Actor<Get> server(Answer answer) {
        return Actor.handler(
                () ->
                        get -> {
                            switch (answer) {
                                case ITSELF -> get.replyTo().tell("reply");
                                case FIBER ->
                                        Fiber.spin("answer", () -> get.replyTo().tell("reply"));
                            }
                            return Behavior.same();
                        });
    }

    /** Asks often, and has no time for the replies. */
    private static Actor<String> client(Way way, ActorRef<Get> server) {
        return Actor.<String>handler(
                        (ActorContext<String> self) -> {
                            Recipient<String> replies =
                                    way == Way.ADAPTER
                                            ? self.adapt((String reply) -> reply)
                                            : self.self();
                            return message -> {
                                if (message.equals("go")) {
                                    for (int i = 0; i < 5; i++) {
                                        server.tell(new Get(replies));
                                    }
                                    Fiber.sleep(SECOND);
                                }
                                return Behavior.same();
                            };
                        })
                .mailbox(MailboxOptions.bounded(2).withOverflow(Overflow.FAIL));
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void A8_aReplyWithoutRoomIsADeadLetter(Way way) {
        for (Answer answer : Answer.values()) {
            World.local(
                    world -> {
                        ActorRef<Get> server = world.spin("server", server(answer));
                        ActorRef<String> client = world.spin("client", client(way, server));
                        client.tell("go");
                        Fiber.sleep(SECOND.multipliedBy(2));
                        assertEquals(List.of(), world.failures);
                        assertEquals(
                                List.of(
                                        "client REFUSED reply",
                                        "client REFUSED reply",
                                        "client REFUSED reply"),
                                world.deadLetters());
                        assertInstanceOf(
                                MailboxFullException.class, world.letters.getFirst().cause());
                    });
        }
    }

    /** Holds a message in hand for long, with one queued: its mailbox is full. */
    private static ActorRef<Step> full(World world, Overflow overflow) {
        ActorRef<Step> full =
                world.spin(
                        "full",
                        Step.actor().mailbox(MailboxOptions.bounded(1).withOverflow(overflow)));
        full.tell(Step.of(_ -> Fiber.sleep(SECOND.multipliedBy(10))));
        world.settle();
        full.tell(Step.of(_ -> {}));
        world.settle();
        return full;
    }

    /** A fiber below no actor could take an exception, but does not know whose adapter it has. */
    @Test
    void A8_aReplyByAFiberOutsideActorsIsADeadLetter() {
        World.local(
                world -> {
                    AtomicReference<Recipient<Step>> adapter = new AtomicReference<>();
                    ActorRef<Step> full =
                            world.spin(
                                    "full",
                                    Actor.<Step>handler(
                                                    (ActorContext<Step> self) -> {
                                                        adapter.set(self.adapt(step -> step));
                                                        return _ -> {
                                                            Fiber.sleep(SECOND);
                                                            return Behavior.same();
                                                        };
                                                    })
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(Overflow.FAIL)));
                    full.tell(Step.of(_ -> {}));
                    world.settle();
                    full.tell(Step.of(_ -> {}));
                    adapter.get().tell(Step.of(_ -> {}));
                    assertEquals(1, world.letters.size());
                    assertEquals(DeadLetter.Reason.REFUSED, world.letters.getFirst().reason());
                });
    }

    /** What the rule is for: a sender that can take an exception, because it is no actor. */
    @Test
    void A3_aFiberAndAThreadGetTheExceptionAndAnActorDoesNot() {
        World.local(
                world -> {
                    ActorRef<Step> full = full(world, Overflow.FAIL);
                    assertThrows(MailboxFullException.class, () -> full.tell(Step.of(_ -> {})));
                    ActorRef<Step> teller = world.spin("teller", Step.actor());
                    teller.tell(
                            Step.of(
                                    _ -> {
                                        full.tell(Step.of(_ -> {}));
                                        assertEquals(
                                                TellResult.FULL, full.tryTell(Step.of(_ -> {})));
                                    }));
                    world.settle();
                    assertEquals(List.of(), world.failures);
                    assertEquals(1, world.letters.size());
                    assertEquals(DeadLetter.Reason.REFUSED, world.letters.getFirst().reason());
                });
    }

    /**
     * A stage that comes to its limit runs on the cord, in no fiber, and would lose its message.
     */
    @Test
    void A3_whatACordRunsOutsideFibersDoesNotGetTheException() {
        World.local(
                world -> {
                    ActorRef<Step> full = full(world, Overflow.FAIL);
                    ActorRef<Get> silent =
                            world.spin("silent", Actor.handler(() -> _ -> Behavior.same()));
                    CompletableFuture<String> told =
                            silent.<String>askLater(Get::new, SECOND)
                                    .toCompletableFuture()
                                    .whenComplete((_, _) -> full.tell(Step.stop()));
                    Fiber.sleep(SECOND.multipliedBy(2));
                    assertInstanceOf(AskTimeoutException.class, told.exceptionNow());
                    assertEquals(1, world.letters.size());
                    assertEquals(DeadLetter.Reason.REFUSED, world.letters.getFirst().reason());
                });
    }

    /** It would wait for room in its own mailbox, and may not know whose adapter it replies to. */
    @Test
    void A8_aReplyToTheActorItselfIsADeadLetter() {
        World.local(
                world -> {
                    ActorRef<Step> own =
                            world.spin("own", Step.actor().mailbox(MailboxOptions.bounded(1)));
                    own.tell(
                            Step.of(
                                    self -> {
                                        Recipient<String> adapter =
                                                self.adapt((String _) -> Step.of(_ -> {}));
                                        adapter.tell("1");
                                        adapter.tell("2");
                                    }));
                    world.settle();
                    assertEquals(List.of(), world.failures);
                    assertEquals(List.of("own REFUSED 2"), world.deadLetters());
                });
    }

    /** A reply that comes where no fiber runs cannot wait for room. */
    @Test
    void A8_aReplyThatCannotWaitIsADeadLetter() {
        World.local(
                world -> {
                    AtomicReference<@Nullable Recipient<String>> adapter = new AtomicReference<>();
                    ActorRef<String> full =
                            world.spin(
                                    "full",
                                    Actor.<String>handler(
                                                    (ActorContext<String> self) -> {
                                                        adapter.set(self.adapt((String s) -> s));
                                                        return _ -> {
                                                            Fiber.sleep(SECOND);
                                                            return Behavior.same();
                                                        };
                                                    })
                                            .mailbox(MailboxOptions.bounded(1)));
                    full.tell("1");
                    world.settle();
                    full.tell("2");
                    Recipient<String> replies = adapter.get();
                    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
                    Alarm.after(
                            0,
                            () -> {
                                try {
                                    if (replies != null) {
                                        replies.tell("3");
                                    }
                                } catch (RuntimeException failure) {
                                    thrown.set(failure);
                                }
                            });
                    world.settle();
                    assertNull(thrown.get());
                    assertEquals(List.of("full REFUSED 3"), world.deadLetters());
                });
    }

    @Test
    void A8_tryTellOfEachAddress() {
        World.local(
                world -> {
                    List<Recipient<String>> adapters = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "ref",
                                    Actor.<String>handler(
                                                    (ActorContext<String> self) -> {
                                                        adapters.add(self.adapt((String s) -> s));
                                                        return _ -> {
                                                            Fiber.sleep(SECOND);
                                                            return Behavior.same();
                                                        };
                                                    })
                                            .mailbox(MailboxOptions.bounded(1)));
                    world.settle();
                    Recipient<String> adapter = adapters.getFirst();
                    assertEquals(TellResult.ACCEPTED, adapter.tryTell("1"));
                    world.settle();
                    assertEquals(TellResult.ACCEPTED, adapter.tryTell("2"));
                    assertEquals(TellResult.FULL, adapter.tryTell("3"));
                    ref.terminate();
                    world.settle();
                    assertEquals(TellResult.ENDED, adapter.tryTell("4"));

                    List<Recipient<String>> held = World.log();
                    ActorRef<Get> silent =
                            world.spin(
                                    "silent",
                                    Actor.handler(
                                            () ->
                                                    (Get get) -> {
                                                        held.add(get.replyTo());
                                                        return Behavior.same();
                                                    }));
                    CompletableFuture<String> reply =
                            silent.<String>askLater(Get::new, SECOND).toCompletableFuture();
                    world.settle();
                    assertEquals(TellResult.ACCEPTED, held.getFirst().tryTell("a"));
                    assertEquals(TellResult.ENDED, held.getFirst().tryTell("b"));
                    assertEquals("a", reply.join());
                    Fiber<String> asks = Fiber.spin("asks", () -> silent.ask(Get::new, SECOND));
                    world.settle();
                    assertEquals(TellResult.ACCEPTED, held.get(1).tryTell("c"));
                    assertEquals(TellResult.ENDED, held.get(1).tryTell("d"));
                    assertEquals("c", asks.await());
                    assertEquals(List.of("ref ENDED 2"), dropped(world, "ENDED"));
                    assertEquals(List.of(), dropped(world, "LATE_REPLY"));
                });
    }

    private static List<String> dropped(World world, String reason) {
        return world.deadLetters().stream().filter(each -> each.contains(reason)).toList();
    }

    /** The same for the setting of a router. */
    @Test
    void A8_aRouterFailsNoActor() {
        World.local(
                world -> {
                    ActorRef<String> empty =
                            Routing.<String>roundRobin()
                                    .whenEmpty(WhenEmpty.fail())
                                    .over(world.system.group("none", String.class));
                    ActorRef<String> keyless =
                            Routing.<String>hash(
                                            _ -> {
                                                throw new Crash("no key");
                                            })
                                    .over(List.of(world.spin("w", Actor.handler(() -> ignore()))));
                    assertThrows(NoMembersException.class, () -> empty.tell("a"));
                    assertThrows(IllegalArgumentException.class, () -> keyless.tell("b"));
                    ActorRef<Step> teller = world.spin("teller", Step.actor());
                    teller.tell(
                            Step.of(
                                    _ -> {
                                        empty.tell("c");
                                        keyless.tell("d");
                                        assertEquals(TellResult.ACCEPTED, keyless.tryTell("e"));
                                    }));
                    world.settle();
                    assertEquals(List.of(), world.failures);
                    List<String> told = world.deadLetters();
                    assertEquals(3, told.size(), told::toString);
                    assertTrue(told.get(0).endsWith("NO_MEMBERS c"), told::toString);
                    assertTrue(told.get(1).endsWith("FAILED d"), told::toString);
                    assertTrue(told.get(2).endsWith("FAILED e"), told::toString);
                });
    }

    private static Behavior<String> ignore() {
        return _ -> Behavior.same();
    }

    /** A key whose equals and hash code are the program's. */
    private record Key(String text) {
        @Override
        public boolean equals(@Nullable Object other) {
            if (text.equals("bad equals")) {
                throw new Crash(text);
            }
            return other instanceof Key same && text.equals(same.text);
        }

        @Override
        public int hashCode() {
            if (text.equals("bad hash")) {
                throw new Crash(text);
            }
            return text.hashCode();
        }
    }

    @Test
    void A8_aKeyThatCannotBeComparedIsKeptBesideTheOthers() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "ref",
                                    Actor.<String>handler(
                                                    () ->
                                                            message -> {
                                                                log.add(message);
                                                                return Behavior.same();
                                                            })
                                            .conflate(Key::new));
                    for (String each : List.of("x", "bad hash", "bad equals", "bad hash")) {
                        ref.tell(each);
                        ref.tell(each);
                    }
                    world.settle();
                    assertEquals(
                            List.of(
                                    "x",
                                    "bad hash",
                                    "bad hash",
                                    "bad equals",
                                    "bad equals",
                                    "bad hash",
                                    "bad hash"),
                            log);
                    assertEquals(List.of("ref REPLACED x"), world.deadLetters());
                });
    }

    /** A question whose text cannot be made. */
    private record Textless(Recipient<String> replyTo) {
        @Override
        public String toString() {
            throw new Crash("no text");
        }
    }

    /** The reverse: what an asker sends fails no actor that it asks, where the reports are made. */
    @Test
    void A8_aQuestionWithoutATextFailsNoActor() {
        World.local(
                world -> {
                    List<Recipient<String>> held = World.log();
                    ActorRef<Textless> ref =
                            world.spin(
                                    "ref",
                                    Actor.<Textless>handler(
                                            () ->
                                                    question -> {
                                                        if (held.isEmpty()) {
                                                            held.add(question.replyTo());
                                                            return Behavior.same();
                                                        }
                                                        throw new Crash("the second");
                                                    }));
                    CompletableFuture<String> first =
                            ref.<String>askLater(Textless::new, SECOND).toCompletableFuture();
                    CompletableFuture<String> second =
                            ref.<String>askLater(Textless::new, SECOND).toCompletableFuture();
                    world.settle();
                    assertInstanceOf(AskFailedException.class, first.exceptionNow());
                    assertInstanceOf(AskFailedException.class, second.exceptionNow());
                    assertEquals(List.of("ref: the second"), world.failures);
                    assertEquals(1, world.system.root().restarts());
                    world.letters.clear();
                });
    }
}
