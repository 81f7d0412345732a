package dev.ropewalk.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

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
}
