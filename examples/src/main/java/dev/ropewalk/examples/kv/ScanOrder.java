package dev.ropewalk.examples.kv;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Predicate;

/**
 * The keys of a shard in the order of their hash codes, by which a scan goes: its cursor is the
 * first code that it has not seen. A key has the same place however often it is removed and made
 * again, so a scan sees each key that is there all along, each of them once, and ends: a step goes
 * past as many keys as it was asked for.
 *
 * <p>A bucket has the codes that begin with the same bits, and the buckets stand in order: with
 * more of them, or fewer, the order is the same.
 */
final class ScanOrder {
    private static final int MIN_BITS = 4;
    private static final int MAX_BITS = 30;
    private static final long ALL = 1L << 32;

    private Keyspace.@Nullable Entry[] buckets = new Keyspace.Entry[1 << MIN_BITS];
    private int bits = MIN_BITS;
    private int size;

    /** Well mixed: the first bits say where a key stands. */
    static int hash(String key) {
        long hash = key.length();
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        hash *= 0xBF58476D1CE4E5B9L;
        return (int) (hash >>> 32);
    }

    int size() {
        return size;
    }

    void add(Keyspace.Entry entry) {
        if (size >= buckets.length && bits < MAX_BITS) {
            resize(bits + 1);
        }
        link(entry);
        size++;
    }

    private void link(Keyspace.Entry entry) {
        int at = entry.hash >>> (Integer.SIZE - bits);
        Keyspace.Entry first = buckets[at];
        entry.before = null;
        entry.behind = first;
        if (first != null) {
            first.before = entry;
        }
        buckets[at] = entry;
    }

    void remove(Keyspace.Entry entry) {
        Keyspace.Entry before = entry.before;
        Keyspace.Entry behind = entry.behind;
        if (before == null) {
            buckets[entry.hash >>> (Integer.SIZE - bits)] = behind;
        } else {
            before.behind = behind;
        }
        if (behind != null) {
            behind.before = before;
        }
        entry.before = null;
        entry.behind = null;
        size--;
        if (size < buckets.length >> 3 && bits > MIN_BITS) {
            resize(bits - 1);
        }
    }

    private void resize(int newBits) {
        Keyspace.@Nullable Entry[] old = buckets;
        buckets = new Keyspace.Entry[1 << newBits];
        bits = newBits;
        for (Keyspace.Entry first : old) {
            for (Keyspace.Entry each = first; each != null; ) {
                Keyspace.Entry behind = each.behind;
                link(each);
                each = behind;
            }
        }
    }

    /**
     * A step.
     *
     * @param from the cursor: 0 begins
     * @param least how many keys it goes past, if there are so many
     * @return the next cursor, which is larger; 0 if that was all
     */
    long scan(long from, int least, Predicate<Keyspace.Entry> wanted, List<Keyspace.Entry> found) {
        if (from >= ALL) {
            return 0;
        }
        int shift = Integer.SIZE - bits;
        int seen = 0;
        for (int i = (int) (from >>> shift); i < buckets.length; i++) {
            if (seen >= least) {
                return (long) i << shift;
            }
            for (Keyspace.Entry each = buckets[i]; each != null; each = each.behind) {
                if (Integer.toUnsignedLong(each.hash) >= from) {
                    seen++;
                    if (wanted.test(each)) {
                        found.add(each);
                    }
                }
            }
        }
        return 0;
    }
}
