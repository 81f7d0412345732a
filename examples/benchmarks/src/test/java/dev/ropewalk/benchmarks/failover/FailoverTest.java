package dev.ropewalk.benchmarks.failover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.List;

/** Clusters lose a process in small, and nothing hangs on the figures. */
@Timeout(120)
class FailoverTest {
    /** A lease of 3 s, less the second since its renewal, and half of one for a slow machine. */
    private static final double LEAST_MS = 1_500;

    @Test
    void argumentsNameSystemsAndRounds() {
        assertEquals("[ropewalk, pekko, pekko-3s] rounds=3", Failover.of(List.of()).toString());
        assertEquals(
                "[pekko-3s] rounds=7 oldest",
                Failover.of(List.of("pekko-3s", "--rounds", "7", "--oldest")).toString());
        assertRefused("no such system: akka", "akka");
        assertRefused("--rounds needs a number", "--rounds");
        assertRefused("--rounds needs a number", "--rounds", "0");
        assertRefused("--rounds needs a number", "--rounds", "pekko");
    }

    private static void assertRefused(String why, String... arguments) {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> Failover.of(List.of(arguments)));
        assertTrue(String.valueOf(refused.getMessage()).startsWith(why), refused::toString);
    }

    @Test
    void leaveTakesANumberOfEntities() {
        assertEquals("entities=10000", Leaving.of(List.of()).toString());
        assertEquals("entities=5", Leaving.of(List.of("--entities", "5")).toString());
        for (List<String> wrong :
                List.of(
                        List.of("5"),
                        List.of("--entities"),
                        List.of("--entities", "0"),
                        List.of("--entities", "5", "6"))) {
            assertThrows(IllegalArgumentException.class, () -> Leaving.of(wrong), wrong::toString);
        }
    }

    @Test
    void entitiesOfAKilledNodeAnswerElsewhere() throws IOException, InterruptedException {
        assertAnswered(Subject.ROPEWALK);
    }

    /** Half a minute. */
    @Tag("stress")
    @Test
    void entitiesOfAKilledMemberOfPekkoAnswerElsewhere() throws IOException, InterruptedException {
        assertAnswered(Subject.PEKKO_3S);
    }

    private static void assertAnswered(Subject subject) throws IOException, InterruptedException {
        Failover.Took took = Failover.of(List.of()).round(subject);
        assertTrue(took.keys() >= 5 && took.keys() < Askers.KEYS, took::toString);
        assertTrue(took.firstMs() >= LEAST_MS, took::toString);
        assertTrue(took.lastMs() >= took.firstMs(), took::toString);
    }

    @Test
    void noAskFailsWhileANodeLeaves() throws IOException, InterruptedException {
        Leaving.Seen seen = Leaving.of(List.of("--entities", "200")).round();
        assertTrue(seen.isComplete(), seen::toString);
        assertEquals(200, seen.running(), seen::toString);
        assertEquals(0, seen.failed(), seen::toString);
        assertTrue(seen.asks() > 200, seen::toString);
    }
}
