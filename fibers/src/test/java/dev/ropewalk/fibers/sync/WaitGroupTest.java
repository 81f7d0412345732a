package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.WaitInterruptedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rules F5 and F8 for {@link WaitGroup}. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WaitGroupTest {
    private static WaitGroup make(Form form) {
        return form == Form.LOCAL ? WaitGroup.local() : WaitGroup.shared();
    }

    private static void test(Form form, Form.Body<WaitGroup> body) {
        form.test(WaitGroupTest::make, WaitGroup::checkInvariants, body);
    }

    @ParameterizedTest
    @EnumSource
    void F5_timedOutAwaitIsFalseAfterItsLimitAndLeavesNothing(Form form) {
        test(
                form,
                group -> {
                    group.add();
                    long before = Form.now();
                    assertFalse(group.await(Form.SHORT));
                    assertEquals(Form.SHORT.toNanos(), Form.now() - before);
                    assertFalse(group.await(Duration.ZERO));
                    group.done();
                    assertTrue(group.await(Duration.ZERO));
                    Fiber.sleep(Form.LONG);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_leaversLeaveTheOthersWaiting(Form form) {
        test(
                form,
                group -> {
                    group.add();
                    Fiber<?> terminated = Fiber.spin(() -> group.await());
                    Fiber<Boolean> cancelled =
                            Fiber.spin(
                                    () -> CancelScope.moveOnAfter(Form.SHORT, () -> group.await()));
                    Fiber<Boolean> stays = Fiber.spin(() -> group.await(Form.FAR));
                    Form.settle();
                    terminated.terminate();
                    Fiber.sleep(Form.LONG);
                    assertFalse(cancelled.await());
                    assertThrows(FiberTerminatedException.class, terminated::await);
                    group.checkInvariants();
                    group.done();
                    assertTrue(stays.await());
                });
    }

    /** Released and terminated in the same moment: the release came first and stands. */
    @ParameterizedTest
    @EnumSource
    void F8_releasedBeforeItWasTerminatedReturns(Form form) {
        test(
                form,
                group -> {
                    List<String> log = new ArrayList<>();
                    group.add();
                    Fiber<?> waiter =
                            Fiber.spin(
                                    () -> {
                                        group.await();
                                        log.add("released");
                                        Fiber.snooze();
                                        log.add("not reached");
                                    });
                    Form.settle();
                    group.done();
                    waiter.terminate();
                    assertThrows(FiberTerminatedException.class, waiter::await);
                    assertEquals(List.of("released"), log);
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_doneMoreOftenThanAddedNamesTheNumbers(Form form) {
        test(
                form,
                group -> {
                    group.add(3);
                    group.done();
                    group.done();
                    group.done();
                    String message =
                            assertThrows(IllegalStateException.class, group::done).toString();
                    assertTrue(message.contains("once more than the 3 that were added"), message);
                    assertTrue(message.contains("0 not done"), message);
                    assertTrue(message.contains("tryDone()"), message);
                    assertEquals(0, group.count());
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_negativeAndOverflowingAddsChangeNothing(Form form) {
        test(
                form,
                group -> {
                    assertThrows(IllegalArgumentException.class, () -> group.add(-1));
                    group.add(Integer.MAX_VALUE);
                    String message =
                            assertThrows(IllegalStateException.class, group::add).toString();
                    assertTrue(message.contains("count=2147483647 plus n=1"), message);
                    assertEquals(Integer.MAX_VALUE, group.count());
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> group.await(Duration.ofNanos(-1)));
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_groupIsReusedAndOnlyTheLastDoneReleases(Form form) {
        test(
                form,
                group -> {
                    group.await();
                    for (int round = 0; round < 3; round++) {
                        List<Integer> log = new ArrayList<>();
                        group.add(0);
                        group.add(3);
                        Fiber<?> waiter = Fiber.spin(() -> group.await());
                        for (int i = 0; i < 3; i++) {
                            Fiber.spin(
                                    () -> {
                                        Fiber.sleep(Form.SHORT);
                                        log.add(1);
                                        group.done();
                                    });
                        }
                        waiter.await();
                        assertEquals(3, log.size());
                    }
                });
    }

    /** An add that comes right after the last done takes nobody's release back. */
    @ParameterizedTest
    @EnumSource
    void F8_addAfterTheLastDoneHoldsNobodyBack(Form form) {
        test(
                form,
                group -> {
                    group.add();
                    Fiber<Boolean> waiter = Fiber.spin(() -> group.await(Form.FAR));
                    Form.settle();
                    group.done();
                    group.add();
                    long before = Form.now();
                    assertTrue(waiter.await());
                    assertEquals(0, Form.now() - before);
                    assertFalse(group.await(Form.SHORT));
                });
    }

    @ParameterizedTest
    @EnumSource
    void F4_awaitThatNeedNotWaitIsNoSwitchpoint(Form form) {
        test(
                form,
                group -> {
                    List<String> log = new ArrayList<>();
                    Fiber.spin(() -> log.add("other"));
                    group.await();
                    assertTrue(group.await(Form.FAR));
                    assertEquals(List.of(), log);
                });
    }

    @Test
    void misuse_localGroupOfAnotherCordIsRefusedAndNamesTheRemedy() {
        try (Cord owner = Cord.start("owner");
                Cord other = Cord.start("other")) {
            WaitGroup group = owner.spin("maker", WaitGroup::local).await();
            String message =
                    other.spin("thief", () -> Form.failureOf(group::add)).await().toString();
            assertTrue(message.contains("WrongThreadException"), message);
            assertTrue(message.contains("WaitGroup.shared()"), message);
            owner.spin("check", group::checkInvariants).await();
        }
        assertThrows(IllegalStateException.class, WaitGroup::local);
    }

    @Test
    void F9_deadlockReportNamesTheGroupAndItsCount() {
        CordOptions options =
                CordOptions.named("dead").withClock(new CordOptions.VirtualClock(1, false));
        Throwable thrown =
                Form.failureOf(
                        () ->
                                Cord.run(
                                        options,
                                        () -> {
                                            WaitGroup group = WaitGroup.local();
                                            group.add(2);
                                            group.await();
                                            return "not reached";
                                        }));
        String message = "" + thrown.getCause();
        assertTrue(message.contains(DeadlockException.class.getName()), message);
        assertTrue(message.contains("local wait group @"), message);
        assertTrue(message.contains("2 not done"), message);
    }

    @Test
    void F8_interruptedThreadLeaves() throws InterruptedException {
        WaitGroup group = WaitGroup.shared();
        group.add();
        List<Throwable> thrown = new ArrayList<>();
        Thread thread =
                Thread.ofPlatform().start(() -> thrown.add(Form.failureOf(() -> group.await())));
        Form.until(() -> thread.getState() == Thread.State.WAITING);
        thread.interrupt();
        Form.join(thread);
        assertTrue(thrown.getFirst() instanceof WaitInterruptedException, thrown::toString);
        assertFalse(group.await(Duration.ZERO));
        group.done();
        group.checkInvariants();
    }

    // ---------------------------------------------------------------- a gate that opens once

    @ParameterizedTest
    @EnumSource
    void F8_gateOpensOnceForAllThatWaitAndAllThatCome(Form form) {
        test(
                form,
                gate -> {
                    gate.add(2);
                    List<String> log = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        Fiber.spin(
                                () -> {
                                    gate.await();
                                    log.add("in");
                                });
                    }
                    assertFalse(gate.await(Form.SHORT));
                    assertTrue(gate.tryDone());
                    Form.settle();
                    assertEquals(1, gate.count());
                    assertEquals(List.of(), log);
                    assertTrue(gate.tryDone());
                    Form.settle();
                    assertEquals(List.of("in", "in", "in"), log);
                    assertFalse(gate.tryDone());
                    assertEquals(0, gate.count());
                    gate.await();
                    assertTrue(gate.await(Duration.ZERO));
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_gateKeepsItsCountWhenWaitersLeave(Form form) {
        test(
                form,
                gate -> {
                    gate.add(2);
                    Fiber<?> terminated = Fiber.spin(() -> gate.await());
                    Form.settle();
                    terminated.terminate();
                    assertFalse(CancelScope.moveOnAfter(Form.SHORT, () -> gate.await()));
                    assertFalse(gate.await(Duration.ZERO));
                    assertEquals(2, gate.count());
                    gate.done();
                    gate.done();
                    gate.await();
                });
    }
}
