package dev.ropewalk.fibers.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Rule F7: what a block spins ends with it, and fails it, not the fiber that runs it. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SpunFibersTest {
    private static final Duration LONG = Duration.ofDays(1);

    private static Fiber<?> stay() {
        return Fiber.spin("stays", () -> Fiber.sleep(LONG));
    }

    private static void none(FiberFailedException failed) {
        throw new AssertionError("nothing was to fail", failed);
    }

    @Test
    void F7_whatABlockSpinsEndsWithIt() {
        TestCords.run(
                2,
                cords -> {
                    List<Fiber<?>> spun = new ArrayList<>();
                    Fiber<?> before = stay();
                    SpunFibers.run(
                            SpunFibersTest::none,
                            () -> {
                                spun.add(stay());
                                spun.add(cords.get(1).spin("there", () -> Fiber.sleep(LONG)));
                                Fiber.sleep(Duration.ofSeconds(1));
                            });
                    Fiber<?> after = stay();
                    Fiber.sleep(Duration.ofSeconds(1));
                    spun.forEach(each -> assertEquals(FiberState.DEAD, each.state()));
                    assertNotEquals(FiberState.DEAD, before.state());
                    assertNotEquals(FiberState.DEAD, after.state());
                });
    }

    /** However it is left. */
    @Test
    void F7_blockThatIsLeftLeavesNothing() {
        TestCord.run(
                () -> {
                    List<Fiber<?>> spun = new ArrayList<>();
                    CancelScope.moveOnAfter(
                            Duration.ofSeconds(1),
                            () ->
                                    SpunFibers.run(
                                            SpunFibersTest::none,
                                            () -> {
                                                spun.add(stay());
                                                Fiber.sleep(LONG);
                                            }));
                    assertThrows(
                            IllegalStateException.class,
                            () ->
                                    SpunFibers.run(
                                            SpunFibersTest::none,
                                            () -> {
                                                spun.add(stay());
                                                throw new IllegalStateException("broke");
                                            }));
                    assertEquals(2, spun.size());
                    spun.forEach(each -> assertEquals(FiberState.DEAD, each.state()));
                });
    }

    @Test
    void F7_failureIsToldToTheBlock() {
        TestCord.run(
                () -> {
                    IllegalStateException broke = new IllegalStateException("broke");
                    List<Throwable> told = new ArrayList<>();
                    SpunFibers.run(
                            failed -> told.add(failed.getCause()),
                            () -> {
                                Fiber.spin(
                                        "fails",
                                        () -> {
                                            throw broke;
                                        });
                                Fiber.sleep(Duration.ofSeconds(1));
                            });
                    assertEquals(List.of(broke), told);
                    Fiber.sleep(Duration.ofSeconds(1)); // it would be raised here
                });
    }

    /** What is awaited is the awaiter's, and a scope's fibers are the scope's. */
    @Test
    void F7_failureThatSomebodyTakesIsNotTold() {
        TestCord.run(
                () -> {
                    IllegalStateException broke = new IllegalStateException("broke");
                    SpunFibers.run(
                            SpunFibersTest::none,
                            () -> {
                                Fiber<?> awaited =
                                        Fiber.spin(
                                                "awaited",
                                                () -> {
                                                    throw broke;
                                                });
                                FiberFailedException failed =
                                        assertThrows(FiberFailedException.class, awaited::await);
                                assertSame(broke, failed.getCause());
                                assertThrows(
                                        FiberFailedException.class,
                                        () ->
                                                Scope.run(
                                                        scope ->
                                                                scope.spin(
                                                                        "of the scope",
                                                                        () -> {
                                                                            throw broke;
                                                                        })));
                            });
                });
    }

    @Test
    void F7_innerBlockKeepsItsOwn() {
        TestCord.run(
                () -> {
                    List<Fiber<?>> outer = new ArrayList<>();
                    SpunFibers.run(
                            SpunFibersTest::none,
                            () -> {
                                outer.add(stay());
                                SpunFibers.run(SpunFibersTest::none, SpunFibersTest::stay);
                                outer.add(stay());
                                assertEquals(
                                        Set.copyOf(outer), Set.copyOf(Fiber.current().children()));
                            });
                    assertEquals(List.of(), Fiber.current().children());
                });
    }

    /** The limit of its cord holds for what does not end. */
    @Test
    void F7_whatDoesNotEndIsAbandoned() {
        TestCord.run(
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    List<Fiber<?>> spun = new ArrayList<>();
                    SpunFibers.run(
                            SpunFibersTest::none,
                            () -> {
                                spun.add(
                                        Fiber.spin(
                                                "stubborn",
                                                () ->
                                                        CancelScope.shielded(
                                                                LONG, () -> Fiber.sleep(LONG))));
                                Fiber.sleep(Duration.ofSeconds(1));
                            });
                    assertTrue(spun.getFirst().awaitEnd(Duration.ZERO));
                });
    }

    /** What it was about to throw when the block ended. */
    @Test
    void F7_failureWhileItIsEndedIsToldToWhomItMatters() {
        TestCord.run(
                () -> {
                    List<Throwable> told = new ArrayList<>();
                    SpunFibers.runToEnd(
                            failed -> told.add(failed.getCause()),
                            () -> {
                                Fiber<?> fails =
                                        Fiber.spin(
                                                "fails",
                                                () -> {
                                                    Fiber.suspend();
                                                    throw new IllegalStateException("broke");
                                                });
                                Fiber.sleep(Duration.ofSeconds(1));
                                fails.schedule(null); // it has not run when the block is over
                            });
                    assertEquals(1, told.size(), told::toString);
                });
    }

    /** It is made when it is first needed, perhaps in a block, and outlives that. */
    @Test
    void F7_fiberOfAHandlerIsItsLibrarys() {
        TestCord.run(
                () -> {
                    List<Fiber<?>> made = new ArrayList<>();
                    SpunFibers.run(
                            SpunFibersTest::none,
                            () ->
                                    made.add(
                                            Cord.current()
                                                    .spinHandler("library", _ -> Handler.WAIT)));
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertNotEquals(FiberState.DEAD, made.getFirst().state());
                    made.getFirst().terminate();
                });
    }
}
