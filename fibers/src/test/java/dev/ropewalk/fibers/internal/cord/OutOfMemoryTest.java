package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.coroutine.Generator;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.recurring.Timed;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.testkit.OtherJvm;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/** Who runs out of memory ends, and its cord and the other fibers go on (rule F7). */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class OutOfMemoryTest {
    private static final Duration SHORT = Duration.ofNanos(1_000);

    private final Reports reports = new Reports();

    /** What the other JVM runs. */
    static final class Greedy {
        private static final int MUCH = 200_000;
        private static final String TOLD =
                "fiber greedy on cord small < root failed: java.lang.OutOfMemoryError: Java heap"
                        + " space";
        private static int ticks;

        private Greedy() {}

        public static void main(String[] args) {
            for (StackKind stacks : StackKind.values()) {
                if (!stacks.isAvailable()) {
                    continue; // without the flag for it
                }
                Cord.<@Nullable Object>run(
                        CordOptions.named("small").withStacks(stacks), Greedy::fillTheHeap);
            }
        }

        private static @Nullable Object fillTheHeap() {
            Fiber<?> other = Fiber.spin("other", Greedy::tick);
            Fiber<?> greedy = Fiber.spin("greedy", () -> hoard());
            Throwable thrown = Runs.failureOf(greedy::await);
            int before = ticks;
            while (ticks < before + 3) {
                Fiber.sleep(SHORT);
            }
            other.terminate();
            String told = String.valueOf(thrown.getMessage());
            if (!told.equals(TOLD)) {
                throw new AssertionError(told);
            }
            return null;
        }

        private static void tick() {
            for (; ; ) {
                Fiber.sleep(SHORT);
                ticks++;
            }
        }

        private static int hoard() {
            Object[] last = {};
            for (; ; ) {
                Object[] next = new Object[MUCH];
                next[0] = last;
                last = next;
                Fiber.snooze();
            }
        }
    }

    @Test
    void F7_fiberThatFillsTheHeapEndsAndTheOthersGoOn() throws IOException, InterruptedException {
        List<String> flags =
                List.of(
                        "@" + System.getProperty("ropewalk.args.file"),
                        "-Xmx48m",
                        "-XX:+UseSerialGC");
        OtherJvm.Ended ended = OtherJvm.run(flags, Greedy.class);
        assertEquals(0, ended.exit(), ended.output());
    }

    /** What the other JVM runs; it ends with 3 if the cord broke, in order. */
    static final class Parked {
        static final int BROKE = 3;
        private static final int ROUNDS = 3;
        private static final int KEPT = 2_000;
        private static final int TRIES = 1_000;
        private static final Duration LONG = Duration.ofSeconds(40);

        private Parked() {}

        public static void main(String[] args) throws InterruptedException {
            CordOptions options =
                    CordOptions.named("full")
                            .withLateUnmount(args[0].equals("late"))
                            .withUncaught((fiber, failure) -> {});
            Cord cord =
                    Cord.start(
                            args[0].equals("portable")
                                    ? options.withStacks(StackKind.PORTABLE)
                                    : options);
            int exit = 0;
            for (int i = 0; i < ROUNDS && exit == 0; i++) {
                exit = hasRound(cord) ? 0 : BROKE;
            }
            cord.close();
            Thread own = Objects.requireNonNull(CordImpl.of(cord).ownThread);
            own.join(LONG.toMillis());
            System.exit(own.isAlive() ? 1 : exit);
        }

        /** False if the cord is broken. */
        private static boolean hasRound(Cord cord) {
            try {
                Fiber<?> eater = cord.spin("eater", Parked::eat);
                if (!hasEnded(eater)) {
                    System.exit(2);
                }
                return !(eater.failure() instanceof CordClosedException);
            } catch (CordClosedException ended) {
                return false;
            }
        }

        /** The heap may be full for this thread too, but not for long: the cord gives it back. */
        private static boolean hasEnded(Fiber<?> eater) {
            for (int i = 1; ; i++) {
                try {
                    return eater.awaitEnd(LONG);
                } catch (OutOfMemoryError full) {
                    if (i == TRIES) {
                        throw full;
                    }
                    Thread.onSpinWait(); // each try collects
                }
            }
        }

        private static void eat() {
            for (int i = 1; ; i++) {
                Fiber.spin(Parked::hold);
                if (i % 1_000 == 0) {
                    Fiber.snooze();
                }
            }
        }

        private static int hold() {
            byte[] kept = new byte[KEPT];
            Fiber.suspend();
            return kept[0];
        }
    }

    /** Not always alone: what ends thousands of fibers may need memory where there is none. */
    @ParameterizedTest
    @ValueSource(strings = {"early", "late", "portable"})
    void F7_parkedFibersThatFillTheHeapEndInOrder(String way)
            throws IOException, InterruptedException {
        List<String> flags = List.of("@" + System.getProperty("ropewalk.args.file"), "-Xmx48m");
        OtherJvm.Ended ended = OtherJvm.run(flags, Parked.class, way);
        long lines =
                ended.output()
                        .lines()
                        .filter(line -> line.startsWith("cord full broke: java.lang.OutOfMem"))
                        .count();
        boolean broke = ended.exit() == Parked.BROKE;
        assertTrue(broke || ended.exit() == 0, () -> ended.exit() + ": " + ended.output());
        assertTrue(broke ? lines == 1 : lines <= 1, () -> ended.exit() + ": " + ended.output());
    }

    private static void fill() {
        throw new OutOfMemoryError("test");
    }

    private static Object fillInATurn() {
        fill();
        return Handler.WAIT;
    }

    private static void assertFull(@Nullable Throwable thrown) {
        assertTrue(thrown instanceof OutOfMemoryError, () -> "thrown: " + thrown);
    }

    private void onCord(StackKind stacks, Action body) {
        Runs.real(
                stacks,
                reports,
                () -> {
                    body.run();
                    assertEquals("fine", Fiber.spin(() -> "fine").await());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_whereverItIsThrownItEndsThatFiberOnly(StackKind stacks) {
        onCord(
                stacks,
                () -> {
                    List<Callable<Fiber<?>>> ways =
                            List.of(
                                    () -> Fiber.spin(OutOfMemoryTest::fill),
                                    () -> Cord.current().spinHandler("h", value -> fillInATurn()),
                                    () -> Timed.after(SHORT, OutOfMemoryTest::fill),
                                    () -> Timed.spinEvery("e", SHORT, OutOfMemoryTest::fill),
                                    () -> Fiber.spin(() -> Blocking.run(OutOfMemoryTest::fill)),
                                    () -> Fiber.spin(OutOfMemoryTest::fillInCleanUp));
                    for (Callable<Fiber<?>> way : ways) {
                        Fiber<?> fiber = way.call();
                        Throwable cause = Runs.failureOf(fiber::await);
                        while (cause.getCause() != null) {
                            cause = cause.getCause();
                        }
                        assertFull(cause);
                    }
                    Generator<Integer> numbers = Generator.of(out -> fill());
                    assertFull(Runs.failureOf(() -> assertTrue(numbers.hasNext())));
                });
        reports.assertNone();
    }

    private static void fillInCleanUp() {
        try {
            Fiber.snooze();
        } finally {
            fill();
        }
    }

    @ParameterizedTest
    @EnumSource
    void F7_inACallbackItIsReportedAndHarmsNobody(StackKind stacks) {
        onCord(
                stacks,
                () -> {
                    Fiber<String> fiber = Fiber.spin("target", () -> "result");
                    fiber.onEnd(ended -> fill());
                    assertEquals("result", fiber.await());
                    Cord.current().post(Runs.message(OutOfMemoryTest::fill));
                    Fiber.sleep(SHORT);
                });
        assertSame(OutOfMemoryError.class, reports.only().failure().getClass());
    }

    @Test
    void F15_whatTheInitialiserOrTheFactoryThrowsComesOut() {
        CordOptions broken = CordOptions.named("c").withInitialiser(OutOfMemoryTest::fill);
        assertFull(Runs.cause(Runs.failureOf(() -> Cord.run(broken, () -> 1))));
        CordOptions none =
                CordOptions.named("c")
                        .withThreadFactory(
                                task -> {
                                    throw new OutOfMemoryError("test");
                                });
        assertFull(Runs.failureOf(() -> Cord.start(none)));
    }

    @Test
    void F15_taskThatRunsOutOfMemoryEndsAlone() {
        SchedulerOptions options =
                SchedulerOptions.named("pool")
                        .withCords(1)
                        .withCord(CordOptions.named("c").withUncaught(reports));
        try (Scheduler scheduler = Scheduler.start(options)) {
            assertFull(Runs.cause(Runs.failureOf(scheduler.spin(OutOfMemoryTest::fill)::await)));
            assertEquals(1, scheduler.<Integer>spin("next", () -> 1).await());
        }
    }

    /** Without memory for a stack the cord cannot run it, and says so. */
    @Test
    void F7_fiberWithoutAStackFailsAndItsCordGoesOn() {
        Runs.virtual(
                reports,
                () -> {
                    Fiber<Integer> unlucky = Fiber.spin("unlucky", () -> 1);
                    Fiber<Integer> lucky = Fiber.spin("lucky", () -> 2);
                    Cord here = Cord.current();
                    Fiber<?> me = Fiber.current();
                    FiberImpl.of(unlucky).isAwaitedByParent = true;
                    CordImpl.of(here).loop.runQueue.take(); // as the root frame does
                    CordImpl.of(here).loop.running = null;
                    FiberImpl.of(unlucky).failWithoutStack(new OutOfMemoryError("no stack"));
                    CordImpl.of(here).loop.running = FiberImpl.of(me);
                    assertFull(Runs.cause(Runs.failureOf(unlucky::await)));
                    assertEquals(2, lucky.await());
                    CordImpl.of(here).checkInvariants();
                    return null;
                });
    }
}
