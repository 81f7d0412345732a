package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.internal.ref.Counts;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rule A7: entries of a session go with what they are for, and late words are told of. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LeftoversTest {
    sealed interface Word {}

    record Make(Recipient<ActorRef<Word>> replyTo) implements Word {}

    record Count(Recipient<Integer> replyTo) implements Word {}

    /** It is answered at the next {@link Answer}. */
    record Keep(Recipient<Integer> replyTo) implements Word {}

    record Answer() implements Word {}

    record Fail(int textLength, Recipient<Integer> replyTo) implements Word {}

    record Crash() implements Word {}

    record Quit() implements Word {}

    record FindRouter(Recipient<ActorRef<Word>> replyTo) implements Word {}

    record Moody(int number) implements Word {
        static boolean isRefusing;

        Moody {
            if (isRefusing) {
                throw new IllegalArgumentException("number=" + number + " is not for today");
            }
        }
    }

    private static final Protocol PROTOCOL = Protocol.of(Word.class);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Actor<Word> actor(@Nullable ActorRef<Word> router) {
        return Actor.handler(
                context -> {
                    List<Recipient<Integer>> kept = new ArrayList<>();
                    return word -> {
                        switch (word) {
                            case Make(var replyTo) ->
                                    replyTo.tell(context.spin("made", actor(router)));
                            case Count(var replyTo) -> replyTo.tell(7);
                            case Keep(var replyTo) -> kept.add(replyTo);
                            case Answer() -> kept.forEach(each -> each.tell(8));
                            case Fail(int length, var replyTo) ->
                                    replyTo.fail(new IllegalStateException("x".repeat(length)));
                            case FindRouter(var replyTo) ->
                                    replyTo.tell(Objects.requireNonNull(router));
                            case Moody _ -> {}
                            case Crash() -> throw new IllegalStateException("asked to");
                            case Quit() -> {
                                return Behavior.stopped();
                            }
                        }
                        return Behavior.same();
                    };
                });
    }

    @FunctionalInterface
    private interface Body {
        void run(Pair.Side here, Pair.Side there, ActorRef<Word> far) throws Exception;
    }

    private static void run(Body body) {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    Moody.isRefusing = false;
                    there.on(
                            () -> {
                                Group<Word> group = there.system.group("words", Word.class);
                                return there.system.start(
                                        "actor", actor(Routing.<Word>first().over(group)));
                            });
                    body.run(
                            here,
                            there,
                            Objects.requireNonNull(
                                    here.node.at("there").find("actor", Word.class)));
                });
    }

    @SuppressWarnings("unchecked") // see run
    private static ActorRef<Word> local(Pair.Side there) {
        return (ActorRef<Word>) Objects.requireNonNull(there.system.find("actor"));
    }

    private static Counts counts(Pair.Side side) {
        return Objects.requireNonNull(side.node.counts(side.node.peers().getFirst()));
    }

    /** Hears of each end, twice. */
    private static Actor<Object> watching(List<Object> log) {
        return Actor.handler(
                Object.class,
                context ->
                        message -> {
                            if (message instanceof ActorRef<?> actor) {
                                context.monitor(actor, down -> down);
                                context.monitorEach(actor, down -> down);
                            } else {
                                log.add(message);
                            }
                            return Behavior.same();
                        });
    }

    @Test
    void A7_monitorsOfActorsThatEndLeaveNothing() {
        run(
                (here, there, far) -> {
                    List<Object> log = new ArrayList<>();
                    ActorRef<Object> watcher = here.system.start("watcher", watching(log));
                    for (int i = 0; i < 50; i++) {
                        ActorRef<Word> made = far.ask(Make::new);
                        watcher.tell(made);
                        here.system.start("next" + i, actor(null)).stop(); // the watcher has begun
                        if (i % 2 == 0) {
                            made.tell(new Crash());
                        }
                        made.tell(new Quit());
                        assertTrue(made.awaitEnd(SECOND));
                    }
                    Fiber.sleep(SECOND);
                    assertTrue(log.size() >= 100, log::toString);
                    log.forEach(each -> assertInstanceOf(Down.class, each));
                    assertEquals(0, counts(here).watched());
                    assertEquals(0, counts(there).servedWatches());
                    assertEquals(1, counts(there).exports());
                });
    }

    @Test
    void A7_asksLeaveNothing() {
        run(
                (here, there, far) -> {
                    for (int i = 0; i < 100; i++) {
                        assertEquals(7, (int) far.<Integer>ask(Count::new));
                    }
                    assertThrows(
                            AskTimeoutException.class, () -> far.<Integer>ask(Keep::new, SECOND));
                    here.system.start(
                            "asker",
                            Actor.<Object>handler(
                                    () -> {
                                        far.<Integer>ask(Count::new);
                                        return Behavior.stopped();
                                    }));
                    Fiber.sleep(SECOND);
                    assertEquals(0, counts(here).asks());
                    assertEquals(0, counts(there).servedAsks());
                });
    }

    @Test
    void A7_replyThatComesTooLateIsADeadLetterAsItWasTold() {
        run(
                (here, there, far) -> {
                    assertThrows(
                            AskTimeoutException.class, () -> far.<Integer>ask(Keep::new, SECOND));
                    Fiber.sleep(SECOND);
                    far.tell(new Answer());
                    assertEquals(7, (int) far.<Integer>ask(Count::new));
                    assertEquals(1, there.letters.size());
                    DeadLetter late = there.letters.getFirst();
                    assertEquals(DeadLetter.Reason.LATE_REPLY, late.reason());
                    assertEquals(8, late.message());
                });
    }

    @Test
    void A7_replyAfterTheEndOfTheSessionIsADeadLetter() {
        run(
                (here, there, far) -> {
                    Fiber<?> asker =
                            Fiber.spin(
                                    "asker",
                                    () ->
                                            assertThrows(
                                                    AskFailedException.class,
                                                    () -> far.<Integer>ask(Keep::new)));
                    Fiber.sleep(SECOND);
                    assertTrue(here.node.leave(SECOND));
                    asker.await();
                    Fiber.sleep(SECOND); // it has heard of the end
                    there.on(
                            () -> {
                                ActorRef<Word> home = local(there);
                                home.tell(new Answer());
                                return home.<Integer>ask(Count::new);
                            });
                    assertEquals(1, there.letters.size());
                    assertEquals(DeadLetter.Reason.UNREACHABLE, there.letters.getFirst().reason());
                    assertEquals(8, there.letters.getFirst().message());
                });
    }

    /** Its members share the address that came with the question. */
    @Test
    void A7_routerToAllOfAnotherNodeGivesTheFirstReply() {
        run(
                (here, there, far) -> {
                    there.on(
                            () -> {
                                Group<Word> group = there.system.group("words", Word.class);
                                for (int i = 0; i < 3; i++) {
                                    int number = i;
                                    group.join(there.system.start("member" + i, member(number)));
                                }
                                return null;
                            });
                    ActorRef<Word> router = far.ask(FindRouter::new);
                    assertEquals(101, (int) router.<Integer>ask(Count::new, SECOND));
                    AskFailedException all =
                            assertThrows(
                                    AskFailedException.class,
                                    () -> router.<Integer>ask(to -> new Fail(1, to), SECOND));
                    assertTrue(String.valueOf(all.getMessage()).contains("x"), all::toString);
                });
    }

    /** The first fails, and the last is the slowest. */
    private static Actor<Word> member(int number) {
        return Actor.handler(
                () ->
                        word -> {
                            if (word instanceof Count(var replyTo)) {
                                if (number == 0) {
                                    throw new IllegalStateException("the first");
                                }
                                Fiber.sleep(Duration.ofMillis(100L * number));
                                replyTo.tell(100 + number);
                            } else if (word instanceof Fail(_, var replyTo)) {
                                replyTo.fail(new IllegalStateException("x" + number));
                            }
                            return Behavior.same();
                        });
    }

    @Test
    void A7_failureWithALongTextIsCut() {
        run(
                (here, there, far) -> {
                    AskFailedException failed =
                            assertThrows(
                                    AskFailedException.class,
                                    () -> far.<Integer>ask(to -> new Fail(3_000_000, to), SECOND));
                    RemoteFailure cause = assertInstanceOf(RemoteFailure.class, failed.getCause());
                    int length = String.valueOf(cause.getMessage()).length();
                    assertTrue(length > 1_000 && length <= 16 * 1_024, () -> "length=" + length);
                    assertEquals(7, (int) far.<Integer>ask(Count::new));
                });
    }

    @Test
    void A7_recordThatIsRefusedByItsConstructorIsUnreadable() {
        run(
                (here, there, far) -> {
                    far.tell(new Moody(3));
                    Moody.isRefusing = true;
                    assertEquals(7, (int) far.<Integer>ask(Count::new));
                    assertEquals(1, there.letters.size());
                    DeadLetter letter = there.letters.getFirst();
                    assertEquals(DeadLetter.Reason.UNREADABLE, letter.reason());
                    assertTrue(
                            String.valueOf(letter.cause()).contains("number=3"), letter::toString);
                    assertEquals(List.of("there"), here.node.peers());
                });
    }

    @Test
    void A7_protocolThatDoesNotFitIntoAFrameIsRefusedAtTheStart() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("one")) {
                        Protocol large =
                                PROTOCOL.named(Quit.class, "q".repeat(20_000))
                                        .named(Crash.class, "c".repeat(20_000));
                        IllegalArgumentException refused =
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () ->
                                                Node.start(
                                                                system,
                                                                NodeOptions.named("n")
                                                                        .withProtocol(large)
                                                                        .withMaxMessage(1_024))
                                                        .close());
                        assertTrue(
                                String.valueOf(refused.getMessage()).contains("withMaxMessage"),
                                refused::toString);
                    }
                });
    }
}
