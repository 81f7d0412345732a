package dev.ropewalk.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class KeyspaceTest {
    private final Keyspace keys = new Keyspace();
    private final List<String> expired = new ArrayList<>();

    KeyspaceTest() {
        keys.whenExpired(expired::add);
    }

    /** What it is to have: the value, and when it ends. */
    private record Value(int number, long endsAtMs) {}

    /** Beside a plain map. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void likeAMap(long seed) throws CommandException {
        Random random = new Random(seed);
        Map<String, Value> model = new HashMap<>();
        long nowMs = 0;
        for (int i = 0; i < 20_000; i++) {
            String key = "k" + random.nextInt(50);
            Keyspace.Entry entry = keys.get(key);
            Value before = model.get(key);
            assertEquals(before == null, entry == null, key + ", seed=" + seed + " step=" + i);
            switch (random.nextInt(7)) {
                case 0, 1 -> {
                    keys.put(key, Reply.bytes(String.valueOf(i)));
                    model.put(key, new Value(i, Long.MAX_VALUE));
                }
                case 2 -> {
                    if (entry != null) {
                        keys.remove(entry);
                        model.remove(key);
                    }
                }
                case 3 -> {
                    if (entry != null && before != null) {
                        long atMs = nowMs + 1 + random.nextInt(100);
                        keys.expireAt(entry, atMs);
                        model.put(key, new Value(before.number(), atMs));
                    }
                }
                case 4 -> {
                    if (entry != null && before != null) {
                        keys.persist(entry);
                        model.put(key, new Value(before.number(), Long.MAX_VALUE));
                    }
                }
                case 5 -> keys.sweep(3);
                default -> {
                    nowMs += random.nextInt(20);
                    keys.now(nowMs);
                    long now = nowMs;
                    model.values().removeIf(each -> each.endsAtMs() <= now);
                }
            }
            if (entry != null
                    && before != null
                    && keys.get(key) == entry
                    && model.get(key) == before) {
                assertEquals(before.number(), Words.number(entry.bytes()));
            }
            keys.checkInvariants();
        }
        keys.sweep(Integer.MAX_VALUE);
        assertEquals(model.size(), keys.size(), "seed=" + seed);
        assertEquals(
                model.values().stream().filter(each -> each.endsAtMs() != Long.MAX_VALUE).count(),
                keys.expiring());
    }

    /** Each key that is there from the first to the last step is seen, whatever comes and goes. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aScanMissesNothing(long seed) {
        Random random = new Random(seed);
        Set<String> staying = new HashSet<>();
        for (int i = 0; i < 500; i++) {
            keys.put("k" + i, new byte[0]);
            if (random.nextBoolean()) {
                staying.add("k" + i);
            }
        }
        Set<String> seen = new HashSet<>();
        long cursor = 0;
        do {
            List<Keyspace.Entry> found = new ArrayList<>();
            cursor = keys.scan(cursor, 1 + random.nextInt(20), _ -> true, found);
            found.forEach(each -> seen.add(each.key));
            for (int i = 0; i < 30; i++) {
                String key = "k" + random.nextInt(500);
                Keyspace.Entry entry = keys.get(key);
                if (!staying.contains(key) && entry != null) {
                    keys.remove(entry);
                }
            }
            keys.checkInvariants();
        } while (cursor != 0);
        staying.removeAll(seen);
        assertEquals(Set.of(), staying, "seed=" + seed);
    }

    /**
     * Keys come and go, also always the same ones, and their number goes up and down: a scan of any
     * step sees each that stays, once, and goes past as many as there are in one.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aScanEndsWhileKeysComeAndGo(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            keys.put("stable" + i, new byte[0]);
        }
        int most = 1 + random.nextInt(2_000);
        List<String> seen = new ArrayList<>();
        int calls = 0;
        int step = 1 + random.nextInt(20);
        long cursor = 0;
        do {
            List<Keyspace.Entry> found = new ArrayList<>();
            long next = keys.scan(cursor, step, _ -> true, found);
            assertTrue(next == 0 || next > cursor, cursor + " -> " + next + ", seed=" + seed);
            cursor = next;
            found.forEach(each -> seen.add(each.key));
            calls++;
            for (int i = random.nextInt(300); i >= 0; i--) {
                String key = "k" + random.nextInt(most);
                Keyspace.Entry entry = keys.get(key);
                if (entry != null) {
                    keys.remove(entry);
                }
                if (random.nextInt(3) > 0) {
                    keys.put(key, new byte[0]);
                }
            }
            if (random.nextInt(10) == 0) {
                for (int i = 0; i < most; i++) {
                    Keyspace.Entry entry = keys.get("k" + i);
                    if (entry != null) {
                        keys.remove(entry);
                    }
                }
            }
            keys.checkInvariants();
        } while (cursor != 0);
        assertTrue(calls <= (200 + most) / step + 1, "calls=" + calls + " seed=" + seed);
        seen.removeIf(each -> !each.startsWith("stable"));
        assertEquals(200, seen.size(), "seed=" + seed);
        assertEquals(200, Set.copyOf(seen).size(), "seed=" + seed);
    }

    /** What it has, as far as a client sees it. */
    private Map<String, String> content() {
        Map<String, String> all = new HashMap<>();
        for (Keyspace.Entry each : keys.all()) {
            Map<String, byte[]> fields = each.fieldsIfHash();
            String value =
                    fields == null
                            ? new String((byte[]) each.value(), ISO_8859_1)
                            : fields.entrySet().stream()
                                    .map(
                                            f ->
                                                    f.getKey()
                                                            + "="
                                                            + new String(f.getValue(), ISO_8859_1))
                                    .sorted()
                                    .toList()
                                    .toString();
            all.put(each.key, value + " until " + each.expiresAtMs());
        }
        return all;
    }

    /** Whatever was done since is undone. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void undone(long seed) throws CommandException {
        Random random = new Random(seed);
        long nowMs = 0;
        for (int i = 0; i < 300; i++) {
            Undo undo = new Undo();
            keys.undoBy(undo);
            Map<String, String> before = content();
            for (int j = random.nextInt(20); j >= 0; j--) {
                change(random);
            }
            keys.checkInvariants();
            if (random.nextInt(3) > 0) {
                keys.undoBy(null);
                undo.run();
                keys.checkInvariants();
                assertEquals(before, content(), "seed=" + seed + " step=" + i);
            }
            nowMs += random.nextInt(10);
            keys.now(nowMs);
        }
    }

    private void change(Random random) throws CommandException {
        String key = "k" + random.nextInt(20);
        Keyspace.Entry entry = keys.get(key);
        byte[] value = Reply.bytes("" + random.nextInt(1_000));
        switch (random.nextInt(9)) {
            case 0 -> keys.put(key, value);
            case 1 -> keys.put(key, new LinkedHashMap<String, byte[]>());
            case 2 -> {
                if (random.nextInt(10) == 0) {
                    keys.clear();
                }
            }
            case 3 -> keys.sweep(3);
            default -> {
                if (entry == null) {
                    keys.put(key, value);
                } else if (entry.isHash() && random.nextInt(3) > 0) {
                    keys.putField(entry, "f" + random.nextInt(3), value);
                    keys.removeField(entry, "f" + random.nextInt(3));
                } else {
                    switch (random.nextInt(4)) {
                        case 0 -> keys.change(entry, value);
                        case 1 -> keys.remove(entry);
                        case 2 -> keys.expireAt(entry, keys.nowMs() + 1 + random.nextInt(50));
                        default -> keys.persist(entry);
                    }
                }
            }
        }
    }

    @Test
    void anExpiredKeyIsToldOnce() {
        keys.expireAt(keys.put("a", new byte[0]), 10);
        keys.expireAt(keys.put("b", new byte[0]), 10);
        keys.now(9);
        assertNotNull(keys.get("a"));
        keys.now(10);
        assertNull(keys.get("a"));
        keys.sweep(100);
        assertEquals(List.of("a", "b"), expired);
        assertEquals(0, keys.size());
    }

    /** What is removed is not kept. */
    @Test
    void removedKeysTakeNoRoom() {
        for (int i = 0; i < 100_000; i++) {
            Keyspace.Entry entry = keys.put("k", new byte[0]);
            keys.expireAt(entry, 1_000_000);
            keys.remove(entry);
            if (i % 1_000 == 0) {
                keys.checkInvariants();
            }
        }
        assertEquals(0, keys.size());
    }

    /** A cursor is the first code that was not seen: a key that has just that one comes next. */
    @Test
    void aScanBeginsWithItsCursor() {
        Keyspace keys = new Keyspace();
        for (int i = 0; i < 100; i++) {
            keys.put("k" + i, new byte[0]);
        }
        for (int i = 0; i < 100; i++) {
            String key = "k" + i;
            List<Keyspace.Entry> found = new ArrayList<>();
            long from = Integer.toUnsignedLong(ScanOrder.hash(key));
            keys.scan(from, 100, each -> each.key.equals(key), found);
            assertEquals(1, found.size(), key);
        }
    }
}
