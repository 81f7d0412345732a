package dev.ropewalk.fibers.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule C4: a select below its clauses, with clauses that do what a test cannot time. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SelectionTest {
    /** A clause that writes down what it is asked, and that may be claimed as soon as it stands. */
    private static final class Spy implements Clause<String> {
        final List<String> asked = new ArrayList<>();
        final boolean isClaimedAtOnce;
        boolean fails;

        Spy(boolean isClaimedAtOnce) {
            this.isClaimedAtOnce = isClaimedAtOnce;
        }

        @Override
        public @Nullable Exclusion guard() {
            return null;
        }

        @Override
        public boolean isLocal() {
            return false;
        }

        @Override
        public boolean isReady() {
            return false;
        }

        @Override
        public Object take(Selection<?> by) {
            throw new AssertionError("it was not ready");
        }

        @Override
        public WaitNode.Place<?> stand(WaitNode<?> wait) {
            if (fails) {
                throw new StackOverflowError("no room to stand");
            }
            asked.add("stand");
            WaitNode.Place<String> place = wait.place("brought");
            if (isClaimedAtOnce) {
                asked.add("claimed " + place.claim("given"));
                place.wake();
            }
            return place;
        }

        @Override
        public void leave(WaitNode.Place<?> place) {
            asked.add("leave");
        }

        @Override
        public String result(@Nullable Object given) {
            return "result of " + given;
        }

        @Override
        public void begin() {
            asked.add("begin");
        }

        @Override
        public void end(boolean isTaken) {
            asked.add("end " + isTaken);
        }
    }

    /** A giver from another thread may come while the waiter still goes from queue to queue. */
    @Test
    void F8_ofTwoThatGiveWhileItStandsTheFirstWins() {
        Cord.run(
                () -> {
                    Spy first = new Spy(true);
                    Spy second = new Spy(true);
                    Spy third = new Spy(false);
                    Selection<String> selection =
                            new Selection<>(List.of(first, second, third), false);
                    assertTrue(selection.await(Long.MAX_VALUE));
                    assertEquals("result of given", selection.result());
                    assertEquals(
                            List.of("begin", "stand", "claimed true", "end true"), first.asked);
                    assertEquals(
                            List.of("begin", "stand", "claimed false", "leave", "end false"),
                            second.asked);
                    assertEquals(List.of("begin", "stand", "leave", "end false"), third.asked);
                });
    }

    @Test
    void F5_whatFailsWhileItStandsLeavesWhereItStoodAlready() {
        Cord.run(
                () -> {
                    Event event = Event.shared();
                    Spy stands = new Spy(false);
                    Spy fails = new Spy(false);
                    fails.fails = true;
                    Selection<?> selection =
                            new Selection<>(
                                    List.of(event.onSignal(() -> "event"), stands, fails), false);
                    assertThrows(StackOverflowError.class, () -> selection.await(Long.MAX_VALUE));
                    assertEquals(List.of("begin", "stand", "leave", "end false"), stands.asked);
                    event.signal();
                    assertTrue(event.isSignalled(), "a place was left behind and took the signal");
                });
    }

    @Test
    void C4_notToWaitStandsNowhere() {
        TestCord.run(
                () -> {
                    Spy spy = new Spy(false);
                    Selection<?> selection = new Selection<>(List.of(spy), false);
                    assertFalse(selection.await(Selection.NO_WAIT));
                    assertEquals(List.of("begin", "end false"), spy.asked);
                    assertThrows(IllegalStateException.class, selection::result);
                });
    }

    /** Guards are entered in one order: otherwise two that name them the other way round hang. */
    @Test
    void C3_guardsAreTakenInTheirOrder() {
        Event a = Event.shared();
        Event b = Event.shared();
        int rounds = 20_000;
        try (Cord one = Cord.start("one");
                Cord other = Cord.start("other")) {
            Fiber<Integer> there = one.spin("there", () -> selectOften(List.of(a, b), rounds));
            Fiber<Integer> back = other.spin("back", () -> selectOften(List.of(b, a), rounds));
            for (int i = 0; i < rounds; i++) {
                (i % 2 == 0 ? a : b).signal();
            }
            assertTrue(there.await() + back.await() > 0);
        }
    }

    private static int selectOften(List<Event> events, int rounds) {
        int taken = 0;
        for (int i = 0; i < rounds; i++) {
            Selection<?> selection =
                    new Selection<>(
                            events.stream().map(each -> each.onSignal(() -> 1)).toList(), false);
            taken += selection.await(i % 2 == 0 ? Selection.NO_WAIT : 1_000) ? 1 : 0;
        }
        return taken;
    }

    @Test
    void F5_limitThatPassesLeavesAllQueues() {
        TestCord.run(
                () -> {
                    Event local = Event.local();
                    Event shared = Event.shared();
                    Selection<?> selection =
                            new Selection<>(
                                    List.of(
                                            local.onSignal(() -> "local"),
                                            shared.onSignal(() -> "shared")),
                                    false);
                    long startNs = Cord.current().nanoTime();
                    assertFalse(selection.await(Duration.ofSeconds(1).toNanos()));
                    assertEquals(1_000_000_000, Cord.current().nanoTime() - startNs);
                    local.signal();
                    shared.signal();
                    assertTrue(local.isSignalled() && shared.isSignalled());
                });
    }
}
