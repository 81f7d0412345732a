package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Rule A2: asks that nobody waits for in place, and asks to many. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AskManyTest {
    private static final Duration LONG = Duration.ofHours(1);

    private record Question(String text, Recipient<String> to) {}

    /** Replies with its name after the time that the question says, in milliseconds. */
    private static Actor<Question> answering() {
        return Actor.handler(
                (ActorContext<Question> self) ->
                        question -> {
                            if (question.text().equals("fail")) {
                                throw new Crash(self.self().name());
                            }
                            if (question.text().equals("never")) {
                                return Behavior.same();
                            }
                            Fiber.sleep(Duration.ofMillis(Long.parseLong(question.text())));
                            question.to().tell(self.self().name());
                            return Behavior.same();
                        });
    }

    private static List<ActorRef<Question>> three(World world) {
        List<ActorRef<Question>> all = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            all.add(world.spin(name, answering()));
        }
        return all;
    }

    @Test
    void A2_later() {
        World.anywhere(
                world -> {
                    ActorRef<Question> ref = world.spin("a", answering());
                    CompletableFuture<String> reply =
                            ref.<String>askLater(to -> new Question("0", to), LONG)
                                    .toCompletableFuture();
                    world.until(reply::isDone);
                    assertEquals("a", reply.resultNow());
                    CompletableFuture<String> failed =
                            ref.<String>askLater(to -> new Question("fail", to), LONG)
                                    .toCompletableFuture();
                    world.until(failed::isDone);
                    assertInstanceOf(AskFailedException.class, failed.exceptionNow());
                    ref.stop();
                    world.settle();
                    CompletableFuture<String> late =
                            ref.<String>askLater(to -> new Question("0", to), LONG)
                                    .toCompletableFuture();
                    world.until(late::isDone);
                    Errors.assertMentions(late.exceptionNow(), "a", "it has ended");
                });
    }

    @Test
    void A2_laterWithALimit() {
        World.local(
                world -> {
                    ActorRef<Question> ref = world.spin("a", answering());
                    long beganNs = Cord.current().nanoTime();
                    CompletableFuture<String> reply =
                            ref.<String>askLater(
                                            to -> new Question("60000", to), Duration.ofSeconds(2))
                                    .toCompletableFuture();
                    while (!reply.isDone()) {
                        Fiber.sleep(Duration.ofMillis(500));
                    }
                    assertInstanceOf(AskTimeoutException.class, reply.exceptionNow());
                    assertEquals(
                            Duration.ofSeconds(2).toNanos(), Cord.current().nanoTime() - beganNs);
                    Fiber.sleep(Duration.ofSeconds(60));
                    assertEquals(1, world.letters.size()); // the late reply
                });
    }

    @Test
    void A2_laterToAFullMailbox() {
        World.anywhere(
                world -> {
                    ActorRef<Question> ref =
                            world.spin("a", answering().mailbox(MailboxOptions.bounded(1)));
                    world.settle();
                    List<CompletableFuture<String>> replies = new ArrayList<>();
                    world.on(
                            () -> {
                                for (int i = 0; i < 3; i++) {
                                    replies.add(
                                            ref.<String>askLater(to -> new Question("1", to), LONG)
                                                    .toCompletableFuture());
                                }
                                return true;
                            });
                    assertInstanceOf(MailboxFullException.class, replies.get(2).exceptionNow());
                    world.until(() -> replies.stream().allMatch(CompletableFuture::isDone));
                    assertEquals("a", replies.get(1).resultNow());
                });
    }

    @Test
    void A2_all() {
        World.anywhere(
                world -> {
                    List<ActorRef<Question>> all = three(world);
                    assertEquals(
                            List.of("a", "b", "c"),
                            ActorRef.askAll(
                                    all, (Recipient<String> to) -> new Question("1", to), LONG));
                    assertEquals(
                            List.of(),
                            ActorRef.askAll(
                                    List.<ActorRef<Question>>of(),
                                    (Recipient<String> to) -> new Question("1", to),
                                    LONG));
                    assertThrows(
                            AskTimeoutException.class,
                            () ->
                                    ActorRef.askAll(
                                            all,
                                            (Recipient<String> to) -> new Question("never", to),
                                            Duration.ofMillis(5)));
                    all.get(1).stop();
                    world.settle();
                    assertThrows(
                            AskFailedException.class,
                            () ->
                                    ActorRef.askAll(
                                            all,
                                            (Recipient<String> to) -> new Question("never", to),
                                            LONG));
                });
    }

    @Test
    void A2_first() {
        World.local(
                world -> {
                    List<ActorRef<Question>> all = three(world);
                    int[] made = new int[1];
                    String first =
                            ActorRef.askFirst(
                                    all, to -> new Question("" + (30 - 10 * made[0]++), to), LONG);
                    assertEquals("c", first);
                    made[0] = 0;
                    assertEquals(
                            "b",
                            ActorRef.askFirst(
                                    all,
                                    (Recipient<String> to) ->
                                            new Question(made[0]++ == 1 ? "10" : "fail", to),
                                    LONG));
                    AskFailedException none =
                            assertThrows(
                                    AskFailedException.class,
                                    () ->
                                            ActorRef.askFirst(
                                                    all,
                                                    (Recipient<String> to) ->
                                                            new Question("fail", to),
                                                    LONG));
                    assertEquals(2, none.getSuppressed().length);
                    assertThrows(
                            IllegalArgumentException.class,
                            () ->
                                    ActorRef.askFirst(
                                            List.<ActorRef<Question>>of(),
                                            (Recipient<String> to) -> new Question("1", to),
                                            LONG));
                });
    }

    /** What an actor asks for its asker, it asks no longer than that waits. */
    @Test
    void A2_theDeadlineIsInherited() {
        World.anywhere(
                world -> {
                    ActorRef<Question> slow = world.spin("slow", answering());
                    List<String> failures = World.log();
                    ActorRef<Question> front =
                            world.spin(
                                    "front",
                                    Actor.handler(
                                            () ->
                                                    question -> {
                                                        try {
                                                            slow.ask(
                                                                    (Recipient<String> to) ->
                                                                            new Question(
                                                                                    "never", to),
                                                                    LONG);
                                                        } catch (AskTimeoutException e) {
                                                            failures.add("in time");
                                                        }
                                                        return Behavior.same();
                                                    }));
                    assertThrows(
                            AskTimeoutException.class,
                            () ->
                                    front.ask(
                                            (Recipient<String> to) -> new Question("", to),
                                            Duration.ofMillis(20)));
                    world.until(() -> failures.size() == 1);
                    assertTrue(front.mailbox().oldest().isEmpty());
                });
    }
}
