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
 * The keys of a shard, in a map and in the {@link ScanOrder}. Confined to its actor.
 *
 * <p>Each change can be undone: whoever wants that sets an {@link Undo}, which collects what it
 * takes.
 */
final class Keyspace {
    private static final long NEVER = Long.MAX_VALUE;

    /** So many times that were changed are not worth a trim. */
    private static final int SPARE = 16;

    /** A key and its value: {@code byte[]}, or a map of the fields of a hash. */
    static final class Entry {
        final String key;

        /** Its place in the {@link ScanOrder}, to which the next two belong as well. */
        final int hash;

        @Nullable Entry before;
        @Nullable Entry behind;

        private Object value;
        private long expiresAtMs = NEVER;
        private boolean isRemoved;

        Entry(String key, Object value) {
            this.key = key;
            this.hash = ScanOrder.hash(key);
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

    private Map<String, Entry> entries = new HashMap<>();
    private ScanOrder inOrder = new ScanOrder();
    private PriorityQueue<Due> due = new PriorityQueue<>();
    private Consumer<String> whenExpired = _ -> {};
    private @Nullable Undo undo;
    private long nowMs;

    /** Told of each key that is removed because its time has come. */
    void whenExpired(Consumer<String> told) {
        whenExpired = told;
    }

    /** What collects from now on how each change is undone; null if nobody wants to know. */
    void undoBy(@Nullable Undo next) {
        undo = next;
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
            Entry made = new Entry(key, value);
            link(made);
            if (undo != null) {
                undo.add(() -> unlink(made));
            }
            return made;
        }
        keepForUndo(entry);
        entry.value = value;
        entry.expiresAtMs = NEVER;
        return entry;
    }

    boolean isOver(long atMs) {
        return atMs <= nowMs;
    }

    /** Keeps the time at which it expires. */
    void change(Entry entry, Object value) {
        keepForUndo(entry);
        entry.value = value;
    }

    void expireAt(Entry entry, long atMs) {
        keepForUndo(entry);
        setExpiry(entry, Math.min(atMs, NEVER - 1));
    }

    void persist(Entry entry) {
        keepForUndo(entry);
        entry.expiresAtMs = NEVER;
    }

    void remove(Entry entry) {
        unlink(entry);
        if (undo != null) {
            undo.add(() -> link(entry));
        }
    }

    /** Of a hash; what it was, null if it was not. */
    byte @Nullable [] putField(Entry entry, String field, byte[] value) throws CommandException {
        byte[] before = entry.fields().put(field, value);
        if (undo != null) {
            undo.add(() -> setField(entry, field, before));
        }
        return before;
    }

    /** Of a hash; what it was, null if it was not. */
    byte @Nullable [] removeField(Entry entry, String field) throws CommandException {
        byte[] before = entry.fields().remove(field);
        if (undo != null && before != null) {
            undo.add(() -> setField(entry, field, before));
        }
        return before;
    }

    void clear() {
        if (undo != null) {
            Map<String, Entry> oldEntries = entries;
            ScanOrder oldOrder = inOrder;
            PriorityQueue<Due> oldDue = due;
            undo.add(
                    () -> {
                        entries = oldEntries;
                        inOrder = oldOrder;
                        due = oldDue;
                    });
        }
        entries = new HashMap<>();
        inOrder = new ScanOrder();
        due = new PriorityQueue<>();
    }

    // ---------------------------------------------------------------- what is undone

    private void keepForUndo(Entry entry) {
        if (undo != null) {
            Object value = entry.value;
            long atMs = entry.expiresAtMs;
            undo.add(
                    () -> {
                        entry.value = value;
                        setExpiry(entry, atMs);
                    });
        }
    }

    private static void setField(Entry entry, String field, byte @Nullable [] value) {
        Map<String, byte[]> fields = entry.fieldsIfHash();
        if (fields == null) {
            throw new IllegalStateException(entry.key + " is no hash, but " + field + " was");
        }
        if (value == null) {
            fields.remove(field);
        } else {
            fields.put(field, value);
        }
    }

    private void setExpiry(Entry entry, long atMs) {
        entry.expiresAtMs = atMs;
        if (atMs != NEVER) {
            due.add(new Due(atMs, entry));
            trim();
        }
    }

    private void link(Entry entry) {
        entries.put(entry.key, entry);
        inOrder.add(entry);
        entry.isRemoved = false;
        setExpiry(entry, entry.expiresAtMs);
    }

    private void unlink(Entry entry) {
        entries.remove(entry.key);
        inOrder.remove(entry);
        entry.isRemoved = true;
        trim();
    }

    /** Forgets times that were changed, when they are the greater part. */
    private void trim() {
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
     * @param least how many keys it goes past, if there are so many
     * @return the next cursor; 0 if that was all
     */
    long scan(long from, int least, Predicate<Entry> wanted, List<Entry> found) {
        return inOrder.scan(
                from, least, each -> each.expiresAtMs > nowMs && wanted.test(each), found);
    }

    /** All that have not expired. */
    List<Entry> all() {
        List<Entry> all = new ArrayList<>();
        scan(0, Integer.MAX_VALUE, _ -> true, all);
        return all;
    }

    /** For tests. */
    void checkInvariants() {
        List<Entry> all = new ArrayList<>();
        inOrder.scan(0, Integer.MAX_VALUE, _ -> true, all);
        for (Entry each : all) {
            if (each.isRemoved || entries.get(each.key) != each) {
                throw new IllegalStateException(each.key + " is another one in the map");
            }
        }
        if (all.size() != entries.size() || inOrder.size() != entries.size()) {
            throw new IllegalStateException(
                    "in order="
                            + all.size()
                            + ", counted="
                            + inOrder.size()
                            + ", in the map="
                            + entries.size());
        }
        if (due.size() > 2 * entries.size() + SPARE) {
            throw new IllegalStateException("due=" + due.size() + " for keys=" + entries.size());
        }
        for (Entry each : all) {
            if (each.expiresAtMs != NEVER
                    && due.stream()
                            .noneMatch(it -> it.entry() == each && it.atMs() == each.expiresAtMs)) {
                throw new IllegalStateException(each.key + " is never swept");
            }
        }
    }
}
