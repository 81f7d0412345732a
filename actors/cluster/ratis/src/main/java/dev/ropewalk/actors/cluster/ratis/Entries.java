package dev.ropewalk.actors.cluster.ratis;

import dev.ropewalk.actors.cluster.store.StoreEntry;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * All entries of a store, in the order of their keys' bytes. One thread changes them, that which
 * carries out the log; any thread reads, and an entry that it sees does not change.
 */
final class Entries {
    /** Bytes of an entry beside its key and value. */
    private static final int AROUND = 64;

    private final ConcurrentNavigableMap<String, StoreEntry> byKey =
            new ConcurrentSkipListMap<>(Entries::compare);

    /** Of the writer alone. */
    private long bytes;

    /** As their bytes of UTF-8 compare, which is not how Java compares texts beyond U+FFFF. */
    static int compare(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean isHigh = Character.isSurrogate(x);
                return isHigh == Character.isSurrogate(y) ? x - y : isHigh ? 1 : -1;
            }
        }
        return a.length() - b.length();
    }

    /** The new revision, {@link Command#REFUSED} if it has another one than the caller saw. */
    long write(String key, long from, byte @Nullable [] value, long revision) {
        StoreEntry there = byKey.get(key);
        long now = there == null ? 0 : there.revision();
        boolean isOfNothing = now == 0 && value == null;
        if (now != from || isOfNothing) {
            return Command.REFUSED;
        }
        if (value == null) {
            bytes -= size(byKey.remove(key));
        } else {
            put(new StoreEntry(key, revision, value));
        }
        return revision;
    }

    /** For one that is read from a snapshot, too. */
    void put(StoreEntry entry) {
        bytes += size(entry) - size(byKey.put(entry.key(), entry));
    }

    private static long size(@Nullable StoreEntry entry) {
        return entry == null ? 0 : (long) AROUND + 3L * entry.key().length() + entry.value().length;
    }

    /** With a copy of the value, which the caller may change. */
    StoreEntry read(String key) {
        StoreEntry there = byKey.get(key);
        return there == null ? StoreEntry.absent(key) : copied(there);
    }

    private static StoreEntry copied(StoreEntry entry) {
        return new StoreEntry(entry.key(), entry.revision(), entry.value().clone());
    }

    List<StoreEntry> page(String prefix, String after, int max) {
        List<StoreEntry> found = new ArrayList<>();
        boolean isFirstPage = compare(after, prefix) < 0;
        for (StoreEntry each : byKey.tailMap(isFirstPage ? prefix : after, isFirstPage).values()) {
            if (found.size() == max || !each.key().startsWith(prefix)) {
                break;
            }
            found.add(copied(each));
        }
        return found;
    }

    /** Keys whose entry is another one there, or none. */
    List<String> changes(Entries other) {
        List<String> keys = new ArrayList<>();
        for (StoreEntry each : other.byKey.values()) {
            StoreEntry here = byKey.get(each.key());
            if (here == null || here.revision() != each.revision()) {
                keys.add(each.key());
            }
        }
        for (String each : byKey.keySet()) {
            if (!other.byKey.containsKey(each)) {
                keys.add(each);
            }
        }
        return keys;
    }

    /** In order; to be walked through while nobody writes. */
    Iterable<StoreEntry> all() {
        return byKey.values();
    }

    int count() {
        return byKey.size();
    }

    /** About what they take in memory and in a snapshot. */
    long bytes() {
        return bytes;
    }

    void checkInvariants() {
        long sum = 0;
        for (StoreEntry each : byKey.values()) {
            sum += size(each);
            if (each.revision() < 1) {
                throw new IllegalStateException(each + " has a revision below 1");
            }
        }
        if (sum != bytes) {
            throw new IllegalStateException("bytes=" + bytes + " of entries with " + sum);
        }
    }
}
