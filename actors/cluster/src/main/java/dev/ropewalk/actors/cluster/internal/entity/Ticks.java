package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.fibers.spi.Alarm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The durable entities of one cord that have something to do later, whether they run or not, and
 * those that write now. Confined to the cord.
 */
final class Ticks {
    /** By shard, because those of one go together. */
    private final Map<Integer, Map<String, Alarm>> armed = new HashMap<>();

    /** Keys whose value is being written, and their shards. */
    private final Map<String, Integer> writing = new HashMap<>();

    /** Takes the place of the last one of the key. */
    void arm(int shard, String key, long afterNs, Runnable due) {
        Alarm before =
                armed.computeIfAbsent(shard, _ -> new HashMap<>())
                        .put(key, Alarm.after(afterNs, due));
        if (before != null) {
            before.cancel();
        }
    }

    void disarm(String key) {
        if (!armed.isEmpty()) { // otherwise the shard, which takes long to find, is of no use
            disarm(Shards.of(key), key);
        }
    }

    private void disarm(int shard, String key) {
        Map<String, Alarm> of = armed.get(shard);
        Alarm before = of == null ? null : of.remove(key);
        if (before != null) {
            before.cancel();
        }
        if (of != null && of.isEmpty()) {
            armed.remove(shard);
        }
    }

    void disarmAll(int shard) {
        Map<String, Alarm> of = armed.remove(shard);
        if (of != null) {
            of.values().forEach(Alarm::cancel);
        }
    }

    void close() {
        armed.values().forEach(each -> each.values().forEach(Alarm::cancel));
        armed.clear();
    }

    void writes(String key, boolean isUnderWay) {
        if (isUnderWay) {
            writing.put(key, Shards.of(key));
        } else {
            writing.remove(key);
        }
    }

    /** Few: one for each write that waits for the store. */
    List<String> writing(int shard) {
        List<String> keys = new ArrayList<>();
        writing.forEach(
                (key, of) -> {
                    if (of == shard) {
                        keys.add(key);
                    }
                });
        return keys;
    }
}
