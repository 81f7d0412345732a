package dev.ropewalk.examples.wordcount;

import java.util.Arrays;
import java.util.List;

/**
 * The words of one counter, changed by numbered updates of which the last can be undone.
 *
 * <p>A counter commits the number of its last completed update along with its state. Wherever an
 * update crashes, the table may hold all, part or none of it; the next {@link #begin} sees from the
 * committed number that it did not count, and takes it back exactly. So an update that is tried
 * again is counted once (rule A5).
 */
final class CountTable {
    private WordTable table = new WordTable();

    /** Number of the update that the table holds, as a whole or in part; 0 before the first. */
    private long update;

    /** Number of the update that the log leads back to: {@code update}, or the one before. */
    private long undoTo;

    /*
     * The undo log. Words that were new to the update have an entry of at least `distinctBefore`
     * and go away as a whole; of all others the count before each add is logged.
     */
    private int distinctBefore;
    private int[] loggedEntries = new int[256];
    private long[] loggedCounts = new long[256];
    private int logged;

    /** Adds left until the injected crash; 0 if none is planned. */
    private long crashIn;

    /**
     * Takes back the update after number {@code committed}, if there is one, and starts it anew.
     *
     * @return its number, {@code committed + 1}, to be committed when it is complete
     */
    long begin(long committed) {
        rollBack(committed);
        logged = 0;
        distinctBefore = table.distinct();
        undoTo = committed;
        update = committed + 1;
        return update;
    }

    /** Takes back the update after number {@code committed}, if any. Reading needs this as well. */
    void rollBack(long committed) {
        if (committed != update && committed != undoTo) {
            throw new IllegalStateException(
                    "committed="
                            + committed
                            + ", but this table can return to update "
                            + undoTo
                            + " or "
                            + update
                            + " only: "
                            + this
                            + "; commit each update before the next one begins");
        }
        crashIn = 0;
        if (committed == update) {
            return;
        }
        while (logged > 0) {
            int i = logged - 1;
            table.restore(loggedEntries[i], loggedCounts[i]);
            logged = i;
        }
        table.truncate(distinctBefore);
        update = committed;
    }

    /** Adds the words of {@code delta} as part of the update that was begun. */
    void merge(WordTable delta) {
        if (update == undoTo) {
            throw new IllegalStateException(
                    "no update was begun in " + this + "; call begin first");
        }
        for (int e = 0; e < delta.distinct(); e++) {
            add(table.entryFor(delta, e), delta.count(e));
        }
    }

    /**
     * Makes the {@code nth} add of the update that was begun crash, counted from 1. Merging makes
     * one add for each different word.
     */
    void crashAtAdd(long nth) {
        if (nth < 1) {
            throw new IllegalArgumentException("nth=" + nth + " < 1; the first add is number 1");
        }
        crashIn = nth;
    }

    private void add(int e, long count) {
        if (e < distinctBefore) {
            log(e);
        }
        if (crashIn > 0 && --crashIn == 0) {
            throw new InjectedCrash("inside update " + update);
        }
        table.add(e, count);
    }

    private void log(int e) {
        if (logged == loggedEntries.length) {
            // Either line may run out of memory; the array that grows last says how much room is.
            loggedCounts = Arrays.copyOf(loggedCounts, 2 * logged);
            loggedEntries = Arrays.copyOf(loggedEntries, 2 * logged);
        }
        loggedEntries[logged] = e;
        loggedCounts[logged] = table.count(e);
        logged++;
    }

    /**
     * Forgets everything, so that a run that found the heap full has room to end; what it counts
     * from then on is wrong.
     */
    void drop() {
        table = new WordTable();
        distinctBefore = 0;
        logged = 0;
        update = undoTo;
    }

    /** How many words were counted, repeats included. */
    long words() {
        return table.words();
    }

    /** How many different words were counted. */
    int distinct() {
        return table.distinct();
    }

    /** The {@code n} most frequent words: by count downwards, then by their bytes. */
    List<WordCount> top(int n) {
        return table.top(n);
    }

    /** Shows all words in the order they were first seen. */
    void forEach(WordVisitor visitor) {
        table.forEach(visitor);
    }

    void checkInvariants() {
        table.checkInvariants();
        boolean updateFits = update == undoTo || update == undoTo + 1;
        boolean logFits = update != undoTo || logged == 0;
        if (!updateFits || !logFits || distinctBefore > table.distinct()) {
            throw new IllegalStateException("log and table do not fit: " + this);
        }
        for (int i = 0; i < logged; i++) {
            if (loggedEntries[i] < 0 || loggedEntries[i] >= distinctBefore) {
                throw new IllegalStateException(
                        "logged entry="
                                + loggedEntries[i]
                                + " is not in 0.."
                                + (distinctBefore - 1)
                                + ": "
                                + this);
            }
        }
    }

    @Override
    public String toString() {
        return "CountTable[update="
                + update
                + " undoTo="
                + undoTo
                + " logged="
                + logged
                + " distinctBefore="
                + distinctBefore
                + " "
                + table
                + "]";
    }
}
