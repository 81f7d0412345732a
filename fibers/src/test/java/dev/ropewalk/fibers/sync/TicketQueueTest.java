package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Rules F5 and F8 for {@link TicketQueue}. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TicketQueueTest {
    private static TicketQueue make(Form form) {
        return form == Form.LOCAL ? TicketQueue.local() : TicketQueue.shared();
    }

    private static void test(Form form, Form.Body<TicketQueue> body) {
        form.test(TicketQueueTest::make, TicketQueue::checkInvariants, body);
    }

    @ParameterizedTest
    @EnumSource
    void F7_ticketWhoseTakerEndsIsReportedAndTheNextIsCalled(Form form) {
        test(
                form,
                queue -> {
                    TestCord.expectUncaught(IllegalStateException.class);
                    List<Ticket> taken = new ArrayList<>();
                    Fiber.spin(() -> taken.add(queue.take())).await();
                    Ticket next = queue.take();
                    next.await();
                    assertFalse(taken.getFirst().isCalled());
                    assertThrows(IllegalStateException.class, taken.getFirst()::done);
                    next.done();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_terminatedTakersInTheMiddleLeaveNoGap(Form form) {
        test(
                form,
                queue -> {
                    TestCord.expectUncaught(IllegalStateException.class);
                    TestCord.expectUncaught(IllegalStateException.class);
                    Ticket first = queue.take();
                    List<Fiber<?>> middle = new ArrayList<>();
                    for (int i = 0; i < 2; i++) {
                        middle.add(Fiber.spin(() -> queue.take().await()));
                    }
                    Form.settle();
                    Ticket last = queue.take();
                    middle.forEach(Fiber::terminate);
                    for (Fiber<?> each : middle) {
                        assertThrows(FiberTerminatedException.class, each::await);
                    }
                    queue.checkInvariants();
                    assertFalse(last.await(Form.SHORT));
                    first.done();
                    assertTrue(last.await(Duration.ZERO));
                    last.done();
                });
    }

    /** Called and terminated in the same moment: its holder is dead, so it goes on to the next. */
    @ParameterizedTest
    @EnumSource
    void F8_ticketCalledWhileItsHolderIsTerminatedGoesToTheNext(Form form) {
        test(
                form,
                queue -> {
                    TestCord.expectUncaught(IllegalStateException.class);
                    Ticket first = queue.take();
                    Fiber<?> holder =
                            Fiber.spin(
                                    () -> {
                                        queue.take().await();
                                        Fiber.sleep(Form.FAR);
                                    });
                    Form.settle();
                    Ticket last = queue.take();
                    first.done();
                    holder.terminate();
                    long before = Form.now();
                    last.await();
                    assertEquals(before, Form.now());
                    last.done();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_waiterThatLeavesKeepsItsPlaceForTheTicket(Form form) {
        test(
                form,
                queue -> {
                    Ticket first = queue.take();
                    Ticket second = queue.take();
                    Ticket third = queue.take();
                    assertFalse(second.await(Form.SHORT));
                    assertFalse(CancelScope.moveOnAfter(Form.SHORT, () -> second.await()));
                    first.done();
                    assertFalse(third.await(Form.SHORT));
                    assertTrue(second.await(Duration.ZERO));
                    second.done();
                    third.await();
                    third.done();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F8_workDoneSideBySideComesOutInOrder(Form form) {
        test(
                form,
                queue -> {
                    List<Long> log = new ArrayList<>();
                    List<Fiber<?>> workers = new ArrayList<>();
                    List<Ticket> tickets = queue.take(20);
                    for (Ticket ticket : tickets) {
                        workers.add(
                                Fiber.spin(
                                        () -> {
                                            long pause = 20 - ticket.number() % 7;
                                            Fiber.sleep(Duration.ofMillis(pause));
                                            ticket.await();
                                            Fiber.snooze();
                                            log.add(ticket.number());
                                            ticket.done();
                                        }));
                    }
                    Fiber.awaitAll(workers);
                    assertEquals(tickets.stream().map(Ticket::number).toList(), log);
                });
    }

    /** The taker ends, and answers no more for what another awaits. */
    @ParameterizedTest
    @EnumSource
    void F7_whoAwaitsAHandedTicketAnswersForIt(Form form) {
        test(
                form,
                queue -> {
                    List<Ticket> handed = new ArrayList<>();
                    Ticket first = queue.take();
                    Fiber<?> taker =
                            Fiber.spin(
                                    () -> {
                                        handed.add(queue.take());
                                        Fiber.sleep(Form.LONG);
                                    });
                    Fiber<Boolean> worker =
                            Fiber.spin(
                                    () -> {
                                        Fiber.sleep(Form.SHORT);
                                        boolean called = handed.getFirst().await(Form.FAR);
                                        handed.getFirst().done();
                                        return called;
                                    });
                    taker.await();
                    first.done();
                    assertTrue(worker.await());

                    TestCord.expectUncaught(IllegalStateException.class);
                    Ticket ticket = queue.take();
                    Fiber.spin(() -> ticket.await()).await();
                    assertThrows(IllegalStateException.class, ticket::done);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_whoeverSaysDoneFreesTheTaker(Form form) {
        test(
                form,
                queue -> {
                    List<Ticket> handed = new ArrayList<>();
                    Fiber<?> taker =
                            Fiber.spin(
                                    () -> {
                                        handed.addAll(queue.take(3));
                                        Fiber.sleep(Form.SHORT);
                                    });
                    Form.settle();
                    handed.get(1).done();
                    handed.get(0).done();
                    assertTrue(handed.get(2).isCalled());
                    handed.get(2).done();
                    taker.await();
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_doneTwiceOrAwaitAfterDoneOrOddNumbers(Form form) {
        test(
                form,
                queue -> {
                    Ticket ticket = queue.take();
                    ticket.done();
                    for (Throwable thrown :
                            List.of(
                                    Form.failureOf(ticket::done),
                                    Form.failureOf(ticket::await),
                                    Form.failureOf(() -> ticket.onCall(() -> {})))) {
                        String message = thrown.toString();
                        assertTrue(thrown instanceof IllegalStateException, message);
                        assertTrue(message.contains("ticket 1 of"), message);
                        assertTrue(message.contains("done already"), message);
                    }
                    assertThrows(IllegalArgumentException.class, () -> queue.take(0));
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_doneByAnotherWhileItIsAwaitedTellsTheWaiter(Form form) {
        test(
                form,
                queue -> {
                    Ticket first = queue.take();
                    Ticket second = queue.take();
                    Fiber<Throwable> waiter =
                            Fiber.spin(() -> Form.failureOf(() -> second.await()));
                    Form.settle();
                    second.done();
                    String message = waiter.await().toString();
                    assertTrue(message.contains("was done by another"), message);
                    first.done();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F8_callbacksRunOnceAsNoFiberWhenTheTicketIsCalled(Form form) {
        test(
                form,
                queue -> {
                    TestCord.expectUncaught(IllegalStateException.class);
                    List<@Nullable Object> log = new ArrayList<>();
                    Ticket first = queue.take();
                    Ticket second = queue.take();
                    second.onCall(() -> log.add(Fiber.currentOrNull()));
                    second.onCall(() -> log.add("second"));
                    second.onCall(
                            () -> {
                                throw new IllegalStateException("reported");
                            });
                    Form.settle();
                    assertEquals(List.of(), log);
                    first.done();
                    assertEquals(List.of(), log);
                    Fiber.sleep(Form.SHORT);
                    assertEquals(2, log.size());
                    assertNull(log.getFirst());
                    second.onCall(() -> log.add("at once"));
                    Fiber.sleep(Form.SHORT);
                    assertEquals("at once", log.getLast());
                    Ticket givenUp = queue.take();
                    givenUp.onCall(() -> log.add("never"));
                    givenUp.done();
                    second.done();
                    Fiber.sleep(Form.SHORT);
                    assertEquals(3, log.size());
                });
    }

    @Test
    void misuse_callbackNeedsACord() {
        TicketQueue queue = TicketQueue.shared();
        Ticket ticket = queue.take();
        assertThrows(IllegalStateException.class, () -> ticket.onCall(() -> {}));
        ticket.await();
        ticket.done();
        queue.checkInvariants();
        assertThrows(IllegalStateException.class, TicketQueue::local);
    }

    /** The taker on another cord is let off by a message, and asked once more when it ends. */
    @Test
    void F7_ticketDoneOnAnotherCordIsNotReported() {
        List<Throwable> reports = new CopyOnWriteArrayList<>();
        TicketQueue queue = TicketQueue.shared();
        for (int i = 0; i < 50; i++) {
            try (Cord cord =
                    Cord.start(
                            CordOptions.named("taker")
                                    .withUncaught((fiber, failure) -> reports.add(failure)))) {
                AtomicBoolean done = new AtomicBoolean();
                List<Ticket> handed = new CopyOnWriteArrayList<>();
                Fiber<?> taker =
                        cord.spin(
                                "taker",
                                () -> {
                                    handed.add(queue.take());
                                    while (!done.get()) {
                                        Thread.onSpinWait(); // so that no message arrives
                                    }
                                });
                Form.until(() -> !handed.isEmpty());
                handed.getFirst().await();
                handed.getFirst().done();
                done.set(true);
                taker.await();
            }
        }
        assertEquals(List.of(), reports);
        queue.checkInvariants();
    }
}
