package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Rules A4 and A5: what an incarnation does when it is over. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EndHookTest {
    private static final Duration LONG = Duration.ofHours(1);

    private static Actor<Step> actor(String style, Step.Code atStart) {
        return style.equals("loop") ? Step.loop(atStart) : Step.actor(atStart);
    }

    private static Step.Code twoHooks(List<String> log) {
        return self -> {
            self.atEnd(reason -> log.add("first " + reason));
            self.atEnd(reason -> log.add("second " + reason));
        };
    }

    private static List<String> hooksOf(String reason) {
        return List.of("second " + reason, "first " + reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"handler", "loop"})
    void A4_theHookMadeLastRunsFirstAndGetsTheReason(String style) {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Actor<Step> twoHooks = actor(style, twoHooks(log));
                    world.spin("stops", twoHooks).tell(Step.stop());
                    world.settle();
                    assertEquals(hooksOf("Normal[]"), log);
                    log.clear();
                    world.spin("told", twoHooks).stop();
                    world.settle();
                    assertEquals(hooksOf("Normal[]"), log);
                    log.clear();
                    ActorRef<Step> ref = world.spin("terminated", twoHooks);
                    world.settle();
                    ref.terminate();
                    world.settle();
                    assertEquals(hooksOf("Shutdown[why=it was terminated]"), log);
                    log.clear();
                    world.spin("fails", twoHooks.restart(RestartRule.TEMPORARY))
                            .tell(Step.crash("no"));
                    world.settle();
                    assertEquals(
                            hooksOf("Failed[cause=dev.ropewalk.actors.testkit.Crash: no]"), log);
                    log.clear();
                    ActorRef<Step> killed =
                            world.spin("killed", twoHooks.restart(RestartRule.TEMPORARY));
                    world.settle();
                    killed.kill();
                    world.settle();
                    assertEquals(hooksOf("Killed[]"), log);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"handler", "loop"})
    void A5_theyRunBetweenTwoIncarnations(String style) {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    actor(
                                            style,
                                            self -> {
                                                log.add("start");
                                                self.atEnd(
                                                        _ -> {
                                                            Fiber.sleep(Duration.ofMillis(1));
                                                            log.add("end");
                                                        });
                                            }));
                    ref.tell(Step.crash("once"));
                    ref.tell(Step.of(_ -> log.add("message")));
                    world.until(() -> log.contains("message"));
                    assertEquals(List.of("start", "end", "start", "message"), log);
                });
    }

    @Test
    void A5_alsoWhenTheFactoryThrew() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    world.spin(
                            "actor",
                            Step.actor(
                                    self -> {
                                        self.atEnd(reason -> log.add("end " + reason));
                                        throw new Crash("factory");
                                    }));
                    world.settle();
                    assertEquals(
                            List.of("end Failed[cause=dev.ropewalk.actors.testkit.Crash: factory]"),
                            log);
                    assertEquals(List.of("actor: factory"), world.failures);
                });
    }

    @Test
    void A4_ownedResourcesAreClosedOnce() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                            self -> {
                                                AutoCloseable a = self.owns(() -> log.add("a"));
                                                assertSame(a, a);
                                                self.owns(() -> log.add("b"));
                                            }));
                    ref.stop();
                    world.settle();
                    assertEquals(List.of("b", "a"), log);
                });
    }

    @Test
    void A4_theyRunAfterItsChildrenHaveEnded() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "parent",
                                    Step.actor(
                                            self -> {
                                                self.atEnd(_ -> log.add("parent"));
                                                self.spin(
                                                        "child",
                                                        Step.actor(
                                                                child ->
                                                                        child.atEnd(
                                                                                _ ->
                                                                                        log.add(
                                                                                                "child"))));
                                            }));
                    world.settle();
                    ref.tell(Step.stop());
                    world.settle();
                    assertEquals(List.of("child", "parent"), log);
                });
    }

    /** What is thrown is suppressed; the others run. */
    @Test
    void A5_whatAHookThrowsIsSuppressedByTheFailure() {
        World.anywhere(
                world -> {
                    List<Throwable> suppressed = World.log();
                    List<String> log = World.log();
                    ActorRef<Step> watched =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                                    self -> {
                                                        self.atEnd(_ -> log.add("ran"));
                                                        self.owns(
                                                                () -> {
                                                                    throw new IllegalStateException(
                                                                            "close");
                                                                });
                                                    })
                                            .restart(RestartRule.TEMPORARY));
                    world.spin(
                            "watcher",
                            Step.actor(
                                    self ->
                                            self.monitor(
                                                    watched,
                                                    down ->
                                                            Step.of(
                                                                    _ ->
                                                                            suppressed.addAll(
                                                                                    List.of(
                                                                                            failureOf(
                                                                                                            down)
                                                                                                    .getSuppressed()))))));
                    world.settle();
                    // A Crash suppresses nothing.
                    watched.tell(
                            Step.of(
                                    _ -> {
                                        throw new IllegalArgumentException("body");
                                    }));
                    world.settle();
                    assertEquals(List.of("actor: body"), world.failures);
                    assertEquals("[java.lang.IllegalStateException: close]", suppressed.toString());
                    assertEquals(List.of("ran"), log);
                });
    }

    private static Throwable failureOf(Down down) {
        Throwable failure = down.reason().failure();
        assertTrue(failure != null, down.toString());
        return Objects.requireNonNull(failure);
    }

    @Test
    void A5_whatAHookThrowsAtAnOrderlyEndIsToldAndIsNoRestart() {
        World.anywhere(
                world -> {
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                            self ->
                                                    self.atEnd(
                                                            _ -> {
                                                                throw new Crash("hook");
                                                            })));
                    ref.stop();
                    world.settle();
                    assertEquals(List.of("actor: hook"), world.failures);
                    assertEquals(0, world.system.root().restarts());
                    assertTrue(ref.awaitEnd(LONG));
                });
    }

    /** A hook may wait, also while the whole system is closed. */
    @Test
    void A5_aHookIsShielded() {
        AtomicInteger notWaited = new AtomicInteger();
        List<String> log = World.log();
        World.anywhere(
                world -> {
                    world.spin(
                            "actor",
                            Step.actor(
                                    self ->
                                            self.atEnd(
                                                    _ -> {
                                                        notWaited.incrementAndGet();
                                                        Fiber.sleep(Duration.ofMillis(1));
                                                        notWaited.decrementAndGet();
                                                        log.add("waited");
                                                    })));
                    world.settle();
                });
        assertEquals(Set.of("waited"), Set.copyOf(log));
        assertEquals(0, notWaited.get());
    }

    /** One stop limit for all; when it is over, the others run but cannot wait. */
    @Test
    void A5_aHookThatNeverEndsIsAbandonedAndTheOthersRun() {
        World.local(
                Supervision.oneForOne().stopLimit(Duration.ofSeconds(3)),
                world -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(
                                            self -> {
                                                self.atEnd(_ -> log.add("last"));
                                                self.atEnd(
                                                        _ -> {
                                                            log.add("waits");
                                                            Fiber.sleep(LONG);
                                                            log.add("never");
                                                        });
                                            }));
                    world.settle();
                    long beganNs = Cord.current().nanoTime();
                    ref.stop();
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("waits", "last"), log);
                    assertEquals(
                            Duration.ofSeconds(3).toNanos(), Cord.current().nanoTime() - beganNs);
                });
    }

    /** The limit counts from the kill, also while the message in hand goes on. */
    @Test
    void A5_theLimitOfTheMessageAndTheHooksIsOne() {
        World.local(
                Supervision.oneForOne().stopLimit(Duration.ofSeconds(3)),
                world -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "actor",
                                    Step.actor(self -> self.atEnd(r -> log.add("end " + r)))
                                            .restart(RestartRule.TEMPORARY));
                    ref.tell(
                            Step.of(
                                    _ -> {
                                        for (; ; ) {
                                            try {
                                                Fiber.sleep(LONG);
                                            } catch (Throwable swallowed) {
                                                log.add("swallowed");
                                                CancelScope.shielded(LONG, () -> Fiber.sleep(LONG));
                                            }
                                        }
                                    }));
                    world.settle();
                    long beganNs = Cord.current().nanoTime();
                    ref.kill();
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("swallowed", "end Killed[]"), log);
                    assertEquals(
                            Duration.ofSeconds(3).toNanos(), Cord.current().nanoTime() - beganNs);
                });
    }

    // ---------------------------------------------------------------- with keepState

    private static Actor<Step> keeping(List<String> log) {
        return Step.actor(
                        self -> {
                            log.add("factory");
                            self.atEnd(reason -> log.add("end " + reason));
                        })
                .keepState();
    }

    @Test
    void A5_withKeepStateTheyRunAtTheLastEndOnly() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref = world.spin("actor", keeping(log));
                    ref.tell(Step.crash("one"));
                    ref.tell(Step.crash("two"));
                    ref.tell(Step.of(_ -> log.add("goes on")));
                    world.settle();
                    assertEquals(List.of("factory", "goes on"), log);
                    ref.stop();
                    world.settle();
                    assertEquals(List.of("factory", "goes on", "end Normal[]"), log);
                });
    }

    @Test
    void A5_withKeepStateTheyRunWhenItsSupervisorEnds() {
        List<String> log = World.log();
        World.anywhere(
                world -> {
                    ActorRef<Step> ref = world.spin("actor", keeping(log));
                    ref.tell(Step.crash("one"));
                    world.settle();
                });
        for (int i = 0; i < log.size(); i += 2) { // each run makes two
            assertEquals("factory", log.get(i));
            assertTrue(log.get(i + 1).startsWith("end Shutdown"), log.toString());
        }
    }

    @Test
    void A5_withKeepStateTheyRunWhenItsSupervisorGivesUp() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    var below =
                            world.system.supervise(
                                    "below",
                                    world.keepingFailures(
                                            Supervision.oneForOne()
                                                    .intensity(0, Duration.ofSeconds(1))));
                    ActorRef<Step> ref = world.spin(below, "actor", keeping(log));
                    ref.tell(Step.crash("one"));
                    world.settle();
                    // The supervisor is started again, and so is the actor.
                    assertEquals(List.of("factory"), log);
                    ref.stop();
                    world.settle();
                    assertEquals(List.of("factory", "end Normal[]"), log);
                });
    }

    // ---------------------------------------------------------------- waits

    @ParameterizedTest
    @ValueSource(strings = {"handler", "loop"})
    void A4_aHookMayLimitWhatItWaitsForHoweverTheActorEnds(String style) {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Actor<Step> patient =
                            actor(
                                            style,
                                            self ->
                                                    self.atEnd(
                                                            _ -> {
                                                                boolean done =
                                                                        CancelScope.moveOnAfter(
                                                                                Duration.ofMillis(
                                                                                        1),
                                                                                () ->
                                                                                        Fiber.sleep(
                                                                                                LONG));
                                                                log.add("done=" + done);
                                                            }))
                                    .restart(RestartRule.TEMPORARY);
                    List<Consumer<ActorRef<Step>>> ends =
                            List.of(
                                    ref -> ref.tell(Step.stop()),
                                    ActorRef::stop,
                                    ref -> ref.tell(Step.crash("no")),
                                    ActorRef::terminate,
                                    ActorRef::kill);
                    for (int i = 0; i < ends.size(); i++) {
                        ActorRef<Step> ref = world.spin("patient-" + i, patient);
                        world.settle();
                        ends.get(i).accept(ref);
                        assertTrue(ref.awaitEnd(LONG.dividedBy(2)), ref::path);
                        assertEquals(List.of("done=false"), log);
                        log.clear();
                    }
                });
    }

    // ---------------------------------------------------------------- misuse

    @Test
    void A4_onlyTheActorItselfMayAskForIt() {
        World.anywhere(
                world -> {
                    List<ActorContext<Step>> contexts = World.log();
                    world.spin("actor", Step.actor(contexts::add));
                    world.settle();
                    ActorContext<Step> context = contexts.getFirst();
                    String message =
                            String.valueOf(
                                    assertThrows(
                                                    IllegalStateException.class,
                                                    () -> context.atEnd(_ -> {}))
                                            .getMessage());
                    assertTrue(
                            message.startsWith("atEnd of system/actor#1 was called by "), message);
                    assertThrows(IllegalStateException.class, context::timers);
                    assertThrows(IllegalStateException.class, context::children);
                    assertThrows(IllegalStateException.class, () -> context.owns(() -> {}));
                    assertThrows(
                            IllegalStateException.class, () -> context.trapExits(_ -> Step.stop()));
                });
    }
}
