package dev.ropewalk.actors.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Peek;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Rule A2: an ask and its reply, its limit, and replies that nobody takes. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AskTest {
    private record Twice(int number, Recipient<Integer> replyTo) {}

    private record Hold(Recipient<String> replyTo) {}

    private static Actor<Twice> doubling() {
        return Actor.handler(
                _ ->
                        message -> {
                            message.replyTo().tell(2 * message.number());
                            return Behavior.same();
                        });
    }

    /** Keeps the addresses for the replies and does not reply. */
    private static Actor<Hold> holding(List<Recipient<String>> held) {
        return Actor.handler(
                _ ->
                        message -> {
                            held.add(message.replyTo());
                            return Behavior.same();
                        });
    }

    @Test
    void A2_timesOutExactlyAtItsLimit() {
        World.local(
                world -> {
                    List<Recipient<String>> held = World.log();
                    ActorRef<Hold> ref = world.spin("silent", holding(held));
                    long before = Cord.current().nanoTime();
                    AskTimeoutException thrown =
                            assertThrows(
                                    AskTimeoutException.class,
                                    () -> ref.ask(Hold::new, Duration.ofMillis(1_234)));
                    assertEquals(1_234_000_000L, Cord.current().nanoTime() - before);
                    String message = Errors.inShort(String.valueOf(thrown.getMessage()));
                    assertTrue(
                            message.startsWith(
                                    "fiber root on cord test asked silent and got no reply within"
                                            + " 1234 ms; message: Hold["),
                            message);
                    before = Cord.current().nanoTime();
                    assertThrows(AskTimeoutException.class, () -> ref.<String>ask(Hold::new));
                    assertEquals(5_000_000_000L, Cord.current().nanoTime() - before);
                });
    }

    @Test
    void A2_limitsOfNothingAndOfEver() {
        World.local(
                world -> {
                    ActorRef<Hold> silent = world.spin("silent", holding(World.log()));
                    long before = Cord.current().nanoTime();
                    assertThrows(
                            AskTimeoutException.class, () -> silent.ask(Hold::new, Duration.ZERO));
                    assertEquals(before, Cord.current().nanoTime());
                    for (Duration limit :
                            List.of(Duration.ofSeconds(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
                        assertThrows(
                                IllegalArgumentException.class, () -> silent.ask(Hold::new, limit));
                    }
                    ActorRef<Twice> ref = world.spin("doubling", doubling());
                    int twice = ref.ask(to -> new Twice(1, to), Waits.FOREVER);
                    assertEquals(2, twice);
                });
    }

    @Test
    void A2_withoutALimitNothingIsSent() {
        World.local(
                world -> {
                    List<Recipient<String>> held = World.log();
                    ActorRef<Hold> ref = world.spin("silent", holding(held));
                    assertThrows(NullPointerException.class, () -> askWithoutLimit(ref));
                    assertThrows(NullPointerException.class, () -> askNothing(ref));
                    world.settle();
                    assertEquals(List.of(), held);
                });
    }

    @SuppressWarnings("NullAway") // what a caller without null checks may do
    private static void askWithoutLimit(ActorRef<Hold> ref) {
        ref.ask(Hold::new, null);
    }

    @SuppressWarnings("NullAway") // what a caller without null checks may do
    private static void askNothing(ActorRef<Hold> ref) {
        ref.ask(_ -> null);
    }

    @Test
    void A2_lateReplyIsADeadLetter() {
        World.anywhere(
                world -> {
                    List<Recipient<String>> held = World.log();
                    ActorRef<Hold> ref = world.spin("slow", holding(held));
                    assertThrows(
                            AskTimeoutException.class,
                            () -> ref.ask(Hold::new, Duration.ofNanos(1)));
                    world.settle();
                    held.getFirst().tell("late");
                    assertEquals(
                            List.of(Fiber.current() + " LATE_REPLY late"), world.deadLetters());
                });
    }

    @Test
    void A2_secondReplyIsADeadLetter() {
        World.anywhere(
                world -> {
                    ActorRef<Hold> ref =
                            world.spin(
                                    "twice",
                                    Actor.handler(
                                            _ ->
                                                    message -> {
                                                        message.replyTo().tell("first");
                                                        message.replyTo().tell("second");
                                                        return Behavior.same();
                                                    }));
                    assertEquals("first", ref.<String>ask(Hold::new));
                    world.settle();
                    assertEquals(
                            List.of(Fiber.current() + " LATE_REPLY second"), world.deadLetters());
                });
    }

    @Test
    void A2_terminatedAskerLeavesALateReply() {
        World.anywhere(
                world -> {
                    List<Recipient<String>> held = World.log();
                    List<String> log = World.log();
                    ActorRef<Hold> ref = world.spin("slow", holding(held));
                    ActorRef<String> asker =
                            world.spin(
                                    "asker",
                                    Actor.handler(
                                            _ ->
                                                    _ -> {
                                                        log.add(ref.ask(Hold::new));
                                                        return Behavior.same();
                                                    }));
                    asker.tell("go");
                    world.settle();
                    asker.terminate();
                    world.settle();
                    held.getFirst().tell("late");
                    assertEquals(List.of(), log);
                    assertEquals(
                            List.of("asker FAILED go", "asker LATE_REPLY late"),
                            world.deadLetters());
                });
    }

    @Test
    void A2_replies() {
        World.anywhere(
                world -> {
                    ActorRef<Twice> ref = world.spin("doubling", doubling());
                    for (int i = 0; i < 20; i++) {
                        int number = i;
                        int twice = ref.ask(replyTo -> new Twice(number, replyTo));
                        assertEquals(2 * i, twice);
                    }
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    @Test
    void A2_aLoopRepliesToo() {
        World.anywhere(
                world -> {
                    ActorRef<Object> ref =
                            world.spin(
                                    "loop",
                                    Actor.loop(
                                            self -> {
                                                Twice first = self.receive(Twice.class);
                                                first.replyTo().tell(-1);
                                                Twice second =
                                                        (Twice)
                                                                self.receive(
                                                                        (Object m) ->
                                                                                m instanceof Twice);
                                                second.replyTo().tell(-2);
                                                self.receive();
                                            }));
                    ref.tell("not asked");
                    assertEquals(-1, ref.<Integer>ask(replyTo -> new Twice(1, replyTo)));
                    assertEquals(-2, ref.<Integer>ask(replyTo -> new Twice(1, replyTo)));
                });
    }

    @Test
    void A2_anotherFiberMayReplyLater() {
        World.anywhere(
                world -> {
                    List<Recipient<String>> held = World.log();
                    ActorRef<Hold> ref = world.spin("holding", holding(held));
                    Fiber<String> asker = Fiber.spin(() -> ref.<String>ask(Hold::new));
                    world.until(() -> !held.isEmpty());
                    held.getFirst().tell("from outside");
                    assertEquals("from outside", asker.await());
                });
    }

    @Test
    void A2_manyAskersEachGetTheirOwnReply() {
        World.anywhere(
                world -> {
                    ActorRef<Twice> ref = world.spin("doubling", doubling());
                    List<Fiber<Integer>> askers = new ArrayList<>();
                    for (int i = 0; i < 50; i++) {
                        int number = i;
                        Cord cord = i % 2 == 0 ? world.home : Cord.current();
                        askers.add(
                                cord.spin(
                                        "asker",
                                        () -> ref.<Integer>ask(to -> new Twice(number, to))));
                    }
                    for (int i = 0; i < 50; i++) {
                        assertEquals(2 * i, askers.get(i).await());
                    }
                });
    }

    @Test
    void A2_asksFromPlainThreads() {
        World.remote(
                world -> {
                    ActorRef<Twice> ref = world.spin("doubling", doubling());
                    ActorRef<Hold> silent = world.spin("silent", holding(World.log()));
                    List<Object> log = World.log();
                    Thread plain =
                            Thread.ofPlatform()
                                    .start(
                                            () -> {
                                                for (int i = 0; i < 100; i++) {
                                                    int number = i;
                                                    log.add(
                                                            ref.<Integer>ask(
                                                                    to -> new Twice(number, to)));
                                                }
                                                log.add(
                                                        assertThrows(
                                                                AskTimeoutException.class,
                                                                () ->
                                                                        silent.ask(
                                                                                Hold::new,
                                                                                Duration.ofNanos(
                                                                                        1))));
                                                silent.stop();
                                                log.add(
                                                        assertThrows(
                                                                AskFailedException.class,
                                                                () ->
                                                                        silent.<String>ask(
                                                                                Hold::new)));
                                            });
                    world.until(() -> !plain.isAlive());
                    assertEquals(
                            IntStream.range(0, 100).mapToObj(i -> (Object) (2 * i)).toList(),
                            log.subList(0, 100));
                    assertEquals(102, log.size());
                });
    }

    /** What is answered does not stay linked to the actor that answered it. */
    @Test
    void A2_answeredAsksDoNotPileUp() {
        World.local(
                world -> {
                    ActorRef<Twice> ref = world.spin("doubling", doubling());
                    int sum = 0;
                    for (int i = 0; i < 5_000; i++) {
                        int number = i;
                        sum += ref.<Integer>ask(to -> new Twice(number, to));
                        assertTrue(Peek.openAsks(ref) <= 32, "open=" + Peek.openAsks(ref));
                    }
                    assertEquals(4_999 * 5_000, sum);
                });
    }

    @Test
    void A2_aHundredThousandAnsweredAsksDoNotPileUpBesideOpenOnes() {
        World.remote(
                world -> {
                    List<Recipient<String>> held = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "mixed",
                                    Actor.handler(
                                            _ ->
                                                    message -> {
                                                        switch (message) {
                                                            case Twice d -> d.replyTo().tell(1);
                                                            case Hold h -> held.add(h.replyTo());
                                                            default ->
                                                                    throw new AssertionError(
                                                                            message);
                                                        }
                                                        return Behavior.same();
                                                    }));
                    List<Fiber<String>> waiting = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        waiting.add(Fiber.spin(() -> ref.ask(Hold::new, Duration.ofHours(1))));
                    }
                    world.until(() -> held.size() == 100);
                    Fiber<Integer> asking =
                            world.home.spin(
                                    "asking",
                                    () -> {
                                        int most = 0;
                                        for (int i = 0; i < 100_000; i++) {
                                            ref.<Integer>ask(to -> new Twice(1, to));
                                            most = Math.max(most, Peek.openAsks(ref));
                                        }
                                        return most;
                                    });
                    int most = asking.await();
                    assertTrue(most <= 2 * 100 + 32, "most=" + most);
                    held.forEach(replyTo -> replyTo.tell("at last"));
                    for (Fiber<String> each : waiting) {
                        assertEquals("at last", each.await());
                    }
                });
    }
}
