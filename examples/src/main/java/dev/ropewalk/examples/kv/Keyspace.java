package dev.ropewalk.examples.kv;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The keys of a shard. Confined to its actor.
 *
 * <p>Keys stand in a map, and in the order in which they came, by which a scan goes: its cursor is
 * the number of the next key. So a key that is there from the first to the last step of a scan is
 * seen, and one that was removed and made again stands at the end. Removed keys are taken out of
 * that order when they are more than half of it, which changes no number.
 */
final class Keyspace {
    private static final long NEVER = Long.MAX_VALUE;

    /** So many that are no more are not worth a trim. */
    private static final int SPARE = 16;

    /** A key and its value: {@code byte[]}, or a map of the fields of a hash. */
    static final class Entry {
        final String key;
        private final long number;
        private Object value;
        private long expiresAtMs = NEVER;
        private boolean isRemoved;

        Entry(String key, long number, Object value) {
            this.key = key;
            this.number = number;
            this.value = value;
        }

        byte[] bytes() throws CommandException {
            if (value instanceof byte[] bytes) {
                return bytes;
            }
            throw CommandException.wrongType();
        }

        Map<String, byte[]> fields() throws CommandException {
            Map<String, byte[]> fields = fieldsIfHash();
            if (fields == null) {
                throw CommandException.wrongType();
            }
            return fields;
        }

        boolean isHash() {
            return !(value instanceof byte[]);
        }

        /** {@code byte[]}, or the map of a hash. */
        Object value() {
            return value;
        }

        /** Null if it is none. */
        @SuppressWarnings("unchecked") // what is no array is a hash
        @Nullable Map<String, byte[]> fieldsIfHash() {
            return isHash() ? (Map<String, byte[]>) value : null;
        }

        /** -1 if it does not. */
        long expiresAtMs() {
            return expiresAtMs == NEVER ? -1 : expiresAtMs;
        }
    }

    /** What is due; the entry may have another time by now. */
    private record Due(long atMs, Entry entry) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return Long.compare(atMs, other.atMs);
        }
    }

    private final Map<String, Entry> entries = new HashMap<>();
    private List<Entry> inOrder = new ArrayList<>();
    private final PriorityQueue<Due> due = new PriorityQueue<>();
    private Consumer<String> whenExpired = _ -> {};
    private long nextNumber;
    private long nowMs;

    /** Told of each key that is removed because its time has come. */
    void whenExpired(Consumer<String> told) {
        whenExpired = told;
    }

    /** Before each command. */
    void now(long ms) {
        nowMs = ms;
    }

    /** The same for all that a command does, however long it takes. */
    long nowMs() {
        return nowMs;
    }

    int size() {
        return entries.size();
    }

    /** How many will expire. */
    int expiring() {
        int count = 0;
        for (Entry each : entries.values()) {
            count += each.expiresAtMs == NEVER ? 0 : 1;
        }
        return count;
    }

    /** Null if there is none, or it has expired. */
    @Nullable Entry get(String key) {
        Entry entry = entries.get(key);
        if (entry != null && entry.expiresAtMs <= nowMs) {
            expire(entry);
            return null;
        }
        return entry;
    }

    /** Never expires from now on. */
    Entry put(String key, Object value) {
        Entry entry = get(key);
        if (entry == null) {
            entry = new Entry(key, nextNumber++, value);
            entries.put(key, entry);
            inOrder.add(entry);
        } else {
            entry.value = value;
            entry.expiresAtMs = NEVER;
        }
        return entry;
    }

    boolean isOver(long atMs) {
        return atMs <= nowMs;
    }

    /** Keeps the time at which it expires. */
    void change(Entry entry, Object value) {
        entry.value = value;
    }

    void expireAt(Entry entry, long atMs) {
        entry.expiresAtMs = Math.min(atMs, NEVER - 1);
        due.add(new Due(entry.expiresAtMs, entry));
        trim();
    }

    void persist(Entry entry) {
        entry.expiresAtMs = NEVER;
    }

    void remove(Entry entry) {
        entries.remove(entry.key);
        entry.isRemoved = true;
        trim();
    }

    /** Forgets removed keys, and times that were changed, when they are the greater part. */
    private void trim() {
        if (inOrder.size() > 2 * entries.size() + SPARE) {
            List<Entry> left = new ArrayList<>(entries.size());
            for (Entry each : inOrder) {
                if (!each.isRemoved) {
                    left.add(each);
                }
            }
            inOrder = left;
        }
        if (due.size() > 2 * entries.size() + SPARE) {
            due.clear();
            for (Entry each : entries.values()) {
                if (each.expiresAtMs != NEVER) {
                    due.add(new Due(each.expiresAtMs, each));
                }
            }
        }
    }

    private void expire(Entry entry) {
        remove(entry);
        whenExpired.accept(entry.key);
    }

    void clear() {
        for (Entry each : entries.values()) {
            each.isRemoved = true;
        }
        entries.clear();
        inOrder = new ArrayList<>();
        due.clear();
    }

    /** Removes what has expired, so many at most; memory is to be free again without a reader. */
    void sweep(int most) {
        for (int i = 0; i < most; i++) {
            Due first = due.peek();
            if (first == null || first.atMs() > nowMs) {
                return;
            }
            due.remove();
            if (!first.entry().isRemoved && first.entry().expiresAtMs <= nowMs) {
                expire(first.entry());
            }
        }
    }

    /**
     * A step of a scan.
     *
     * @param from the cursor: 0 begins
     * @param most how many keys are looked at
     * @return the next cursor; 0 if that was all
     */
    long scan(long from, int most, Predicate<Entry> wanted, List<Entry> found) {
        int at = indexOf(from);
        int end = (int) Math.min(inOrder.size(), (long) at + most);
        for (; at < end; at++) {
            Entry each = inOrder.get(at);
            if (!each.isRemoved && each.expiresAtMs > nowMs && wanted.test(each)) {
                found.add(each);
            }
        }
        return at < inOrder.size() ? inOrder.get(at).number : 0;
    }

    /** The first that has this number or a higher one. */
    private int indexOf(long number) {
        int low = 0;
        int high = inOrder.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (inOrder.get(middle).number < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** All that have not expired, in order. */
    List<Entry> all() {
        List<Entry> all = new ArrayList<>();
        scan(0, Integer.MAX_VALUE, _ -> true, all);
        return all;
    }

    /** For tests. */
    void checkInvariants() {
        long last = -1;
        int alive = 0;
        for (Entry each : inOrder) {
            if (each.number <= last) {
                throw new IllegalStateException(each.number + " stands behind " + last);
            }
            last = each.number;
            alive += each.isRemoved ? 0 : 1;
            if (!each.isRemoved && entries.get(each.key) != each) {
                throw new IllegalStateException(each.key + " is another one in the map");
            }
        }
        if (Math.max(inOrder.size(), due.size()) > 2 * entries.size() + SPARE) {
            throw new IllegalStateException(
                    "in order="
                            + inOrder.size()
                            + ", due="
                            + due.size()
                            + " for keys="
                            + entries.size());
        }
        if (alive != entries.size()) {
            throw new IllegalStateException("in order=" + alive + ", in the map=" + entries.size());
        }
    }
}
