package dev.ropewalk.actors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.testing.BehaviorSteps;
import dev.ropewalk.actors.testing.Errors;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Rules A1, A2: request servers. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RequestServerTest {
    private sealed interface Animal {}

    private static sealed class Dog implements Animal permits Puppy {}

    private static final class Puppy extends Dog {}

    @Test
    void A2_theNearestTypeHasTheFunction() throws Exception {
        List<String> log = new ArrayList<>();
        BehaviorSteps<Animal> steps =
                BehaviorSteps.of(
                        Server.<Animal, Integer>of(0)
                                .cast(Animal.class, (n, _) -> noted(log, "animal", n))
                                .cast(Dog.class, (n, _) -> noted(log, "dog", n))
                                .actor(Animal.class));
        steps.run(new Puppy());
        steps.run(new Dog());
        assertEquals(List.of("dog", "dog"), log);
    }

    private static int noted(List<String> log, String what, int state) {
        log.add(what);
        return state;
    }

    /** A class that others extend may be sent itself. */
    @Test
    void misuse_aClassThatIsNotAbstractHasAFunctionToo() {
        Server<Animal, Integer> puppies =
                Server.<Animal, Integer>of(0).cast(Puppy.class, (n, _) -> n);
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> puppies.actor(Animal.class)),
                "[Dog]");
    }

    private record Question(Recipient<String> replyTo) implements Request<String> {}

    /** The message has completed by then, and is not tried again. */
    @Test
    void A2_aReplyThatFailsIsNoFailureOfItsMessage() {
        TestCord.run(
                () -> {
                    List<String> log = new ArrayList<>();
                    Supervision rules =
                            Supervision.oneForOne()
                                    .onFailure(report -> log.add("" + report.failure()));
                    try (ActorSystem system = ActorSystem.start("system", rules, _ -> {})) {
                        ActorRef<Question> ref =
                                system.start(
                                        "server",
                                        Server.<Question, Integer>of(0)
                                                .call(
                                                        Question.class,
                                                        (n, _) -> {
                                                            log.add("asked");
                                                            return Reply.of("answer", n + 1);
                                                        })
                                                .actor()
                                                .onFailure(FailedMessage.retry(3)));
                        ref.tell(
                                new Question(
                                        new Recipient<>() {
                                            @Override
                                            public void tell(String reply) {
                                                throw new IllegalStateException("planted");
                                            }

                                            @Override
                                            public void fail(Throwable failure) {}
                                        }));
                        Fiber.sleep(Duration.ofSeconds(1));
                    }
                    assertEquals(List.of("asked", "java.lang.IllegalStateException: planted"), log);
                });
    }

    /** Its next state is no change of the machine's. */
    @Test
    void A1_aServerInsideAStateStaysInIt() throws Exception {
        BehaviorSteps<String> steps =
                BehaviorSteps.of(
                        Actor.handler(
                                (ActorContext<String> self) ->
                                        Behavior.state(
                                                "counting",
                                                Server.<String, Integer>of(0)
                                                        .cast(String.class, (n, _) -> n + 1)
                                                        .endsWhen(n -> n == 3)
                                                        .behavior(self))));
        steps.run("a");
        steps.run("b");
        assertEquals("counting", steps.state());
        steps.run("c");
        assertTrue(steps.isOver());
    }

    private static final Duration LONG = Duration.ofHours(1);

    private sealed interface Box {}

    /** Takes what is in the box, or waits until something is. */
    private record Take(Recipient<String> replyTo) implements Box, Request<String> {}

    private record Look(Recipient<String> replyTo) implements Box, Request<String> {}

    private record Put(String thing) implements Box {}

    private record Odd() implements Box {}

    /** What is in the box, and who waits for something. */
    private record State(List<String> things, List<Recipient<String>> waiting) {
        static final State EMPTY = new State(List.of(), List.of());

        State plus(String thing) {
            List<String> more = new ArrayList<>(things);
            more.add(thing);
            return new State(List.copyOf(more), waiting);
        }

        State waits(Recipient<String> to) {
            List<Recipient<String>> more = new ArrayList<>(waiting);
            more.add(to);
            return new State(things, List.copyOf(more));
        }
    }

    private static Server<Box, State> box() {
        return Server.<Box, State>of(State.EMPTY)
                .call(Look.class, (state, _) -> Reply.of(state.things().toString(), state))
                .call(Take.class, RequestServerTest::take)
                .cast(Put.class, RequestServerTest::put);
    }

    private static Reply<String, State> take(State state, Take take) {
        return state.things().isEmpty()
                ? Reply.later(state.waits(take.replyTo()))
                : Reply.of(
                        state.things().getFirst(),
                        new State(
                                state.things().subList(1, state.things().size()), state.waiting()));
    }

    private static State put(State state, Put put) {
        if (put.thing().equals("fail")) {
            throw new IllegalStateException("told to");
        }
        if (state.waiting().isEmpty()) {
            return state.plus(put.thing());
        }
        state.waiting().getFirst().tell(put.thing());
        return new State(state.things(), state.waiting().subList(1, state.waiting().size()));
    }

    /** A test with a system that keeps its dead letters. */
    @FunctionalInterface
    private interface Body {
        void run(ActorSystem system, List<DeadLetter> letters) throws Exception;
    }

    private static void run(Body body) {
        TestCord.run(
                () -> {
                    List<DeadLetter> letters = new ArrayList<>();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "system",
                                    Supervision.oneForOne().onFailure(_ -> {}),
                                    letters::add)) {
                        body.run(system, letters);
                    }
                });
    }

    private static void settle() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    @Test
    void A2_callsAndCasts() {
        run(
                (system, _) -> {
                    ActorRef<Box> box = system.spin("box", box().actor());
                    box.tell(new Put("a"));
                    box.tell(new Put("b"));
                    assertEquals("[a, b]", box.ask(Look::new));
                    assertEquals("a", box.ask(Take::new));
                    assertEquals("[b]", box.ask(Look::new));
                });
    }

    @Test
    void A2_aLaterReply() {
        run(
                (system, _) -> {
                    ActorRef<Box> box = system.spin("box", box().actor());
                    Fiber<String> waits = Fiber.spin("waits", () -> box.ask(Take::new));
                    settle();
                    box.tell(new Put("at last"));
                    assertEquals("at last", waits.await());
                    assertEquals("[]", box.ask(Look::new));
                });
    }

    /** The one that waits for a later reply is told when the server fails. */
    @Test
    void A2_aServerThatFailsFailsTheRepliesThatItOwes() {
        run(
                (system, _) -> {
                    ActorRef<Box> box = system.spin("box", box().actor());
                    CompletableFuture<String> waits =
                            box.<String>askLater(Take::new, LONG).toCompletableFuture();
                    settle();
                    box.tell(new Put("fail"));
                    settle();
                    assertTrue(waits.isCompletedExceptionally());
                });
    }

    @Test
    void A2_aCallThatThrowsFailsItsAsk() {
        run(
                (system, letters) -> {
                    Server<Box, State> server =
                            Server.<Box, State>of(State.EMPTY)
                                    .call(
                                            Take.class,
                                            (_, _) -> {
                                                throw new IllegalStateException("told to");
                                            })
                                    .call(Look.class, (s, _) -> Reply.of("there", s));
                    ActorRef<Box> box = system.spin("box", server.actor());
                    AskFailedException failed =
                            assertThrows(
                                    AskFailedException.class, () -> box.<String>ask(Take::new));
                    Errors.assertMentions(Objects.requireNonNull(failed.getCause()), "told to");
                    assertEquals("there", box.ask(Look::new), "it was started again");
                    assertEquals(1, letters.size());
                });
    }

    /** With a retry the ask waits for the next try, and the state of the failed one is gone. */
    @Test
    void A5_aRetriedCall() {
        run(
                (system, letters) -> {
                    int[] tries = {0};
                    Server<Box, State> server =
                            box().call(
                                            Odd2.class,
                                            (state, _) -> {
                                                if (tries[0]++ == 0) {
                                                    throw new IllegalStateException("first");
                                                }
                                                return Reply.of("second", state);
                                            });
                    ActorRef<Box> box =
                            system.spin(
                                    "box",
                                    server.actor().keepState().onFailure(FailedMessage.retry(2)));
                    box.tell(new Put("kept"));
                    assertEquals("second", box.ask(Odd2::new));
                    assertEquals("[kept]", box.ask(Look::new));
                    assertEquals(List.of(), letters);
                });
    }

    private record Odd2(Recipient<String> replyTo) implements Box, Request<String> {}

    /** A reply that fails to leave is no failure of the message: that is committed. */
    @Test
    void A1_theReplyLeavesAfterTheCommit() throws Exception {
        List<String> seen = new ArrayList<>();
        List<BehaviorSteps<Box>> steps = new ArrayList<>();
        steps.add(BehaviorSteps.of(box().actor()));
        steps.getFirst().run(new Put("a"));
        Recipient<String> looks =
                new Recipient<>() {
                    @Override
                    public void tell(String reply) {
                        seen.add(reply + " from " + steps.getFirst().behavior());
                    }

                    @Override
                    public void fail(Throwable failure) {
                        seen.add(failure.toString());
                    }
                };
        steps.getFirst().run(new Take(looks));
        assertEquals(List.of("a from a server with State[things=[], waiting=[]]"), seen);
    }

    @Test
    void A1_theLastReply() {
        run(
                (system, letters) -> {
                    Server<Box, State> server =
                            Server.<Box, State>of(State.EMPTY)
                                    .call(Take.class, (_, _) -> Reply.last("bye"));
                    ActorRef<Box> box = system.spin("box", server.actor());
                    assertEquals("bye", box.ask(Take::new));
                    assertTrue(box.awaitEnd(LONG));
                    assertEquals(List.of(), letters);
                });
    }

    @Test
    void A1_endsWhen() throws Exception {
        BehaviorSteps<Box> steps =
                BehaviorSteps.of(box().endsWhen(state -> state.things().size() == 2).actor());
        steps.run(new Put("a"));
        assertNull(steps.reason());
        steps.run(new Put("b"));
        assertEquals(new ExitReason.Normal(), steps.reason());
    }

    @Test
    void A1_withoutAFunction() {
        run(
                (system, letters) -> {
                    ActorRef<Box> box = system.spin("box", box().actor());
                    box.tell(new Odd());
                    assertThrows(AskFailedException.class, () -> box.<String>ask(Odd2::new));
                    assertEquals("[]", box.ask(Look::new));
                    assertEquals(
                            List.of(DeadLetter.Reason.UNHANDLED, DeadLetter.Reason.UNHANDLED),
                            letters.stream().map(DeadLetter::reason).toList());
                });
    }

    /** The function of a type above; one of its own comes first. */
    @Test
    void A1_aFunctionForSeveralTypes() throws Exception {
        BehaviorSteps<Box> steps =
                BehaviorSteps.of(
                        Server.<Box, String>of("")
                                .cast(Put.class, (state, put) -> state + put.thing())
                                .cast(Box.class, (state, _) -> state + "?")
                                .actor(Box.class));
        steps.run(new Put("a"));
        steps.run(new Odd());
        assertEquals("a server with a?", steps.behavior().toString());
    }

    @Test
    void A1_infoWithTheContext() {
        run(
                (system, _) -> {
                    Actor<Box> actor =
                            Actor.handler(
                                    (ActorContext<Box> self) -> {
                                        self.timers().once(Duration.ofSeconds(5), new Odd());
                                        return box().info(
                                                        Odd.class,
                                                        (state, _) -> state.plus("ticked"))
                                                .behavior(self);
                                    });
                    ActorRef<Box> box = system.spin("box", actor);
                    assertEquals("[]", box.ask(Look::new));
                    Fiber.sleep(Duration.ofSeconds(6));
                    assertEquals("[ticked]", box.ask(Look::new));
                });
    }

    // ---------------------------------------------------------------- wrong use

    @Test
    void misuse_twoFunctionsForAType() {
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> box().info(Put.class, (state, _) -> state)),
                "two functions for",
                "Put");
    }

    @Test
    void misuse_aProtocolThatIsNotHandled() {
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> box().actor(Box.class)),
                "no function is for [Odd, Odd2]",
                "Box");
    }

    /** Another protocol. */
    private sealed interface Other {}

    private record Some() implements Other {}

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"}) // as a program with raw types could
    void misuse_aFunctionForAnotherProtocol() {
        Server<Other, State> mixed =
                ((Server<Other, State>) (Server) box()).cast(Some.class, (state, _) -> state);
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> mixed.actor(Other.class)),
                "a function is for",
                "which is no");
    }

    @Test
    @SuppressWarnings("NullAway") // what a program without NullAway may do
    void misuse_null() {
        BehaviorSteps<Box> steps =
                BehaviorSteps.of(
                        Server.<Box, State>of(State.EMPTY)
                                .cast(Put.class, (_, _) -> nothing())
                                .call(Take.class, (_, _) -> nothing())
                                .actor());
        Errors.assertMentions(
                assertThrows(IllegalStateException.class, () -> steps.run(new Put("a"))),
                "null in place of the next state");
        steps.restart();
        Errors.assertMentions(
                assertThrows(IllegalStateException.class, () -> steps.ask(Take::new)),
                "returned null; it returns Reply.of");
        assertFalse(steps.reason() == null);
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T nothing() {
        return null;
    }
}
