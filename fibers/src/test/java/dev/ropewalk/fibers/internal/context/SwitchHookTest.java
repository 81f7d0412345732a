package dev.ropewalk.fibers.internal.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.SwitchHook;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.coroutine.Generator;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.FiberLoop;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.JdkSleep;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.spi.MDCAdapter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;

/** Rule F10: context that other code binds to the thread goes with the fiber. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SwitchHookTest {
    // @start region="identity"
    private static final ThreadLocal<String> USER = ThreadLocal.withInitial(() -> "nobody");

    private static CordOptions carryingUser(CordOptions options) {
        return options.withSwitchHooks(SwitchHook.of("user", "nobody", USER::get, USER::set));
    }

    // @end

    /** What the hook has set on any thread. */
    private final List<String> sets = new CopyOnWriteArrayList<>();

    private final SwitchHook<String> hook =
            SwitchHook.of(
                    "user",
                    "nobody",
                    USER::get,
                    user -> {
                        sets.add(user);
                        USER.set(user);
                    });

    private final Reports reports = new Reports();

    private CordOptions fifo() {
        return Runs.virtualOptions(reports).withSwitchHooks(hook);
    }

    /** In any order, and on both kinds of stacks. */
    private void everywhere(Action body) {
        for (long seed = 1; seed <= 3; seed++) {
            CordOptions.Clock clock = new CordOptions.VirtualClock(seed, seed > 1);
            run(fifo().withClock(clock), body);
        }
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            run(fifo().withClock(new CordOptions.RealClock()).withStacks(stacks), body);
        }
    }

    private static void run(CordOptions options, Action body) {
        USER.set("thread");
        Cord.<@Nullable Object>run(
                options,
                () -> {
                    body.run();
                    return null;
                });
        assertEquals("thread", USER.get(), "the thread got its own back");
    }

    /** Has a user of its own, and finds it after each turn. */
    private static void keepsBeing(String user, int turns) {
        USER.set(user);
        for (int i = 0; i < turns; i++) {
            Fiber.snooze();
            assertEquals(user, USER.get());
        }
    }

    // ---------------------------------------------------------------- each its own

    @Test
    void F12_callOfABlockingPoolHasTheContextOfItsCaller() {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            run(
                    fifo().withClock(new CordOptions.RealClock()).withStacks(stacks),
                    () -> {
                        USER.set("caller");
                        assertEquals(
                                "caller",
                                Blocking.call(
                                        () -> {
                                            String found = USER.get();
                                            USER.set("call");
                                            return found;
                                        }));
                        assertEquals("caller", USER.get());
                        USER.set("other");
                        assertEquals("other", Blocking.call(USER::get));
                    });
        }
        run(
                Runs.virtualOptions(reports).withClock(new CordOptions.RealClock()),
                () -> {
                    USER.set("caller");
                    assertEquals("nobody", Blocking.call(USER::get)); // without a hook
                    USER.set("thread");
                });
    }

    @Test
    void F12_hookThatFailsInAPoolCostsNoCall() {
        SwitchHook<String> broken =
                SwitchHook.of(
                        "broken",
                        "nobody",
                        USER::get,
                        user -> {
                            if (Cord.currentOrNull() == null) {
                                throw new IllegalStateException("set " + user);
                            }
                            USER.set(user);
                        });
        run(
                Runs.virtualOptions(reports)
                        .withClock(new CordOptions.RealClock())
                        .withSwitchHooks(broken),
                () -> {
                    USER.set("caller");
                    assertEquals("nobody", Blocking.call(USER::get));
                });
    }

    @Test
    void F10_hookThatIsMadeOfGetAndSet() {
        run(
                carryingUser(Runs.virtualOptions(reports)),
                () -> Fiber.spin(() -> keepsBeing("child", 3)).await());
        reports.assertNone();
    }

    @Test
    void F10_eachFiberFindsItsOwn() {
        everywhere(
                () -> {
                    USER.set("root");
                    List<Fiber<@Nullable Void>> fibers = new ArrayList<>();
                    for (int i = 0; i < 10; i++) {
                        String user = "user" + i % 4;
                        fibers.add(Fiber.spin(() -> keepsBeing(user, 20)));
                    }
                    Fiber.awaitAll(fibers);
                    assertEquals("root", USER.get());
                });
        reports.assertNone();
    }

    /** Scenario S4 of SQLOS. */
    @Tag("needs-flags")
    @Test
    void F10_setOnlyWhenItChanges() {
        run(
                fifo(),
                () -> {
                    USER.set("u1");
                    Fiber<?> a = Fiber.spin(() -> Runs.snooze(10));
                    Fiber<?> c = Fiber.spin(() -> Runs.snooze(10));
                    a.await();
                    c.await();
                    assertEquals(List.of(), sets);

                    Fiber<?> a2 = Fiber.spin(() -> Runs.snooze(1));
                    USER.set("u2");
                    Fiber<?> b = Fiber.spin(() -> Runs.snooze(1));
                    USER.set("u1");
                    Fiber<?> c2 = Fiber.spin(() -> Runs.snooze(1));
                    List<Fiber<?>> all = List.of(a2, b, c2);
                    all.forEach(each -> each.awaitEnd(Waits.FOREVER));
                    assertEquals(List.of("u2", "u1", "u2", "u1"), sets);
                });
    }

    /** Scenario S4 of SQLOS, its second half. */
    @Tag("needs-flags")
    @Test
    void F10_rightAfterAnException() {
        run(
                fifo(),
                () -> {
                    USER.set("u1");
                    Fiber<?> fails =
                            Fiber.spin(
                                    () -> {
                                        USER.set("u2");
                                        throw new IllegalArgumentException("thrown");
                                    });
                    Fiber<?> same = Fiber.spin(() -> assertEquals("u1", USER.get()));
                    Fiber<?> other = Fiber.spin(() -> assertEquals("u1", USER.get()));
                    assertThrows(FiberFailedException.class, fails::await);
                    assertEquals("u1", USER.get());
                    same.await();
                    other.await();
                    assertEquals(List.of("u1"), sets);
                });
        assertThrows(
                FiberFailedException.class,
                () ->
                        run(
                                fifo(),
                                () -> {
                                    USER.set("u3");
                                    throw new IllegalArgumentException("thrown");
                                }));
        assertEquals("thread", USER.get());
    }

    // ---------------------------------------------------------------- where it comes from

    @Test
    void F10_childBeginsWithItsParentsAndChangesItForItself() {
        everywhere(
                () -> {
                    assertEquals("thread", USER.get()); // the root has the thread's
                    USER.set("parent");
                    Fiber<?> child =
                            Fiber.spin(
                                    () -> {
                                        assertEquals("parent", USER.get());
                                        keepsBeing("child", 3);
                                        Fiber.spin(() -> assertEquals("child", USER.get())).await();
                                    });
                    USER.set("changed");
                    child.await();
                    assertEquals("changed", USER.get());
                });
        reports.assertNone();
    }

    @Test
    void F10_handedDownToOtherCordsAndNotByPlainThreads() {
        try (Cord other = Cord.start(CordOptions.named("other").withSwitchHooks(hook))) {
            assertEquals("nobody", other.spin("by a thread", () -> USER.get()).await());
            run(
                    CordOptions.named("real").withSwitchHooks(hook),
                    () -> {
                        USER.set("from afar");
                        assertEquals("from afar", other.spin("far", () -> USER.get()).await());
                        assertEquals("from afar", USER.get());
                    });
        }
    }

    @Test
    void F10_restartedFiberBeginsAgainWithWhatItInherited() {
        run(
                fifo(),
                () -> {
                    USER.set("inherited");
                    List<String> found = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        found.add(USER.get());
                                        USER.set("changed");
                                        Fiber.suspend();
                                    });
                    Runs.settle();
                    fiber.restart();
                    Runs.settle();
                    fiber.terminate();
                    Runs.settle();
                    assertEquals(List.of("inherited", "inherited"), found);
                    assertEquals("inherited", USER.get());
                });
    }

    @Test
    void F10_handlersAndCoroutinesKeepTheirs() {
        everywhere(
                () -> {
                    List<String> found = new ArrayList<>();
                    Fiber<?> handler =
                            Cord.current()
                                    .spinHandler(
                                            "handler",
                                            _ -> {
                                                found.add(USER.get());
                                                USER.set(USER.get() + "+");
                                                return found.size() < 3 ? "again" : Handler.END;
                                            });
                    Generator<String> users =
                            Generator.of(
                                    out -> {
                                        USER.set("generator");
                                        for (; ; ) {
                                            out.yield(USER.get());
                                        }
                                    });
                    USER.set("consumer");
                    for (int i = 0; i < 3; i++) {
                        assertEquals("generator", users.next());
                        assertEquals("consumer", USER.get());
                    }
                    users.close();
                    handler.await();
                    assertEquals(List.of("thread", "thread+", "thread++"), found);
                });
    }

    // ---------------------------------------------------------------- what is no fiber

    @Test
    void F10_messagesFindTheThreadsOwn() {
        everywhere(
                () -> {
                    USER.set("fiber");
                    List<String> found = new ArrayList<>();
                    Cord cord = Cord.current();
                    for (int i = 0; i < 5; i++) {
                        cord.post(Runs.message(() -> found.add(USER.get())));
                        // Alone, so that the look comes in the middle of a turn; then asleep.
                        Runs.snooze(2 * FiberLoop.POLL_INTERVAL);
                        assertEquals("fiber", USER.get());
                        cord.post(Runs.message(() -> found.add(USER.get())));
                        Fiber.sleep(Duration.ofNanos(1));
                        assertEquals("fiber", USER.get());
                    }
                    while (found.size() < 10) {
                        Fiber.snooze();
                    }
                    assertTrue(found.stream().allMatch("thread"::equals), found::toString);
                });
    }

    // ---------------------------------------------------------------- bad hooks

    @Test
    void F10_hookThatThrowsHarmsNobody() {
        boolean[] isBroken = new boolean[1];
        SwitchHook<String> broken =
                SwitchHook.of(
                        "broken",
                        "",
                        () -> {
                            if (isBroken[0]) {
                                throw new AssertionError("get");
                            }
                            return "x";
                        },
                        _ -> {
                            throw new IllegalArgumentException("set");
                        });
        run(
                fifo().withSwitchHooks(broken, hook),
                () -> {
                    isBroken[0] = true;
                    USER.set("root");
                    Fiber<?> other = Fiber.spin(() -> keepsBeing("other", 5));
                    keepsBeing("root", 5);
                    other.await();
                    assertEquals("root", USER.get());
                });
        String text = String.valueOf(reports.all().getFirst().failure().getMessage());
        assertTrue(text.contains("switch hook broken could not"), text);
        assertTrue(
                reports.all().stream()
                        .allMatch(each -> each.failure().getCause() instanceof AssertionError));
    }

    @Test
    void misuse_hookThatWaitsGetsAnError() {
        boolean[] hasBegun = new boolean[1];
        SwitchHook<String> waits =
                SwitchHook.of(
                        "waits",
                        "",
                        () -> {
                            if (hasBegun[0]) {
                                Fiber.snooze();
                            }
                            hasBegun[0] = true;
                            return "";
                        },
                        _ -> {});
        run(
                fifo().withSwitchHooks(waits, hook),
                () -> Fiber.spin(() -> keepsBeing("child", 3)).await());
        IllegalStateException reported = (IllegalStateException) reports.all().getFirst().failure();
        assertTrue(
                String.valueOf(Runs.cause(reported).getMessage()).contains("no fiber runs on"),
                reported::toString);
    }

    /** Its fiber's timer would fire while the fiber is on its way to wait, and wake nobody. */
    @Test
    void F10_hookThatBlocksSwitchesNothing() {
        long[] blocksFor = new long[1];
        SwitchHook<String> blocks =
                SwitchHook.of(
                        "blocks",
                        "",
                        () -> {
                            if (blocksFor[0] > 0) {
                                JdkSleep.block(Duration.ofNanos(blocksFor[0]));
                            }
                            return "";
                        },
                        _ -> {});
        run(
                CordOptions.named("blocks")
                        .withUncaught(reports)
                        .withStacks(StackKind.VIRTUAL_THREAD)
                        .withSwitchHooks(blocks, hook),
                () -> {
                    blocksFor[0] = 5_000_000;
                    Fiber<@Nullable Object> waits =
                            Fiber.spin(() -> Waits.park("nothing", 1_000_000));
                    Fiber<?> other = Fiber.spin(() -> keepsBeing("other", 2));
                    assertTrue(waits.awaitEnd(Duration.ofSeconds(5)));
                    assertSame(Waits.TIMED_OUT, waits.await());
                    other.await();
                });
        reports.assertNone();
    }

    // ---------------------------------------------------------------- the MDC

    @Test
    void F10_mdcGoesWithTheFiberAndItsChildren() {
        MDCAdapter mdc = new BasicMDCAdapter();
        mdc.put("of", "thread");
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            run(
                    CordOptions.named("mdc")
                            .withStacks(stacks)
                            .withUncaught(reports)
                            .withSwitchHooks(ContextHook.mdc(mdc)),
                    () -> {
                        mdc.put("request", "1");
                        Fiber<?> child =
                                Fiber.spin(
                                        () -> {
                                            assertEquals("1", mdc.get("request"));
                                            assertEquals("thread", mdc.get("of"));
                                            mdc.put("step", "a");
                                            Fiber.snooze();
                                            assertEquals("a", mdc.get("step"));
                                            mdc.clear();
                                            Fiber.snooze();
                                            assertEquals(null, mdc.get("request"));
                                        });
                        mdc.put("request", "2");
                        Runs.snooze(5);
                        assertEquals("2", mdc.get("request"));
                        assertEquals(null, mdc.get("step"));
                        child.await();
                    });
            assertEquals(Map.of("of", "thread"), mdc.getCopyOfContextMap());
        }
        reports.assertNone();
    }

    @Test
    void F10_loggerWithoutAnMdc() {
        run(
                fifo().withSwitchHooks(SwitchHook.mdc(), hook),
                () -> Fiber.spin(() -> keepsBeing("child", 3)).await());
        reports.assertNone();
    }

    @Test
    void F10_withoutHooksThereIsNothing() {
        Runs.inAnyOrder(() -> assertSame(null, CordImpl.current().loop.hooks));
    }

    // ---------------------------------------------------------------- at random

    /** Whatever fibers do, each finds what it set last, or what its parent had. */
    private void randomFibers(long seed) {
        CordOptions.Clock clock = new CordOptions.VirtualClock(seed, true);
        try {
            run(fifo().withClock(clock), () -> lives(new SplittableRandom(seed), 4));
            reports.assertNone();
        } catch (Throwable failed) {
            throw new AssertionError("seed=" + seed, failed);
        }
    }

    private static void lives(SplittableRandom random, int depth) {
        String mine = USER.get();
        int steps = random.nextInt(12);
        for (int i = 0; i < steps; i++) {
            switch (random.nextInt(6)) {
                case 0 -> {
                    mine = "user" + random.nextInt(3);
                    USER.set(mine);
                }
                case 1 -> Fiber.snooze();
                case 2 -> Fiber.sleep(Duration.ofNanos(random.nextInt(5)));
                case 3 -> Cord.current().post(Runs.message(() -> USER.set("message's")));
                case 4 -> Fiber.spin(() -> USER.set("ended")).await();
                default -> {
                    if (depth > 0) {
                        String given = mine;
                        SplittableRandom own = random.split();
                        Fiber<?> child =
                                Fiber.spin(
                                        () -> {
                                            assertEquals(given, USER.get());
                                            lives(own, depth - 1);
                                        });
                        if (random.nextBoolean()) {
                            child.terminate();
                        }
                    }
                }
            }
            assertEquals(mine, USER.get());
        }
    }

    @Test
    void F10_randomFibersFindTheirOwn() {
        for (long seed = 1; seed <= 100; seed++) {
            randomFibers(seed);
        }
    }

    @Test
    @Tag("stress")
    void F10_randomFibersFindTheirOwnManySeeds() {
        for (long seed = 1_000; seed <= 6_000; seed++) {
            randomFibers(seed);
        }
    }
}
