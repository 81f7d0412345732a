package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.FiberSupervision.Restart;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;

/** Supervised fibers: restarts, their bounds, hooks, and the end. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class FiberSupervisorTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FAR = Duration.ofDays(1);

    private static final List<Restart> RESTARTS = List.of(Restart.values());

    private final List<String> log = new ArrayList<>();
    private final Reports reports = new Reports();

    private FiberSupervision rules(Restart restart) {
        return FiberSupervision.restarting(restart)
                .withIntensity(Integer.MAX_VALUE, SECOND)
                .withOnResult((fiber, result) -> log.add(fiber.name() + "=" + result))
                .withOnFailure((fiber, failure) -> log.add(fiber.name() + "!" + text(failure)));
    }

    private static String text(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    private void inAnyOrder(Action body) {
        Runs.inAnyOrder(
                () -> {
                    log.clear();
                    body.run();
                });
    }

    private static long now() {
        return Cord.current().nanoTime();
    }

    private static void fail(String message) throws Exception {
        throw new Exception(message);
    }

    /** Fails that many times and then returns. */
    private static final class Flaky {
        private int failuresLeft;

        Flaky(int failures) {
            this.failuresLeft = failures;
        }

        String run() throws Exception {
            if (failuresLeft-- > 0) {
                fail("again");
            }
            return "done";
        }
    }

    /** Waits until it is ended, and logs that. */
    private void service(String name) {
        try {
            Fiber.sleep(FAR);
        } finally {
            log.add(name + " ended");
        }
    }

    // ---------------------------------------------------------------- intensity

    @Test
    void instantFailureEndsAllWhenTheIntensityIsExceeded() {
        inAnyOrder(
                () -> {
                    TooManyRestartsException thrown =
                            assertThrows(
                                    TooManyRestartsException.class,
                                    () ->
                                            FiberSupervisor.run(
                                                    rules(Restart.ON_ERROR)
                                                            .withIntensity(3, SECOND),
                                                    supervisor -> {
                                                        supervisor.spin("s", () -> service("s"));
                                                        supervisor.spin("bad", () -> fail("no"));
                                                    }));
                    assertEquals("no", text(Runs.cause(thrown)));
                    assertEquals(
                            List.of("bad!no", "bad!no", "bad!no", "bad!no"), log.subList(0, 4));
                    assertEquals("4 restarts within PT1S, and intensity=3", after(thrown));
                });
    }

    private static String after(Throwable thrown) {
        String message = text(thrown);
        return message.substring(message.lastIndexOf(": ") + 2);
    }

    @Test
    void restartsFurtherApartThanThePeriodGoOn() {
        inAnyOrder(
                () -> {
                    Flaky flaky = new Flaky(100);
                    FiberSupervisor.run(
                            rules(Restart.ON_ERROR).withIntensity(1, SECOND),
                            supervisor ->
                                    supervisor.spin(
                                            "slow",
                                            () -> {
                                                Fiber.sleep(Duration.ofMillis(501));
                                                Fiber.sleep(Duration.ofMillis(501));
                                                return flaky.run();
                                            }));
                    assertEquals(101, log.size());
                });
    }

    @Test
    void zeroIntensityEndsAtTheFirstFailureAndRestartsOfResultsCountToo() {
        inAnyOrder(
                () -> {
                    FiberSupervision none = rules(Restart.ALWAYS).withIntensity(0, SECOND);
                    TooManyRestartsException thrown =
                            assertThrows(
                                    TooManyRestartsException.class,
                                    () ->
                                            FiberSupervisor.run(
                                                    none, s -> s.spin("one", () -> "result")));
                    assertNull(thrown.getCause());
                    assertEquals(List.of("one=result"), log);
                });
    }

    // ---------------------------------------------------------------- which ends

    @Test
    void alwaysStartsAgainAfterResultFailureAndTermination() {
        inAnyOrder(
                () -> {
                    List<String> starts = new ArrayList<>();
                    TooManyRestartsException thrown =
                            assertThrows(
                                    TooManyRestartsException.class,
                                    () ->
                                            FiberSupervisor.run(
                                                    rules(Restart.ALWAYS).withIntensity(3, SECOND),
                                                    s -> s.spin("a", () -> vary(starts))));
                    assertEquals(4, starts.size());
                    assertEquals(List.of("a=1", "a!two", "a=4"), log);
                    assertNull(thrown.getCause());
                });
    }

    private static int vary(List<String> starts) throws Exception {
        starts.add("start");
        if (starts.size() == 2) {
            fail("two");
        }
        if (starts.size() == 3) {
            Fiber.current().terminate();
            Fiber.snooze();
        }
        return starts.size();
    }

    @Test
    void onErrorLeavesResultsAndTerminationsAlone() {
        inAnyOrder(
                () -> {
                    FiberSupervisor.run(
                            rules(Restart.ON_ERROR),
                            supervisor -> {
                                supervisor.spin("ok", () -> 1);
                                supervisor.spin("flaky", new Flaky(1)::run);
                                supervisor.spin("out", () -> Fiber.suspend()).terminate();
                                supervisor.spin("stop", () -> service("stop"));
                                Fiber<String> stopped =
                                        Fiber.spin("x", () -> String.valueOf(Fiber.suspend()));
                                supervisor.adopt(stopped);
                                stopped.stop("out");
                                supervisor.spin("end", () -> Fiber.sleep(SECOND));
                                Runs.settle();
                                endByName(supervisor);
                            });
                    Set<String> expected =
                            Set.of(
                                    "ok=1",
                                    "flaky!again",
                                    "flaky=done",
                                    "x=out",
                                    "end=null",
                                    "stop ended");
                    assertEquals(expected, new HashSet<>(log));
                    assertEquals(expected.size(), log.size());
                });
    }

    private static void endByName(FiberSupervisor supervisor) {
        Fiber<?> me = Fiber.current();
        for (Fiber<?> each = me.firstChild(); each != null; each = each.nextSibling) {
            if (each.name().equals("stop")) {
                each.terminate();
            }
        }
        supervisor.checkInvariants();
    }

    @Test
    void neverStartsNoneAgainAndItsFailuresAreToldOnly() {
        inAnyOrder(
                () -> {
                    FiberSupervisor.run(
                            rules(Restart.NEVER),
                            supervisor -> {
                                supervisor.spin("bad", () -> fail("no"));
                                supervisor.spin("good", () -> Fiber.sleep(SECOND));
                            });
                    assertEquals(List.of("bad!no", "good=null"), log);
                });
    }

    @Test
    void twoThatFailInTheSameTurnAreBothStartedAgain() {
        Runs.fifo(
                () -> {
                    log.clear();
                    Flaky first = new Flaky(1);
                    Flaky second = new Flaky(1);
                    FiberSupervisor.run(
                            rules(Restart.ON_ERROR),
                            supervisor -> {
                                supervisor.spin("a", first::run);
                                supervisor.spin("b", second::run);
                                Fiber.snooze();
                                supervisor.checkInvariants();
                                assertEquals(List.of(), log);
                            });
                    assertEquals(List.of("a!again", "b!again", "a=done", "b=done"), log);
                });
    }

    @Test
    void failureOfASupervisedFiberDoesNotCancelItsParent() {
        inAnyOrder(
                () -> {
                    FiberSupervisor.run(
                            rules(Restart.NEVER),
                            supervisor -> {
                                supervisor.spin("bad", () -> fail("no"));
                                Fiber.sleep(SECOND);
                                log.add("block done");
                            });
                    assertEquals(List.of("block done", "bad!no"), log);
                });
    }

    // ---------------------------------------------------------------- back-off

    private List<Long> delays(BackOff backOff, int failures) {
        List<Long> starts = new ArrayList<>();
        Flaky flaky = new Flaky(failures);
        FiberSupervisor.run(
                rules(Restart.ON_ERROR).withBackOff(backOff),
                s ->
                        s.spin(
                                "flaky",
                                () -> {
                                    starts.add(now());
                                    return flaky.run();
                                }));
        List<Long> delays = new ArrayList<>();
        for (int i = 1; i < starts.size(); i++) {
            delays.add((starts.get(i) - starts.get(i - 1)) / 1_000_000);
        }
        return delays;
    }

    @Test
    void backOffGrowsByItsFactorUpToItsMaximum() {
        inAnyOrder(
                () -> {
                    BackOff backOff =
                            new BackOff(Duration.ofMillis(100), 3, Duration.ofSeconds(1), 0);
                    assertEquals(List.of(100L, 300L, 900L, 1_000L, 1_000L), delays(backOff, 5));
                });
    }

    @Test
    void backOffBeginsAnewAfterALongRun() {
        inAnyOrder(
                () -> {
                    Flaky flaky = new Flaky(6);
                    List<Long> starts = new ArrayList<>();
                    FiberSupervisor.run(
                            rules(Restart.ON_ERROR)
                                    .withBackOff(BackOff.doubling(Duration.ofMillis(100), SECOND)),
                            s ->
                                    s.spin(
                                            "flaky",
                                            () -> {
                                                starts.add(now());
                                                if (starts.size() == 4) {
                                                    Fiber.sleep(SECOND);
                                                }
                                                return flaky.run();
                                            }));
                    List<Long> delays = new ArrayList<>();
                    for (int i = 1; i < starts.size(); i++) {
                        delays.add((starts.get(i) - starts.get(i - 1)) / 1_000_000);
                    }
                    assertEquals(List.of(100L, 200L, 400L, 1_100L, 200L, 400L), delays);
                });
    }

    @Test
    void jitterStaysInItsBoundsAndComesFromTheSeed() {
        BackOff backOff = new BackOff(SECOND, 1, SECOND, 0.25);
        Set<List<Long>> all = new HashSet<>();
        for (long seed = 1; seed <= 5; seed++) {
            List<List<Long>> twice = new ArrayList<>();
            for (int run = 0; run < 2; run++) {
                TestCord.run(seed, false, () -> twice.add(delays(backOff, 20)));
            }
            assertEquals(twice.get(0), twice.get(1), "seed=" + seed);
            for (long delay : twice.get(0)) {
                assertTrue(delay >= 750 && delay <= 1_000, "seed=" + seed + " delay=" + delay);
            }
            all.add(twice.get(0));
        }
        assertEquals(5, all.size());
    }

    @Test
    void terminationDuringABackOffEndsAtOnceAndStartsNothing() {
        inAnyOrder(
                () -> {
                    BackOff day = new BackOff(FAR, 1, FAR, 0);
                    Fiber<?> supervising =
                            Fiber.spin(
                                    "supervising",
                                    () ->
                                            FiberSupervisor.run(
                                                    rules(Restart.ON_ERROR).withBackOff(day),
                                                    s -> s.spin("bad", () -> fail("no"))));
                    Fiber.sleep(SECOND);
                    long before = now();
                    supervising.terminate();
                    assertThrows(FiberTerminatedException.class, supervising::await);
                    assertEquals(before, now());
                    Fiber.sleep(FAR.multipliedBy(2));
                    assertEquals(List.of("bad!no"), log);
                });
    }

    @Test
    void othersGoOnDuringABackOff() {
        inAnyOrder(
                () -> {
                    BackOff second = new BackOff(SECOND, 1, SECOND, 0);
                    Flaky slow = new Flaky(1);
                    FiberSupervisor.run(
                            rules(Restart.ON_ERROR).withBackOff(second),
                            s -> {
                                s.spin("slow", slow::run);
                                s.spin("quick", () -> Fiber.sleep(Duration.ofMillis(10)));
                            });
                    assertEquals(List.of("slow!again", "quick=null", "slow=done"), log);
                });
    }

    // ---------------------------------------------------------------- hooks

    @Test
    void failingHookIsReportedAndSupervisionGoesOn() {
        inAnyOrder(
                () -> {
                    TestCord.expectUncaught(IllegalStateException.class);
                    TestCord.expectUncaught(UnsupportedOperationException.class);
                    Flaky flaky = new Flaky(1);
                    FiberSupervisor.run(
                            rules(Restart.ON_ERROR)
                                    .withOnFailure(
                                            (fiber, failure) -> {
                                                throw new IllegalStateException("hook");
                                            })
                                    .withOnResult(
                                            (fiber, result) -> {
                                                throw new UnsupportedOperationException("hook");
                                            }),
                            s -> s.spin("flaky", flaky::run));
                });
    }

    @Test
    void hookMaySpinMore() {
        inAnyOrder(
                () -> {
                    FiberSupervisor[] own = new FiberSupervisor[1];
                    FiberSupervisor.run(
                            rules(Restart.NEVER)
                                    .withOnFailure(
                                            (fiber, failure) ->
                                                    own[0].spin("more", () -> log.add("more"))),
                            s -> {
                                own[0] = s;
                                s.spin("bad", () -> fail("no"));
                            });
                    assertEquals(List.of("more", "more=true"), log);
                });
    }

    // ---------------------------------------------------------------- adoption

    @Test
    void adoptedFiberIsStartedAgainAndEndsWithTheSupervisor() {
        inAnyOrder(
                () -> {
                    Flaky flaky = new Flaky(1);
                    Fiber<?> given =
                            Fiber.spin(
                                    "given",
                                    () -> {
                                        Fiber.sleep(Duration.ofMillis(1));
                                        return flaky.run();
                                    });
                    Fiber<?> supervising =
                            Fiber.spin(
                                    "supervising",
                                    () ->
                                            FiberSupervisor.run(
                                                    rules(Restart.ON_ERROR).endless(),
                                                    s -> {
                                                        s.adopt(given);
                                                        Fiber<?> service =
                                                                Fiber.spin("s", () -> service("s"));
                                                        s.adopt(service);
                                                        assertSame(Fiber.current(), given.parent());
                                                    }));
                    Fiber.sleep(SECOND);
                    supervising.terminate();
                    assertTrue(supervising.awaitEnd(SECOND));
                    assertEquals(List.of("given!again", "given=done", "s ended"), log);
                });
    }

    @Test
    void fiberThatIsOverWhenAdoptedCountsAsAnEnd() {
        inAnyOrder(
                () -> {
                    Flaky flaky = new Flaky(1);
                    Fiber<?> dead = Fiber.spin("dead", flaky::run);
                    assertThrows(FiberFailedException.class, dead::await);
                    FiberSupervisor.run(rules(Restart.ON_ERROR), s -> s.adopt(dead));
                    assertEquals(List.of("dead!again", "dead=done"), log);
                });
    }

    @Test
    void misuse_adopting() {
        inAnyOrder(
                () ->
                        FiberSupervisor.run(
                                rules(Restart.NEVER),
                                s -> {
                                    Fiber<?> me = Fiber.current();
                                    assertThrows(IllegalArgumentException.class, () -> s.adopt(me));
                                    Fiber<?> child = s.spin("child", () -> 1);
                                    assertThrows(
                                            IllegalArgumentException.class, () -> s.adopt(child));
                                    Fiber<?> handler =
                                            me.cord().spinHandler("handler", value -> Handler.END);
                                    assertThrows(
                                            IllegalArgumentException.class, () -> s.adopt(handler));
                                }));
    }

    // ---------------------------------------------------------------- the end

    @Test
    void endIsInReverseOrderEachAwaitedBeforeTheNext() {
        inAnyOrder(
                () -> {
                    boolean done =
                            CancelScope.moveOnAfter(
                                    SECOND,
                                    () ->
                                            FiberSupervisor.run(
                                                    rules(Restart.ALWAYS),
                                                    s -> {
                                                        for (String name : List.of("a", "b", "c")) {
                                                            s.spin(name, () -> slowly(name));
                                                        }
                                                    }));
                    assertFalse(done);
                    assertEquals(List.of("c ends", "c", "b ends", "b", "a ends", "a"), log);
                });
    }

    private void slowly(String name) {
        try {
            Fiber.sleep(FAR);
        } finally {
            log.add(name + " ends");
            CancelScope.shielded(SECOND, () -> Fiber.sleep(Duration.ofMillis(100)));
            log.add(name);
        }
    }

    @Test
    void whoDoesNotEndWithinTheStopLimitIsAbandonedWithAReport() {
        Runs.fifo(
                () -> {
                    log.clear();
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    long before = now();
                    CancelScope.moveOnAfter(
                            SECOND,
                            () ->
                                    FiberSupervisor.run(
                                            rules(Restart.ALWAYS).withStopLimit(SECOND),
                                            s -> {
                                                s.spin("first", () -> service("first"));
                                                s.spin("stubborn", () -> stubborn());
                                            }));
                    assertEquals(SECOND.multipliedBy(2).toNanos(), now() - before);
                    assertEquals("first ended", log.getFirst());
                    assertTrue(log.get(1).startsWith("stubborn!"), log::toString);
                });
    }

    private static void stubborn() {
        try {
            Fiber.sleep(FAR);
        } finally {
            CancelScope.shielded(FAR, () -> Fiber.sleep(FAR));
        }
    }

    @Test
    void failureOfTheBlockEndsTheFibersAndComesOut() {
        inAnyOrder(
                () -> {
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            FiberSupervisor.run(
                                                    rules(Restart.ALWAYS),
                                                    s -> {
                                                        s.spin("s", () -> service("s"));
                                                        Runs.settle();
                                                        fail("block");
                                                    }));
                    assertEquals("block", text(thrown));
                    assertEquals(List.of("s ended"), log);
                });
    }

    @Test
    void misuse_afterTheEnd() {
        inAnyOrder(
                () -> {
                    FiberSupervisor[] own = new FiberSupervisor[1];
                    FiberSupervisor.run(rules(Restart.NEVER), s -> own[0] = s);
                    assertThrows(IllegalStateException.class, () -> own[0].spin("late", () -> 1));
                });
    }

    @Test
    void misuse_rulesAreChecked() {
        FiberSupervision good = rules(Restart.ALWAYS);
        assertThrows(IllegalArgumentException.class, () -> good.withIntensity(-1, SECOND));
        assertThrows(IllegalArgumentException.class, () -> good.withIntensity(1, Duration.ZERO));
        assertThrows(
                IllegalArgumentException.class, () -> good.withStopLimit(Duration.ofNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> new BackOff(FAR, 2, SECOND, 0));
        assertThrows(IllegalArgumentException.class, () -> new BackOff(SECOND, 0.5, FAR, 0));
        assertThrows(IllegalArgumentException.class, () -> new BackOff(SECOND, 2, FAR, 1.5));
        assertThrows(IllegalArgumentException.class, () -> new BackOff(SECOND, Double.NaN, FAR, 0));
        assertEquals(FAR.toNanos(), new BackOff(SECOND, 1e300, FAR, 0).delayNs(99, bound -> 0));
    }

    @Test
    void misuse_anotherCord() {
        Cord other = Runs.started("other", reports);
        Runs.real(
                () ->
                        FiberSupervisor.run(
                                rules(Restart.NEVER),
                                s -> {
                                    Fiber<?> wrong =
                                            other.spin("wrong", () -> s.spin("child", () -> 1));
                                    Throwable thrown = Runs.failureOf(wrong::await);
                                    assertTrue(Runs.cause(thrown) instanceof WrongThreadException);
                                }));
        Runs.checkAndClose(other);
    }

    // ---------------------------------------------------------------- other cords

    @ParameterizedTest
    @EnumSource
    void F8_fibersOfAnotherCordAreSupervisedToo(StackKind stacks) {
        Cord other = Runs.started("other", reports);
        Flaky near = new Flaky(20);
        Flaky far = new Flaky(20);
        Runs.real(
                stacks,
                reports,
                () ->
                        FiberSupervisor.run(
                                rules(Restart.ON_ERROR),
                                s -> {
                                    s.spin("near", near::run);
                                    s.spinOn(other, "far", far::run);
                                }));
        assertEquals(42, log.size());
        Runs.checkAndClose(other);
        reports.assertNone();
    }

    @ParameterizedTest
    @EnumSource
    void F8_cancelledSupervisorEndsTheFibersOfAnotherCord(StackKind stacks) {
        Cord other = Runs.started("other", reports);
        Fiber<@Nullable Object> adopted = other.<@Nullable Object>spin("adopted", callSuspend());
        Runs.real(
                stacks,
                reports,
                () ->
                        CancelScope.moveOnAfter(
                                Duration.ofMillis(20),
                                () ->
                                        FiberSupervisor.run(
                                                rules(Restart.ALWAYS),
                                                s -> {
                                                    s.spinOn(other, "far", callSuspend());
                                                    s.adopt(adopted);
                                                })));
        assertEquals(FiberState.DEAD, adopted.state());
        Runs.checkAndClose(other);
        reports.assertNone();
    }

    private static Callable<@Nullable Object> callSuspend() {
        return Fiber::suspend;
    }

    @ParameterizedTest
    @EnumSource
    void fiberOfACordThatHasEndedFailsTheSupervisor(StackKind stacks) {
        Cord other = Runs.started("other", reports);
        Runs.real(
                stacks,
                reports,
                () -> {
                    Fiber<?> far = other.spin("far", callSuspend());
                    assertThrows(
                            CordClosedException.class,
                            () ->
                                    FiberSupervisor.run(
                                            rules(Restart.ALWAYS),
                                            s -> {
                                                s.adopt(far);
                                                other.close();
                                            }));
                });
    }

    // ---------------------------------------------------------------- conservation

    /** Every start has one end, every end with result or failure is told once, nothing is left. */
    private void conserve(long seed) {
        int[] counts = new int[2]; // starts, ends of the body
        TestCord.run(
                seed,
                true,
                () -> {
                    log.clear();
                    Random random = new Random(seed);
                    int[] terminated = new int[1];
                    CancelScope.moveOnAfter(
                            Duration.ofMillis(random.nextInt(400)),
                            () ->
                                    FiberSupervisor.run(
                                            rules(RESTARTS.get(random.nextInt(3)))
                                                    .withBackOff(
                                                            BackOff.doubling(
                                                                            Duration.ofMillis(1),
                                                                            SECOND)
                                                                    .withJitter(0.5)),
                                            s -> {
                                                for (int i = 0; i < 10; i++) {
                                                    s.spin(
                                                            "f" + i,
                                                            () -> one(random, counts, terminated));
                                                }
                                            }));
                    String at = "seed=" + seed;
                    assertEquals(counts[0], counts[1], at);
                    assertEquals(counts[0], log.size() + terminated[0], at);
                    assertNull(Fiber.current().firstChild(), at);
                });
    }

    private static int one(Random random, int[] counts, int[] terminated) throws Exception {
        counts[0]++;
        // Also one that returns while its termination is pending ends by the termination.
        Fiber.current()
                .onEnd(
                        ended -> {
                            if (ended.failure() instanceof FiberTerminatedException) {
                                terminated[0]++;
                            }
                        });
        try {
            Fiber.sleep(Duration.ofMillis(random.nextInt(50)));
            if (random.nextBoolean()) {
                fail("random");
            }
            return 1;
        } finally {
            counts[1]++;
        }
    }

    @Test
    void everyEndIsToldOnceAndNothingIsLeft() {
        for (long seed = 0; seed < 30; seed++) {
            conserve(seed);
        }
    }

    @Test
    @Tag("stress")
    void everyEndIsToldOnceAndNothingIsLeftManySeeds() {
        for (long seed = 0; seed < 5_000; seed++) {
            conserve(seed);
        }
    }
}
