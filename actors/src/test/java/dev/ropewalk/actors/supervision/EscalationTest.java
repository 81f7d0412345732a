package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.supervision.TooManyRestartsException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Rule A5: a supervisor that gives up is its own supervisor's failed child. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EscalationTest {
    private static final Supervision NONE =
            Supervision.oneForOne().intensity(0, Duration.ofSeconds(1));

    private static final Supervision ONE =
            Supervision.oneForOne().intensity(1, Duration.ofSeconds(1));

    private static Actor<String> failing(List<String> log) {
        return Actor.handler(
                self -> {
                    String name = self.self().name();
                    log.add(name + " starts");
                    return message -> {
                        if (message.startsWith("crash")) {
                            throw new Crash(message);
                        }
                        log.add(name + " " + message);
                        return Behavior.same();
                    };
                });
    }

    @Test
    void A5_theUpperSupervisorStartsTheChildrenAgainWithTheirMailboxes() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Supervisor below = world.system.supervise("below", world.keepingFailures(NONE));
                    ActorRef<String> failing = world.spin(below, "failing", failing(log));
                    ActorRef<String> sibling = world.spin(below, "sibling", failing(log));
                    world.settle();
                    log.clear();
                    world.on(
                            () -> {
                                failing.tell("crash");
                                failing.tell("kept");
                                return true;
                            });
                    world.settle();
                    sibling.tell("a");
                    failing.tell("later");
                    world.settle();
                    List<String> ofFailing =
                            log.stream().filter(l -> l.startsWith("fail")).toList();
                    List<String> ofSibling = log.stream().filter(l -> l.startsWith("sib")).toList();
                    assertEquals(
                            List.of("failing starts", "failing kept", "failing later"), ofFailing);
                    assertEquals(List.of("sibling starts", "sibling a"), ofSibling);
                    assertEquals(List.of("failing FAILED crash"), world.deadLetters());
                    assertEquals(1, world.system.root().restarts());
                    assertEquals(0, below.restarts());
                    assertEquals(
                            List.of(
                                    "failing: crash",
                                    "below: supervisor below gives up on failing: 1 restarts within"
                                            + " PT1S > intensity=0"),
                            world.failures);
                });
    }

    @Test
    void A5_aRestartedSupervisorWorksLikeANewOne() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Supervisor below = world.system.supervise("below", world.keepingFailures(ONE));
                    ActorRef<String> ref = world.spin(below, "failing", failing(log));
                    world.spin(below, "sibling", failing(log));
                    // Every second crash is one too many for "below" only.
                    for (int i = 1; i <= 6; i++) {
                        ref.tell("crash " + i);
                        world.settle();
                        ref.tell("a" + i);
                        world.settle();
                        assertEquals("failing a" + i, log.getLast());
                    }
                    assertEquals(3, world.system.root().restarts());
                    assertEquals(3, below.restarts());
                    ActorRef<String> late = world.spin(below, "late", failing(log));
                    late.tell("works");
                    world.settle();
                    assertEquals(
                            List.of("late starts", "late works"),
                            log.subList(log.size() - 2, log.size()));
                });
    }

    @Test
    void A5_childrenSpunWhileTheSupervisorIsDownAreStarted() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    List<Supervisor> below = new ArrayList<>();
                    Supervision rules =
                            NONE.onFailure(
                                    _ -> below.getFirst().spin("late", failing(log)).tell("a"));
                    below.add(world.system.supervise("below", rules));
                    ActorRef<String> ref = world.spin(below.getFirst(), "failing", failing(log));
                    ref.tell("crash");
                    world.settle();
                    assertTrue(log.contains("late a"), log.toString());
                    assertEquals(List.of("failing FAILED crash"), world.deadLetters());
                });
    }

    /** Never means never: neither by itself nor with its supervisor. */
    @Test
    void A5_whatHasEndedOrIsTemporaryIsNotStartedAgainWithItsSupervisor() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Supervisor below = world.system.supervise("below", world.keepingFailures(NONE));
                    ActorRef<String> stopped = world.spin(below, "stopped", failing(log));
                    ActorRef<String> temporary =
                            world.spin(
                                    below,
                                    "temporary",
                                    failing(log).restart(RestartRule.TEMPORARY));
                    ActorRef<String> failing = world.spin(below, "failing", failing(log));
                    world.settle();
                    log.clear();
                    stopped.stop();
                    world.settle();
                    failing.tell("crash");
                    world.settle();
                    assertEquals(List.of("failing starts"), log);
                    temporary.tell("a");
                    stopped.tell("b");
                    world.settle();
                    assertEquals(
                            List.of("failing FAILED crash", "temporary ENDED a", "stopped ENDED b"),
                            world.deadLetters());
                });
    }

    /** Whether the supervisor got to know of the end before it gave up makes no difference. */
    @Test
    void A5_whatHasJustEndedIsNotStartedAgainWithItsSupervisor() {
        List<Consumer<ActorRef<String>>> ends = List.of(ActorRef::stop, ActorRef::terminate);
        World.anywhere(
                world -> {
                    for (Consumer<ActorRef<String>> end : ends) {
                        world.letters.clear();
                        List<String> log = endBesideACrash(world, RestartRule.TRANSIENT, end);
                        assertTrue(!log.contains("ending after"), log.toString());
                        assertEquals(
                                List.of("ending ENDED after", "failing FAILED crash"),
                                world.deadLetters().stream().sorted().toList());
                    }
                });
    }

    @Test
    void A5_aPermanentActorThatHasJustEndedIsStartedAgainWithItsSupervisor() {
        List<Consumer<ActorRef<String>>> ends = List.of(ActorRef::stop, ActorRef::terminate);
        World.anywhere(
                world -> {
                    for (Consumer<ActorRef<String>> end : ends) {
                        world.letters.clear();
                        List<String> log = endBesideACrash(world, RestartRule.PERMANENT, end);
                        assertTrue(log.contains("ending after"), log.toString());
                        assertEquals(List.of("failing FAILED crash"), world.deadLetters());
                    }
                });
    }

    /** One actor makes the supervisor give up while another ends. */
    private static List<String> endBesideACrash(
            World world, RestartRule rule, Consumer<ActorRef<String>> end) throws Exception {
        List<String> log = World.log();
        Supervisor below = world.supervise("below", world.keepingFailures(NONE));
        ActorRef<String> failing = world.spin(below, "failing", failing(log));
        ActorRef<String> ending = world.spin(below, "ending", failing(log).restart(rule));
        world.settle();
        log.clear();
        world.on(
                () -> {
                    failing.tell("crash");
                    end.accept(ending);
                    ending.tell("after");
                    return true;
                });
        world.settle();
        return log;
    }

    @Test
    void A5_theRootFailsTheFiberThatStartedTheSystem() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    List<ActorRef<String>> refs = World.log();
                    Fiber<String> starter =
                            Fiber.spin(
                                    "starter",
                                    () -> {
                                        ActorSystem system =
                                                ActorSystem.start(
                                                        "top",
                                                        world.keepingFailures(NONE),
                                                        world.letters::add);
                                        Supervisor below =
                                                system.supervise(
                                                        "below", world.keepingFailures(NONE));
                                        refs.add(below.spin(world.home, "failing", failing(log)));
                                        refs.add(
                                                system.root()
                                                        .spin(world.home, "other", failing(log)));
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            log.add("starter is cancelled");
                                        }
                                        return "not reached";
                                    });
                    Fiber<FiberFailedException> watcher =
                            Fiber.spin(
                                    () -> assertThrows(FiberFailedException.class, starter::await));
                    world.settle();
                    refs.getFirst().tell("crash");
                    FiberFailedException ofStarter = watcher.await();
                    Throwable ofTop = Objects.requireNonNull(ofStarter.getCause());
                    assertInstanceOf(FiberFailedException.class, ofTop);
                    Throwable top =
                            assertInstanceOf(TooManyRestartsException.class, ofTop.getCause());
                    assertEquals(
                            "supervisor top gives up on below: 1 restarts within PT1S >"
                                    + " intensity=0",
                            Errors.inShort(String.valueOf(top.getMessage())));
                    Throwable below =
                            assertInstanceOf(TooManyRestartsException.class, top.getCause());
                    assertEquals(
                            "supervisor below gives up on failing: 1 restarts within PT1S >"
                                    + " intensity=0",
                            Errors.inShort(String.valueOf(below.getMessage())));
                    Throwable crash = assertInstanceOf(Crash.class, below.getCause());
                    assertEquals("crash", crash.getMessage());
                    assertTrue(log.contains("starter is cancelled"));
                    world.settle();
                    world.letters.clear();
                    for (ActorRef<String> ref : refs) {
                        ref.tell("late");
                    }
                    world.settle();
                    assertEquals(
                            List.of("failing ENDED late", "other ENDED late"), world.deadLetters());
                });
    }

    /** A close that meets a supervisor that gives up does not hide it. */
    @Test
    void A5_closeDoesNotHideThatTheRootGaveUp() {
        World.local(
                world -> {
                    boolean gaveUpOnce = false;
                    for (int turns = 0; turns < 12; turns++) {
                        int before = turns;
                        world.failures.clear();
                        Fiber<String> starter =
                                Fiber.spin(
                                        "starter",
                                        () -> {
                                            try (ActorSystem system =
                                                    ActorSystem.start(
                                                            "top",
                                                            world.keepingFailures(NONE),
                                                            world.letters::add)) {
                                                system.spin(
                                                        "failing",
                                                        Actor.loop(
                                                                _ -> {
                                                                    throw new Crash("at once");
                                                                }));
                                                for (int i = 0; i < before; i++) {
                                                    Fiber.snooze();
                                                }
                                            }
                                            return "fine";
                                        });
                        Throwable thrown = null;
                        try {
                            starter.await();
                        } catch (FiberFailedException e) {
                            thrown = e;
                        }
                        // Otherwise the actor was ended before it could fail, or while it failed.
                        boolean gaveUp = thrown != null;
                        assertTrue(!gaveUp || !world.failures.isEmpty(), "turns=" + turns);
                        gaveUpOnce |= gaveUp;
                    }
                    assertTrue(gaveUpOnce);
                });
    }
}
