package dev.ropewalk.examples.logpipe;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The most frequent keys in bounded memory: the algorithm "space-saving" of Metwally, Agrawal and
 * El Abbadi. Up to its capacity every key has its count. Then a new key takes the place, and the
 * count, of the rarest: so no count is too low, none is too high by more than the keys seen divided
 * by the capacity, and each key with a larger share than that is there.
 */
final class TopKeys {
    /** A longer key is cut, so that the memory is bounded in bytes, too. */
    static final int MAX_LENGTH = 200;

    /**
     * A key and how often it was seen.
     *
     * @param error by how much the count may be too high
     */
    record Seen(String key, long count, long error) {}

    private static final class Entry {
        private String key;
        private long count;
        private long error;
        private int place;

        Entry(String key, int place) {
            this.key = key;
            this.place = place;
        }
    }

    private final int capacity;
    private final Map<String, Entry> entries = new HashMap<>();

    /** A heap: none is rarer than the one at half its place. */
    private final List<Entry> heap = new ArrayList<>();

    private boolean isExact = true;

    TopKeys(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity=" + capacity + " < 1; give at least 1");
        }
        this.capacity = capacity;
    }

    void add(String any) {
        String key = any.length() <= MAX_LENGTH ? any : any.substring(0, MAX_LENGTH) + "...";
        Entry known = entries.get(key);
        if (known != null) {
            known.count++;
            sink(known);
        } else if (heap.size() < capacity) {
            Entry added = new Entry(key, heap.size());
            added.count = 1;
            heap.add(added);
            entries.put(key, added);
            rise(added);
        } else {
            replaceRarest(key);
        }
    }

    /** False if a key may be missing, and counts may be too high. */
    boolean isExact() {
        return isExact;
    }

    int capacity() {
        return capacity;
    }

    /** The most frequent ones, those of the same count by their names. */
    List<Seen> top(int n) {
        return heap.stream()
                .map(each -> new Seen(each.key, each.count, each.error))
                .sorted(Comparator.comparingLong(Seen::count).reversed().thenComparing(Seen::key))
                .limit(n)
                .toList();
    }

    private void replaceRarest(String key) {
        isExact = false;
        Entry rarest = heap.getFirst();
        entries.remove(rarest.key);
        rarest.key = key;
        rarest.error = rarest.count;
        rarest.count++;
        entries.put(key, rarest);
        sink(rarest);
    }

    private void rise(Entry entry) {
        while (entry.place > 0 && at((entry.place - 1) / 2).count > entry.count) {
            swap(entry, at((entry.place - 1) / 2));
        }
    }

    private void sink(Entry entry) {
        while (2 * entry.place + 1 < heap.size()) {
            Entry rarer = at(2 * entry.place + 1);
            if (rarer.place + 1 < heap.size() && at(rarer.place + 1).count < rarer.count) {
                rarer = at(rarer.place + 1);
            }
            if (rarer.count >= entry.count) {
                return;
            }
            swap(entry, rarer);
        }
    }

    private Entry at(int place) {
        return heap.get(place);
    }

    private void swap(Entry one, Entry other) {
        int place = one.place;
        one.place = other.place;
        other.place = place;
        heap.set(one.place, one);
        heap.set(other.place, other);
    }
}
