package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.coroutine.Coroutine;
import dev.ropewalk.fibers.coroutine.Generator;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Rule F10: variables of which each fiber has its own value. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class FiberLocalTest {
    // @start region="local"
    private static final FiberLocal<String> USER = FiberLocal.inheritable("nobody");

    private static String greet(String name) {
        return USER.callWith(name, () -> Fiber.spin(() -> "hello " + USER.get()).await());
    }

    // @end

    @Test
    void F10_callWithHandsTheValueDown() {
        Runs.inAnyOrder(
                () -> {
                    assertEquals("hello ann", greet("ann"));
                    assertEquals("nobody", USER.get());
                });
    }

    /** Scenario S3 of SQLOS. */
    @Test
    void F10_eachFiberHasItsOwn() {
        Runs.inAnyOrder(
                () -> {
                    FiberLocal<Integer> number = FiberLocal.of(0);
                    List<Fiber<Integer>> fibers = new ArrayList<>();
                    for (int i = 1; i <= 20; i++) {
                        int mine = i;
                        fibers.add(
                                Fiber.spin(
                                        () -> {
                                            assertEquals(0, number.get());
                                            number.set(mine);
                                            Runs.snooze(mine % 3);
                                            return number.get();
                                        }));
                    }
                    int sum = 0;
                    for (int each : Fiber.awaitAll(fibers)) {
                        sum += each;
                    }
                    assertEquals(210, sum);
                    assertEquals(0, number.get());
                });
    }

    @Test
    void F10_coroutinesThatYieldInTurnKeepTheirs() {
        Runs.inAnyOrder(
                () -> {
                    FiberLocal<@Nullable Object> tls = FiberLocal.of(null);
                    List<@Nullable Object> log = new ArrayList<>();
                    Coroutine<String, String> one =
                            Coroutine.of(
                                    (me, _) -> {
                                        log.add(tls.get());
                                        tls.set("x");
                                        me.yield("");
                                        log.add(tls.get());
                                        return "";
                                    });
                    tls.set(1);
                    one.resume("");
                    log.add(tls.get());
                    tls.set(3);
                    one.resume("");
                    log.add(tls.get());
                    List<@Nullable Object> expected = new ArrayList<>();
                    expected.add(null);
                    expected.addAll(List.of(1, "x", 3));
                    assertEquals(expected, log);
                });
    }

    @Test
    void F10_inheritedWhenSpunAndIndependentAfterwards() {
        Runs.inAnyOrder(
                () -> {
                    FiberLocal<String> handedDown = FiberLocal.inheritable("initial");
                    FiberLocal<String> own = FiberLocal.of("initial");
                    handedDown.set("parent's");
                    own.set("parent's");
                    List<String> log = new ArrayList<>();
                    Fiber<?> child =
                            Fiber.spin(
                                    () -> {
                                        log.add(handedDown.get() + " " + own.get());
                                        handedDown.set("child's");
                                        Fiber.suspend();
                                        log.add(handedDown.get());
                                    });
                    handedDown.set("changed");
                    Runs.settle();
                    assertEquals("changed", handedDown.get());
                    child.schedule(null);
                    child.await();
                    assertEquals(List.of("parent's initial", "child's"), log);
                    assertEquals("changed", Fiber.spin(() -> handedDown.get()).await());
                });
    }

    @Test
    void F10_removeAndCallWithPutBack() {
        Runs.inAnyOrder(
                () -> {
                    FiberLocal<@Nullable String> local = FiberLocal.inheritable("initial");
                    FiberLocal<String> other = FiberLocal.of("initial");
                    local.remove();
                    local.set("one");
                    other.set("other");
                    assertEquals("two", local.callWith("two", local::get));
                    assertEquals("one", local.get());
                    IllegalStateException thrown = new IllegalStateException("thrown");
                    assertSame(
                            thrown,
                            Runs.failureOf(
                                    () ->
                                            local.runWith(
                                                    null,
                                                    () -> {
                                                        assertEquals(null, local.get());
                                                        throw thrown;
                                                    })));
                    assertEquals("one", local.get());
                    local.remove();
                    assertEquals("initial", local.get());
                    assertEquals("two", local.callWith("two", local::get));
                    assertEquals("initial", local.get());
                    assertEquals("other", other.get());
                    local.set("one");
                    Fiber<?> child =
                            Fiber.spin(
                                    () -> {
                                        local.remove();
                                        assertEquals("initial", local.get());
                                        Fiber.spin(() -> assertEquals("initial", local.get()))
                                                .await();
                                    });
                    child.await();
                });
    }

    @Test
    void F10_restartBeginsWithWhatWasInherited() {
        Runs.inAnyOrder(
                () -> {
                    FiberLocal<String> local = FiberLocal.inheritable("initial");
                    FiberLocal<String> own = FiberLocal.of("initial");
                    local.set("inherited");
                    List<String> log = new ArrayList<>();
                    Fiber<?> child =
                            Fiber.spin(
                                    () -> {
                                        log.add(local.get() + " " + own.get());
                                        local.set("changed");
                                        local.remove();
                                        own.set("changed");
                                        Fiber.suspend();
                                    });
                    Runs.settle();
                    child.restart();
                    Runs.settle();
                    child.terminate();
                    assertEquals(List.of("inherited initial", "inherited initial"), log);
                });
    }

    @Test
    void F10_valuesGoWithTheFiber() {
        Runs.inAnyOrder(
                () -> {
                    FiberLocal<String> local = FiberLocal.inheritable("initial");
                    local.set("inherited");
                    Fiber<?> child = Fiber.spin(() -> local.set("changed"));
                    child.await();
                    assertEquals(null, FiberImpl.of(child).locals);
                    Fiber<?> unborn = Fiber.spin(() -> local.set("changed"));
                    unborn.terminate();
                    unborn.awaitEnd(Waits.FOREVER);
                    assertEquals(null, FiberImpl.of(unborn).locals);
                });
    }

    @Test
    void F10_aFiberThatUsesNoneHoldsNone() {
        Runs.inAnyOrder(
                () -> {
                    FiberLocal.of("").set("not handed down");
                    Fiber<?> child = Fiber.spin(() -> Fiber.suspend());
                    Runs.settle();
                    assertEquals(null, FiberImpl.of(child).locals);
                });
    }

    @Test
    void F10_handlersKeepTheirsFromTurnToTurn() {
        Runs.inAnyOrder(
                () -> {
                    FiberLocal<Integer> turns = FiberLocal.inheritable(0);
                    turns.set(10);
                    List<Integer> log = new ArrayList<>();
                    Fiber<?> handler =
                            Cord.current()
                                    .spinHandler(
                                            "counts",
                                            _ -> {
                                                turns.set(turns.get() + 1);
                                                log.add(turns.get());
                                                return turns.get() < 13 ? "again" : Handler.END;
                                            });
                    handler.await();
                    assertEquals(List.of(11, 12, 13), log);
                    assertEquals(10, turns.get());
                });
    }

    @Test
    void F10_handedDownToOtherCords() {
        Reports reports = new Reports();
        Runs.real(
                reports,
                () -> {
                    FiberLocal<String> local = FiberLocal.inheritable("initial");
                    local.set("from the first cord");
                    Cord first = Cord.current();
                    String spunByThread = Blocking.call(() -> first.spin("c", local::get).await());
                    assertEquals("initial", spunByThread);
                    try (Cord other = Cord.start("other")) {
                        assertEquals("from the first cord", other.spin("a", local::get).await());
                        String byThread = Blocking.call(() -> other.spin("b", local::get).await());
                        assertEquals("initial", byThread);
                    }
                });
        reports.assertNone();
    }

    @Test
    void F10_withInitialMakesOneForEachFiber() {
        Runs.inAnyOrder(
                () -> {
                    FiberLocal<List<String>> log = FiberLocal.withInitial(ArrayList::new);
                    log.get().add("parent's");
                    Fiber<List<String>> child =
                            Fiber.spin(
                                    () -> {
                                        log.get().add("child's");
                                        Fiber.snooze();
                                        return log.get();
                                    });
                    assertEquals(List.of("child's"), child.await());
                    assertEquals(List.of("parent's"), log.get());
                    log.remove();
                    assertEquals(List.of(), log.get());
                });
    }

    @Test
    void F10_withInitialThatFailsIsTriedAgain() {
        Runs.inAnyOrder(
                () -> {
                    int[] calls = {0};
                    FiberLocal<Integer> local =
                            FiberLocal.withInitial(
                                    () -> {
                                        if (++calls[0] == 1) {
                                            throw new IllegalStateException("once");
                                        }
                                        return calls[0];
                                    });
                    assertThrows(IllegalStateException.class, local::get);
                    assertEquals(2, local.get());
                    assertEquals(2, local.get());
                });
    }

    /** Whoever asks it first. */
    @Test
    void F10_bodyOfAGeneratorInheritsFromItsMakerAsItIsMade() {
        Runs.inAnyOrder(
                () -> {
                    FiberLocal<String> local = FiberLocal.inheritable("initial");
                    local.set("at first");
                    Generator<String> generator = Generator.of(out -> out.yield(local.get()));
                    local.set("later");
                    Fiber<String> asks =
                            Fiber.spin(() -> local.callWith("who asks", generator::next));
                    assertEquals("at first", asks.await());
                });
    }

    @Test
    void misuse_whereNoFiberRuns() {
        FiberLocal<String> local = FiberLocal.of("initial");
        assertThrows(IllegalStateException.class, local::get);
        assertThrows(IllegalStateException.class, () -> local.set(""));
        assertThrows(IllegalStateException.class, local::remove);
        assertThrows(IllegalStateException.class, () -> local.runWith("", () -> {}));
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        Runs.fifo(
                () -> {
                    Cord.current().post(Runs.message(() -> thrown.set(Runs.failureOf(local::get))));
                    Runs.settle();
                    assertTrue(String.valueOf(thrown.get()).contains("no fiber runs on"));
                });
    }
}
