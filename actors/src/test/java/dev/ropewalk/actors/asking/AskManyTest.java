package dev.ropewalk.actors.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
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
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

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
                    Throwable full = replies.get(2).exceptionNow();
                    assertInstanceOf(AskFailedException.class, full);
                    assertInstanceOf(MailboxFullException.class, full.getCause());
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

    /** What nobody waits for any more is no secret. */
    @Test
    void A2_repliesAfterAFailedAllAreDeadLetters() {
        World.local(
                world -> {
                    List<ActorRef<Question>> three = three(world);
                    assertThrows(
                            AskFailedException.class,
                            () ->
                                    ActorRef.<Question, String>askAll(
                                            three, textOf("5", "fail", "never"), LONG));
                    Fiber.sleep(Duration.ofMillis(10));
                    assertEquals(List.of("test LATE_REPLY a"), lateReplies(world));
                });
    }

    @Test
    void A2_repliesToATerminatedAskerAreDeadLetters() {
        for (boolean all : List.of(true, false)) {
            World.local(
                    world -> {
                        List<ActorRef<Question>> three = three(world);
                        Fiber<?> asker =
                                Fiber.spin(
                                        "test",
                                        () ->
                                                all
                                                        ? ActorRef.<Question, String>askAll(
                                                                three, textOf("5", "6", "7"), LONG)
                                                        : ActorRef.<Question, String>askFirst(
                                                                three,
                                                                textOf("5", "6", "7"),
                                                                LONG));
                        Fiber.sleep(Duration.ofMillis(1));
                        asker.terminate();
                        Fiber.sleep(Duration.ofMillis(10));
                        assertEquals(
                                List.of(
                                        "test LATE_REPLY a",
                                        "test LATE_REPLY b",
                                        "test LATE_REPLY c"),
                                lateReplies(world));
                    });
        }
    }

    /** Dead letters of replies: who asked, why, what; the asker's number cut off. */
    private static List<String> lateReplies(World world) {
        return world.letters.stream()
                .filter(letter -> letter.reason() == DeadLetter.Reason.LATE_REPLY)
                .map(letter -> "test " + letter.reason() + " " + letter.message())
                .toList();
    }

    /** The first actor gets the first text. */
    private static Function<Recipient<String>, Question> textOf(String... texts) {
        Iterator<String> next = List.of(texts).iterator();
        return to -> new Question(next.next(), to);
    }

    /** A message that cannot be made: those before it are asked, and nobody waits for them. */
    @Test
    void A2_aMessageThatCannotBeMade() {
        World.local(
                world -> {
                    List<ActorRef<Question>> three = three(world);
                    assertThrows(
                            NoSuchElementException.class,
                            () -> ActorRef.<Question, String>askAll(three, textOf("1", "2"), LONG));
                    Fiber.sleep(Duration.ofMillis(10));
                    assertEquals(2, lateReplies(world).size());
                });
    }

    @Test
    void A2_toOneselfAmongOthers() {
        World.local(
                world -> {
                    List<Throwable> thrown = World.log();
                    ActorRef<Step> other = world.spin("other", Step.actor());
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    ref.tell(
                            Step.of(
                                    self -> {
                                        List<ActorRef<Step>> both = List.of(other, self.self());
                                        thrown.add(
                                                assertThrows(
                                                        AskCycleException.class,
                                                        () ->
                                                                ActorRef.askAll(
                                                                        both,
                                                                        _ -> Step.crash("asked"),
                                                                        LONG)));
                                        thrown.add(
                                                assertThrows(
                                                        AskCycleException.class,
                                                        () ->
                                                                ActorRef.askFirst(
                                                                        both,
                                                                        _ -> Step.crash("asked"),
                                                                        LONG)));
                                    }));
                    world.until(() -> thrown.size() == 2);
                    Errors.assertMentions(thrown.getFirst(), "ref -> ref", "tell");
                    world.settle();
                    assertEquals(List.of(), world.failures); // nothing was sent
                });
    }

    /** A full mailbox that drops what is new: the ask fails at once, and the drop is told. */
    @Test
    void A3_laterToAMailboxThatDropsWhatIsNew() {
        World.local(
                world -> {
                    MailboxOptions one = MailboxOptions.bounded(1).withOverflow(Overflow.DROP_NEW);
                    ActorRef<Question> ref = world.spin("ref", answering().mailbox(one));
                    world.settle();
                    Actor<String> quiet = Actor.handler(() -> _ -> Behavior.same());
                    ref.tell(new Question("60000", world.spin("quiet", quiet)));
                    world.settle();
                    CompletableFuture<String> queued =
                            ref.<String>askLater(to -> new Question("0", to), LONG)
                                    .toCompletableFuture();
                    CompletableFuture<String> refused =
                            ref.<String>askLater(to -> new Question("1", to), LONG)
                                    .toCompletableFuture();
                    assertInstanceOf(AskFailedException.class, refused.exceptionNow());
                    assertEquals(1, world.letters.size());
                    assertEquals(DeadLetter.Reason.REFUSED, world.letters.getFirst().reason());
                    Fiber.sleep(Duration.ofSeconds(61));
                    assertEquals("ref", queued.resultNow());
                });
    }
}
