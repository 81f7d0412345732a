package dev.ropewalk.fibers.internal.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;

/** Rule F8. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CordQueryTest {
    @Test
    void F8_fibersHaveTurnsBetweenThePortionsOfAnAnswer() {
        int portions = 50;
        try (Cord cord = Cord.start("asked")) {
            long[] turns = {0};
            Fiber<?> counter =
                    cord.spin(
                            "counts",
                            () -> {
                                while (true) {
                                    turns[0]++;
                                    Fiber.snooze();
                                }
                            });
            List<Long> seen = new ArrayList<>();
            CordQuery<String> query =
                    CordQuery.askInSteps(
                            cord,
                            () -> {
                                seen.add(turns[0]);
                                return seen.size() == portions ? "all" : null;
                            });
            assertEquals("all", query.await(Long.MAX_VALUE));
            for (int i = 2; i < portions; i++) { // the fiber may begin behind the first one
                assertTrue(seen.get(i) > seen.get(i - 1), "no turn before portion " + i);
            }
            counter.terminate();
        }
    }

    @Test
    void F8_anAnswerInPortionsGoesOnWhereTheCordHasEnded() {
        Cord cord = Cord.start("ends");
        cord.close();
        int[] steps = {0};
        CordQuery<String> query = CordQuery.askInSteps(cord, () -> ++steps[0] == 3 ? "all" : null);
        assertEquals("all", query.awaitOrAnswer(Long.MAX_VALUE));
        assertTrue(query.hasCordEnded());
    }
}
