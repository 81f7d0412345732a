package dev.ropewalk.actors.internal;

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
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.InContext;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.routing.EventBus;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.actors.spi.ContextCarrier;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.SwitchHook;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Rule A6: a context that is bound to the sender's thread is there where a message is handled. */
@Timeout(60)
class ContextsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final ThreadLocal<String> HERE = ThreadLocal.withInitial(() -> "");
    private static final SwitchHook<String> HOOK = SwitchHook.of("here", "", HERE::get, HERE::set);

    /** Shows the context, and keeps what happens to messages. */
    private static class Carrier implements ContextCarrier {
        final List<String> log = new CopyOnWriteArrayList<>();

        @Override
        public SwitchHook<?> switchHook() {
            return HOOK;
        }

        @Override
        public @Nullable Object current() {
            return HERE.get().isEmpty() ? null : HERE.get();
        }

        @Override
        public Handling begin(
                ActorRef<?> actor, String type, Object message, @Nullable Object context) {
            String before = HERE.get();
            HERE.set(context == null ? "" : (String) context);
            String what = message + " in '" + HERE.get() + "'";
            return new Handling() {
                @Override
                public void end(@Nullable Throwable failure) {
                    log.add(what + " " + text(failure));
                    HERE.set(before);
                }

                @Override
                public void abandon() {
                    log.add(what + " given up");
                }
            };
        }

        private static String text(@Nullable Throwable failure) {
            if (failure == null) {
                return "done";
            }
            return Waits.isSignal(failure) ? "signal" : failure.getClass().getSimpleName();
        }
    }

    private final Carrier carrier = new Carrier();
    private final List<DeadLetter> letters = new CopyOnWriteArrayList<>();

    /** The messages that were handled, and the contexts. */
    private final List<String> heard = new CopyOnWriteArrayList<>();

    private void hears(Object message) {
        heard.add(message + " in '" + HERE.get() + "'");
    }

    private Actor<Object> hearing() {
        return Actor.handler(
                () ->
                        message -> {
                            hears(message);
                            return Behavior.same();
                        });
    }

    private static void in(String context, Runnable code) {
        String before = HERE.get();
        HERE.set(context);
        try {
            code.run();
        } finally {
            HERE.set(before);
        }
    }

    @FunctionalInterface
    private interface Body {
        void run(ActorSystem system) throws Exception;
    }

    private ActorSystemOptions options() {
        return ActorSystemOptions.defaults().withContexts(carrier).withDeadLetters(letters::add);
    }

    private static CordOptions virtual() {
        return CordOptions.named("test")
                .withClock(new CordOptions.VirtualClock(1, false))
                .withSwitchHooks(HOOK);
    }

    private void run(Body body) {
        run(Supervision.oneForOne().intensity(5, SECOND).onFailure(_ -> {}), body);
    }

    private void run(Supervision rules, Body body) {
        Cord.run(
                virtual(),
                (Action)
                        () -> {
                            try (ActorSystem system =
                                    ActorSystem.start(Tree.of("test", rules), options())) {
                                body.run(system);
                            }
                        });
    }

    private static void settle() {
        Fiber.sleep(SECOND);
    }

    @AfterEach
    void nothingIsLeftOn() {
        assertFalse(Taps.areAny());
        assertEquals("", HERE.get());
    }

    // ---------------------------------------------------------------- on the way

    @Test
    void A6_tellIsHandledInTheContextOfItsSender() {
        run(
                system -> {
                    ActorRef<Object> actor = system.spin("a", hearing());
                    in("one", () -> actor.tell("a"));
                    actor.tell("b");
                    in("two", () -> actor.tryTell("c"));
                    settle();
                    assertEquals(List.of("a in 'one'", "b in ''", "c in 'two'"), heard);
                    assertEquals(
                            List.of("a in 'one' done", "b in '' done", "c in 'two' done"),
                            carrier.log);
                });
    }

    @Test
    void A6_actorKeepsNoContextOfTheFiberThatSpunIt() {
        run(
                system -> {
                    in(
                            "spinner",
                            () -> {
                                ActorRef<Object> actor = system.start("a", hearing());
                                in("", () -> actor.tell("a"));
                            });
                    settle();
                    assertEquals(List.of("a in ''"), heard);
                });
    }

    @Test
    void A6_handlerThatWaitsHasItsContextAgain() {
        run(
                system -> {
                    Actor<Object> waiting =
                            Actor.handler(
                                    () ->
                                            message -> {
                                                hears(message);
                                                Fiber.sleep(Duration.ofMillis(100));
                                                hears(message);
                                                return Behavior.same();
                                            });
                    ActorRef<Object> first = system.spin("a", waiting);
                    ActorRef<Object> second = system.spin("b", waiting);
                    in("one", () -> first.tell("a"));
                    in("two", () -> second.tell("b"));
                    settle();
                    assertEquals(
                            List.of("a in 'one'", "b in 'two'", "a in 'one'", "b in 'two'"), heard);
                    assertEquals("", HERE.get());
                });
    }

    @Test
    void A6_contextGoesFromThreadsAndOtherCords() throws InterruptedException {
        LinkedBlockingQueue<String> got = new LinkedBlockingQueue<>();
        try (Cord other = Cord.start(CordOptions.named("other").withSwitchHooks(HOOK));
                ActorSystem system =
                        ActorSystem.start(Tree.oneForOne("test"), options().withCords(2))) {
            ActorRef<Object> actor =
                    system.spin(
                            "a",
                            Actor.handler(
                                    () ->
                                            message -> {
                                                got.add(message + " " + HERE.get());
                                                return Behavior.same();
                                            }));
            in("thread", () -> actor.tell("a"));
            assertEquals("a thread", got.poll(10, TimeUnit.SECONDS));
            Fiber<?> fiber = other.spin("teller", () -> in("cord", () -> actor.tell("b")));
            fiber.await();
            assertEquals("b cord", got.poll(10, TimeUnit.SECONDS));
            actor.tell("c");
            assertEquals("c ", got.poll(10, TimeUnit.SECONDS));
        }
    }

    record Question(Recipient<String> replyTo) {
        @Override
        public String toString() {
            return "question";
        }
    }

    private Actor<Object> answering() {
        return Actor.handler(
                () ->
                        message -> {
                            hears(message);
                            if (message instanceof Question question) {
                                HERE.set("answer");
                                question.replyTo().tell("yes");
                            }
                            return Behavior.same();
                        });
    }

    @Test
    void A6_askIsHandledInTheContextOfItsAsker() {
        run(
                system -> {
                    ActorRef<Object> actor = system.spin("a", answering());
                    in(
                            "one",
                            () -> {
                                assertEquals("yes", actor.<String>ask(Question::new));
                                assertEquals("one", HERE.get());
                            });
                    CompletableFuture<String> later = new CompletableFuture<>();
                    in(
                            "two",
                            () ->
                                    actor.<String>askLater(Question::new, SECOND)
                                            .thenAccept(later::complete));
                    settle();
                    assertEquals("yes", later.join());
                    assertEquals(List.of("question in 'one'", "question in 'two'"), heard);
                });
    }

    @Test
    void A6_failureOfAnAskNamesTheMessageOfTheProgram() {
        run(
                system -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "a",
                                    Actor.handler(
                                            () ->
                                                    _ -> {
                                                        throw new IllegalStateException("no");
                                                    }));
                    in(
                            "one",
                            () -> {
                                AskFailedException failed =
                                        assertThrows(
                                                AskFailedException.class,
                                                () -> actor.<String>ask(Question::new));
                                String told = String.valueOf(failed.getMessage());
                                assertTrue(told.contains("message: question"), told);
                            });
                    assertInstanceOf(Question.class, letters.getFirst().message());
                });
    }

    @Test
    void A6_adapterCarriesTheContextOfWhoeverReplies() {
        run(
                system -> {
                    ActorRef<Object> answering = system.spin("answering", answering());
                    ActorRef<Object> asking =
                            system.spin(
                                    "asking",
                                    Actor.handler(
                                            context ->
                                                    message -> {
                                                        hears(message);
                                                        if (message.equals("go")) {
                                                            answering.tell(
                                                                    new Question(
                                                                            context.adapt(
                                                                                    r -> r + "!")));
                                                        }
                                                        return Behavior.same();
                                                    }));
                    in("one", () -> asking.tell("go"));
                    settle();
                    assertEquals(
                            List.of("go in 'one'", "question in 'one'", "yes! in 'answer'"), heard);
                });
    }

    @Test
    void A6_adapterThatFailsHasAHandlingTooAndItsMessageIsWhatCame() {
        run(
                system -> {
                    CompletableFuture<Recipient<String>> made = new CompletableFuture<>();
                    system.start(
                            "a",
                            Actor.handler(
                                    context -> {
                                        made.complete(
                                                context.adapt(
                                                        _ -> {
                                                            throw new IllegalStateException("no");
                                                        }));
                                        return _ -> Behavior.same();
                                    }));
                    in("one", () -> made.join().tell("reply"));
                    settle();
                    assertEquals(List.of("reply in 'one' IllegalStateException"), carrier.log);
                    assertEquals("reply", letters.getFirst().message());
                });
    }

    @Test
    void A6_pipedStageHasTheContextOfItsCompleterOtherwiseOfTheCall() {
        run(
                system -> {
                    CompletableFuture<String> first = new CompletableFuture<>();
                    CompletableFuture<String> second = new CompletableFuture<>();
                    CompletableFuture<String> third = new CompletableFuture<>();
                    ActorRef<Object> actor =
                            system.spin(
                                    "a",
                                    Actor.handler(
                                            context ->
                                                    message -> {
                                                        hears(message);
                                                        if (message.equals("go")) {
                                                            context.pipe(first, r -> r);
                                                            context.pipe(second, r -> r);
                                                            in(
                                                                    "",
                                                                    () ->
                                                                            context.pipe(
                                                                                    third, r -> r));
                                                        }
                                                        return Behavior.same();
                                                    }));
                    in("one", () -> actor.tell("go"));
                    settle();
                    in("completer", () -> first.complete("first"));
                    second.complete("second");
                    third.complete("third");
                    settle();
                    assertEquals(
                            List.of(
                                    "go in 'one'",
                                    "first in 'completer'",
                                    "second in 'one'",
                                    "third in ''"),
                            heard);
                });
    }

    @Test
    void A6_timerHasTheContextInWhichItWasSetUnlessItRepeats() {
        run(
                system -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "a",
                                    Actor.handler(
                                            context ->
                                                    message -> {
                                                        hears(message);
                                                        if (message.equals("go")) {
                                                            context.timers().once(SECOND, "once");
                                                            context.timers()
                                                                    .fixedRate(
                                                                            "r",
                                                                            SECOND.multipliedBy(2),
                                                                            "rate");
                                                        }
                                                        if (message.equals("rate")) {
                                                            context.timers().cancel("r");
                                                        }
                                                        return Behavior.same();
                                                    }));
                    in("one", () -> actor.tell("go"));
                    Fiber.sleep(SECOND.multipliedBy(5));
                    assertEquals(List.of("go in 'one'", "once in 'one'", "rate in ''"), heard);
                });
    }

    @Test
    void A6_routersAndBusesTellInTheContextOfTheCaller() {
        run(
                system -> {
                    ActorRef<Object> pool = system.pool("pool", 2, hearing(), Routing.roundRobin());
                    in("one", () -> pool.tell("a"));
                    in("two", () -> pool.tell("b"));
                    EventBus<Object> bus = EventBus.make();
                    bus.subscribe(Object.class, system.spin("s", hearing()));
                    in("three", () -> bus.publish("c"));
                    settle();
                    assertEquals(List.of("a in 'one'", "b in 'two'", "c in 'three'"), heard);
                });
    }

    // ---------------------------------------------------------------- mailboxes

    /** The classes of what is queued. */
    private static List<String> queued(ActorRef<?> actor) {
        List<String> found = new ArrayList<>();
        ((ActorCell<?>) actor.target())
                .mailboxNow()
                .poll(
                        item -> {
                            found.add(item.getClass().getSimpleName());
                            return false;
                        });
        return found;
    }

    private Actor<Object> busy() {
        return Actor.handler(
                () ->
                        message -> {
                            hears(message);
                            Fiber.sleep(SECOND);
                            return Behavior.same();
                        });
    }

    @Test
    void A6_messageWithoutAContextHasNoEnvelope() {
        run(
                system -> {
                    ActorRef<Object> actor = system.spin("a", busy());
                    actor.tell("busy");
                    Fiber.sleep(Duration.ofMillis(1));
                    actor.tell("plain");
                    in("one", () -> actor.tell("b"));
                    assertEquals(List.of("String", "InContext"), queued(actor));
                    assertEquals(List.of("plain", "b"), actor.mailbox().oldest());
                    settle();
                });
    }

    @Test
    void A6_systemWithoutACarrierHasNoEnvelopesAndNoTaps() {
        Cord.run(
                virtual(),
                (Action)
                        () -> {
                            try (ActorSystem system = ActorSystem.start("off")) {
                                assertFalse(Taps.areAny());
                                ActorRef<Object> actor = system.spin("a", busy());
                                actor.tell("busy");
                                Fiber.sleep(Duration.ofMillis(1));
                                in("one", () -> actor.tell("a"));
                                assertEquals(List.of("String"), queued(actor));
                                ActorCell<?> cell = (ActorCell<?>) actor.target();
                                assertNull(cell.extras);
                                assertNull(cell.core().contextHere());
                                // The carrier of another system changes nothing here.
                                try (ActorSystem _ =
                                        ActorSystem.start(Tree.oneForOne("on"), options())) {
                                    assertTrue(Taps.areAny());
                                    in("one", () -> actor.tell("b"));
                                    assertEquals(List.of("String", "String"), queued(actor));
                                    assertNull(cell.extras);
                                }
                            }
                        });
    }

    @Test
    void A6_priorityKeyAndSelectionSeeTheMessage() {
        run(
                system -> {
                    ActorRef<Object> ranked =
                            system.spin(
                                    "ranked",
                                    busy().byPriority(m -> m.equals("urgent") ? 1 : 0)
                                            .conflate(m -> m instanceof Integer ? "n" : null));
                    ranked.tell("busy");
                    Fiber.sleep(Duration.ofMillis(1));
                    in("one", () -> ranked.tell("late"));
                    in("two", () -> ranked.tell(1));
                    in("three", () -> ranked.tell(2));
                    in("four", () -> ranked.tell("urgent"));
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(
                            List.of(
                                    "busy in ''",
                                    "urgent in 'four'",
                                    "late in 'one'",
                                    "2 in 'three'"),
                            heard);
                    assertEquals(1, letters.getFirst().message());
                });
    }

    @Test
    void A6_loopHasTheContextUntilItReceivesAgain() {
        run(
                system -> {
                    ActorRef<Object> loop =
                            system.spin(
                                    "loop",
                                    Actor.loop(
                                            context -> {
                                                hears(context.receive(Integer.class));
                                                Fiber.sleep(SECOND);
                                                hears("still");
                                                hears(context.receive(m -> m.equals("b")));
                                                hears(context.receive());
                                                assertNull(context.receive(SECOND));
                                                hears("idle");
                                                context.receive();
                                            }));
                    in("one", () -> loop.tell("a"));
                    in("two", () -> loop.tell(2));
                    in("three", () -> loop.tell("b"));
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(
                            List.of(
                                    "2 in 'two'",
                                    "still in 'two'",
                                    "b in 'three'",
                                    "a in 'one'",
                                    "idle in ''"),
                            heard);
                    assertEquals(
                            List.of("2 in 'two' done", "b in 'three' done", "a in 'one' done"),
                            carrier.log);
                    loop.stop();
                    assertTrue(loop.awaitEnd(SECOND));
                });
    }

    @Test
    void A6_deadLettersHaveTheMessageOfTheProgram() {
        run(
                system -> {
                    ActorRef<Object> over = system.start("over", hearing());
                    over.stop();
                    assertTrue(over.awaitEnd(SECOND));
                    in("one", () -> over.tell("ended"));
                    ActorRef<Object> small =
                            system.spin(
                                    "small",
                                    busy().mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(Overflow.DROP_NEW)));
                    small.tell("busy");
                    Fiber.sleep(Duration.ofMillis(1));
                    in("one", () -> small.tell("room"));
                    in("one", () -> small.tell("refused"));
                    settle();
                    ActorRef<Object> blind =
                            system.spin("blind", Actor.handler(() -> _ -> Behavior.unhandled()));
                    in("one", () -> blind.tell("unhandled"));
                    settle();
                    assertEquals(
                            List.of("ended", "refused", "unhandled"),
                            letters.stream().map(DeadLetter::message).toList());
                });
    }

    // ---------------------------------------------------------------- what comes again

    @Test
    void A6_postponedInsertedAndTimedOutMessagesKeepTheContext() {
        run(
                system -> {
                    Behavior<Object> open =
                            Behavior.state(
                                    "open",
                                    message -> {
                                        hears(message);
                                        return Behavior.same();
                                    });
                    ActorRef<Object> actor =
                            system.spin(
                                    "a",
                                    Actor.handler(
                                            context ->
                                                    Behavior.state(
                                                            "closed",
                                                            message -> {
                                                                hears(message);
                                                                if (message.equals("open")) {
                                                                    context.insert("inserted");
                                                                    context.stateTimeout(
                                                                            SECOND, "timeout");
                                                                    return open;
                                                                }
                                                                context.postpone();
                                                                return Behavior.same();
                                                            })));
                    in("one", () -> actor.tell("later"));
                    in("two", () -> actor.tell("open"));
                    Fiber.sleep(Duration.ofSeconds(3));
                    assertEquals(
                            List.of(
                                    "later in 'one'",
                                    "open in 'two'",
                                    "inserted in 'two'",
                                    "later in 'one'",
                                    "timeout in 'two'"),
                            heard);
                });
    }

    @Test
    void A6_failedMessageEndsWithItsFailureAndKeepsTheContextForItsNextTry() {
        run(
                system -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "a",
                                    Actor.<Object>handler(
                                                    () ->
                                                            message -> {
                                                                hears(message);
                                                                if (message.equals("bad")) {
                                                                    throw new IllegalStateException(
                                                                            "no");
                                                                }
                                                                return Behavior.same();
                                                            })
                                            .onFailure(FailedMessage.retry(2)));
                    in("one", () -> actor.tell("bad"));
                    in("two", () -> actor.tell("good"));
                    settle();
                    assertEquals(List.of("bad in 'one'", "bad in 'one'", "good in 'two'"), heard);
                    assertEquals(
                            List.of(
                                    "bad in 'one' IllegalStateException",
                                    "bad in 'one' IllegalStateException",
                                    "good in 'two' done"),
                            carrier.log);
                    assertEquals("bad", letters.getFirst().message());
                });
    }

    @Test
    void A6_stopKillAndTerminateEndTheMessageInHand() {
        run(
                system -> {
                    for (String how : List.of("stop", "terminate", "kill")) {
                        ActorRef<Object> actor = system.spin(how, busy());
                        in("one", () -> actor.tell(how));
                        Fiber.sleep(Duration.ofMillis(1));
                        switch (how) {
                            case "stop" -> actor.stop();
                            case "terminate" -> actor.terminate();
                            default -> actor.kill();
                        }
                        Fiber.sleep(SECOND.multipliedBy(2));
                    }
                    assertEquals(
                            List.of(
                                    "stop in 'one' done",
                                    "terminate in 'one' signal",
                                    "kill in 'one' signal"),
                            carrier.log);
                });
    }

    @Test
    void A6_messageOfAnAbandonedActorEnds() {
        run(
                Supervision.oneForOne().stopLimit(SECOND).onFailure(_ -> {}),
                system -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "stubborn",
                                    Actor.handler(
                                            () ->
                                                    message -> {
                                                        while (true) {
                                                            try {
                                                                Fiber.sleep(SECOND);
                                                            } catch (Throwable again) {
                                                                hears(message);
                                                            }
                                                        }
                                                    }));
                    in("one", () -> actor.tell("m"));
                    Fiber.sleep(Duration.ofMillis(1));
                    actor.terminate();
                    assertTrue(actor.awaitEnd(Duration.ofSeconds(30)));
                    assertEquals(List.of("m in 'one' given up"), carrier.log);
                });
    }

    @Test
    void A6_failureBehindACompletedMessageEndsItToo() {
        run(
                system -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "a",
                                    Actor.handler(
                                            context ->
                                                    message -> {
                                                        ((Context<?>) context)
                                                                .whenCommitted(
                                                                        () -> {
                                                                            throw new IllegalStateException(
                                                                                    "no");
                                                                        });
                                                        return Behavior.same();
                                                    }));
                    in("one", () -> actor.tell("m"));
                    settle();
                    assertEquals(List.of("m in 'one' IllegalStateException"), carrier.log);
                });
    }

    @Test
    void A6_idleActorKeepsNoContext() {
        run(
                system -> {
                    ActorRef<Object> actor = system.spin("a", hearing());
                    in("one", () -> actor.tell("a"));
                    settle();
                    ActorCell<?> cell = (ActorCell<?>) actor.target();
                    assertNull(Objects.requireNonNull(cell.running()).belongingsOrNull());
                    assertEquals(0, cell.mailboxNow().size());
                    CompletableFuture<String> base = new CompletableFuture<>();
                    cell.onCord(() -> base.complete(HERE.get()));
                    assertEquals("", base.join());
                });
    }

    // ---------------------------------------------------------------- wrong use

    @Test
    void A6_cordWithoutTheHookIsRefused() {
        try (Cord bare = Cord.start("bare")) {
            IllegalArgumentException refused =
                    assertThrows(
                            IllegalArgumentException.class,
                            () ->
                                    ActorSystem.start(
                                            Tree.oneForOne("test"), options().over(List.of(bare))));
            String told = String.valueOf(refused.getMessage());
            assertTrue(told.contains("switch hook here"), told);
            assertTrue(told.contains("withSwitchHooks"), told);
            run(
                    system -> {
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> system.root().spin(bare, "a", hearing()));
                        assertEquals(
                                "a in 'one'", in("one", system.spin("a", hearing()))); // it goes on
                    });
        }
    }

    private String in(String context, ActorRef<Object> actor) {
        in(context, () -> actor.tell("a"));
        settle();
        return heard.getLast();
    }

    @Test
    void A6_carrierThatFailsCostsNoMessage() {
        Carrier broken =
                new Carrier() {
                    @Override
                    public @Nullable Object current() {
                        throw new IllegalStateException("current");
                    }

                    @Override
                    public Handling begin(
                            ActorRef<?> actor,
                            String type,
                            Object message,
                            @Nullable Object context) {
                        throw new IllegalStateException("begin");
                    }
                };
        Cord.run(
                virtual(),
                (Action)
                        () -> {
                            try (ActorSystem system =
                                    ActorSystem.start(
                                            Tree.oneForOne("test"),
                                            ActorSystemOptions.defaults().withContexts(broken))) {
                                ActorRef<Object> actor = system.spin("a", hearing());
                                in("one", () -> actor.tell("a"));
                                in("one", () -> actor.tell("b"));
                                settle();
                                assertEquals(List.of("a in ''", "b in ''"), heard);
                            }
                        });
    }

    @Test
    void A6_systemThatDoesNotStartLeavesNothingOn() {
        Tree tree =
                Tree.oneForOne(
                        "test",
                        Tree.child(
                                "a",
                                Actor.<Object>handler(
                                        _ -> {
                                            throw new IllegalStateException("no");
                                        })));
        assertThrows(RuntimeException.class, () -> ActorSystem.start(tree, options()));
    }

    @Test
    void A6_envelopesTellTheirContext() {
        assertNull(Envelope.context("plain"));
        assertEquals("c", Envelope.context(new InContext("m", false, "c")));
    }
}
