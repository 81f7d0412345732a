package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Rule A5: what a failed message has changed does not count. */
@Timeout(60)
class CountTableTest {
    private final CountTable table = new CountTable();

    @AfterEach
    void invariantsHold() {
        table.checkInvariants();
    }

    @Test
    void refusesToMergeBeforeBegin() {
        IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> table.merge(TestText.table("a")));
        assertEquals(
                "no update was begun in CountTable[update=0 undoTo=0 logged=0 distinctBefore=0"
                        + " WordTable[distinct=0 words=0 slots=128]]; call begin first",
                e.getMessage());
    }

    @Test
    void refusesToReturnFurtherThanTheLastUpdate() {
        assertEquals(1, update(0, "a"));
        assertEquals(2, update(1, "b"));
        IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> table.rollBack(0));
        assertEquals(
                "committed=0, but this table can return to update 1 or 2 only: CountTable[update=2"
                        + " undoTo=1 logged=0 distinctBefore=1"
                        + " WordTable[distinct=2 words=2 slots=128]];"
                        + " commit each update before the next one begins",
                e.getMessage());
        assertThrows(IllegalStateException.class, () -> table.begin(3));
        table.rollBack(1);
        assertThrows(IllegalStateException.class, () -> table.rollBack(0));
        assertThrows(IllegalStateException.class, () -> table.rollBack(2));
        assertEquals(Map.of("a", 1L), TestText.counts(table));
    }

    /** In the middle of an update, because only there the heap is found full. */
    @Test
    void aDroppedTableIsEmptyAndGoesOn() {
        assertEquals(1, update(0, "a b"));
        assertEquals(2, table.begin(1));
        table.merge(TestText.table("b c"));
        table.drop();
        table.checkInvariants();
        assertEquals(Map.of(), TestText.counts(table));
        assertEquals(2, update(1, "b c"));
        assertEquals(Map.of("b", 1L, "c", 1L), TestText.counts(table));
    }

    @Test
    void refusesACrashBeforeTheFirstAdd() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> table.crashAtAdd(0));
        assertEquals("nth=0 < 1; the first add is number 1", e.getMessage());
    }

    @Test
    void anUpdateThatWasNotCommittedIsTakenBack() {
        long committed = update(0, "old old internationalization");
        update(committed, "old new internationalization internationalisation");
        assertEquals(
                Map.of("old", 2L, "internationalization", 1L),
                TestText.counts(rolledBackTo(committed)));
        update(committed, "old newer");
        assertEquals(
                Map.of("old", 3L, "internationalization", 1L, "newer", 1L), TestText.counts(table));
    }

    @Test
    void eachAddCanCrash() {
        WordTable delta = TestText.table("old old new old newer internationalization");
        for (int nth = 1; nth <= delta.distinct(); nth++) {
            CountTable crashing = new CountTable();
            long committed = crashing.begin(0);
            crashing.merge(TestText.table("old older"));
            crashing.begin(committed);
            crashing.crashAtAdd(nth);
            InjectedCrash e = assertThrows(InjectedCrash.class, () -> crashing.merge(delta));
            assertEquals("injected crash inside update 2", e.getMessage());
            crashing.checkInvariants();
            crashing.rollBack(committed);
            crashing.checkInvariants();
            assertEquals(Map.of("old", 1L, "older", 1L), TestText.counts(crashing), "nth=" + nth);
            assertEquals(2, crashing.words(), "nth=" + nth);
            crashing.begin(committed);
            crashing.merge(delta);
            crashing.checkInvariants();
            assertEquals(8, crashing.words(), "nth=" + nth);
        }
    }

    @Test
    void aCrashPlannedForAnAddThatNeverCameIsForgotten() {
        table.begin(0);
        table.crashAtAdd(2);
        table.merge(TestText.table("a"));
        update(1, "a b c");
        assertEquals(Map.of("a", 2L, "b", 1L, "c", 1L), TestText.counts(table));
    }

    @Test
    void anUpdateOfThousandsOfWordsIsTakenBack() {
        byte[] text = TextGenerator.text(100_000, 1);
        WordTable delta = new WordTable();
        delta.addAll(text, text.length);
        table.begin(0);
        table.merge(delta);
        for (int nth : new int[] {1, delta.distinct() / 2, delta.distinct()}) {
            table.begin(1);
            table.crashAtAdd(nth);
            assertThrows(InjectedCrash.class, () -> table.merge(delta));
            table.checkInvariants();
            assertEquals(TestText.count(text), TestText.counts(rolledBackTo(1)), "nth=" + nth);
        }
        assertTrue(delta.distinct() > 2000, "distinct=" + delta.distinct());
    }

    /** An update as a counter gets it, and where it crashes. */
    private enum Crash {
        NEVER,
        BEFORE,
        INSIDE,
        AFTER
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void withCrashesAnywhereItCountsLikeAMap(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, Long> expected = new TreeMap<>();
        long committed = 0;
        for (int message = 0; message < 200; message++) {
            byte[] text = TestText.soup(random, random.nextInt(message % 50 == 0 ? 5000 : 400));
            WordTable delta = new WordTable();
            delta.addAll(text, text.length);
            boolean done = false;
            // A message that has failed three times is parked, and the next one comes.
            for (int attempt = 0; attempt < 3 && !done; attempt++) {
                Crash crash = Crash.values()[random.nextInt(Crash.values().length)];
                done = attempt(committed, delta, crash, random);
                table.checkInvariants();
            }
            if (done) {
                committed++;
                TestText.count(text).forEach((word, n) -> expected.merge(word, n, Long::sum));
            }
            if (random.nextInt(5) == 0) {
                String where = "seed=" + seed + " message=" + message;
                assertEquals(expected, TestText.counts(rolledBackTo(committed)), where);
                assertEquals(TestText.sum(expected), table.words(), where);
                assertEquals(expected.size(), table.distinct(), where);
            }
        }
        assertEquals(expected, TestText.counts(rolledBackTo(committed)), "seed=" + seed);
        assertTrue(committed > 100, "seed=" + seed + " committed=" + committed);
    }

    /** Returns whether the update was completed, and so will be committed. */
    private boolean attempt(long committed, WordTable delta, Crash crash, SplittableRandom random) {
        if (crash == Crash.BEFORE) {
            return false;
        }
        assertEquals(committed + 1, table.begin(committed));
        if (crash == Crash.INSIDE && delta.distinct() > 0) {
            table.crashAtAdd(random.nextInt(1, delta.distinct() + 1));
            assertThrows(InjectedCrash.class, () -> table.merge(delta));
            return false;
        }
        table.merge(delta);
        return crash != Crash.AFTER;
    }

    private long update(long committed, String latin1) {
        long update = table.begin(committed);
        table.merge(TestText.table(latin1));
        return update;
    }

    private CountTable rolledBackTo(long committed) {
        table.rollBack(committed);
        table.checkInvariants();
        return table;
    }
}
