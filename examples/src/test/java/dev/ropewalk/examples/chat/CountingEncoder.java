package dev.ropewalk.examples.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** Counts what it encodes, and the memory of what it made. For any thread. */
final class CountingEncoder implements Encoder {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final List<ByteBuf> made = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    private final Map<Format, ByteBuf> newest = new ConcurrentHashMap<>();

    /** Which lines it refuses. */
    private volatile Predicate<String> refused = _ -> false;

    @Override
    public ByteBuf encode(Format format, String line) {
        if (refused.test(line)) {
            throw new IllegalStateException("refused: " + line);
        }
        ByteBuf bytes = format.encode(allocator, line);
        made.add(bytes);
        newest.put(format, bytes);
        counts.merge(key(format, line), 1, Integer::sum);
        return bytes;
    }

    /** How many hold the newest one of the format, the room included. */
    int references(Format format) {
        ByteBuf bytes = newest.get(format);
        return bytes == null ? 0 : bytes.refCnt();
    }

    private static String key(Format format, String line) {
        return format + " " + line;
    }

    void refuse(Predicate<String> lines) {
        refused = lines;
    }

    int count(Format format, String line) {
        return counts.getOrDefault(key(format, line), 0);
    }

    int count() {
        return made.size();
    }

    /** How many of the buffers are in use. */
    int live() {
        synchronized (made) {
            return (int) made.stream().filter(each -> each.refCnt() > 0).count();
        }
    }

    long usedBytes() {
        return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
    }

    /** Nothing is in use any more, and each line was encoded once at most for each format. */
    void checkDone() {
        assertEquals(0, live(), "buffers that nobody released");
        assertEquals(0, usedBytes());
        counts.forEach((what, count) -> assertEquals(1, count, what));
    }
}
