package dev.ropewalk.fibers.cancellation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testkit.JdkSleep;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Loops that swallow every Throwable do not keep their cord from ending: each is abandoned, and
 * named (rule F6).
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SwallowingTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final int TURNS = 3;

    private final Reports reports = new Reports();

    private static void swallow(Action action) {
        for (; ; ) {
            Runs.failureOf(action);
        }
    }

    /** Closing must end; the limit of the class is what fails if it does not. */
    private void assertNamedAndClosed(StackKind stacks, String name, Action loop) {
        Reports told = new Reports();
        Cord cord =
                Cord.start(
                        CordOptions.named("c")
                                .withStacks(stacks)
                                .withUncaught(told)
                                .withStopLimit(Duration.ofSeconds(1)));
        Fiber<?> fiber = cord.spin(name, loop);
        cord.spin("other", () -> Runs.snooze(TURNS)).await();
        cord.close();
        Throwable thrown = Runs.failureOf(fiber::await);
        assertTrue(thrown instanceof FiberAbandonedException, thrown::toString);
        String text = String.valueOf(thrown.getMessage());
        assertTrue(text.startsWith("fiber " + name + " on cord c was abandoned"), text);
        assertTrue(
                told.all().stream().anyMatch(each -> each.fiber() == fiber),
                () -> "reports: " + told.all());
    }

    @ParameterizedTest
    @EnumSource
    void F6_everyWaitThatIsSwallowedInALoopEndsInAbandonment(StackKind stacks) {
        assertNamedAndClosed(stacks, "suspend", () -> swallow(Fiber::suspend));
        assertNamedAndClosed(stacks, "snooze", () -> swallow(SwallowingTest::snoozeOn));
        assertNamedAndClosed(stacks, "sleep", () -> swallow(() -> Fiber.sleep(LONG)));
        assertNamedAndClosed(
                stacks, "await", () -> swallow(() -> Fiber.spin(() -> Fiber.suspend()).await()));
        assertNamedAndClosed(
                stacks, "future", () -> swallow(() -> Futures.await(new CompletableFuture<>())));
        assertNamedAndClosed(
                stacks,
                "scope",
                () ->
                        swallow(
                                () ->
                                        CancelScope.<RuntimeException>cancelAfter(
                                                LONG, () -> suspendHere())));
        assertNamedAndClosed(stacks, "waiter", () -> swallow(() -> new WaitCell().await("nobody")));
        Mutex held = Mutex.shared();
        held.lock();
        assertNamedAndClosed(stacks, "mutex", () -> swallow(held::lock));
        held.unlock();
    }

    private static void suspendHere() {
        Fiber.suspend();
    }

    private static void snoozeOn() {
        for (; ; ) {
            Fiber.snooze();
        }
    }

    @ParameterizedTest
    @EnumSource
    void F6_handlerOrShieldThatSwallowsItIsAbandoned(StackKind stacks) {
        assertNamedAndClosed(
                stacks,
                "shield",
                () ->
                        swallow(
                                () ->
                                        CancelScope.shielded(
                                                Duration.ofMillis(1), () -> Fiber.sleep(LONG))));
        Cord cord = Cord.start(CordOptions.named("c").withStacks(stacks).withUncaught(reports));
        Fiber<?> handler =
                cord.spinHandler(
                        "handler",
                        value -> {
                            swallow(Fiber::suspend);
                            return Handler.WAIT;
                        });
        cord.spin("other", () -> Runs.snooze(TURNS)).await();
        cord.close();
        assertEquals(handler, reports.only().fiber());
    }

    /** The JDK's interrupt is one way more in which it comes. */
    @ParameterizedTest
    @EnumSource(value = StackKind.class, names = "VIRTUAL_THREAD")
    void F11_loopThatSwallowsInterruptsOfTheJdkIsAbandoned(StackKind stacks) {
        assertNamedAndClosed(stacks, "jdk", () -> swallow(() -> JdkSleep.sleep(LONG)));
    }

    @ParameterizedTest
    @EnumSource
    void F6_childThatSwallowsIsNamedAndItsParentEnds(StackKind stacks) {
        Reports told = new Reports();
        try (Cord cord = Cord.start(CordOptions.named("c").withStacks(stacks).withUncaught(told))) {
            Fiber<?> parent =
                    cord.spin(
                            "parent",
                            () -> {
                                Fiber.spin("child", () -> swallow(Fiber::suspend));
                                Fiber.suspend();
                            });
            // In one turn: the parent is awaited before it can end, so that it is no report.
            cord.spin(
                            "other",
                            () -> {
                                Runs.snooze(TURNS);
                                parent.terminate();
                                Runs.failureOf(parent::await);
                            })
                    .await();
        }
        assertEquals("child", told.only().fiber().name());
    }
}
