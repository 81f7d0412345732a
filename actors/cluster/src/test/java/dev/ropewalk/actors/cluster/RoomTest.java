package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.internal.ref.Counts;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Rule A3: a bounded mailbox is one for senders of other nodes too. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RoomTest {
    sealed interface Word {}

    record Say(int number) implements Word {}

    /** It takes so long to handle it. */
    record Slow(int millis) implements Word {}

    record Count(Recipient<Integer> replyTo) implements Word {}

    /** Not in the protocol. */
    record Unknown() implements Other {}

    non-sealed interface Other extends Word {}

    private static final Protocol PROTOCOL = Protocol.of(Say.class, Slow.class, Count.class);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Actor<Word> actor(List<Integer> said, MailboxOptions mailbox) {
        return Actor.<Word>handler(
                        () ->
                                word -> {
                                    switch (word) {
                                        case Say(int number) -> {
                                            said.add(number);
                                            Fiber.sleep(Duration.ofMillis(1));
                                        }
                                        case Slow(int millis) ->
                                                Fiber.sleep(Duration.ofMillis(millis));
                                        case Count(var replyTo) -> replyTo.tell(said.size());
                                        case Other _ -> said.clear();
                                    }
                                    return Behavior.same();
                                })
                .mailbox(mailbox);
    }

    @FunctionalInterface
    private interface Body {
        void run(Pair.Side here, Pair.Side there, ActorRef<Word> home, ActorRef<Word> far)
                throws Exception;
    }

    private static void run(MailboxOptions mailbox, List<Integer> said, Body body) {
        Pair.run(
                PROTOCOL,
                (here, there) -> {
                    said.clear();
                    ActorRef<Word> home =
                            there.on(() -> there.system.start("bounded", actor(said, mailbox)));
                    there.on(
                            () ->
                                    there.system.start(
                                            "other",
                                            actor(new ArrayList<>(), MailboxOptions.unbounded())));
                    ActorRef<Word> far = find(here, "there", "bounded");
                    body.run(here, there, home, far);
                });
    }

    private static ActorRef<Word> find(Pair.Side at, String node, String name) {
        return Objects.requireNonNull(at.node.at(node).find(name, Word.class));
    }

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void A3_sendersOfAnotherNodeWaitForRoom() {
        List<Integer> said = new ArrayList<>();
        run(
                MailboxOptions.bounded(8),
                said,
                (here, there, home, far) -> {
                    AtomicInteger most = new AtomicInteger();
                    Fiber<?> looker = there.spin("looks", () -> look(home, most));
                    for (int i = 0; i < 200; i++) {
                        far.tell(new Say(i));
                    }
                    assertEquals(200, (int) far.<Integer>ask(Count::new));
                    looker.terminate();
                    assertEquals(numbers(200), said);
                    assertTrue(most.get() >= 2 && most.get() <= 8, () -> "most=" + most);
                    assertEquals(List.of(), here.letters);
                    assertEquals(List.of(), there.letters);
                });
    }

    private static void look(ActorRef<Word> home, AtomicInteger most) {
        while (true) {
            most.accumulateAndGet(home.mailbox().queued(), Math::max);
            Fiber.sleep(Duration.ofNanos(300_000));
        }
    }

    @Test
    void A3_senderThatWaitsStopsNobodyElse() {
        run(
                MailboxOptions.bounded(1),
                new ArrayList<>(),
                (here, there, home, far) -> {
                    far.tell(new Slow(10_000));
                    far.tell(new Say(0));
                    Fiber<?> waits = Fiber.spin("waits", () -> far.tell(new Say(1)));
                    Fiber.sleep(SECOND);
                    ActorRef<Word> other = find(here, "there", "other");
                    assertEquals(0, (int) other.<Integer>ask(Count::new, SECOND));
                    assertEquals(TellResult.FULL, far.tryTell(new Say(2)));
                    waits.await();
                    assertEquals(2, (int) far.<Integer>ask(Count::new));
                });
    }

    @Test
    void A3_limitOfAnAskCoversTheWaitForRoom() {
        List<Integer> said = new ArrayList<>();
        run(
                MailboxOptions.bounded(1),
                said,
                (here, there, home, far) -> {
                    far.tell(new Slow(10_000));
                    far.tell(new Say(0));
                    long beganNs = Cord.current().nanoTime();
                    assertThrows(
                            AskTimeoutException.class, () -> far.<Integer>ask(Count::new, SECOND));
                    assertEquals(SECOND.toNanos(), Cord.current().nanoTime() - beganNs);
                    Fiber<?> leaves = Fiber.spin("leaves", () -> far.tell(new Say(1)));
                    Fiber.sleep(SECOND);
                    leaves.terminate();
                    leaves.awaitEnd(SECOND);
                    far.tell(new Say(2)); // the room of those that left is not lost
                    assertEquals(2, (int) far.<Integer>ask(Count::new));
                    assertEquals(List.of(0, 2), said);
                    assertEquals(List.of(), there.letters);
                });
    }

    @Test
    void A3_mailboxThatRefusesThrowsAtTheSender() {
        run(
                MailboxOptions.bounded(2).withOverflow(Overflow.FAIL),
                new ArrayList<>(),
                (here, there, home, far) -> {
                    far.tell(new Slow(10_000));
                    Fiber.sleep(SECOND);
                    far.tell(new Say(0));
                    far.tell(new Say(1));
                    MailboxFullException full =
                            assertThrows(MailboxFullException.class, () -> far.tell(new Say(2)));
                    assertTrue(
                            String.valueOf(full.getMessage()).contains("bounded"), full::toString);
                    assertEquals(TellResult.FULL, far.tryTell(new Say(3)));
                    AskFailedException refused =
                            assertThrows(
                                    AskFailedException.class, () -> far.<Integer>ask(Count::new));
                    assertInstanceOf(MailboxFullException.class, refused.getCause());
                    here.system
                            .start(
                                    "teller",
                                    Actor.<Object>handler(
                                            () -> {
                                                far.tell(
                                                        new Say(4)); // an actor does not fail by it
                                                return Behavior.stopped();
                                            }))
                            .awaitEnd(SECOND);
                    assertEquals(1, here.letters.size());
                    assertEquals(DeadLetter.Reason.REFUSED, here.letters.getFirst().reason());
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(2, (int) far.<Integer>ask(Count::new));
                    assertEquals(List.of(), there.letters);
                });
    }

    @Test
    void A3_mailboxThatDropsDoesItWhereItIs() {
        run(
                MailboxOptions.bounded(2).withOverflow(Overflow.DROP_NEW),
                new ArrayList<>(),
                (here, there, home, far) -> {
                    far.tell(new Slow(1_000));
                    for (int i = 0; i < 5; i++) {
                        far.tell(new Say(i));
                    }
                    Fiber.sleep(Duration.ofSeconds(2));
                    assertEquals(2, (int) far.<Integer>ask(Count::new));
                    assertEquals(3, there.letters.size());
                    assertEquals(List.of(), here.letters);
                });
    }

    @Test
    void A3_roomThatIsNotUsedGoesBack() {
        run(
                MailboxOptions.bounded(8),
                new ArrayList<>(),
                (here, there, home, far) -> {
                    far.tell(new Slow(5_000));
                    Fiber.sleep(Duration.ofSeconds(2));
                    for (int i = 0; i < 8; i++) {
                        assertEquals(TellResult.ACCEPTED, home.tryTell(new Say(i)));
                    }
                    assertEquals(TellResult.FULL, home.tryTell(new Say(8)));
                    assertEquals(0, Objects.requireNonNull(here.node.counts("there")).windows());
                    assertEquals(0, Objects.requireNonNull(there.node.counts("here")).loans());
                });
    }

    @Test
    void A3_roomOfAMessageThatCannotBeSentIsNotLost() {
        run(
                MailboxOptions.bounded(1),
                new ArrayList<>(),
                (here, there, home, far) -> {
                    for (int i = 0; i < 5; i++) {
                        assertThrows(NotSendableException.class, () -> far.tell(new Unknown()));
                        assertThrows(
                                NotSendableException.class,
                                () -> far.<Integer>ask(_ -> new Unknown(), SECOND));
                    }
                    far.tell(new Say(0));
                    assertEquals(1, (int) far.<Integer>ask(Count::new, SECOND));
                });
    }

    @Test
    void A3_roomThatWasLentGoesBackWithTheSession() {
        run(
                MailboxOptions.bounded(8),
                new ArrayList<>(),
                (here, there, home, far) -> {
                    far.tell(new Slow(5_000));
                    far.tell(new Say(0));
                    there.on(() -> there.node.leave(SECOND));
                    for (int i = 1; i < 8; i++) {
                        assertEquals(TellResult.ACCEPTED, home.tryTell(new Say(i)), "message " + i);
                    }
                    assertEquals(TellResult.FULL, home.tryTell(new Say(8)));
                });
    }

    /** Nothing is known of the mailbox each time. */
    @Test
    void A3_sendersThatDoNotWaitAreServedAfterAPause() {
        List<Integer> said = new ArrayList<>();
        run(
                MailboxOptions.bounded(2),
                said,
                (here, there, home, far) -> {
                    for (int i = 0; i < 3; i++) {
                        assertEquals(
                                i, (int) Futures.await(far.<Integer>askLater(Count::new, SECOND)));
                        Fiber.sleep(Duration.ofSeconds(3));
                        assertEquals(TellResult.ACCEPTED, far.tryTell(new Say(i)));
                        Fiber.sleep(Duration.ofSeconds(3));
                    }
                    assertEquals(numbers(3), said);
                    far.tell(new Slow(5_000));
                    Fiber.sleep(SECOND);
                    home.tell(new Say(3));
                    home.tell(new Say(4));
                    FiberFailedException refused =
                            assertThrows(
                                    FiberFailedException.class,
                                    () -> Futures.await(far.<Integer>askLater(Count::new, SECOND)));
                    assertInstanceOf(AskFailedException.class, refused.getCause());
                    assertTrue(
                            String.valueOf(refused.getMessage()).contains("full"),
                            refused::toString);
                });
    }

    @Test
    void A3_endOfTheSessionEndsTheWaitAndGivesTheRoomBack() {
        run(
                MailboxOptions.bounded(1),
                new ArrayList<>(),
                (here, there, home, far) -> {
                    far.tell(new Slow(5_000));
                    far.tell(new Say(0));
                    Fiber<?> waits = Fiber.spin("waits", () -> far.tell(new Say(1)));
                    Fiber<?> asks =
                            Fiber.spin(
                                    "asks",
                                    () ->
                                            assertThrows(
                                                    AskFailedException.class,
                                                    () -> far.<Integer>ask(Count::new)));
                    Fiber.sleep(SECOND);
                    there.on(() -> there.node.leave(SECOND));
                    waits.await();
                    asks.await();
                    assertEquals(
                            List.of(DeadLetter.Reason.UNREACHABLE),
                            here.letters.stream().map(DeadLetter::reason).toList());
                    Fiber.sleep(Duration.ofSeconds(5));
                    home.tell(new Slow(1_000));
                    Fiber.sleep(Duration.ofMillis(100));
                    assertEquals(TellResult.ACCEPTED, home.tryTell(new Say(2)));
                    assertEquals(TellResult.FULL, home.tryTell(new Say(3)));
                });
    }

    @Test
    void A3_messageToABoundedActorThatHasEndedIsADeadLetterThere() {
        run(
                MailboxOptions.bounded(1),
                new ArrayList<>(),
                (here, there, home, far) -> {
                    far.tell(new Slow(1_000));
                    far.tell(new Say(0));
                    Fiber<?> waits = Fiber.spin("waits", () -> far.tell(new Say(1)));
                    Fiber.sleep(Duration.ofMillis(500));
                    far.terminate();
                    waits.await();
                    far.tell(new Say(2));
                    Fiber.sleep(SECOND);
                    assertEquals(
                            List.of(
                                    DeadLetter.Reason.FAILED, // it was being handled
                                    DeadLetter.Reason.ENDED,
                                    DeadLetter.Reason.ENDED,
                                    DeadLetter.Reason.ENDED),
                            there.letters.stream().map(DeadLetter::reason).toList());
                    assertEquals(List.of(), here.letters);
                });
    }

    /** Told = handled + reported, whatever senders do; senders of several nodes share the room. */
    @Test
    void A3_nothingIsLostAndTheMailboxIsNeverOverfull() {
        long[] seeds = TestCords.seedsOr(LongStream.rangeClosed(1, 20).toArray());
        for (long seed : seeds) {
            Pair.several(3, seed, PROTOCOL, nodes -> game(nodes, 1 + (int) (seed % 9)));
        }
    }

    private static void game(List<Pair.Side> nodes, int capacity) throws Exception {
        List<Integer> said = new ArrayList<>();
        Pair.Side first = nodes.getFirst();
        ActorRef<Word> home =
                first.system.start("bounded", actor(said, MailboxOptions.bounded(capacity)));
        AtomicInteger most = new AtomicInteger();
        Fiber<?> looker = Fiber.spin("looks", () -> look(home, most));
        AtomicInteger told = new AtomicInteger();
        List<Fiber<?>> tellers = new ArrayList<>();
        for (Pair.Side each : nodes) {
            ActorRef<Word> ref = each == first ? home : each.on(() -> find(each, "n0", "bounded"));
            for (int i = 0; i < 2; i++) {
                tellers.add(each.spin("tells", () -> tell(ref, told)));
            }
        }
        for (Fiber<?> each : tellers) {
            each.await();
        }
        Fiber.sleep(Duration.ofSeconds(3));
        looker.terminate();
        assertEquals(told.get(), said.size() + reported(nodes));
        assertTrue(most.get() <= capacity, () -> "most=" + most + " capacity=" + capacity);
        for (Pair.Side each : nodes) {
            for (String other : each.node.peers()) {
                Counts left = Objects.requireNonNull(each.node.counts(other));
                assertEquals(0, left.windows() + left.loans(), left::toString);
            }
        }
    }

    /** What came without a permit, because nothing was known of the mailbox. */
    private static int reported(List<Pair.Side> nodes) {
        int refused = 0;
        for (Pair.Side each : nodes) {
            for (DeadLetter letter : each.letters) {
                if (letter.reason() == DeadLetter.Reason.REFUSED) {
                    assertEquals(nodes.getFirst(), each);
                    refused++;
                } else {
                    assertEquals(DeadLetter.Reason.LATE_REPLY, letter.reason());
                }
            }
        }
        return refused;
    }

    private static void tell(ActorRef<Word> to, AtomicInteger told) {
        for (int i = 0; i < 40; i++) {
            int number = i;
            switch (Cord.current().nextInt(4)) {
                case 0 -> {
                    if (to.tryTell(new Say(i)) == TellResult.ACCEPTED) {
                        told.incrementAndGet();
                    }
                }
                case 1 -> {
                    Fiber<?> leaves =
                            Fiber.spin(
                                    "leaves",
                                    () -> {
                                        to.tell(new Say(number));
                                        told.incrementAndGet();
                                    });
                    Fiber.sleep(Duration.ofNanos(Cord.current().nextInt(3_000_000)));
                    leaves.terminate();
                    leaves.awaitEnd(SECOND);
                }
                case 2 -> {
                    try {
                        to.<Integer>ask(
                                Count::new,
                                Duration.ofNanos(1 + Cord.current().nextInt(3_000_000)));
                    } catch (AskTimeoutException late) {
                        Fiber.sleep(Duration.ofMillis(1));
                    }
                }
                default -> {
                    to.tell(new Say(i));
                    told.incrementAndGet();
                }
            }
        }
    }
}
