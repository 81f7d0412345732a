package dev.ropewalk.actors.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.spi.ContextCarrier;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.Blocking;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.SpanData;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/** Rule A6: spans of messages, and their context on cords. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TracesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    record Question(Recipient<String> replyTo) {}

    private final Recorded recorded = new Recorded();
    private final List<DeadLetter> letters = new CopyOnWriteArrayList<>();

    @AfterEach
    void nothingIsLeftOnTheThread() {
        assertSame(Context.root(), Context.current());
        recorded.close();
    }

    @FunctionalInterface
    private interface Body {
        void run(ActorSystem system) throws Exception;
    }

    /** On a virtual clock. */
    private void run(ContextCarrier carrier, Body body) {
        Supervision rules = Supervision.oneForOne().stopLimit(SECOND).onFailure(_ -> {});
        Cord.run(
                Recorded.cord().withClock(new CordOptions.VirtualClock(1, false)),
                (Action)
                        () -> {
                            try (ActorSystem system =
                                    ActorSystem.start(
                                            Tree.of("shop", rules),
                                            ActorSystemOptions.defaults()
                                                    .withContexts(carrier)
                                                    .withDeadLetters(letters::add))) {
                                body.run(system);
                            }
                        });
    }

    private void run(Body body) {
        run(Traces.spans(recorded.sdk()), body);
    }

    private static void settle() {
        Fiber.sleep(SECOND);
    }

    private static String process(Object message) {
        return "process TracesTest " + message.getClass().getSimpleName();
    }

    // ---------------------------------------------------------------- cords

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F10_spanOfAFiberIsThereWheneverItRunsAndOthersDoNotSeeIt(StackKind stacks) {
        Cord.run(
                Recorded.cord().withStacks(stacks),
                (Action)
                        () -> {
                            Fiber<?> other =
                                    Fiber.spin(
                                            "other",
                                            () -> {
                                                for (int i = 0; i < 10; i++) {
                                                    assertSame(Context.root(), Context.current());
                                                    Fiber.sleep(Duration.ofMillis(1));
                                                }
                                            });
                            recorded.in(
                                    "span",
                                    () -> {
                                        Context own = Context.current();
                                        for (int i = 0; i < 10; i++) {
                                            Fiber.sleep(Duration.ofMillis(1));
                                            assertSame(own, Context.current());
                                        }
                                        Fiber<?> child =
                                                Fiber.spin(
                                                        "child",
                                                        () -> assertSame(own, Context.current()));
                                        child.await();
                                        return null;
                                    });
                            other.await();
                            assertSame(Context.root(), Context.current());
                        });
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F12_callOfABlockingPoolHasTheContextOfItsCaller(StackKind stacks) {
        Cord.run(
                Recorded.cord().withStacks(stacks),
                (Action)
                        () -> {
                            recorded.in(
                                    "span",
                                    () -> {
                                        Context own = Context.current();
                                        assertSame(own, Blocking.call(Context::current));
                                        recorded.run("before", () -> {});
                                        Blocking.run(() -> recorded.run("in pool", () -> {}));
                                        return null;
                                    });
                            assertSame(Context.root(), Blocking.call(Context::current));
                        });
        recorded.assertParent("span", "in pool");
    }

    @Test
    void F12_callOfABlockingPoolHasNoneWithoutTheHook() {
        Cord.run(
                (Action)
                        () ->
                                recorded.run(
                                        "span",
                                        () ->
                                                assertSame(
                                                        Context.root(),
                                                        Blocking.call(Context::current))));
    }

    // ---------------------------------------------------------------- messages

    private static Actor<Object> quiet() {
        return Actor.handler(() -> _ -> Behavior.same());
    }

    @Test
    void A6_spanOfAMessageIsAChildOfThatOfItsSender() {
        run(
                system -> {
                    ActorRef<Object> actor = system.spin("till", quiet());
                    recorded.run("sender", () -> actor.tell("sale"));
                    settle();
                    recorded.assertParent("sender", process("sale"));
                    SpanData span = recorded.the(process("sale"));
                    assertEquals(SpanKind.CONSUMER, span.getKind());
                    assertEquals(StatusCode.UNSET, span.getStatus().getStatusCode());
                    assertEquals("ropewalk", Recorded.text(span, "messaging.system"));
                    assertEquals("process", Recorded.text(span, "messaging.operation.name"));
                    assertEquals("process", Recorded.text(span, "messaging.operation.type"));
                    assertEquals("shop/till", Recorded.text(span, "messaging.destination.name"));
                    assertEquals(
                            TracesTest.class.getName(), Recorded.text(span, "ropewalk.actor.type"));
                    assertEquals("java.lang.String", Recorded.text(span, "ropewalk.message.type"));
                    assertNull(Recorded.text(span, "error.type"));
                });
    }

    @Test
    void A6_messageThatIsSentInNoSpanBeginsATrace() {
        run(
                system -> {
                    recorded.run("spinner", () -> system.start("till", quiet()).tell("inside"));
                    settle();
                    recorded.assertParent("spinner", process("inside"));
                    ActorRef<?> found = Objects.requireNonNull(system.find("till"));
                    @SuppressWarnings("unchecked")
                    ActorRef<Object> till = (ActorRef<Object>) found;
                    till.tell(1);
                    settle();
                    assertFalse(recorded.the(process(1)).getParentSpanContext().isValid());
                });
    }

    @Test
    void A6_namesAreTheSameForAllActorsOfAKind() {
        run(
                system -> {
                    for (int i = 0; i < 5; i++) {
                        system.spin("till-" + i, quiet()).tell("sale");
                        system.spin(quiet()).tell("sale");
                    }
                    settle();
                    assertEquals(10, recorded.names().size());
                    assertEquals(1, recorded.names().stream().distinct().count());
                });
    }

    @Test
    void A6_asksAdaptersPipesAndTimersAreChildrenOfTheirSenders() {
        run(
                system -> {
                    ActorRef<Question> answering =
                            system.spin(
                                    "answering",
                                    Actor.handler(
                                            () ->
                                                    question -> {
                                                        question.replyTo().tell("yes");
                                                        return Behavior.same();
                                                    }));
                    ActorRef<Object> asking =
                            system.spin(
                                    "asking",
                                    Actor.handler(
                                            context ->
                                                    message -> {
                                                        if (message instanceof Integer) {
                                                            answering.tell(
                                                                    new Question(
                                                                            context.adapt(r -> r)));
                                                            context.timers().once(SECOND, 'c');
                                                        }
                                                        return Behavior.same();
                                                    }));
                    recorded.run("sender", () -> asking.tell(1));
                    Fiber.sleep(SECOND.multipliedBy(2));
                    recorded.assertParent("sender", process(1));
                    String question = "process TracesTest TracesTest.Question";
                    recorded.assertParent(process(1), question);
                    recorded.assertParent(question, process("reply"));
                    recorded.assertParent(process(1), process('c'));
                    recorded.run(
                            "asker",
                            () -> {
                                Context own = Context.current();
                                answering.<String>ask(Question::new);
                                assertSame(own, Context.current());
                            });
                    List<String> parents = new ArrayList<>();
                    recorded.all().forEach(span -> parents.add(span.getParentSpanId()));
                    assertTrue(parents.contains(recorded.the("asker").getSpanId()));
                });
    }

    @Test
    void A6_contextsAloneMakeNoSpans() {
        run(
                Traces.contexts(),
                system -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "a",
                                    Actor.handler(
                                            () ->
                                                    _ -> {
                                                        recorded.run("own", () -> {});
                                                        return Behavior.same();
                                                    }));
                    recorded.run("sender", () -> actor.tell("m"));
                    settle();
                    recorded.assertParent("sender", "own");
                    assertEquals(List.of("own", "sender"), recorded.names());
                });
    }

    // ---------------------------------------------------------------- ends

    @Test
    void A6_failureIsAnErrorWithTheException() {
        run(
                system -> {
                    ActorRef<Object> actor =
                            system.spin(
                                    "a",
                                    Actor.handler(
                                            () ->
                                                    message -> {
                                                        if (message.equals("bad")) {
                                                            throw new IllegalStateException("no");
                                                        }
                                                        return Behavior.same();
                                                    }));
                    actor.tell("bad");
                    settle();
                    SpanData span = recorded.the(process("bad"));
                    assertEquals(StatusCode.ERROR, span.getStatus().getStatusCode());
                    assertEquals(
                            IllegalStateException.class.getName(),
                            Recorded.text(span, "error.type"));
                    assertEquals("exception", span.getEvents().getFirst().getName());
                    assertEquals("bad", letters.getFirst().message());
                    actor.tell(1); // it was started again
                    settle();
                    assertEquals(
                            StatusCode.UNSET, recorded.the(process(1)).getStatus().getStatusCode());
                });
    }

    @Test
    void A6_spanEndsWhenItsActorIsEndedAndWhenItIsGivenUp() {
        run(
                system -> {
                    ActorRef<Object> killed =
                            system.spin(
                                    "killed",
                                    Actor.handler(
                                            () ->
                                                    _ -> {
                                                        Fiber.sleep(SECOND);
                                                        return Behavior.same();
                                                    }));
                    killed.tell("m");
                    Fiber.sleep(Duration.ofMillis(1));
                    killed.kill();
                    ActorRef<Object> stubborn =
                            system.spin(
                                    "stubborn",
                                    Actor.handler(
                                            () ->
                                                    _ -> {
                                                        while (true) {
                                                            try {
                                                                Fiber.sleep(SECOND);
                                                            } catch (Throwable again) {
                                                                Fiber.currentOrNull();
                                                            }
                                                        }
                                                    }));
                    stubborn.tell(1);
                    Fiber.sleep(Duration.ofMillis(1));
                    stubborn.terminate();
                    assertTrue(stubborn.awaitEnd(Duration.ofSeconds(30)));
                    SpanData ended = recorded.the(process("m"));
                    assertEquals(StatusCode.ERROR, ended.getStatus().getStatusCode());
                    assertEquals("ended", Recorded.text(ended, "error.type"));
                    assertEquals(List.of(), ended.getEvents());
                    SpanData givenUp = recorded.the(process(1));
                    assertEquals(StatusCode.ERROR, givenUp.getStatus().getStatusCode());
                    assertEquals("ended", Recorded.text(givenUp, "error.type"));
                });
    }

    @Test
    void A6_loopThatWaitsHasTheContextOfNoMessage() {
        run(
                system -> {
                    List<Context> seen = new ArrayList<>();
                    ActorRef<Object> loop =
                            system.spin(
                                    "loop",
                                    Actor.loop(
                                            context -> {
                                                context.receive();
                                                seen.add(Context.current());
                                                context.receive(SECOND);
                                                seen.add(Context.current());
                                            }));
                    recorded.run("sender", () -> loop.tell("m"));
                    Fiber.sleep(SECOND.multipliedBy(2));
                    assertNotSame(Context.root(), seen.getFirst());
                    assertSame(Context.root(), seen.getLast());
                });
    }

    @Test
    void A6_spanOfALoopEndsWhenItReceivesAgain() {
        run(
                system -> {
                    ActorRef<Object> loop =
                            system.spin(
                                    "loop",
                                    Actor.loop(
                                            context -> {
                                                context.receive();
                                                Fiber.sleep(SECOND);
                                                context.receive();
                                            }));
                    recorded.run("sender", () -> loop.tell("m"));
                    Fiber.sleep(Duration.ofMillis(500));
                    assertEquals(List.of("sender"), recorded.names());
                    settle();
                    recorded.assertParent("sender", process("m"));
                    loop.tell(1); // and then it ends
                    settle();
                    assertEquals(
                            StatusCode.UNSET, recorded.the(process(1)).getStatus().getStatusCode());
                });
    }

    // ---------------------------------------------------------------- wrong use

    @Test
    void A6_systemOnACordWithoutTheHookIsRefused() {
        Cord.run(
                (Action)
                        () -> {
                            IllegalArgumentException refused =
                                    assertThrows(
                                            IllegalArgumentException.class,
                                            () ->
                                                    ActorSystem.start(
                                                            Tree.oneForOne("shop"),
                                                            ActorSystemOptions.defaults()
                                                                    .withContexts(
                                                                            Traces.contexts())));
                            String told = String.valueOf(refused.getMessage());
                            assertTrue(told.contains("OpenTelemetry"), told);
                        });
    }

    @Test
    void A6_openTelemetryThatDoesNothingCostsNoMessage() {
        run(
                Traces.spans(OpenTelemetry.noop()),
                system -> {
                    List<Object> heard = new ArrayList<>();
                    ActorRef<Object> actor =
                            system.spin(
                                    "a",
                                    Actor.handler(
                                            () ->
                                                    message -> {
                                                        heard.add(message);
                                                        return Behavior.same();
                                                    }));
                    actor.tell("a");
                    actor.tell("b");
                    settle();
                    assertEquals(List.of("a", "b"), heard);
                });
    }
}
