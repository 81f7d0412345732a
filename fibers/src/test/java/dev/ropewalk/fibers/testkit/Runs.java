package dev.ropewalk.fibers.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;
import dev.ropewalk.fibers.testing.VirtualCords;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The ways in which these tests run a body; each looks at the cord's structures afterwards. */
public final class Runs {
    private static final long[] SEEDS = {1, 2, 3};
    private static final int MANY_SEEDS = 60;

    /** In which fibers may end by themselves. */
    private static final int LAST_TURNS = 1_000;

    private static final long LIMIT_S = 10;
    private static final Duration POLL = Duration.ofMillis(1);

    private Runs() {}

    /** On virtual clocks, in any order. */
    public static void inAnyOrder(Action body) {
        TestCord.run(checked(body));
    }

    /**
     * In any order; the body fails for a fiber that it leaves behind, and for a warning or error of
     * Ropewalk that it did not announce.
     */
    public static void cleanly(Action body) {
        TestCords.run(
                1,
                _ -> {
                    TestCord.failOnLogs();
                    checked(body).run();
                    snooze(LAST_TURNS);
                    assertEquals(List.of(), VirtualCords.living());
                });
    }

    /** On virtual clocks, for tests whose subject is the FIFO order. */
    public static void fifo(Action body) {
        for (long seed : SEEDS) {
            TestCord.run(seed, false, checked(body));
        }
    }

    /** On cords that share this thread and a virtual clock, in any order of their turns. */
    public static void together(int cords, TestCords.Body body) {
        for (long seed = 0; seed < MANY_SEEDS; seed++) {
            TestCords.run(cords, seed, seed % 2 == 0, body);
        }
    }

    /** On cords with real time, of both kinds of stacks; its own failure comes out as it is. */
    public static void real(Action body) {
        real(new Reports(), body);
    }

    public static void real(Reports reports, Action body) {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            real(stacks, reports, body);
        }
    }

    public static void real(StackKind stacks, Reports reports, Action body) {
        Cord.<@Nullable Object>run(
                CordOptions.named("real").withUncaught(reports).withStacks(stacks),
                () -> {
                    checked(body).run();
                    return null;
                });
    }

    /** Once on a virtual clock, for tests of what the run itself throws. */
    public static <T extends @Nullable Object> T virtual(
            Reports reports, Callable<? extends T> body) {
        return Cord.run(virtualOptions(reports), body);
    }

    public static CordOptions virtualOptions(Reports reports) {
        return CordOptions.named("virtual")
                .withClock(new CordOptions.VirtualClock(1, false))
                .withUncaught(reports);
    }

    public static Cord started(String name, Reports reports) {
        return Cord.start(CordOptions.named(name).withUncaught(reports));
    }

    /** Checks a started cord from inside and closes it. */
    public static void checkAndClose(Cord cord) {
        cord.spin("check", () -> CordImpl.of(cord).checkInvariants()).await();
        cord.close();
    }

    /** What the code returns there. */
    public static <T extends @Nullable Object> T onCord(Cord cord, Callable<? extends T> code) {
        return cord.<T>spin("look", code).await();
    }

    private static Action checked(Action body) {
        return () -> {
            body.run();
            CordImpl.current().checkInvariants();
        };
    }

    /** Blocks this thread, with a limit. */
    public static void await(CountDownLatch latch) {
        boolean opened = false;
        try {
            opened = latch.await(LIMIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!opened) {
            throw new AssertionError("the latch was not opened within " + LIMIT_S + " s");
        }
    }

    /** Blocks this thread until the condition holds, with a limit. */
    public static void until(Callable<Boolean> condition) {
        Awaitility.await().pollDelay(Duration.ZERO).pollInterval(POLL).until(condition);
    }

    /** Keeps this thread busy until the fiber of another cord is dead. */
    public static void spinUntilDead(Fiber<?> fiber) {
        while (FiberImpl.of(fiber).outcome() == null) {
            Thread.onSpinWait();
        }
    }

    /**
     * On a virtual clock: lets the others run until all of them wait, for time does not pass
     * before.
     */
    public static void settle() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    /**
     * Yields until the condition holds, with a limit. One yield is not enough in real time: where
     * the cord is marked, a call that need not wait yields too (rule F6).
     */
    public static void snoozeUntil(BooleanSupplier condition) {
        for (int i = 0; i < LAST_TURNS && !condition.getAsBoolean(); i++) {
            Fiber.snooze();
        }
    }

    public static void snooze(int times) {
        for (int i = 0; i < times; i++) {
            Fiber.snooze();
        }
    }

    /** What the action throws. */
    public static Throwable failureOf(Action action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            return thrown;
        }
        throw new AssertionError("nothing was thrown");
    }

    /** What caused it; there must be something. */
    public static Throwable cause(Throwable thrown) {
        return Objects.requireNonNull(thrown.getCause(), () -> "no cause: " + thrown);
    }

    /** A message for a cord that is alive. */
    public static CordMessage message(Runnable task) {
        return new CordMessage() {
            @Override
            public void onCord() {
                task.run();
            }

            @Override
            public void onClosed() {
                // The test sees that the task has not run.
            }
        };
    }

    /** The caller shuts it down. */
    public static Scheduler scheduler(StackKind stacks, int cords, Reports reports) {
        return Scheduler.start(
                SchedulerOptions.named("workers")
                        .withCords(cords)
                        .withCord(CordOptions.named("c").withStacks(stacks).withUncaught(reports)));
    }
}
