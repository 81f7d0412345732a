package dev.ropewalk.actors.cluster.testing;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreContract;

import org.junit.jupiter.api.AfterEach;

/** Rule A7: the store in memory keeps the contract as long as no fault is asked for. */
class MemoryStoreTest extends StoreContract {
    private final MemoryStore memory = new MemoryStore();

    @Override
    protected Store open() {
        return memory;
    }

    @AfterEach
    void checkInvariants() {
        memory.checkInvariants();
    }
}
