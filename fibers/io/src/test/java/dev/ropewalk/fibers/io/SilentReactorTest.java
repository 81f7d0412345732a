package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.io.CordIo;
import dev.ropewalk.fibers.observe.WatchdogReport;

import io.netty.channel.EventLoop;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/** Rule F13: a reactor with sockets that its cord does not poll is told; on real sockets. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SilentReactorTest {
    private static final Duration LIMIT = Duration.ofMillis(100);

    private final BlockingQueue<WatchdogReport> told = new LinkedBlockingQueue<>();

    private Cord start(String name) {
        return Cord.start(
                CordOptions.named(name).withStuckLimit(LIMIT).withStuckHandler(told::add));
    }

    /** The first of its kind; others before it are dropped. */
    private <R extends WatchdogReport> R next(Class<R> type) throws InterruptedException {
        WatchdogReport report = told.take();
        while (!type.isInstance(report)) {
            report = told.take();
        }
        return type.cast(report);
    }

    /** An earlier one may have found it on its way there. */
    private WatchdogReport.SilentReactor silentWith(int sockets) throws InterruptedException {
        WatchdogReport.SilentReactor report = next(WatchdogReport.SilentReactor.class);
        while (report.sockets() != sockets) {
            report = next(WatchdogReport.SilentReactor.class);
        }
        return report;
    }

    /** What is told until the cord goes on. */
    private List<WatchdogReport> untilOver() throws InterruptedException {
        List<WatchdogReport> all = new ArrayList<>();
        do {
            all.add(told.take());
        } while (!(all.getLast() instanceof WatchdogReport.Over));
        return all;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void F13_aFiberThatBlocksIsToldWithTheSocketsThatWait() throws InterruptedException {
        CountDownLatch blocks = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (Cord cord = start("blocked")) {
            cord.spin(
                    "blocks",
                    () -> {
                        try (TcpListener _ = new Net(false).listen();
                                TcpListener _ = new Net(false).listen()) {
                            blocks.countDown();
                            await(release);
                        }
                    });
            blocks.await();
            WatchdogReport.SilentReactor report = silentWith(2);
            release.countDown();
            assertSame(cord, report.cord());
            assertEquals("blocks", Objects.requireNonNull(report.fiber()).name());
            assertEquals(0, report.unsent());
            assertTrue(report.time().compareTo(LIMIT) >= 0, report::toString);
            for (WatchdogReport each : untilOver()) { // once in an episode
                assertFalse(each instanceof WatchdogReport.SilentReactor, each::toString);
            }
        }
    }

    /** It handles what has woken it, inside its sleep; before, that was taken for sleep. */
    @Test
    void F13_aHandlerThatBlocksWhileItsCordSleepsIsTold() throws InterruptedException {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            CountDownLatch release = new CountDownLatch(1);
            CountDownLatch listens = new CountDownLatch(1);
            CordOptions options =
                    CordOptions.named("asleep")
                            .withStacks(stacks)
                            .withStuckLimit(LIMIT)
                            .withStuckHandler(told::add);
            try (Cord cord = Cord.start(options)) {
                cord.spin(
                        "listens",
                        () -> {
                            try (TcpListener _ = new Net(false).listen()) {
                                listens.countDown();
                                Fiber.suspend();
                            }
                        });
                listens.await();
                EventLoop loop = CordIo.reactorOf(cord).join().eventLoop();
                while (CordImpl.of(cord).mail.isBusy()) {
                    Thread.onSpinWait();
                }
                loop.execute(() -> await(release));
                WatchdogReport.SilentReactor report = next(WatchdogReport.SilentReactor.class);
                while (report.fiber() != null) { // before it slept, on a busy machine
                    report = next(WatchdogReport.SilentReactor.class);
                }
                assertSame(cord, report.cord());
                assertEquals(1, report.sockets());
                release.countDown();
                next(WatchdogReport.Over.class);
            }
            told.clear();
        }
    }

    @Test
    void F13_aCordThatWaitsInItsReactorIsNotTold() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch listens = new CountDownLatch(1);
        try (Cord idle = start("idle");
                Cord busy = start("busy")) {
            idle.spin(
                    "listens",
                    () -> {
                        try (TcpListener _ = new Net(false).listen()) {
                            listens.countDown();
                            Fiber.suspend();
                        }
                    });
            listens.await();
            while (CordImpl.of(idle).mail.isBusy()) {
                Thread.onSpinWait();
            }
            told.clear(); // on a busy machine it may be told before it sleeps
            busy.spin("blocks", () -> await(release));
            try {
                WatchdogReport report = told.take();
                while (!(report instanceof WatchdogReport.Stuck stuck && stuck.cord() == busy)) {
                    boolean isOfIdle =
                            switch (report) {
                                case WatchdogReport.Stuck it -> it.cord() == idle;
                                case WatchdogReport.SilentReactor it -> it.cord() == idle;
                                default -> false;
                            };
                    assertFalse(isOfIdle, report::toString);
                    report = told.take();
                }
            } finally {
                release.countDown(); // otherwise its cord does not end
            }
        }
    }
}
