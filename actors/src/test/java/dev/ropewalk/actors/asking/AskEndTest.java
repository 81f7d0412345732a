package dev.ropewalk.actors.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Rule A2: the asker sees at once that no reply can come. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AskEndTest {
    private record Question(String text, Recipient<String> replyTo) {}

    private static final Duration LONG = Duration.ofHours(1);

    /** Replies to "reply", fails on "crash", and keeps the asker waiting for anything else. */
    private static Actor<Question> answering(List<String> seen) {
        return Actor.handler(
                self ->
                        message -> {
                            seen.add(message.text() + " " + self.attempt());
                            switch (message.text()) {
                                case "reply" -> message.replyTo().tell("replied");
                                case "crash" -> throw new IllegalStateException("crashed");
                                case "suspend" -> Fiber.suspend();
                                default -> {}
                            }
                            return Behavior.same();
                        });
    }

    private static String ask(ActorRef<Question> ref, String text) {
        return ref.ask(replyTo -> new Question(text, replyTo), LONG);
    }

    /** Asks, lets it come to the actor, does something, and takes the asker's failure. */
    private static AskFailedException failureOf(
            World world, ActorRef<Question> ref, String text, Consumer<ActorRef<Question>> then) {
        long before = Cord.current().nanoTime();
        Fiber<AskFailedException> asker =
                Fiber.spin(() -> assertThrows(AskFailedException.class, () -> ask(ref, text)));
        world.settle();
        then.accept(ref);
        AskFailedException failure = asker.await();
        long took = Cord.current().nanoTime() - before;
        world.settle();
        assertTrue(took < LONG.toNanos() / 60, "took=" + took + " ns, which is not at once");
        return failure;
    }

    @Test
    void A2_anActorThatHasEnded() {
        World.anywhere(
                world -> {
                    ActorRef<Question> ref = world.spin("ended", answering(World.log()));
                    ref.stop();
                    world.settle();
                    AskFailedException failure = failureOf(world, ref, "reply", _ -> {});
                    String message = Errors.inShort(String.valueOf(failure.getMessage()));
                    assertTrue(
                            message.contains(
                                    " asked ended and gets no reply: it has ended; message:"),
                            message);
                    assertEquals(1, world.letters.size());
                });
    }

    @Test
    void A2_anActorThatEndsWhileItHoldsTheQuestion() {
        World.anywhere(
                world -> {
                    for (boolean gently : List.of(true, false)) {
                        world.letters.clear();
                        ActorRef<Question> ref = world.spin("ending", answering(World.log()));
                        AskFailedException failure =
                                failureOf(
                                        world,
                                        ref,
                                        "never answered",
                                        gently ? ActorRef::stop : ActorRef::terminate);
                        assertTrue(
                                String.valueOf(failure.getMessage()).contains("ending has ended: "),
                                failure.toString());
                        assertEquals(List.of(), world.deadLetters());
                    }
                });
    }

    @Test
    void A2_anActorThatIsTerminatedInTheMiddleOfTheQuestion() {
        World.anywhere(
                world -> {
                    for (RestartRule rule : RestartRule.values()) {
                        world.letters.clear();
                        ActorRef<Question> ref =
                                world.spin("ending", answering(World.log()).restart(rule));
                        AskFailedException failure =
                                failureOf(world, ref, "suspend", ActorRef::terminate);
                        assertTrue(
                                failure.getCause()
                                        instanceof dev.ropewalk.fibers.FiberTerminatedException,
                                "cause=" + failure.getCause());
                        assertEquals(1, world.letters.size());
                    }
                });
    }

    @Test
    void A2_aQuestionInTheQueueOfAnActorThatEnds() {
        World.anywhere(
                world -> {
                    ActorRef<Question> ref = world.spin("ending", answering(World.log()));
                    Fiber<?> first = Fiber.spin(() -> failureOf(world, ref, "suspend", _ -> {}));
                    world.settle();
                    AskFailedException failure =
                            failureOf(world, ref, "reply", ActorRef::terminate);
                    first.await();
                    assertNull(failure.getCause());
                    assertEquals(2, world.letters.size());
                });
    }

    @Test
    void A2_aMessageThatIsGivenUp() {
        World.anywhere(
                world -> {
                    for (FailedMessage rule : List.of(FailedMessage.drop(), FailedMessage.park())) {
                        world.letters.clear();
                        ActorRef<Question> ref =
                                world.spin("crashing", answering(World.log()).onFailure(rule));
                        AskFailedException failure = failureOf(world, ref, "crash", _ -> {});
                        Throwable cause = Objects.requireNonNull(failure.getCause());
                        assertEquals("crashed", cause.getMessage());
                        assertTrue(
                                Errors.inShort(String.valueOf(failure.getMessage()))
                                        .contains(" asked crashing and gets no reply: it failed; "),
                                failure.toString());
                        assertSame(cause, world.letters.getFirst().cause());
                        assertEquals("replied", ask(ref, "reply"));
                    }
                });
    }

    @Test
    void A2_aMessageThatIsGivenUpAfterItsLastAttempt() {
        World.anywhere(
                world -> {
                    List<String> seen = World.log();
                    ActorRef<Question> ref =
                            world.spin(
                                    "crashing", answering(seen).onFailure(FailedMessage.retry()));
                    failureOf(world, ref, "crash", _ -> {});
                    assertEquals(List.of("crash 1", "crash 2", "crash 3"), seen);
                    assertEquals("replied", ask(ref, "reply"));
                });
    }

    @Test
    void A2_aRestartThatRetriesMayStillReply() {
        World.anywhere(
                world -> {
                    ActorRef<Question> ref =
                            world.spin(
                                    "second try",
                                    Actor.<Question>handler(
                                                    self ->
                                                            message -> {
                                                                if (self.attempt() < 2) {
                                                                    throw new IllegalStateException(
                                                                            "x");
                                                                }
                                                                message.replyTo().tell("at last");
                                                                return Behavior.same();
                                                            })
                                            .onFailure(FailedMessage.retry(2)));
                    assertEquals("at last", ask(ref, "question"));
                });
    }

    @Test
    void A2_aRestartKeepsTheQuestionsInTheQueue() {
        World.anywhere(
                world -> {
                    ActorRef<Question> ref = world.spin("crashing", answering(World.log()));
                    Fiber<?> crash = Fiber.spin(() -> failureOf(world, ref, "crash", _ -> {}));
                    Fiber<String> queued = Fiber.spin(() -> ask(ref, "reply"));
                    crash.await();
                    assertEquals("replied", queued.await());
                });
    }

    @Test
    void A2_anActorWhoseFactoryFailsForGood() {
        World.anywhere(
                world -> {
                    Actor<Question> unstartable =
                            Actor.<Question>handler(
                                            _ -> {
                                                throw new IllegalStateException("cannot start");
                                            })
                                    .restart(RestartRule.TEMPORARY);
                    ActorRef<Question> ref = world.spin("unstartable", unstartable);
                    AskFailedException failure = failureOf(world, ref, "reply", _ -> {});
                    assertTrue(
                            String.valueOf(failure.getMessage()).contains("it has ended"),
                            failure.toString());
                });
    }

    @Test
    void A2_anActorOfAClosedSystem() {
        World.anywhere(
                world -> {
                    ActorRef<Question> ref = world.spin("closing", answering(World.log()));
                    AskFailedException failure =
                            failureOf(world, ref, "hold", _ -> world.system.close());
                    assertTrue(
                            String.valueOf(failure.getMessage()).contains("closing has ended: "),
                            failure.toString());
                    failureOf(world, ref, "reply", _ -> {});
                });
    }

    @Test
    void A2_anActorOfAClosedCord() {
        World.remote(
                world -> {
                    Cord closing = Cord.start("closing");
                    ActorRef<Question> ref =
                            world.system.root().spin(closing, "lost", answering(World.log()));
                    assertEquals("replied", ask(ref, "reply"));
                    Fiber<?> open = Fiber.spin(() -> failureOf(world, ref, "hold", _ -> {}));
                    world.settle();
                    closing.close();
                    failureOf(world, ref, "reply", _ -> {});
                    open.await();
                });
    }
}
