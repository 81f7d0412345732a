package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Rules F5 to F8: many readers or one writer, in the order in which they came. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ReadWriteLockTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMillis(300);
    private static final Duration FAR = Duration.ofDays(1);

    @FunctionalInterface
    private interface Play {
        void with(ReadWriteLock lock) throws Exception;
    }

    private static Action withFree(Form form, Play play) {
        return () -> {
            ReadWriteLock lock = form.readWriteLock();
            play.with(lock);
            Crowd.settle();
            judge(lock);
        };
    }

    private static void run(Form form, Play play) {
        TestCord.run(withFree(form, play));
    }

    private static void judge(ReadWriteLock lock) {
        lock.checkInvariants();
        assertEquals(0, lock.waiting());
        assertTrue(lock.writeLock().tryLock());
        lock.writeLock().unlock();
    }

    /** Holds the lock for a while. */
    private static Fiber<@Nullable Void> holder(LockView lock, List<String> log, String name) {
        Fiber<@Nullable Void> fiber =
                Fiber.spin(
                        name,
                        () ->
                                lock.run(
                                        () -> {
                                            log.add("+" + name);
                                            Fiber.sleep(SHORT);
                                            log.add("-" + name);
                                        }));
        Crowd.settle();
        return fiber;
    }

    @ParameterizedTest
    @EnumSource
    void readersThatFollowEachOtherReadTogetherAndOvertakeNoWriter(Form form) {
        Crowd.fifo(
                withFree(
                        form,
                        lock -> {
                            List<String> log = new ArrayList<>();
                            holder(lock.readLock(), log, "r1");
                            holder(lock.writeLock(), log, "w1");
                            holder(lock.readLock(), log, "r2");
                            holder(lock.readLock(), log, "r3");
                            holder(lock.writeLock(), log, "w2");
                            Fiber<?> last = holder(lock.readLock(), log, "r4");
                            assertEquals(List.of("+r1"), log);
                            assertEquals(5, lock.waiting());
                            assertFalse(lock.readLock().tryLock());
                            last.await();
                            assertEquals(
                                    List.of(
                                            "+r1", "-r1", "+w1", "-w1", "+r2", "+r3", "-r2", "-r3",
                                            "+w2", "-w2", "+r4", "-r4"),
                                    log);
                        }));
    }

    @ParameterizedTest
    @EnumSource
    void F5_timedOutWaiterEatsNothing(Form form) {
        run(
                form,
                lock -> {
                    Fiber<?> writer = holder(lock.writeLock(), new ArrayList<>(), "w");
                    long before = Cord.current().nanoTime();
                    assertFalse(lock.readLock().lock(Duration.ofMillis(1)));
                    assertFalse(lock.writeLock().lock(Duration.ofMillis(1)));
                    assertEquals(2_000_000, Cord.current().nanoTime() - before);
                    assertFalse(lock.readLock().lock(Duration.ZERO));
                    assertFalse(lock.writeLock().lock(Duration.ZERO));
                    assertEquals(0, lock.waiting());
                    writer.await();
                    assertTrue(lock.readLock().lock(Duration.ZERO));
                    lock.readLock().unlock();
                    assertTrue(lock.writeLock().lock(SHORT));
                    lock.writeLock().unlock();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_whenAWriterGivesUpTheReadersBehindItAreAdmitted(Form form) {
        run(
                form,
                lock -> {
                    List<String> log = new ArrayList<>();
                    lock.readLock().lock();
                    Fiber<Boolean> writer = Fiber.spin(() -> lock.writeLock().lock(SHORT));
                    Crowd.settle();
                    holder(lock.readLock(), log, "r");
                    assertEquals(List.of(), log);
                    assertFalse(writer.await());
                    Crowd.settle();
                    assertEquals(List.of("+r"), log);
                    lock.readLock().unlock();
                    Fiber.sleep(LONG);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_whenAWriterIsTerminatedOrCancelledTheReadersBehindItAreAdmitted(Form form) {
        run(
                form,
                lock -> {
                    List<String> log = new ArrayList<>();
                    lock.readLock().lock();
                    Fiber<?> terminated = holder(lock.writeLock(), log, "terminated");
                    Fiber<Boolean> cancelled =
                            Fiber.spin(
                                    () ->
                                            CancelScope.moveOnAfter(
                                                    SHORT, () -> lock.writeLock().lock()));
                    Crowd.settle();
                    holder(lock.readLock(), log, "r");
                    terminated.terminate();
                    Crowd.settle();
                    assertEquals(List.of(), log);
                    assertFalse(cancelled.await());
                    Crowd.settle();
                    assertEquals(List.of("+r"), log);
                    lock.readLock().unlock();
                    Fiber.sleep(LONG);
                });
    }

    /** The worst moment: it is admitted and has not gone on yet. */
    @ParameterizedTest
    @EnumSource
    void F6_terminatedAfterItWasAdmittedUnlocks(Form form) {
        run(
                form,
                lock -> {
                    for (LockView view : List.of(lock.readLock(), lock.writeLock())) {
                        List<String> log = new ArrayList<>();
                        lock.writeLock().lock();
                        Fiber<?> admitted = holder(view, log, "a");
                        lock.writeLock().unlock();
                        admitted.terminate();
                        admitted.awaitEnd(Waits.FOREVER);
                        assertEquals(List.of("+a"), log);
                        judge(lock);
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_holderThatDiesIsReportedAndTheLockGoesOn(Form form) {
        run(
                form,
                lock -> {
                    for (LockView view : List.of(lock.readLock(), lock.writeLock())) {
                        TestCord.expectUncaught(IllegalStateException.class);
                        List<String> log = new ArrayList<>();
                        Fiber<?> dying =
                                Fiber.spin(
                                        () -> {
                                            view.lock();
                                            if (view == lock.readLock()) {
                                                view.lock();
                                            }
                                            Fiber.sleep(SHORT);
                                        });
                        Crowd.settle();
                        Fiber<?> next = holder(lock.writeLock(), log, "w");
                        assertEquals(List.of(), log);
                        dying.await();
                        next.await();
                        assertEquals(List.of("+w", "-w"), log);
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_holderThatWaitedForTheLockAndDiesIsReportedToo(Form form) {
        run(
                form,
                lock -> {
                    for (LockView view : List.of(lock.readLock(), lock.writeLock())) {
                        TestCord.expectUncaught(IllegalStateException.class);
                        lock.writeLock().lock();
                        Fiber<?> dying = Fiber.spin(() -> view.lock());
                        Crowd.settle();
                        lock.writeLock().unlock();
                        dying.await();
                        judge(lock);
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_abandonedWriterInTheQueueDoesNotBlockTheReaders(Form form) {
        run(
                form,
                lock -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    lock.readLock().lock();
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(
                                                () ->
                                                        CancelScope.shielded(
                                                                FAR,
                                                                () -> lock.writeLock().lock()));
                                        Fiber.suspend();
                                    });
                    Crowd.settle();
                    parent.terminate();
                    parent.awaitEnd(Waits.FOREVER);
                    Fiber.spin(() -> lock.readLock().run(() -> {})).await();
                    lock.readLock().unlock();
                });
    }

    /** Behind the waiting writer it would wait for itself. */
    @ParameterizedTest
    @EnumSource
    void readerThatReadsAgainPassesAWaitingWriterAndUnlocksAsOften(Form form) {
        run(
                form,
                lock -> {
                    List<String> log = new ArrayList<>();
                    lock.readLock().lock();
                    Fiber<?> writer = holder(lock.writeLock(), log, "w");
                    lock.readLock().lock();
                    assertTrue(lock.readLock().tryLock());
                    for (int i = 0; i < 3; i++) {
                        assertTrue(lock.readLock().isHeldByCaller());
                        assertEquals(List.of(), log);
                        lock.readLock().unlock();
                        Crowd.settle();
                    }
                    assertFalse(lock.readLock().isHeldByCaller());
                    assertEquals(List.of("+w"), log);
                    writer.await();
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_waitForItself(Form form) {
        run(
                form,
                lock -> {
                    lock.writeLock().lock();
                    assertTrue(lock.writeLock().isHeldByCaller());
                    for (LockView again : List.of(lock.readLock(), lock.writeLock())) {
                        assertFalse(again.tryLock());
                        Crowd.assertSays(
                                DeadlockException.class,
                                Crowd.failureOf(again::lock),
                                "fiber root on cord test holds the write lock of " + lock,
                                "wait for itself",
                                "covers both");
                    }
                    lock.writeLock().unlock();
                    lock.readLock().lock();
                    assertFalse(lock.writeLock().tryLock());
                    Crowd.assertSays(
                            DeadlockException.class,
                            Crowd.failureOf(() -> lock.writeLock().lock(SHORT)),
                            "holds the read lock",
                            "asks for the write lock",
                            "Unlock the read lock first");
                    lock.readLock().unlock();
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_unlockByOneWhoDoesNotHoldIt(Form form) {
        run(
                form,
                lock -> {
                    Fiber<?> reader = holder(lock.readLock(), new ArrayList<>(), "r");
                    for (LockView view : List.of(lock.readLock(), lock.writeLock())) {
                        Crowd.assertSays(
                                IllegalStateException.class,
                                Crowd.failureOf(view::unlock),
                                "unlock by fiber root on cord test",
                                view.toString());
                    }
                    reader.await();
                    Fiber<?> writer = holder(lock.writeLock(), new ArrayList<>(), "w");
                    Crowd.assertSays(
                            IllegalStateException.class,
                            Crowd.failureOf(() -> lock.writeLock().unlock()));
                    writer.await();
                    lock.writeLock().lock();
                    Crowd.assertSays(
                            IllegalStateException.class,
                            Crowd.failureOf(() -> lock.readLock().unlock()));
                    lock.writeLock().unlock();
                    Crowd.assertSays(
                            IllegalArgumentException.class,
                            Crowd.failureOf(() -> lock.readLock().lock(Duration.ofNanos(-1))));
                });
    }

    @ParameterizedTest
    @EnumSource
    void callThatNeedNotWaitIsNoSwitchpoint(Form form) {
        run(
                form,
                lock -> {
                    List<String> log = new ArrayList<>();
                    Fiber.spin(() -> log.add("other"));
                    assertEquals(1, lock.readLock().call(() -> 1));
                    assertEquals(2, lock.writeLock().call(() -> 2));
                    assertTrue(lock.writeLock().lock(SHORT));
                    lock.writeLock().unlock();
                    assertEquals(List.of(), log);
                });
    }

    @ParameterizedTest
    @EnumSource
    void blockThatThrowsUnlocks(Form form) {
        run(
                form,
                lock -> {
                    Exception own = new Exception("own");
                    for (LockView view : List.of(lock.readLock(), lock.writeLock())) {
                        assertEquals(
                                own,
                                Crowd.failureOf(
                                        () ->
                                                view.run(
                                                        () -> {
                                                            throw own;
                                                        })));
                    }
                });
    }

    @Test
    void misuse_localFromAnotherThread() {
        TestCord.run(
                () -> {
                    ReadWriteLock local = ReadWriteLock.local();
                    for (Action wrong :
                            List.<Action>of(
                                    () -> local.readLock().lock(),
                                    () -> local.writeLock().tryLock(),
                                    () -> local.readLock().unlock(),
                                    () -> local.writeLock().isHeldByCaller())) {
                        Crowd.assertSays(
                                WrongThreadException.class,
                                Crowd.failureOnAThread(wrong),
                                local.toString(),
                                "ReadWriteLock.shared()");
                    }
                });
    }

    @Test
    void F8_interruptedWriterOnAThreadTakesNothingAndReadersBehindAreAdmitted() {
        ReadWriteLock lock = ReadWriteLock.shared();
        ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
        lock.readLock().lock();
        Thread writer = Crowd.thread(thrown, () -> lock.writeLock().lock());
        Crowd.until(() -> lock.waiting() == 1);
        Thread reader = Crowd.thread(thrown, () -> lock.readLock().run(() -> {}));
        Crowd.until(() -> lock.waiting() == 2);
        writer.interrupt();
        Crowd.join(writer);
        Crowd.join(reader);
        assertEquals(1, thrown.size());
        Crowd.assertSays(WaitInterruptedException.class, thrown.remove());
        lock.readLock().unlock();
        judge(lock);
    }

    // ---------------------------------------------------------------- random

    @ParameterizedTest
    @EnumSource
    void F5_manyReadersOrOneWriter(Form form) {
        TestCord.run(() -> dayOnOneCord(form, 1, 20));
        for (long seed = 0; seed < 30; seed++) {
            long own = seed;
            TestCord.run(seed, true, () -> dayOnOneCord(form, own, 10));
        }
    }

    @Test
    void F8_manyReadersOrOneWriterAcrossCordsAndThreads() {
        dayEverywhere(1, 300);
    }

    @Test
    @Tag("stress")
    void F8_manyReadersOrOneWriterUnderStress() {
        for (long seed = 2; seed < 12; seed++) {
            dayEverywhere(seed, 2_000);
        }
    }

    /** How many read, and how many write. */
    private record Inside(AtomicInteger readers, AtomicInteger writers) {
        Inside() {
            this(new AtomicInteger(), new AtomicInteger());
        }

        void check() {
            int writing = writers.get();
            int reading = readers.get();
            assertTrue(writing == 0 || (writing == 1 && reading == 0), this::toString);
        }
    }

    private static void dayOnOneCord(Form form, long seed, int rounds) {
        ReadWriteLock lock = form.readWriteLock();
        Inside inside = new Inside();
        Crowd.onThisCord(
                seed,
                rounds,
                random -> {
                    step(lock, inside, random);
                    lock.checkInvariants();
                });
        judge(lock);
    }

    private static void dayEverywhere(long seed, int rounds) {
        ReadWriteLock lock = ReadWriteLock.shared();
        Inside inside = new Inside();
        Crowd.everywhere(seed, rounds, random -> step(lock, inside, random));
        judge(lock);
    }

    private static void step(ReadWriteLock lock, Inside inside, SplittableRandom random) {
        boolean isWrite = random.nextInt(3) == 0;
        LockView view = isWrite ? lock.writeLock() : lock.readLock();
        AtomicInteger count = isWrite ? inside.writers : inside.readers;
        if (lock(view, random)) {
            try {
                count.incrementAndGet();
                inside.check();
                Crowd.giveWay(random);
                inside.check();
            } finally {
                count.decrementAndGet();
                view.unlock();
            }
        }
    }

    private static boolean lock(LockView view, SplittableRandom random) {
        switch (random.nextInt(4)) {
            case 0 -> {
                return view.tryLock();
            }
            case 1 -> {
                return view.lock(Crowd.shortLimit(random));
            }
            case 2 -> {
                if (Fiber.currentOrNull() != null) {
                    return CancelScope.moveOnAfter(Crowd.shortLimit(random), () -> view.lock());
                }
            }
            default -> {
                // As below.
            }
        }
        view.lock();
        return true;
    }
}
