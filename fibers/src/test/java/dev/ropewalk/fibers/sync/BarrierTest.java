package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Rules F5 and F8 for {@link Barrier}: all go on, or none. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class BarrierTest {
    private static final int PARTIES = 3;

    private static Barrier make(Form form) {
        return form == Form.LOCAL ? Barrier.local(PARTIES) : Barrier.shared(PARTIES);
    }

    private static Barrier make(Form form, Runnable action) {
        return form == Form.LOCAL
                ? Barrier.local(PARTIES, action)
                : Barrier.shared(PARTIES, action);
    }

    private static void test(Form form, Form.Body<Barrier> body) {
        form.test(BarrierTest::make, Barrier::checkInvariants, body);
    }

    private static void test(Form form, Runnable action, Form.Body<Barrier> body) {
        form.test(each -> make(each, action), Barrier::checkInvariants, body);
    }

    /** A party that tells how it got through. */
    private static Fiber<String> party(Barrier barrier) {
        return Fiber.spin(
                () -> {
                    try {
                        barrier.await();
                        return "through";
                    } catch (BarrierBrokenException broken) {
                        return "" + broken.getMessage();
                    }
                });
    }

    private static void assertBroken(Barrier barrier, Fiber<String> party, String why) {
        String message = party.await();
        assertTrue(message.contains(why), message);
        assertTrue(barrier.isBroken());
        assertEquals(0, barrier.waiting());
        long before = Form.now();
        assertThrows(BarrierBrokenException.class, barrier::await);
        assertEquals(before, Form.now());
    }

    @ParameterizedTest
    @EnumSource
    void F5_limitThatPassesBreaksItForAll(Form form) {
        test(
                form,
                barrier -> {
                    Fiber<String> other = party(barrier);
                    long before = Form.now();
                    String own =
                            assertThrows(
                                            BarrierBrokenException.class,
                                            () -> barrier.await(Form.SHORT))
                                    .toString();
                    assertEquals(Form.SHORT.toNanos(), Form.now() - before);
                    assertTrue(own.contains("the limit of PT0.1S of fiber root"), own);
                    assertBroken(barrier, other, "the limit of PT0.1S of fiber root");
                    barrier.reset();
                    assertFalse(barrier.isBroken());
                    assertThrows(BarrierBrokenException.class, () -> barrier.await(Duration.ZERO));
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_terminatedPartyBreaksItForAll(Form form) {
        test(
                form,
                barrier -> {
                    Fiber<String> other = party(barrier);
                    Fiber<?> leaver = Fiber.spin("leaver", () -> barrier.await());
                    Form.settle();
                    assertEquals(2, barrier.waiting());
                    leaver.terminate();
                    assertThrows(FiberTerminatedException.class, leaver::await);
                    assertBroken(barrier, other, "fiber leaver on cord test left");
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_cancelledPartyBreaksItForAll(Form form) {
        test(
                form,
                barrier -> {
                    Fiber<String> other = party(barrier);
                    assertFalse(CancelScope.moveOnAfter(Form.SHORT, () -> barrier.await()));
                    assertBroken(barrier, other, "fiber root on cord test left");
                });
    }

    /** The worst moment: the last party has come, and then one is terminated that was released. */
    @ParameterizedTest
    @EnumSource
    void F8_partyThatIsTerminatedAfterTheLastCameHasGoneThrough(Form form) {
        test(
                form,
                barrier -> {
                    List<String> log = new ArrayList<>();
                    Fiber<String> other = party(barrier);
                    Fiber<?> late =
                            Fiber.spin(
                                    () -> {
                                        barrier.await();
                                        log.add("through");
                                        Fiber.snooze();
                                    });
                    Form.settle();
                    assertEquals(2, barrier.await());
                    late.terminate();
                    assertThrows(FiberTerminatedException.class, late::await);
                    assertEquals(List.of("through"), log);
                    assertEquals("through", other.await());
                    assertFalse(barrier.isBroken());
                });
    }

    /** The other order: terminated first, and it has not run since when the last one comes. */
    @ParameterizedTest
    @EnumSource
    void F8_partyThatWasTerminatedBeforeTheLastCameBreaksIt(Form form) {
        test(
                form,
                barrier -> {
                    Fiber<String> other = party(barrier);
                    Fiber<?> leaver = Fiber.spin("leaver", () -> barrier.await());
                    Form.settle();
                    leaver.terminate();
                    assertThrows(BarrierBrokenException.class, barrier::await);
                    assertBroken(barrier, other, "1 of 3 parties left");
                });
    }

    @ParameterizedTest
    @EnumSource
    void F8_indicesAndGenerations(Form form) {
        List<String> log = new ArrayList<>();
        test(
                form,
                () -> log.add("action"),
                barrier -> {
                    log.clear();
                    List<Fiber<?>> all = new ArrayList<>();
                    Set<Integer> indices = new TreeSet<>();
                    for (int i = 0; i < PARTIES; i++) {
                        all.add(
                                Fiber.spin(
                                        () -> {
                                            for (int round = 0; round < 4; round++) {
                                                indices.add(round * PARTIES + barrier.await());
                                                log.add("round " + round);
                                            }
                                        }));
                    }
                    Fiber.awaitAll(all);
                    assertEquals(4 * PARTIES, indices.size());
                    List<String> expected = new ArrayList<>();
                    for (int round = 0; round < 4; round++) {
                        expected.add("action");
                        expected.addAll(Collections.nCopies(PARTIES, "round " + round));
                    }
                    assertEquals(expected, log);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_actionThatFailsBreaksItAndComesOutAsItIs(Form form) {
        IllegalStateException own = new IllegalStateException("own");
        test(
                form,
                () -> {
                    throw own;
                },
                barrier -> {
                    Fiber<String> one = party(barrier);
                    Fiber<String> two = party(barrier);
                    Form.settle();
                    assertSame(own, Form.failureOf(barrier::await));
                    assertBroken(barrier, one, "its action failed: " + own);
                    assertBroken(barrier, two, "its action failed: " + own);
                    Throwable later = Form.failureOf(barrier::await);
                    assertSame(own, later.getCause());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_partyThatLeavesDuringTheActionBreaksItForTheLastToo(Form form) {
        test(
                form,
                () -> Fiber.sleep(Form.LONG),
                barrier -> {
                    Fiber<String> other = party(barrier);
                    Fiber<?> leaver = Fiber.spin("leaver", () -> barrier.await());
                    Form.settle();
                    Fiber<String> last = party(barrier);
                    Form.settle();
                    Fiber<String> next = party(barrier);
                    Form.settle();
                    leaver.terminate();
                    Form.settle();
                    assertTrue(other.await().contains("fiber leaver on cord test left"));
                    assertBroken(barrier, next, "fiber leaver on cord test left");
                    assertTrue(last.await().contains("fiber leaver on cord test left"));
                    barrier.reset();
                });
    }

    /** Who comes while the action runs is of the next generation. */
    @ParameterizedTest
    @EnumSource
    void F8_partiesThatComeDuringTheActionWaitForTheNext(Form form) {
        test(
                form,
                () -> Fiber.sleep(Form.SHORT),
                barrier -> {
                    List<Fiber<String>> all = new ArrayList<>();
                    for (int i = 0; i < 2 * PARTIES; i++) {
                        all.add(party(barrier));
                    }
                    Form.settle();
                    barrier.reset(); // nobody waits for others now; the actions run on
                    for (Fiber<String> each : all) {
                        assertEquals("through", each.await());
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_resetReleasesWhoWaitsAndBeginsAnew(Form form) {
        test(
                form,
                barrier -> {
                    Fiber<String> one = party(barrier);
                    Form.settle();
                    barrier.reset();
                    assertTrue(one.await().contains("it was reset"));
                    Fiber<String> two = party(barrier);
                    Fiber<String> three = party(barrier);
                    Form.settle();
                    assertEquals(2, barrier.await());
                    assertEquals("through", two.await());
                    assertEquals("through", three.await());
                });
    }

    @Test
    void misuse_numberOfPartiesAndLimits() {
        String message =
                assertThrows(IllegalArgumentException.class, () -> Barrier.shared(0)).toString();
        assertTrue(message.contains("parties=0"), message);
        Barrier alone = Barrier.shared(1);
        assertEquals(1, alone.parties());
        assertEquals(0, alone.await());
        assertEquals(0, alone.await(Duration.ZERO));
        Duration negative = Duration.ofNanos(-1);
        assertThrows(IllegalArgumentException.class, () -> alone.await(negative));
        assertThrows(IllegalStateException.class, () -> Barrier.local(1));
    }

    @Test
    void F9_deadlockReportNamesTheBarrierAndHowManyAreMissing() {
        CordOptions options =
                CordOptions.named("dead").withClock(new CordOptions.VirtualClock(1, false));
        Throwable thrown =
                Form.failureOf(
                        () ->
                                Cord.run(
                                        options,
                                        () -> {
                                            Barrier barrier = Barrier.local(PARTIES);
                                            Fiber.spin("ends without it", () -> {});
                                            return barrier.await();
                                        }));
        String message = "" + thrown.getCause();
        assertTrue(message.contains("local barrier @"), message);
        assertTrue(message.contains("2 of 3 parties missing"), message);
    }
}
