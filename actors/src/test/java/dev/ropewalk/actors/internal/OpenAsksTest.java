package dev.ropewalk.actors.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.internal.observe.Redaction;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** Rule A2: the asks that must be told when their target ends, against a list of the open ones. */
@Timeout(60)
class OpenAsksTest {
    private static final int ALWAYS_ALLOWED = 32;

    private final OpenAsks asks = new OpenAsks();
    private final List<Ask<String, String>> added = new ArrayList<>();
    private Cord cord = Cord.start("open asks");

    @BeforeEach
    void freshCord() {
        cord.close();
        cord = Cord.start("open asks");
    }

    @AfterEach
    void invariantsHold() {
        checkInvariants();
        cord.close();
    }

    /** Every open ask is linked exactly once, both ways, and the size counts what is linked. */
    private void checkInvariants() {
        Set<Ask<?, ?>> linked = new HashSet<>();
        if (asks.size() > 0) {
            // The last one added is first, and a sweep unlinks it only if it was answered.
            for (Ask<?, ?> ask = newestLinked(); ask != null; ask = ask.next) {
                assertTrue(linked.add(ask), "linked twice");
                assertTrue(ask.next == null || ask.next.previous == ask, "broken link");
            }
        }
        assertEquals(linked.size(), asks.size());
        for (Ask<String, String> ask : added) {
            assertTrue(!ask.isOpen() || linked.contains(ask), "an open ask is forgotten");
        }
    }

    private @Nullable Ask<?, ?> newestLinked() {
        Ask<?, ?> ask = null;
        for (Ask<?, ?> each : added) {
            if (each.isOpen()) {
                ask = each;
            }
        }
        while (ask != null && ask.previous != null) {
            ask = ask.previous;
        }
        return ask;
    }

    private Ask<String, String> ask() {
        Actor<String> actor = Actor.handler(_ -> Behavior.stopped());
        SystemCore core =
                new SystemCore(List.of(cord), null, new Redaction(UnaryOperator.identity()));
        SupervisorCell supervisor =
                new SupervisorCell("supervisor", cord, Supervision.oneForOne(), null, core);
        ActorCell<String> target = core.actor("target", cord, actor, supervisor, null);
        Ask<String, String> ask = new AwaitedAsk<>(target, Long.MAX_VALUE, null);
        ask.setMessage("message");
        return ask;
    }

    @Test
    void failingNoneIsHarmless() {
        asks.failAll("ended", null);
        assertEquals(0, asks.size());
    }

    @Test
    void answeredAsksDoNotPileUp() {
        for (int i = 0; i < 10_000; i++) {
            Ask<String, String> ask = ask();
            asks.add(ask);
            ask.tell("answer");
            assertTrue(asks.size() <= ALWAYS_ALLOWED, "size=" + asks.size() + " after " + i);
        }
        asks.failAll("ended", null);
    }

    @Test
    void aRemovedAskIsGoneAtOnceAndRemovingItAgainIsHarmless() {
        List<Ask<String, String>> three = List.of(ask(), ask(), ask());
        three.forEach(asks::add);
        asks.remove(three.get(1));
        asks.remove(three.get(1));
        assertEquals(2, asks.size());
        asks.remove(ask());
        assertEquals(2, asks.size());
        asks.failAll("ended", null);
        assertTrue(three.get(1).isOpen());
        assertFalse(three.get(0).isOpen());
        assertFalse(three.get(2).isOpen());
        asks.remove(three.get(0));
        assertEquals(0, asks.size());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyOpenAskIsFailedAndNoOtherIsKept(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Ask<String, String>> open = new ArrayList<>();
        for (int step = 0; step < 2_000; step++) {
            if (random.nextInt(100) < 55) {
                Ask<String, String> ask = ask();
                asks.add(ask);
                added.add(ask);
                open.add(ask);
            } else if (!open.isEmpty()) {
                Ask<String, String> answered = open.remove(random.nextInt(open.size()));
                answered.tell("answer");
                if (random.nextBoolean()) {
                    asks.remove(answered);
                }
            }
            assertTrue(asks.size() >= open.size(), "seed=" + seed + " step=" + step);
        }
        Ask<String, String> newest = ask();
        asks.add(newest);
        added.add(newest);
        open.add(newest);
        checkInvariants();
        asks.failAll("ended", null);
        assertEquals(0, asks.size(), "seed=" + seed);
        for (Ask<String, String> ask : open) {
            assertFalse(ask.isOpen(), "seed=" + seed);
        }
    }
}
