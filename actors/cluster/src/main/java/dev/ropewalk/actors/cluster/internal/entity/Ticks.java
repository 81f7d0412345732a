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
    private final Map<String, Tick> armed = new HashMap<>();

    /** Keys whose value is being written, and their shards. */
    private final Map<String, Integer> writing = new HashMap<>();

    /** With the shard, because to find it of the key takes long. */
    private record Tick(int shard, Alarm alarm) {}

    /** Takes the place of the last one of the key. */
    void arm(int shard, String key, long afterNs, Runnable due) {
        disarm(key);
        armed.put(key, new Tick(shard, Alarm.after(afterNs, due)));
    }

    void disarm(String key) {
        Tick before = armed.remove(key);
        if (before != null) {
            before.alarm.cancel();
        }
    }

    void disarmAll(int shard) {
        List<String> keys = new ArrayList<>();
        armed.forEach(
                (key, tick) -> {
                    if (tick.shard == shard) {
                        keys.add(key);
                    }
                });
        keys.forEach(this::disarm);
    }

    void close() {
        armed.values().forEach(each -> each.alarm.cancel());
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
