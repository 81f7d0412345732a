package dev.ropewalk.actors.cluster.internal.node;

import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreWatch;
import dev.ropewalk.actors.cluster.store.WriteResult;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The store of a node, which counts what the node asks of it. For any thread. */
public final class CountedStore implements Store {
    private final Store store;
    private final LongAdder reads = new LongAdder();
    private final LongAdder written = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder unknown = new LongAdder();
    private final LongAdder failed = new LongAdder();

    /** Does not close it. */
    public CountedStore(Store store) {
        this.store = store;
    }

    /** The numbers so far. */
    public NodeDump.StoreCalls calls() {
        return new NodeDump.StoreCalls(
                store.toString(),
                reads.sum(),
                written.sum(),
                refused.sum(),
                unknown.sum(),
                failed.sum());
    }

    private <T> T counted(LongAdder when, Supplier<T> call) {
        boolean isDone = false;
        try {
            T result = call.get();
            isDone = true;
            return result;
        } finally {
            (isDone ? when : failed).increment();
        }
    }

    @Override
    public StoreEntry read(String key) {
        return counted(reads, () -> store.read(key));
    }

    @Override
    public WriteResult replace(String key, long revision, byte @Nullable [] value) {
        WriteResult result = null;
        try {
            result = store.replace(key, revision, value);
            return result;
        } finally {
            switch (result) {
                case WriteResult.Written _ -> written.increment();
                case WriteResult.Refused _ -> refused.increment();
                case WriteResult.Unknown _ -> unknown.increment();
                case null -> failed.increment();
            }
        }
    }

    @Override
    public List<StoreEntry> list(String prefix, String after, int max) {
        return counted(reads, () -> store.list(prefix, after, max));
    }

    @Override
    public StoreWatch watch(String prefix, Consumer<String> changed) {
        return store.watch(prefix, changed);
    }

    @Override
    public boolean isOfOneProcess() {
        return store.isOfOneProcess();
    }

    @Override
    public void close() {
        store.close();
    }

    @Override
    public String toString() {
        return store.toString();
    }
}
