package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.behavior.Committing;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rules A1 and A7: what an actor tells other nodes is held as what it tells here. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RemoteHoldingTest {
    sealed interface Word {}

    record Say(int number) implements Word {}

    record Count(Recipient<Integer> replyTo) implements Word {}

    /** Replies, and fails on the message. */
    record Crash(Recipient<Integer> replyTo) implements Word {}

    record Refuse(Recipient<Integer> replyTo) implements Word {}

    /** Has it counted by another one. */
    record Pass(ActorRef<Word> to, Recipient<Integer> replyTo) implements Word {}

    record Adapter(Recipient<Recipient<Integer>> replyTo) implements Word {}

    record Spread(ActorRef<Word> to, Recipient<Integer> adapter, boolean fails) implements Word {}

    private static final Protocol PROTOCOL = Protocol.of(Word.class);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int WRITTEN = 0;

    @AfterEach
    void nobodyHoldsAnything() {
        assertFalse(Taps.areAny());
    }

    /** Notes what it is told; holds what it tells if it writes. */
    private static Actor<Word> actor(boolean writes, List<Integer> log) {
        return Actor.handler(
                (ActorContext<Word> self) ->
                        word -> {
                            if (!writes) {
                                handle(self, word, log);
                                return Behavior.same();
                            }
                            Committing.of(self)
                                    .holding(
                                            () -> {
                                                handle(self, word, log);
                                                Fiber.sleep(SECOND); // longer than any way
                                                return WRITTEN;
                                            });
                            log.add(WRITTEN);
                            return Behavior.same();
                        });
    }

    private static void handle(ActorContext<Word> self, Word word, List<Integer> log) {
        switch (word) {
            case Say(int number) -> log.add(number);
            case Count(var replyTo) -> replyTo.tell(log.size());
            case Crash(var replyTo) -> {
                replyTo.tell(log.size());
                throw new IllegalStateException("crash");
            }
            case Refuse(var replyTo) -> replyTo.fail(new IllegalStateException("not today"));
            case Pass(var to, var replyTo) -> to.tell(new Count(replyTo));
            case Adapter(var replyTo) -> replyTo.tell(self.adapt(Say::new));
            case Spread(var to, var adapter, boolean fails) -> {
                to.tell(new Say(1));
                assertEquals(TellResult.ACCEPTED, to.tryTell(new Say(2)));
                adapter.tell(3);
                assertEquals(TellResult.ACCEPTED, adapter.tryTell(4));
                Routing.<Word>roundRobin().over(List.of(to)).tell(new Say(5));
                if (fails) {
                    throw new IllegalStateException("crash");
                }
            }
        }
    }

    private static ActorRef<Word> started(
            Pair.Side here, Pair.Side there, boolean writes, List<Integer> log) throws Exception {
        there.on(() -> there.system.start("actor", actor(writes, log)));
        return Objects.requireNonNull(here.node.at("there").find("actor", Word.class));
    }

    @Test
    void A7_whatItTellsAnotherNodeLeavesWhenTheMessageHasCompleted() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    List<Integer> log = new ArrayList<>();
                    ActorRef<Word> far = started(here, there, false, log);
                    Recipient<Integer> adapter = far.ask(Adapter::new);
                    ActorRef<Word> entity = here.system.start("entity", actor(true, log));
                    entity.tell(new Spread(far, adapter, true));
                    Fiber.sleep(SECOND.multipliedBy(3));
                    assertEquals(List.of(), log);
                    assertEquals(1, here.letters.size());
                    entity.tell(new Spread(far, adapter, false));
                    Fiber.sleep(SECOND.multipliedBy(3));
                    assertEquals(List.of(WRITTEN, 1, 2, 3, 4, 5), log);
                    assertEquals(1, here.letters.size());
                    assertEquals(List.of(), there.letters);
                });
    }

    @Test
    void A7_theReplyToAnotherNodeLeavesWhenTheMessageHasCompleted() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    List<Integer> log = new ArrayList<>();
                    ActorRef<Word> far = started(here, there, true, log);
                    assertEquals(0, (int) far.<Integer>ask(Count::new));
                    assertEquals(List.of(WRITTEN), log);
                    assertThrows(AskFailedException.class, () -> far.<Integer>ask(Crash::new));
                    assertEquals(List.of(WRITTEN), log);
                    assertThrows(AskFailedException.class, () -> far.<Integer>ask(Refuse::new));
                    assertEquals(List.of(WRITTEN, WRITTEN), log);
                    Fiber.sleep(SECOND);
                    assertEquals(List.of(), here.letters);
                    assertEquals(1, there.letters.size());
                });
    }

    /** The address of an ask comes home, and an actor of its own node replies. */
    @Test
    void A7_theReplyThatComesOverAnotherNodeIsHeldToo() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    List<Integer> log = new ArrayList<>();
                    ActorRef<Word> far = started(here, there, false, new ArrayList<>());
                    ActorRef<Word> entity = here.system.start("entity", actor(true, log));
                    assertEquals(0, (int) far.<Integer>ask(to -> new Pass(entity, to)));
                    assertEquals(List.of(WRITTEN), log);
                    assertEquals(List.of(), here.letters);
                    assertEquals(List.of(), there.letters);
                });
    }

    /** As one that finds no session. */
    @Test
    void A7_whatCannotLeaveAnyMoreIsADeadLetterThen() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    List<Integer> log = new ArrayList<>();
                    ActorRef<Word> far = started(here, there, false, log);
                    Recipient<Integer> adapter = far.ask(Adapter::new);
                    ActorRef<Word> entity = here.system.start("entity", actor(true, log));
                    entity.tell(new Spread(far, adapter, false));
                    Fiber.sleep(Duration.ofMillis(1));
                    there.on(
                            () -> {
                                there.node.close();
                                return WRITTEN;
                            });
                    Fiber.sleep(SECOND.multipliedBy(3));
                    assertEquals(List.of(WRITTEN), log);
                    assertEquals(
                            List.of("Say[number=1]", "Say[number=2]", "3", "4", "Say[number=5]"),
                            here.letters.stream().map(each -> "" + each.message()).toList());
                });
    }
}
