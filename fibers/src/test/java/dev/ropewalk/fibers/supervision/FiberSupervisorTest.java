package dev.ropewalk.fibers.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Supervised fibers: restarts, their bounds, hooks, and adoption. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class FiberSupervisorTest extends SupervisorTests {
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
                                                    rules(RestartRule.TRANSIENT)
                                                            .withIntensity(3, SECOND),
                                                    supervisor -> {
                                                        supervisor.spin("s", () -> service("s"));
                                                        supervisor.spin("bad", () -> fail("no"));
                                                    }));
                    assertEquals("no", text(Runs.cause(thrown)));
                    assertEquals(
                            List.of("bad!no", "bad!no", "bad!no", "bad!no"), log.subList(0, 4));
                    assertEquals("4 restarts within PT1S > intensity=3", after(thrown));
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
                            rules(RestartRule.TRANSIENT).withIntensity(1, SECOND),
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
                    FiberSupervision none = rules(RestartRule.PERMANENT).withIntensity(0, SECOND);
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
    void permanentStartsAgainAfterResultFailureAndTermination() {
        inAnyOrder(
                () -> {
                    List<String> starts = new ArrayList<>();
                    TooManyRestartsException thrown =
                            assertThrows(
                                    TooManyRestartsException.class,
                                    () ->
                                            FiberSupervisor.run(
                                                    rules(RestartRule.PERMANENT)
                                                            .withIntensity(3, SECOND),
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
    void transientLeavesResultsAndTerminationsAlone() {
        inAnyOrder(
                () -> {
                    FiberSupervisor.run(
                            rules(RestartRule.TRANSIENT),
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
        for (Fiber<?> each = FiberImpl.of(me).firstChild();
                each != null;
                each = FiberImpl.of(each).nextSibling) {
            if (each.name().equals("stop")) {
                each.terminate();
            }
        }
        supervisor.checkInvariants();
    }

    @Test
    void temporaryStartsNoneAgainAndItsFailuresAreToldOnly() {
        inAnyOrder(
                () -> {
                    FiberSupervisor.run(
                            rules(RestartRule.TEMPORARY),
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
                            rules(RestartRule.TRANSIENT),
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
                            rules(RestartRule.TEMPORARY),
                            supervisor -> {
                                supervisor.spin("bad", () -> fail("no"));
                                Fiber.sleep(SECOND);
                                log.add("block done");
                            });
                    assertEquals(List.of("block done", "bad!no"), log);
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
                            rules(RestartRule.TRANSIENT)
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

    /** The hook must not wait; if it does, the termination that ends its wait is not lost. */
    @Test
    void F6_hookThatIsEndedInAWaitLeavesTheSupervisorToEndInOrder() {
        inAnyOrder(
                () -> {
                    long before = now();
                    boolean done =
                            CancelScope.moveOnAfter(
                                    SECOND,
                                    () ->
                                            FiberSupervisor.run(
                                                    rules(RestartRule.TRANSIENT)
                                                            .withOnFailure(
                                                                    (_, _) -> Fiber.sleep(FAR)),
                                                    s -> {
                                                        s.spin("other", () -> service("other"));
                                                        s.spin("bad", () -> fail("no"));
                                                    }));
                    assertFalse(done);
                    assertEquals(SECOND.toNanos(), now() - before, "no stop limit was waited for");
                    assertEquals(List.of("other ended"), log);
                });
    }

    @Test
    void hookThatThrowsASignalOfAnotherFiberIsReported() {
        Runs.fifo(
                () -> {
                    log.clear();
                    TestCord.expectUncaught(Throwable.class);
                    Flaky flaky = new Flaky(1);
                    FiberSupervisor.run(
                            rules(RestartRule.TRANSIENT)
                                    .withOnFailure(
                                            (_, _) -> {
                                                throw new Unwind.Terminate("of another fiber");
                                            }),
                            s -> s.spin("flaky", flaky::run));
                    assertEquals(List.of("flaky=done"), log);
                });
    }

    @Test
    void hookMaySpinMore() {
        inAnyOrder(
                () -> {
                    FiberSupervisor[] own = new FiberSupervisor[1];
                    FiberSupervisor.run(
                            rules(RestartRule.TEMPORARY)
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
                                                    rules(RestartRule.TRANSIENT).endless(),
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
                    FiberSupervisor.run(rules(RestartRule.TRANSIENT), s -> s.adopt(dead));
                    assertEquals(List.of("dead!again", "dead=done"), log);
                });
    }

    @Test
    void misuse_adopting() {
        inAnyOrder(
                () ->
                        FiberSupervisor.run(
                                rules(RestartRule.TEMPORARY),
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
}
