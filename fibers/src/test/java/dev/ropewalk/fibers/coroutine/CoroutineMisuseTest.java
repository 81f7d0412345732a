package dev.ropewalk.fibers.coroutine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Rule F16: each wrong use of a coroutine is an error that says so, and changes nothing. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CoroutineMisuseTest {
    private static final Duration SHORT = Duration.ofMillis(100);

    /** A coroutine whose body gets at it before it is made. */
    private static final class Late {
        private final List<Coroutine<String, String>> made = new ArrayList<>();

        Coroutine<String, String> get() {
            return made.getFirst();
        }

        Coroutine<String, String> set(Coroutine<String, String> coroutine) {
            made.add(coroutine);
            return coroutine;
        }
    }

    private static Coroutine<String, String> yielding(String name) {
        return Coroutine.of(
                name,
                (me, first) -> {
                    for (String next = first; ; next = me.yield(next)) {
                        if (next.equals("end")) {
                            return next;
                        }
                    }
                });
    }

    private static void assertMisuse(String part, Action wrong) {
        Throwable thrown = Runs.failureOf(wrong);
        assertTrue(thrown instanceof IllegalStateException, thrown::toString);
        assertTrue(String.valueOf(thrown.getMessage()).contains(part), thrown::toString);
    }

    @Test
    void misuse_resumeOfADeadOne() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> returned = yielding("x");
                    returned.resume("end");
                    assertMisuse(
                            "coroutine x on cord test cannot be resumed: it is dead, because its"
                                    + " body returned",
                            () -> returned.resume(""));
                    Coroutine<String, String> failed = yielding("y");
                    failed.resume("");
                    Runs.failureOf(() -> failed.raise(new IllegalArgumentException("bad")));
                    assertMisuse("its body failed: ", () -> failed.resume(""));
                    assertMisuse("is dead", () -> failed.raise(new Exception("late")));
                });
    }

    @Test
    void misuse_resumeOfTheRunningOne() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> self =
                            Coroutine.of(
                                    (me, _) -> {
                                        assertMisuse("cannot resume itself", () -> me.resume(""));
                                        return "went on";
                                    });
                    assertEquals("went on", self.resume(""));
                });
    }

    @Test
    void misuse_resumeOfOneThatHasResumedAnother() {
        Runs.inAnyOrder(
                () -> {
                    Late f = new Late();
                    Coroutine<String, String> g =
                            Coroutine.of(
                                    "g",
                                    (_, _) -> {
                                        assertMisuse("was resumed by", () -> f.get().resume(""));
                                        assertMisuse(
                                                "has resumed coroutine g",
                                                () -> f.get().transfer(""));
                                        return "g";
                                    });
                    f.set(Coroutine.of("f", (_, _) -> g.resume("") + "f"));
                    assertEquals("gf", f.get().resume(""));
                });
    }

    @Test
    void misuse_resumeOfATransferredOneThatHasResumedAnother() {
        Runs.inAnyOrder(
                () -> {
                    Late f = new Late();
                    Coroutine<String, String> g =
                            Coroutine.of(
                                    "g",
                                    (_, _) -> {
                                        assertMisuse(
                                                "has resumed coroutine g on cord test and waits for"
                                                        + " it",
                                                () -> f.get().resume(""));
                                        return "g";
                                    });
                    f.set(Coroutine.of("f", (_, _) -> g.resume("") + "f"));
                    assertEquals("gf", f.get().transfer(""));
                });
    }

    @Test
    void misuse_resumeByTwoFibersAtOnce() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow =
                            Coroutine.of(
                                    (_, _) -> {
                                        Fiber.sleep(SHORT);
                                        return "result";
                                    });
                    Fiber<String> first = Fiber.spin("first", () -> slow.resume(""));
                    Runs.settle();
                    assertMisuse("was resumed by fiber first", () -> slow.resume(""));
                    assertEquals("result", first.await());
                });
    }

    @Test
    void misuse_yieldOutsideOfAResume() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> transferred =
                            Coroutine.of(
                                    (me, _) -> {
                                        assertMisuse("nobody has resumed it", () -> me.yield(""));
                                        return "went on";
                                    });
                    assertEquals("went on", transferred.transfer(""));
                });
    }

    @Test
    void misuse_yieldByAnotherFiber() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> idle = yielding("idle");
                    assertMisuse("cannot yield for fiber root on cord test", () -> idle.yield(""));
                    idle.resume("");
                    assertMisuse("only its own body yields", () -> idle.yield(""));
                    Coroutine<String, String> other =
                            Coroutine.of(
                                    "other",
                                    (_, _) -> {
                                        assertMisuse(
                                                "cannot yield for coroutine other",
                                                () -> idle.yield(""));
                                        return "went on";
                                    });
                    assertEquals("went on", other.resume(""));
                });
    }

    @Test
    void misuse_resumeOfOneThatHasTransferred() {
        Runs.inAnyOrder(
                () -> {
                    Late f = new Late();
                    Coroutine<String, String> g =
                            Coroutine.of(
                                    (_, _) -> {
                                        assertMisuse(
                                                "has transferred to another",
                                                () -> f.get().resume(""));
                                        assertMisuse(
                                                "has transferred to another",
                                                () -> f.get().raise(new Exception("x")));
                                        return "g";
                                    });
                    f.set(Coroutine.of((_, _) -> String.valueOf(g.transfer(""))));
                    assertEquals("g", f.get().transfer(""));
                    assertMisuse("go back to it by transfer", () -> f.get().resume(""));
                    assertEquals("back", f.get().transfer("back"));
                });
    }

    @Test
    void misuse_resumeOfAResumedOneThatHasTransferred() {
        Runs.inAnyOrder(
                () -> {
                    Late f = new Late();
                    Coroutine<String, String> g =
                            Coroutine.of(
                                    (_, _) -> {
                                        assertMisuse("was resumed by", () -> f.get().resume(""));
                                        return "g";
                                    });
                    f.set(Coroutine.of((_, _) -> String.valueOf(g.transfer(""))));
                    assertEquals("g", f.get().resume(""));
                });
    }

    @Test
    void misuse_transferToOneThatYielded() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> yielded = yielding("x");
                    yielded.resume("");
                    assertMisuse("it has yielded; resume it", () -> yielded.transfer(""));
                    assertEquals("end", yielded.resume("end"));
                });
    }

    @Test
    void misuse_transferToADeadOne() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> dead = yielding("x");
                    dead.resume("end");
                    assertMisuse("cannot be transferred to: it is dead", () -> dead.transfer(""));
                });
    }

    @Test
    void misuse_transferToOneThatRunsForAnother() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow =
                            Coroutine.of(
                                    (_, _) -> {
                                        Fiber.sleep(SHORT);
                                        return "result";
                                    });
                    Fiber<@Nullable Object> first = Fiber.spin("first", () -> slow.transfer(""));
                    Runs.settle();
                    assertMisuse("runs already, for fiber first", () -> slow.transfer(""));
                    assertMisuse("runs already, for fiber first", () -> slow.resume(""));
                    assertEquals("result", first.await());
                });
    }

    @Test
    void misuse_transferIntoWhatAnotherFiberWaitsFor() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow =
                            Coroutine.of(
                                    (_, _) -> {
                                        Fiber.sleep(SHORT);
                                        return "result";
                                    });
                    Coroutine<String, String> resumed =
                            Coroutine.of((_, _) -> String.valueOf(slow.transfer("")));
                    Fiber<String> first = Fiber.spin("first", () -> resumed.resume(""));
                    Runs.settle();
                    assertMisuse("it acts for fiber first", () -> resumed.transfer(""));
                    assertEquals("result", first.await());
                });
    }

    @Test
    void misuse_raiseIntoAnUnbornOne() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> unborn = yielding("x");
                    assertMisuse("has not begun", () -> unborn.raise(new Exception("x")));
                    assertEquals("end", unborn.resume("end"));
                });
    }

    @Test
    void misuse_awaitWhereNothingIsOwed() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> idle = yielding("x");
                    assertMisuse("owes nothing to await", idle::await);
                    idle.resume("");
                    assertMisuse("resume it", idle::await);
                    idle.resume("end");
                    assertMisuse("is dead", idle::await);
                });
    }

    @Test
    void misuse_closeByItsOwnBodyOrBelow() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> self =
                            Coroutine.of(
                                    (me, _) -> {
                                        assertMisuse("return from the body", me::close);
                                        Fiber.spin(
                                                        () ->
                                                                assertMisuse(
                                                                        "return from the body",
                                                                        me::close))
                                                .await();
                                        return "went on";
                                    });
                    assertEquals("went on", self.resume(""));
                });
    }

    @Test
    void misuse_beginningAfterTheEndOfWhoMadeIt() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> orphan = Fiber.spin(() -> yielding("x")).await();
                    assertMisuse("which made it and would be its parent", () -> orphan.resume(""));
                    assertMisuse("has ended", () -> orphan.transfer(""));
                });
    }

    @Test
    void misuse_restartAndRespawnOfItsFiber() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> fibers = new ArrayList<>();
                    Coroutine<String, String> body =
                            Coroutine.of(
                                    (_, _) -> {
                                        fibers.add(Fiber.current());
                                        Fiber.sleep(SHORT);
                                        return "result";
                                    });
                    Fiber.spin(
                            () -> {
                                Fiber.sleep(SHORT.dividedBy(2));
                                fibers.getFirst().restart();
                            });
                    assertMisuse("runs once and cannot be restarted", () -> body.resume(""));
                    assertFalse(body.isAlive());
                    Fiber<?> again = fibers.getFirst().respawn();
                    assertMisuse(
                            "runs once",
                            () -> {
                                throw Runs.cause(Runs.failureOf(again::await))
                                                instanceof Exception e
                                        ? e
                                        : new Exception("no exception");
                            });
                });
    }

    private static void assertWrongThread(Action wrong) {
        Throwable thrown = Runs.failureOf(wrong);
        assertTrue(thrown instanceof WrongThreadException, thrown::toString);
        assertTrue(String.valueOf(thrown.getMessage()).contains("belongs to cord real"));
    }

    @Test
    void misuse_fromAnotherCordOrThread() {
        Runs.real(
                () -> {
                    Coroutine<String, String> mine = yielding("x");
                    mine.resume("");
                    Action all =
                            () -> {
                                assertWrongThread(() -> mine.resume(""));
                                assertWrongThread(() -> mine.transfer(""));
                                assertWrongThread(() -> mine.yield(""));
                                assertWrongThread(() -> mine.raise(new Exception("x")));
                                assertWrongThread(mine::await);
                                assertWrongThread(mine::close);
                            };
                    try (Cord other = Cord.start("other")) {
                        other.spin("user", all).await();
                    }
                    Blocking.run(all::run);
                    assertEquals("end", mine.resume("end"));
                });
    }

    @Test
    void misuse_byNoFiber() {
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        Runs.fifo(
                () -> {
                    Coroutine<String, String> idle = yielding("x");
                    Cord.current()
                            .post(
                                    Runs.message(
                                            () ->
                                                    thrown.set(
                                                            Runs.failureOf(
                                                                    () -> idle.resume("")))));
                    Runs.settle();
                    assertTrue(String.valueOf(thrown.get()).contains("no fiber runs on"));
                    assertEquals("end", idle.resume("end"));
                });
        Throwable onPlainThread = Runs.failureOf(() -> yielding("x"));
        assertTrue(onPlainThread instanceof IllegalStateException, onPlainThread::toString);
    }
}
