package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.supervision.TooManyRestartsException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/** Rule A5: intensity as OTP's sliding log, on a virtual clock. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class IntensityTest {
    private static final Duration FIVE_SECONDS = Duration.ofSeconds(5);

    /** Fails on every message. */
    private static Actor<Integer> failing() {
        return Actor.handler(
                _ ->
                        message -> {
                            throw new Crash(message);
                        });
    }

    /** A system whose own supervisor is under test, and that may give up. */
    private static Fiber<Void> system(World world, Supervision rules, List<ActorSystem> started) {
        return Fiber.<Void>spin(
                "starter",
                () -> {
                    started.add(
                            ActorSystem.start(
                                    "tested", world.keepingFailures(rules), world.letters::add));
                    Fiber.suspend();
                    throw new AssertionError("nobody schedules this fiber");
                });
    }

    private static TooManyRestartsException givenUp(Fiber<?> starter) {
        FiberFailedException thrown = assertThrows(FiberFailedException.class, starter::await);
        Throwable inner = Objects.requireNonNull(thrown.getCause());
        return assertInstanceOf(TooManyRestartsException.class, inner.getCause());
    }

    /**
     * Crashes one actor, or several in turn, at the given instants; how many restarts there were.
     */
    private static long crashAt(Supervision rules, int actors, Duration... gaps) {
        List<Long> restarts = new ArrayList<>();
        World.local(
                world -> {
                    List<ActorSystem> started = new ArrayList<>();
                    Fiber<Void> starter = system(world, rules, started);
                    Fiber<?> watcher =
                            Fiber.spin(
                                    () -> assertThrows(FiberFailedException.class, starter::await));
                    world.settle();
                    List<ActorRef<Integer>> refs = new ArrayList<>();
                    for (int i = 0; i < actors; i++) {
                        refs.add(started.getFirst().spin("actor " + i, failing()));
                    }
                    // Settling takes a nanosecond, so the crashes sleep towards planned instants.
                    world.settle();
                    long next = Cord.current().nanoTime();
                    for (int i = 0; i < gaps.length; i++) {
                        next += gaps[i].toNanos();
                        Fiber.sleep(Duration.ofNanos(next - Cord.current().nanoTime()));
                        refs.get(i % actors).tell(i);
                    }
                    world.settle();
                    restarts.add(started.getFirst().root().restarts());
                    starter.terminate();
                    watcher.await();
                });
        assertEquals(1, restarts.stream().distinct().count(), restarts.toString());
        return restarts.getFirst();
    }

    @Test
    void A5_noneAllowedGivesUpAtTheFirstFailure() {
        assertEquals(
                0, crashAt(Supervision.oneForOne().intensity(0, FIVE_SECONDS), 1, Duration.ZERO));
    }

    @Test
    void A5_theDefaultIsOneInFiveSeconds() {
        Supervision rules = Supervision.oneForOne();
        assertEquals(1, crashAt(rules, 1, Duration.ZERO, FIVE_SECONDS));
        assertEquals(2, crashAt(rules, 1, Duration.ZERO, FIVE_SECONDS.plusNanos(1)));
    }

    @Test
    void A5_exactlyAsManyAsAllowed() {
        Supervision rules = Supervision.oneForOne().intensity(3, FIVE_SECONDS);
        Duration second = Duration.ofSeconds(1);
        assertEquals(3, crashAt(rules, 1, second, second, second));
        assertEquals(3, crashAt(rules, 1, second, second, second, second));
        assertEquals(3, crashAt(rules, 1, second, second, second, second, second));
    }

    @Test
    void A5_theWindowSlides() {
        Supervision rules = Supervision.oneForOne().intensity(2, FIVE_SECONDS);
        Duration three = Duration.ofSeconds(3);
        assertEquals(6, crashAt(rules, 1, three, three, three, three, three, three));
        // 9.0, 12.0 and 13.9 s lie within five seconds.
        assertEquals(4, crashAt(rules, 1, three, three, three, three, Duration.ofMillis(1_900)));
    }

    @Test
    void A5_allChildrenTogetherCount() {
        Supervision rules = Supervision.oneForOne().intensity(3, FIVE_SECONDS);
        Duration now = Duration.ofMillis(1);
        assertEquals(3, crashAt(rules, 4, now, now, now, now));
        assertEquals(3, crashAt(rules, 2, now, now, now, now));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void A5_givesUpWhenTheModelDoes(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int intensity = 1 + random.nextInt(4);
        Duration period = Duration.ofMillis(1_000L * (1 + random.nextInt(5)));
        Duration[] gaps = new Duration[40];
        List<Long> instants = new ArrayList<>();
        long now = 0;
        long expected = -1;
        for (int i = 0; i < gaps.length; i++) {
            gaps[i] = Duration.ofMillis(100L + random.nextInt(3_000));
            now += gaps[i].toNanos();
            instants.add(now);
            long at = now;
            long within = instants.stream().filter(t -> at - t <= period.toNanos()).count();
            if (expected < 0 && within > intensity) {
                expected = i;
            }
        }
        if (expected < 0) {
            expected = gaps.length;
        }
        Supervision rules = Supervision.oneForOne().intensity(intensity, period);
        assertEquals(
                expected,
                crashAt(rules, 1 + random.nextInt(3), gaps),
                "seed=" + seed + " intensity=" + intensity + " period=" + period);
    }

    @Test
    void A5_failedStartsCount() {
        World.local(
                world -> {
                    List<ActorSystem> started = new ArrayList<>();
                    List<String> log = World.log();
                    Supervision rules = Supervision.oneForOne().intensity(3, FIVE_SECONDS);
                    Fiber<Void> starter = system(world, rules, started);
                    world.settle();
                    started.getFirst()
                            .spin(
                                    "unstartable",
                                    Actor.<String>handler(
                                            self -> {
                                                log.add("try");
                                                if (log.size() == 1) {
                                                    self.self().tell("crash");
                                                    return _ -> {
                                                        throw new Crash("no more");
                                                    };
                                                }
                                                throw new Crash("no start");
                                            }));
                    TooManyRestartsException thrown = givenUp(starter);
                    assertEquals(List.of("try", "try", "try", "try"), log);
                    assertEquals(
                            "supervisor tested gives up on unstartable: 4 restarts within PT5S >"
                                    + " intensity=3",
                            Errors.inShort(String.valueOf(thrown.getMessage())));
                    assertInstanceOf(Crash.class, thrown.getCause());
                    assertEquals(4, world.failures.size());
                });
    }

    @Test
    void A5_normalEndsOfAPermanentActorCount() {
        World.local(
                world -> {
                    List<ActorSystem> started = new ArrayList<>();
                    Supervision rules = Supervision.oneForOne().intensity(2, FIVE_SECONDS);
                    Fiber<Void> starter = system(world, rules, started);
                    world.settle();
                    started.getFirst()
                            .spin(
                                    "brief",
                                    Actor.<String>loop(_ -> {}).restart(RestartRule.PERMANENT));
                    TooManyRestartsException thrown = givenUp(starter);
                    assertEquals(
                            "supervisor tested gives up on brief: 3 restarts within PT5S >"
                                    + " intensity=2",
                            Errors.inShort(String.valueOf(thrown.getMessage())));
                    assertNull(thrown.getCause());
                    assertEquals(List.of(), world.failures);
                    assertEquals(2, started.getFirst().root().restarts());
                });
    }
}
