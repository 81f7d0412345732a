package dev.ropewalk.actors.cluster.ratis;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreContract;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreInFront;
import dev.ropewalk.actors.cluster.store.WriteResult;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Rule A7: what each engine promises, at one of three servers, which leads or not. The tests share
 * the servers, because one ends in a second, and each begins without an entry.
 */
class RatisContractTest extends StoreContract {
    @TempDir private static Path folder;

    private static Servers servers;

    private final boolean isClosing;

    RatisContractTest(TestInfo test) {
        isClosing = test.getDisplayName().contains("aClosedStore");
    }

    /** Closes nothing. */
    private record Shared(Store store) implements StoreInFront {
        @Override
        public void close() {}
    }

    @BeforeAll
    static void startServers() throws IOException {
        servers = new Servers(folder, options -> options).openAll();
    }

    @AfterAll
    static void stopServers() {
        servers.close();
    }

    @Override
    protected Store open() {
        RatisStore store = servers.get("n2");
        for (StoreEntry each : store.list("", "", 1_000)) {
            assertInstanceOf(
                    WriteResult.Written.class, store.replace(each.key(), each.revision(), null));
        }
        return isClosing ? store : new Shared(store);
    }

    @AfterEach
    void checkServers() {
        if (isClosing) {
            servers.close("n2");
            servers.open("n2");
        }
        servers.checkInvariants();
    }
}
