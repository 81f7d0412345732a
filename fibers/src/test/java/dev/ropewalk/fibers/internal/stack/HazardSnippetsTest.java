package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberLocal;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.sync.Once;
import dev.ropewalk.fibers.testkit.OtherJvm;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Rule F11: what goes wrong on a LIGHT cord and how it is done right; the guide's page on stacks.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("needs-flags")
class HazardSnippetsTest {
    private static final Duration SHORT = Duration.ofMillis(1);

    // ---------------------------------------------------------------- locks of the JDK

    private int balance;

    private void depositUnderALock(ReentrantLock lock) {
        // @start region="lockBroken"
        lock.lock();
        try {
            int before = balance;
            Fiber.sleep(SHORT); // another fiber of the cord locks too, and gets in
            balance = before + 1;
        } finally {
            lock.unlock();
        }
        // @end
    }

    private void depositUnderAMutex(Mutex mutex) {
        // @start region="lockFixed"
        mutex.run(
                () -> {
                    int before = balance;
                    Fiber.sleep(SHORT); // the other one waits
                    balance = before + 1;
                });
        // @end
    }

    private int balanceAfterTwo(Action deposit) {
        balance = 0;
        Fiber<?> one = Fiber.spin(deposit);
        Fiber<?> two = Fiber.spin(deposit);
        one.await();
        two.await();
        return balance;
    }

    @Test
    void F11_lockOfTheJdkAdmitsTwoFibersAndAMutexOne() {
        Runs.inAnyOrder(
                () -> {
                    ReentrantLock lock = new ReentrantLock();
                    assertEquals(1, balanceAfterTwo(() -> depositUnderALock(lock)));
                    Mutex mutex = Mutex.local();
                    assertEquals(2, balanceAfterTwo(() -> depositUnderAMutex(mutex)));
                });
    }

    // ---------------------------------------------------------------- monitors

    /** What another JVM runs, which finds it. */
    static final class UnderAMonitor {
        private UnderAMonitor() {}

        public static void main(String[] args) {
            Object account = new Object();
            Cord.run(
                    () -> {
                        // @start region="monitorBroken"
                        synchronized (account) {
                            Fiber.sleep(SHORT); // others that want it block the cord
                        }
                        // @end
                    });
        }
    }

    @Test
    void F11_monitorHeldAtASwitchpointIsFoundInTheDebugMode()
            throws IOException, InterruptedException {
        List<String> flags =
                List.of("@" + System.getProperty("ropewalk.args.file"), "-XX:LockingMode=1");
        String output = OtherJvm.run(flags, UnderAMonitor.class).output();
        assertTrue(output.contains("the stack is pinned, reason=MONITOR"), output);
    }

    // ---------------------------------------------------------------- values of a thread

    private static final ThreadLocal<@Nullable String> THREADS = new ThreadLocal<>();
    private static final FiberLocal<@Nullable String> FIBERS = FiberLocal.of(null);

    private static @Nullable String seenInAThreadLocal(String user) {
        // @start region="threadLocalBroken"
        THREADS.set(user);
        Fiber.sleep(SHORT);
        return THREADS.get(); // that of the fiber which set it last
        // @end
    }

    private static @Nullable String seenInAFiberLocal(String user) {
        // @start region="threadLocalFixed"
        FIBERS.set(user);
        Fiber.sleep(SHORT);
        return FIBERS.get(); // its own
        // @end
    }

    @Test
    void F11_threadLocalLeaksAndAFiberLocalDoesNot() {
        Runs.fifo(
                () -> {
                    Fiber<@Nullable String> wrong =
                            Fiber.<@Nullable String>spin(() -> seenInAThreadLocal("a"));
                    Fiber.<@Nullable String>spin(() -> seenInAThreadLocal("b")).await();
                    assertEquals("b", wrong.await());
                    Fiber<@Nullable String> right =
                            Fiber.<@Nullable String>spin(() -> seenInAFiberLocal("a"));
                    Fiber.<@Nullable String>spin(() -> seenInAFiberLocal("b")).await();
                    assertEquals("a", right.await());
                    THREADS.remove();
                });
    }

    // ---------------------------------------------------------------- threads started inside

    private static String askedByAThread() {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        // @start region="threadBroken"
        Thread.ofVirtual()
                .uncaughtExceptionHandler((thread, thrown) -> failure.set(thrown))
                .start(() -> Fiber.sleep(SHORT)); // runs elsewhere, and is no fiber
        // @end
        Runs.until(() -> failure.get() != null);
        return String.valueOf(failure.get());
    }

