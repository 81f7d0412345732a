package dev.ropewalk.actors.cluster.entity;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreWatch;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A store in the memory of one cord, with faults; its calls wait on the caller's fiber. */
final class FaultyStore implements Store {
    final MemoryStore memory = new MemoryStore();

    Duration delay = Duration.ZERO;

    /** A write takes effect, and its reply is lost. */
    boolean losesReplies;

    /** A write takes no effect, and nobody knows. */
    boolean losesWrites;

    boolean isOfOneProcess = true;

    /** Of calls that have returned. */
    int writes;

    int reads;

    int lists;

    private void takeTime() {
        if (delay.isPositive()) {
            Fiber.sleep(delay);
        }
    }

    @Override
    public StoreEntry read(String key) {
        reads++;
        takeTime();
        return memory.read(key);
    }

    @Override
    public WriteResult replace(String key, long revision, byte @Nullable [] value) {
        takeTime();
        writes++;
        if (losesWrites) {
            return new WriteResult.Unknown(new IllegalStateException("planted"));
        }
        WriteResult result = memory.replace(key, revision, value);
        return losesReplies
                ? new WriteResult.Unknown(new IllegalStateException("planted"))
                : result;
    }

    @Override
    public List<StoreEntry> list(String prefix, String after, int max) {
        lists++;
        takeTime();
        return memory.list(prefix, after, max);
    }

    @Override
    public StoreWatch watch(String prefix, Consumer<String> changed) {
        return memory.watch(prefix, changed);
    }

    @Override
    public boolean isOfOneProcess() {
        return isOfOneProcess;
    }

    @Override
    public void close() {
        memory.close();
    }

    @Override
    public String toString() {
        return "a store with faults";
    }
}
