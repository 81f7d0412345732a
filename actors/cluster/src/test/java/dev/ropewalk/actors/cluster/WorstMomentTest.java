package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rules A7 and A8: the code of a program, at the worst moment, ends no session. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class WorstMomentTest {
    sealed interface Word {}

    record Say(int number) implements Word {}

    record Question(Recipient<Integer> replyTo) implements Word {}

    record Broken(Recipient<Integer> replyTo) implements Word {
        @Override
        public String toString() {
            throw new IllegalStateException("no text");
        }
    }

    record Router(Recipient<ActorRef<Word>> replyTo) implements Word {}

    record Forward(Recipient<Integer> to) implements Word {}

    private static final Protocol PROTOCOL = Protocol.of(Word.class);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Answers questions, never the broken ones, and keeps the rest. */
    private static Actor<Word> actor(List<Object> log, ActorRef<Word> router) {
        return Actor.handler(
                () ->
                        word -> {
                            switch (word) {
                                case Question(var replyTo) -> replyTo.tell(7);
                                case Router(var replyTo) -> replyTo.tell(router);
                                case Forward(var to) -> to.tell(8);
                                default -> log.add(word.getClass().getSimpleName());
                            }
                            return Behavior.same();
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
                    there.on(
                            () -> {
                                Group<Word> group = there.system.group("words", Word.class);
                                ActorRef<Word> router = Routing.<Word>roundRobin().over(group);
                                return there.system.start(
                                        "actor", actor(new ArrayList<>(), router));
                            });
                    body.run(
                            here,
                            there,
                            Objects.requireNonNull(
                                    here.node.at("there").find("actor", Word.class)));
                });
    }

    private static void assertStillThere(Pair.Side here, ActorRef<Word> far) {
        assertEquals(7, (int) far.<Integer>ask(Question::new, SECOND));
        assertEquals(List.of("there"), here.node.peers());
    }

    @Test
    void A7_routerOfAnotherNodeHasNoMailboxAndNoEnd() {
        run(
                (here, there, far) -> {
                    ActorRef<Word> router = far.ask(Router::new);
                    assertThrows(UnreachableException.class, router::mailbox);
                    assertTrue(router.awaitEnd(SECOND)); // it is no actor
                    router.stop();
                    assertStillThere(here, far);
                });
    }

    @Test
    void A7_messageWithoutATextIsAnOpenAskAtTheEnd() {
        run(
                (here, there, far) -> {
                    Fiber<?> asker =
                            Fiber.spin(
                                    () -> {
                                        AskFailedException failed =
                                                assertThrows(
                                                        AskFailedException.class,
                                                        () ->
                                                                far.<Integer>ask(
                                                                        Broken::new, Pair.LONG));
                                        assertInstanceOf(
                                                UnreachableException.class, failed.getCause());
                                    });
                    Fiber.sleep(SECOND);
                    far.tell(new Say(1));
                    assertTrue(there.on(() -> there.node.leave(SECOND)));
                    asker.await();
                    assertEquals(List.of(), here.node.peers());
                });
    }

    @Test
    void A7_addressOfAnOpenAskIsToldElsewhere() {
        run(
                (here, there, far) -> {
                    int reply =
                            far.<Integer>ask(
                                    replyTo -> {
                                        far.tell(new Forward(replyTo));
                                        return new Broken(replyTo);
                                    },
                                    SECOND);
                    assertEquals(8, reply);
                    assertStillThere(here, far);
                });
    }

    @Test
    void A8_whatAStageDoesWithAReplyDoesNotStopTheReader() {
        run(
                (here, there, far) -> {
                    List<Object> replies = new ArrayList<>();
                    far.<Integer>askLater(Question::new, SECOND)
                            .thenAccept(
                                    reply -> {
                                        replies.add(reply);
                                        for (int i = 0; i < 200_000; i++) {
                                            far.tell(new Say(i)); // more than there is room for
                                        }
                                    });
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(List.of(7), replies);
                    assertTrue(
                            here.letters.stream()
                                    .allMatch(each -> each.reason() == DeadLetter.Reason.REFUSED),
                            () -> here.letters.getFirst().toString());
                    assertStillThere(here, far);
                });
    }
}
