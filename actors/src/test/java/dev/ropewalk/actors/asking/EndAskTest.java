package dev.ropewalk.actors.asking;

import static dev.ropewalk.actors.supervision.Tree.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.ActorSpec;
import dev.ropewalk.actors.supervision.ChildSpec;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Rules A2 and A4: what an end hook asks, and those that ask an actor that ends. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EndAskTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration STOP_LIMIT = Duration.ofMinutes(5);

    /** Nothing in these tests waits for more than this, unless it waits for a limit. */
    private static final long AT_ONCE_NS = Duration.ofSeconds(1).toNanos();

    private record Log(String line, Recipient<String> done) {}

    private static Actor<Log> logger() {
        return Actor.handler(
                () ->
                        message -> {
                            message.done().tell("logged " + message.line());
                            return Behavior.same();
                        });
    }

    private static Actor<Log> slowLogger() {
        return Actor.handler(
                () ->
                        message -> {
                            Fiber.sleep(Duration.ofMillis(20));
                            message.done().tell("logged " + message.line());
                            return Behavior.same();
                        });
    }

    /** Says bye to a sibling when it ends; what it was told is in the log. */
    private static Actor<Step> worker(ActorRef<Log>[] sibling, List<String> log) {
        return Step.actor(self -> self.atEnd(_ -> sayBye(sibling, log)));
    }

    private static void sayBye(ActorRef<Log>[] sibling, List<String> log) {
        try {
            log.add(ask(sibling[0], "bye"));
        } catch (AskFailedException e) {
            log.add("told at once");
        } catch (AskTimeoutException e) {
            log.add("limit");
        }
    }

    private static String ask(ActorRef<Log> logger, String line) {
        return logger.ask(done -> new Log(line, done), Duration.ofMinutes(1));
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of refs
    private static ActorRef<Log>[] later() {
        return new ActorRef[1];
    }

    /** How a group of three workers and a logger, which is stopped first, comes to its end. */
    enum End {
        CLOSE,
        STOP,
        STOP_BY_NAME,
        CRASH_IN_ONE_FOR_ALL,
        CRASH_IN_REST_FOR_ONE,
        CRASH_BELOW_ONE_FOR_ALL,
        TOO_MANY_RESTARTS,
        FIBER_TERMINATED;

        private boolean isByACrash() {
            return switch (this) {
                case CLOSE, STOP, STOP_BY_NAME, FIBER_TERMINATED -> false;
                default -> true;
            };
        }

        private Supervision rules() {
            return switch (this) {
                case CRASH_IN_ONE_FOR_ALL -> Supervision.oneForAll();
                case CRASH_IN_REST_FOR_ONE -> Supervision.restForOne();
                case TOO_MANY_RESTARTS -> Supervision.oneForOne().intensity(0, LONG);
                default -> Supervision.oneForOne();
            };
        }
    }

    private static Tree tree(End end, ActorSpec<Log> logger, Actor<Step> worker) {
        Supervision quiet = end.rules().stopLimit(STOP_LIMIT).onFailure(_ -> {});
        ChildSpec<?> first = child("worker0", worker);
        ChildSpec<?> workers =
                Tree.of("workers", quiet, child("worker1", worker), child("worker2", worker));
        Supervision group = end == End.CRASH_BELOW_ONE_FOR_ALL ? Supervision.oneForAll() : quiet;
        return Tree.of(
                "main",
                Supervision.oneForOne().stopLimit(STOP_LIMIT).onFailure(_ -> {}),
                Tree.of(
                        "group",
                        group.stopLimit(STOP_LIMIT).onFailure(_ -> {}),
                        first,
                        workers,
                        logger));
    }

    private static void end(End end, ActorSystem system) {
        Supervisor group = system.supervisor("group");
        switch (end) {
            case CLOSE -> system.close();
            case STOP -> assertTrue(system.stop(LONG).isComplete());
            case STOP_BY_NAME -> {
                group.stop("logger");
                group.stop("workers");
                group.stop("worker0");
            }
            default -> worker(system, "worker0").tell(Step.crash("crash"));
        }
    }

    @SuppressWarnings("unchecked") // a worker takes steps
    private static ActorRef<Step> worker(ActorSystem system, String name) {
        return (ActorRef<Step>) Objects.requireNonNull(system.find("group/" + name));
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void A2_aHookThatAsksAStoppedSiblingIsToldAtOnce(End end) {
        TestCord.run(() -> hooksAskTheLogger(end, List.of(Cord.current())));
    }

    /** The supervisors and the actors are on three cords. */
    @ParameterizedTest
    @EnumSource(End.class)
    void A2_alsoOnOtherCords(End end) {
        for (int seed = 1; seed <= 10; seed++) {
            TestCords.run(3, seed, true, cords -> hooksAskTheLogger(end, cords));
        }
    }

    /** What is asked lies in an envelope of its own then. */
    @ParameterizedTest
    @EnumSource(End.class)
    void A2_alsoOneWithAPriorityOrAKey(End end) {
        Actor<Log> ranked = logger().byPriority(log -> log.line().length());
        Actor<Log> keyed = logger().conflate(Log::done);
        TestCord.run(() -> hooksAsk(ranked, end, List.of(Cord.current())));
        TestCord.run(() -> hooksAsk(keyed, end, List.of(Cord.current())));
        TestCords.run(3, 1, true, cords -> hooksAsk(ranked, end, cords));
        TestCords.run(3, 1, true, cords -> hooksAsk(keyed, end, cords));
    }

    private static void hooksAskTheLogger(End end, List<Cord> cords) {
        hooksAsk(logger(), end, cords);
    }

    private static void hooksAsk(Actor<Log> asked, End end, List<Cord> cords) {
        List<String> log = World.log();
        ActorRef<Log>[] sibling = later();
        ActorSpec<Log> logger = child("logger", asked);
        Fiber<?> user =
                Fiber.spin(
                        () -> {
                            ActorSystem system =
                                    ActorSystem.start(
                                            tree(end, logger, worker(sibling, log)),
                                            ActorSystemOptions.defaults()
                                                    .over(cords)
                                                    .withDeadLetters(_ -> {}));
                            sibling[0] = system.supervisor("group").actor(logger);
                            Fiber.sleep(Duration.ofMillis(1));
                            if (end == End.FIBER_TERMINATED) {
                                Fiber.suspend();
                            }
                            long beganNs = Cord.current().nanoTime();
                            end(end, system);
                            while (log.size() < 3) {
                                Fiber.sleep(Duration.ofMillis(1));
                            }
                            assertAtOnce(beganNs);
                            system.close();
                        });
        if (end == End.FIBER_TERMINATED) {
            Fiber.sleep(Duration.ofMillis(10));
            user.terminate();
        }
        assertTrue(user.awaitEnd(LONG));
        List<String> three = log.subList(0, Math.min(3, log.size()));
        // The one that crashes asks while the logger is up.
        boolean isUp = log.contains("logged bye");
        assertEquals(3, three.size(), log::toString);
        assertTrue(three.stream().noneMatch("limit"::equals), log::toString);
        assertTrue(isUp == end.isByACrash(), () -> end + " " + log);
    }

    private static void assertAtOnce(long beganNs) {
        long tookNs = Cord.current().nanoTime() - beganNs;
        assertTrue(tookNs < AT_ONCE_NS, () -> "tookNs=" + tookNs);
    }

    /** Own actors end with the fiber of their actor, side by side. */
    @ParameterizedTest
    @ValueSource(strings = {"stop", "terminate", "crash", "close"})
    void A2_alsoAmongOwnActors(String how) {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Log>[] sibling = later();
                    ActorRef<Step> owner =
                            world.spin(
                                    "owner",
                                    Step.actor(
                                                    self -> {
                                                        Supervisor own = self.children();
                                                        own.spin("worker", worker(sibling, log));
                                                        sibling[0] = own.spin("logger", logger());
                                                    })
                                            .restart(RestartRule.TEMPORARY));
                    world.settle();
                    switch (how) {
                        case "stop" -> owner.tell(Step.stop());
                        case "terminate" -> owner.terminate();
                        case "crash" -> owner.tell(Step.crash("crash"));
                        default -> world.system.close();
                    }
                    assertTrue(owner.awaitEnd(Duration.ofSeconds(30)));
                    assertEquals(1, log.size(), log::toString);
                    assertTrue(!log.contains("limit"), log::toString);
                });
    }

    /** The question of an asker that nobody stops is kept, and answered after the restart. */
    @Test
    void A2_whoIsNotBeingStoppedWaitsForTheRestart() {
        World.local(
                world -> {
                    Supervision rules =
                            world.keepingFailures(Supervision.oneForAll())
                                    .backOff(
                                            BackOff.doubling(
                                                    Duration.ofSeconds(1), Duration.ofSeconds(1)))
                                    .intensity(10, LONG);
                    Supervisor group = world.supervise("group", rules);
                    ActorRef<Log> logger = world.spin(group, "logger", logger());
                    ActorRef<Step> crashes = world.spin(group, "crashes", Step.actor());
                    world.settle();
                    crashes.tell(Step.crash("crash"));
                    world.settle();
                    assertEquals("logged late", ask(logger, "late"));
                });
    }

    /** Its group waits for the end of what took too long to start. */
    @Test
    void A2_aHookOfWhatStartsTooLateIsToldAtOnce() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Supervision rules =
                            world.keepingFailures(Supervision.oneForAll())
                                    .stopLimit(STOP_LIMIT)
                                    .intensity(10, LONG);
                    Supervisor group = world.supervise("group", rules);
                    ActorRef<Log>[] sibling = later();
                    int[] starts = new int[1];
                    ActorRef<Step> late =
                            world.spin(
                                    group,
                                    "late",
                                    Step.actor(
                                            self -> {
                                                starts[0]++;
                                                if (starts[0] == 2) {
                                                    self.atEnd(_ -> sayBye(sibling, log));
                                                    Fiber.sleep(LONG);
                                                }
                                            }));
                    sibling[0] = world.spin(group, "logger", logger());
                    world.settle();
                    late.tell(Step.crash("crash"));
                    Fiber.sleep(rules.startLimit().multipliedBy(2));
                    assertEquals(List.of("told at once"), log);
                    assertEquals(3, starts[0]);
                    assertEquals("logged late", ask(sibling[0], "late"));
                });
    }

    /** Its question is queued at an actor that waits for it by way of their supervisor. */
    @Test
    void A2_anAskThatIsUnderWayWhenTheAskerIsStoppedIsToldToo() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Supervision rules =
                            world.keepingFailures(Supervision.oneForAll())
                                    .stopLimit(STOP_LIMIT)
                                    .intensity(10, LONG);
                    Supervisor group = world.supervise("group", rules);
                    ActorRef<Log>[] sibling = later();
                    ActorRef<Step> slow = world.spin(group, "slow", worker(sibling, log));
                    sibling[0] = world.spin(group, "logger", logger());
                    ActorRef<Step> youngest =
                            world.spin(
                                    group,
                                    "youngest",
                                    Step.actor(
                                            self ->
                                                    self.atEnd(
                                                            _ ->
                                                                    Fiber.sleep(
                                                                            Duration.ofSeconds(
                                                                                    2)))));
                    world.settle();
                    assertTrue(youngest.path().endsWith("youngest"));
                    // The logger goes down, and the group is being stopped: the slow one ends by
                    // itself meanwhile, asks, and is stopped while it waits.
                    sibling[0].tell(new Log("crash", refused()));
                    world.settle();
                    slow.terminate();
                    world.settle();
                    assertTrue(log.isEmpty() || !log.contains("limit"), log::toString);
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(List.of("told at once"), log);
                });
    }

    private static Recipient<String> refused() {
        return new Recipient<>() {
            @Override
            public void tell(String message) {
                throw new Crash("refused");
            }

            @Override
            public void fail(Throwable failure) {
                throw new Crash("refused");
            }
        };
    }

    /** What was queued is a dead letter before those that wait for the end go on. */
    @Test
    void A4_whatWasQueuedIsADeadLetterWhenTheEndIsTold() {
        World.remote(
                world -> {
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    ref.tell(Step.of(_ -> Fiber.suspend()));
                    for (int i = 0; i < 1_000; i++) {
                        ref.tell(Step.stop());
                    }
                    world.settle();
                    ref.terminate();
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(1_001, world.letters.size());
                });
    }

    // ---------------------------------------------------------------- the failed message

    private record Question(String text, Recipient<String> replyTo) {}

    /** Fails, or waits, and asks a journal when it ends. */
    private static Actor<Question> failing(ActorRef<Log> journal, List<String> log) {
        return Actor.<Question>handler(
                        self -> {
                            self.atEnd(
                                    _ -> {
                                        Fiber.sleep(Duration.ofSeconds(2));
                                        log.add(
                                                Objects.requireNonNullElse(
                                                        ask(journal, "end"), "none"));
                                    });
                            return question -> {
                                if (question.text().equals("wait")) {
                                    Fiber.suspend();
                                }
                                Fiber.sleep(Duration.ofMillis(500)); // its asker gives up first
                                throw new Crash("crash");
                            };
                        })
                .restart(RestartRule.TEMPORARY);
    }

    /** The limit of the asker that gave up was that of the work for it. */
    @ParameterizedTest
    @ValueSource(strings = {"crash", "wait"})
    void A2_aHookInheritsNoLimitOfTheFailedMessage(String text) {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Log> journal = world.spin("journal", slowLogger());
                    ActorRef<Question> ref = world.spin("failing", failing(journal, log));
                    assertThrows(
                            AskTimeoutException.class,
                            () ->
                                    ref.<String>ask(
                                            to -> new Question(text, to), Duration.ofMillis(20)));
                    if (text.equals("wait")) {
                        ref.terminate();
                    }
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("logged end"), log);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"crash", "wait"})
    void A2_theAskerOfAFailedMessageIsToldBeforeTheHooksRun(String text) {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Log> journal = world.spin("journal", logger());
                    ActorRef<Question> ref = world.spin("failing", failing(journal, log));
                    Fiber<AskFailedException> asker =
                            Fiber.spin(
                                    () ->
                                            assertThrows(
                                                    AskFailedException.class,
                                                    () ->
                                                            ref.<String>ask(
                                                                    to -> new Question(text, to),
                                                                    LONG)));
                    world.settle();
                    if (text.equals("wait")) {
                        ref.terminate();
                    }
                    AskFailedException told = asker.await();
                    assertEquals(List.of(), log);
                    assertTrue(told.getCause() != null, told::toString);
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("logged end"), log);
                    assertEquals(1, world.letters.size(), world.deadLetters()::toString);
                });
    }
}
