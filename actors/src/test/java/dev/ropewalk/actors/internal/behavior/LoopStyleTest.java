package dev.ropewalk.actors.internal.behavior;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Rule A1: a body that receives where it likes. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LoopStyleTest {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Its own actors come to their end first, and it goes on meanwhile. */
    @Test
    void A1_aReceiveLooksOnBehindAStopThatIsPutOff() {
        for (boolean isByType : new boolean[] {false, true}) {
            World.local(
                    world -> {
                        List<Object> log = World.log();
                        ActorRef<Object> ref =
                                world.spin(
                                        "loop",
                                        Actor.<Object>loop(
                                                self -> {
                                                    ActorRef<Step> own =
                                                            self.spin("own", Step.actor());
                                                    own.tell(Step.of(_ -> Fiber.sleep(HOUR)));
                                                    Fiber.sleep(Duration.ofSeconds(1));
                                                    log.add(
                                                            isByType
                                                                    ? self.receive(String.class)
                                                                    : self.receive("x"::equals));
                                                }));
                        ref.tell(1);
                        ref.stop();
                        ref.tell("x");
                        Fiber.sleep(Duration.ofSeconds(2));
                        assertEquals(List.of("x"), log);
                        assertTrue(ref.awaitEnd(HOUR.multipliedBy(2)));
                        world.letters.clear();
                    });
        }
    }

    private static void tellAll(ActorRef<Object> ref, Object... messages) {
        for (Object message : messages) {
            ref.tell(message);
        }
    }

    @Test
    void A1_theMessageOnWhichAPredicateFailsIsTheFailedOne() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "picky",
                                    Actor.loop(
                                            self -> {
                                                if (log.isEmpty()) {
                                                    log.add("first try");
                                                    self.receive(
                                                            (Object message) -> {
                                                                throw new IllegalStateException(
                                                                        "cannot judge " + message);
                                                            });
                                                }
                                                log.add(self.receive());
                                            }));
                    tellAll(ref, 1, 2);
                    world.settle();
                    assertEquals(List.of("first try", 2), log);
                    assertEquals(List.of("picky: cannot judge 1"), world.failures);
                    assertEquals(List.of("picky FAILED 1"), world.deadLetters());
                });
    }

    @Test
    void A1_bodyThatReturnsEndsTheActorNormally() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> ref =
                            world.spin("brief", Actor.loop(self -> log.add(self.receive())));
                    tellAll(ref, 1, 2, 3);
                    world.settle();
                    assertEquals(List.of(1), log);
                    assertEquals(List.of("brief ENDED 2", "brief ENDED 3"), world.deadLetters());
                    assertEquals(List.of(), world.failures);
                });
    }

    @Test
    void A1_receivesInOrder() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "in order",
                                    Actor.loop(
                                            self -> {
                                                for (; ; ) {
                                                    log.add(self.receive());
                                                }
                                            }));
                    tellAll(ref, 1, "two", 3L);
                    world.settle();
                    tellAll(ref, '4', 5);
                    world.settle();
                    assertEquals(List.of(1, "two", 3L, '4', 5), log);
                });
    }

    @Test
    void A1_timedReceiveGivesUpNeitherEarlyNorLate() {
        World.local(
                world -> {
                    List<@Nullable Object> log = World.<@Nullable Object>log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "patient",
                                    Actor.loop(
                                            self -> {
                                                long before = Cord.current().nanoTime();
                                                log.add(self.receive(Duration.ofSeconds(7)));
                                                log.add(Cord.current().nanoTime() - before);
                                                log.add(self.receive(Duration.ofSeconds(7)));
                                                log.add(self.receive(Duration.ZERO));
                                                log.add(self.receive(Duration.ofNanos(1)));
                                            }));
                    Fiber.sleep(Duration.ofSeconds(10));
                    tellAll(ref, "in time", "queued");
                    Fiber.sleep(Duration.ofSeconds(10));
                    List<@Nullable Object> expected = new ArrayList<>();
                    expected.add(null);
                    expected.add(7_000_000_000L);
                    expected.add("in time");
                    expected.add("queued");
                    expected.add(null);
                    assertEquals(expected, log);
                });
    }

    @Test
    void A1_timedReceiveOverAnotherCord() {
        World.remote(
                world -> {
                    List<@Nullable Object> log = World.<@Nullable Object>log();
                    world.spin(
                            "impatient",
                            Actor.loop(self -> log.add(self.receive(Duration.ofNanos(100)))));
                    world.until(() -> !log.isEmpty());
                    assertEquals(1, log.size());
                });
    }

    /**
     * Whatever comes first, the limit or the message: it is received, then or by the next receive.
     */
    @Test
    void A1_timedReceiveLosesNoMessage() {
        World.local(
                world -> {
                    int told = 500;
                    List<@Nullable Object> log = World.<@Nullable Object>log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "racing",
                                    Actor.loop(
                                            self -> {
                                                while (log.size() < told) {
                                                    Object got = self.receive(Duration.ofNanos(50));
                                                    if (got != null) {
                                                        log.add(got);
                                                    }
                                                }
                                            }));
                    List<Object> expected = new ArrayList<>();
                    for (int i = 0; i < told; i++) {
                        Fiber.sleep(Duration.ofNanos(45 + Cord.current().nextInt(10)));
                        ref.tell(i);
                        expected.add(i);
                    }
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(expected, log);
                });
    }

    @Test
    void A1_byTypeLeavesTheOthersInOrder() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "selecting",
                                    Actor.loop(
                                            self -> {
                                                log.add(self.receive(String.class));
                                                log.add(self.receive(String.class));
                                                for (; ; ) {
                                                    log.add(self.receive());
                                                }
                                            }));
                    world.settle();
                    tellAll(ref, 1, 2, "first");
                    world.settle();
                    assertEquals(List.of("first"), log);
                    tellAll(ref, 3, "second", 4, "third");
                    world.settle();
                    assertEquals(List.of("first", "second", 1, 2, 3, 4, "third"), log);
                });
    }

    @Test
    void A1_byPredicateLeavesTheOthersInOrderAndTestsEachOnce() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    List<Object> tested = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "selecting",
                                    Actor.loop(
                                            self -> {
                                                self.receive("go"::equals);
                                                log.add(
                                                        self.receive(
                                                                (Object message) -> {
                                                                    tested.add(message);
                                                                    return message
                                                                            instanceof String;
                                                                }));
                                                for (; ; ) {
                                                    log.add(self.receive());
                                                }
                                            }));
                    tellAll(ref, 1, 2, 3, "go");
                    world.settle();
                    tellAll(ref, 4);
                    world.settle();
                    tellAll(ref, 5, 6);
                    world.settle();
                    assertEquals(List.of(1, 2, 3, 4, 5, 6), tested);
                    assertEquals(List.of(), log);
                    tellAll(ref, 7, "found", 8);
                    world.settle();
                    assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, "found"), tested);
                    assertEquals(List.of("found", 1, 2, 3, 4, 5, 6, 7, 8), log);
                });
    }

    /**
     * Like in handler style, the other fibers of the cord have their turns between two messages.
     */
    @Test
    void A1_anActorThatIsNeverOutOfMessagesLetsTheOthersRun() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "busy",
                                    Actor.loop(
                                            self -> {
                                                for (int i = 0; i < 100_000 && log.isEmpty(); i++) {
                                                    self.self().tell(self.receive());
                                                }
                                                log.add("over");
                                            }));
                    ref.tell("again");
                    world.on(
                            () -> {
                                Fiber.snooze();
                                Fiber.snooze();
                                Fiber.snooze();
                                log.add("another fiber");
                                return true;
                            });
                    world.until(() -> log.contains("over"));
                    assertEquals(List.of("another fiber", "over"), log);
                });
    }

    /** The type is tested by the sender: what does not fit does not wake the receiver. */
    @Test
    void A1_whatDoesNotFitTheTypeWakesNobody() {
        World.anywhere(
                world -> {
                    List<Fiber<?>> fibers = World.log();
                    ActorRef<Object> ref =
                            world.spin(
                                    "asleep",
                                    Actor.loop(
                                            self -> {
                                                fibers.add(Fiber.current());
                                                self.receive(String.class);
                                            }));
                    world.settle();
                    assertEquals(
                            dev.ropewalk.fibers.FiberState.WAITING,
                            world.on(
                                    () -> {
                                        ref.tell(1);
                                        return fibers.getFirst().state();
                                    }));
                });
    }

    /** Against a list: any mix of the four kinds of receive gives each message once, in order. */
    @Test
    void A1_anyMixOfReceivesAgreesWithAList() {
        World.anywhere(
                world -> {
                    for (long seed = 1; seed <= 5; seed++) {
                        List<Object> wanted = new ArrayList<>();
                        List<Object> log = World.log();
                        List<Object> model = new ArrayList<>();
                        SplittableRandom random = new SplittableRandom(seed);
                        int messages = 200;
                        for (int i = 0; i < messages; i++) {
                            model.add(random.nextInt(3) == 0 ? "s" + i : (Object) i);
                        }
                        List<Object> told = List.copyOf(model);
                        List<Integer> choices = new ArrayList<>();
                        while (!model.isEmpty()) {
                            int choice = random.nextInt(3);
                            Object next = pick(model, choice);
                            if (next != null) {
                                choices.add(choice);
                                wanted.add(next);
                                model.remove(next);
                            }
                        }
                        ActorRef<Object> ref =
                                world.spin(
                                        "mixed",
                                        Actor.loop(
                                                self -> {
                                                    for (int choice : choices) {
                                                        log.add(receive(self, choice));
                                                    }
                                                }));
                        for (Object each : told) {
                            ref.tell(each);
                            if (random.nextInt(4) == 0) {
                                Fiber.snooze();
                            }
                        }
                        world.until(() -> log.size() == messages);
                        assertEquals(wanted, log, "seed=" + seed);
                    }
                });
    }

    private static @Nullable Object pick(List<Object> model, int choice) {
        return switch (choice) {
            case 0 -> model.getFirst();
            case 1 -> model.stream().filter(m -> m instanceof String).findFirst().orElse(null);
            default -> model.stream().filter(LoopStyleTest::isEven).findFirst().orElse(null);
        };
    }

    private static Object receive(ActorContext<Object> self, int choice) {
        return switch (choice) {
            case 0 -> self.receive();
            case 1 -> self.receive(String.class);
            default -> self.receive(LoopStyleTest::isEven);
        };
    }

    private static boolean isEven(Object message) {
        return message instanceof Integer number && number % 2 == 0;
    }
}
