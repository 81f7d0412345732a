package dev.ropewalk.actors.internal.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Rule A3: bounded mailboxes act on the sender, and lose nothing without a word. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BoundedMailboxTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Handles a message when it is let: each waits for a gate. */
    private static final class Gated {
        final List<String> log = World.log();
        final AtomicInteger open = new AtomicInteger();
        final ActorRef<String> ref;
        final World world;

        Gated(World world, MailboxOptions options) {
            this.world = world;
            this.ref =
                    world.spin(
                            "gated",
                            Actor.<String>handler(
                                            () ->
                                                    message -> {
                                                        if (message.equals("crash")) {
                                                            throw new Crash("crash");
                                                        }
                                                        pass();
                                                        log.add(message);
                                                        return Behavior.same();
                                                    })
                                    .mailbox(options));
        }

        private void pass() {
            while (open.get() <= 0) {
                Fiber.sleep(Duration.ofMillis(1));
            }
            open.decrementAndGet();
        }

        void let(int messages) {
            open.addAndGet(messages);
            world.until(() -> open.get() == 0);
            world.settle();
        }
    }

    private static MailboxOptions bounded(int capacity, Overflow overflow) {
        return MailboxOptions.bounded(capacity).withOverflow(overflow);
    }

    /** One in hand and two queued; the third that is queued finds no room. */
    private static Gated full(World world, Overflow overflow) {
        Gated gated = new Gated(world, bounded(2, overflow));
        gated.ref.tell("1");
        world.settle();
        gated.ref.tell("2");
        gated.ref.tell("3");
        world.settle();
        return gated;
    }

    // ---------------------------------------------------------------- each policy

    @Test
    void A3_suspendHoldsTheSenderUntilThereIsRoom() {
        World.anywhere(
                world -> {
                    Gated gated = full(world, Overflow.SUSPEND);
                    Fiber<?> sender = Fiber.spin("sender", () -> gated.ref.tell("4"));
                    world.settle();
                    assertFalse(sender.awaitEnd(Duration.ZERO));
                    assertEquals(2, gated.ref.mailbox().queued());
                    gated.let(1);
                    sender.await();
                    gated.let(3);
                    assertEquals(List.of("1", "2", "3", "4"), gated.log);
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    @Test
    void A3_failThrowsAndTheSenderKeepsTheMessage() {
        World.anywhere(
                world -> {
                    Gated gated = full(world, Overflow.FAIL);
                    MailboxFullException full =
                            assertThrows(MailboxFullException.class, () -> gated.ref.tell("4"));
                    Errors.assertMentions(full, "gated", "capacity=2", "4");
                    gated.let(1);
                    gated.ref.tell("5");
                    gated.let(3);
                    assertEquals(List.of("1", "2", "3", "5"), gated.log);
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    @Test
    void A3_dropNewMakesADeadLetterOfTheNewMessage() {
        World.anywhere(
                world -> {
                    Gated gated = full(world, Overflow.DROP_NEW);
                    gated.ref.tell("4");
                    world.settle();
                    assertEquals(List.of("gated REFUSED 4"), world.deadLetters());
                    gated.let(3);
                    assertEquals(List.of("1", "2", "3"), gated.log);
                });
    }

    @Test
    void A3_dropOldMakesADeadLetterOfTheOldest() {
        World.anywhere(
                world -> {
                    Gated gated = full(world, Overflow.DROP_OLD);
                    gated.ref.tell("4");
                    world.settle();
                    assertEquals(List.of("gated DISPLACED 2"), world.deadLetters());
                    gated.let(3);
                    assertEquals(List.of("1", "3", "4"), gated.log);
                });
    }

    @Test
    void A3_tryTellSaysWhatBecameOfTheMessage() {
        World.anywhere(
                world -> {
                    Gated gated = full(world, Overflow.SUSPEND);
                    assertEquals(TellResult.FULL, gated.ref.tryTell("4"));
                    gated.let(1);
                    assertEquals(TellResult.ACCEPTED, gated.ref.tryTell("5"));
                    gated.let(3);
                    assertEquals(List.of("1", "2", "3", "5"), gated.log);
                    gated.ref.stop();
                    world.settle();
                    TellResult late = world.on(() -> gated.ref.tryTell("6"));
                    assertEquals(TellResult.ENDED, late);
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    // ---------------------------------------------------------------- ends and waits

    /** Rule A3: what ends the actor needs no room and is dropped by no policy. */
    @ParameterizedTest
    @EnumSource(Overflow.class)
    void A3_stopNeedsNoRoomAndKeepsItsPlace(Overflow overflow) {
        World.anywhere(
                world -> {
                    Gated gated = full(world, overflow);
                    gated.ref.stop();
                    if (overflow == Overflow.DROP_OLD) {
                        gated.ref.tell("4");
                        gated.ref.tell("5");
                    }
                    world.settle();
                    gated.let(overflow == Overflow.DROP_OLD ? 1 : 3);
                    assertEquals(
                            overflow == Overflow.DROP_OLD ? List.of("1") : List.of("1", "2", "3"),
                            gated.log);
                    assertEquals(overflow == Overflow.DROP_OLD ? 4 : 0, world.letters.size());
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void A3_sendersThatWaitAreLetGoWhenTheActorEnds(boolean gently) {
        World.anywhere(
                world -> {
                    Gated gated = full(world, Overflow.SUSPEND);
                    List<Fiber<?>> senders = new ArrayList<>();
                    for (int i = 0; i < 5; i++) {
                        int number = i;
                        senders.add(Fiber.spin("sender", () -> gated.ref.tell("late" + number)));
                    }
                    world.settle();
                    if (gently) {
                        gated.ref.stop();
                        gated.let(3);
                    } else {
                        gated.ref.terminate();
                    }
                    senders.forEach(Fiber::await);
                    world.settle();
                    long late =
                            world.letters.stream()
                                    .filter(l -> l.message().toString().startsWith("late"))
                                    .count();
                    // Some may have found room that the stop did not need.
                    assertEquals(5, late + gated.log.stream().filter(m -> m.length() > 1).count());
                });
    }

    @Test
    void A3_cancelledSenderHasSentNothingAndBlocksNobody() {
        World.anywhere(
                world -> {
                    Gated gated = full(world, Overflow.SUSPEND);
                    Fiber<?> first = Fiber.spin("first", () -> gated.ref.tell("never"));
                    world.settle();
                    Fiber<?> second = Fiber.spin("second", () -> gated.ref.tell("4"));
                    world.settle();
                    first.terminate();
                    assertThrows(FiberTerminatedException.class, first::await);
                    assertThrows(
                            FiberTimeoutException.class,
                            () ->
                                    CancelScope.cancelAfter(
                                            Duration.ofMillis(5), () -> gated.ref.tell("late")));
                    gated.let(4);
                    second.await();
                    world.settle();
                    assertEquals(List.of("1", "2", "3", "4"), gated.log);
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    @Test
    void A3_plainThreadWaitsForRoom() {
        World.remote(
                world -> {
                    Gated gated = full(world, Overflow.SUSPEND);
                    Thread plain = Thread.ofPlatform().start(() -> gated.ref.tell("4"));
                    gated.let(2);
                    world.until(() -> !plain.isAlive());
                    gated.let(2);
                    assertEquals(List.of("1", "2", "3", "4"), gated.log);
                });
    }

    /** The mailbox survives a restart, and so does the room in it. */
    @Test
    void A3_restartKeepsQueuedMessagesAndTheirRoom() {
        World.anywhere(
                world -> {
                    Gated gated = new Gated(world, bounded(2, Overflow.SUSPEND));
                    gated.open.set(10);
                    for (int round = 0; round < 10; round++) {
                        gated.ref.tell("crash");
                        gated.ref.tell("m" + round);
                    }
                    gated.let(0);
                    assertEquals(10, gated.log.size());
                    gated.ref.tell("1");
                    world.settle();
                    gated.ref.tell("2");
                    gated.ref.tell("3");
                    assertEquals(TellResult.FULL, gated.ref.tryTell("4"));
                    gated.let(3);
                    assertEquals(10, world.letters.size());
                });
    }

    @Test
    void A3_askWaitsForRoomWithinItsLimit() {
        World.anywhere(
                world -> {
                    ActorRef<Recipient<String>> slow =
                            world.spin(
                                    "slow",
                                    Actor.<Recipient<String>>handler(
                                                    () ->
                                                            to -> {
                                                                Fiber.sleep(SECOND);
                                                                to.tell("done");
                                                                return Behavior.same();
                                                            })
                                            .mailbox(MailboxOptions.bounded(1)));
                    Fiber<String> one = Fiber.spin(() -> slow.<String>ask(to -> to));
                    Fiber<String> two = Fiber.spin(() -> slow.<String>ask(to -> to));
                    world.settle();
                    AskTimeoutException late =
                            assertThrows(
                                    AskTimeoutException.class,
                                    () -> slow.<String>ask(to -> to, Duration.ofMillis(10)));
                    Errors.assertMentions(late, "slow", "10 ms");
                    assertEquals("done", one.await());
                    assertEquals("done", two.await());
                });
    }

    // ---------------------------------------------------------------- misuse

    @Test
    void A3_waitingForRoomInTheOwnMailboxIsAnError() {
        World.anywhere(
                world -> {
                    ActorRef<Integer> ref =
                            world.spin(
                                    "eager",
                                    Actor.<Integer>handler(
                                                    self ->
                                                            message -> {
                                                                if (message == 0) {
                                                                    self.self().tell(1);
                                                                    self.self().tell(2);
                                                                }
                                                                return Behavior.same();
                                                            })
                                            .mailbox(MailboxOptions.bounded(1)));
                    ref.tell(0);
                    world.until(() -> !world.failures.isEmpty());
                    assertTrue(
                            world.failures.getFirst().contains("its own mailbox")
                                    && world.failures.getFirst().contains("capacity=1"),
                            world.failures.getFirst());
                });
    }

    @Test
    void A3_illegalOptions() {
        for (int capacity : new int[] {0, -1}) {
            IllegalArgumentException refused =
                    assertThrows(
                            IllegalArgumentException.class, () -> MailboxOptions.bounded(capacity));
            Errors.assertMentions(refused, "capacity=" + capacity, "at least one");
        }
        IllegalStateException none =
                assertThrows(
                        IllegalStateException.class,
                        () -> MailboxOptions.unbounded().withOverflow(Overflow.FAIL));
        Errors.assertMentions(none, "unbounded", "bounded(n)");
        assertEquals("bounded(3, DROP_OLD)", bounded(3, Overflow.DROP_OLD).toString());
    }

    // ---------------------------------------------------------------- games

    /** Each message is processed or a dead letter, and never more are queued than there is room. */
    @ParameterizedTest
    @EnumSource(Overflow.class)
    void A3_conservationUnderLoadCrashAndEnd(Overflow overflow) {
        for (int seed = 1; seed <= 5; seed++) {
            int capacity = 1 + seed;
            long random = seed;
            World.anywhere(world -> game(world, overflow, capacity, new SplittableRandom(random)));
        }
    }

    private static void game(
            World world, Overflow overflow, int capacity, SplittableRandom random) {
        AtomicInteger processed = new AtomicInteger();
        AtomicInteger sent = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ActorRef<Integer> ref =
                world.spin(
                        "worker",
                        Actor.<Integer>handler(
                                        self ->
                                                message -> {
                                                    int queued = self.self().mailbox().queued();
                                                    most.accumulateAndGet(queued, Math::max);
                                                    if (message % 7 == 0) {
                                                        throw new Crash("crash");
                                                    }
                                                    if (message % 3 == 0) {
                                                        Fiber.snooze();
                                                    }
                                                    processed.incrementAndGet();
                                                    return Behavior.same();
                                                })
                                .mailbox(bounded(capacity, overflow)));
        List<Fiber<?>> senders = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            SplittableRandom own = random.split();
            senders.add(
                    (i % 2 == 0 ? world.home : dev.ropewalk.fibers.Cord.current())
                            .spin(
                                    "sender",
                                    () -> {
                                        for (int n = 0; n < 200; n++) {
                                            if (send(ref, own)) {
                                                sent.incrementAndGet();
                                            }
                                        }
                                    }));
        }
        senders.getFirst().await();
        if (random.nextBoolean()) {
            ref.terminate();
        }
        senders.forEach(Fiber::await);
        world.settle();
        ref.stop();
        world.until(() -> processed.get() + world.letters.size() == sent.get());
        assertTrue(most.get() <= capacity + 1, "queued=" + most + " capacity=" + capacity);
        world.letters.clear();
    }

    private static boolean send(ActorRef<Integer> ref, SplittableRandom random) {
        int message = random.nextInt(1_000);
        if (random.nextInt(3) == 0) {
            return ref.tryTell(message) == TellResult.ACCEPTED;
        }
        try {
            ref.tell(message);
            return true;
        } catch (MailboxFullException full) {
            Fiber.snooze();
            return false;
        }
    }
}
