package dev.ropewalk.fibers.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** The queue of waiting nodes against a model. Here a node is a wait of this thread. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class WaitQueueTest {
    private static final int SEEDS = 100;
    private static final int STEPS = 500;
    private static final Object RESULT = new Object();

    private static WaitNode<Integer> node(int element) {
        return new WaitNode.Shared<>(element);
    }

    @Test
    void isLikeAListFromWhichAnyMayLeave() {
        for (long seed = 0; seed < SEEDS; seed++) {
            new Game(seed).play();
        }
    }

    private static final class Game {
        private final String replay;
        private final SplittableRandom random;
        private final WaitQueue<Integer> queue = new WaitQueue<>();
        private final List<WaitNode<Integer>> model = new ArrayList<>();
        private final List<WaitNode<Integer>> everybody = new ArrayList<>();
        private final Set<WaitNode<Integer>> gaveUp = new HashSet<>();

        Game(long seed) {
            this.replay = "seed=" + seed;
            this.random = new SplittableRandom(seed);
        }

        void play() {
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(6)) {
                    case 0, 1, 2 -> add();
                    case 3 -> removeAnyone();
                    case 4 -> giveUp();
                    default -> claim();
                }
                queue.checkInvariants();
                assertEquals(model.isEmpty(), queue.isEmpty(), replay);
                assertEquals(model.size(), queue.size(), replay);
            }
            while (!model.isEmpty()) {
                claim();
            }
            assertTrue(queue.isEmpty(), replay);
        }

        private void add() {
            WaitNode<Integer> added = node(everybody.size());
            everybody.add(added);
            queue.add(added);
            model.add(added);
        }

        /** Also one that has left long ago. */
        private void removeAnyone() {
            if (!everybody.isEmpty()) {
                WaitNode<Integer> leaver = everybody.get(random.nextInt(everybody.size()));
                queue.remove(leaver);
                model.remove(leaver);
                assertNull(leaver.queue, replay);
            }
        }

        /** Its wait is over, and it still stands in the queue. */
        private void giveUp() {
            if (!model.isEmpty()) {
                WaitNode<Integer> tired = model.get(random.nextInt(model.size()));
                if (tired.claim("elsewhere")) {
                    gaveUp.add(tired);
                }
            }
        }

        private void claim() {
            while (!model.isEmpty() && gaveUp.contains(model.getFirst())) {
                model.removeFirst();
            }
            @Nullable WaitNode<Integer> expected = model.isEmpty() ? null : model.removeFirst();
            @Nullable WaitNode<Integer> claimed = queue.claimFirst(RESULT);
            assertSame(expected, claimed, replay);
            if (claimed != null) {
                assertFalse(claimed.claim(RESULT), replay);
            }
        }
    }

    @Test
    void nodeMayComeBackAfterItLeft() {
        WaitQueue<Integer> queue = new WaitQueue<>();
        WaitNode<Integer> first = node(1);
        WaitNode<Integer> second = node(2);
        queue.add(first);
        queue.add(second);
        queue.remove(first);
        queue.remove(first);
        queue.add(first);
        queue.checkInvariants();
        assertSame(second, queue.claimFirst(RESULT));
        assertSame(first, queue.claimFirst(RESULT));
        assertNull(queue.claimFirst(RESULT));
    }

    @Test
    void claimAllEndsTheWaitsOfAllThatStillWaitInTheirOrder() {
        WaitQueue<Integer> queue = new WaitQueue<>();
        WaitNode<Integer> first = node(1);
        WaitNode<Integer> gaveUp = node(2);
        WaitNode<Integer> last = node(3);
        queue.add(first);
        queue.add(gaveUp);
        queue.add(last);
        assertTrue(gaveUp.claim("elsewhere"));
        List<WaitNode<Integer>> claimed = queue.claimAll(RESULT);
        assertEquals(List.of(first, last), claimed);
        assertTrue(queue.isEmpty());
        queue.checkInvariants();
        WaitQueue.wakeAll(claimed);
        assertSame(RESULT, Exclusion.byLock().await(first, "all", 0));
        assertSame(RESULT, Exclusion.byLock().await(last, "all", 0));
        assertEquals(List.of(), queue.claimAll(RESULT));
    }

    @Test
    void F8_waitThatStandsInSeveralQueuesIsClaimedOnce() {
        WaitQueue<Integer> first = new WaitQueue<>();
        WaitQueue<String> second = new WaitQueue<>();
        WaitNode<Integer> wait = node(1);
        WaitNode.Place<Integer> inFirst = wait.place(2);
        WaitNode.Place<String> inSecond = wait.place("3");
        first.add(inFirst);
        second.add(inSecond);
        assertTrue(inFirst.isWaiting());
        assertSame(wait.who(), inSecond.who());
        assertSame(inSecond, second.claimFirst(RESULT));
        assertFalse(inFirst.isWaiting());
        assertNull(first.claimFirst("second"));
        assertSame(inSecond, Exclusion.byLock().await(wait, "any", 0));
        assertSame(RESULT, inSecond.given());
    }

    @Test
    void misuse_awaitOfAPlace() {
        WaitNode<Integer> place = node(1).place(2);
        IllegalStateException thrown =
                assertThrows(
                        IllegalStateException.class,
                        () -> Exclusion.byLock().await(place, "something", 0));
        assertTrue(thrown.toString().contains("await the node"), thrown::toString);
    }
}
