package dev.ropewalk.actors.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.observe.ActorInspector;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Rule A7: an owner looks before each message, and begins none while it may not work. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class PermitTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** An actor that writes what it handles, and what it was answered. */
    private static final class Asking {
        final List<String> log = World.log();
        final ActorRef<String> ref;
        boolean mayBegin = true;
        int asked;

        /** The message after which it may not work any more. */
        String last = "";

        Asking(World world, Kind kind) {
            this.ref =
                    world.spin(
                            kind.name(),
                            kind == Kind.BOUNDED
                                    ? handler().mailbox(MailboxOptions.bounded(8))
                                    : kind == Kind.HANDLER ? handler() : loop(kind));
            Handlers.needsPermit(
                    ref,
                    () -> {
                        asked++;
                        return mayBegin;
                    });
        }

        private Actor<String> handler() {
            return Actor.handler(
                    () ->
                            message -> {
                                handle(message);
                                return Behavior.same();
                            });
        }

        private Actor<String> loop(Kind kind) {
            return Actor.loop(
                    self -> {
                        for (; ; ) {
                            handle(
                                    switch (kind) {
                                        case LOOP_BY_TYPE -> self.receive(String.class);
                                        case LOOP_BY_PREDICATE -> self.receive(any -> true);
                                        default -> self.receive();
                                    });
                        }
                    });
        }

        private void handle(String message) {
            if (message.equals("crash")) {
                throw new Crash(message);
            }
            if (message.equals("slow")) {
                Fiber.sleep(Duration.ofMillis(5));
            }
            log.add(message);
            mayBegin &= !message.equals(last);
        }

        void may() {
            mayBegin = true;
            Fiber.sleep(SECOND);
        }
    }

    private enum Kind {
        HANDLER,
        BOUNDED,
        LOOP,
        LOOP_BY_TYPE,
        LOOP_BY_PREDICATE
    }

    private static void each(World world, Consumer<Asking> code) {
        for (Kind kind : Kind.values()) {
            Asking asking = new Asking(world, kind);
            world.settle();
            code.accept(asking);
        }
    }

    @Test
    void A7_aMessageIsNotBegunUntilTheAnswerIsYes() {
        World.local(
                world ->
                        each(
                                world,
                                asking -> {
                                    asking.ref.tell("a");
                                    world.settle();
                                    asking.mayBegin = false;
                                    asking.ref.tell("b");
                                    world.settle();
                                    asking.ref.tell("c");
                                    asking.ref.tell("d");
                                    world.settle();
                                    assertEquals(List.of("a"), asking.log, asking.ref.name());
                                    asking.may();
                                    world.settle();
                                    assertEquals(
                                            List.of("a", "b", "c", "d"),
                                            asking.log,
                                            asking.ref.name());
                                    asking.ref.tell("e");
                                    world.settle();
                                    assertEquals(5, asking.log.size(), asking.ref.name());
                                    assertTrue(asking.asked >= 5, asking.ref.name());
                                }));
    }

    @Test
    void A7_itLooksBetweenTwoMessagesOfOneTurn() {
        World.local(
                world ->
                        each(
                                world,
                                asking -> {
                                    asking.last = "b";
                                    List.of("slow", "a", "b", "c", "d").forEach(asking.ref::tell);
                                    Fiber.sleep(Duration.ofMillis(10));
                                    world.settle();
                                    assertEquals(
                                            List.of("slow", "a", "b"),
                                            asking.log,
                                            asking.ref.name());
                                    asking.may();
                                    world.settle();
                                    assertEquals(5, asking.log.size(), asking.ref.name());
                                }));
    }

    @Test
    void A7_aStopThatNothingStandsBeforeIsTaken() {
        World.local(
                world ->
                        each(
                                world,
                                asking -> {
                                    asking.mayBegin = false;
                                    asking.ref.stop();
                                    assertTrue(asking.ref.awaitEnd(SECOND), asking.ref.name());
                                }));
    }

    @Test
    void A7_aStopBehindAMessageWaitsAndATerminationDoesNot() {
        World.local(
                world ->
                        each(
                                world,
                                asking -> {
                                    asking.mayBegin = false;
                                    asking.ref.tell("a");
                                    asking.ref.stop();
                                    world.settle();
                                    assertEquals(List.of(), asking.log, asking.ref.name());
                                    asking.ref.terminate();
                                    assertTrue(asking.ref.awaitEnd(SECOND), asking.ref.name());
                                    assertEquals(List.of(), asking.log, asking.ref.name());
                                }));
    }

    @Test
    void A7_theNextIncarnationAsksToo() {
        World.local(
                world ->
                        each(
                                world,
                                asking -> {
                                    asking.ref.tell("crash");
                                    world.settle();
                                    asking.mayBegin = false;
                                    asking.ref.tell("a");
                                    world.settle();
                                    assertEquals(List.of(), asking.log, asking.ref.name());
                                    asking.may();
                                    world.settle();
                                    assertEquals(List.of("a"), asking.log, asking.ref.name());
                                }));
    }

    @Test
    void A7_aMessageWhoseLoopLeavesTheWaitIsNotLost() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    boolean[] may = {false};
                    ActorRef<String> ref =
                            world.spin(
                                    "leaves",
                                    Actor.<String>loop(
                                            self -> {
                                                for (; ; ) {
                                                    CancelScope.moveOnAfter(
                                                            SECOND,
                                                            () -> {
                                                                log.add(self.receive());
                                                            });
                                                }
                                            }));
                    Handlers.needsPermit(ref, () -> may[0]);
                    ref.tell("a");
                    ref.tell("b");
                    Fiber.sleep(SECOND.multipliedBy(3));
                    assertEquals(List.of(), log);
                    may[0] = true;
                    Fiber.sleep(SECOND.multipliedBy(3));
                    assertEquals(List.of("a", "b"), log);
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                });
    }

    @Test
    void A7_oneThatIsSuspendedWhileItWaitsBeginsNothing() {
        World.local(
                world ->
                        each(
                                world,
                                asking -> {
                                    asking.mayBegin = false;
                                    asking.ref.tell("a");
                                    world.settle();
                                    ActorInspector inspector = ActorInspector.of(asking.ref);
                                    inspector.suspend();
                                    asking.may();
                                    Fiber.sleep(SECOND);
                                    assertEquals(List.of(), asking.log, asking.ref.name());
                                    inspector.resume();
                                    Fiber.sleep(SECOND);
                                    assertEquals(List.of("a"), asking.log, asking.ref.name());
                                }));
    }

    @Test
    void A7_oneThatIsSuspendedTooWaitsForBoth() {
        World.local(
                world ->
                        each(
                                world,
                                asking -> {
                                    ActorInspector inspector = ActorInspector.of(asking.ref);
                                    inspector.suspend();
                                    asking.mayBegin = false;
                                    asking.ref.tell("a");
                                    asking.may();
                                    world.settle();
                                    assertEquals(List.of(), asking.log, asking.ref.name());
                                    asking.mayBegin = false;
                                    inspector.resume();
                                    world.settle();
                                    assertEquals(List.of(), asking.log, asking.ref.name());
                                    asking.may();
                                    world.settle();
                                    assertEquals(List.of("a"), asking.log, asking.ref.name());
                                    assertFalse(Handlers.isIdle(asking.ref) && asking.asked == 0);
                                }));
    }
}
