package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule A5: what is spun where nothing can run any more. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SupervisorEndTest {
    private static Actor<Recipient<String>> replying() {
        return Actor.handler(
                _ ->
                        replyTo -> {
                            replyTo.tell("hello");
                            return Behavior.same();
                        });
    }

    private static void assertDead(World world, ActorRef<Recipient<String>> ref) {
        long before = Cord.current().nanoTime();
        assertThrows(
                AskFailedException.class, () -> ref.<String>ask(to -> to, Duration.ofHours(1)));
        assertTrue(Cord.current().nanoTime() - before < Duration.ofMinutes(1).toNanos());
        world.settle();
        world.letters.clear();
        List<Recipient<String>> asks = World.log();
        assertThrows(
                AskFailedException.class,
                () ->
                        ref.<String>ask(
                                to -> {
                                    asks.add(to);
                                    return to;
                                },
                                Duration.ofHours(1)));
        world.settle();
        assertEquals(1, world.letters.size());
        assertEquals(DeadLetter.Reason.ENDED, world.letters.getFirst().reason());
        asks.getFirst().tell("late");
        assertEquals(2, world.letters.size());
        assertEquals(DeadLetter.Reason.LATE_REPLY, world.letters.getLast().reason());
        ref.stop();
        ref.terminate();
        world.settle();
    }

    @Test
    void A5_spunBelowASupervisorThatHasEnded() {
        World.anywhere(
                world -> {
                    world.system.root().add(Tree.oneForOne("below"));
                    Supervisor below = world.system.supervisor("below");
                    world.system.root().stop("below");
                    assertDead(world, world.spin(below, "late", replying()));
                    Supervisor later = below.supervise("later", World.MANY_RESTARTS);
                    assertDead(world, world.spin(later, "below later", replying()));
                });
    }

    @Test
    void A5_toldAfterItsSystemHasClosed() {
        World.anywhere(
                world -> {
                    Supervision none = Supervision.oneForOne().intensity(0, Duration.ofSeconds(1));
                    Supervisor below = world.system.supervise("below", world.keepingFailures(none));
                    world.settle();
                    ActorRef<Recipient<String>> first = world.spin(below, "first", replying());
                    assertEquals("hello", first.<String>ask(to -> to));
                    world.system.close();
                    assertDead(world, first);
                });
    }

    @Test
    void A5_toldBeforeAndAfterTheSystemCloses() {
        World.anywhere(
                world -> {
                    ActorRef<String> ref = world.spin("never started", Actor.loop(_ -> {}));
                    ref.tell("a");
                    world.system.close();
                    ref.tell("b");
                    world.settle();
                    assertEquals(
                            List.of("never started ENDED a", "never started ENDED b"),
                            world.deadLetters());
                });
    }

    /** The mistake costs that actor only. */
    @Test
    void A5_spunOnACordThatHasEnded() {
        World.remote(
                world -> {
                    Cord closed = Cord.start("closed");
                    closed.close();
                    ActorRef<Recipient<String>> steady = world.spin("steady", replying());
                    ActorRef<Recipient<String>> lost =
                            world.system.root().spin(closed, "lost", replying());
                    assertDead(world, lost);
                    assertEquals("hello", steady.<String>ask(to -> to));
                    assertEquals(0, world.system.root().restarts());
                    assertDead(world, lost);
                });
    }

    /** The cord takes its actors along; who holds their addresses sees it at once. */
    @Test
    void A5_aCordThatEndsTakesItsActorsAlong() {
        World.remote(
                world -> {
                    Cord closing = Cord.start("closing");
                    ActorRef<Recipient<String>> ref =
                            world.system.root().spin(closing, "lost", replying());
                    ActorRef<String> queueing =
                            world.system
                                    .root()
                                    .spin(
                                            closing,
                                            "queueing",
                                            Actor.loop(
                                                    self -> {
                                                        self.receive("never"::equals);
                                                    }));
                    queueing.tell("a");
                    queueing.tell("b");
                    assertEquals("hello", ref.<String>ask(to -> to));
                    closing.close();
                    world.settle();
                    assertEquals(
                            List.of("queueing ENDED a", "queueing ENDED b"), world.deadLetters());
                    assertDead(world, ref);
                    long before = Cord.current().nanoTime();
                    world.system.close();
                    assertTrue(
                            Cord.current().nanoTime() - before < Duration.ofSeconds(4).toNanos(),
                            "the system waited for actors whose cord had ended");
                });
    }
}
