package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.testkit.Peek;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Rules A1 and A3: tell, in both styles. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TellTest {
    private record FromTo(int sender, int number) {}

    /** Both styles of an actor that notes what it gets. */
    private static <M> List<Actor<M>> noting(List<M> log) {
        return List.of(
                Actor.handler(
                        _ ->
                                message -> {
                                    log.add(message);
                                    return Behavior.same();
                                }),
                Actor.loop(
                        self -> {
                            for (; ; ) {
                                log.add(self.receive());
                            }
                        }));
    }

    @Test
    void A3_toAnEndedActorIsADeadLetter() {
        World.anywhere(
                world -> {
                    for (Actor<String> actor : TellTest.<String>noting(World.log())) {
                        world.letters.clear();
                        ActorRef<String> ref = world.spin("ended", actor);
                        ref.stop();
                        world.settle();
                        ref.tell("late");
                        world.settle();
                        assertEquals(List.of("ended ENDED late"), world.deadLetters());
                    }
                });
    }

    @Test
    void A3_toAnActorOfAClosedCordIsADeadLetter() {
        World.remote(
                world -> {
                    Cord closed = Cord.start("closed");
                    ActorRef<String> ref =
                            world.system
                                    .root()
                                    .spin(
                                            closed,
                                            "lost",
                                            TellTest.<String>noting(World.log()).get(0));
                    closed.spin("flush", () -> {}).await();
                    ref.terminate();
                    world.settle();
                    closed.close();
                    ref.tell("late");
                    assertEquals(List.of("lost ENDED late"), world.deadLetters());
                });
    }

    @Test
    void A3_nothingCannotBeTold() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref = world.spin("noting", noting(log).get(0));
                    assertThrows(NullPointerException.class, () -> tellNothing(ref));
                    ref.tell("something");
                    world.settle();
                    assertEquals(List.of("something"), log);
                });
    }

    @SuppressWarnings("NullAway") // what a caller without null checks may do
    private static void tellNothing(ActorRef<String> ref) {
        ref.tell(null);
    }

    @Test
    void A1_toAWaitingActorBypassesTheMailbox() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (Actor<String> actor : noting(log)) {
                        log.clear();
                        ActorRef<String> ref = world.spin("noting", actor);
                        world.settle();
                        List<Integer> sizes =
                                world.on(
                                        () -> {
                                            ref.tell("handed over");
                                            int first = Peek.mailboxSize(ref);
                                            ref.tell("queued");
                                            return List.of(first, Peek.mailboxSize(ref));
                                        });
                        assertEquals(List.of(0, 1), sizes);
                        world.settle();
                        assertEquals(List.of("handed over", "queued"), log);
                    }
                });
    }

    @Test
    void A1_beforeTheFirstTurnIsKept() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    for (Actor<String> actor : noting(log)) {
                        log.clear();
                        ActorRef<String> ref = world.spin("noting", actor);
                        ref.tell("early");
                        ref.tell("later");
                        world.settle();
                        assertEquals(List.of("early", "later"), log);
                    }
                });
    }

    @Test
    void A3_anyObjectIsDeliveredAsItIs() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    List<Object> odd =
                            List.of(
                                    dev.ropewalk.fibers.Handler.START,
                                    dev.ropewalk.fibers.Handler.WAIT,
                                    dev.ropewalk.fibers.Handler.END,
                                    dev.ropewalk.fibers.spi.Waits.TIMED_OUT,
                                    new IllegalStateException("a throwable is a value"),
                                    "plain");
                    for (Actor<Object> actor : noting(log)) {
                        log.clear();
                        ActorRef<Object> ref = world.spin("noting", actor);
                        for (Object each : odd) {
                            ref.tell(each);
                        }
                        for (Object each : odd) {
                            world.settle();
                            ref.tell(each);
                        }
                        world.settle();
                        List<Object> twice = new ArrayList<>(odd);
                        twice.addAll(odd);
                        assertEquals(twice, log);
                    }
                });
    }

    @Test
    void A2_anAddressForAReplyMayBeToldOn() {
        World.anywhere(
                world -> {
                    ActorRef<Recipient<String>> answering =
                            world.spin(
                                    "answering",
                                    Actor.handler(
                                            _ ->
                                                    replyTo -> {
                                                        replyTo.tell("by the second");
                                                        return Behavior.same();
                                                    }));
                    ActorRef<Recipient<String>> forwarding =
                            world.spin(
                                    "forwarding",
                                    Actor.handler(
                                            _ ->
                                                    replyTo -> {
                                                        answering.tell(replyTo);
                                                        return Behavior.same();
                                                    }));
                    record Question(Recipient<String> replyTo) {}
                    ActorRef<Question> first =
                            world.spin(
                                    "first",
                                    Actor.handler(
                                            _ ->
                                                    question -> {
                                                        answering.tell(question.replyTo());
                                                        return Behavior.same();
                                                    }));
                    assertEquals("by the second", first.<String>ask(Question::new));
                    assertEquals("by the second", forwarding.<String>ask(replyTo -> replyTo));
                });
    }

    @Test
    void A3_messagesOfOneSenderStayInOrder() {
        World.anywhere(
                world -> {
                    for (int style = 0; style < 2; style++) {
                        List<FromTo> log = World.log();
                        ActorRef<FromTo> ref = world.spin("noting", noting(log).get(style));
                        List<Fiber<?>> senders = new ArrayList<>();
                        for (int sender = 0; sender < 6; sender++) {
                            senders.add(sender(world, sender, ref));
                        }
                        senders.forEach(Fiber::await);
                        world.settle();
                        assertEquals(6 * 100, log.size());
                        for (int sender = 0; sender < 6; sender++) {
                            int from = sender;
                            List<Integer> numbers =
                                    log.stream()
                                            .filter(m -> m.sender() == from)
                                            .map(FromTo::number)
                                            .toList();
                            assertEquals(
                                    java.util.stream.IntStream.range(0, 100).boxed().toList(),
                                    numbers);
                        }
                    }
                });
    }

    private static Fiber<?> sender(World world, int sender, ActorRef<FromTo> ref) {
        SplittableRandom random = new SplittableRandom(sender);
        Cord cord = sender % 2 == 0 ? world.home : Cord.current();
        return cord.spin(
                "sender " + sender,
                () -> {
                    for (int number = 0; number < 100; number++) {
                        ref.tell(new FromTo(sender, number));
                        if (random.nextInt(3) == 0) {
                            Fiber.snooze();
                        }
                    }
                });
    }

    @Test
    void A3_tellWorksFromAPlainThread() {
        List<Integer> log = World.log();
        World.remote(
                world -> {
                    ActorRef<Integer> ref = world.spin("noting", noting(log).get(0));
                    Thread plain =
                            Thread.ofPlatform()
                                    .start(
                                            () -> {
                                                for (int i = 0; i < 1_000; i++) {
                                                    ref.tell(i);
                                                }
                                            });
                    world.until(() -> !plain.isAlive());
                    world.settle();
                    assertEquals(java.util.stream.IntStream.range(0, 1_000).boxed().toList(), log);
                });
    }

    /** Rule A1: producers do not outrun an actor that has its turn as often as each of them. */
    @Test
    void A1_manyProducersLeaveNoBacklog() {
        World.local(
                world -> {
                    AtomicInteger most = new AtomicInteger();
                    AtomicInteger handled = new AtomicInteger();
                    ActorRef<Integer> ref =
                            world.spin(
                                    "sink",
                                    Actor.handler(
                                            self ->
                                                    _ -> {
                                                        int queued = self.self().mailbox().queued();
                                                        most.accumulateAndGet(queued, Math::max);
                                                        handled.incrementAndGet();
                                                        return Behavior.same();
                                                    }));
                    List<Fiber<?>> producers = new ArrayList<>();
                    for (int i = 0; i < 64; i++) {
                        producers.add(
                                Fiber.spin(
                                        "producer",
                                        () -> {
                                            for (int n = 0; n < 500; n++) {
                                                ref.tell(n);
                                                Fiber.snooze();
                                            }
                                        }));
                    }
                    producers.forEach(Fiber::await);
                    world.settle();
                    assertEquals(64 * 500, handled.get());
                    assertTrue(most.get() < 1_000, "most queued=" + most);
                });
    }
}
