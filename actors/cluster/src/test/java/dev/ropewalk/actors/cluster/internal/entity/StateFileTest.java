package dev.ropewalk.actors.cluster.internal.entity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.internal.wire.KryoCodec;
import dev.ropewalk.actors.cluster.internal.wire.TypeTable;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.Map;

/** Rule A8: no owner's write undoes one of a later owner. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StateFileTest {
    record Sum(long cents) {}

    /** Of a node, which owns all shards for as long as it lives. */
    private record Owner(long number) implements Ownership {
        @Override
        public boolean mayWork(int shard, long nowNs) {
            return true;
        }

        @Override
        public long epoch(int shard) {
            return number;
        }

        @Override
        public boolean isShared() {
            return true;
        }
    }

    private static StateFile<Sum> file(MemoryStore store, Ownership owner) {
        StateStore states = StateStore.ofCluster(store, "host");
        StateTypes<Sum> types = new StateTypes<>(Sum.class, Map.of(), Map.of(), Map.of());
        TypeTable table = types.table();
        StateCodec<Sum> codec =
                new StateCodec<>(
                        types,
                        new Schemas(states, table, types::mayDrop),
                        new EntityAddresses(_ -> null),
                        new KryoCodec(table));
        return new StateFile<>(states, codec, "a", owner, 0);
    }

    private static StoreEntry entry(MemoryStore store) {
        return store.peek("host/a");
    }

    @Test
    void A8_aWriteOfAnEarlierOwnerThatComesBehindARemovalIsRefused() {
        TestCord.run(
                () -> {
                    MemoryStore store = new MemoryStore();
                    StateFile<Sum> earlier = file(store, new Owner(5));
                    assertNull(earlier.read().state());
                    StateFile<Sum> later = file(store, new Owner(6));
                    assertNull(later.read().state());
                    later.write(new Sum(7), new Ledger());
                    later.write(null, new Ledger());
                    assertThrows(
                            EntityException.class, () -> earlier.write(new Sum(1), new Ledger()));
                    assertNull(file(store, new Owner(7)).read().state());
                    assertThrows(EntityException.class, () -> file(store, new Owner(5)).read());
                });
    }

    @Test
    void A8_whatIsLeftOfARemovedStateIsSmallAndNothingToDo() {
        TestCord.run(
                () -> {
                    MemoryStore store = new MemoryStore();
                    StateFile<Sum> file = file(store, new Owner(Long.MAX_VALUE));
                    file.read();
                    file.write(null, new Ledger());
                    assertFalse(entry(store).isPresent());
                    file.write(new Sum(7), new Ledger());
                    assertTrue(StateFile.isAny(entry(store)));
                    file.write(null, new Ledger());
                    int size = entry(store).value().length;
                    assertTrue(size < 40, "size=" + size);
                    assertFalse(StateFile.isAny(entry(store)));
                    assertFalse(StateFile.isWaiting(entry(store)));
                    file.write(new Sum(8), new Ledger());
                    assertEquals(new Sum(8), file(store, new Owner(Long.MAX_VALUE)).read().state());
                });
    }

    @Test
    void A8_nothingIsLeftOfARemovedStateOfOneProcess() {
        TestCord.run(
                () -> {
                    MemoryStore store = new MemoryStore();
                    StateFile<Sum> file = file(store, Ownership.ALONE);
                    file.read();
                    file.write(new Sum(7), new Ledger());
                    file.write(null, new Ledger());
                    assertFalse(entry(store).isPresent());
                    file.write(new Sum(8), new Ledger());
                    assertTrue(StateFile.isAny(entry(store)));
                });
    }
}