    private static String askedByFibers() {
        // @start region="threadFixed"
        return Scope.call(
                scope -> {
                    Fiber<String> one = scope.spin("one", () -> read("one"));
                    Fiber<String> two = scope.spin("two", () -> read("two"));
                    return one.await() + " and " + two.await();
                });
        // @end
    }

    private static String read(String what) {
        Fiber.sleep(SHORT);
        return what;
    }

    @Test
    void F11_threadStartedInAFiberIsNoFiber() {
        Runs.fifo(
                () -> {
                    String failure = askedByAThread();
                    assertTrue(failure.contains("no fiber runs on VirtualThread"), failure);
                    assertEquals("one and two", askedByFibers());
                });
    }

    // ---------------------------------------------------------------- class initialisers

    // @start region="initialiserBroken"
    static final class Settings {
        static final String TEXT = read("settings"); // a class initialiser cannot be suspended
    }

    // @end

    // @start region="initialiserFixed"
    static final class LazySettings {
        static final Once<String> TEXT = Once.shared(() -> read("settings"));
    }

    // @end

    @Test
    void F11_classInitialiserCannotWaitAndAnOnceCan() {
        Runs.virtual(
                new Reports(),
                () -> {
                    Throwable thrown = Runs.failureOf(() -> assertNotNull(Settings.TEXT));
                    assertInstanceOf(ExceptionInInitializerError.class, thrown);
                    String text = Runs.cause(thrown).toString();
                    assertTrue(text.contains("not possible inside a class initialiser"), text);
                    return assertEqual("settings", LazySettings.TEXT.get());
                });
    }

    private static String written() {
        Fiber.snooze();
        return "hello";
    }

    // @start region="lateInitialiserBroken"
    static final class Greeting {
        static final String TEXT = Fiber.spin(() -> written()).await(); // others run meanwhile
    }

    // @end

    // @start region="lateInitialiserFixed"
    static final class LazyGreeting {
        static final Once<String> TEXT = Once.shared(() -> Fiber.spin(() -> written()).await());
    }

    // @end

    @Test
    void F18_halfMadeClassIsSeenByTheFiberOnTopAndAnOnceIsNot() {
        CordOptions late =
                CordOptions.named("late")
                        .withClock(new CordOptions.VirtualClock(1, false))
                        .withLateUnmount(true);
        List<@Nullable String> seen = new ArrayList<>();
        Cord.<@Nullable Object>run(
                late,
                () -> {
                    readTwice(() -> seen.add(Greeting.TEXT));
                    readTwice(() -> seen.add(LazyGreeting.TEXT.get()));
                    return null;
                });
        assertEquals(Arrays.asList(null, "hello", "hello", "hello"), seen);
    }

    /** The first one waits while the second one reads. */
    private static void readTwice(Action reading) {
        Fiber.awaitAll(List.of(Fiber.spin("first", reading), Fiber.spin("second", reading)));
    }

    private static @Nullable Object assertEqual(Object expected, Object actual) {
        assertEquals(expected, actual);
        return null;
    }

    // ---------------------------------------------------------------- native frames

    private static final List<Throwable> BELOW = new ArrayList<>();

    /** Called by the C library; an exception that left it would end the JVM. */
    static int compare(MemorySegment left, MemorySegment right) {
        try {
            // @start region="nativeBroken"
            Fiber.sleep(SHORT); // in a function that C code calls back
            // @end
        } catch (StackPinnedException pinned) {
            BELOW.add(pinned);
        }
        return Long.compare(left.address(), right.address());
    }

    @Test
    void F11_waitBelowANativeFrameIsAnErrorAndTheFiberGoesOn() {
        BELOW.clear();
        Runs.real(
                () -> {
                    sortTwo();
                    Fiber.sleep(SHORT);
                });
        assertTrue(BELOW.size() >= 2, BELOW::toString);
        for (Throwable each : BELOW) {
            assertTrue(each.toString().contains("below a native frame"), each::toString);
        }
    }

    @SuppressWarnings("restricted") // it is what the test is about
    private static void sortTwo() throws ReflectiveOperationException {
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor comparison =
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS);
        MethodHandle compare =
                MethodHandles.lookup()
                        .findStatic(
                                HazardSnippetsTest.class,
                                "compare",
                                MethodType.methodType(
                                        int.class, MemorySegment.class, MemorySegment.class));
        MethodHandle sort =
                linker.downcallHandle(
                        linker.defaultLookup().find("qsort").orElseThrow(),
                        FunctionDescriptor.ofVoid(
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment two = arena.allocateFrom(ValueLayout.JAVA_INT, 2, 1);
            MemorySegment callBack = linker.upcallStub(compare, comparison, arena);
            sort.invokeExact(two, 2L, 4L, callBack);
        } catch (Throwable failed) {
            throw new AssertionError(failed);
        }
    }
}
