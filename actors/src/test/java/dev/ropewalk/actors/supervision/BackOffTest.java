package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.supervision.TooManyRestartsException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Rule A5: the delay before an actor is started again. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BackOffTest {
    private static final Duration TENTH = Duration.ofMillis(100);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);

    /** More than enough for a message to get from anywhere to anywhere on one cord. */
    private static final int TURNS = 12;

    private static Supervisor below(World world, BackOff delays) {
        return world.supervise("below", world.keepingFailures(World.MANY_RESTARTS.backOff(delays)));
    }

    private static BackOff always(Duration delay) {
        return BackOff.doubling(delay, delay);
    }

    private static void take(List<String> log, String message) {
        if (message.equals("crash")) {
            throw new Crash("crash");
        }
        log.add(message);
    }

    private static Actor<String> actor(String style, List<String> log) {
        return style.equals("handler")
                ? Actor.handler(
                        _ -> {
                            log.add("start");
                            return message -> {
                                take(log, message);
                                return Behavior.same();
                            };
                        })
                : Actor.loop(
                        self -> {
                            log.add("start");
                            while (true) {
                                take(log, self.receive());
                            }
                        });
    }

    private static long now() {
        return Cord.current().nanoTime();
    }

    private static List<Long> delaysMs(List<Long> starts) {
        List<Long> delays = new ArrayList<>();
        for (int i = 1; i < starts.size(); i++) {
            delays.add((starts.get(i) - starts.get(i - 1)) / 1_000_000);
        }
        return delays;
    }

    // ---------------------------------------------------------------- the delays

    @ParameterizedTest
    @ValueSource(strings = {"handler", "loop"})
    void A5_backOffGrowsUpToItsMaximum(String style) {
        World.local(
                world -> {
                    List<Long> starts = World.log();
                    Supervisor below = below(world, BackOff.doubling(TENTH, SECOND).withFactor(3));
                    world.spin(below, "unstartable", unstartable(style, starts, 5));
                    Fiber.sleep(DAY);
                    assertEquals(List.of(100L, 300L, 900L, 1_000L, 1_000L), delaysMs(starts));
                    assertEquals(5, below.restarts());
                    assertEquals(5, world.failures.size());
                });
    }

    /** Fails so often: at first on a message, because a first start is not tried again. */
    private static Actor<String> unstartable(String style, List<Long> starts, int failures) {
        return style.equals("handler")
                ? Actor.handler(
                        self -> {
                            if (starts.isEmpty()) {
                                starts.add(now());
                                self.self().tell("crash");
                                return _ -> {
                                    throw new Crash("no start");
                                };
                            }
                            start(starts, failures);
                            return _ -> Behavior.same();
                        })
                : Actor.loop(_ -> start(starts, failures));
    }

    private static void start(List<Long> starts, int failures) {
        starts.add(now());
        if (starts.size() <= failures) {
            throw new Crash("no start");
        }
    }

    @Test
    void A5_backOffBeginsAnewAfterALongRun() {
        World.local(
                world -> {
                    List<Long> starts = World.log();
                    Supervisor below = below(world, BackOff.doubling(TENTH, SECOND));
                    world.spin(
                            below,
                            "flaky",
                            Actor.<String>loop(
                                    _ -> {
                                        starts.add(now());
                                        if (starts.size() == 4) {
                                            Fiber.sleep(SECOND);
                                        }
                                        if (starts.size() < 7) {
                                            throw new Crash("again");
                                        }
                                    }));
                    Fiber.sleep(DAY);
                    assertEquals(List.of(100L, 200L, 400L, 1_100L, 200L, 400L), delaysMs(starts));
                });
    }

    @Test
    void A5_eachActorHasItsOwnBackOff() {
        World.local(
                world -> {
                    List<Long> first = World.log();
                    List<Long> second = World.log();
                    Supervisor below = below(world, BackOff.doubling(TENTH, DAY));
                    world.spin(below, "first", unstartable("handler", first, 3));
                    Fiber.sleep(SECOND);
                    world.spin(below, "second", unstartable("handler", second, 2));
                    Fiber.sleep(DAY);
                    assertEquals(List.of(100L, 200L, 400L), delaysMs(first));
                    assertEquals(List.of(100L, 200L), delaysMs(second));
                });
    }

    @Test
    void A5_jitterStaysInItsBoundsAndComesFromTheSeed() {
        Set<List<Long>> all = new HashSet<>();
        for (long seed = 1; seed <= 5; seed++) {
            List<List<Long>> twice = new ArrayList<>();
            for (int run = 0; run < 2; run++) {
                TestCord.run(seed, false, () -> twice.add(delaysWithJitter()));
            }
            assertEquals(twice.get(0), twice.get(1), "seed=" + seed);
            for (long delay : twice.get(0)) {
                assertTrue(delay >= 750 && delay <= 1_000, "seed=" + seed + " delay=" + delay);
            }
            all.add(twice.get(0));
        }
        assertEquals(5, all.size());
    }

    private static List<Long> delaysWithJitter() {
        List<Long> starts = World.log();
        Supervision rules =
                World.MANY_RESTARTS.backOff(always(SECOND).withJitter(0.25)).onFailure(_ -> {});
        try (ActorSystem system = ActorSystem.start("system", rules, _ -> {})) {
            system.spin("unstartable", unstartable("handler", starts, 20));
            Fiber.sleep(DAY);
        }
        return delaysMs(starts);
    }

    @Test
    void A5_noBackOffStartsAtOnce() {
        World.local(
                world -> {
                    long before = now();
                    List<Long> starts = World.log();
                    world.spin("unstartable", unstartable("handler", starts, 5));
                    world.settle();
                    assertEquals(6, starts.size());
                    assertEquals(1, now() - before);
                });
    }

    // ---------------------------------------------------------------- meanwhile

    @ParameterizedTest
    @ValueSource(strings = {"handler", "loop"})
    void A5_whatIsToldDuringABackOffIsProcessedAfterwards(String style) {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Supervisor below = below(world, always(SECOND));
                    ActorRef<String> ref = world.spin(below, "actor", actor(style, log));
                    ref.tell("crash");
                    ref.tell("queued");
                    world.until(() -> below.restarts() == 1);
                    world.settle();
                    ref.tell("a");
                    ref.tell("b");
                    world.settle();
                    assertEquals(List.of("start"), log);
                    Fiber.sleep(SECOND);
                    world.until(() -> log.contains("b"));
                    assertEquals(List.of("start", "start", "queued", "a", "b"), log);
                    assertEquals(List.of("actor FAILED crash"), world.deadLetters());
                });
    }

    @Test
    void A5_failedMessageIsTriedAgainAfterTheBackOff() {
        World.local(
                world -> {
                    List<Long> tries = World.log();
                    List<Integer> attempts = World.log();
                    Supervisor below = below(world, BackOff.doubling(TENTH, SECOND));
                    Actor<String> actor =
                            Actor.<String>handler(
                                            self ->
                                                    _ -> {
                                                        tries.add(now());
                                                        attempts.add(self.attempt());
                                                        throw new Crash("again");
                                                    })
                                    .onFailure(FailedMessage.retry(3))
                                    .keepState();
                    world.spin(below, "actor", actor).tell("poison");
                    Fiber.sleep(DAY);
                    assertEquals(List.of(1, 2, 3), attempts);
                    assertEquals(List.of(100L, 200L), delaysMs(tries));
                    assertEquals(List.of("actor PARKED poison"), world.deadLetters());
                });
    }

    @Test
    void A5_askDuringABackOffWaitsForItWithinItsLimit() {
        World.local(
                world -> {
                    Supervisor below = below(world, always(SECOND));
                    Actor<Recipient<String>> actor =
                            Actor.handler(
                                    self ->
                                            to -> {
                                                if (self.attempt() == 1) {
                                                    throw new Crash("at first");
                                                }
                                                to.tell("hello");
                                                return Behavior.same();
                                            });
                    ActorRef<Recipient<String>> ref =
                            world.spin(below, "actor", actor.onFailure(FailedMessage.retry(2)));
                    long before = now();
                    assertThrows(AskTimeoutException.class, () -> ref.<String>ask(to -> to, TENTH));
                    assertEquals(TENTH.toNanos(), now() - before);
                    assertEquals("hello", ref.<String>ask(to -> to));
                });
    }

    @Test
    void A5_othersGoOnDuringABackOff() {
        World.anywhere(
                world -> {
                    List<String> slow = World.log();
                    List<String> log = World.log();
                    Supervisor below = below(world, always(DAY));
                    world.spin(below, "slow", actor("handler", slow)).tell("crash");
                    world.until(() -> below.restarts() == 1);
                    ActorRef<String> quick = world.spin(below, "quick", actor("loop", log));
                    quick.tell("a");
                    world.until(() -> log.contains("a"));
                    assertEquals(List.of("start"), slow);
                });
    }

    @Test
    void A5_backOffSpreadsRestartsOverTheWindow() {
        World.local(
                world -> {
                    List<Long> starts = World.log();
                    Supervision rules = Supervision.oneForOne().intensity(2, SECOND);
                    Supervisor patient =
                            world.system.supervise(
                                    "patient",
                                    world.keepingFailures(
                                            rules.backOff(always(Duration.ofMillis(501)))));
                    world.spin(patient, "unstartable", unstartable("loop", starts, 50));
                    Fiber.sleep(DAY);
                    assertEquals(50, patient.restarts());
                });
    }

    @Test
    void A5_tooManyRestartsDuringTheBackOffOfAnotherEndBoth() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    List<String> other = World.log();
                    Fiber<Void> starter =
                            Fiber.<Void>spin(
                                    "starter",
                                    () -> {
                                        Supervision rules =
                                                Supervision.oneForOne().backOff(always(DAY));
                                        ActorSystem system =
                                                ActorSystem.start(
                                                        "tested",
                                                        world.keepingFailures(rules),
                                                        world.letters::add);
                                        ActorRef<String> first =
                                                system.spin("first", actor("loop", log));
                                        first.tell("crash");
                                        first.tell("never seen");
                                        Fiber.sleep(SECOND);
                                        system.spin("second", actor("loop", other)).tell("crash");
                                        Fiber.suspend();
                                        throw new AssertionError("nobody schedules this fiber");
                                    });
                    FiberFailedException thrown =
                            assertThrows(FiberFailedException.class, starter::await);
                    Throwable inner = Objects.requireNonNull(thrown.getCause());
                    assertInstanceOf(TooManyRestartsException.class, inner.getCause());
                    world.settle();
                    assertEquals(List.of("start"), log);
                    assertTrue(world.deadLetters().contains("first ENDED never seen"));
                });
    }

    // ---------------------------------------------------------------- the end

    @ParameterizedTest
    @ValueSource(strings = {"handler", "loop"})
    void A5_terminateDuringABackOffEndsAtOnce(String style) {
        World.anywhere(
                world -> {
                    for (int turns = 0; turns < TURNS; turns++) {
                        List<String> log = World.log();
                        world.letters.clear();
                        Supervisor below = below(world, always(DAY));
                        ActorRef<String> ref = world.spin(below, "actor", actor(style, log));
                        world.until(() -> log.size() == 1);
                        ref.tell("crash");
                        ref.tell("queued");
                        while (world.letters.isEmpty()) {
                            Fiber.snooze();
                        }
                        for (int i = 0; i < turns; i++) {
                            Fiber.snooze();
                        }
                        ref.terminate();
                        world.until(() -> world.deadLetters().contains("actor ENDED queued"));
                        ref.tell("late");
                        world.settle();
                        assertEquals(List.of("start"), log, "turns=" + turns);
                        assertTrue(world.deadLetters().contains("actor ENDED late"));
                    }
                });
    }

    @Test
    void A5_permanentActorThatIsTerminatedDuringABackOffIsStartedAfterTheNext() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Supervisor below = below(world, BackOff.doubling(TENTH, SECOND));
                    ActorRef<String> ref =
                            world.spin(
                                    below,
                                    "permanent",
                                    actor("handler", log).restart(RestartRule.PERMANENT));
                    ref.tell("crash");
                    ref.tell("queued");
                    world.settle();
                    ref.terminate();
                    world.settle();
                    assertEquals(2, below.restarts());
                    Fiber.sleep(Duration.ofMillis(199));
                    assertEquals(List.of("start"), log);
                    Fiber.sleep(Duration.ofMillis(1));
                    assertEquals(List.of("start", "start", "queued"), log);
                });
    }

    @Test
    void A5_stopDuringABackOffComesInOrder() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Supervisor below = below(world, always(SECOND));
                    ActorRef<String> ref = world.spin(below, "actor", actor("handler", log));
                    ref.tell("crash");
                    world.settle();
                    ref.tell("before");
                    ref.stop();
                    ref.tell("after");
                    Fiber.sleep(TENTH);
                    assertEquals(List.of("start"), log);
                    Fiber.sleep(SECOND);
                    assertEquals(List.of("start", "start", "before"), log);
                    assertEquals(
                            List.of("actor FAILED crash", "actor ENDED after"),
                            world.deadLetters());
                });
    }

    @Test
    void A5_closeDuringABackOffWaitsForNone() {
        World.local(
                world -> {
                    for (int turns = 0; turns < TURNS; turns++) {
                        List<String> log = World.log();
                        Supervision rules =
                                world.keepingFailures(World.MANY_RESTARTS.backOff(always(DAY)));
                        long before = now();
                        try (ActorSystem system =
                                ActorSystem.start("tested", rules, world.letters::add)) {
                            ActorRef<String> ref = system.spin("actor", actor("loop", log));
                            ref.tell("crash");
                            ref.tell("never seen");
                            for (int i = 0; i < turns; i++) {
                                Fiber.snooze();
                            }
                        }
                        assertEquals(before, now(), "turns=" + turns);
                        assertTrue(world.deadLetters().contains("actor ENDED never seen"));
                        world.letters.clear();
                    }
                });
    }

    // ---------------------------------------------------------------- supervisors below

    /** A supervisor that gives up at the first failure, below one with a back-off. */
    private static Supervisor givingUp(World world, Supervisor above) {
        return above.supervise(
                "giving up", world.keepingFailures(Supervision.oneForOne().intensity(0, SECOND)));
    }

    @Test
    void A5_supervisorInItsBackOffKeepsWhatItsChildrenAreTold() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    List<String> late = World.log();
                    Supervisor below = below(world, always(SECOND));
                    Supervisor givingUp = givingUp(world, below);
                    ActorRef<String> ref = world.spin(givingUp, "actor", actor("handler", log));
                    ref.tell("crash");
                    world.settle();
                    ref.tell("a");
                    ActorRef<String> other = world.spin(givingUp, "late", actor("loop", late));
                    other.tell("b");
                    Fiber.sleep(TENTH);
                    assertEquals(List.of("start"), log);
                    assertEquals(List.of(), late);
                    Fiber.sleep(SECOND);
                    assertEquals(List.of("start", "start", "a"), log);
                    assertEquals(List.of("start", "b"), late);
                });
    }

    @Test
    void A5_supervisorThatIsStartedAgainStartsADelayedChildAtOnce() {
        World.local(
                world -> {
                    List<String> delayed = World.log();
                    List<String> log = World.log();
                    Supervisor below =
                            world.system.supervise(
                                    "below",
                                    world.keepingFailures(
                                            Supervision.oneForOne().backOff(always(DAY))));
                    ActorRef<String> ref = world.spin(below, "delayed", actor("loop", delayed));
                    ref.tell("crash");
                    ref.tell("queued");
                    world.settle();
                    assertEquals(List.of("start"), delayed);
                    long before = now();
                    world.spin(below, "second", actor("loop", log)).tell("crash");
                    world.settle();
                    assertEquals(1, now() - before);
                    assertEquals(List.of("start", "start", "queued"), delayed);
                    assertEquals(List.of("start", "start"), log);
                });
    }

    @Test
    void A5_closeDuringTheBackOffOfASupervisorWaitsForNone() {
        World.local(
                world -> {
                    for (int turns = 0; turns < 2 * TURNS; turns++) {
                        List<String> log = World.log();
                        Supervision rules =
                                world.keepingFailures(World.MANY_RESTARTS.backOff(always(DAY)));
                        long before = now();
                        try (ActorSystem system =
                                ActorSystem.start("tested", rules, world.letters::add)) {
                            Supervisor givingUp = givingUp(world, system.root());
                            ActorRef<String> ref = givingUp.spin("actor", actor("loop", log));
                            ref.tell("crash");
                            ref.tell("never seen");
                            for (int i = 0; i < turns; i++) {
                                Fiber.snooze();
                            }
                        }
                        assertEquals(before, now(), "turns=" + turns);
                        assertTrue(world.deadLetters().contains("actor ENDED never seen"));
                        world.letters.clear();
                    }
                });
    }
}
