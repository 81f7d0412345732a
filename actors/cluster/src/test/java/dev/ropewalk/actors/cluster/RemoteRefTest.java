package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** Rule A7: the address of an actor of another node does what the address of one here does. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RemoteRefTest {
    sealed interface Word {}

    record Say(int number) implements Word {}

    record Count(Recipient<Integer> replyTo) implements Word {}

    record Whoami(Recipient<ActorRef<Word>> replyTo) implements Word {}

    record Pass(ActorRef<Word> to, Word word) implements Word {}

    record Fail(Recipient<Integer> replyTo) implements Word {}

    record Never(Recipient<Integer> replyTo) implements Word {}

    record Crash(String text) implements Word {}

    record Quit() implements Word {}

    private static final Protocol PROTOCOL = Protocol.of(Word.class);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Keeps what it is told. */
    private static Actor<Word> counting(List<Integer> said) {
        return Actor.handler(
                self ->
                        word -> {
                            switch (word) {
                                case Say(int number) -> said.add(number);
                                case Count(var replyTo) -> replyTo.tell(said.size());
                                case Whoami(var replyTo) -> replyTo.tell(self.self());
                                case Pass(var to, var inner) -> to.tell(inner);
                                case Fail(var replyTo) ->
                                        replyTo.fail(new IllegalStateException("not today"));
                                case Never(Recipient<Integer> _) -> {}
                                case Crash(String text) -> throw new IllegalStateException(text);
                                case Quit() -> {
                                    return Behavior.stopped();
                                }
                            }
                            return Behavior.same();
                        });
    }

    /** Monitors it so many times, and keeps the reasons of its end. */
    private static Actor<Object> watching(ActorRef<Word> actor, int monitors, List<Object> log) {
        return Actor.handler(
                self -> {
                    for (int i = 0; i < monitors; i++) {
                        self.monitor(actor, down -> down.reason());
                    }
                    return message -> {
                        log.add(message);
                        return Behavior.same();
                    };
                });
    }

    private static ActorRef<Word> found(Pair.Side here) {
        return Objects.requireNonNull(here.node.at("there").find("counter", Word.class));
    }

    private static ActorRef<Word> start(Pair.Side there, List<Integer> said) throws Exception {
        return there.on(() -> there.system.start("counter", counting(said)));
    }

    @Test
    void A7_messagesArriveInOrder() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    List<Integer> said = new ArrayList<>();
                    start(there, said);
                    ActorRef<Word> counter = found(here);
                    for (int i = 0; i < 1_000; i++) {
                        counter.tell(new Say(i));
                    }
                    assertEquals(1_000, (int) counter.<Integer>ask(Count::new));
                    assertEquals(IntStream.range(0, 1_000).boxed().toList(), said);
                    assertEquals(TellResult.ACCEPTED, counter.tryTell(new Say(1)));
                    assertEquals(1_001, (int) counter.<Integer>ask(Count::new));
                    assertEquals(List.of(), here.letters);
                    assertEquals(List.of(), there.letters);
                });
    }

    @Test
    void A7_whatIsNotThereIsNotFound() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    assertNull(here.node.at("there").find("nobody", Word.class));
                    assertThrows(
                            UnreachableException.class,
                            () -> here.node.at("elsewhere").find("counter", Word.class));
                    assertEquals(List.of("there"), here.node.peers());
                    assertEquals(List.of("here"), there.node.peers());
                });
    }

    @Test
    void A7_askEndsAsALocalOneDoes() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    start(there, new ArrayList<>());
                    ActorRef<Word> counter = found(here);
                    AskFailedException failed =
                            assertThrows(
                                    AskFailedException.class,
                                    () -> counter.<Integer>ask(Fail::new));
                    assertTrue(
                            String.valueOf(failed.getMessage()).contains("not today"),
                            failed::getMessage);
                    assertInstanceOf(RemoteFailure.class, failed.getCause());
                    long began = dev.ropewalk.fibers.spi.Waits.nanoTime();
                    assertThrows(
                            AskTimeoutException.class,
                            () -> counter.<Integer>ask(Never::new, SECOND));
                    long took = dev.ropewalk.fibers.spi.Waits.nanoTime() - began;
                    assertTrue(took >= SECOND.toNanos() && took < 2 * SECOND.toNanos());
                    Integer later =
                            dev.ropewalk.fibers.blocking.Futures.await(
                                    counter.<Integer>askLater(Count::new, SECOND));
                    assertEquals(0, later);
                    counter.tell(new Quit());
                    assertTrue(counter.awaitEnd(SECOND));
                    AskFailedException ended =
                            assertThrows(
                                    AskFailedException.class,
                                    () -> counter.<Integer>ask(Count::new));
                    assertTrue(
                            String.valueOf(ended.getMessage()).contains("ended"),
                            ended::getMessage);
                });
    }

    @Test
    void A7_addressThatComesHomeIsTheOneHere() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    List<Integer> saidHere = new ArrayList<>();
                    ActorRef<Word> mine = here.system.start("mine", counting(saidHere));
                    ActorRef<Word> local = start(there, new ArrayList<>());
                    ActorRef<Word> counter = found(here);
                    assertNotEquals(local, counter);
                    assertEquals(counter, found(here));
                    assertEquals(counter.hashCode(), found(here).hashCode());
                    ActorRef<Word> self = counter.ask(Whoami::new);
                    assertEquals(counter, self);
                    counter.tell(new Pass(mine, new Say(5)));
                    counter.tell(new Pass(counter, new Say(6)));
                    counter.<Integer>ask(Count::new);
                    Fiber.sleep(SECOND);
                    assertEquals(List.of(5), saidHere);
                    ActorRef<Word> seen =
                            there.on(
                                    () ->
                                            Objects.requireNonNull(
                                                    there.node
                                                            .at("here")
                                                            .find("mine", Word.class)));
                    ActorRef<Word> home = back(here, there, Objects.requireNonNull(seen));
                    assertSame(mine.target(), home.target());
                });
    }

    /** Sends an address home, as the reply of an actor there. */
    private static ActorRef<Word> back(Pair.Side here, Pair.Side there, ActorRef<Word> seen)
            throws Exception {
        there.on(
                () ->
                        there.system.start(
                                "mirror",
                                Actor.<Word>handler(
                                        _ ->
                                                word -> {
                                                    if (word instanceof Whoami(var replyTo)) {
                                                        replyTo.tell(seen);
                                                    }
                                                    return Behavior.same();
                                                })));
        ActorRef<Word> mirror =
                Objects.requireNonNull(here.node.at("there").find("mirror", Word.class));
        return mirror.ask(Whoami::new);
    }

    @Test
    void A7_monitorsHearOfTheEndOnceAndBehindTheMessages() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    start(there, new ArrayList<>());
                    ActorRef<Word> counter = found(here);
                    List<Object> log = new ArrayList<>();
                    ActorRef<Object> watcher =
                            here.system.start("watcher", watching(counter, 2, log));
                    counter.stop();
                    assertTrue(counter.awaitEnd(SECOND));
                    Fiber.sleep(SECOND);
                    assertEquals(List.of(new ExitReason.Normal(), new ExitReason.Normal()), log);
                    assertEquals(0, watcher.mailbox().queued());
                    log.clear();
                    here.system.start("late", watching(counter, 1, log));
                    Fiber.sleep(SECOND);
                    assertEquals(List.of(new ExitReason.NoActor()), log);
                });
    }

    @Test
    void A7_messageToAnEndedActorIsADeadLetterThere() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    start(there, new ArrayList<>());
                    ActorRef<Word> counter = found(here);
                    counter.terminate();
                    assertTrue(counter.awaitEnd(SECOND));
                    counter.tell(new Say(9));
                    Fiber.sleep(SECOND);
                    assertEquals(1, there.letters.size(), there.letters::toString);
                    assertEquals(new Say(9), there.letters.getFirst().message());
                    assertEquals(DeadLetter.Reason.ENDED, there.letters.getFirst().reason());
                });
    }

    @Test
    void A7_endOfTheSessionIsToldOnceAndIsFinal() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    start(there, new ArrayList<>());
                    ActorRef<Word> counter = found(here);
                    List<Object> log = new ArrayList<>();
                    here.system.start("watcher", watching(counter, 1, log));
                    Fiber<?> asker =
                            Fiber.spin(
                                    () -> {
                                        AskFailedException failed =
                                                assertThrows(
                                                        AskFailedException.class,
                                                        () ->
                                                                counter.<Integer>ask(
                                                                        Never::new, Pair.LONG));
                                        assertInstanceOf(
                                                UnreachableException.class, failed.getCause());
                                    });
                    Fiber.sleep(SECOND);
                    assertTrue(there.on(() -> there.node.leave(SECOND)));
                    asker.await();
                    Fiber.sleep(SECOND);
                    assertEquals(List.of(new ExitReason.Unreachable("there")), log);
                    counter.tell(new Say(1));
                    assertEquals(DeadLetter.Reason.UNREACHABLE, here.letters.getLast().reason());
                    assertEquals(TellResult.ENDED, counter.tryTell(new Say(2)));
                    assertThrows(AskFailedException.class, () -> counter.<Integer>ask(Count::new));
                    assertTrue(counter.awaitEnd(SECOND));
                });
    }

    /** What it has taken is acknowledged, so it is no dead letter at the sender. */
    @Test
    void A7_nodeThatLeavesAcknowledgesBefore() {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    List<Integer> said = new ArrayList<>();
                    start(there, said);
                    ActorRef<Word> counter = found(here);
                    Fiber.sleep(SECOND); // until nothing is on its way here
                    for (int i = 0; i < 3; i++) {
                        counter.tell(new Say(i));
                    }
                    there.on(
                            () -> {
                                while (said.size() < 3) {
                                    Fiber.sleep(Duration.ofMillis(1));
                                }
                                return there.node.leave(SECOND);
                            });
                    Fiber.sleep(SECOND);
                    assertEquals(List.of(), here.node.peers());
                    assertEquals(List.of(), here.letters);
                });
    }

    @Test
    void A7_typeOutsideOfTheProtocolFailsAtTheSender() {
        Pair.run(
                Protocol.of(),
                (here, there) -> {
                    start(there, new ArrayList<>());
                    ActorRef<Word> counter = found(here);
                    assertThrows(NotSendableException.class, () -> counter.tell(new Say(1)));
                    assertThrows(
                            NotSendableException.class, () -> counter.<Integer>ask(Count::new));
                    assertEquals(List.of("there"), here.node.peers());
                });
    }
}
